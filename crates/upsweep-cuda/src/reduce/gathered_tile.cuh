// What the kernels of a reduction by offsets share where the map reads memory apart from the streams:
// reduce/gathered_starts.cuh and reduce/gathered.cuh.

#pragma once

#include "memory/count.cuh"
#include "word/value.cuh"

constexpr u32 TILE = THREADS * DEPTH * VECTOR;  // elements of a block
// Lanes that search together for the begin of a tile, and neighbouring segments whose ends tell whether all of them are empty.
constexpr u32 SEARCHERS = 8, SHARE = 256;

// The parameters, and what reductions begin with.
struct Params : GatheredParams {
    T init, first;
    __device__ __forceinline__ explicit Params(const GatheredParams& given) : GatheredParams(given) {
        if constexpr (COUNTED_INPUT) n = element_number(workspace, n);
        const Begin begin(given);
        init = begin.init, first = begin.first;
    }
    // At least one.
    __device__ __forceinline__ u64 tiles() const { return n == 0 ? 1 : (n + TILE - 1) / TILE; }
};

// Stores a result that ends the segment of this number.
__device__ __forceinline__ void store_segment(const Params& p, u64 segment, const Out& result) {
    if (segment < p.outputs) store_result(output_of(p) + segment, result);
}

// Stores the result of an empty segment, which no element stands for, or reports offsets that are wrong.
__device__ __forceinline__ void see_to(const Params& p, u64 segment, Offset from, Offset to) {
    if ((i64)to < (i64)from || (u64)(i64)to > p.n) report_fault(p.workspace, FAULT_OFFSETS, segment + 1, (i64)to);
    else if (from == to) store_segment(p, segment, result(p.first));
}
