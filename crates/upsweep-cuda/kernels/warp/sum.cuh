// Sums and the maximum of one number of each lane.

#pragma once

#include "warp/index.cuh"
#include "word/instructions.cuh"

// Returns the sum of the numbers of this lane and all lower lanes.
__device__ __forceinline__ u32 warp_inclusive_sum(u32 number) {
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) number = add_lower(number, distance);
    return number;
}

// Sum, and maximum, of the numbers of all lanes, returned in every lane; one instruction if the GPU has it.
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ u32 warp_sum(u32 number) { return __reduce_add_sync(~0u, number); }
__device__ __forceinline__ u32 warp_max(u32 number) { return __reduce_max_sync(~0u, number); }
#else
template <class F>
__device__ __forceinline__ u32 warp_combine(u32 number, F combine) {
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) number = combine(number, __shfl_sync(~0u, number, lane_index() ^ distance));
    return number;
}
__device__ __forceinline__ u32 warp_sum(u32 number) {
    return warp_combine(number, [](u32 a, u32 b) { return a + b; });
}
__device__ __forceinline__ u32 warp_max(u32 number) {
    return warp_combine(number, [](u32 a, u32 b) { return a < b ? b : a; });
}
#endif
