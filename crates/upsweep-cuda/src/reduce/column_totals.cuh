// Float sums and products of columns, each by the tree of columns (upsweep-core/src/lanes.rs): a column's result has the
// same bits for any number of columns.
//
//   a thread for each part of a column, a power of two of leaves; neighbouring threads have neighbouring columns
//       chain      CHAIN elements, loaded together, one after the other
//       leaf       CHAIN chains, their totals one after the other
//       part       a counter joins the leaves
//
// If columns have several parts, join_columns.cuh joins their totals.
//
// No thread waits for another.

#pragma once

#include "memory/vectors.cuh"
#include "reduce/column_parts.cuh"

constexpr u32 CHAIN = 8, LEAF = CHAIN * CHAIN;

// Returns the total of the chain of `count` elements, at least one, from index `k` of a line on. The first is at position
// `at` of the input. FULL: there are CHAIN of them.
template <bool FULL>
__device__ __forceinline__ T reduce_chain(const ColumnTotalsParams& p, u64 k, u64 at, u32 count) {
    In x[CHAIN];
#pragma unroll
    for (u32 i = 0; i < CHAIN; i++) {
        if (FULL || i < count) x[i] = load_element(p.input, at + i * p.inner);
    }
    T total;
#pragma unroll
    for (u32 i = 0; i < CHAIN; i++) {
        if (FULL || i < count) {
            const u64 place = at + i * p.inner;
            if (!indices_right(x[i], place)) report_indices(x[i], place);
            const T e = map(x[i], k + i, place);
            total = i == 0 ? e : combine(total, e);
        }
    }
    return total;
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_column_totals(const __grid_constant__ ColumnTotalsParams p) {
    const ColumnPart own(p);
    if (own.outer >= p.outer) return;
    const u64 begin = own.part * p.part, end = min(begin + p.part, p.len);
    T levels[COUNTER_LEVELS];
    Counter<T> counter(levels);
    u64 at = (own.outer * p.len + begin) * p.inner + own.column;
#pragma unroll 1
    for (u64 leaf = begin; leaf < end; leaf += LEAF) {
        T total;
#pragma unroll 1
        for (u64 k = leaf; k < min(leaf + LEAF, end); k += CHAIN, at += CHAIN * p.inner) {
            const T chain = end - k >= CHAIN ? reduce_chain<true>(p, k, at, CHAIN) : reduce_chain<false>(p, k, at, (u32)(end - k));
            total = k == leaf ? chain : combine(total, chain);
        }
        counter.add(total);
    }
    own.leave(p, counter.total());
}
