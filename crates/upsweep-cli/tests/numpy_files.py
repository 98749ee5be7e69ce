"""Compares scan, reduce, select, sort, histogram, unique and runs of files with NumPy: 200 files drawn at random, as NumPy, SciPy and
scikit-image write them.

    numpy_files.py UPSWEEP [DEVICE [FILES]]

Files are .npy of every type, in both orders of bytes and of axes, .npz, raw, compressed ones of these, sound (.wav) of every kind, and
pictures (.png, .pgm, .tif). Sums of floats may differ by roundings; all else has to be the same.
"""

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
import wave
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tifffile
from scipy.io import wavfile
from skimage import io

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
LENGTHS = [1, 2, 7, 100, 1000, 70_000, 300_000]
ARRAYS = ["npy", "npz", "raw", "npy.gz", "npy.zst", "raw.gz", "raw.zst"]
PICTURES = ["png", "pgm", "tif"]
OPERATORS = {"sum": np.cumsum, "max": np.maximum.accumulate, "min": np.minimum.accumulate}


def name_of(kind):
    return "bool" if kind == "?" else f"{kind[0]}{8 * int(kind[1])}"


def values(random, kind, count):
    if kind == "?":
        return random.random(count) < 0.3
    if kind[0] == "f":
        return np.round(random.normal(0, 20, count), random.integers(0, 3)).astype(kind)
    limits = np.iinfo(kind)
    # Sums of 64 bits fit.
    most = min(int(limits.max), (1 << 62) // count)
    return random.integers(max(int(limits.min), -most), most, count, dtype=kind, endpoint=True)


class Case:
    def __init__(self, program, device, folder, number):
        self.program, self.device, self.number = program, device, number
        self.random = np.random.default_rng(number)
        self.folder = os.path.join(folder, str(number))
        os.mkdir(self.folder)
        self.compared, self.wrong = 0, []

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments, device=True):
        on = ["--device", self.device] if device else []
        done = subprocess.run([self.program, *map(str, arguments), *on], capture_output=True, text=True, cwd=self.folder)
        if done.returncode != 0:
            self.wrong.append(f"{self.number}: {arguments}: {done.stderr}")
            return None
        return done.stdout

    def expect(self, what, found, expected, exact=True):
        """Compares arrays, or texts as lists of numbers."""
        self.compared += 1
        if found is None:
            return
        expected = np.asarray(expected)
        if isinstance(found, str):
            found = np.array(found.split(), object)
            found = np.array([convert(x, expected.dtype) for x in found], expected.dtype)
        found = found.reshape(-1)
        expected = expected.reshape(-1)
        same = found.dtype == expected.dtype and found.shape == expected.shape
        if same and exact:
            same = np.array_equal(found, expected, equal_nan=expected.dtype.kind == "f")
        elif same:
            scale = np.abs(expected.astype(float)).max(initial=1)
            same = np.allclose(found.astype(float), expected.astype(float), rtol=0, atol=1e-3 * scale if expected.dtype == "f2" else 1e-5 * scale, equal_nan=True)
        if not same:
            self.wrong.append(f"{self.number}: {what}: {found[:8]} {found.dtype} instead of {expected[:8]} {expected.dtype}")

    def array(self, form):
        """Writes an array, and returns the name of its file, the options that tell its type, and its values in C order."""
        random = self.random
        kind, count = str(random.choice(TYPES)), int(random.choice(LENGTHS))
        x = values(random, kind, count)
        if form.startswith("raw"):
            ending = name_of(kind) if random.random() < 0.5 else "bin"
            name, options = f"x.{ending}", ["--type", name_of(kind)] if ending == "bin" else []
            x.tofile(self.path(name))
        else:
            shape = [[count]] + [[d, count // d] for d in (2, 7, 100) if count % d == 0]
            y = x.reshape(shape[random.integers(len(shape))])
            if random.random() < 0.3:
                y = np.asfortranarray(y)
            if random.random() < 0.3:
                y = y.astype(y.dtype.newbyteorder(">"))
            name, options = "x.npy", []
            if form == "npz":
                save, name = (np.savez if random.random() < 0.5 else np.savez_compressed), "x.npz"
                others = {"other": np.zeros(3)} if random.random() < 0.5 else {}
                save(self.path(name), it=y, **others)
                options = ["--array", "it"] if others else []
            else:
                np.save(self.path(name), y)
        if form.endswith(".gz"):
            with open(self.path(name), "rb") as plain, gzip.open(self.path(name + ".gz"), "wb", int(random.integers(1, 10))) as packed:
                packed.write(plain.read())
            name += ".gz"
        if form.endswith(".zst"):
            subprocess.run(["zstd", "-q", f"-{random.integers(1, 12)}", self.path(name)], check=True)
            name += ".zst"
        return name, options, x

    def arrays(self, form):
        name, options, x = self.array(form)
        random, kind = self.random, x.dtype.kind
        is_float = kind == "f"
        out = ["y.npy", "-"][int(random.random() < 0.2)]

        def to(*arguments):
            said = self.run(*arguments, *options, "-o", "y.npy")
            return None if said is None else np.load(self.path("y.npy"))

        operators = ["sum"] if kind == "b" else list(OPERATORS)
        operator = str(random.choice(operators))
        # Sums of integers have 64 bits, those of floats their own type.
        sums = {"b": np.int64, "i": np.int64, "u": np.uint64}.get(kind, x.dtype.type)
        with np.errstate(over="ignore"):
            wide = x.astype(np.float64).cumsum().astype(x.dtype) if is_float else x.astype(sums).cumsum(dtype=sums)
            expected = wide if operator == "sum" else OPERATORS[operator](x)
        self.expect(f"scan {operator} of {form} {x.dtype}", to("scan", name, "--op", operator), expected, not is_float or operator != "sum")
        total = wide[-1:] if operator == "sum" else expected[-1:]
        found = self.run("reduce", name, "--op", operator, *options)
        self.expect(f"reduce {operator} of {form} {x.dtype}", found, total, not is_float or operator != "sum")
        if kind == "b":
            condition, chosen = "x", x
        else:
            edge = x[random.integers(len(x))].item()
            condition, chosen = f"x > {edge}", x > x.dtype.type(edge)
        self.expect(f"select of {form} {x.dtype}", to("select", name, "--where", condition), x[chosen])
        self.expect(f"indices of {form} {x.dtype}", to("select", name, "--where", condition, "--indices"), np.flatnonzero(chosen).astype(np.uint64))
        # NumPy 2.4.6 sorts long arrays of float16 wrongly on some processors: its results descend in places.
        sortable = x.astype(np.float32) if kind == "f" and x.itemsize == 2 else x
        self.expect(f"sort of {form} {x.dtype}", to("sort", name), np.sort(sortable).astype(x.dtype))
        distinct, counts = np.unique(sortable, return_counts=True)
        distinct = distinct.astype(x.dtype)
        self.expect(f"unique of {form} {x.dtype}", to("unique", name, "--counts", "n.npy"), distinct)
        self.expect(f"counts of {form} {x.dtype}", np.load(self.path("n.npy")), counts.astype(np.uint64))
        begins = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]]))
        self.expect(f"runs of {form} {x.dtype}", to("runs", name, "--lengths", "n.npy"), x[begins])
        self.expect(f"lengths of {form} {x.dtype}", np.load(self.path("n.npy")), np.diff(np.append(begins, len(x))).astype(np.uint64))
        bins = int(random.integers(1, 40))
        low, high = (0, 2) if kind == "b" else sorted([float(x.min()), float(x.max())])
        if kind == "b" or 0 < high - low < 1e15:
            expected = np.histogram(x.astype(np.uint8) if kind == "b" else x, bins, (low, high))[0].astype(np.uint64)
            self.expect(f"histogram of {form} {x.dtype}", to("histogram", name, "--bins", bins, "--range", low, high), expected)

    def sound(self):
        random, path = self.random, self.path("x.wav")
        kind = str(random.choice(["u1", "i2", "i3", "i4", "f4", "f8"]))
        shape = [int(random.choice([1, 100, 5000])), int(random.integers(1, 4))]
        if kind == "i3":
            samples = random.integers(-(1 << 23), 1 << 23, shape)
            with wave.open(path, "wb") as file:
                file.setnchannels(shape[1])
                file.setsampwidth(3)
                file.setframerate(8000)
                file.writeframes(samples.astype("<i4").reshape(-1, 1).view("u1")[:, :3].tobytes())
            expected = samples / float(1 << 23)
        else:
            samples = random.uniform(-1, 1, shape).astype(kind) if kind[0] == "f" else random.integers(*limits(kind), shape, dtype=kind)
            wavfile.write(path, 8000, samples if shape[1] > 1 else samples[:, 0])
            half = {"u1": 128.0, "i2": 32768.0, "i4": 2147483648.0}.get(kind, 1.0)
            expected = (samples.astype(np.float64) - (128 if kind == "u1" else 0)) / half
        if self.run("signal", "filter", "x.wav", "--b", 1, "-o", "y.npy") is not None:
            found = np.load(self.path("y.npy"))
            # The samples of 24 bits are exact in f32.
            self.expect(f"sound of {kind}", found.astype(np.float64), expected, True)

    def picture(self, form):
        random = self.random
        kind = str(random.choice(["u1", "u2"] if form != "tif" else ["u1", "u2", "i2", "f4", "f8"]))
        rows, columns = (int(n) for n in random.integers(2, 90, 2))
        x = random.uniform(0, 200, (rows, columns)).astype(kind)
        if kind == "u2":
            x *= 300
        name = f"x.{form}"
        if form == "tif":
            np.save(self.path("x.npy"), x)
            packed = [None, "zlib"][random.integers(2)]
            tifffile.imwrite(self.path(name), x, compression=packed, byteorder=str(random.choice(["<", ">"])))
            shaded = [self.run("terrain", "shade", file, "-o", out) for file, out in ((name, "y.npy"), ("x.npy", "z.npy"))]
            if None not in shaded:
                self.expect(f"terrain of {form} {kind}", np.load(self.path("y.npy")), np.load(self.path("z.npy")))
            return
        if form == "png":
            io.imsave(self.path(name), x, check_contrast=False)
        else:
            white = 255 if kind == "u1" else 65535
            with open(self.path(name), "wb") as file:
                file.write(f"P5\n{columns} {rows}\n{white}\n".encode() + x.astype(f">{kind}").tobytes())
        if self.run("image", "integral", name, "-o", "y.npy") is not None:
            sums = np.zeros((rows + 1, columns + 1), np.uint64)
            sums[1:, 1:] = x.astype(np.uint64).cumsum(0).cumsum(1)
            self.expect(f"sums of {form} {kind}", np.load(self.path("y.npy")), sums)

    def all(self):
        forms = [form for form in ARRAYS if not form.endswith("zst") or shutil.which("zstd")]
        forms = forms * 3 + ["wav"] * 3 + PICTURES
        form = forms[self.number % len(forms)]
        if form == "wav":
            self.sound()
        elif form in PICTURES:
            self.picture(form)
        else:
            self.arrays(form)
        shutil.rmtree(self.folder)
        return self.compared, self.wrong


def limits(kind):
    of = np.iinfo(kind)
    return int(of.min), int(of.max)


def convert(text, kind):
    if kind.kind == "b":
        return text == "true"
    return float(text) if kind.kind == "f" else int(text)


def main():
    program = sys.argv[1]
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    files = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda number: Case(program, device, folder, number).all(), range(files)))
    wrong = [line for _, lines in done for line in lines]
    print("\n".join(wrong[:40]))
    print(f"{sum(compared for compared, _ in done)} results of {files} files on {device} against NumPy {np.__version__}: {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


main()
