"""Compares the program `upsweep` with NumPy: every type, operator and flag, 1 to 3 axes, sizes around boundaries.

    numpy_reference.py UPSWEEP [DEVICE]

Integers must be what NumPy gives, bit for bit: sums and products are of 64 bits, and wrap around where the program is asked to. Sums and products of floats must be within 1e-6
(f32) or 1e-12 (f64) of the same in wider floats, minima and maxima exact. On a GPU, where each run of the program
takes long to start, each size is run with one of the combinations of flags in turn instead of all.
"""

import itertools
import os
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

LENGTHS = [0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 1_000_007]
SHAPES = [(33, 65), (3, 1025), (1025, 3), (7, 33, 5), (2, 1, 3), (4, 0, 3), ()]
INTEGERS = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"]
FLOATS = ["f4", "f8"]
UFUNCS = {
    "sum": np.add, "product": np.multiply, "min": np.minimum, "max": np.maximum,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}
BITWISE = ["and", "or", "xor"]
FLAGS = [(e, r, i) for e in (False, True) for r in (False, True) for i in (False, True)]


def operators(kind):
    if kind == "b1":
        return ["sum", "product"] + BITWISE
    return list(UFUNCS) if kind in INTEGERS else [op for op in UFUNCS if op not in BITWISE]


def data(kind, op, shape, random):
    n = int(np.prod(shape, dtype=np.int64))
    if kind == "b1":
        x = random.integers(0, 2, n).astype(bool)
    elif kind in INTEGERS:
        limits = np.iinfo(kind)
        x = random.integers(limits.min, limits.max, n, dtype=kind, endpoint=True)
        if op == "product":
            # Odd numbers: with even ones every product of many is 0.
            x |= np.dtype(kind).type(1)
    elif op == "product":
        # Every product rounds, so that the error grows with their number: few factors that round, many that do not.
        x = random.choice([1.0, -1.0, 1.0, 1.0], n)
        places = random.permutation(n)[:16]
        x[places] = random.uniform(0.5, 2, len(places))
    elif op == "sum":
        x = random.uniform(0, 1, n)
    else:
        x = random.normal(0, 1, n)
        if n > 1000:
            x[3 * n // 4] = np.nan
    return np.asarray(x, dtype=kind).reshape(shape)


def of_results(kind, op):
    """The type of the results: that of NumPy's sum and prod."""
    if op not in ("sum", "product") or kind in FLOATS:
        return kind
    return UFUNCS[op].reduce(np.zeros(1, kind)).dtype.str[1:]


def initial(kind, op):
    if kind == "b1":
        return {"sum": 100, "product": 3}.get(op, True)
    if kind in INTEGERS:
        return {"min": 3, "max": 3, "and": 107, "product": 3}.get(op, 100)
    return {"min": 0.25, "max": -0.25, "product": -2.0}.get(op, 2.5)


def identity(kind, op):
    if kind == "b1" and op in BITWISE:
        return op == "and"
    if op in ("min", "max"):
        if kind in FLOATS:
            return np.inf if op == "min" else -np.inf
        return np.iinfo(kind).max if op == "min" else np.iinfo(kind).min
    if op == "and":
        return np.invert(np.zeros((), kind))[()]
    return 1 if op == "product" else 0


def wide(kind, op):
    return {"f4": np.float64, "f8": np.longdouble}.get(kind, np.dtype(of_results(kind, op)))


def scan(x, kind, op, axis, exclusive, reverse, init):
    """The reference: NumPy's accumulate of the initial value and then the elements."""
    x = x.astype(wide(kind, op))
    line = x.reshape(-1) if axis is None else np.moveaxis(x, axis, -1)
    if reverse:
        line = line[..., ::-1]
    start = np.full(line.shape[:-1] + (1,), identity(kind, op) if init is None else init, dtype=x.dtype)
    sums = UFUNCS[op].accumulate(np.concatenate([start, line], axis=-1), axis=-1, dtype=x.dtype)
    sums = sums[..., :-1] if exclusive else sums[..., 1:]
    if reverse:
        sums = sums[..., ::-1]
    return sums.reshape(x.shape) if axis is None else np.moveaxis(sums, -1, axis)


def reduce(x, kind, op, axis, init):
    x = x.astype(wide(kind, op))
    line = x.reshape(-1) if axis is None else np.moveaxis(x, axis, -1)
    start = np.full(line.shape[:-1] + (1,), identity(kind, op) if init is None else init, dtype=x.dtype)
    return UFUNCS[op].reduce(np.concatenate([start, line], axis=-1), axis=-1, dtype=x.dtype)


def difference(found, expected, kind, op):
    """What is wrong with `found`, or None."""
    kind = of_results(kind, op)
    if found.dtype != np.dtype(kind) or found.shape != expected.shape:
        return f"is {found.dtype}{found.shape}, not {kind}{expected.shape}"
    if kind not in FLOATS or op in ("min", "max"):
        same = np.array_equal(found, expected.astype(kind), equal_nan=kind in FLOATS)
        return None if same else f"differs at {np.argwhere(found != expected)[:3].tolist()}"
    limit = {"f4": 1e-6, "f8": 1e-12}[kind]
    error = np.abs(found.astype(expected.dtype) - expected)
    wrong = ~(error <= limit * np.abs(expected))
    if not wrong.any():
        return None
    worst = np.nanmax(error / np.maximum(np.abs(expected), np.finfo(kind).tiny))
    return f"is off by {worst:.3g} (relative) at {np.argwhere(wrong)[:3].tolist()}"


def commands(shape, take_all, turn):
    """The command lines for an array of this shape, with what the reference needs.

    All options of one shape, and of the others one in turn: upsweep-dynamic's oracle has every option of every operator and type.
    """
    axes = [None] + list(range(len(shape)))
    flags = FLAGS if take_all else [FLAGS[next(turn) % len(FLAGS)]]
    for axis, (exclusive, reverse, with_init) in itertools.product(axes, flags):
        yield "scan", axis, exclusive, reverse, with_init
    for axis, with_init in itertools.product(axes, (False, True) if take_all else (True,)):
        yield "reduce", axis, False, False, with_init


def segmented(folder, name, x, kind, op, run):
    """Scans by segment: offsets and head flags, with empty segments among the offsets."""
    random = np.random.default_rng(7)
    cuts = np.sort(random.integers(0, x.size + 1, 40))
    offsets = np.concatenate([[0, 0], cuts, [x.size]])
    flags = np.zeros(x.size, bool)
    flags[cuts[cuts < x.size]] = True
    np.save(f"{folder}/{name}-offsets.npy", offsets)
    np.save(f"{folder}/{name}-flags.npy", flags)
    pieces = [x[a:b] for a, b in zip(offsets, offsets[1:])]
    init = initial(kind, op)
    for exclusive, reverse, with_init in FLAGS:
        value = init if with_init else None
        expected = np.concatenate([scan(p, kind, op, None, exclusive, reverse, value) for p in pieces])
        for how in ("offsets", "flags"):
            run("scan", f"--segments={folder}/{name}-{how}.npy", exclusive, reverse, value, expected)
    for how, parts in (("offsets", pieces), ("flags", np.split(x, np.flatnonzero(flags[1:]) + 1))):
        expected = np.array([reduce(p, kind, op, None, init) for p in parts])
        run("reduce", f"--segments={folder}/{name}-{how}.npy", False, False, init, expected)


def check(program, device, folder, kind, op):
    """All cases of a type and an operator; returns their number and what was wrong."""
    random = np.random.default_rng(sum(map(ord, kind + op)))
    turn = itertools.count(random.integers(len(FLAGS)))
    cases, wrong = 0, []

    def compare(path, command, place, exclusive, reverse, init, expected):
        nonlocal cases
        cases += 1
        out = f"{path}-out.npy"
        args = [program, command, f"{path}.npy", f"--op={op}", f"--device={device}", "-o", out]
        args += [place] if place else []
        args += ["--exclusive"] if exclusive else []
        args += ["--reverse"] if reverse else []
        args += ["--wrap"] if op == "product" and kind not in FLOATS or op == "sum" and kind in ("i8", "u8") else []
        args += [] if init is None else [f"--init={init}".lower()]
        done = subprocess.run(args, capture_output=True, text=True)
        problem = done.stderr.strip() if done.returncode else difference(np.load(out), expected, kind, op)
        if problem:
            wrong.append(f"{kind} {' '.join(args[1:])} of {expected.shape}: {problem}")

    for number, shape in enumerate([(n,) for n in LENGTHS] + SHAPES):
        x = data(kind, op, shape, random)
        path = f"{folder}/{kind}-{op}-{number}"
        np.save(f"{path}.npy", x)
        for command, axis, exclusive, reverse, with_init in commands(shape, device == "cpu" and shape == (1025,), turn):
            init = initial(kind, op) if with_init else None
            if command == "scan":
                expected = scan(x, kind, op, axis, exclusive, reverse, init)
            else:
                expected = reduce(x, kind, op, axis, init)
            place = None if axis is None else f"--axis={axis}"
            compare(path, command, place, exclusive, reverse, init, expected)
        if shape == (1025,):
            run = lambda *args: compare(path, *args)
            segmented(folder, f"{kind}-{op}", x, kind, op, run)
    return cases, wrong


def headers(program, folder):
    """Whether the program reads the headers that NumPy reads, and no others; what was wrong."""
    shapes = ["(2,)", "(2)", "()", "(,)", "(2,3,)", "(3L,)", "(" + "0," * 64 + ")", "(" + "0," * 65 + ")"]
    shapes += ["(0, 1152921504606846975)", "(0, 1152921504606846976)", "(0, 4294967296, 4294967296)"]
    cases = [("'<f8'", shape) for shape in shapes] + [(kind, "(2,)") for kind in ("'?'", "'|?'", "'=i4'", "'>u2'")]
    wrong = []
    for kind, shape in cases:
        header = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}".encode()
        start = b"\x93NUMPY\x02\x00" + len(header).to_bytes(4, "little") + header
        shorter = [start + bytes(size) for size in (0, 2, 4, 8, 16, 24, 48)]
        taken = []
        for data in shorter:
            with open(f"{folder}/header.npy", "wb") as file:
                file.write(data)
            try:
                # NumPy reads an array and leaves what follows it.
                expected = np.load(f"{folder}/header.npy").nbytes + len(start) == len(data)
            except ValueError:
                expected = False
            done = subprocess.run([program, "scan", f"{folder}/header.npy", "--op=max"], capture_output=True)
            found = done.returncode == 0 or b"values have no max" in done.stderr
            taken.append((expected, found))
        if any(expected != found for expected, found in taken):
            wrong.append(f"the header of {kind} {shape}: NumPy and the program take it: {taken}")
    return len(cases), wrong


def main():
    program = sys.argv[1]
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    # NumPy warns of what the cases are for: integers that wrap, NaN.
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    jobs = [(kind, op) for kind in ["b1"] + INTEGERS + FLOATS for op in operators(kind)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: check(program, device, folder, *job), jobs))
        results.append(headers(program, folder))
    wrong = [line for _, lines in results for line in lines]
    print("\n".join(wrong[:40]))
    print(f"{sum(n for n, _ in results)} cases on {device} against NumPy {np.__version__}: {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


main()
