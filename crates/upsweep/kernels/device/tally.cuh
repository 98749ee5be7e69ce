// What comes before and after a histogram with float weights: see word/tally.cuh.

#pragma once

#include "warp/index.cuh"
#include "word/tally.cuh"

// The largest exponent of a finite weight: in `largest`, which was 0.
extern "C" __global__ void __launch_bounds__(THREADS) upsweep_tally_largest(const __grid_constant__ HistogramParams p) {
    u32 most = 1;
    for (u64 i = blockIdx.x * (u64)THREADS + threadIdx.x; i < p.n; i += (u64)gridDim.x * THREADS) {
        const u32 e = tally::exponent((f64)p.weights[i]);
        if (e < 0x7ff && e > most) most = e;
    }
    atomicMax(p.largest, most);
}

// The sums as floats, which were `sums`.
extern "C" __global__ void __launch_bounds__(THREADS) upsweep_tally_finish(const __grid_constant__ HistogramParams p) {
    const u64 slots = COUNTED_CHANNELS * p.bins;
    for (u64 slot = blockIdx.x * (u64)THREADS + threadIdx.x; slot < slots; slot += (u64)gridDim.x * THREADS) {
        const u32 mark = p.marks[slot];
        f64 sum = tally::value(((const Fixed*)p.sums)[slot], *p.largest, (u32)p.spare);
        if (mark > 0) sum = arith::from_bits<f64>(mark == 1 ? 0x7ff0000000000000u : mark == 2 ? 0xfff0000000000000u : 0x7ff8000000000000u);
        p.output[slot] = (Out)sum;
    }
}
