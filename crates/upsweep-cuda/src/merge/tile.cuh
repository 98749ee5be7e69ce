// Merge of two sorted arrays in shared memory: each thread merges its own results.

#pragma once

#include "warp/index.cuh"

constexpr u32 TILE = THREADS * MERGE_ITEMS;
constexpr bool PAIRS = VALUE_BYTES > 0;
// Steps of a merge, each a kernel: to find the split of each cell (several tiles), the split of each tile, and to merge
// tiles (merge/merge.cuh).
constexpr u32 SPLITS_CELLS = 0, SPLITS_TILES = 1, MERGES = 2;
struct alignas(PAIRS ? VALUE_ALIGN : 1) MergeValue {
    unsigned char bytes[PAIRS ? VALUE_BYTES : 1];
};

// Whether `a` precedes `b` by the `less` of the job.
__device__ __forceinline__ bool comes_before(const In& a, const In& b) { return same_key(a, b); }

// Two sorted arrays in shared memory, of `of_a` and `of_b` elements. Elements after their ends may be read, but are not
// used: one, or MERGE_ITEMS if there are fewer results than a thread has. A bounds check before each read slowed the
// sort of tiles from 2,240 us to 3,640 (H200, 2026-11-24, 2^28 u32).
struct Both {
    const In *a, *b;
    u32 of_a, of_b;
};

// Returns the number of elements of the first array among the first `result` results. The shorter array has at most
// `most` elements. Each thread calls it alone. Steps are halves of `most`: if it is no power of two, the lanes' probes
// lie in different banks more often.
__device__ __forceinline__ u32 split_here(const Both& both, u32 result, u32 most) {
    const u32 low = result > both.of_b ? result - both.of_b : 0;
    const In *a = both.a + low, *b = both.b + (result - low);
    u32 left = min(result, both.of_a) - low, split = low;  // limit of further elements of a; how many so far
#pragma unroll
    for (u32 range = most; range > 0; range /= 2) {
        const u32 step = (range + 1) / 2;
        if (step <= left && !comes_before(*(b - step), a[step - 1])) a += step, b -= step, left -= step, split += step;
    }
    return split;
}

// Merges the MERGE_ITEMS results after the first `result`, of which `split` are from the first array. Calls put(i,
// element, place) for each. The place of an element of the first array is its index there, of the second its index plus
// of_a. ENDS: an array may end within these results.
template <bool ENDS, class Put>
__device__ __forceinline__ void merge_here(const Both& both, u32 result, u32 split, const Put& put) {
    const In *a = both.a + split, *b = both.b + (result - split);
    const In *const behind_a = both.a + both.of_a, *const behind_b = both.b + both.of_b;
    const u32 of_first = both.of_a + result;
    u32 place = split;
    In next_a = *a, next_b = *b;
#pragma unroll
    for (u32 i = 0; i < MERGE_ITEMS; i++) {
        bool second = comes_before(next_b, next_a);
        if constexpr (ENDS) second = a >= behind_a || (second && b < behind_b);
        put(i, second ? next_b : next_a, second ? of_first + i - place : place);
        if (!second) place++;
        if (i + 1 < MERGE_ITEMS) {
            const In next = *(second ? ++b : ++a);
            if (second) next_b = next;
            else next_a = next;
        }
    }
}

// Merges this thread's MERGE_ITEMS results from index `result` on, and calls `put` as merge_here does. The shorter
// array has at most MOST elements. Called by all lanes of a warp.
template <u32 MOST, class Put>
__device__ __forceinline__ void merge_both(const Both& both, u32 result, const Put& put) {
    const u32 begin = min(result, both.of_a + both.of_b), split = split_here(both, begin, MOST);
    const bool ends = both.of_a - split < MERGE_ITEMS || both.of_b - (begin - split) < MERGE_ITEMS;
    if (__any_sync(~0u, ends)) merge_here<true>(both, begin, split, put);
    else merge_here<false>(both, begin, split, put);
}
