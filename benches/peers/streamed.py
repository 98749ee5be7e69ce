"""Arrays in host memory: running sums of float32 by CuPy in chunks, copies overlapped, and by NumPy; and sorts of uint32
by CuPy, which keeps the whole array and its scratch on the GPU.

    python3 benches/peers/streamed.py scan 24 28 31 > FILE
    python3 benches/peers/streamed.py sort 24 28 32 > FILE

Rows are those of `cargo run --release -p upsweep-bench --bin streamed`: medians of five calls, in microseconds, beside
copies in both directions at once.
"""

import statistics
import sys
import time

import cupy
import cupyx
import numpy

CHUNK = 8 << 20  # elements
SLOTS = 3
CALLS = 5


def by_chunks(x, y, slots, streams):
    """Scans pinned x to pinned y: each slot's stream copies up, adds, copies down; sums go on from slot to slot."""
    carry, done = cupy.zeros(1, cupy.float32), None
    for k, first in enumerate(range(0, len(x), CHUNK)):
        stream, (above, sums) = streams[k % SLOTS], slots[k % SLOTS]
        n = min(CHUNK, len(x) - first)
        with stream:
            above[:n].set(x[first : first + n], stream=stream)
            cupy.cumsum(above[:n], out=sums[:n])
            if done is not None:
                stream.wait_event(done)
            sums[:n] += carry
            carry = sums[n - 1 : n].copy()
            done = stream.record()
            sums[:n].get(stream=stream, out=y[first : first + n], blocking=False)
    for stream in streams:
        stream.synchronize()


def copies(x, y, slots, streams):
    """Copies x up and as much down to y, at once."""
    up, down = streams[:2]
    for first in range(0, len(x), CHUNK):
        n = min(CHUNK, len(x) - first)
        slots[0][0][:n].set(x[first : first + n], stream=up)
        slots[1][0][:n].get(stream=down, out=y[first : first + n], blocking=False)
    up.synchronize()
    down.synchronize()


def sorted_on_the_gpu(x, y, memory):
    """Copies pinned x up, sorts it, and copies it down to y."""
    memory.set(x)
    memory.sort()
    memory.get(out=y)


def timed(call):
    call()
    times = []
    for _ in range(CALLS):
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1e6)
    return statistics.median(times)


def sorts(sizes):
    for log2n in sizes:
        n = 1 << log2n
        x, y = cupyx.empty_pinned(n, numpy.uint32), cupyx.empty_pinned(n, numpy.uint32)
        memory = cupy.random.randint(0, 1 << 32, n, numpy.uint32)
        memory.get(out=x)
        micros = timed(lambda: sorted_on_the_gpu(x, y, memory))
        print(f"cupy,sort_pinned_all_on_gpu,u32,{log2n},{micros:.3f},{8 * n / micros / 1e3:.2f},,", flush=True)


def main():
    print(f"# versions: cupy {cupy.__version__}, numpy {numpy.__version__}, python {sys.version.split()[0]}")
    print("lib,algo,type,log2n,median_us,gbps,share_of_copy,enqueue_us")
    sizes = list(map(int, sys.argv[2:]))
    if sys.argv[1] == "sort":
        sorts(sizes)
        return
    slots = [(cupy.empty(CHUNK, cupy.float32), cupy.empty(CHUNK, cupy.float32)) for _ in range(SLOTS)]
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(SLOTS)]
    for log2n in sizes:
        n = 1 << log2n
        x, y = cupyx.empty_pinned(n, numpy.float32), cupyx.empty_pinned(n, numpy.float32)
        x.fill(0.25)
        y.fill(0)
        copy = timed(lambda: copies(x, y, slots, streams))
        for lib, algo, call in [
            ("cupy", "scan_pinned_by_chunks", lambda: by_chunks(x, y, slots, streams)),
            ("numpy", "scan", lambda: numpy.cumsum(x, out=y)),
        ]:
            micros = timed(call)
            print(f"{lib},{algo},f32,{log2n},{micros:.3f},{8 * n / micros / 1e3:.2f},{copy / micros:.4f},", flush=True)


if __name__ == "__main__":
    main()
