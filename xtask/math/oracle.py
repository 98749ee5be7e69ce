"""Values of the mathematical functions for crates/upsweep/tests/operators/math/table.rs, by mpmath in 1500 bits.

    python3 oracle.py > ../../crates/upsweep/tests/operators/math/table.txt        # needs mpmath, from PyPI

A line has the function, the bits of its one or two f64, the bits of the nearest f64 to the value, and by how many
thousandths of a unit in the last place the value is more than that.
"""

import random
import struct

from mpmath import mp, mpf, atan, atan2, cbrt, cos, exp, expm1, floor, frexp, ldexp, log, sin, sqrt, tan, tanh

mp.prec = 1500
random.seed(1)


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def float_of(b):
    return struct.unpack("<d", struct.pack("<Q", b & 0xFFFFFFFFFFFFFFFF))[0]


def near(x):
    """A float a little beside x."""
    return float_of(bits(x) + random.choice([0, 1, -1, 2, -2, 3, random.getrandbits(20), random.getrandbits(45)]))


def spread(low, high):
    """Any sign, the exponent evenly between two."""
    return random.choice([-1, 1]) * (1 + random.random()) * 2.0 ** random.randint(low, high)


def angle():
    # The float of 53 bits that is nearest to a multiple of pi/2, relative to its distance; then others near multiples.
    worst = 6381956970095103 * 2.0**797
    multiple = float(mp.pi / 2 * random.getrandbits(random.randint(1, 60)))
    return random.choice([worst, -worst, multiple, near(multiple), spread(-40, 20), spread(20, 1023), spread(-1022, -30)])


def exponent(limit):
    x = random.uniform(-limit, limit)
    return random.choice([x, x, near(limit - 36 if x > 0 else -limit), near(0.34657359028), near(1.03972077), spread(-60, 5), spread(-1070, -50)])


def positive():
    return random.choice([abs(spread(-1074, 1023)), near(1.0), near(2.0**0.5), near(0.5**0.5), abs(spread(-3, 3)), abs(spread(-1074, -1023))])


def above_minus_one():
    return random.choice([spread(-60, -2), near(-0.2928), near(0.4142), near(1.0), abs(spread(-3, 1023)), -1 + 2.0 ** -random.uniform(1, 50), spread(-1074, -1000)])


def near_power():
    """A base and an exponent whose power is about as large as floats go, or anything."""
    x = positive()
    if x == 1:
        x = 2.0
    y = float(random.uniform(-745, 709) / log(mpf(x)))
    return (x, y if random.random() < 0.7 else random.uniform(-20, 20))


def pair():
    x = spread(-1074, 1023)
    return random.choice([(x, x * random.uniform(0.01, 100)), (spread(-5, 5), spread(-5, 5)), (x, spread(-1074, 1023)), (near(0.6), 1.0), (1.0, near(1.0))])


FUNCTIONS = {
    "exp": (exp, lambda: (exponent(745.0),)),
    "exp2": (lambda x: mpf(2) ** x, lambda: (exponent(1074.0),)),
    "exp_m1": (expm1, lambda: (exponent(709.0),)),
    "tanh": (tanh, lambda: (exponent(22.0),)),
    "ln": (log, lambda: (positive(),)),
    "log2": (lambda x: log(x) / log(mpf(2)), lambda: (positive(),)),
    "ln_1p": (lambda x: log(1 + x), lambda: (above_minus_one(),)),
    "sin": (sin, lambda: (angle(),)),
    "cos": (cos, lambda: (angle(),)),
    "tan": (tan, lambda: (angle(),)),
    "atan": (atan, lambda: (random.choice([spread(-5, 5), near(0.6), near(1 / 0.6), near(1.0), spread(-1074, 1023)]),)),
    "cbrt": (lambda x: cbrt(x) if x > 0 else -cbrt(-x), lambda: (random.choice([-1, 1]) * positive(),)),
    "atan2": (atan2, pair),
    "powf": (lambda x, y: x**y, near_power),
    "hypot": (lambda x, y: sqrt(x * x + y * y), pair),
}


def rounded(value):
    """The nearest float, ties aside, and the rest in thousandths of the float's unit in the last place."""
    if value == 0:
        return 0.0, 0
    exponent = max(int(frexp(abs(value))[1]) - 53, -1074)
    units = ldexp(value, -exponent)
    whole = floor(units + mpf(1) / 2)
    return float(ldexp(whole, exponent)), int(floor((units - whole) * 1000 + mpf(1) / 2))


if __name__ == "__main__":
    for name, (function, arguments) in FUNCTIONS.items():
        count = 0
        while count < 100:
            given = arguments()
            value = function(*(mpf(x) for x in given))
            if abs(value) >= mpf(2) ** 1024 * (1 - mpf(2) ** -54) or abs(value) < mpf(2) ** -1074:
                continue
            result, rest = rounded(value)
            print(name, *(f"{bits(x):016x}" for x in given), f"{bits(result):016x}", rest)
            count += 1
