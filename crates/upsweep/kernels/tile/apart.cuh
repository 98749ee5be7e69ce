// What the kernels of a reduction by offsets share where the map reads memory apart from the streams: segments_starts.cuh and
// segments_apart.cuh.

#pragma once

#include "memory/count.cuh"
#include "word/value.cuh"

constexpr u32 TILE = THREADS * DEPTH * VECTOR;  // elements of a block

// The parameters, and what reductions begin with.
struct Params : ApartParams {
    T init, first;
    __device__ __forceinline__ explicit Params(const ApartParams& given) : ApartParams(given) {
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
