// Totals of rows from the totals of their parts, which row_totals.cuh has left: a warp for each row.
//
//   for each 32 parts of the row      fold them; a counter joins the folds
//
// No warp waits for another: the parts' totals are those of a kernel that has ended.

#pragma once

#include "warp/counter.cuh"
#include "warp/scan.cuh"

constexpr u32 FOLDS_AT_ONCE = 4;  // folds whose totals are loaded together

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_join_totals(const __grid_constant__ RowTotalsParams p) {
    __shared__ T levels[WARPS][COUNTER_LEVELS];
    const u64 row = blockIdx.x * (u64)WARPS + warp_index();
    if (row >= p.rows) return;
    const u32 lane = lane_index();
    const Acc* const parts = p.totals + row * p.parts;
    Counter<T> counter(levels[warp_index()]);
    T last;
    bool any = false;
#pragma unroll 1
    for (u64 first = 0; first < p.parts; first += FOLDS_AT_ONCE * WARP) {
        T own[FOLDS_AT_ONCE];
#pragma unroll
        for (u32 k = 0; k < FOLDS_AT_ONCE; k++) {
            const u64 i = first + k * WARP + lane;
            if (i < p.parts) own[k] = ValueOfAcc::of(parts[i]);
        }
#pragma unroll
        for (u32 k = 0; k < FOLDS_AT_ONCE; k++) {
            const u64 begin = first + k * WARP;
            if (begin >= p.parts) break;
            const u32 here = (u32)min(p.parts - begin, (u64)WARP);
            const T fold = warp_reduce(own[k], here);
            if (here < WARP) last = fold, any = true;
            else if (lane == 0) counter.add(fold);
        }
    }
    if (lane > 0) return;
    const T total = counter.followed_by(last, any);
    store_result(output_of(p) + row, result(HAS_INIT ? combine(Begin(p).init, total) : total));
}
