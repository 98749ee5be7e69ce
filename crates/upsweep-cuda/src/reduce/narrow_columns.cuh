// Float sums and products of few interleaved columns, by the tree of columns (upsweep-core/src/lanes.rs): as
// column_totals.cuh, where neighbouring threads would have elements that lie apart.
//
//   a block for each part of the columns of a matrix, a power of two of steps; a step is NARROW_LEAVES leaves of all columns
//       stage     the step's elements, mapped, in shared memory
//       chains    a thread for each chain of each column
//       leaves    a thread for each leaf of each column: its chains one after the other
//       columns   a thread for each column: a counter joins the leaves
//
// No block waits for another.
//
// Memory ordering. Inside a block only: mapped elements, chains and leaves are each written before a barrier and read after
// it. The next step writes mapped elements after the barrier that follows the chains, chains after the one that follows
// the leaves, and leaves after the one that follows the next step's elements.

#pragma once

#include "reduce/column_parts.cuh"
#include "reduce/staged.cuh"

constexpr u32 CHAIN = 8, LEAF = CHAIN * CHAIN, NARROW_ROWS = NARROW_LEAVES * LEAF, NARROW_CHAINS = NARROW_ROWS / CHAIN;
constexpr u32 MOST_NARROW = THREADS / NARROW_CHAINS;  // columns: a thread for each chain of each

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_narrow_columns(const __grid_constant__ ColumnTotalsParams p) {
    __shared__ T mapped[NARROW_ROWS * MOST_NARROW / 32 * 33];
    __shared__ T chains[NARROW_CHAINS * MOST_NARROW];
    __shared__ T leaves[NARROW_LEAVES * MOST_NARROW];
    const u32 inner = (u32)p.inner, thread = threadIdx.x, group = thread / inner, column = thread - group * inner;
    const u64 outer = p.parts == 1 ? blockIdx.x : blockIdx.x / p.parts, part = blockIdx.x - outer * p.parts;
    const u64 begin = part * p.part, end = min(begin + p.part, p.len);
    // A word of padding follows 32 elements, against bank conflicts.
    const auto padded = [](u32 i) { return i + i / 32; };
    T levels[COUNTER_LEVELS];
    Counter<T> counter(levels);
#pragma unroll 1
    for (u64 row = begin; row < end; row += NARROW_ROWS) {
        const u32 rows = (u32)min(end - row, (u64)NARROW_ROWS);
        stage_mapped(p.input, (outer * p.len + row) * inner, rows * inner, mapped, [&](u32 i) { return Placed{padded(i), row + i / inner}; });
        __syncthreads();
        if (group * CHAIN < rows) {
            const u32 count = min(rows - group * CHAIN, CHAIN);
            T total = mapped[padded(group * CHAIN * inner + column)];
#pragma unroll
            for (u32 i = 1; i < CHAIN; i++) {
                if (i < count) total = combine(total, mapped[padded((group * CHAIN + i) * inner + column)]);
            }
            chains[thread] = total;
        }
        __syncthreads();
        if (group * LEAF < rows) {
            const u32 first = group * CHAIN, count = min((rows - group * LEAF + CHAIN - 1) / CHAIN, CHAIN);
            T total = chains[first * inner + column];
#pragma unroll
            for (u32 i = 1; i < CHAIN; i++) {
                if (i < count) total = combine(total, chains[(first + i) * inner + column]);
            }
            leaves[thread] = total;
        }
        __syncthreads();
        if (group == 0) {
            for (u32 leaf = 0; leaf * LEAF < rows; leaf++) counter.add(leaves[leaf * inner + column]);
        }
    }
    if (group == 0) ColumnPart{outer, part, column}.leave(p, counter.total());
}
