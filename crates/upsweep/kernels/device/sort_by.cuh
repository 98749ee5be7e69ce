// Sort by a comparison, the first kernel: sorts tiles, which are then merged (device/merge.cuh). Stable.
//
//   each thread sorts its neighbouring elements in registers:    odd-even transposition: only neighbours change places
//   for width = 1, 2, 4, .. threads:                             two neighbouring runs of so many threads' elements are merged
//
// With values, a place goes along with each element; values are then fetched from where they are.

#pragma once

#include "block/barrier.cuh"
#include "tile/merge.cuh"

struct alignas(16) SortByShared {
    unsigned char keys[TILE_ROOM * sizeof(In)];
    u16 places[PAIRS ? TILE_ROOM : 1];
};

// Exchanges this thread's results with the others' through shared memory: all of them lie there in order behind it.
__device__ __forceinline__ void put_here(In* keys, u16* places, u32 mine, const In (&key)[MERGE_ITEMS], const u16 (&from)[PAIRS ? MERGE_ITEMS : 1]) {
#pragma unroll
    for (u32 i = 0; i < MERGE_ITEMS; i++) {
        keys[mine + i] = key[i];
        if constexpr (PAIRS) places[mine + i] = from[i];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) upsweep_sort_by(const __grid_constant__ SortByParams p) {
    __shared__ SortByShared shared;
    In* const keys = (In*)shared.keys;
    const u64 begin = (u64)blockIdx.x * TILE;
    const u32 number = (u32)min((u64)TILE, p.n - begin), mine = threadIdx.x * MERGE_ITEMS;
    In key[MERGE_ITEMS];
    u16 from[PAIRS ? MERGE_ITEMS : 1];
#pragma unroll
    for (u32 i = 0; i < MERGE_ITEMS; i++) {
        const u32 at = i * THREADS + threadIdx.x;
        if (at < number) key[i] = p.input[begin + at];
    }
#pragma unroll
    for (u32 i = 0; i < MERGE_ITEMS; i++) {
        const u32 at = i * THREADS + threadIdx.x;
        if (at < number) keys[at] = key[i];
    }
    __syncthreads();
    const u32 own = mine < number ? min(MERGE_ITEMS, number - mine) : 0;
#pragma unroll
    for (u32 i = 0; i < MERGE_ITEMS; i++) {
        if (i < own) key[i] = keys[mine + i];
        if constexpr (PAIRS) from[i] = (u16)(mine + i);
    }
#pragma unroll
    for (u32 round = 0; round < MERGE_ITEMS; round++) {
#pragma unroll
        for (u32 i = round % 2; i + 1 < MERGE_ITEMS; i += 2) {
            if (i + 1 < own && comes_before(key[i + 1], key[i])) {
                const In x = key[i];
                key[i] = key[i + 1], key[i + 1] = x;
                if constexpr (PAIRS) {
                    const u16 place = from[i];
                    from[i] = from[i + 1], from[i + 1] = place;
                }
            }
        }
    }
#pragma unroll 1
    for (u32 width = 1; width < THREADS; width *= 2) {
        __syncthreads();
        put_here(keys, shared.places, mine, key, from);
        __syncthreads();
        // The two runs, of which the second may be short, or not be there.
        const u32 first = threadIdx.x / (2 * width) * (2 * width) * MERGE_ITEMS, run = width * MERGE_ITEMS;
        const u32 left = first < number ? number - first : 0, of_a = min(left, run), of_both = min(left, 2 * run);
        if (mine < number) {
            merge_here(keys + first, of_a, of_both, mine - first, key, from);
            if constexpr (PAIRS) {
#pragma unroll
                for (u32 i = 0; i < MERGE_ITEMS; i++) from[i] = shared.places[first + from[i]];
            }
        }
    }
    __syncthreads();
    put_here(keys, shared.places, mine, key, from);
    __syncthreads();
#pragma unroll
    for (u32 i = 0; i < MERGE_ITEMS; i++) {
        const u32 at = i * THREADS + threadIdx.x;
        if (at < number) p.output[begin + at] = keys[at];
    }
    if constexpr (PAIRS) {
#pragma unroll 4
        for (u32 at = threadIdx.x; at < number; at += THREADS) {
            const u64 place = begin + shared.places[at];
            MergeValue value;
            if constexpr (POSITIONS) {
                if constexpr (VALUE_BYTES == 4) *(u32*)&value = (u32)place;
                else *(u64*)&value = place;
            } else {
                value = ((const MergeValue*)p.values)[place];
            }
            ((MergeValue*)p.values_output)[begin + at] = value;
        }
    }
}
