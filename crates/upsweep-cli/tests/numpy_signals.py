"""Compares `upsweep signal filter` with SciPy on random filters, and `upsweep signal smooth` with its definition.

    numpy_signals.py UPSWEEP [DEVICE [FILTERS]]

Errors are those beside the same computed by SciPy in long double, as shares of the largest result so far (for filters in both
directions: of all results). Those of the program may be four times those of SciPy in f64, and two last bits more. In short signals
a few roundings decide, for which one of two loops is as often lucky as the other: of 519 designed cascades of 100 values, SciPy's loop
had four times the error of the program's in 14, and the other way round in 15. So SciPy's is the largest error of a short signal and
its multiples.
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy import signal

WIDE = np.longdouble
EPSILON = np.finfo(np.float64).eps
LENGTHS = [0, 1, 2, 100, 3000, 5000, 30_000]
PADS = ["odd", "even", "constant", "none"]
KINDS = ["stable", "near", "unstable", "fir", "sos", "both", "both-sos", "single", "sos-near", "sos-unstable", "sos-designed"]
SHORT = 100
MULTIPLES = [1, 1 / 3, 3, 5 / 3, 5, 7 / 3, 7, 8 / 3]


def poles(random, order, radius):
    """The coefficients a of a filter with one pole or pair at this radius, and the others within."""
    a, left = np.ones(1), order
    while left:
        r = radius if left == order else radius * random.random()
        if left == 1 or random.random() < 0.25:
            a, left = np.convolve(a, [1, random.choice([-r, r])]), left - 1
        else:
            a, left = np.convolve(a, [1, -2 * r * np.cos(np.pi * random.random()), r * r]), left - 2
    return a


def sections(random, radius):
    count = random.integers(1, 9)
    b = random.uniform(-0.5, 0.5, (count, 3)) * [1, 1, random.random() < 0.8]
    return np.array([[*b, *poles(random, 2, radius * random.random())] for b in b])


def designed(random):
    """What people filter with: all sections of a filter of Butterworth's have the same zeros, and poles close together."""
    order, edge = int(random.integers(1, 9)), 10 ** random.uniform(-3, -0.5)
    pass_band = ["lowpass", "highpass", "bandpass"][random.integers(3)]
    edges = [edge, edge * (1 + 2 * random.random())] if pass_band == "bandpass" else edge
    order *= 1 if pass_band == "bandpass" else 2
    if random.random() < 0.5:
        return signal.butter(order, edges, pass_band, output="sos")
    return signal.ellip(order, 1, 60, edges, pass_band, output="sos")


def both_ways(x, pad, edge, forward, steady):
    """filtfilt, which SciPy has for f64 alone."""
    first, last = x[:1], x[-1:]
    before, after = x[1 : edge + 1][::-1], x[len(x) - 1 - edge : -1][::-1]
    if edge:
        if pad == "odd":
            before, after = 2 * first - before, 2 * last - after
        elif pad == "constant":
            before, after = np.repeat(first, edge), np.repeat(last, edge)
        x = np.concatenate([before, x, after])
    for _ in range(2):
        x = forward(x, steady * x[0])[::-1]
    return x[edge : len(x) - edge]


def steady_states(b, a, level, states):
    """lfilter_zi times a level in long double, and the result that stays."""
    b, a = (np.pad(list_, (0, states + 1 - len(list_))).astype(WIDE) / WIDE(a[0]) for list_ in (b, a))
    y = b.sum() / a.sum() * level
    zi = np.zeros(states + 1, WIDE)
    for j in reversed(range(states)):
        zi[j] = zi[j + 1] + b[j + 1] * level - a[j + 1] * y
    return zi[:states], y


def steady_sections(sos):
    level, all_of = WIDE(1), []
    for section in sos:
        zi, level = steady_states(section[:3], section[3:], level, 2)
        all_of.append(zi)
    return np.array(all_of)


def case(number, random):
    """What the program is asked, and a function of the signal: the same by SciPy in f64 and in more digits; nothing if it is refused."""
    kind = KINDS[number % len(KINDS)]
    n = LENGTHS[number // len(KINDS) % len(LENGTHS)]
    order = random.integers(0, 17 if kind == "stable" else 7)
    radii = {"near": 1 - 10 ** random.uniform(-7, -3), "unstable": 1 + 10 ** random.uniform(-4, -0.5)}
    radius = radii.get(kind.removeprefix("sos-"), random.uniform(0.1, 0.98))
    x = random.uniform(-1, 1, n).astype(np.float32 if kind == "single" else np.float64)
    if "sos" in kind:
        sos = designed(random) if kind == "sos-designed" else sections(random, radius)
        asked = {"sos": sos}
        wide_sos = sos.astype(WIDE)
        forward = {t: (lambda x, zi, sos=sos: signal.sosfilt(sos, x, zi=zi)[0]) for t, sos in ((np.float64, sos), (WIDE, wide_sos))}
        zeros = np.zeros((len(sos), 2))
        edge = 3 * (2 * len(sos) + 1 - min((sos[:, 2] == 0).sum(), (sos[:, 5] == 0).sum()))
        if kind == "both-sos":
            steady = {np.float64: signal.sosfilt_zi(sos), WIDE: steady_sections(sos)}
    else:
        b = random.uniform(-0.5, 0.5, random.integers(1, 18) if kind == "fir" else random.integers(1, order + 2))
        a = np.ones(1) if kind == "fir" else poles(random, order, radius)
        asked = {"b": b, "a": a}
        wide_b, wide_a = b.astype(WIDE), a.astype(WIDE)
        forward = {t: (lambda x, zi, b=b, a=a: signal.lfilter(b, a, x, zi=zi)[0]) for t, b, a in ((np.float64, b, a), (WIDE, wide_b, wide_a))}
        zeros = np.zeros(max(len(b), len(a)) - 1)
        edge = 3 * max(len(b), len(a))
        if kind == "both":
            steady = {np.float64: signal.lfilter_zi(b, a) if len(zeros) else zeros, WIDE: steady_states(b, a, WIDE(1), len(zeros))[0]}
    if kind.startswith("both"):
        pad = PADS[random.integers(4)]
        if random.random() < 0.5:
            edge = int(random.integers(0, 40))
            asked["pad-length"] = edge
        edge = 0 if pad == "none" else edge
        asked |= {"pad": pad, "both-ways": True}
        if 0 < n <= edge or n < edge:
            return kind, x, asked, None

        def both(x, t):
            y = both_ways(x.astype(t), pad, edge, forward[t], steady[t])
            if t == np.float64 and "b" in asked and len(zeros):
                same = signal.filtfilt(asked["b"], asked["a"], x, padtype=None if pad == "none" else pad, padlen=edge)
                assert np.allclose(same, y, rtol=1e-9, atol=1e-9 * np.abs(same).max()), "the oracle is not filtfilt"
            return y

        run = both
    else:
        run = lambda x, t: forward[t](x.astype(t), zeros.astype(t))
    # SciPy refuses some empty signals.
    return kind, x, asked, lambda x: [run(x, t) if n else x.astype(t) for t in (np.float64, WIDE)]


def error(values, exact, both_ways):
    """The largest one, as a share of the largest result so far, or of all results."""
    largest = np.abs(exact).max() * np.ones(len(exact)) if both_ways else np.maximum.accumulate(np.abs(exact))
    largest[largest == 0] = 1
    return (np.abs(values.astype(WIDE) - exact) / largest).max()


def numbers(values):
    return ",".join(repr(float(value)) for value in values)


def check(program, device, folder, number):
    kind, x, asked, results = case(number, np.random.default_rng(number))
    path = f"{folder}/{number}"
    np.save(f"{path}.npy", x)
    options = []
    for option, value in asked.items():
        if option == "sos":
            np.save(f"{path}-sos.npy", value)
            value = f"{path}-sos.npy"
        elif option in ("b", "a"):
            value = numbers(value)
        options.append(f"--{option}" if value is True else f"--{option}={value}")
    args = [program, "signal", "filter", f"{path}.npy", *options, f"--device={device}", "-o", f"{path}-y.npy"]
    done = subprocess.run(args, capture_output=True, text=True)
    what = f"filter {number}, {kind}, {len(x)} values, {asked}"
    if results is None:
        refused = done.returncode == 2 and "a signal is longer than its padding" in done.stderr
        return kind, 0, None if refused else f"{what}: {done.returncode} {done.stderr}"
    if done.returncode:
        return kind, 0, f"{what}: {done.stderr}"
    found = np.load(f"{path}-y.npy")
    if found.dtype != x.dtype or found.shape != x.shape:
        return kind, 0, f"{what}: {found.dtype} {found.shape}"
    with np.errstate(all="ignore"):
        by_scipy, exact = results(x)
        # Up to where numbers leave the range of f64.
        large = np.flatnonzero(~(np.abs(exact) < 1e290) | ~np.isfinite(by_scipy))
    end = large[0] if len(large) else len(exact)
    if not end:
        return kind, 0, None
    both = "both-ways" in asked
    found, scipys = error(found[:end], exact[:end], both), error(by_scipy[:end], exact[:end], both)
    if len(x) <= SHORT:
        scipys = max(error(*results(x * x.dtype.type(factor)), both) for factor in MULTIPLES)
    digits = np.finfo(np.float32).eps if kind == "single" else EPSILON
    wrong = not found <= 4 * scipys + 2 * digits
    return kind, float(found / max(scipys, digits / 2)), f"{what}: an error of {found:.3g}, that of SciPy is {scipys:.3g}" if wrong else None


def average(program, device, folder, number):
    """pandas' ewm(adjust=False), as it is defined."""
    random = np.random.default_rng(number)
    x = random.uniform(-1, 1, LENGTHS[number % len(LENGTHS)])
    size = 10 ** random.uniform(0, 3)
    option, weight = [("half-life", -np.expm1(-np.log(2) / size)), ("span", 2 / (size + 1))][number % 2]
    path = f"{folder}/average{number}"
    np.save(f"{path}.npy", x)
    args = [program, "signal", "smooth", f"{path}.npy", f"--{option}={size!r}", f"--device={device}", "-o", f"{path}-y.npy"]
    done = subprocess.run(args, capture_output=True, text=True)
    what = f"average {number} of {len(x)} values, --{option} {size}"
    if done.returncode:
        return "average", 0, f"{what}: {done.stderr}"
    expected = signal.lfilter([weight], [1, weight - 1], x, zi=(1 - weight) * x[:1])[0] if len(x) else x
    close = np.allclose(np.load(f"{path}-y.npy"), expected, rtol=0, atol=1e-12)
    return "average", 0, None if close else f"{what}: is not the average"


def main():
    program = sys.argv[1]
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    filters = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    if device != "cpu":
        # Each run of the program takes long to start.
        filters //= 7
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda number: check(program, device, folder, number), range(filters)))
        done += list(pool.map(lambda number: average(program, device, folder, number), range(max(filters // 20, 4))))
    wrong = [line for *_, line in done if line]
    for kind in KINDS:
        ratios = [ratio for of, ratio, _ in done if of == kind]
        if ratios:
            print(f"{kind}: {len(ratios)} filters, errors are at most {max(ratios):.2f} times SciPy's, {np.median(ratios):.2f} in the median")
    print("\n".join(wrong[:40]))
    print(f"{len(done)} cases on {device} against SciPy: {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


main()
