// Binary search: for each of `values` the number of elements of `sorted` that come before it; UPPER: also of those that
// equal it.
//
//   low = 0, for step = the largest power of two in len, down to 1:
//       if low + step <= len and sorted[low + step - 1] comes before the value:  low += step
//
// All values take the same number of steps, without branches. A thread searches LOOKED_UP values together, so that as
// many loads are in flight; neighbouring lanes have neighbouring values, whose loads share lines if values ascend.

#pragma once

#include "memory/workspace.cuh"
#include "warp/index.cuh"

template <u32 BYTES> struct PlaceOf { using type = u64; };
template <> struct PlaceOf<4> { using type = u32; };
using Place = PlaceOf<INDEX_BYTES>::type;

// Whether an element comes before a value, or, if UPPER, equals it. `same_key` is the order of the job here.
__device__ __forceinline__ bool is_before(const In& element, const In& value) {
    return UPPER ? !same_key(value, element) : same_key(element, value);
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_search(const __grid_constant__ SearchParams p) {
    Place* const to = (Place*)p.output;
    for (u64 begin = (u64)blockIdx.x * THREADS * LOOKED_UP; begin < p.n; begin += (u64)gridDim.x * THREADS * LOOKED_UP) {
        In value[LOOKED_UP];
        u64 low[LOOKED_UP];
#pragma unroll
        for (u32 i = 0; i < LOOKED_UP; i++) {
            const u64 at = begin + i * THREADS + threadIdx.x;
            value[i] = p.values[at < p.n ? at : p.n - 1];
            low[i] = 0;
        }
        for (u64 step = p.step; step > 0; step /= 2) {
            bool passes[LOOKED_UP];
#pragma unroll
            for (u32 i = 0; i < LOOKED_UP; i++) {
                const u64 next = low[i] + step;
                passes[i] = next <= p.len && is_before(p.sorted[(next <= p.len ? next : p.len) - 1], value[i]);
            }
#pragma unroll
            for (u32 i = 0; i < LOOKED_UP; i++) low[i] += passes[i] ? step : 0;
        }
#pragma unroll
        for (u32 i = 0; i < LOOKED_UP; i++) {
            const u64 at = begin + i * THREADS + threadIdx.x;
            if (at < p.n) to[at] = (Place)low[i];
        }
    }
}
