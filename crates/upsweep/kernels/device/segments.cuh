// Reduction of rows, or of segments by offsets: every element is looked at once.
//
//   tiles are handed out by ticket; each block, for its tiles
//       stage AHEAD tiles ahead
//       reduce the tile: the result of every segment that ends in it, as far as it lies in its warp
//       publish the tile's aggregate; store the results that are whole
//   look-back warps
//       look back from the tile; complete and store the segments that began before the warp where they end
//
// A warp has at most one segment that ends in it and began before it. So little is left to do when what lies before a tile
// is known, and the elements need not be kept until then, as they must in a scan (scan.cuh).
//
// The tails' results lie in the slots of their elements, which other threads store: thread after thread the next
// segments, so that the stores lie side by side.
//
// Memory ordering. Between blocks: status.cuh, workspace.cuh. Inside a block: a warp reads only elements that it staged
// itself (stage.cuh). What the warps leave of a tile is written before the tile's main_sync and read after it: by the main
// warps until they arrive at the tile's reduced_barrier, by the look-back warp from there to its before_barrier, where the
// main warps wait before they write that entry of the ring again. Results in slots are read before the next tile's
// main_sync, and staged over after that. A tile's finder writes what it finds after the barrier where the main warps tell it
// that the tile's ticket is drawn, and before the one where they meet it, which is that of the tile before. When they tell it
// of tile k they have yet to store the results of the tiles from k - FINDERS - 1 on.

#include "tile/job.cuh"
#include "tile/lookback.cuh"

constexpr u32 STAGES = AHEAD + 2;  // tiles in shared memory: one of them is that whose results are being stored
constexpr u32 MARK_SLOTS = SEARCHERS + 2;
#include "tile/pipeline.cuh"

static_assert(sizeof(T) * VECTOR <= SLOT, "what is combined fits in the place of its elements");
constexpr u32 NONE = ~0u;

// Who publishes, and who draws: other warps than those that have most to do with offsets, because all wait for the slowest.
// (In scan.cuh it is faster to leave both to warp 0.)
constexpr u32 PUBLISHER = WARPS / 2;            // a warp
constexpr u32 DRAWER = (WARPS / 2 + 1) * WARP;  // a thread
static_assert(DRAWER < THREADS, "a block has several warps");

// What the blocks' warps share. Arrays of RING belong to the tiles that are not done.
struct Shared {
    State warp_totals[RING][WARPS];
    T open[RING][WARPS];               // of the segment that ends in the warp and began before it: the warp's part
    u64 open_segment[RING][WARPS];     // its number
    u32 open_at[RING][WARPS];          // its last element in the tile, or NONE
    u32 tickets[TICKETS];
    Marks marks[MARKED ? MARK_SLOTS : 1];
    Offsets offsets[HEADS == Heads::OFFSETS ? MARK_SLOTS : 1];
};

__device__ __forceinline__ T& result_at(Slot* slots, u32 at) { return ((T*)slots[at / VECTOR].bytes)[at % VECTOR]; }

// The elements of this thread that end a segment: those whose next element begins one, or does not exist.
template <bool FULL>
__device__ __forceinline__ Mask thread_tails(const Params& p, u64 begin, u32 count, Mask heads, const Marks& marks) {
    const u32 offset = threadIdx.x * ITEMS, mine = existing<FULL>(offset, ITEMS, count);
    if (mine == 0) return 0;
    if constexpr (HEADS == Heads::OFFSETS) return marks_from(marks) >> 1 & OWN >> (ITEMS - mine);
    const bool ends = begin + offset + mine == p.n || (row_heads(p, begin + offset) >> mine & 1);
    return heads >> 1 | (Mask)ends << (mine - 1);
}

// The results of the segments that end in this warp, in the slots of their last elements, except the open one; and the
// warp's combination from its last head on.
template <bool FULL>
__device__ __forceinline__ void reduce_warp(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, State* warp_totals, T* open,
                                            u64* open_segment, u32* open_at) {
    const u32 lane = lane_index(), warp = warp_index();
    const Mask heads = thread_heads<FULL>(p, begin, count, marks);
    const Mask tails = thread_tails<FULL>(p, begin, count, heads, marks);
    const bool any_tails = __any_sync(~0u, tails != 0);
    T sum;
    u32 first_tail = NONE;  // of the thread, if no head comes before it there
    if (!any_tails) {
        sum = thread_sum<FULL>(p, begin, count, slots, heads);
    } else {
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            const Items items = Items::of<FULL>(begin, count, row, slots, heads);
            T sums[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (FULL || j < items.count) {
                    if ((row == 0 && j == 0) || items.head(j)) sum = items(p, j);
                    else sum = combine(sum, items(p, j));
                    sums[j] = sum;
                }
            }
            put_in_slot(slots[threadIdx.x * ROWS + row], sums);
        }
        // Heads and tails alternate: the first tail has no head before it if the first head comes after it.
        const u32 tail = lowest_bit(tails), head = lowest_bit(heads);
        if (tails != 0 && (heads == 0 || head > tail)) first_tail = tail;
    }
    const u32 lanes = lanes_with_elements<FULL>(count);
    const LaneHeads lane_heads = LaneHeads::of<FULL>(heads);
    const T scanned = warp_inclusive_scan(sum, lane < lanes ? lane_heads.reach() : 0);
    if (lanes > 0 && lane == lanes - 1) warp_totals[warp] = state_of<State>(scanned, lane_heads.lanes != 0);
    bool opens = false;
    if (any_tails) {
        const T lower = shuffle_up(scanned, 1);
        if (first_tail != NONE) {
            T& at = result_at(slots, threadIdx.x * ITEMS + first_tail);
            const T whole = lane > 0 ? combine(lower, at) : at;
            opens = !lane_heads.any_lower();
            if (opens) open[warp] = whole, open_at[warp] = threadIdx.x * ITEMS + first_tail, open_segment[warp] = ~0ull;
            else at = whole;
        }
    }
    if (!__any_sync(~0u, opens) && lane == 0) open_at[warp] = NONE;
}

// Stores what is whole of the results in the slots.
__device__ __forceinline__ void store_whole(const Params& p, u64 tile, Slot* slots, const Offsets& offsets, const u32* open_at, u64* open_segment) {
    const auto store = [&](u64 segment, u32 at) {
        const u32 warp = at / (WARP * ITEMS);
        if (at == open_at[warp]) open_segment[warp] = segment;
        else store_segment(p, segment, result(result_at(slots, at)));
    };
    if constexpr (HEADS == Heads::ROWS) {
        u64 rest;
        const u64 begin = tile * TILE, count = tile_count(p.n, tile);
        u64 row = row_of(p, begin, rest) + threadIdx.x;
        for (u64 end = (row + 1) * p.row; end <= begin + count; end += THREADS * p.row, row += THREADS) store(row, (u32)(end - 1 - begin));
    } else {
        const u64 first = offsets.range.first;
        for (u32 k = threadIdx.x; k < offsets.range.first_number(); k += THREADS) {
            if (const u32 to = offsets.end(k); to > 0) store(first + k - 1, to - 1);
        }
        each_other(p, tile, offsets.range, [&](u64 k, u32 to, bool other) {
            if (to > 0 && other) store(k - 1, to - 1);
        });
    }
}

// The look-back warps: warp w completes this block's tiles w, w + LOOKERS, ... It looks back as soon as a tile is reduced, and
// stores when it is told of its next one: by then the numbers of the segments are there.
__device__ __forceinline__ void complete_loop(const Params& p, Shared& shared, u64 tiles, u32 epoch) {
    const u32 lane = lane_index();
    bool opens = false;  // whether a segment that ends in main warp `lane` of the last tile is to be stored, and what
    T whole;
    for (u32 k = warp_index() - WARPS;; k += LOOKERS) {
        const u32 entry = k % RING;
        barrier_wait(reduced_barrier(entry), THREADS + WARP);
        if (k >= LOOKERS) {
            const u32 last = (k - LOOKERS) % RING;
            if (opens) store_segment(p, shared.open_segment[last][lane], result(whole));
            barrier_arrive(before_barrier(last), THREADS + WARP);
        }
        const u64 tile = shared.tickets[k % TICKETS];
        if (tile >= tiles) break;
        // What lies before each warp, as the warps' totals say.
        const u32 warps = warps_with_elements(tile_count(p.n, tile));
        const State lower = lower_warps(shared.warp_totals[entry], warps);
        State before;
        if (tile > 0) before = shuffle(look_back(p.workspace, tile, tiles, epoch), 0);
        opens = lane < warps && shared.open_at[entry][lane] != NONE && (lane > 0 || tile > 0);
        if (opens) {
            if (lane > 0) before = tile > 0 ? combine(before, lower) : lower;
            whole = combine(value_of(before), shared.open[entry][lane]);
        }
    }
}

// The main warps.
__device__ __forceinline__ void reduce_loop(const Params& p, Shared& shared, Slot* ring, u64 tiles, u32 epoch) {
    const bool in_aligned = vectors_aligned(p.input, p.n, PIECE);
    bool more = tiles > 1;  // the drawer: whether to draw; one tile alone needs no ticket, as one block has it
    for (u32 k = 0; k < DRAWN; k++) {
        if (threadIdx.x == DRAWER) {
            const u32 next = more ? next_tile(p, tiles, epoch) : tiles == 1 ? k : ~0u;
            more &= next < tiles;
            shared.tickets[k] = next;
        }
        main_sync();
        if (k < AHEAD) stage_tile(p, shared.tickets[k], tiles, ring + k * (ROWS * THREADS), in_aligned);
        if (k < FINDERS) barrier_arrive(ticket_barrier(k), THREADS + WARP);
    }
    if (main_sync_and_marks(p, shared.tickets, shared.marks, shared.offsets, tiles, 0)) release_finder(0);
    u32 k = 0;
    for (;; k++) {
        const u64 tile = shared.tickets[k % TICKETS];
        if (tile >= tiles) break;
        const u32 entry = k % RING;
        u32 next = ~0u;  // asked for here, needed after the reduction
        if (threadIdx.x == DRAWER && more) next = next_tile(p, tiles, epoch);
        stage_tile(p, shared.tickets[(k + AHEAD) % TICKETS], tiles, ring + (k + AHEAD) % STAGES * (ROWS * THREADS), in_aligned);
        if (k >= RING) barrier_wait(before_barrier(entry), THREADS + WARP);
        wait_groups<AHEAD>();

        const u64 begin = tile * TILE;
        const u32 count = tile_count(p.n, tile);
        Slot* const slots = ring + k % STAGES * (ROWS * THREADS);
        const Marks& marks = shared.marks[MARKED ? k % MARK_SLOTS : 0];
        State* const totals = shared.warp_totals[entry];
        if (count == TILE) reduce_warp<true>(p, begin, count, slots, marks, totals, shared.open[entry], shared.open_segment[entry], shared.open_at[entry]);
        else reduce_warp<false>(p, begin, count, slots, marks, totals, shared.open[entry], shared.open_segment[entry], shared.open_at[entry]);
        if (threadIdx.x == DRAWER) {
            more &= next < tiles;
            shared.tickets[(k + DRAWN) % TICKETS] = next;
        }
        const bool another = main_sync_and_marks(p, shared.tickets, shared.marks, shared.offsets, tiles, k + 1);
        if (another) release_finder(k + 1);
        if (warp_index() == PUBLISHER && tile + 1 < tiles) publish(p, totals, tile, epoch);
        const Offsets& offsets = shared.offsets[HEADS == Heads::OFFSETS ? k % MARK_SLOTS : 0];
        store_whole(p, tile, slots, offsets, shared.open_at[entry], shared.open_segment[entry]);
        barrier_arrive(reduced_barrier(entry), THREADS + WARP);
        if constexpr (HEADS == Heads::OFFSETS) check_others(p, tile);
    }
    // The look-back warps learn of the end; all that they were told of is done when this block ends.
    main_sync();  // what they store last
    for (u32 i = 0; i < RING; i++) {
        const u32 entry = (k + i) % RING;
        if (k + i >= RING) barrier_wait(before_barrier(entry), THREADS + WARP);
        if (i < LOOKERS) barrier_arrive(reduced_barrier(entry), THREADS + WARP);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS + HELPERS * WARP, BLOCKS) upsweep_segments(const __grid_constant__ Params params) {
    __shared__ Shared shared;
    const Params p = with_initial_value(params);
    const u64 tiles = tile_number(p.n);
    const u32 epoch = tiles == 1 ? 0 : current_epoch(p.workspace);
    __syncthreads();  // the epoch is read before a ticket is drawn
    if (warp_index() < WARPS) reduce_loop(p, shared, (Slot*)dynamic_shared, tiles, epoch);
    else if (warp_index() < WARPS + LOOKERS) complete_loop(p, shared, tiles, epoch);
    else if constexpr (FINDERS > 0) find_loop(p, shared.tickets, shared.marks, shared.offsets, tiles, warp_index() - WARPS - LOOKERS);
    if (tiles > 1) finish_launch(p.workspace, epoch);
}
