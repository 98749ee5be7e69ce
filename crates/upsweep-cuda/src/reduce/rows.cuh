// Reduction of many rows that are not short: a warp goes along each.
//
//   of an operator that commutes, a lane takes vectors of the row at the distance of a warp's and combines what it finds; then lanes meet
//   of any other, as warp/stretch.cuh says
//
// What differs from scan/segments.cuh: no warp waits for another, nothing of a row comes from elsewhere, and no element
// is asked whether it begins a row. Rows are whole vectors, so they all begin as memory's vectors do if the first does.

#pragma once

#include "warp/stretch.cuh"

// This warp's row from element `begin` on, of an operator that commutes. The first `lanes` lanes have something.
template <Loads LOADS>
__device__ __forceinline__ T accumulate_row(const RowsParams& p, u64 begin, u32& lanes) {
    constexpr u32 AT_ONCE = LOADS == Loads::BY_ELEMENT ? 1 : DEPTH;
    const u64 vectors = p.row / VECTOR;
    Accumulating sum;
    const auto add = [&](u64 first, auto exists) {
        Vector own[AT_ONCE];
#pragma unroll
        for (u32 d = 0; d < AT_ONCE; d++) {
            const u64 v = first + d * WARP;
            if (exists(v)) own[d] = load_vector<LOADS>(p.input, begin + v * VECTOR);
        }
#pragma unroll
        for (u32 d = 0; d < AT_ONCE; d++) {
            const u64 v = first + d * WARP;
            if (exists(v)) sum.add(own[d], v * VECTOR, begin + v * VECTOR);
        }
    };
    u64 at = 0;
#pragma unroll 1
    for (; at + AT_ONCE * WARP <= vectors; at += AT_ONCE * WARP) add(at + lane_index(), [](u64) { return true; });
    if (at < vectors) add(at + lane_index(), [&](u64 v) { return v < vectors; });
    lanes = (u32)min(vectors, (u64)WARP);
    return sum.value();
}

extern "C" __global__ void __launch_bounds__(THREADS, ROWS_BLOCKS) upsweep_rows(const __grid_constant__ RowsParams p) {
    const u64 row = blockIdx.x * (u64)WARPS + warp_index();
    if (row >= p.rows) return;
    const u64 begin = row * p.row;
    T total;
    if constexpr (COMMUTES) {
        u32 lanes;
        if (misalignment(p.input) == 0) total = accumulate_row<Loads::ALIGNED>(p, begin, lanes);
        else total = accumulate_row<Loads::BY_ELEMENT>(p, begin, lanes);
        total = warp_reduce(total, lanes);
    } else {
        total = reduce_stretch(p.input, begin, 0, p.row);
    }
    if (lane_index() == 0) store_result(output_of(p) + row, result(HAS_INIT ? combine(Begin(p).init, total) : total));
}
