// Queries of a histogram's prefix sums P, one more than there are bins; one thread for each query.
//
//   range (a, b):   P[b + 1] - P[a], where a and b + 1 are at most `bins`; 0 if a > b
//   share q:        the largest k with P[k] < ceil(q P[bins]), and at least 1

#pragma once

#include "warp/index.cuh"

template <class Range>
__device__ __forceinline__ u64 elements_of(const RangeHistogramParams& p, const Range& range) {
    if (range.f0 > range.f1) return 0;
    const u64 first = range.f0 < p.bins ? range.f0 : p.bins, end = range.f1 < p.bins ? range.f1 + 1 : p.bins;
    return p.prefixes[end] - p.prefixes[first];
}

__device__ __forceinline__ u64 bin_of(const RangeHistogramParams& p, f64 share) {
    const u64 total = p.prefixes[p.bins];
    if (total == 0 || share != share) return p.bins;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    const f64 product = share * (f64)total;
    u64 rank = (u64)product;
    if ((f64)rank < product) rank++;
    rank = rank < 1 ? 1 : rank > total ? total : rank;
    // Binary search, in which P[low] < rank <= P[high].
    u64 low = 0, high = p.bins;
    while (high - low > 1) {
        const u64 middle = low + (high - low) / 2;
        if (p.prefixes[middle] < rank) low = middle;
        else high = middle;
    }
    return low;
}

template <bool SHARES, class Query>
__device__ __forceinline__ u64 answer(const RangeHistogramParams& p, const Query& query) {
    if constexpr (SHARES) return bin_of(p, query);
    else return elements_of(p, query);
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_range_histogram(const __grid_constant__ RangeHistogramParams p) {
    for (u64 i = blockIdx.x * (u64)THREADS + threadIdx.x; i < p.n; i += (u64)gridDim.x * THREADS) {
        p.output[i] = answer<QUANTILES>(p, p.queries[i]);
    }
}
