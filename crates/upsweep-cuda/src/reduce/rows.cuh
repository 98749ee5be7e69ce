// Reduction of many rows that are not short, a warp for each.
//
//   commutative operator    a lane combines vectors of the row at the stride of a warp; then the lanes' values are
//                           combined
//   any other               warp/stretch.cuh
//
// In contrast to scan/segments.cuh, no warp waits for another, no part of a row comes from another block, and no
// element is tested for a head. Rows are whole vectors, so all of them are aligned if the first is.

#pragma once

#include "warp/stretch.cuh"

// Returns the combination of this lane's vectors of the row that begins with element `begin`, for a commutative
// operator. The first `lanes` lanes have a value.
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
