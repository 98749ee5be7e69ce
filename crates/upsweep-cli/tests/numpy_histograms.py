"""Compares `upsweep histogram` with NumPy, count by count: every edge and its neighbours are among the values. Compares `upsweep
quantile` with fractions, digit by digit, and with NumPy as far as it has digits.

    numpy_histograms.py UPSWEEP [DEVICE]
"""

import itertools
import os
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np

INTEGERS = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"]
FLOATS = ["f2", "f4", "f8"]
RANGES = [(0.0, 1.0), (-1.0, 1.0), (0.1, 0.7), (-3.3, 12.7), (0.0, 256.0), (0.0, 255.0), (5.0, 5.0), (-100.0, 1000.0), (0.5, 99.25)]
BINS = [1, 3, 10, 64, 255, 256, 1000]
EDGES = [[0, 1], [-1.5, 0, 0, 2, 77], [0.1, 0.2, 0.3], [1, 2, 3, 4, 5, 100.5], [-1e30, 0, 1e30]]
SHARES = [0, 0.01, 0.25, 1 / 3, 0.5, 0.75, 0.9, 0.99, 0.999, 1]


def values(kind, edges, random):
    """The edges, what is beside them, and random values around."""
    edges = np.asarray(edges, np.float64)
    low, high = edges[0], edges[-1]
    spread = random.uniform(low - 0.2 * (high - low) - 1, high + 0.2 * (high - low) + 1, 2000)
    if kind in INTEGERS:
        limits = np.iinfo(kind)
        around = np.concatenate([np.floor(edges), np.ceil(edges), edges + 1, edges - 1, np.floor(spread)])
        # 2^63 as a float is one too many.
        around = np.clip(around, float(limits.min), np.nextafter(float(limits.max), 0) if limits.bits == 64 else limits.max)
        extremes = [limits.min, limits.max]
    else:
        with np.errstate(over="ignore"):
            near = edges.astype(kind)
        around = np.concatenate([near, np.nextafter(near, -np.inf, dtype=kind), np.nextafter(near, np.inf, dtype=kind), spread])
        extremes = [np.nan, np.inf, -np.inf, 0.0, -0.0]
    with np.errstate(over="ignore"):
        return random.permutation(np.concatenate([around.astype(kind), np.asarray(extremes, kind)]))


def run(program, device, *args):
    done = subprocess.run([program, *args, f"--device={device}"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr.strip()


def histogram(program, device, folder, case):
    number, (kind, (low, high), bins, edges) = case
    random = np.random.default_rng(number)
    around = np.linspace(low, high, bins + 1) if edges is None else edges
    x = values(kind, around, random)
    path = f"{folder}/{number}"
    np.save(f"{path}.npy", x)
    asked = ["--edges=" + ",".join(map(repr, map(float, edges)))] if edges else [f"--bins={bins}", "--range", repr(low), repr(high)]
    code, _, error = run(program, device, "histogram", f"{path}.npy", *asked, "-o", f"{path}-counts.npy")
    what = f"histogram of {kind}, {asked}"
    try:
        if edges:
            # Of wide numbers: on some processors NumPy 2.4 sorts -65504 of f16 to -inf. Comparisons with edges are exact.
            expected, _ = np.histogram(x.astype(np.float64) if kind == "f2" else x, bins=edges)
        else:
            expected, _ = np.histogram(x, bins=bins, range=(low, high))
    except ValueError as refused:
        return None if code == 2 else f"{what}: NumPy says {refused}, the program {code} {error}"
    if code != 0:
        return f"{what}: {error}"
    found = np.load(f"{path}-counts.npy")
    wrong = np.flatnonzero(found != expected)[:4]
    return f"{what}: bins {wrong} have {found[wrong]}, not {expected[wrong]}" if len(wrong) else None


def quantile(program, device, folder, case):
    number, (kind, n) = case
    random = np.random.default_rng(number)
    if kind in INTEGERS:
        limits = np.iinfo(kind)
        x = random.integers(limits.min, limits.max, n, dtype=kind, endpoint=True)
    else:
        x = random.normal(0, 100, n).astype(kind)
    path = f"{folder}/q{number}.npy"
    np.save(path, x)
    code, text, error = run(program, device, "quantile", path, "--q=" + ",".join(map(repr, SHARES)))
    what = f"quantile of {n} {kind}"
    if code != 0:
        return f"{what}: {error}"
    lines, ordered = text.split(), [Fraction(value) for value in np.sort(x).tolist()]
    for line, share in zip(lines, SHARES, strict=True):
        place = share * (n - 1)
        low, high = ordered[int(place)], ordered[min(int(place) + 1, n - 1)]
        exact = low + Fraction(place % 1) * (high - low)
        # Of large integers text has all digits; halves and whole ones are all there.
        if float(line) != float(exact) or (kind in INTEGERS and abs(exact) >= 2**52 and exact.denominator <= 2 and Fraction(line) != exact):
            return f"{what}: the share {share} is {line}, not {exact}"
    found, expected = np.array(lines, np.float64), np.quantile(x.astype(np.float64), np.array(SHARES, np.float64))
    wrong = ~np.isclose(found, expected, rtol=1e-15, atol=1e-15 * float(np.abs(x.astype(np.float64)).max()))
    return f"{what}: {found[wrong]}, and NumPy has {expected[wrong]}" if wrong.any() else None


def main():
    program = sys.argv[1]
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    kinds = INTEGERS + FLOATS
    even = [(kind, limits, bins, None) for kind, limits, bins in itertools.product(kinds, RANGES, BINS)]
    given = [(kind, (edges[0], edges[-1]), len(edges) - 1, edges) for kind, edges in itertools.product(kinds, EDGES)]
    if device != "cpu":
        # Each run of the program takes long to start.
        even, given = even[::7], given[::3]
    cases = list(enumerate(even + given))
    shares = list(enumerate(itertools.product(kinds, [1, 2, 3, 10, 1001, 50_000])))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = list(pool.map(lambda case: histogram(program, device, folder, case), cases))
        wrong += list(pool.map(lambda case: quantile(program, device, folder, case), shares))
    wrong = [line for line in wrong if line]
    print("\n".join(wrong[:40]))
    print(f"{len(cases) + len(shares)} cases on {device} against NumPy {np.__version__}: {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


main()
