// Scans of float sums and products, whose order of operations is the tree of upsweep-core/src/tree.rs: every level is a
// chain, and the bases of all levels are added to finished results, one after the other.
//
//   row      the elements of a thread            tile    the groups of a block
//   group    the rows of eight lanes             span    a group of tiles of the look-back (lookback.cuh)
//
//   first pass     y = the chain of the thread's elements; the chain of eight lanes' rows is the group's total
//   look back      Q[g] = the chain of the groups before g in the tile
//                  G, P = the chains of the tiles before in the span, and of the spans before that
//   second pass    R = the chain of the rows before in the group; result = P . (G . (Q . (R . y)))
//
// Where nothing comes before, the base is the neutral value, which changes no bits. With segments, a chain begins anew
// at a head, and a base is neutral for the elements from the first head after it on.
//
// In contrast to scan.cuh, which combines a prefix with the elements, a thread holds its chain in registers until the
// bases are there.

#pragma once

#include "tile/scan.cuh"

constexpr u32 TREE_LANES = 8;                       // lanes of a group
constexpr u32 TREE_GROUPS = THREADS / TREE_LANES;   // groups of a tile
static_assert(!TREE || (TREE_GROUPS <= WARP && !COUNTED), "a lane for each group; what is counted has another grouping");

// `V` is T.
template <class V>
struct Tree {
    static __device__ __forceinline__ V neutral() { return PRODUCT ? (V)1 : (V)-0.0; }
    static __device__ __forceinline__ State none() { return state_of<State>(neutral(), 0); }

    // What a tile has in shared memory besides its elements.
    struct Tile {
        State totals[TREE_GROUPS];  // of the groups
        State before[TREE_GROUPS];  // Q of the groups
        State tiles, spans;         // G and P
    };

    // Returns the chain of the tile's groups.
    static __device__ __forceinline__ State total_of(const Tile& tile) {
        State chain = tile.totals[0];
#pragma unroll
        for (u32 g = 1; g < TREE_GROUPS; g++) chain = combine(chain, tile.totals[g]);
        return chain;
    }

    // Returns the chain of the rows before this lane's in its group; `all` becomes the chain of all of the group's rows.
    // `row` is the total of this lane's row from its last head on, and `heads` has the lanes with a head.
    static __device__ __forceinline__ V rows_before(const V& row, u32 heads, V& all) {
        const u32 lane = lane_index(), first = lane & ~(TREE_LANES - 1);
        V before = neutral();
        all = shuffle(row, first);
#pragma unroll
        for (u32 k = 1; k < TREE_LANES; k++) {
            if (lane == first + k) before = all;
            const V next = shuffle(row, first + k);
            if (SEGMENTED && heads >> (first + k) & 1) all = next;
            else all = combine(all, next);
        }
        return before;
    }

    // First pass: leaves the totals of the warp's groups.
    template <bool FULL>
    static __device__ __forceinline__ void reduce(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, Tile& tile) {
        const Mask heads = thread_heads<FULL>(p, begin, count, marks);
        const u32 lanes = LaneHeads::of<FULL>(heads).lanes;
        if constexpr (KEEPS_MAPPED) map_thread<FULL>(p, begin, count, slots, heads);
        else check_thread<FULL>(p, begin, count, slots, heads);
        V row = neutral(), all;
        if (existing<FULL>(threadIdx.x * ITEMS, ITEMS, count) > 0) row = thread_sum<FULL>(p, begin, count, slots, heads);
        rows_before(row, lanes, all);
        const u32 lane = lane_index(), first = lane & ~(TREE_LANES - 1);
        if (lane == first) tile.totals[threadIdx.x / TREE_LANES] = state_of<State>(all, lanes >> first & ((1u << TREE_LANES) - 1));
    }

    // Leaves the bases of the tile's groups. Called by all lanes of one warp.
    static __device__ __forceinline__ void leave_bases(Tile& tile, const State& tiles, const State& spans) {
        const u32 lane = lane_index();
        State before = none();
#pragma unroll
        for (u32 g = 0; g + 1 < TREE_GROUPS; g++) {
            const State total = tile.totals[g];
            if (g < lane) before = g == 0 ? total : combine(before, total);
        }
        if (lane < TREE_GROUPS) tile.before[lane] = before;
        if (lane == 0) tile.tiles = tiles, tile.spans = spans;
    }

    // Leaves the bases of tile `t`. Called by all lanes of one warp.
    template <class Look>
    static __device__ __forceinline__ void look_back(const Params& p, u64 t, Tile& tile, const Look& chain) {
        State tiles = none(), spans = none();
        if (t > 0) {
            const auto before = chain.before(t);
            if (t % GROUP > 0) tiles = before.tiles;
            if (t >= GROUP) spans = before.groups;
        }
        leave_bases(tile, tiles, spans);
        if (CARRIES && t + 1 == chain.tiles && lane_index() == 0) leave_carry(p, tile);
    }

    // Stores the carry of a scan of the whole array, and its last result if that is the total, from the last tile.
    // Called by one thread.
    static __device__ __forceinline__ void leave_carry(const Params& p, const Tile& tile) {
        const State last = combine(tile.spans, combine(tile.tiles, total_of(tile)));
        store_last(p, p.n > 0 ? value_of(last) : p.first);
    }

    // Second pass: computes and stores every result of this warp's elements.
    template <bool FULL>
    static __device__ __forceinline__ void rescan(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, const Tile& tile, bool aligned) {
        const Mask heads = thread_heads<FULL>(p, begin, count, marks);
        const u32 lanes = LaneHeads::of<FULL>(heads).lanes;
        V own[ROWS][VECTOR], chain = neutral(), all;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            const Items items = Items::of<FULL>(begin, count, row, slots, heads);
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (FULL || j < items.count) {
                    const V e = mapped_element(p, items, slots, row, j);
                    if ((row == 0 && j == 0) || (SEGMENTED && items.head(j))) chain = e;
                    else chain = combine(chain, e);
                }
                own[row][j] = chain;
            }
        }
        const V rows = rows_before(chain, lanes, all);

        // The bases of the elements before the thread's first head. A head of a lower lane hides Q, G and P, one of a
        // lower group G and P, one of a lower tile P.
        const State& before = tile.before[threadIdx.x / TREE_LANES];
        const u32 lane = lane_index(), first = lane & ~(TREE_LANES - 1);
        bool open = !(lanes & ((1u << lane) - (1u << first)));
        const V groups = open ? value_of(before) : neutral();
        open &= !heads_of(before);
        const V tiles = open ? value_of(tile.tiles) : neutral();
        open &= !heads_of(tile.tiles);
        const V spans = open ? value_of(tile.spans) : neutral();
        const auto based = [&](const V& x) { return combine(spans, combine(tiles, combine(groups, x))); };

        V previous = based(rows);  // result of the element before
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            const Items items = Items::of<FULL>(begin, count, row, slots, heads);
            Out results[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                const u32 i = row * VECTOR + j;
                V with = own[row][j];
                if (!SEGMENTED || !(heads & (((Mask)2 << i) - 1))) with = based(combine(rows, with));
                if (FULL || j < items.count) results[j] = result(!EXCLUSIVE ? with : items.head(j) ? p.first : previous);
                previous = with;
            }
            if constexpr (THROUGH_SLOTS) put_in_slot(slots[slot_of(threadIdx.x * ROWS + row)], results);
            else {
                const u32 mine = existing<FULL && !ALL_FULL>((u32)(items.index - begin), VECTOR, count);
                if (mine > 0) store_vector(vector_address(output_of(p), p.n, items.index), results, mine, aligned);
            }
        }
        if constexpr (THROUGH_SLOTS) store_rows(p, begin, count, slots, aligned);
        else __syncwarp();  // other threads of the warp stage into the slots that this one has read
    }
};

template <bool> struct PassesOf { using type = WarpPasses; };
template <> struct PassesOf<true> { using type = Tree<T>; };
using Passes = PassesOf<TREE>::type;

__device__ __forceinline__ State aggregate_of(const Passes::Tile& tile) { return Passes::total_of(tile); }
