"""What the programs in Python share: their options, the rows that they print, and how they take times."""

import statistics
import sys
import time

SMOKE = "--smoke" in sys.argv
ONLY = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv[:-1] else None
BYTES = {"i8": 1, "u8": 1, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "f64": 8}


def row(library, algorithm, kind, log2n, micros, moved, copy_micros, copied):
    gbps = moved / micros / 1e3
    share = gbps / (copied / copy_micros / 1e3)
    print(f"{library},{algorithm},{kind},{log2n},{micros:.3f},{gbps:.2f},{share:.4f},", flush=True)


def version(library):
    print(f"# {library.__name__}: {library.__version__}", flush=True)


def on_host(call):
    """Median microseconds of a call that returns when it is done."""
    times = []
    for index in range(1 if SMOKE else 18):
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1e6)
    return statistics.median(times[3:] or times)


def torch_median(torch):
    """The function that gives the median microseconds of a call on the GPU."""
    flushed = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")

    def median(call):
        for _ in range(3):
            call()
        times = []
        for _ in range(15):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            flushed.zero_()
            begin.record()
            call()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3)
        return statistics.median(times)

    return median


def cupy_median(cp):
    flushed = cp.empty(256 << 20, dtype=cp.uint8)

    def median(call):
        for _ in range(3):
            call()
        times = []
        for _ in range(15):
            begin, end = cp.cuda.Event(), cp.cuda.Event()
            flushed.fill(0)
            begin.record()
            call()
            end.record()
            end.synchronize()
            times.append(cp.cuda.get_elapsed_time(begin, end) * 1e3)
        return statistics.median(times)

    return median
