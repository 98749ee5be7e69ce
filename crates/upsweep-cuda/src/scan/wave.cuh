// Scan of an array that the blocks of one wave hold in shared memory all at once, and reduction by segment: for short
// arrays, whose time is the number of latencies in sequence.
//
//   block b has part b of the array: some neighbouring tiles
//       stage all its tiles                         one latency of memory
//       reduce them, publish the part's aggregate
//       read the aggregates of all parts before     one wait for other blocks
//       rescan the tiles, store
//
// In contrast to scan.cuh, there are no tickets, so no block waits for one, and every block adds up all parts before
// it, so no wait depends on another wait. The parts depend on the number of elements and the types alone, and the
// aggregates are combined in a fixed shape: floats give the same bits in every run.
//
// Progress. A block waits for blocks of lower numbers only, and GPUs start the blocks of a grid in ascending order, so
// the blocks waited for run or are done, however few blocks are resident at once.
//
// Memory ordering. Between blocks: status.cuh, workspace.cuh. Inside a block: a warp reads only elements that it staged
// itself (stage.cuh); all else that the warps share is written before a barrier of the block and read after it.
//
// In place: a tile is staged before it is stored, and nothing else reads its elements.

#pragma once

#include "memory/status.cuh"
#include "tile/offsets.cuh"
#include "tile/scan.cuh"

using Entry = Status<State>;

struct Shared {
    State warp_totals[MOST_TILES][WARPS];
    State tile_totals[MOST_TILES];
    ThreadPrefixes kept[MOST_TILES];
    State before[WARPS];  // for each warp, the combination of its share of the parts before this block's
    Marks marks[MARKED ? MOST_TILES : 1];
    OffsetRange found[HEADS == Heads::OFFSETS ? MOST_TILES : 1];
    u32 epoch;
};

// Waits until at most `pending` groups of copies are in flight; for more than 3, at most 3.
__device__ __forceinline__ void wait_groups_but(u32 pending) {
    switch (pending) {
        case 0: return wait_groups<0>();
        case 1: return wait_groups<1>();
        case 2: return wait_groups<2>();
        default: return wait_groups<3>();
    }
}

// Returns in lane 0 the combination of the first `tiles` tiles of this block's part, all of which are full, and stores
// the total of each. Called by warp 0.
__device__ __forceinline__ State add_up_tiles(Shared& shared, u32 tiles) {
    State sum;
    for (u32 k = 0; k < tiles; k++) {
        const State total = warp_reduce(shared.warp_totals[k][min(lane_index(), WARPS - 1)], WARPS);
        if (lane_index() == 0) shared.tile_totals[k] = total;
        sum = k == 0 ? total : combine(sum, total);
    }
    return sum;
}

// Combines the published aggregates of this warp's share of the parts before `part`, which is not part 0, and stores
// the combination in `before`. Returns the number of warps with a share.
__device__ __forceinline__ u32 look_back(const Workspace& space, u32 part, u32 epoch, State* before) {
    const u32 share = (part + THREADS - 1) / THREADS;  // number of neighbouring parts of a thread
    const u32 threads = (part + share - 1) / share;    // number of threads that have some
    const u32 first = threadIdx.x * share, begin = warp_index() * WARP;
    State sum;
    for (u32 i = first; i < first + share && i < part; i++) {
        const State value = Entry::wait(space, i, epoch);
        sum = i == first ? value : combine(sum, value);
    }
    const u32 lanes = begin < threads ? min(threads - begin, WARP) : 0;
    if (lanes > 0) {
        sum = warp_reduce(sum, lanes);
        if (lane_index() == 0) before[warp_index()] = sum;
    }
    return (threads + WARP - 1) / WARP;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) upsweep_wave(const __grid_constant__ ScanParams given) {
    __shared__ Shared shared;
    const u64 tiles = tile_number(given.n);
    const bool alone = gridDim.x == 1, last = blockIdx.x == gridDim.x - 1;
    const u32 part = alone ? (u32)tiles : (u32)((tiles + MOST_PARTS - 1) / MOST_PARTS);  // number of tiles of a block
    const u64 first = (u64)blockIdx.x * part;
    const u32 mine = (u32)min((u64)part, tiles - first);
    const Input input(given.input, given.n);
    const bool out_aligned = results_aligned(output_of(given), given.n);
    for (u32 k = 0; k < mine; k++) {
        input.stage_tile(first + k, tile_slots(dynamic_shared, k), [&](u64 i) {
            if (READ_MARKS) prefetch_sources(given, i);
        });
        close_group();
    }
    if (threadIdx.x == 0 && !alone) shared.epoch = current_epoch(given.workspace);
    const Params p(given);
    if constexpr (HEADS == Heads::OFFSETS) {
        static_assert(MOST_TILES < WARPS, "a warp finds the offsets of a tile, and the others check");
        const u32 k = warp_index();
        if (k < mine) {
            const OffsetRange found = Finder(p, tiles).find(p, (u32)first + k);
            if (lane_index() == 0) shared.found[k] = found;
            mark_first(p, first + k, found, shared.marks[k], nullptr);
        } else {
            for (u32 i = 0; i < mine; i++) {
                const Share share = Share::of(p, first + i);
                check_offsets<4>(p, share.begin, share.middle(), threadIdx.x - mine * WARP, THREADS - mine * WARP);
            }
            if (blockIdx.x == 0 && threadIdx.x == THREADS - 1) check_ends(p);
        }
        __syncthreads();
        for (u32 i = 0; i < mine; i++) {
            mark_others(p, first + i, shared.found[i], shared.marks[i]);
            check_others(p, first + i);
        }
        __syncthreads();
    }

    for (u32 k = 0; k < mine; k++) {
        const u64 tile = first + k;
        const u32 count = tile_count(p.n, tile);
        Slot* const staged = tile_slots(dynamic_shared, k);
        Marks& marks = shared.marks[MARKED ? k : 0];
        mark_heads(p, tile * TILE, count, marks);
        wait_groups_but(mine - 1 - k);
        if (ALL_FULL || count == TILE) reduce_tile<true>(p, tile * TILE, count, staged, marks, shared.warp_totals[k], shared.kept[k]);
        else reduce_tile<false>(p, tile * TILE, count, staged, marks, shared.warp_totals[k], shared.kept[k]);
    }
    __syncthreads();
    const u32 epoch = alone ? 0 : shared.epoch;
    if (warp_index() == 0) {
        const State sum = add_up_tiles(shared, last ? mine - 1 : mine);
        if (lane_index() == 0 && !last) Entry::put(p.workspace, blockIdx.x, sum, epoch);
    }
    bool any = blockIdx.x > 0;
    const u32 warps = any ? look_back(p.workspace, blockIdx.x, epoch, shared.before) : 0;
    __syncthreads();
    if (threadIdx.x == 0 && last && !alone) prepare_next_launch(p.workspace, epoch);  // it has seen all other words
    State before;
    if (any) before = shuffle(warp_reduce(shared.before[min(lane_index(), WARPS - 1)], warps), 0);

    for (u32 k = 0; k < mine; k++) {
        const u64 tile = first + k;
        const u32 count = tile_count(p.n, tile);
        Slot* const staged = tile_slots(dynamic_shared, k);
        const Marks& marks = shared.marks[MARKED ? k : 0];
        // Exclusive prefix of this warp in the array.
        const u32 warp = warp_index(), warps = warps_with_elements(count);
        const State lower = shuffle(lower_warps(shared.warp_totals[k], min(warp + 1, warps)), warp);
        const State before_warp = warp == 0 || warp >= warps ? before : any ? combine(before, lower) : lower;
        const bool some = any || warp > 0;
        if (ALL_FULL || count == TILE) rescan_tile<true>(p, tile * TILE, count, staged, marks, shared.kept[k], some, before_warp, out_aligned);
        else rescan_tile<false>(p, tile * TILE, count, staged, marks, shared.kept[k], some, before_warp, out_aligned);
        if (k + 1 < mine) before = any ? combine(before, shared.tile_totals[k]) : shared.tile_totals[k];
        any = true;
    }
    if constexpr (CARRIES) {
        if (last && threadIdx.x == 0) {
            const u32 warps = warps_with_elements(tile_count(p.n, tiles - 1));
            const State* const totals = shared.warp_totals[mine - 1];
            State prefix = before;  // exclusive prefix of the last tile, and then of its last warp
            bool some = mine > 1 || blockIdx.x > 0;
            for (u32 warp = 0; warp + 1 < warps; warp++) {
                prefix = some ? combine(prefix, totals[warp]) : totals[warp];
                some = true;
            }
            store_carry(p, totals, warps, some, prefix);
        }
    }
    if (!alone) finish_launch(p.workspace, epoch, gridDim.x);
}
