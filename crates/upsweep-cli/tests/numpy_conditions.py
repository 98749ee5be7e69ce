"""`upsweep select --where` on random conditions: of arrays against NumPy, of tables against SQLite.

numpy_conditions.py PROGRAM DEVICE
"""

import csv
import io
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM, DEVICE = sys.argv[1:3]
CASES = 300  # of either kind
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]


def run(arguments, folder):
    done = subprocess.run([PROGRAM, *arguments, "--device", DEVICE], cwd=folder, capture_output=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{arguments}: {done.returncode} {done.stderr.decode()}")
    return done.stdout


def number(rng, names, depth, divides):
    """A number in upsweep's language, which Python and SQLite have, too."""
    kind = rng.randrange(7 if depth > 0 else 3)
    if kind == 0:
        return str(rng.randrange(0, 30))
    if kind == 1:
        return f"{rng.randrange(0, 120) / 4}"
    if kind == 2:
        return rng.choice(names)
    if kind == 3:
        return f"-{factor(rng, names, depth - 1, divides)}"
    if kind == 4:
        return f"abs({number(rng, names, depth - 1, divides)})"
    if kind == 5 and divides:
        return f"{factor(rng, names, depth - 1, divides)} % {rng.randrange(1, 9)}"
    sign = rng.choice(["+", "-", "*"])
    return f"{factor(rng, names, depth - 1, divides)} {sign} {factor(rng, names, depth - 1, divides)}"


def factor(rng, names, depth, divides):
    return f"({number(rng, names, depth, divides)})"


def condition(rng, compare, depth):
    kind = rng.randrange(4) if depth > 0 else 0
    if kind == 0:
        return compare(rng)
    if kind == 1:
        return f"not ({condition(rng, compare, depth - 1)})"
    join = "and" if kind == 2 else "or"
    return f"({condition(rng, compare, depth - 1)}) {join} ({condition(rng, compare, depth - 1)})"


def arrays(rng, folder):
    types = [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32, np.float64]
    kept = 0
    for case in range(CASES):
        dtype = types[case % len(types)]
        x = np.random.default_rng(case).integers(0 if np.dtype(dtype).kind == "u" else -40, 40, rng.randrange(0, 400))
        x = x.astype(dtype) if np.dtype(dtype).kind != "f" else (x / 4).astype(dtype)
        if np.dtype(dtype).kind == "f" and len(x) > 3:
            x[:3] = [np.nan, np.inf, -0.0]
        np.save(f"{folder}/x.npy", x)
        text = condition(
            rng, lambda rng: f"{number(rng, ['x'], 2, True)} {rng.choice(COMPARISONS)} {number(rng, ['x'], 2, True)}", 2
        )
        # Numbers as they are: whole ones as Python's, which have any size.
        wide = np.array([int(v) if float(v).is_integer() and x.dtype.kind != "f" else float(v) for v in x], dtype=object)
        with np.errstate(all="ignore"):
            expected = [bool(eval(text, {"x": value, "abs": abs})) for value in wide]
        expected = np.array(expected, dtype=bool)
        if case % 3 == 0:
            run(["select", "x.npy", "--where", text, "--indices", "-o", "y.npy"], folder)
            found, wanted = np.load(f"{folder}/y.npy"), np.flatnonzero(expected).astype(np.uint64)
        else:
            run(["select", "x.npy", "--where", text, "-o", "y.npy"], folder)
            found, wanted = np.load(f"{folder}/y.npy"), x[expected]
        if found.dtype != wanted.dtype or found.tobytes() != wanted.tobytes():
            sys.exit(f"{dtype.__name__}: {text}: found {found}, wanted {wanted} of {x}")
        kept += 0 < len(wanted) < len(x)
    print(f"{CASES} conditions of arrays as NumPy, {kept} of them of some values")


def tables(rng, folder):
    words = ["N", "S", "n", "", "a b", 'q"u', "it's", "Ä", "10", "9"]
    kept = 0
    for case in range(CASES):
        rows = [
            (rng.randrange(-20, 20), rng.randrange(-80, 80) / 4, rng.choice(words), rng.choice(words), rng.random() < 0.5)
            for _ in range(rng.randrange(1, 60))
        ]
        with open(f"{folder}/t.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["a", "b", "s", "t", "c"])
            writer.writerows([(*row[:4], "true" if row[4] else "false") for row in rows])
        base = sqlite3.connect(":memory:")
        base.execute("create table x (a integer, b real, s text, t text, c integer)")
        base.executemany("insert into x values (?, ?, ?, ?, ?)", rows)

        def compare(rng):
            kind = rng.randrange(4)
            if kind == 0:
                quote = rng.choice(words).replace("'", "''")
                return f"{rng.choice('st')} {rng.choice(COMPARISONS)} '{quote}'"
            if kind == 1:
                return rng.choice(["c", "c == true", "false != c"])
            names = ["a", "b"]
            return f"{number(rng, names, 2, False)} {rng.choice(COMPARISONS)} {number(rng, names, 2, False)}"

        text = condition(rng, compare, 3)
        wanted = [row for (row,) in base.execute(f"select rowid - 1 from x where {text} order by rowid")]
        found = [int(line) for line in run(["select", "t.csv", "--where", text, "--indices"], folder).split()]
        if found != wanted:
            sys.exit(f"{text}: found rows {found}, wanted {wanted} of {rows}")
        printed = run(["select", "t.csv", "--where", text], folder).decode()
        lines = list(csv.reader(io.StringIO(printed)))[1:]
        if [line[2:4] for line in lines] != [list(rows[at][2:4]) for at in wanted]:
            sys.exit(f"{text}: wrote {printed}")
        kept += 0 < len(wanted) < len(rows)
    print(f"{CASES} conditions of tables as SQLite, {kept} of them of some rows")


def main():
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        arrays(rng, folder)
        tables(rng, folder)


main()
