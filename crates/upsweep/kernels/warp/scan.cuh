// Scan and reduction of one value a lane. Only the first `lanes` lanes hold values; the operator is never applied to
// what the others hold. Strictly left to right.
//
//   Kogge-Stone:  for d = 1, 2, 4, 8, 16:  if lane >= d:  x[lane] = x[lane - d] + x[lane]

// Every lane gets the combination of its own and all lower lanes' values.
template <class V>
__device__ __forceinline__ V warp_inclusive_scan(V value, u32 lanes) {
    const u32 lane = lane_index();
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const V lower = shuffle_up(value, distance);
        if (lane >= distance && lane < lanes) value = combine(lower, value);
    }
    return value;
}

// Lane 0 gets the combination of the first `lanes` lanes' values.
template <class V>
__device__ __forceinline__ V warp_reduce(V value, u32 lanes) {
    const u32 lane = lane_index();
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const V higher = shuffle_down(value, distance);
        if (lane + distance < lanes) value = combine(value, higher);
    }
    return value;
}
