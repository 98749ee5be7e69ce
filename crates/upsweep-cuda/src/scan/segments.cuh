// Reduction of rows, or of segments by offsets: every element is read once.
//
// The pipeline (pipeline.cuh) of this task:
//
//   reduce     the part in its warp of the result of every segment that ends in the tile
//   store      the results that are complete
//   look back  complete the results of segments that began before the warp where they end; store them a tile later
//
// A warp has at most one segment that ends in it and began before it. So little work remains once the prefix of a tile
// is known, and the elements need not be kept until then, unlike in a scan (scan.cuh).
//
// The results of segment tails lie in the slots of their elements. Other threads store them: consecutive threads store
// consecutive segments, so that the stores are coalesced.
//
// Memory ordering: pipeline.cuh, for `store` and `complete` too:
//
//   shared memory     written by              barrier            read by           written again after
//   open, open_at     compute warps, reduce   reduced_barrier    look-back warp    prefix_barrier, RING tiles
//   open_segment      compute warps, store    the look-back warp's next reduced_barrier   look-back warp, complete   prefix_barrier, RING tiles
//   results in slots  compute warps, reduce   main_sync          compute warps     the next main_sync, then staged over

#pragma once

#include "tile/offsets.cuh"
#include "tile/pipeline.cuh"
#include "tile/scan.cuh"

static_assert(sizeof(T) * VECTOR <= Input::SLOT, "what is combined fits in the place of its elements");
constexpr u32 NONE = ~0u;

__device__ __forceinline__ T& result_at(Slot* slots, u32 at) { return ((T*)slots[at / VECTOR].bytes)[at % VECTOR]; }

// Returns the mask of the tails among this thread's elements: those whose next element begins a segment, or does not
// exist.
template <bool FULL>
__device__ __forceinline__ Mask thread_tails(const Params& p, u64 begin, u32 count, Mask heads, const Marks& marks) {
    const u32 offset = threadIdx.x * ITEMS, mine = existing<FULL>(offset, ITEMS, count);
    if (mine == 0) return 0;
    if constexpr (HEADS == Heads::OFFSETS) return marks_from(marks) >> 1 & OWN >> (ITEMS - mine);
    const bool ends = begin + offset + mine == p.n || (row_heads(p, begin + offset) >> mine & 1);
    return heads >> 1 | (Mask)ends << (mine - 1);
}

// Computes the results of the segments that end among this warp's elements, in the slots of their last elements, and in
// `warp_totals` the warp's combination from its last head on. The part in the warp of the open segment, which began
// before the warp and ends in it, goes to `open` instead, and the index in the tile of its last element to `open_at`.
template <bool FULL>
__device__ __forceinline__ void reduce_warp(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, State* warp_totals, T* open,
                                            u64* open_segment, u32* open_at) {
    const u32 lane = lane_index(), warp = warp_index();
    const Mask heads = thread_heads<FULL>(p, begin, count, marks);
    const Mask tails = thread_tails<FULL>(p, begin, count, heads, marks);
    const bool any_tails = __any_sync(~0u, tails != 0);
    // For operators that take long, one test whether all elements of a warp are within one segment pays: then no
    // element is tested for a head.
    constexpr bool ASKS_FOR_HEADS = FORM == Form::OTHER && !READS_APART;
    bool within = !READS_APART && !any_tails;
    if constexpr (ASKS_FOR_HEADS) within = !__any_sync(~0u, (heads | tails) != 0);
    T mapped[READS_APART ? ROWS : 1][VECTOR];
    if constexpr (READS_APART) load_mapped<FULL>(p, begin, count, slots, heads, mapped);
    check_thread<FULL>(p, begin, count, slots, heads);
    T sum;
    u32 first_tail = NONE;  // index of the thread's first tail, if no head of the thread precedes it
    if (within) {
        sum = thread_sum<FULL>(p, begin, count, slots, ASKS_FOR_HEADS ? 0 : heads);
    } else {
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            const Items items = Items::of<FULL>(begin, count, row, slots, heads);
            T sums[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (FULL || j < items.count) {
                    T e;
                    if constexpr (READS_APART) e = mapped[row][j];
                    else e = items(p, j);
                    if ((row == 0 && j == 0) || items.head(j)) sum = e;
                    else sum = combine(sum, e);
                    sums[j] = sum;
                }
            }
            put_in_slot(slots[threadIdx.x * ROWS + row], sums);
        }
        // Heads and tails alternate: no head precedes the first tail if the first head comes after it.
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

// Stores the complete results, which are in the slots, and notes for each warp the number of its open segment in
// `open_segment`.
__device__ __forceinline__ void store_whole(const Params& p, u64 tile, Slot* slots, const Found& found, const u32* open_at, u64* open_segment) {
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
        const u64 first = found.range.first;
        for (u32 k = threadIdx.x; k < found.range.first_number(); k += THREADS) {
            if (const u32 to = found.end(k); to > 0) store(first + k - 1, to - 1);
        }
        each_other(p, tile, found.range, [&](u64 k, u32 to, bool other) {
            if (to > 0 && other) store(k - 1, to - 1);
        });
    }
}

struct SegmentsTask {
    using State = ::State;
    using Params = ::Params;
    static constexpr bool FINISHES = false;
    static constexpr u32 PREPARERS = HEADS == Heads::OFFSETS ? OFFSETS_WARPS : 0;
    static constexpr Asks ASKS = Asks::AND_GOES_ON;
    // Warp that publishes a tile's aggregate, and thread that draws tickets. They are not those with most work on
    // offsets, because all wait for the slowest. (In scan.cuh it is faster to leave both to warp 0.)
    static constexpr u32 PUBLISHER = WARPS / 2, DRAWER = (WARPS / 2 + 1) * WARP;
    static_assert(DRAWER < THREADS, "a block has several warps");
    static_assert(PREPARERS + 2 <= MARK_SLOTS || PREPARERS == 0, "from a tile whose results are stored to one that is prepared");

    // Shared memory. Arrays of RING are indexed by the tiles whose results are incomplete.
    struct Shared {
        State warp_totals[RING][WARPS];
        T open[RING][WARPS];               // the warp's part of the segment that ends in the warp and began before it
        u64 open_segment[RING][WARPS];     // number of that segment
        u32 open_at[RING][WARPS];          // index in the tile of its last element, or NONE
        Marks marks[MARKED ? MARK_SLOTS : 1];
        Found found[PREPARERS > 0 ? MARK_SLOTS : 1];
    };

    const Params& p;
    Shared& shared;
    const Input input;
    // State of a look-back warp's lane: whether to store a segment that ends in compute warp `lane` of its last tile,
    // and the result.
    bool opens = false;
    T whole;

    __device__ __forceinline__ SegmentsTask(const Params& p, Shared& shared) : p(p), shared(shared), input(p.input, p.n) {}

    __device__ __forceinline__ Slot* slots(u32 k) const { return tile_slots(dynamic_shared, k % STAGES); }
    __device__ __forceinline__ Marks& marks(u32 k) const { return shared.marks[MARKED ? k % MARK_SLOTS : 0]; }
    __device__ __forceinline__ Found& found(u32 k) const { return shared.found[PREPARERS > 0 ? k % MARK_SLOTS : 0]; }
    __device__ __forceinline__ const State* totals(u32 k) const { return shared.warp_totals[k % RING]; }

    __device__ __forceinline__ void stage(u32 k, u64 tile) const { input.stage_tile(tile, slots(k)); }

    __device__ __forceinline__ void reduce(u32 k, u64 tile) const {
        const u64 begin = tile * TILE;
        const u32 count = tile_count(p.n, tile), entry = k % RING;
        State* const totals = shared.warp_totals[entry];
        if (count == TILE) reduce_warp<true>(p, begin, count, slots(k), marks(k), totals, shared.open[entry], shared.open_segment[entry], shared.open_at[entry]);
        else reduce_warp<false>(p, begin, count, slots(k), marks(k), totals, shared.open[entry], shared.open_segment[entry], shared.open_at[entry]);
    }

    __device__ __forceinline__ void store(u32 k, u64 tile) const {
        store_whole(p, tile, slots(k), found(k), shared.open_at[k % RING], shared.open_segment[k % RING]);
    }
    __device__ __forceinline__ void check(u64 tile) const {
        if constexpr (HEADS == Heads::OFFSETS) check_others(p, tile);
    }

    __device__ __forceinline__ void look_back(u32 k, u64 tile, const Chain<State>& chain) {
        // Computes the exclusive prefix of warp w of the tile, in lane w, from the totals of the warps.
        const u32 lane = lane_index(), entry = k % RING, warps = warps_with_elements(tile_count(p.n, tile));
        const State lower = lower_warps(shared.warp_totals[entry], warps);
        State prefix;
        if (tile > 0) prefix = chain.prefix(tile);
        opens = lane < warps && shared.open_at[entry][lane] != NONE && (lane > 0 || tile > 0);
        if (opens) {
            if (lane > 0) prefix = tile > 0 ? combine(prefix, lower) : lower;
            whole = combine(value_of(prefix), shared.open[entry][lane]);
        }
    }
    __device__ __forceinline__ void complete(u32 k) const {
        if (opens) store_segment(p, shared.open_segment[k % RING][lane_index()], result(whole));
    }

    // Returns the state of a preparing warp, for segments by offsets: it marks the heads of a tile before the tile is
    // reduced.
    __device__ __forceinline__ OffsetsWarp preparer(u64 tiles) const { return OffsetsWarp(p, tiles); }
    __device__ __forceinline__ void prepare(OffsetsWarp& warp, u32 k, u64 tile) const { warp.prepare(p, tile, marks(k), found(k)); }
    __device__ __forceinline__ void after_prepare(const OffsetsWarp& warp, u64 tile) const { warp.check(p, tile); }
    __device__ __forceinline__ bool left_over(u32 k) const { return found(k).range.has_more(); }
    __device__ __forceinline__ void prepare_together(u32 k, u64 tile) const { mark_others(p, tile, found(k).range, marks(k)); }
};

extern "C" __global__ void __launch_bounds__(THREADS + Pipeline<SegmentsTask>::HELPERS * WARP, BLOCKS) upsweep_segments(const __grid_constant__ ScanParams given) {
    const Params p(given);
    Pipeline<SegmentsTask>::run(p, tile_number(p.n));
}
