// Parts of an array that is reduced to one value, each by a block: which they are, and how a block's threads combine
// their values.

#pragma once

#include "memory/count.cuh"
#include "memory/status.cuh"
#include "memory/workspace.cuh"
#include "warp/scan.cuh"

static_assert(sizeof(T) == HOST_STATE_BYTES, "the host sizes the workspace by it");

// Parameters of the kernel, and the number of parts of the array, one for each block.
struct Params : ReduceParams {
    u32 parts;
    __device__ __forceinline__ explicit Params(const ReduceParams& given) : ReduceParams(given), parts(gridDim.x) {
        if constexpr (COUNTED_INPUT) {
            // Same plan as the host's for n elements: upsweep-plan/src/reduce.rs.
            n = element_number(workspace, n);
            constexpr u64 STEP = THREADS * VECTOR, AT_ONCE = STEP * ONE_BLOCK;
            const u64 few = (n + FEW_PARTS - 1) / FEW_PARTS, most = (n + REDUCE_PARTS - 1) / REDUCE_PARTS;
            const u64 spread = few < STEP ? STEP : few < AT_ONCE ? few : AT_ONCE;
            const u64 least = most > spread ? most : spread;
            part = n <= AT_ONCE ? AT_ONCE : (least + STEP - 1) / STEP * STEP;
            if constexpr (CHUNK_LANES > 0) {
                for (part = STEP; part < (n <= AT_ONCE ? AT_ONCE : least);) part *= 2;
            }
            parts = n == 0 ? 1 : (u32)((n + part - 1) / part);
        }
    }
};
using Entry = Status<T>;

// Returns the position in the array of the element at index `index` of the input.
__device__ __forceinline__ u64 position_of(const Params& p, u64 index) { return CONTINUES ? p.position + index : index; }

// Returns the combination of the warps' values in order, in thread 0. The first `warps` warps have a value, each in its
// lane 0.
__device__ __forceinline__ T combine_block(const T& value, u32 warps) {
    __shared__ T totals[WARPS];
    __syncthreads();
    if (lane_index() == 0 && warp_index() < warps) totals[warp_index()] = value;
    __syncthreads();
    return warp_index() == 0 ? warp_reduce(totals[lane_index() % WARPS], warps) : value;
}

// Returns the number of lanes of this warp among the first `threads` threads.
__device__ __forceinline__ u32 lanes_of(u32 threads) {
    const u32 begin = warp_index() * WARP;
    return begin < threads ? min(threads - begin, WARP) : 0;
}
