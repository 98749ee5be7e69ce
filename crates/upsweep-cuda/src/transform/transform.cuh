// Transform: a function of each element.
//
//   a block has DEPTH neighbouring rows of THREADS vectors, and each thread a vector of each row:
//       load     all of the thread's vectors
//       map      all of its elements. Tables are read here, so that all of their loads are in flight together
//       store    the results
//
// No block waits for another. In place, the same thread reads the input and stores the result of a position.

#pragma once

#include "memory/count.cuh"
#include "memory/results.cuh"
#include "memory/vectors.cuh"

constexpr u32 CHUNK = DEPTH * THREADS * VECTOR;  // number of elements of a block

// Transforms the elements of a block, from `begin` on; FULL: all CHUNK of them exist.
template <bool FULL>
__device__ __forceinline__ void transform_chunk(const TransformParams& p, u64 n, u64 begin) {
    const bool aligned = misalignment(p.input) == 0;
    u64 at[DEPTH];
    u32 count[DEPTH];
    Vector vectors[DEPTH];
#pragma unroll
    for (u32 d = 0; d < DEPTH; d++) {
        at[d] = begin + (d * THREADS + threadIdx.x) * VECTOR;
        count[d] = FULL ? VECTOR : existing(at[d], n);
        if (FULL || count[d] > 0) vectors[d] = load_some(p.input, at[d], count[d], aligned);
    }
    Out results[DEPTH][VECTOR];
    bool right = true;
#pragma unroll
    for (u32 d = 0; d < DEPTH; d++) {
        const Vector::Elements elements = vectors[d].elements();
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (!FULL && j >= count[d]) continue;
            results[d][j] = result(map(elements.x[j], at[d] + j, at[d] + j));
            if constexpr (INDEXED) right &= indices_right(elements.x[j], at[d] + j);
        }
    }
    if (INDEXED && !right) {
        for (u32 d = 0; d < DEPTH; d++) {
            for (u32 j = 0; j < count[d]; j++) report_indices(load_element(p.input, at[d] + j), at[d] + j);
        }
    }
    const Place to = output_of(p);
    const bool stores_aligned = results_aligned(to, n);
#pragma unroll
    for (u32 d = 0; d < DEPTH; d++) {
        if (FULL || count[d] > 0) store_vector(to + at[d], results[d], count[d], stores_aligned);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_transform(const __grid_constant__ TransformParams p) {
    const u64 n = element_number(p.workspace, p.n), begin = (u64)blockIdx.x * CHUNK;
    if (begin >= n) return;
    if (n - begin >= CHUNK) transform_chunk<true>(p, n, begin);
    else transform_chunk<false>(p, n, begin);
}
