// Scan and reduction of one value a lane, strictly left to right.
//
//   Kogge-Stone:  for d = 1, 2, 4, 8, 16:  if lane >= d:  x[lane] = x[lane - d] + x[lane]

#pragma once

#include "warp/index.cuh"
#include "warp/shuffle.cuh"
#include "word/value.cuh"

// Combines each lane's value with those of the `reach` lanes below it, which must be the lanes' own results, too: no
// lane below reaches further down. The operator is applied to nothing else. Only the first LANES lanes reach down.
template <u32 LANES = WARP, class V>
__device__ __forceinline__ V warp_inclusive_scan(V value, u32 reach) {
#pragma unroll
    for (u32 distance = 1; distance < LANES; distance *= 2) {
        const V lower = shuffle_up(value, distance);
        if (reach >= distance) value = combine(lower, value);
    }
    return value;
}

// Combines the values of the first `lanes` lanes, at most LANES, in lane 0; the operator is never applied to other
// lanes' values.
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
