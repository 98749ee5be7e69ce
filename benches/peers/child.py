"""Runs the contestants of tables.py and parquet.py, and says what they took."""

import os
import statistics
import time


def run(arguments):
    """CPU seconds of a process, user and system, elapsed ones, and the MB that it had in memory at most."""
    begun = time.perf_counter()
    child = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, used = os.wait4(child, 0)
    elapsed = time.perf_counter() - begun
    if status != 0:
        raise SystemExit(f"{arguments}: {status}")
    return used.ru_utime + used.ru_stime, elapsed, used.ru_maxrss / 1024


def fresh(arguments, out):
    """What `run` says, without the file `out` before: who writes over pages that are there needs none of the system."""
    if os.path.exists(out):
        os.remove(out)
    return run(arguments)


def in_turns(contestants, turns, out):
    """Medians of what `fresh` says of each contestant; they take turns."""
    times = [[fresh(arguments, out) for arguments in contestants] for _ in range(turns)]
    return [[statistics.median(figures) for figures in zip(*of_one)] for of_one in zip(*times)]
