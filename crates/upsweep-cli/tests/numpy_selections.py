"""`upsweep unique`, `runs`, `histogram`, `expand` and `quantile` on random input: arrays against NumPy, columns of tables against SQLite.

numpy_selections.py PROGRAM DEVICE
"""

import csv
import io
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

PROGRAM, DEVICE = sys.argv[1:3]
CASES = 200  # of either kind
KINDS = ["?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]
# In turn; every type meets every one of them.
VERBS = ["unique", "runs", "histogram", "expand", "quantile"]


def call(folder, arguments, given=None):
    return subprocess.run([PROGRAM, *arguments, "--device", DEVICE], cwd=folder, capture_output=True, input=given)


def refused(folder, *arguments):
    done = call(folder, arguments)
    if done.returncode != 2:
        raise RuntimeError(f"{arguments}: {done.returncode}, and NumPy refuses")


def run(folder, *arguments, given=None):
    done = call(folder, arguments, given)
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(f"{arguments}: {done.returncode} {done.stderr.decode()}")
    return done.stdout.decode()


def same(found, wanted, what):
    """The same values of the same type, bit by bit but for NaN."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    alike = found.dtype == wanted.dtype and np.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f")
    if not alike:
        raise RuntimeError(f"{what}: found {found.dtype} {found[:20]}, wanted {wanted.dtype} {wanted[:20]}")


def numbers(kind, rng, n):
    """Random ones, of which many are alike and many stand beside their like."""
    if kind == "?":
        x = rng.integers(0, 2, n).astype(bool)
    elif kind[0] == "f":
        x = rng.choice(np.array([-1.5, 0.0, 0.25, 3.0, 100.0, 1e-3]), n) if rng.random() < 0.5 else rng.normal(0, 30, n)
        x = x.astype(kind)
    else:
        limits = np.iinfo(kind)
        few = rng.random() < 0.5
        low, high = (max(limits.min, -4), 5) if few else (limits.min, limits.max)
        x = rng.integers(low, high, n, dtype=kind, endpoint=True)
    return np.repeat(x, rng.integers(0, int(rng.choice([2, 4, 50])) + 1, n)) if rng.random() < 0.6 else x


def run_starts(x):
    return np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])) if len(x) else np.zeros(0, int)


def array(case):
    rng = np.random.default_rng(case)
    verb, kind = VERBS[case % len(VERBS)], KINDS[case // len(VERBS) % len(KINDS)]
    n = int(rng.choice([0, 1, 2, 100, 5000]))
    x = numbers(kind, rng, n)
    with tempfile.TemporaryDirectory() as folder:
        load = lambda name: np.load(f"{folder}/{name}")
        save = lambda name, x: np.save(f"{folder}/{name}", x)
        what = f"{verb} of {len(x)} {x.dtype}, case {case}"
        if kind[0] == "f" and len(x) and verb != "histogram" and rng.random() < 0.3:
            x[rng.integers(0, len(x), 2)] = np.nan
        save("x.npy", x)
        if verb == "unique":
            run(folder, "unique", "x.npy", "-o", "u.npy", "--counts", "n.npy", "--inverse", "i.npy")
            distinct, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
            same(load("u.npy"), distinct, what)
            same(load("n.npy"), counts.astype("u8"), what)
            same(load("i.npy"), inverse.ravel().astype("u8"), what)
        elif verb == "runs":
            starts = run_starts(x)
            lengths = np.diff(np.append(starts, len(x))).astype("u8")
            run(folder, "runs", "x.npy", "-o", "v.npy", "--lengths", "n.npy")
            same(load("v.npy"), x[starts], what)
            same(load("n.npy"), lengths, what)
            run(folder, "expand", "n.npy", "--values", "v.npy", "-o", "y.npy")
            same(load("y.npy"), x, f"{what}, and back")
        elif verb == "histogram":
            x = x.astype("u1") if kind == "?" else x
            save("x.npy", x)
            bins = int(rng.integers(1, 300))
            low, high = sorted(rng.choice(np.round(rng.normal(0, 60, 9), 2), 2, replace=False).tolist())
            edges = np.unique(np.round(rng.normal(0, 60, 9), 1)).tolist() if rng.random() < 0.3 else None
            asked = ["--edges=" + ",".join(map(repr, edges))] if edges else [f"--bins={bins}", "--range", repr(low), repr(high)]
            try:
                if edges:
                    wanted, _ = np.histogram(x.astype("f8") if kind == "f2" else x, bins=edges)
                else:
                    wanted, _ = np.histogram(x, bins=bins, range=(low, high))
            except ValueError:
                # The bins are narrower than these floats can tell.
                return refused(folder, "histogram", "x.npy", *asked, "-o", "n.npy")
            run(folder, "histogram", "x.npy", *asked, "-o", "n.npy")
            same(load("n.npy"), wanted.astype("u8"), what)
        elif verb == "expand":
            counts = np.maximum(rng.integers(-3, 7, n), 0).astype("u8" if kind == "?" else kind)
            if n > 1:
                counts[rng.integers(0, n)] = 100
            save("c.npy", counts)
            of = counts.astype(int)
            owners = np.repeat(np.arange(n), of)
            run(folder, "expand", "c.npy", "-o", "o.npy")
            same(load("o.npy"), owners.astype("u8"), what)
            run(folder, "expand", "c.npy", "--ranks", "-o", "r.npy")
            same(load("r.npy"), (np.arange(len(owners)) - (np.cumsum(of) - of)[owners]).astype("u8"), f"ranks of {what}")
            save("v.npy", np.resize(x, n) if len(x) else np.zeros(n, x.dtype))
            run(folder, "expand", "c.npy", "--values", "v.npy", "-o", "w.npy")
            same(load("w.npy"), load("v.npy")[owners], f"values of {what}")
        elif len(x):
            x = x.astype("u1") if kind == "?" else x
            save("x.npy", x)
            shares = np.round(rng.random(4), 3).tolist() + [0.0, 1.0]
            found = run(folder, "quantile", "x.npy", "--q=" + ",".join(map(repr, shares))).split()
            found, wanted = np.array(found, "f8"), np.quantile(x.astype("f8"), shares)
            # NumPy rounds more than once, in f64.
            if not np.allclose(found, wanted, rtol=1e-15, atol=1e-15 * np.nan_to_num(np.abs(wanted), posinf=0).max(), equal_nan=True):
                raise RuntimeError(f"{what}: found {found}, NumPy has {wanted}")


def table(case):
    rng = random.Random(case)
    verb, real = VERBS[case % len(VERBS)], rng.random() < 0.5
    rows = rng.choice([1, 3, 40, 400])
    one = lambda: rng.randrange(-40, 41) / 4 if real else rng.randrange(-9, 10)
    column = [one()]
    while len(column) < rows:
        column.append(column[-1] if rng.random() < 0.4 else one())
    if verb == "expand":
        column = [max(0, int(value)) for value in column]
    base = sqlite3.connect(":memory:")
    base.execute(f"create table x (at integer primary key, v {'real' if real and verb != 'expand' else 'integer'})")
    base.executemany("insert into x values (?, ?)", enumerate(column))
    ask = lambda query, *values: base.execute(query, values).fetchall()
    # Another column, whose cells are quoted where they must be; names or none; any delimiter; a file or standard input.
    delimiter = rng.choice([",", ";", "\t", "|"])
    named = rng.random() < 0.7
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=rng.choice(["\n", "\r\n"]))
    if named:
        writer.writerow(["what", "the value"])
    writer.writerows([rng.choice(["a", f"b{delimiter}c", 'q"u', "it's"]), value] for value in column)
    given = text.getvalue().encode()
    options = ["--delimiter", "tab" if delimiter == "\t" else delimiter, "--column", "the value" if named and rng.random() < 0.5 else "2"]
    options += [] if named else ["--header", "no"]
    what = f"{verb} of a table of {rows}, case {case}"
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/t.csv", "wb") as file:
            file.write(given)

        def printed(*more):
            if rng.random() < 0.5:
                out = run(folder, verb, "-", *options, *more, given=given)
            else:
                out = run(folder, verb, "t.csv", *options, *more)
            return [tuple(map(float, line.split("\t"))) for line in out.splitlines()]

        if verb == "unique":
            found = printed("--counts", "n.csv")
            wanted = ask("select v, count(*) from x group by v order by v")
            with open(f"{folder}/n.csv", encoding="utf-8") as counts:
                found = [(*row, int(count)) for row, count in zip(found, counts.read().split(), strict=True)]
        elif verb == "runs":
            found = printed()
            wanted = ask(
                "select v, count(*) from (select at, v, sum(new) over (order by at) as run from"
                " (select at, v, v is not lag(v) over (order by at) as new from x)) group by run order by run"
            )
        elif verb == "histogram":
            edges = sorted(rng.sample(range(-44, 44), rng.randrange(2, 9)))
            edges = [edge / 4 for edge in edges]
            found = printed("--edges=" + ",".join(map(repr, edges)))
            last = len(edges) - 2
            count = "select count(*) from x where v >= ? and (v < ? or ? and v = ?)"
            wanted = [(a, b, *ask(count, a, b, i == last, b)[0]) for i, (a, b) in enumerate(zip(edges, edges[1:]))]
        elif verb == "expand":
            found = printed()
            wanted = ask(
                "with recursive one (at, rank, n) as (select at, 1, v from x where v > 0"
                " union all select at, rank + 1, n from one where rank < n) select at from one order by at, rank"
            )
        else:
            shares = [rng.randrange(0, 65) / 64 for _ in range(3)]
            found = printed("--q=" + ",".join(map(repr, shares)))
            value = lambda rank: ask("select v from x order by v limit 1 offset ?", rank)[0][0]

            def between(share):
                rank, part = int(share * (rows - 1)), share * (rows - 1) % 1
                return value(rank) + part * (value(min(rank + 1, rows - 1)) - value(rank))

            wanted = [(between(share),) for share in shares]
        if found != [tuple(map(float, row)) for row in wanted]:
            raise RuntimeError(f"{what}: found {found[:20]}, wanted {wanted[:20]}")


def outcome(of, case):
    try:
        of(case)
    except RuntimeError as error:
        return str(error)


def main():
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for of, against in [(array, f"arrays as NumPy {np.__version__}"), (table, f"tables as SQLite {sqlite3.sqlite_version}")]:
            wrong = [line for line in pool.map(lambda case: outcome(of, case), range(CASES)) if line]
            print("\n".join(wrong[:20]))
            print(f"{CASES} cases of {against}: {len(wrong)} wrong")
            if wrong:
                sys.exit(1)


main()
