// The first kernel of a sort by a comparison: sorts tiles, which are then merged (merge/merge.cuh). Stable.
//
//   each thread sorts its neighbouring elements in registers:    odd-even transposition: only neighbours change places
//   for width = 1, 2, 4, .. threads:                             two neighbouring runs of `width` threads' elements are
//                                                                merged
//
// The threads of a warp synchronise with each other alone while runs are shorter than a warp's elements. With values, a
// position accompanies each element; the values are gathered afterwards.

#pragma once

#include "merge/tile.cuh"

constexpr u32 WARP_ITEMS = WARP * MERGE_ITEMS;

// Each warp has its own area of elements, as warps do not synchronise and the element after a run is read.
struct alignas(16) SortByShared {
    unsigned char keys[(TILE + WARPS + MERGE_ITEMS) * sizeof(In)];
    u16 places[PAIRS ? TILE + WARPS + MERGE_ITEMS : 1];
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) upsweep_sort_by(const __grid_constant__ SortByParams p) {
    __shared__ SortByShared shared;
    const u64 begin = (u64)blockIdx.x * TILE;
    const u32 number = (u32)min((u64)TILE, p.n - begin), mine = threadIdx.x * MERGE_ITEMS, warp_first = warp_index() * WARP_ITEMS;
    u32 apart = warp_index();
    In* keys = (In*)shared.keys + apart;
    const In* const input = p.input + begin;
    if (number == TILE) {
#pragma unroll 11
        for (u32 i = 0; i < MERGE_ITEMS; i++) keys[warp_first + i * WARP + lane_index()] = input[warp_first + i * WARP + lane_index()];
    } else {
        for (u32 at = warp_first + lane_index(); at < min(number, warp_first + WARP_ITEMS); at += WARP) keys[at] = input[at];
    }
    __syncwarp();
    In key[MERGE_ITEMS];
    u16 from[PAIRS ? MERGE_ITEMS : 1];
#pragma unroll
    for (u32 i = 0; i < MERGE_ITEMS; i++) {
        key[i] = keys[mine + i];
        if constexpr (PAIRS) from[i] = (u16)(mine + i);
    }
    if (mine < number && number < mine + MERGE_ITEMS) {
        // Padding of a thread with too few elements: copies of the greatest of them, after which they stay.
        In last = key[0];
#pragma unroll
        for (u32 i = 1; i < MERGE_ITEMS; i++) {
            if (mine + i < number && !comes_before(key[i], last)) last = key[i];
        }
#pragma unroll
        for (u32 i = 1; i < MERGE_ITEMS; i++) {
            if (mine + i >= number) key[i] = last;
        }
    }
#pragma unroll
    for (u32 round = 0; round < MERGE_ITEMS; round++) {
#pragma unroll
        for (u32 i = round % 2; i + 1 < MERGE_ITEMS; i += 2) {
            const bool changes = comes_before(key[i + 1], key[i]);
            const In x = key[i];
            key[i] = changes ? key[i + 1] : x, key[i + 1] = changes ? x : key[i + 1];
            if constexpr (PAIRS) {
                const u16 place = from[i];
                from[i] = changes ? from[i + 1] : place, from[i + 1] = changes ? place : from[i + 1];
            }
        }
    }
    const auto put = [&] {
        if (mine >= number) return;
#pragma unroll
        for (u32 i = 0; i < MERGE_ITEMS; i++) {
            keys[mine + i] = key[i];
            if constexpr (PAIRS) shared.places[apart + mine + i] = from[i];
        }
    };
#pragma unroll 1
    for (u32 width = 1; width < THREADS; width *= 2) {
        // Waits until the threads that have merged shorter runs have read these.
        if (width < WARP) __syncwarp();
        else __syncthreads();
        if (width == WARP) apart = 0, keys = (In*)shared.keys;
        put();
        if (width < WARP) __syncwarp();
        else __syncthreads();
        // The two runs that are merged. The second may be short, or empty.
        const u32 first = threadIdx.x / (2 * width) * (2 * width) * MERGE_ITEMS, run = width * MERGE_ITEMS;
        const u32 left = first < number ? number - first : 0, of_a = min(left, run);
        if (mine < number) {
            const Both both = {keys + first, keys + first + of_a, of_a, min(left - of_a, run)};
            const u32 result = mine - first;
            merge_here<true>(both, result, split_here(both, result, run), [&](u32 i, const In& element, u32 place) {
                key[i] = element;
                if constexpr (PAIRS) from[i] = shared.places[apart + first + place];
            });
        }
    }
    __syncthreads();
    apart = 0, keys = (In*)shared.keys;
    put();
    __syncthreads();
    In* const output = p.output + begin;
    if (number == TILE) {
#pragma unroll
        for (u32 i = 0; i < MERGE_ITEMS; i++) output[i * THREADS + threadIdx.x] = keys[i * THREADS + threadIdx.x];
    } else {
        for (u32 at = threadIdx.x; at < number; at += THREADS) output[at] = keys[at];
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
