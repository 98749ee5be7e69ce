"""The polynomials of crates/upsweep-core/src/operator/arith/math: minimax, by Remez' exchange algorithm in 60 digits.

    python3 coefficients.py        # needs mpmath, from PyPI; prints Rust constants, each with its error

Each row says what is approximated, on which interval, by which degree, and the weight of its error: the weight makes it
the error of the function's value, relative to the value where that goes to 0.
"""

from mpmath import mp, mpf, atan, atanh, cbrt, cos, exp, log, lu_solve, matrix, pi, sin, sqrt

mp.dps = 60
LN2 = log(2)


def series(f, at_zero):
    """f where it is not too small to divide by, and its series around 0."""
    return lambda x: f(x) if abs(x) > mpf(10) ** -8 else sum(c * x**i for i, c in enumerate(at_zero))


exp_tail = series(lambda r: (exp(r) - 1 - r) / r**2, [1 / mpf(2), 1 / mpf(6), 1 / mpf(24)])
power_tail = series(lambda r: (exp(r) - 1) / r, [mpf(1), 1 / mpf(2), 1 / mpf(6)])
exp2_tail = series(lambda r: (2**r - 1) / r, [LN2, LN2**2 / 2, LN2**3 / 6])
log_tail = series(lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z, [2 / mpf(3), 2 / mpf(5), 2 / mpf(7)])
log_tail_long = series(lambda z: (atanh(sqrt(z)) / sqrt(z) - 1 - z / 3) / z**2, [1 / mpf(5), 1 / mpf(7), 1 / mpf(9)])
sin_tail = series(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, [-1 / mpf(6), 1 / mpf(120), -1 / mpf(5040)])
cos_tail = series(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, [1 / mpf(24), -1 / mpf(720), 1 / mpf(40320)])
atan_tail = series(lambda z: (1 - atan(sqrt(z)) / sqrt(z)) / z, [1 / mpf(3), -1 / mpf(5), 1 / mpf(7)])

R = LN2 / 2 * mpf("1.0001")  # |r| <= ln 2 / 2
Z_LOG = (3 - 2 * sqrt(2)) ** 2 * mpf("1.0001")  # s = f / (2 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1]
Z_TRIG = (pi / 4) ** 2 * mpf("1.0001")
POLYNOMIALS = [
    ("ExpTail", exp_tail, -R, R, 9, lambda r: r**2),
    ("ExpTailShort", exp_tail, -R, R, 5, lambda r: r**2),
    ("power_of_rest_single", power_tail, -R, R, 4, lambda r: r / exp(r)),
    ("Exp2Tail", exp2_tail, -mpf("0.5001"), mpf("0.5001"), 10, lambda r: r),
    ("Exp2TailShort", exp2_tail, -mpf("0.5001"), mpf("0.5001"), 6, lambda r: r),
    ("LogTail", log_tail, mpf(0), Z_LOG, 6, lambda z: z / 2),
    ("LogTailShort", log_tail, mpf(0), Z_LOG, 3, lambda z: z / 2),
    ("LogTailLong", log_tail_long, mpf(0), Z_LOG, 7, lambda z: z**2),
    ("SinTail", sin_tail, mpf(0), Z_TRIG, 5, lambda z: z),
    ("SinTailShort", sin_tail, mpf(0), Z_TRIG, 3, lambda z: z),
    ("CosTail", cos_tail, mpf(0), Z_TRIG, 5, lambda z: z**2),
    ("CosTailShort", cos_tail, mpf(0), Z_TRIG, 2, lambda z: z**2),
    ("AtanTail", atan_tail, mpf(0), mpf("0.3601"), 13, lambda z: z),
    ("AtanTailShort", atan_tail, mpf(0), mpf("0.3601"), 7, lambda z: z),
    ("CbrtStart", cbrt, mpf(1), mpf(2), 4, lambda m: 1 / cbrt(m)),
]


def remez(f, low, high, degree, weight):
    """The coefficients, the lowest first, for which the largest weight * |polynomial - f| is smallest; and that error."""
    n = degree + 2
    scale = lambda x: max(abs(weight(x)), mpf("1e-6"))  # not 0, for it divides
    points = [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    grid = [low + (high - low) * (1 - cos(pi * i / (20 * n))) / 2 for i in range(20 * n + 1)]
    values = {x: f(x) for x in grid}
    for _ in range(12):
        rows = [[x**j for j in range(degree + 1)] + [(-1) ** i / scale(x)] for i, x in enumerate(points)]
        solved = lu_solve(matrix(rows), matrix([f(x) for x in points]))
        coefficients = list(solved[: degree + 1])
        error = lambda x: scale(x) * (sum(c * x**j for j, c in enumerate(coefficients)) - values[x])
        # The extremes of the error between its changes of sign.
        extremes = []
        for x in grid:
            e = error(x)
            if e == 0:
                continue
            if extremes and (extremes[-1][1] > 0) == (e > 0):
                if abs(e) > abs(extremes[-1][1]):
                    extremes[-1] = (x, e)
            else:
                extremes.append((x, e))
        while len(extremes) > n:
            extremes.pop(0 if abs(extremes[0][1]) < abs(extremes[-1][1]) else -1)
        if len(extremes) < n:
            break
        worst = max(abs(e) for _, e in extremes)
        if worst < abs(solved[degree + 1]) * mpf("1.02"):
            break
        points = [x for x, _ in extremes]
    return coefficients, max(abs(error(x)) for x in grid)


if __name__ == "__main__":
    for name, f, low, high, degree, weight in POLYNOMIALS:
        coefficients, error = remez(f, low, high, degree, weight)
        print(f"    /// Error 2^{float(log(error, 2)):.1f}.")
        print(f"    {name} = [{', '.join(repr(float(c)) for c in coefficients)}];")
