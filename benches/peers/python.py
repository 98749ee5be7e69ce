"""The libraries that a Python user would take, on the work of the benches. Rows for a record on standard output.

python.py cpu [--smoke] [--only sorts|signals]: NumPy, SciPy and OpenCV, each on one core. python.py gpu [--only select|numbers|signals]:
PyTorch, CuPy and JAX, each if it is installed; or PyTorch alone on what is neither a scan nor a reduction; or whatever there is for graphs,
sparse products, polynomials and big integers; or for filters and images. Times as the benches take them: the median of 15 calls after 3 to
warm up; on the GPU by events, after the L2 cache has been flushed. Filters and images are compared with NumPy before they are timed.
"""

import os
import sys
import time

from signals import filters_rows, images_rows, one_core_rows, opencv_rows
from timing import BYTES, ONLY, SMOKE, cupy_median, on_host, row, torch_median, version


def numpy_rows():
    import numpy as np

    version(np)
    names = {"i8": np.int8, "i32": np.int32, "f32": np.float32, "f64": np.float64}
    for kind, dtype in names.items():
        for log2n in [10] if SMOKE else [10, 16, 20, 24, 27]:
            x = np.random.default_rng(1).integers(-8, 8, 1 << log2n).astype(dtype)
            out = np.empty_like(x)
            moved = 2 * x.nbytes
            copy = on_host(lambda: np.copyto(out, x))
            micros = on_host(lambda: np.cumsum(x, dtype=dtype, out=out))
            row("numpy", "inclusive_sum", kind, log2n, micros, moved, copy, moved)
            micros = on_host(lambda: np.maximum.accumulate(x, out=out))
            row("numpy", "inclusive_max", kind, log2n, micros, moved, copy, moved)


def sorts_rows():
    """Sorts of rows, and the largest elements, of which NumPy leaves the others beside them."""
    import numpy as np

    version(np)
    for log2n in [10] if SMOKE else [16, 20, 24, 27]:
        bits = hashed(np.arange(1 << log2n)).astype(np.uint32)
        out, moved = np.empty_like(bits), 2 * bits.nbytes
        copy = on_host(lambda: np.copyto(out, bits))
        for length in [64, 4096]:
            if length <= len(bits):
                micros = on_host(lambda: np.sort(bits.reshape(-1, length)))
                row("numpy", f"sort_rows_{length}", "u32", log2n, micros, moved, copy, moved)
        numbers = bits.astype(np.int32).astype(np.float32)
        for k in [16, 65_536]:
            if k < len(bits):
                micros = on_host(lambda: np.partition(numbers, len(numbers) - k)[-k:])
                row("numpy", f"top_{k}", "f32", log2n, micros, moved, copy, moved)


def torch_rows():
    import torch

    version(torch)
    median = torch_median(torch)
    if ONLY == "select":
        return select_rows(torch, median)
    if ONLY == "numbers":
        return sparse_rows(torch, median)
    if ONLY == "signals":
        return images_rows(torch, median, "cuda")
    names = {"i8": torch.int8, "i32": torch.int32, "f32": torch.float32, "i64": torch.int64, "f64": torch.float64}
    for kind, dtype in names.items():
        for log2n in [10, 16, 20, 22, 24, 26, 28, 30]:
            x = torch.randint(-8, 8, (1 << log2n,), device="cuda", dtype=torch.int8).to(dtype)
            out, moved = torch.empty_like(x), 2 * BYTES[kind] << log2n
            copy = median(lambda: out.copy_(x))
            micros = median(lambda: torch.cumsum(x, 0, dtype=dtype, out=out))
            row("torch", "inclusive_sum", kind, log2n, micros, moved, copy, moved)
            del x, out
    # PyTorch has no unsigned sorts, and its sorts are of pairs: keys and their positions.
    for kind, dtype in {"i32": torch.int32, "f32": torch.float32}.items():
        for log2n in [16, 20, 24, 28]:
            x = torch.randint(-(2**31), 2**31 - 1, (1 << log2n,), device="cuda", dtype=torch.int32).to(dtype)
            out, order, moved = torch.empty_like(x), torch.empty_like(x, dtype=torch.int64), 8 << log2n
            copy = median(lambda: out.copy_(x))
            micros = median(lambda: torch.sort(x, out=(out, order)))
            row("torch", "sort_pairs", kind, log2n, micros, 3 * moved, copy, moved)
            for k in [16, 65536]:
                micros = median(lambda: torch.topk(x, k, sorted=False))
                row("torch", f"top_{k}", kind, log2n, micros, moved // 2, copy, moved)
            micros = median(lambda: torch.median(x))
            row("torch", "median", kind, log2n, micros, moved // 2, copy, moved)
            del x, out, order
    for rows, columns in [(4096, 65536), (1 << 20, 64), (8, 1 << 25), (1 << 24, 3)]:
        x = torch.randn(rows, columns, device="cuda")
        out, moved = torch.empty_like(x), 8 * rows * columns
        copy = median(lambda: out.copy_(x))
        for name, axis in ([("columns", 0)] if columns == 3 else [("rows", 1)] if rows == 8 else [("rows", 1), ("columns", 0)]):
            micros = median(lambda: torch.cumsum(x, axis, out=out))
            log2n = (rows * columns).bit_length() - 1
            row("torch", f"inclusive_sum_{name}_{rows}x{columns}", "f32", log2n, micros, moved, copy, moved)
        del x, out
    select_rows(torch, median)
    sparse_rows(torch, median)
    images_rows(torch, median, "cuda")


def select_rows(torch, median):
    for log2n in [16, 20, 24, 28]:
        counts = torch.randint(0, 9, (1 << log2n - 2,), device="cuda", dtype=torch.int32)
        x = torch.zeros(1 << log2n, device="cuda", dtype=torch.int32)
        out, total = torch.empty_like(x), int(counts.sum())
        copy = median(lambda: out.copy_(x))
        x.random_()
        mask = x % 2 == 1
        micros = median(lambda: torch.masked_select(x, mask))
        row("torch", "select_flags", "i32", log2n, micros, 7 << log2n, copy, 8 << log2n)
        owners = torch.arange(len(counts), device="cuda", dtype=torch.int32)
        micros = median(lambda: torch.repeat_interleave(owners, counts, output_size=total))
        row("torch", "expand_4", "i32", log2n, micros, 4 * (len(counts) + total), copy, 8 << log2n)
        # Runs of 64 in the mean, by their values.
        torch.cumsum(torch.randint(0, 64, x.shape, device="cuda", dtype=torch.uint8) == 1, 0, dtype=torch.int32, out=x)
        micros = median(lambda: torch.unique_consecutive(x))
        row("torch", "dedup_64", "i32", log2n, micros, (4 << log2n) * 65 // 64, copy, 8 << log2n)
        values = torch.randint(0, 1 << 31, (len(x) // 16,), device="cuda", dtype=torch.int32)
        x = torch.arange(1 << log2n, device="cuda", dtype=torch.int32) * ((1 << 31) >> log2n)
        micros = median(lambda: torch.searchsorted(x, values, out_int32=True))
        row("torch", "search_lower", "i32", log2n, micros, 8 * len(values), copy, 8 << log2n)
        del counts, owners, mask, values, x, out
        x = torch.rand(1 << log2n, device="cuda")
        out, moved = torch.empty_like(x), 4 << log2n
        copy = median(lambda: out.copy_(x))
        for bins in [256, 2048, 65536]:
            micros = median(lambda: torch.histc(x, bins, 0.0, 1.0))
            row("torch", f"histogram_{bins}", "f32", log2n, micros, moved, copy, 2 * moved)
        x = torch.randint(0, 256, (1 << log2n,), device="cuda", dtype=torch.uint8)
        out, moved = torch.empty_like(x), 1 << log2n
        copy = median(lambda: out.copy_(x))
        micros = median(lambda: torch.bincount(x, minlength=256))
        row("torch", "histogram_256", "u8", log2n, micros, moved, copy, 2 * moved)
        del x, out


def hashed(index):
    """`hash` of benches/src/number.rs."""
    import numpy as np

    x = index.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def matrices(log2n):
    """The matrices of benches/src/bin/gpu/graphs.rs: a name, the lengths of the rows, and the row and column of each entry."""
    import numpy as np

    n = 1 << log2n
    columns = n // 16
    for name in ["banded", "random", "power_law"]:
        if name == "power_law":
            share = (hashed(np.arange(n)) >> np.uint64(11)) / float(1 << 53)
            lengths = np.minimum((1.0 - share) ** (-1.0 / 1.1), columns // 4).astype(np.int64)
            ends = np.cumsum(lengths)
            count = int(np.searchsorted(ends, n)) + 1
            lengths = lengths[:count]
            lengths[-1] -= ends[count - 1] - n
        else:
            lengths = np.full(columns, 16)
        at_row = np.repeat(np.arange(len(lengths)), lengths)
        k = np.arange(n) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        if name == "banded":
            column = (at_row + k) % columns
        else:
            begin = hashed(at_row)
            step = begin >> np.uint64(32) | np.uint64(1)
            column = ((begin + k.astype(np.uint64) * step) % np.uint64(columns)).astype(np.int64)
        yield name, lengths, at_row, column


def sparse_rows(torch, median):
    """cuSPARSE, by PyTorch."""
    import numpy as np

    log2n = 10 if SMOKE else 26
    n = 1 << log2n
    x = torch.randn(n // 16, device="cuda")
    values, out = torch.randn(n, device="cuda"), torch.empty(n, device="cuda")
    copy, copied = median(lambda: out.copy_(values)), 8 * n
    for name, lengths, at_row, at_column in matrices(log2n):
        begins = np.concatenate([[0], np.cumsum(lengths)])
        shape = (len(lengths), n // 16)
        key = torch.as_tensor(at_row * shape[1] + at_column, device="cuda").sort().values
        places = [torch.as_tensor(begins, device="cuda").int(), (key % shape[1]).int()]
        matrix = torch.sparse_csr_tensor(*places, values, shape)
        del key
        micros = median(lambda: torch.mv(matrix, x))
        row("torch", f"spmv_{name}", "f32", log2n, micros, 8 * n + 12 * shape[0] + 4 * shape[1], copy, copied)
        del matrix, places
    sparse_products(torch, median, 10 if SMOKE else 28)
    ends = torch.randint(0, n // 16, (2, n), device="cuda")
    ones = torch.ones(n, dtype=torch.uint8, device="cuda")
    shape = (n // 16, n // 16)
    micros = median(lambda: torch.sparse_coo_tensor(ends, ones, shape).coalesce().to_sparse_csr())
    row("torch", "csr", "u32", log2n, micros, 12 * n, copy, copied)
    try:
        host_rows(ends.int().cpu().numpy(), copy, copied, log2n)
    except ImportError as error:
        print(f"left out: {error}", file=sys.stderr)


def sparse_products(torch, median, log2n):
    """The products of benches/src/bin/gpu/pieces.rs: 16 elements a row, in neighbouring columns or anywhere."""
    n = 1 << log2n
    rows = n // 16
    values, x = torch.randn(n, device="cuda"), torch.randn(rows, device="cuda")
    begins = torch.arange(0, n + 1, 16, device="cuda", dtype=torch.int32)
    out = torch.empty(n, device="cuda")
    copy, copied = median(lambda: out.copy_(values)), 8 * n
    del out
    place = torch.arange(n, device="cuda", dtype=torch.int32)
    for name, columns in [("banded", (place // 16 + place % 16) % rows), ("random", torch.randint(0, rows, (n,), device="cuda", dtype=torch.int32))]:
        matrix = torch.sparse_csr_tensor(begins, columns, values, (rows, rows))
        row("torch", f"sparse_product_{name}", "f32", log2n, median(lambda: torch.mv(matrix, x)), 8 * n + 12 * rows, copy, copied)
        del matrix, columns


def host_rows(ends, copy, copied, log2n):
    """What one core does: SciPy's graphs, NumPy's polynomials, Python's integers."""
    import random

    import numpy as np
    import scipy.sparse

    def once(call):
        begin = time.perf_counter()
        call()
        return (time.perf_counter() - begin) * 1e6

    n = ends.shape[1]
    ones, shape = np.ones(n, np.uint8), (n // 16, n // 16)
    row("scipy", "csr", "u32", log2n, once(lambda: scipy.sparse.coo_array((ones, ends), shape).tocsr()), 12 * n, copy, copied)
    log2c = 10 if SMOKE else 20
    c = np.random.default_rng(1).integers(-8, 8, 1 << log2c).astype(np.float32)
    row("numpy", "poly_evaluate", "f32", log2c, once(lambda: np.polyval(c, np.float32(-1))), c.nbytes, copy, copied)
    bits = 1 << (16 if SMOKE else 30)
    a, b = random.getrandbits(bits), random.getrandbits(bits)
    row("python", "bigadd", "u64", (bits // 64).bit_length() - 1, once(lambda: a + b), 3 * bits // 8, copy, copied)
    try:
        import gmpy2

        a, b = gmpy2.mpz(a), gmpy2.mpz(b)
        row("gmp", "bigadd", "u64", (bits // 64).bit_length() - 1, once(lambda: a + b), 3 * bits // 8, copy, copied)
    except ImportError as error:
        print(f"left out: {error}", file=sys.stderr)


def cupy_rows():
    import cupy as cp

    version(cp)
    median = cupy_median(cp)
    if ONLY == "signals":
        return filters_rows(cp, median)
    for kind, dtype in {"i32": cp.int32, "f32": cp.float32}.items():
        for log2n in [10, 16, 20, 24, 28]:
            x = (cp.arange(1 << log2n, dtype=cp.int64) * 7 % 16 - 8).astype(dtype)
            out, moved = cp.empty_like(x), 2 * BYTES[kind] << log2n
            copy = median(lambda: cp.copyto(out, x))
            micros = median(lambda: cp.cumsum(x, out=out))
            row("cupy", "inclusive_sum", kind, log2n, micros, moved, copy, moved)
            del x, out
    filters_rows(cp, median)


def jax_rows():
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    import jax
    import jax.numpy as jnp

    if jax.default_backend() != "gpu":
        raise ImportError("jax is installed without its GPU backend")
    # JAX gives no events: these times have the host's in them, which shows below a million elements.
    scan, copy = jax.jit(jnp.cumsum), jax.jit(lambda x: x + 1)
    for log2n in [10, 16, 20, 24, 28]:
        x = jnp.ones((1 << log2n,), jnp.int32)
        moved = 8 << log2n
        copied = on_host(lambda: copy(x).block_until_ready())
        micros = on_host(lambda: scan(x).block_until_ready())
        row("jax", "inclusive_sum", "i32", log2n, micros, moved, copied, moved)


def main():
    on_gpu = [torch_rows, cupy_rows, jax_rows]
    libraries = {
        "cpu": {None: [numpy_rows, sorts_rows, one_core_rows, opencv_rows], "sorts": [sorts_rows], "signals": [one_core_rows, opencv_rows]},
        "gpu": {None: on_gpu, "select": [torch_rows], "numbers": [torch_rows], "signals": [torch_rows, cupy_rows]},
    }
    chosen = libraries.get(sys.argv[1] if len(sys.argv) > 1 else None, {}).get(ONLY)
    if chosen is None:
        sys.exit(__doc__)
    failed = False
    for rows in chosen:
        try:
            rows()
        except ImportError as error:
            print(f"left out: {error}", file=sys.stderr)
        except ValueError as error:
            failed = True
            print(f"wrong: {error}", file=sys.stderr)
    sys.exit(failed)


main()
