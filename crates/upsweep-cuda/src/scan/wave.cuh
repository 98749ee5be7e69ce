// Scan of an array that the blocks of one wave hold in shared memory all at once, and reduction by segment: for short
// arrays, whose time is the number of latencies in sequence.
//
//   block b has part b of the array: some neighbouring tiles
//       stage all its tiles                         one latency of memory
//       reduce them, publish the part's aggregate
//       read the aggregates of all parts before     one wait for other blocks; of float sums, of all tiles before, in
//                                                   the same line
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
#include "tile/tree.cuh"

using Entry = Status<State>;

// Waits until at most `pending` groups of copies are in flight; for more than 3, at most 3.
__device__ __forceinline__ void wait_groups_but(u32 pending) {
    switch (pending) {
        case 0: return wait_groups<0>();
        case 1: return wait_groups<1>();
        case 2: return wait_groups<2>();
        default: return wait_groups<3>();
    }
}

// A block's part of the array.
struct Part {
    u64 first;  // its first tile
    u32 tiles;
    bool last;  // whether it is the array's last part
    u32 epoch;
};

// A block's part, by the passes of scan.cuh: a block publishes the aggregate of its part.
struct WarpParts {
    struct Shared {
        State warp_totals[MOST_TILES][WARPS];
        State tile_totals[MOST_TILES];
        ThreadPrefixes kept[MOST_TILES];
        State before[WARPS];  // for each warp, the combination of its share of the parts before this block's
    };

    template <bool FULL>
    static __device__ __forceinline__ void reduce(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, Shared& shared, u32 k) {
        reduce_tile<FULL>(p, begin, count, slots, marks, shared.warp_totals[k], shared.kept[k]);
    }

    // Returns in lane 0 the combination of the first `tiles` tiles of this block's part, all of which are full, and stores
    // the total of each. Called by warp 0.
    static __device__ __forceinline__ State add_up_tiles(Shared& shared, u32 tiles) {
        State sum;
        for (u32 k = 0; k < tiles; k++) {
            const State total = aggregate_of(shared.warp_totals[k]);
            if (lane_index() == 0) shared.tile_totals[k] = total;
            sum = k == 0 ? total : combine(sum, total);
        }
        return sum;
    }

    // Combines the published aggregates of this warp's share of the parts before `part`, which is not part 0, and stores
    // the combination in `before`. Returns the number of warps with a share.
    static __device__ __forceinline__ u32 look_back(const Workspace& space, u32 part, u32 epoch, State* before) {
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

    // Publishes what other blocks wait for, and waits for what the part's results need. Called by all threads.
    static __device__ __forceinline__ void exchange(const Params& p, const Part& part, Shared& shared, u32& warps) {
        if (warp_index() == 0) {
            const State sum = add_up_tiles(shared, part.last ? part.tiles - 1 : part.tiles);
            if (lane_index() == 0 && !part.last) Entry::put(p.workspace, blockIdx.x, sum, part.epoch);
        }
        warps = blockIdx.x > 0 ? look_back(p.workspace, blockIdx.x, part.epoch, shared.before) : 0;
    }

    // Computes and stores the results. Called by all threads after a barrier.
    static __device__ __forceinline__ void finish(const Params& p, const Part& part, const Marks* all_marks, Shared& shared, u32 warps, bool aligned) {
        bool any = blockIdx.x > 0;
        State before;
        if (any) before = shuffle(warp_reduce(shared.before[min(lane_index(), WARPS - 1)], warps), 0);
        for (u32 k = 0; k < part.tiles; k++) {
            const u64 tile = part.first + k;
            const u32 count = tile_count(p.n, tile);
            Slot* const staged = tile_slots(dynamic_shared, k);
            const Marks& marks = all_marks[MARKED ? k : 0];
            // Exclusive prefix of this warp in the array.
            const u32 warp = warp_index(), warps = warps_with_elements(count);
            const State lower = shuffle(lower_warps(shared.warp_totals[k], min(warp + 1, warps)), warp);
            const State before_warp = warp == 0 || warp >= warps ? before : any ? combine(before, lower) : lower;
            const bool some = any || warp > 0;
            if (ALL_FULL || count == TILE) rescan_tile<true>(p, tile * TILE, count, staged, marks, shared.kept[k], some, before_warp, aligned);
            else rescan_tile<false>(p, tile * TILE, count, staged, marks, shared.kept[k], some, before_warp, aligned);
            if (k + 1 < part.tiles) before = any ? combine(before, shared.tile_totals[k]) : shared.tile_totals[k];
            any = true;
        }
        if (CARRIES && part.last && threadIdx.x == 0) {
            const u32 warps = warps_with_elements(tile_count(p.n, part.first + part.tiles - 1));
            const State* const totals = shared.warp_totals[part.tiles - 1];
            State prefix = before;  // exclusive prefix of the last tile, and then of its last warp
            bool some = part.tiles > 1 || blockIdx.x > 0;
            for (u32 warp = 0; warp + 1 < warps; warp++) {
                prefix = some ? combine(prefix, totals[warp]) : totals[warp];
                some = true;
            }
            store_carry(p, totals, warps, some, prefix);
        }
    }
};

// A block's part, by the passes of tree.cuh: a block publishes the aggregate of each tile, as chains begin anew at each
// span, wherever parts begin.
template <class V>
struct TreeParts {
    using Chains = Tree<V>;
    static constexpr u32 MOST = MOST_PARTS * MOST_TILES;
    static constexpr u32 AT_ONCE = 4;  // entries that a thread loads before it waits for them

    // Totals of the tiles before this block's, in spans of one place more than they have tiles, against bank conflicts;
    // totals of the spans; the chain of the tiles before this block's in its span.
    struct Shared {
        typename Chains::Tile tiles[MOST_TILES];
        V before[MOST + MOST / GROUP], spans[MOST / GROUP + 1], open;
        u8 before_heads[SEGMENTED ? MOST : 1], spans_heads[SEGMENTED ? MOST / GROUP + 1 : 1];
        u32 open_heads;
    };
    static __device__ __forceinline__ State before(const Shared& shared, u32 tile) {
        return state_of<State>(shared.before[tile + tile / GROUP], SEGMENTED ? shared.before_heads[tile] : 0);
    }
    static __device__ __forceinline__ State span(const Shared& shared, u32 g) {
        return state_of<State>(shared.spans[g], SEGMENTED ? shared.spans_heads[g] : 0);
    }

    template <bool FULL>
    static __device__ __forceinline__ void reduce(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, Shared& shared, u32 k) {
        Chains::template reduce<FULL>(p, begin, count, slots, marks, shared.tiles[k]);
    }

    // Returns the number of tiles before the block's first, in its line.
    static __device__ __forceinline__ u32 before_in_line(const Params& p, const Part& part) {
        const u32 first = (u32)part.first;
        return LINED ? first - line_of_tile(p, first) * (u32)p.tiles_of_line : first;
    }

    static __device__ __forceinline__ void exchange(const Params& p, const Part& part, Shared& shared, u32&) {
        // Each tile is published by a warp of its own, where there are as many warps.
        for (u32 k = warp_index(); k < part.tiles; k += WARPS) {
            if (!part.last || k + 1 < part.tiles) {
                const State total = Chains::total_of(shared.tiles[k]);
                if (lane_index() == 0) Entry::put(p.workspace, part.first + k, total, part.epoch);
            }
            Chains::leave_groups(shared.tiles[k]);
        }
        const u32 tiles = before_in_line(p, part), spans = tiles / GROUP;
        const u64 begin = part.first - tiles;
        for (u32 from = threadIdx.x; from < tiles; from += AT_ONCE * THREADS) {
            typename Entry::Raw found[AT_ONCE];
#pragma unroll
            for (u32 i = 0; i < AT_ONCE; i++) {
                if (from + i * THREADS < tiles) found[i] = Entry::load(p.workspace, begin + from + i * THREADS);
            }
#pragma unroll
            for (u32 i = 0; i < AT_ONCE; i++) {
                const u32 tile = from + i * THREADS;
                if (tile >= tiles) break;
                const State total = found[i].is_of(part.epoch) ? found[i].value() : Entry::wait(p.workspace, begin + tile, part.epoch);
                shared.before[tile + tile / GROUP] = value_of(total);
                if constexpr (SEGMENTED) shared.before_heads[tile] = heads_of(total) != 0;
            }
        }
        __syncthreads();
        // The last thread has the open span, the others the whole ones.
        for (u32 g = threadIdx.x == THREADS - 1 ? spans : threadIdx.x; g <= spans; g += THREADS - 1) {
            if (g == spans && threadIdx.x != THREADS - 1) break;
            State chain = Chains::none();
            const u32 begin = g * GROUP, end = min(begin + GROUP, tiles);
#pragma unroll 8
            for (u32 tile = begin; tile < end; tile++) chain = combine(chain, before(shared, tile));
            V& to = g == spans ? shared.open : shared.spans[g];
            to = value_of(chain);
            if (g == spans) shared.open_heads = heads_of(chain) != 0;
            else if (SEGMENTED) shared.spans_heads[g] = heads_of(chain) != 0;
        }
    }

    static __device__ __forceinline__ void finish(const Params& p, const Part& part, const Marks* all_marks, Shared& shared, u32, bool aligned) {
        static_assert(MOST_TILES <= WARPS, "a warp finds the bases of a tile");
        const u32 mine = warp_index(), first = before_in_line(p, part);
        if (mine < part.tiles) {
            State spans = Chains::none(), tiles = state_of<State>(shared.open, shared.open_heads);
#pragma unroll 8
            for (u32 g = 0; g < first / GROUP; g++) spans = combine(spans, span(shared, g));
            u32 at = first;  // number of tiles before the next one in its line
            for (u32 k = 0; k < mine; k++) {
                tiles = combine(tiles, Chains::total_of(shared.tiles[k]));
                at++;
                if (LINED && at == (u32)p.tiles_of_line) at = 0, spans = Chains::none(), tiles = Chains::none();
                else if (at % GROUP == 0) spans = combine(spans, tiles), tiles = Chains::none();
            }
            if (lane_index() == 0) Chains::leave_before(shared.tiles[mine], tiles, spans);
        }
        __syncthreads();
        for (u32 k = 0; k < part.tiles; k++) {
            const auto [begin, count] = tile_place(p, part.first + k);
            Slot* const staged = tile_slots(dynamic_shared, k);
            const Marks& marks = all_marks[MARKED ? k : 0];
            if (ALL_FULL || count == TILE) Chains::template rescan<true>(p, begin, count, staged, marks, shared.tiles[k], aligned);
            else Chains::template rescan<false>(p, begin, count, staged, marks, shared.tiles[k], aligned);
        }
        if (CARRIES && part.last && threadIdx.x == 0) Chains::leave_carry(p, shared.tiles[part.tiles - 1], (part.first + part.tiles) % GROUP == 0);
    }
};

template <bool> struct PartsOf { using type = WarpParts; };
template <> struct PartsOf<true> { using type = TreeParts<T>; };
using Parts = PartsOf<TREE>::type;

struct Shared {
    Parts::Shared parts;
    Marks marks[MARKED ? MOST_TILES : 1];
    OffsetRange found[HEADS == Heads::OFFSETS ? MOST_TILES : 1];
    u32 epoch;
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) upsweep_wave(const __grid_constant__ ScanParams given) {
    __shared__ Shared shared;
    const u64 tiles = tile_number(given);
    const bool alone = gridDim.x == 1, last = blockIdx.x == gridDim.x - 1;
    const u32 part = alone ? (u32)tiles : (u32)((tiles + MOST_PARTS - 1) / MOST_PARTS);  // number of tiles of a block
    const u64 first = (u64)blockIdx.x * part;
    const u32 mine = (u32)min((u64)part, tiles - first);
    const Input input(given.input, given.n, LINED ? given.stretch : 0);
    const bool out_aligned = results_aligned(output_of(given), given.n, LINED ? given.stretch : 0);
    for (u32 k = 0; k < mine; k++) {
        const TilePlace place = tile_place(given, first + k);
        const auto extent_of = [&](u32 offset) { return extent(given, offset, VECTOR, place.count); };
        input.stage_from(place.begin, place.count, tile_slots(dynamic_shared, k), extent_of, [&](u64 i) {
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
        const auto [begin, count] = tile_place(p, first + k);
        Slot* const staged = tile_slots(dynamic_shared, k);
        Marks& marks = shared.marks[MARKED ? k : 0];
        mark_heads(p, begin, count, marks);
        wait_groups_but(mine - 1 - k);
        if (ALL_FULL || count == TILE) Parts::reduce<true>(p, begin, count, staged, marks, shared.parts, k);
        else Parts::reduce<false>(p, begin, count, staged, marks, shared.parts, k);
    }
    __syncthreads();
    const Part own = {first, mine, last, alone ? 0 : shared.epoch};
    u32 warps;
    Parts::exchange(p, own, shared.parts, warps);
    __syncthreads();
    if (threadIdx.x == 0 && last && !alone) prepare_next_launch(p.workspace, own.epoch);  // it has seen all other words
    Parts::finish(p, own, shared.marks, shared.parts, warps, out_aligned);
    if (!alone) finish_launch(p.workspace, own.epoch, gridDim.x);
}
