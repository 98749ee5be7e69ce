// Totals of columns from the totals of their parts, which column_totals.cuh or a launch of this kernel has left: a thread
// joins PARTS_JOINED of them, a power of two. Neighbouring threads have neighbouring columns.
//
// No thread waits for another: the parts' totals are those of a kernel that has ended.

#pragma once

#include "reduce/column_parts.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_join_columns(const __grid_constant__ ColumnTotalsParams p) {
    const ColumnPart own = ColumnPart::of_thread(p);
    if (own.outer >= p.outer) return;
    const u64 begin = own.part * PARTS_JOINED;
    const u32 count = (u32)min(p.len - begin, (u64)PARTS_JOINED);
    const Acc* const from = p.from + (own.outer * p.len + begin) * p.inner + own.column;
    T levels[COUNTER_LEVELS];
    Counter<T> counter(levels);
#pragma unroll 8
    for (u32 i = 0; i < count; i++) counter.add(ValueOfAcc::of(from[i * p.inner]));
    own.leave(p, counter.total());
}
