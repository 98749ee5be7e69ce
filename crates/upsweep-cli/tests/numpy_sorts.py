"""Compares `upsweep sort`, `top`, `unique` and `median` with NumPy: sort, argsort, lexsort, unique, partition, median. Each line of
an array is a case of its own, so that the program starts a few times.

    numpy_sorts.py UPSWEEP [DEVICE [ROUNDS]]
"""

import os
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

KINDS = ["?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]
LENGTHS = [1, 2, 3, 33, 100, 1000]


def run(program, device, *args):
    done = subprocess.run([program, *args, f"--device={device}"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{args}: {done.stderr}")
    return done.stdout


def values(kind, shape, random):
    """Few values, many, and the special ones."""
    if kind == "?":
        return random.integers(0, 2, shape).astype(bool)
    if kind[0] == "f":
        x = random.normal(0, 10, shape)
        few = random.integers(-3, 4, shape)
        x = np.where(random.random(shape) < 0.3, few, x).astype(kind)
        special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0], kind)
        return np.where(random.random(shape) < 0.1, random.choice(special, shape), x)
    limits = np.iinfo(kind)
    x = random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
    few = random.integers(max(limits.min, -3), 4, shape).astype(kind)
    return np.where(random.random(shape) < 0.3, few, x)


def keys(x):
    """Integers in the documented order: -0 is 0, NaN last, those without a sign first; and of the descending order."""
    if x.dtype.kind != "f":
        up = x.astype(np.int8) if x.dtype.kind == "b" else x
        return up, ~up
    bits = x.view(f"i{x.dtype.itemsize}")
    bits = np.where(x == 0, np.zeros((), bits.dtype), bits)
    least = np.iinfo(bits.dtype).min
    up = np.where(bits < 0, ~bits ^ least, bits)
    # NaN lie at both ends.
    nan = np.isnan(x)
    wide = up.astype(object)
    top = 1 << 70
    return np.where(nan, np.where(bits < 0, top + 2 * top - wide, top + wide), wide), np.where(
        nan, np.where(bits < 0, top - wide, 3 * top - wide), -wide
    )


def arrays(program, device, folder, case):
    number, kind, length = case
    random = np.random.default_rng(number)
    rows = 40 if length < 1000 else 5
    x = values(kind, (rows, length), random)
    path = f"{folder}/{number}"
    np.save(f"{path}.npy", x)
    wrong = []

    def expect(found, expected, what):
        same = found.dtype == expected.dtype and found.shape == expected.shape and found.tobytes() == expected.tobytes()
        if not same:
            wrong.append(f"{what} of {rows} lines of {length} {x.dtype}, case {number}")

    for axis, desc in [(1, False), (0, True)]:
        order = np.argsort(keys(x)[desc], axis=axis, kind="stable")
        options = ["--axis", str(axis)] + ["--desc"] * desc
        run(program, device, "sort", f"{path}.npy", *options, "--argsort", "-o", f"{path}-at.npy")
        expect(np.load(f"{path}-at.npy"), order.astype("u8"), f"argsort {options}")
        run(program, device, "sort", f"{path}.npy", *options, "-o", f"{path}-sorted.npy")
        found = np.load(f"{path}-sorted.npy")
        expect(found, np.take_along_axis(x, order, axis), f"sort {options}")
        if not desc and not np.array_equal(found, np.sort(x, axis=axis), equal_nan=kind[0] == "f"):
            wrong.append(f"sort of {x.dtype} is not NumPy's, case {number}")
    # Distinct values, of which NaN is one, and 0.
    outputs = ["-o", f"{path}-u.npy", "--counts", f"{path}-n.npy", "--inverse", f"{path}-i.npy"]
    run(program, device, "unique", f"{path}.npy", *outputs)
    distinct, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    found = np.load(f"{path}-u.npy")
    if not (np.array_equal(found, distinct, equal_nan=kind[0] == "f") and np.array_equal(np.load(f"{path}-n.npy"), counts)):
        wrong.append(f"unique of {x.dtype}, case {number}")
    if not np.array_equal(np.load(f"{path}-i.npy"), inverse.ravel()):
        wrong.append(f"inverse of {x.dtype}, case {number}")
    # The values before place k, and the one in the middle.
    k = int(random.integers(1, x.size + 1))
    run(program, device, "top", f"{path}.npy", "-k", str(k), "--least", "-o", f"{path}-k.npy")
    least = np.sort(np.partition(x, k - 1, axis=None)[:k])
    if not np.array_equal(np.load(f"{path}-k.npy"), least, equal_nan=kind[0] == "f"):
        wrong.append(f"the least {k} of {x.dtype}, case {number}")
    median = float(run(program, device, "median", f"{path}.npy"))
    expected = np.median(x.astype("f8"))
    # Integers of 64 bits may be rounded before or after they are added.
    if not (np.isclose(median, expected, rtol=1e-15, atol=0, equal_nan=True) or median == expected):
        wrong.append(f"median of {x.dtype}, case {number}: {median}, not {expected}")
    return 2 * rows + 2 * length + 3, wrong


def tables(program, device, folder, case):
    number, rows = case
    random = np.random.default_rng(1000 + number)
    town = random.choice(["N", "S", "Österreich", "a b"], rows)
    count = random.integers(-3, 4, rows)
    price = np.round(random.normal(0, 2, rows), 1)
    path = f"{folder}/t{number}"
    with open(f"{path}.csv", "w", encoding="utf-8") as table:
        table.write("town,count,price\n")
        table.writelines(f"{a},{b},{c!r}\n" for a, b, c in zip(town, count.tolist(), price.tolist()))
    places = np.unique(np.array([a.encode() for a in town]), return_inverse=True)[1]
    wrong = []
    for names, columns in [(["town", "count", "price"], (price, count, places)), (["price", "town"], (places, price))]:
        for sign, options in [(1, []), (-1, ["--desc"])]:
            expected = np.lexsort([sign * column for column in columns]).astype("u8")
            asked = [word for name in names for word in ("--column", name)]
            run(program, device, "sort", f"{path}.csv", *asked, *options, "--argsort", "-o", f"{path}.npy")
            if not np.array_equal(np.load(f"{path}.npy"), expected):
                wrong.append(f"lexsort of {rows} rows by {names} {options}, case {number}")
    return 4, wrong


def main():
    program = sys.argv[1]
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    cases = [(kind, length) for kind in KINDS for length in LENGTHS]
    if rounds == 1:
        # Every type and every length, not with each other.
        cases = cases[:: len(LENGTHS) + 1] + cases[3 :: len(LENGTHS)]
    cases = [(number * len(cases) + i, *case) for number in range(rounds) for i, case in enumerate(cases)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda case: arrays(program, device, folder, case), cases))
        sizes = list(enumerate([1, 50, 3000] * rounds))
        done += list(pool.map(lambda case: tables(program, device, folder, case), sizes))
    wrong = [line for _, lines in done for line in lines]
    print("\n".join(wrong[:40]))
    print(f"{sum(number for number, _ in done)} cases on {device} against NumPy {np.__version__}: {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


main()
