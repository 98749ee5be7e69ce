// Scans of float sums and products, whose order of operations is the tree of upsweep-core/src/tree.rs: every level is a
// chain, and the bases of all levels are added to finished results, one after the other.
//
//   row      the elements of a thread            tile    the groups of a block
//   group    the rows of eight lanes             span    a group of tiles of the look-back (lookback.cuh)
//
//   first pass     y = the chain of the thread's elements; R = the chain of the rows before in the group; R . y to the
//                  elements' places; the group's total
//   look back      Q[g] = the chain of the groups before g in the tile
//                  G, P = the chains of the tiles before in the span, and of the spans before that
//   second pass    result = P . (G . (Q . (R . y)))
//
// Where nothing comes before, the base is the neutral value, which changes no bits. With segments, a chain begins anew
// at a head, and a base is neutral for the elements from the first head after it on.
//
// Elements that are narrower than what is combined (STORED is false) keep their places: the second pass finds R . y again.
//
// Once a result is NaN, all that follow are, up to the next head. So only a thread whose last result is NaN, or any with
// segments, looks for the results that are to be the one NaN.

#pragma once

#include "tile/scan.cuh"

constexpr u32 TREE_LANES = 8;                       // lanes of a group
constexpr u32 TREE_GROUPS = THREADS / TREE_LANES;   // groups of a tile
static_assert(!TREE || (TREE_GROUPS <= WARP && !COUNTED), "a lane for each group; what is counted has another grouping");

// `V` is T.
template <class V>
struct Tree {
    static __device__ __forceinline__ V neutral() { return PRODUCT ? (V)1 : (V)-0.0; }
    static __device__ __forceinline__ State of(const V& chain) { return state_of<State>(chain, 0); }
    static __device__ __forceinline__ State none() { return of(neutral()); }

    // Returns the chain `before`, followed by `next`, which begins anew if that has a head.
    static __device__ __forceinline__ V follow(const V& before, const V& next, u32 heads) {
        return SEGMENTED && heads ? next : combine(before, next);
    }

    // Returns the chain of `base` and the values of the first `lanes` lanes, at most LANES, in every lane.
    template <u32 LANES>
    static __device__ __forceinline__ State chain_of(const State& base, const State& own, u32 lanes) {
        const u32 heads = SEGMENTED ? __ballot_sync(~0u, heads_of(own) != 0) : 0;
        V chain = value_of(base);
#pragma unroll
        for (u32 lane = 0; lane < LANES; lane++) {
            const V next = shuffle(value_of(own), lane);
            if (lane < lanes) chain = follow(chain, next, heads >> lane & 1);
        }
        const u32 known = lanes < WARP ? heads & ((1u << lanes) - 1) : heads;
        return state_of<State>(chain, known != 0 || heads_of(base) != 0);
    }

    // What a tile has in shared memory besides its elements.
    struct Tile {
        V totals[TREE_GROUPS];  // of the groups
        V before[TREE_GROUPS];  // Q of the groups
        V tiles, spans;         // G and P
        // Whether a group has a head, and whether one before it in the tile has, a byte each; whether the tiles before in
        // the span have.
        u32 heads[SEGMENTED ? TREE_GROUPS / 4 : 1];
        u8 lower_heads[SEGMENTED ? TREE_GROUPS : 1];
        u32 tiles_heads;

        __device__ __forceinline__ u32 heads_of(u32 g) const { return SEGMENTED ? heads[g / 4] >> g % 4 * 8 & 0xff : 0; }
    };

    // Returns the chain of the tile's groups.
    static __device__ __forceinline__ State total_of(const Tile& tile) {
        V chain = tile.totals[0];
        u32 any = 0;
#pragma unroll
        for (u32 g = 1; g < TREE_GROUPS; g++) chain = follow(chain, tile.totals[g], tile.heads_of(g));
        if constexpr (SEGMENTED) {
#pragma unroll
            for (u32 i = 0; i < TREE_GROUPS / 4; i++) any |= tile.heads[i];
        }
        return state_of<State>(chain, any != 0);
    }

    // Returns the chain of the rows before this lane's in its group; `all` becomes the chain of all of the group's rows.
    // `row` is the total of this lane's row from its last head on, and `heads` has the lanes with a head.
    template <bool WITH_HEADS>
    static __device__ __forceinline__ V rows_before(const V& row, u32 heads, V& all) {
        const u32 lane = lane_index(), first = lane & ~(TREE_LANES - 1);
        V before = neutral();
        all = shuffle(row, first);
#pragma unroll
        for (u32 k = 1; k < TREE_LANES; k++) {
            if (lane == first + k) before = all;
            const V next = shuffle(row, first + k);
            if (WITH_HEADS && heads >> (first + k) & 1) all = next;
            else all = combine(all, next);
        }
        return before;
    }

    // Whether warps without a head have code of their own: a thirtieth less time for rows of f64, but as much more for keys.
    static constexpr bool FEW_HEADS = IN_ROWS;
    // Whether the first pass stores the thread's chain: if its slots have room for it.
    static constexpr bool STORED = VECTOR * sizeof(V) <= Input::SLOT;
    // Whether the groups are chained before the look-back: a fiftieth less time for keys of f32, where many warps read marks.
    // Sums of f64 without segments take a twentieth longer so.
    static constexpr bool GROUPS_FIRST = READ_MARKS;

    // A thread's chain of its elements: y, then R . y for those before its first head, and the results at last.
    // WITH_HEADS: whether elements of the warp may be heads.
    template <bool WITH_HEADS>
    struct Own {
        V at[ROWS][VECTOR];
        V last;  // y of the last element; neutral if there is none

        // Finds y from the elements.
        template <bool FULL>
        __device__ __forceinline__ void chain(const Params& p, u64 begin, u32 count, const Slot* slots, Mask heads) {
            load_mapped<FULL>(p, begin, count, slots, heads, at);
            last = neutral();
            const u32 mine = existing<FULL>(threadIdx.x * ITEMS, ITEMS, count);
#pragma unroll
            for (u32 row = 0; row < ROWS; row++) {
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    const u32 i = row * VECTOR + j;
                    if (FULL || i < mine) {
                        if (i == 0 || (WITH_HEADS && heads >> i & 1)) last = at[row][j];
                        else last = combine(last, at[row][j]);
                    }
                    at[row][j] = last;
                }
            }
        }

        // Replaces the values before the thread's first head by `based` of them.
        template <class F>
        __device__ __forceinline__ void each_open(Mask heads, const F& based) {
#pragma unroll
            for (u32 row = 0; row < ROWS; row++) {
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    const Mask up_to = ((Mask)2 << (row * VECTOR + j)) - 1;
                    if (!WITH_HEADS || !(heads & up_to)) at[row][j] = based(at[row][j]);
                }
            }
        }

        // Whether a value is NaN.
        __device__ __forceinline__ bool any_nan() const {
            bool any = false;
#pragma unroll
            for (u32 i = WITH_HEADS ? 0 : ITEMS - 1; i < ITEMS; i++) any |= at[i / VECTOR][i % VECTOR] != at[i / VECTOR][i % VECTOR];
            return any;
        }
    };

    // Returns the total of this lane's group.
    template <bool FULL, bool WITH_HEADS>
    static __device__ __forceinline__ V reduce_warp(const Params& p, u64 begin, u32 count, Slot* slots, Mask heads, u32 lanes) {
        Own<WITH_HEADS> own;
        own.template chain<FULL>(p, begin, count, slots, heads);
        V all;
        const V rows = rows_before<WITH_HEADS>(own.last, lanes, all);
        if constexpr (STORED) {
            own.each_open(heads, [&](const V& y) { return combine(rows, y); });
#pragma unroll
            for (u32 row = 0; row < ROWS; row++) put_in_slot(slots[slot_of(threadIdx.x * ROWS + row)], own.at[row]);
        }
        return all;
    }

    // First pass: leaves the totals of the warp's groups.
    template <bool FULL>
    static __device__ __forceinline__ void reduce(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, Tile& tile) {
        if (LINED && !FULL && all_own(p, begin, count)) reduce_own<true>(p, begin, count, slots, marks, tile);
        else reduce_own<FULL>(p, begin, count, slots, marks, tile);
    }
    // Whether what is left behind lines is computed with, too: it has any bits, and reaches no result that is stored, as a
    // head follows.
    static constexpr bool ALL_OWN = LINED && ANY_BITS && THROUGH_SLOTS;
    // If lines have trees of their own, moves a tile's begin and number of elements to this thread's elements; returns
    // whether all threads of the warp have all of theirs.
    static __device__ __forceinline__ bool all_own(const Params& p, u64& begin, u32& count) {
        const u32 own = own_place(p, begin, count);
        return ALL_OWN || !__any_sync(~0u, own < ITEMS);
    }
    template <bool FULL>
    static __device__ __forceinline__ void reduce_own(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, Tile& tile) {
        const Mask heads = thread_heads<FULL>(p, begin, count, marks);
        const u32 lanes = LaneHeads::of<FULL>(heads).lanes;
        check_thread<FULL>(p, begin, count, slots, heads);
        V all;
        if (SEGMENTED && (!FEW_HEADS || !FULL || lanes)) all = reduce_warp<FULL, SEGMENTED>(p, begin, count, slots, heads, lanes);
        else all = reduce_warp<FULL, false>(p, begin, count, slots, heads, lanes);
        const u32 lane = lane_index(), first = lane & ~(TREE_LANES - 1);
        if (lane == first) {
            const u32 group = threadIdx.x / TREE_LANES;
            tile.totals[group] = all;
            if constexpr (SEGMENTED) ((u8*)tile.heads)[group] = (lanes >> first & ((1u << TREE_LANES) - 1)) != 0;
        }
    }

    // Leaves what comes before each of the tile's groups in the tile. Called by all lanes of one warp.
    static __device__ __forceinline__ void leave_groups(Tile& tile) {
        const u32 lane = lane_index();
        V before = neutral();
        u32 any = 0;
#pragma unroll
        for (u32 g = 0; g + 1 < TREE_GROUPS; g++) {
            const V total = tile.totals[g];
            const u32 heads = tile.heads_of(g);
            if (g < lane) before = g == 0 ? total : follow(before, total, heads), any |= heads;
        }
        if (lane < TREE_GROUPS) {
            tile.before[lane] = before;
            if constexpr (SEGMENTED) tile.lower_heads[lane] = any != 0;
        }
    }

    // Leaves what comes before the tile. Called by one thread.
    static __device__ __forceinline__ void leave_before(Tile& tile, const State& tiles, const State& spans) {
        tile.tiles = value_of(tiles), tile.spans = value_of(spans), tile.tiles_heads = ::heads_of(tiles) != 0;
    }

    // Leaves the bases of tile `t`. Called by all lanes of one warp.
    template <class Look>
    static __device__ __forceinline__ void look_back(const Params& p, u64 t, Tile& tile, const Look& chain) {
        State tiles = none(), spans = none();
        if (GROUPS_FIRST || (!CONTINUES && t == 0)) leave_groups(tile);
        if (CONTINUES || t > 0) {
            const auto before = chain.before(t, [&] {
                if (!GROUPS_FIRST) leave_groups(tile);
            });
            tiles = before.tiles, spans = before.groups;
        }
        if (lane_index() == 0) {
            leave_before(tile, tiles, spans);
            const u64 end = t + chain.shift + 1;
            if (CARRIES && end == chain.tiles) leave_carry(p, tile, end % GROUP == 0);
        }
    }

    // Stores the state after the last tile, and its last result if that is the total. The state is right after a whole tile.
    // `ends`: a span ends there. Called by one thread.
    static __device__ __forceinline__ void leave_carry(const Params& p, const Tile& tile, bool ends) {
        const State total = total_of(tile);
        const u32 heads = heads_of(total) != 0;
        V tiles = follow(tile.tiles, value_of(total), heads), spans = heads || tile.tiles_heads ? neutral() : tile.spans;
        const V last = combine(spans, tiles);
        if (ends) spans = last, tiles = neutral();
        store_last(p, p.n > 0 ? last : p.first, {neutral(), neutral(), neutral(), tiles, spans});
    }

    // Second pass: computes and stores every result of this warp's elements.
    template <bool FULL>
    static __device__ __forceinline__ void rescan(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, const Tile& tile, bool aligned) {
        u64 own_begin = begin;
        u32 own_count = count;
        if (LINED && !FULL && all_own(p, own_begin, own_count)) rescan_own<true>(p, own_begin, own_count, slots, marks, tile, aligned);
        else rescan_own<FULL>(p, own_begin, own_count, slots, marks, tile, aligned);
        if constexpr (THROUGH_SLOTS) store_rows(p, begin, count, slots, aligned);
        else __syncwarp();  // other threads of the warp stage into the slots that this one has read
    }

    template <bool FULL>
    static __device__ __forceinline__ void rescan_own(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, const Tile& tile, bool aligned) {
        const Mask heads = thread_heads<FULL>(p, begin, count, marks);
        const u32 lanes = LaneHeads::of<FULL>(heads).lanes;
        if (SEGMENTED && (!FEW_HEADS || !FULL || lanes)) rescan_warp<FULL, SEGMENTED>(p, begin, count, slots, heads, lanes, tile, aligned);
        else rescan_warp<FULL, false>(p, begin, count, slots, heads, lanes, tile, aligned);
    }

    template <bool FULL, bool WITH_HEADS>
    static __device__ __forceinline__ void rescan_warp(const Params& p, u64 begin, u32 count, Slot* slots, Mask heads, u32 lanes, const Tile& tile, bool aligned) {
        Own<WITH_HEADS> own;
        if constexpr (STORED) {
#pragma unroll
            for (u32 row = 0; row < ROWS; row++) take_from_slot(slots[slot_of(threadIdx.x * ROWS + row)], own.at[row]);
        } else {
            V all;
            own.template chain<FULL>(p, begin, count, slots, heads);
            const V rows = rows_before<WITH_HEADS>(own.last, lanes, all);
            own.each_open(heads, [&](const V& y) { return combine(rows, y); });
        }

        // The bases of the elements before the thread's first head. A head of a lower lane hides Q, G and P, one of a
        // lower group G and P, one of a lower tile P.
        const u32 lane = lane_index(), first = lane & ~(TREE_LANES - 1), group = threadIdx.x / TREE_LANES;
        V groups = tile.before[group], tiles = tile.tiles, spans = tile.spans;
        if constexpr (SEGMENTED) {
            const bool lower_lane = lanes & ((1u << lane) - (1u << first));
            const bool lower_group = lower_lane || tile.lower_heads[group], lower_tile = lower_group || tile.tiles_heads;
            if (lower_lane) groups = neutral();
            if (lower_group) tiles = neutral();
            if (lower_tile) spans = neutral();
        }
        own.each_open(heads, [&](const V& x) { return combine(spans, combine(tiles, combine(groups, x))); });

        V previous;  // result of the element before
        if constexpr (EXCLUSIVE) {
            previous = shuffle_up(own.at[ROWS - 1][VECTOR - 1], 1);
            if (lane == 0) previous = combine(spans, combine(tiles, groups));
        }
        const bool nan = !SAME_NAN || own.any_nan();
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            const u64 index = begin + (threadIdx.x * ROWS + row) * VECTOR;
            Out results[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                const bool head = SEGMENTED ? WITH_HEADS && heads >> (row * VECTOR + j) & 1 : !CONTINUES && index + j == 0;
                results[j] = !EXCLUSIVE ? finish(own.at[row][j]) : head ? result(p.first) : finish(previous);
                previous = own.at[row][j];
            }
            if (nan) {
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) results[j] = canonical(results[j]);
            }
            if constexpr (THROUGH_SLOTS) put_in_slot(slots[slot_of(threadIdx.x * ROWS + row)], results);
            else {
                const u32 mine = existing<FULL && !ALL_FULL>((u32)(index - begin), VECTOR, count);
                if (mine > 0) store_vector(vector_address(output_of(p), p.n, index), results, mine, aligned);
            }
        }
    }
};

template <bool> struct PassesOf { using type = WarpPasses; };
template <> struct PassesOf<true> { using type = Tree<T>; };
using Passes = PassesOf<TREE>::type;

__device__ __forceinline__ State aggregate_of(const Passes::Tile& tile) { return Passes::total_of(tile); }
