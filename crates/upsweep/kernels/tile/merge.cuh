// Two sorted arrays in shared memory become one: each thread merges its own results.

#pragma once

#include "warp/index.cuh"

constexpr u32 TILE = THREADS * MERGE_ITEMS;
constexpr u32 TILE_ROOM = TILE + MERGE_ITEMS;  // what is read past the end of one of two arrays is not taken
constexpr bool PAIRS = VALUE_BYTES > 0;
struct alignas(PAIRS ? VALUE_ALIGN : 1) MergeValue {
    unsigned char bytes[PAIRS ? VALUE_BYTES : 1];
};

// `less` of the job.
__device__ __forceinline__ bool comes_before(const In& a, const In& b) { return same_key(a, b); }

// How many of the first `result` results of two arrays in shared memory are elements of the first. One thread.
__device__ __forceinline__ u32 split_here(const In* a, u32 of_a, const In* b, u32 of_b, u32 result) {
    u32 low = result > of_b ? result - of_b : 0, high = result < of_a ? result : of_a;
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (comes_before(b[result - 1 - middle], a[middle])) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Results of a tile from `result` on, in `key`; where in the tile they are from, in `from`. One thread.
__device__ __forceinline__ void merge_here(const In* keys, u32 of_a, u32 number, u32 result, In (&key)[MERGE_ITEMS], u16 (&from)[PAIRS ? MERGE_ITEMS : 1]) {
    u32 a = split_here(keys, of_a, keys + of_a, number - of_a, result), b = of_a + result - a;
    In next_a = keys[a], next_b = keys[b];
#pragma unroll
    for (u32 i = 0; i < MERGE_ITEMS; i++) {
        const bool second = b < number && (a >= of_a || comes_before(next_b, next_a));
        key[i] = second ? next_b : next_a;
        if constexpr (PAIRS) from[i] = (u16)(second ? b : a);
        const In next = keys[second ? ++b : ++a];
        if (second) next_b = next;
        else next_a = next;
    }
}
