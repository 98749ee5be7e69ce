// Last kernel of a histogram with float weights: see word/tally.cuh.

#pragma once

#include "warp/index.cuh"
#include "word/tally.cuh"

// Converts the totals in `sums` to floats.
extern "C" __global__ void __launch_bounds__(THREADS) upsweep_tally_finish(const __grid_constant__ HistogramParams p) {
    const u64 slots = COUNTED_CHANNELS * p.bins * p.rows;
    for (u64 slot = blockIdx.x * (u64)THREADS + threadIdx.x; slot < slots; slot += (u64)gridDim.x * THREADS) {
        const u32 mark = p.marks[slot];
        f64 sum = tally::value(((const Fixed*)p.sums)[slot], max(p.largest[slot], 1u), (u32)p.spare);
        if (mark > 0) sum = arith::from_bits<f64>(mark == 1 ? 0x7ff0000000000000u : mark == 2 ? 0xfff0000000000000u : 0x7ff8000000000000u);
        p.output[slot] = (Out)sum;
    }
}
