// Parts of columns that are reduced by a tree: which part a thread has, and where its total goes.

#pragma once

#include "warp/counter.cuh"
#include "warp/index.cuh"

// Part of a column. Its number is the index of its total in the column.
struct ColumnPart {
    u64 outer, part, column;

    // Returns the part that this thread has, if each thread of the grid has one.
    static __device__ __forceinline__ ColumnPart of_thread(const ColumnTotalsParams& p) {
        const u64 thread = blockIdx.x * (u64)THREADS + threadIdx.x, unit = thread / p.inner;
        const u64 outer = p.parts == 1 ? unit : unit / p.parts;
        return ColumnPart{outer, unit - outer * p.parts, thread - unit * p.inner};
    }

    // Stores the total: as the result if it is that of the whole column.
    __device__ __forceinline__ void leave(const ColumnTotalsParams& p, const T& total) const {
        const u64 line = outer * p.inner + column;
        if (p.parts == 1) store_result(output_of(p) + line, result(HAS_INIT ? combine(Begin(p).init, total) : total));
        else p.to[(outer * p.parts + part) * p.inner + column] = ValueOfAcc::back(total);
    }
};
