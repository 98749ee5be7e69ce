"""Compares `upsweep image` with OpenCV, scikit-image and SciPy on random images.

    numpy_pictures.py UPSWEEP [DEVICE [IMAGES]]

Tables of sums of whole numbers and equalised images have to be the same. Floats may differ by roundings, and a Gaussian blur by what the
documentation says of its weights. Where a library makes up pixels beyond the borders, and upsweep does not, what is farther inside is
compared.
"""

import os
import subprocess
import sys
import tempfile

import cv2
import numpy as np
from scipy import ndimage
from skimage import filters, transform

RANGE = {"u1": 255, "u2": 65535, "f4": 1.0, "f8": 1.0}


def picture(random):
    """Light that varies, spots and noise."""
    rows, columns = (int(x) for x in random.integers(1, 130, 2))
    if random.random() < 0.2:
        rows, columns = rows * 7, columns * 7
    kind = ["u1", "u2", "f4", "f8"][random.integers(4)]
    light = np.add.outer(np.linspace(0, random.random(), rows), np.linspace(0, random.random(), columns)) / 2
    x = light * random.random((rows, columns)) ** random.choice([0.2, 1, 5])
    if random.random() < 0.1:
        x[:] = x.flat[0]
    return (x * RANGE[kind]).astype(kind)


def run(program, device, folder, image, *arguments):
    given, made = os.path.join(folder, "x.npy"), os.path.join(folder, "y.npy")
    np.save(given, image)
    command = [program, "image", *map(str, arguments), "--device", device, given, "-o", made]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, (command, ended.stderr)
    return np.load(made)


def around(image, radius):
    """Sums and numbers of the pixels around each, of those in the image."""
    size, options = (2 * radius + 1,) * 2, {"normalize": False, "borderType": cv2.BORDER_CONSTANT}
    number = cv2.boxFilter(np.ones(image.shape), cv2.CV_64F, size, **options)
    return cv2.boxFilter(image.astype(np.float64), cv2.CV_64F, size, **options), number


def integral(random, image, upsweep):
    table = upsweep(image, "integral")
    theirs = cv2.integral(image.astype(np.float64), sdepth=cv2.CV_64F)
    limit = 0 if image.dtype.kind == "u" else 1e-12 * max(1, theirs[-1, -1])
    inside = transform.integral_image(image.astype(np.float64))
    return max(np.abs(table - theirs).max(), np.abs(table[1:, 1:] - inside).max()), limit


def box(random, image, upsweep):
    radius = int(random.integers(0, 60))
    sums, number = around(image, radius)
    made = upsweep(image, "blur", "--radius", radius)
    limit = {"u": 0.5, "f": 2e-7 if image.itemsize == 4 else 1e-13}[image.dtype.kind]
    return np.abs(made - sums / number).max(), limit * (1 + 1e-9)


def gaussian(random, image, upsweep):
    sigma = round(float(random.uniform(1, 12)), 2)
    # Mirrors of more than the whole image are another matter.
    image = np.tile(image, [1 + int(6 * sigma) // size for size in image.shape])
    theirs = ndimage.gaussian_filter(image.astype(np.float64), sigma, mode="mirror", truncate=6)
    made = upsweep(image, "blur", "--sigma", sigma).astype(np.float64)
    # The weights' errors add up to less than this share of the range, along both axes.
    shares = np.interp(sigma, [1, 1.5, 2, 3], [0.017, 0.0062, 0.0023, 0.0011])
    inside = [slice(min(size // 2, int(6 * sigma)), max(size // 2 + 1, size - int(6 * sigma))) for size in image.shape]
    rounded = 0.5 if image.dtype.kind == "u" else 0
    return np.abs(made - theirs)[tuple(inside)].max(), 4 * shares * float(np.ptp(image.astype(np.float64))) + rounded + 1e-6 * RANGE[image.dtype.str[1:]]


def threshold(random, image, upsweep):
    radius, white = int(random.integers(1, 20)), RANGE[image.dtype.str[1:]]
    offset = round(float(random.uniform(-0.1, 0.1)) * white, 3)
    made = upsweep(image, "threshold", "--radius", radius, "--offset", offset)
    x = image.astype(np.float64)
    theirs = filters.threshold_local(x, 2 * radius + 1, method="mean", offset=offset, mode="constant", cval=0)
    sums, number = around(image, radius)
    everywhere = sums / number - offset
    inner = number == number.max() if number.max() == (2 * radius + 1) ** 2 else np.zeros(number.shape, bool)
    near = np.abs(x - everywhere) < 1e-6 * white
    wrong = ((made == 255) != (x > everywhere)) & ~near
    wrong |= inner & ~near & ((made == 255) != (x > theirs))
    return wrong.sum() + (~np.isin(made, [0, 255])).sum(), 0


def sauvola(random, image, upsweep):
    radius, k, white = int(random.integers(1, 20)), round(float(random.uniform(0.1, 0.5)), 3), RANGE[image.dtype.str[1:]]
    made = upsweep(image, "threshold", "--radius", radius, "--sauvola", k)
    x = image.astype(np.float64)
    theirs = filters.threshold_sauvola(x, 2 * radius + 1, k, white / 2)
    inner = np.zeros(x.shape, bool)
    inner[radius : x.shape[0] - radius, radius : x.shape[1] - radius] = True
    return (inner & (np.abs(x - theirs) > 1e-6 * white) & ((made == 255) != (x > theirs))).sum(), 0


def equalise(random, image, upsweep):
    image = (image.astype(np.float64) / RANGE[image.dtype.str[1:]] * 255).astype(np.uint8)
    made, theirs = upsweep(image, "equalise").astype(np.float64), cv2.equalizeHist(image)
    below = np.cumsum(np.bincount(image.ravel(), minlength=256))[image]
    first = below.min()
    # Halves are rounded up, by OpenCV after an error of f32.
    exact = image if first == image.size else np.floor(255 * (below - first) / (image.size - first) + 0.5)
    return np.abs(made - exact).max() + max(0, np.abs(made - theirs).max() - 1), 0


def main():
    program, device = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "auto"
    images = int(sys.argv[3]) if len(sys.argv) > 3 else 140
    checks, wrong = [integral, box, gaussian, threshold, sauvola, equalise], 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(images):
            random = np.random.default_rng(seed)
            image, check = picture(random), checks[seed % len(checks)]
            error, limit = check(random, image, lambda image, *arguments: run(program, device, folder, image, *arguments))
            if not error <= limit:
                wrong += 1
                print(f"{seed}: {check.__name__} of {image.shape} {image.dtype}: {error} instead of at most {limit}")
    print(f"{images} images, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
