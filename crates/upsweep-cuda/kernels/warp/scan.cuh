// Scan and reduction of one value of each lane, strictly left to right.

#pragma once

#include "warp/index.cuh"
#include "warp/shuffle.cuh"
#include "word/value.cuh"

// Returns each lane's value combined with those of the `reach` lanes directly below it. A lane among those must itself
// reach down to the same lowest lane. The operator is applied to no other values. Only the first LANES lanes reach
// down.
template <u32 LANES = WARP, class V>
__device__ __forceinline__ V warp_inclusive_scan(V value, u32 reach) {
#pragma unroll
    for (u32 distance = 1; distance < LANES; distance *= 2) {
        const V lower = shuffle_up(value, distance);
        if (reach >= distance) value = combine(lower, value);
    }
    return value;
}

// Returns in lane 0 the combination of the values of the first `lanes` lanes, at most LANES. The operator is never
// applied to other lanes' values.
template <u32 LANES = WARP, class V>
__device__ __forceinline__ V warp_reduce(V value, u32 lanes) {
    const u32 lane = lane_index();
#pragma unroll
    for (u32 distance = 1; distance < LANES; distance *= 2) {
        const V higher = shuffle_down(value, distance);
        if (lane + distance < lanes) value = combine(value, higher);
    }
    return value;
}

// Returns the combination of the totals of the tile's warps, in lane 0 of the warp that calls it.
template <class State>
__device__ __forceinline__ State aggregate_of(const State* totals) { return warp_reduce<WARPS>(totals[min(lane_index(), WARPS - 1)], WARPS); }
