// Declarations shared by the kernels of a reduction by offsets with a gathering map: reduce/gathered_starts.cuh and
// reduce/gathered.cuh.

#pragma once

#include "memory/count.cuh"
#include "word/value.cuh"

constexpr u32 TILE = THREADS * DEPTH * VECTOR;  // number of elements of a tile, which one block reduces
// Number of lanes that search together for the begin of a tile (SEARCHERS), and number of neighbouring segments that
// are tested together for emptiness (SHARE).
constexpr u32 SEARCHERS = 8, SHARE = 256;

// Parameters of the kernel, the initial value of reductions, and the result of an empty segment.
struct Params : GatheredParams {
    T init, first;
    __device__ __forceinline__ explicit Params(const GatheredParams& given) : GatheredParams(given) {
        if constexpr (COUNTED_INPUT) n = element_number(workspace, n);
        const Begin begin(given);
        init = begin.init, first = begin.first;
    }
    // Returns the number of tiles; at least one.
    __device__ __forceinline__ u64 tiles() const { return n == 0 ? 1 : (n + TILE - 1) / TILE; }
};

// Stores the result of segment `segment`, if the output has room for it.
__device__ __forceinline__ void store_segment(const Params& p, u64 segment, const Out& result) {
    if (segment < p.outputs) store_result(output_of(p) + segment, result);
}

// Stores the result of segment `segment`, from offset `from` to offset `to`, if it is empty, or reports invalid
// offsets.
__device__ __forceinline__ void see_to(const Params& p, u64 segment, Offset from, Offset to) {
    if ((i64)to < (i64)from || (u64)(i64)to > p.n) report_fault(p.workspace, FAULT_OFFSETS, segment + 1, (i64)to);
    else if (from == to) store_segment(p, segment, result(p.first));
}
