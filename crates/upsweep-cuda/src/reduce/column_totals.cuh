// Float sums and products of columns, each by the tree of columns (upsweep-core/src/lanes.rs): a column's result has the
// same bits for any number of columns.
//
//   a thread for each part of a column, a power of two of leaves; neighbouring threads have neighbouring columns
//       chain      CHAIN elements, one after the other; two chains are loaded together
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
constexpr u32 AT_ONCE = sizeof(In) <= 8 ? 2 * CHAIN : CHAIN;  // elements that a thread loads together

// Adds to `total` the chains of the `count` elements, at least one and at most AT_ONCE, from index `k` of a line on. The
// first is at position `at` of the input. FULL: there are AT_ONCE of them. `begins`: they are a leaf's first.
template <bool FULL>
__device__ __forceinline__ void add_chains(const ColumnTotalsParams& p, u64 k, u64 at, u32 count, bool begins, T& total) {
    In x[AT_ONCE];
#pragma unroll
    for (u32 i = 0; i < AT_ONCE; i++) {
        if (FULL || i < count) x[i] = load_element(p.input, at + i * p.inner);
    }
#pragma unroll
    for (u32 c = 0; c < AT_ONCE; c += CHAIN) {
        T chain;
#pragma unroll
        for (u32 i = c; i < c + CHAIN; i++) {
            if (!FULL && i >= count) break;
            const u64 place = at + i * p.inner;
            if (!indices_right(x[i], place)) report_indices(x[i], place);
            const T e = map(x[i], k + i, place);
            chain = i == c ? e : combine(chain, e);
        }
        if (FULL || c < count) total = begins && c == 0 ? chain : combine(total, chain);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_column_totals(const __grid_constant__ ColumnTotalsParams p) {
    const ColumnPart own = ColumnPart::of_thread(p);
    if (own.outer >= p.outer) return;
    const u64 begin = own.part * p.part, end = min(begin + p.part, p.len);
    T levels[COUNTER_LEVELS];
    Counter<T> counter(levels);
    u64 at = (own.outer * p.len + begin) * p.inner + own.column;
#pragma unroll 1
    for (u64 leaf = begin; leaf < end; leaf += LEAF) {
        T total;
#pragma unroll 1
        for (u64 k = leaf; k < min(leaf + LEAF, end); k += AT_ONCE, at += AT_ONCE * p.inner) {
            if (end - k >= AT_ONCE) add_chains<true>(p, k, at, AT_ONCE, k == leaf, total);
            else add_chains<false>(p, k, at, (u32)(end - k), k == leaf, total);
        }
        counter.add(total);
    }
    own.leave(p, counter.total());
}
