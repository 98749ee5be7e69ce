// Merge of two sorted arrays. Stable: equal elements of the first array precede those of the second.
//
// A tile is TILE neighbouring results. Its split is its begin in both arrays: a number of elements of the first array,
// and the rest of the second (Green, McColl and Bader, "GPU Merge Path", 2012). A cell is several neighbouring tiles.
// Three steps, each a launch; with few tiles the first and the last one:
//
//   cells      a warp finds the split of a cell by a search in both arrays, with 32 probes at a time; with few tiles
//              each is a cell
//   tiles      a thread finds the split of a tile: by interpolation between the splits of its cell, then steps of
//              growing width, then halving, so that it reads few sectors
//   merge      a block for each tile: copies its elements of both arrays to shared memory
//              each thread finds the split of its own results there, and merges them sequentially
//              results go to shared memory, and each warp stores its own from there to global memory, coalesced
//              with values: the source of each result as well, through which the values are gathered
//
// Elements are copied to shared memory at their address modulo 16, so that copies are of 16 bytes, whatever the arrays'
// addresses.
//
// If the arrays are not sorted, or `less` is no order, the splits of tiles still ascend and stay in the arrays.

#pragma once

#include "merge/lines.cuh"
#include "merge/tile.cuh"

// Finds the split of each cell, its begin in both arrays, with one warp for each cell. The first cell begins at 0 in
// both.
__device__ __forceinline__ void split_cells(const MergeParams& p) {
    const u64 cell = (u64)blockIdx.x * (SPLITTERS / WARP) + warp_index() + 1, result = cell * p.cell;
    if (result >= p.of_a + p.of_b) return;
    u64 low = result > p.of_b ? result - p.of_b : 0, high = min(result, p.of_a);
    while (low < high) {
        const u64 step = (high - low + WARP - 1) / WARP, probe = low + lane_index() * step;
        const bool before = probe < high && !comes_before(p.b[result - 1 - probe], p.a[probe]);
        const u32 number = __popc(__ballot_sync(~0u, before));
        high = min(high, low + number * step);
        if (number > 0) low += (number - 1) * step + 1;
    }
    if (lane_index() == 0) p.cell_splits[cell] = low;
}

// Finds the split of each tile, its begin in both arrays, with one thread for each tile.
__device__ __forceinline__ void split_tiles(const MergeParams& p) {
    const u64 tile = (u64)blockIdx.x * SPLITTERS + threadIdx.x, result = tile * TILE, total = p.of_a + p.of_b;
    if (result >= total) return;
    const u64 cell = result / p.cell;
    u64 first = 0, first_split = 0, last = total, last_split = p.of_a;
    if (cell > 0) first = cell * p.cell, first_split = p.cell_splits[cell];
    if ((cell + 1) * p.cell < total) last = (cell + 1) * p.cell, last_split = p.cell_splits[cell + 1];
    u64 low = result > p.of_b ? result - p.of_b : 0, high = min(result, p.of_a);
    // Bounds by the cell: at most all of its results before this one, and at most all after it, are elements of the
    // first array.
    low = min(max(low, max(first_split, last_split > last - result ? last_split - (last - result) : 0)), high);
    high = max(min(high, min(last_split, first_split + (result - first))), low);
    const f32 share = (f32)(i64)(last_split - first_split) / (f32)(last - first);
    u64 probe = first_split + (u64)(i64)((f32)(result - first) * share), step = 64;
    bool above = false, below = false;  // whether a probe was before the tile's split; whether one was after it
    while (low < high) {
        probe = min(max(probe, low), high - 1);
        const bool behind = comes_before(p.b[result - 1 - probe], p.a[probe]);
        if (behind) high = probe, below = true;
        else low = probe + 1, above = true;
        if (above && below) probe = (low + high) / 2;
        else if (below) probe = high > low + step ? high - step : low;
        else probe = low + step;
        step *= 4;
    }
    p.tile_splits[tile] = low;
}

// Number of 16-byte lines of the stage: room for a tile's elements of both arrays, each padded to whole lines, and for
// up to MERGE_ITEMS elements that threads read past their ends.
constexpr u32 STAGE_LINES = (TILE * sizeof(In) + MERGE_ITEMS * sizeof(In) + 3 * LINE - 1) / LINE + 1;

struct MergeShared {
    Line stage[STAGE_LINES];  // elements of both arrays; then the results
    u16 places[PAIRS ? TILE : 1];
};

__device__ __forceinline__ void merge_tile(const MergeParams& p) {
    __shared__ MergeShared shared;
    const u64 total = p.of_a + p.of_b, begin = (u64)blockIdx.x * TILE, end = min(total, begin + TILE);
    const u32 number = (u32)(end - begin);
    // Tile 0 begins at 0 in both arrays. If it is the only tile, no split of it is stored.
    const u64 split = blockIdx.x == 0 ? 0 : p.tile_splits[blockIdx.x], first_b = begin - split;
    const u64 next = end == total ? p.of_a : p.tile_splits[blockIdx.x + 1];
    const u64 last_split = max(max(split, end > p.of_b ? end - p.of_b : 0), min(min(split + number, p.of_a), next));
    const u32 of_a = (u32)(last_split - split), of_b = number - of_a;
    const u32 a_at = copy_lines<THREADS>(shared.stage, p.a + split, of_a, p.a, p.a + p.of_a, threadIdx.x);
    Line* const b_lines = shared.stage + (a_at + of_a * (u32)sizeof(In) + LINE - 1) / LINE;
    const u32 b_at = copy_lines<THREADS>(b_lines, p.b + first_b, of_b, p.b, p.b + p.of_b, threadIdx.x);
    close_group();
    wait_copies<0>();
    __syncthreads();
    const Both both = {(const In*)(shared.stage->bytes + a_at), (const In*)(b_lines->bytes + b_at), of_a, of_b};
    const u32 mine = threadIdx.x * MERGE_ITEMS;
    In key[MERGE_ITEMS];
    u16 from[PAIRS ? MERGE_ITEMS : 1];
    merge_both<TILE / 2>(both, mine, [&](u32 i, const In& element, u32 place) {
        key[i] = element;
        if constexpr (PAIRS) from[i] = (u16)place;
    });
    __syncthreads();
    In* const results = (In*)shared.stage->bytes;
#pragma unroll
    for (u32 i = 0; i < MERGE_ITEMS; i++) {
        results[mine + i] = key[i];
        if constexpr (PAIRS) shared.places[mine + i] = from[i];
    }
    __syncwarp();
    const u32 warp_first = warp_index() * WARP * MERGE_ITEMS;
    const u32 of_warp = warp_first < number ? min(WARP * MERGE_ITEMS, number - warp_first) : 0;
    store_lines(p.output + begin + warp_first, (const Line*)(results + warp_first), of_warp);
    if constexpr (PAIRS) {
        const MergeValue *const values_a = (const MergeValue*)p.values_a + split, *const values_b = (const MergeValue*)p.values_b + first_b;
        MergeValue* const values_to = (MergeValue*)p.values_output + begin + warp_first;
#pragma unroll 4
        for (u32 i = lane_index(); i < of_warp; i += WARP) {
            const u32 place = shared.places[warp_first + i];
            values_to[i] = place < of_a ? values_a[place] : values_b[place - of_a];
        }
    }
}

// Each step is compiled alone: a function with captured values reads them by the name of the kernel's parameters.
extern "C" __global__ void __launch_bounds__(MERGE_STEP == MERGES ? THREADS : SPLITTERS, MERGE_STEP == MERGES ? BLOCKS : 1) upsweep_merge(const __grid_constant__ MergeParams p) {
    if constexpr (MERGE_STEP == SPLITS_CELLS) split_cells(p);
    else if constexpr (MERGE_STEP == SPLITS_TILES) split_tiles(p);
    else merge_tile(p);
}
