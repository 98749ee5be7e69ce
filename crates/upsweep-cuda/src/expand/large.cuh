// Results of large tiles, in stretches that expand.cuh has listed: a block sums the tile's counts again, and stores one
// stretch. The order of the list makes no difference to the results.

#pragma once

#include "expand/tile.cuh"
#include "warp/scan.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) upsweep_expand_large(const __grid_constant__ ExpandParams p) {
    __shared__ Counts::Slot slots[Counts::SLOTS];
    __shared__ TileResults::Marks marks;
    __shared__ Rank starts[TileResults::STARTS];
    __shared__ u64 warp_totals[WARPS];
    for (u32 i = threadIdx.x; i < MARKS; i += THREADS) marks.at[i] = 0;
    const u64 number = *(const u64*)p.large;
    const Counts input((const Count*)p.counts, p.length ? min(*p.length, p.n) : p.n);
    for (u64 i = blockIdx.x; i < number; i += gridDim.x) {
        const Stretch stretch = stretches(p)[i];
        input.stage_tile(stretch.tile, slots);
        close_group();
        wait_groups<0>();

        // Computes the number of results before this thread's, `start`, and the number of the tile's, `all`.
        const OwnCounts counts(slots, tile_count(input.n, stretch.tile));
        u64 up_to = counts.sum();
#pragma unroll
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            const u64 lower = shuffle_up(up_to, distance);
            if (lane_index() >= distance) up_to = plus(lower, up_to);
        }
        u64 start = shuffle_up(up_to, 1);
        if (lane_index() == 0) start = 0;
        if (lane_index() == WARP - 1) warp_totals[warp_index()] = up_to;
        main_sync();
        u64 all = 0;
#pragma unroll
        for (u32 warp = 0; warp < WARPS; warp++) {
            if (warp == warp_index()) start = plus(start, all);
            all = plus(all, warp_totals[warp]);
        }

        const TileResults results{p, marks, starts, (u64)stretch.tile * TILE, (Result*)p.output + stretch.before};
        const i64 begin = (i64)stretch.number * LARGE_TILE - results.skew(), end = begin + LARGE_TILE;
        const i64 most = (i64)min(all, min(p.capacity - stretch.before, ~0ull >> 1));
        results.store<true, i64>(counts, (i64)min(start, ~0ull >> 1), max(begin, (i64)0), min(end, most));
    }
}
