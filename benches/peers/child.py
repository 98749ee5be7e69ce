"""Runs the contestants of tables.py, lines.py and parquet.py, and says what they took."""

import os
import statistics
import subprocess
import sys
import time

# A child counts the memory of its parent until it starts a program, so that this program has little.
WRITE = """
import sys, numpy as np, polars as pl
rows, random = int(sys.argv[2]), np.random.default_rng(1)
stamps = np.datetime64("2026-01-01T00:00") + np.arange(rows) // 20
table = pl.DataFrame({
    "time": stamps.astype("datetime64[ms]"),
    "host": random.integers(0, 200, rows),
    "status": random.choice([200, 200, 200, 404, 500], rows),
    "bytes": random.integers(0, 100_000, rows),
    "ms": random.integers(0, 1000, rows) / 10,
})
host = pl.format("h{}", pl.col("host").cast(pl.String).str.zfill(3)).alias("host")
table.with_columns(host).write_csv(sys.argv[1], datetime_format="%Y-%m-%dT%H:%M")
print(pl.__version__)
"""


def write_table(path, rows):
    """Writes a table of requests to servers as CSV, and returns the version of polars, which writes it."""
    write = [sys.executable, "-c", WRITE, path, str(rows)]
    return subprocess.run(write, check=True, capture_output=True, text=True).stdout.strip()


def run(arguments, passes=(0,)):
    """CPU seconds of a process, user and system, elapsed ones, and the MB that it had in memory at most. Its status is one of
    `passes`."""
    begun = time.perf_counter()
    child = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, used = os.wait4(child, 0)
    elapsed = time.perf_counter() - begun
    if os.waitstatus_to_exitcode(status) not in passes:
        raise SystemExit(f"{arguments}: {status}")
    return used.ru_utime + used.ru_stime, elapsed, used.ru_maxrss / 1024


def fresh(arguments, out, passes):
    """What `run` says, without the file `out` before: who writes over pages that are there needs none of the system."""
    if out and os.path.exists(out):
        os.remove(out)
    return run(arguments, passes)


def in_turns(contestants, turns, out=None, passes=(0,)):
    """Medians of what `fresh` says of each contestant; they take turns."""
    times = [[fresh(arguments, out, passes) for arguments in contestants] for _ in range(turns)]
    return [[statistics.median(figures) for figures in zip(*of_one)] for of_one in zip(*times)]
