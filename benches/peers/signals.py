"""Filters, sums over areas and mipmaps by SciPy, OpenCV, PyTorch and CuPy: rows for python.py. Each is compared with NumPy before it is timed."""

import sys

from timing import BYTES, SMOKE, on_host, row, version

# Pixels around a pixel that a blur takes the mean of, on each side.
RADIUS = 50


def same(what, found, expected, most=0.0):
    """Fails where results differ from those of NumPy by more than a share of the largest: then another thing would be timed."""
    import numpy as np

    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    difference = np.abs(found - expected).max() if found.shape == expected.shape else np.nan
    if not difference <= most * np.abs(expected).max():
        raise ValueError(f"{what}: {found.shape} differs from {expected.shape} by {difference}")


def recurrence(b, a, x):
    """The loop in f64: `scipy.signal.lfilter`."""
    import numpy as np

    b, a, x = (np.asarray(values, np.float64) for values in (b, a, x))
    y = np.zeros(len(x))
    for i in range(len(x)):
        before = min(i, len(a) - 1)
        fed = b[: min(i, len(b) - 1) + 1] @ x[i : i - len(b) if i >= len(b) else None : -1]
        y[i] = fed - a[1 : before + 1] @ y[i - before : i][::-1]
    return y


def box_mean(x):
    """The mean around each pixel, of the pixels in the image."""
    import numpy as np

    table = np.zeros((x.shape[0] + 1, x.shape[1] + 1))
    table[1:, 1:] = x.astype(np.float64).cumsum(0).cumsum(1)
    begins, ends = ([np.clip(np.arange(n) + by, 0, n) for n in x.shape] for by in (-RADIUS, RADIUS + 1))
    sums = table[np.ix_(*ends)] - table[np.ix_(begins[0], ends[1])] - table[np.ix_(ends[0], begins[1])] + table[np.ix_(*begins)]
    return sums / np.outer(ends[0] - begins[0], ends[1] - begins[1])


def inside(x):
    """Pixels that are far from the border: what is beyond it differs from library to library."""
    return x[RADIUS:-RADIUS, RADIUS:-RADIUS]


def one_core_rows():
    """SciPy's filters with the coefficients of benches/src/bin/cpu/main.rs, and sums over areas by NumPy."""
    import numpy as np
    import scipy
    from scipy.signal import lfilter

    version(np)
    version(scipy)
    orders = [("f32", order) for order in [1, 2, 4, 8]] + [("f64", 2)]
    for log2n in [16] if SMOKE else [20, 26]:
        for kind, order in orders:
            dtype = {"f32": np.float32, "f64": np.float64}[kind]
            x = np.random.default_rng(1).integers(-8, 8, 1 << log2n).astype(dtype)
            out, moved = np.empty_like(x), 2 * x.nbytes
            b, a = np.full(order + 1, 0.25, dtype), np.poly([0.5 + 0.4 * (k + 1) / order for k in range(order)]).astype(dtype)
            # In f64: poles that lie close to each other multiply the rounding.
            wide = [values.astype(np.float64) for values in (b, a, x[:5000])]
            same(f"lfilter {order}", lfilter(*wide), recurrence(*wide), 1e-6)
            copy = on_host(lambda: np.copyto(out, x))
            row("scipy", f"recurrence_{order}", kind, log2n, on_host(lambda: lfilter(b, a, x)), moved, copy, moved)
            if (kind, order) == ("f32", 2):
                lines = x.reshape(-1, 1024)
                micros = on_host(lambda: lfilter(b, a, lines))
                row("scipy", "recurrence_2_rows_of_1024", kind, log2n, micros, moved, copy, moved)
        side = 1 << log2n // 2
        x = np.random.default_rng(1).integers(-8, 8, (side, side)).astype(np.float32)
        out, moved = np.empty_like(x), 2 * x.nbytes
        copy = on_host(lambda: np.copyto(out, x))
        micros = on_host(lambda: np.cumsum(np.cumsum(x, 1, out=out), 0, out=out))
        row("numpy", "two_axes", "f32", log2n, micros, moved, copy, moved)


def opencv_rows():
    """A table of sums and a box blur, each by one thread."""
    import cv2
    import numpy as np

    version(cv2)
    cv2.setNumThreads(1)
    square = (2 * RADIUS + 1, 2 * RADIUS + 1)
    integral = lambda x, out: cv2.integral(x, out, cv2.CV_32F)
    blur = lambda x, out: cv2.boxFilter(x, -1, square, out, borderType=cv2.BORDER_CONSTANT)
    for log2n in [16] if SMOKE else [20, 26]:
        side = 1 << log2n // 2
        x = np.random.default_rng(1).integers(-8, 8, (side, side)).astype(np.float32)
        out, table, moved = np.empty_like(x), np.empty((side + 1, side + 1), np.float32), 2 * x.nbytes
        # Of whole numbers sums of so many are exact.
        few = np.ascontiguousarray(x[:200, :200])
        same("integral", integral(few, None)[1:, 1:], few.astype(np.float64).cumsum(0).cumsum(1))
        same("boxFilter", inside(blur(x, out)), inside(box_mean(x)), 1e-5)
        copy = on_host(lambda: np.copyto(out, x))
        row("opencv", "two_axes", "f32", log2n, on_host(lambda: integral(x, table)), moved, copy, moved)
        row("opencv", f"box_blur_{RADIUS}", "f32", log2n, on_host(lambda: blur(x, out)), moved, copy, moved)


def images_rows(torch, median, device):
    """The work of benches/src/bin/gpu/axes.rs: sums over two axes, a box blur, mipmaps."""
    import numpy as np

    pool = torch.nn.functional.avg_pool2d
    # What is more than 31 bits is lost, and what is left is the same as of unsigned numbers.
    types = {"u8": torch.uint8, "u32": torch.int32, "f32": torch.float32, "f64": torch.float64}

    def table(x, kind):
        return torch.cumsum(torch.cumsum(x, 1, dtype=types[kind]), 0, dtype=types[kind])

    def blur(x):
        """Along one axis and then along the other: means of means, which all are of as many pixels."""
        lines = {"stride": 1, "count_include_pad": False}
        along = pool(x[None, None], (1, 2 * RADIUS + 1), padding=(0, RADIUS), **lines)
        return pool(along, (2 * RADIUS + 1, 1), padding=(RADIUS, 0), **lines)[0, 0]

    def mipmap(x):
        """Of planes of floats. The first level is a copy, as upsweep's."""
        levels = [x.clone()]
        while levels[-1].shape[-1] > 1:
            levels.append(pool(levels[-1], 2))
        return levels

    def mipmap_of_bytes(x):
        """Of interleaved bytes: rounded at each level, but not for the next one. There are means of floats alone; of f16, which are faster than f32."""
        levels, means = [x.clone()], x.permute(2, 0, 1)[None].half()
        while means.shape[-1] > 1:
            means = pool(means, 2)
            levels.append((means + 0.5).to(torch.uint8)[0].permute(1, 2, 0))
        return levels

    def halved(x):
        """The next level of planes."""
        return (x[..., ::2, ::2] + x[..., ::2, 1::2] + x[..., 1::2, ::2] + x[..., 1::2, 1::2]) / 4

    def random(kind, *shape):
        return torch.randint(0 if kind == "u8" else -8, 256 if kind == "u8" else 8, shape, device=device, dtype=torch.int16).to(types[kind])

    for kind, sums in [("f32", "f32"), ("u8", "u32"), ("f32", "f64")]:
        x = random(kind, 300, 200)
        same("cumsum", table(x, sums).cpu(), x.cpu().numpy().astype(np.float64).cumsum(0).cumsum(1))
    x = random("f32", 300, 200)
    same("avg_pool2d along two axes", blur(x).cpu(), box_mean(x.cpu().numpy()), 1e-5)
    x = random("u8", 4, 64, 64)
    planes, pixels, expected = mipmap(x.float()), mipmap_of_bytes(x.permute(1, 2, 0).contiguous()), x.cpu().numpy().astype(np.float64)
    for level, pixels_of_level in zip(planes, pixels, strict=True):
        same("avg_pool2d of planes", level.cpu(), expected, 1e-6)
        # Half a step by rounding to bytes, and what f16 rounds.
        same("avg_pool2d of bytes", pixels_of_level.permute(2, 0, 1).cpu(), expected, 0.75 / expected.max())
        expected = halved(expected) if level.shape[-1] > 1 else expected
    for side in [256] if SMOKE else [1024, 16384]:
        log2n = 2 * (side.bit_length() - 1)
        for kind, sums in [("f32", "f32"), ("u8", "u32"), ("f32", "f64")]:
            x = random(kind, side, side)
            out = torch.empty_like(x, dtype=types[sums])
            copied = 2 * BYTES[sums] * side**2
            like = torch.empty_like(out)
            copy = median(lambda: out.copy_(like))
            moved = (BYTES[kind] + BYTES[sums]) * side**2
            row("torch", f"axes_{side}_from_{kind}", sums, log2n, median(lambda: table(x, sums)), moved, copy, copied)
            if (kind, sums) == ("f32", "f32"):
                row("torch", f"box_blur_{side}", "f32", log2n, median(lambda: blur(x)), moved, copy, copied)
            del x, out, like
        pixels = sum(4 * (side >> level) ** 2 for level in range(side.bit_length()))
        x = random("u8", side, side, 4)
        out, n = torch.empty_like(x), 4 * side**2
        copy = median(lambda: out.copy_(x))
        row("torch", f"mipmap_rgba_{side}", "u8", log2n + 2, median(lambda: mipmap_of_bytes(x)), n + pixels, copy, 2 * n)
        del out
        x = x.permute(2, 0, 1).contiguous().float()
        out = torch.empty_like(x)
        copy = median(lambda: out.copy_(x))
        row("torch", f"mipmap_rgba_{side}", "f32", log2n + 2, median(lambda: mipmap(x)), 4 * (n + pixels), copy, 8 * n)
        del x, out


def filters_rows(cp, median):
    """Recurrences with the coefficients of benches/src/bin/gpu/recurrence.rs, and a box blur."""
    import numpy as np
    from cupyx.scipy.ndimage import uniform_filter
    from cupyx.scipy.signal import lfilter, sosfilt

    def poles(order):
        a = np.ones(1)
        for pair in range(order // 2):
            r, angle = 0.85 - 0.03 * pair, 0.3 + 0.35 * pair
            a = np.convolve(a, [1.0, -2.0 * r * np.cos(angle), r * r])
        return np.convolve(a, [1.0, -0.9]) if order % 2 else a

    def first(x):
        return cp.asnumpy(x.ravel()[:5000])

    for kind, dtype in {"f32": cp.float32, "f64": cp.float64}.items():
        for log2n in [16] if SMOKE else [16, 20, 24, 27]:
            x = cp.random.rand(1 << log2n).astype(dtype)
            out, moved = cp.empty_like(x), 2 * BYTES[kind] << log2n
            copy = median(lambda: cp.copyto(out, x))

            def timed(name, call, expected):
                """A row, unless the first results are others: in blocks and in f32 they may lose half of their digits."""
                try:
                    same(name, first(call())[: len(expected)], expected, 1e-3)
                except ValueError as error:
                    print(f"left out: {error}", file=sys.stderr)
                else:
                    row("cupy", name, kind, log2n, median(call), moved, copy, moved)

            for order in [1, 2, 4, 8]:
                b, a = 0.1 + 0.05 * np.arange(order + 1), poles(order)
                given = cp.asarray(b, dtype), cp.asarray(a, dtype)
                timed(f"recurrence_{order}", lambda: lfilter(*given, x), recurrence(b, a, first(x)))
            if kind == "f32":
                b, a = 0.1 + 0.05 * np.arange(3), poles(2)
                given, lines = (cp.asarray(b, dtype), cp.asarray(a, dtype)), x.reshape(-1, 1024)
                expected = np.concatenate([recurrence(b, a, line) for line in first(x)[:4096].reshape(-1, 1024)])
                timed("recurrence_2_rows_1024", lambda: lfilter(*given, lines), expected)
                turns = [(0.8 + 0.04 * s, 0.3 + 0.4 * s) for s in range(4)]
                sections = [[0.5, 0.3, 0.1, 1.0, -2.0 * r * np.cos(angle), r * r] for r, angle in turns]
                expected = first(x)
                for section in sections:
                    expected = recurrence(section[:3], section[3:], expected)
                sos = cp.asarray(sections, dtype)
                timed("recurrence_4_sections", lambda: sosfilt(sos, x), expected)
            del x, out
    for side in [256] if SMOKE else [1024, 16384]:
        x = cp.random.rand(side, side).astype(cp.float32)
        out, moved = cp.empty_like(x), 8 * side**2
        copy = median(lambda: cp.copyto(out, x))
        blur = lambda: uniform_filter(x, 2 * RADIUS + 1, out, mode="constant")
        blur()
        corner = slice(0, 256), slice(0, 256)
        same("uniform_filter", inside(cp.asnumpy(out[corner])), inside(box_mean(cp.asnumpy(x[corner]))), 1e-5)
        row("cupy", f"box_blur_{side}", "f32", 2 * (side.bit_length() - 1), median(blur), moved, copy, moved)
        del x, out
