// Merge: two sorted arrays as one. Stable: of equal elements those of the first array come first.
//
// A tile is TILE neighbouring results; where it begins in both arrays is a split: so many elements of the first, and the rest of the
// second (Green, McColl and Bader, "GPU Merge Path", 2012). A block has neighbouring tiles, so that it searches for the first split
// alone in the whole of both arrays. One warp finds the splits, a tile ahead:
//
//   finder     the end of tile t + 1: among as many elements of the first array as a tile has, with 32 probes at a time
//   mergers    the tile's elements of both arrays to shared memory
//              each thread the split of its own results there, and then these, one after the other
//              results to shared memory, and from there to global memory, side by side
//              with values also where each result has come from, and the values from there
//
// Runs of a sort (`run` > 0) are merged in pairs: the two arrays are neighbouring runs of one, which begin at multiples of it.
//
// Where the arrays are not sorted, or `less` is no order, the splits of a block still ascend and stay in the arrays.

#pragma once

#include "block/barrier.cuh"
#include "tile/merge.cuh"

constexpr u32 FINDERS = WARP;  // threads that find splits
// Two arrays that are merged: of a sort, two neighbouring runs.
struct Merged {
    const In *a, *b;
    u64 of_a, of_b;
    u64 first;  // the place of the first result
};

__device__ __forceinline__ Merged merged_at(const MergeParams& p, u64 result) {
    if (p.run == 0) return {p.a, p.b, p.of_a, p.of_b, 0};
    const u64 first = result / (2 * p.run) * (2 * p.run), left = p.of_a - first, of_a = left < p.run ? left : p.run;
    return {p.a + first, p.a + first + of_a, of_a, left - of_a < p.run ? left - of_a : p.run, first};
}

// How many of the first `result` results are elements of the first array: from `low` to `high`. All lanes of a warp.
__device__ __forceinline__ u64 find_split(const Merged& m, u64 result, u64 low, u64 high) {
    while (low < high) {
        const u64 step = (high - low + WARP - 1) / WARP, probe = low + lane_index() * step;
        const bool before = probe < high && !comes_before(m.b[result - 1 - probe], m.a[probe]);
        const u32 number = __popc(__ballot_sync(~0u, before));
        high = min(high, low + number * step);
        if (number > 0) low += (number - 1) * step + 1;
    }
    return low;
}
// A tile: its results, and how many elements of the first array come before it and before its end.
struct MergeTile {
    u64 begin, end, first_split, last_split;
};

// The tile that begins at result `begin`, of which so many elements of the first array come before. All lanes of a warp.
__device__ __forceinline__ MergeTile tile_at(const MergeParams& p, u64 begin, u64 split, u64 end_of_block) {
    const Merged m = merged_at(p, begin);
    // It ends where the block's results or the two arrays do.
    const u64 left = m.first + m.of_a + m.of_b - begin, in_block = end_of_block - begin;
    const u64 number = min(min(left, in_block), (u64)TILE), result = begin + number - m.first;
    const u64 low = result > m.of_b && result - m.of_b > split ? result - m.of_b : split;
    return {begin, begin + number, split, find_split(m, result, low, min(split + number, m.of_a))};
}

struct alignas(16) MergeShared {
    unsigned char keys[TILE_ROOM * (PAIRS && sizeof(In) < sizeof(u16) ? sizeof(u16) : sizeof(In))];  // or the results' places
    MergeTile tiles[2];  // a tile and the next one, in turns
};

extern "C" __global__ void __launch_bounds__(THREADS + FINDERS, BLOCKS) upsweep_merge(const __grid_constant__ MergeParams p) {
    __shared__ MergeShared shared;
    const u64 total = p.run == 0 ? p.of_a + p.of_b : p.of_a, begin = (u64)blockIdx.x * p.part;
    if (begin >= total) return;
    const u64 end = min(total, begin + p.part);
    const bool finds = threadIdx.x >= THREADS;
    MergeTile tile;
    if (finds) {
        const Merged m = merged_at(p, begin);
        const u64 result = begin - m.first;
        tile = tile_at(p, begin, find_split(m, result, result > m.of_b ? result - m.of_b : 0, min(result, m.of_a)), end);
        if (lane_index() == 0) shared.tiles[0] = tile;
    }
    for (u32 turn = 0;; turn ^= 1) {
        __syncthreads();  // the tile is there, and the one before has been stored
        tile = shared.tiles[turn];
        const Merged m = merged_at(p, tile.begin);
        const bool more = tile.end < end;
        if (finds) {
            if (!more) return;
            // Behind two runs the next two begin.
            const u64 split = tile.end < m.first + m.of_a + m.of_b ? tile.last_split : 0;
            const MergeTile next = tile_at(p, tile.end, split, end);
            if (lane_index() == 0) shared.tiles[turn ^ 1] = next;
            continue;
        }
        const u32 number = (u32)(tile.end - tile.begin), of_a = (u32)(tile.last_split - tile.first_split);
        const u64 first_b = tile.begin - m.first - tile.first_split;
        const In* const a = m.a + tile.first_split;
        const In* const b = m.b + first_b;
        In* const keys = (In*)shared.keys;
        In key[MERGE_ITEMS];
#pragma unroll
        for (u32 i = 0; i < MERGE_ITEMS; i++) {
            const u32 at = i * THREADS + threadIdx.x;
            if (at < number) key[i] = at < of_a ? a[at] : b[at - of_a];
        }
#pragma unroll
        for (u32 i = 0; i < MERGE_ITEMS; i++) {
            const u32 at = i * THREADS + threadIdx.x;
            if (at < number) keys[at] = key[i];
        }
        main_sync();
        u16 from[PAIRS ? MERGE_ITEMS : 1];
        const u32 mine = threadIdx.x * MERGE_ITEMS;
        if (mine < number) merge_here(keys, of_a, number, mine, key, from);
        main_sync();
#pragma unroll
        for (u32 i = 0; i < MERGE_ITEMS; i++) {
            if (mine + i < number) keys[mine + i] = key[i];
        }
        main_sync();
        In* const to = p.output + tile.begin;
#pragma unroll
        for (u32 i = 0; i < MERGE_ITEMS; i++) {
            const u32 at = i * THREADS + threadIdx.x;
            if (at < number) to[at] = keys[at];
        }
        if constexpr (PAIRS) {
            u16* const places = (u16*)shared.keys;
            main_sync();
#pragma unroll
            for (u32 i = 0; i < MERGE_ITEMS; i++) {
                if (mine + i < number) places[mine + i] = from[i];
            }
            main_sync();
            const MergeValue* const values_a = (const MergeValue*)p.values_a + m.first + tile.first_split;
            const MergeValue* const values_b = (const MergeValue*)p.values_b + (p.run == 0 ? 0 : m.first + m.of_a) + first_b;
            MergeValue* const values_to = (MergeValue*)p.values_output + tile.begin;
#pragma unroll 4
            for (u32 at = threadIdx.x; at < number; at += THREADS) {
                const u32 place = places[at];
                values_to[at] = place < of_a ? values_a[place] : values_b[place - of_a];
            }
        }
        if (!more) return;
    }
}
