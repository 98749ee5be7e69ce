// Float sums and products of rows that have no more elements than the tree has lanes (upsweep-core/src/lanes.rs): such a
// tree is the fold of the row.
//
//   a block for each THREADS rows
//       stage    their elements, mapped, in shared memory: row by row, at an odd distance, against bank conflicts
//       fold     a thread for each row
//
// In contrast to a warp for each row, loads are vectors of neighbours whatever the length of a row, and a fold takes no
// shuffle.
//
// No block waits for another.

#pragma once

#include "reduce/staged.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

__device__ __forceinline__ T neutral_total() { return PRODUCT ? (T)1 : (T)-0.0; }

// Returns the fold of the row's elements at O, O + STRIDE, .. below ROW_USED, a power of two that is at least the number
// of elements and less than twice that.
template <u32 STRIDE, u32 O>
__device__ __forceinline__ T fold_row(const T* row, u32 count) {
    if constexpr (STRIDE == ROW_USED) return O < ROW_USED / 2 || O < count ? row[O] : neutral_total();
    else return combine(fold_row<2 * STRIDE, O>(row, count), fold_row<2 * STRIDE, O + STRIDE>(row, count));
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_short_rows(const __grid_constant__ RowTotalsParams p) {
    T* const mapped = (T*)dynamic_shared;
    const u64 first = blockIdx.x * (u64)THREADS;
    const u32 n = (u32)p.row, rows = (u32)min(p.rows - first, (u64)THREADS), pitch = n | 1;
    // Reciprocal by which numbers of elements of a block, which are below 2^16, are divided by n.
    const u32 reciprocal = n > 1 ? ~0u / n + 1 : 0;
    stage_mapped(p.input, first * n, rows * n, mapped, [&](u32 i) {
        const u32 row = n > 1 ? __umulhi(i, reciprocal) : i, index = i - row * n;
        return Placed{row * pitch + index, index};
    });
    __syncthreads();
    if (threadIdx.x >= rows) return;
    const T total = fold_row<1, 0>(mapped + threadIdx.x * pitch, n);
    store_result(output_of(p) + (first + threadIdx.x), result(HAS_INIT ? combine(Begin(p).init, total) : total));
}
