// The two passes over a tile in shared memory: reduce it, and, once its exclusive prefix is known, rescan it. The
// second pass scans the rows again: that costs fewer shared-memory bytes than to store the first pass's scan. Only if
// heads make that slow, and a thread's result is small, it is stored. Full tiles of small integers go through
// packed.cuh, those of keys through keyed.cuh. The passes of float sums and products are those of tree.cuh.

#pragma once

#include "tile/compact.cuh"
#include "tile/items.cuh"
#include "tile/keyed.cuh"
#include "tile/packed.cuh"
#include "tile/store.cuh"
#include "warp/scan.cuh"
#include "warp/sum.cuh"

// Whether every tile is computed as a full one. Slots past the end hold garbage. It can only reach results past the
// end, which are not stored, and these functions accept any bits. One code path halves the instructions that a short
// scan must fetch. A carry is the combination of the last tile, so there garbage would show.
constexpr bool ALL_FULL = ANY_BITS && FORM != Form::OTHER && !SEGMENTED && !CARRIES;


// Reports those indices, with which this thread's elements read tables, that are out of range for the tables.
template <bool FULL>
__device__ __forceinline__ void check_thread(const Params& p, u64 begin, u32 count, const Slot* slots, Mask heads) {
    if constexpr (INDEXED) {
        bool right = true;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) right &= Items::of<FULL>(begin, count, row, slots, heads).right(p);
        if (right) return;
#pragma unroll 1
        for (u32 row = 0; row < ROWS; row++) Items::of<FULL>(begin, count, row, slots, heads).report(p);
    }
}

// Maps this thread's elements into `mapped`. Gathered elements are all loaded before one of them is combined or stored,
// so that the loads overlap.
template <bool FULL>
__device__ __forceinline__ void load_mapped(const Params& p, u64 begin, u32 count, const Slot* slots, Mask heads, T (&mapped)[ROWS][VECTOR]) {
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        const Items items = Items::of<FULL>(begin, count, row, slots, heads);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (FULL || j < items.count) mapped[row][j] = items(p, j);
        }
    }
}

// Maps this thread's elements and stores them in its slots.
template <bool FULL>
__device__ __forceinline__ void map_thread(const Params& p, u64 begin, u32 count, Slot* slots, Mask heads) {
    T mapped[ROWS][VECTOR];
    load_mapped<FULL>(p, begin, count, slots, heads, mapped);
    check_thread<FULL>(p, begin, count, slots, heads);
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) put_in_slot(slots[slot_of(threadIdx.x * ROWS + row)], mapped[row]);
}

// Returns the mapped element j of the thread's vector in row `row`; it is mapped here, or has been by `map_thread`.
__device__ __forceinline__ T mapped_element(const Params& p, const Items& items, const Slot* slots, u32 row, u32 j) {
    if constexpr (KEEPS_MAPPED) return ((const T*)slots[slot_of(threadIdx.x * ROWS + row)].bytes)[REVERSE ? VECTOR - 1 - j : j];
    else return items(p, j);
}

// Returns the combination of this thread's elements from its last head on, or of all if it has no head; undefined if it
// has no elements.
template <bool FULL>
__device__ __forceinline__ T thread_sum(const Params& p, u64 begin, u32 count, const Slot* slots, Mask heads) {
    if constexpr (PACKED && FULL) return Packed<T>::thread_sum(p, begin, slots);
    T sum;
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        const Items items = Items::of<FULL>(begin, count, row, slots, heads);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (FULL || j < items.count) {
                if ((row == 0 && j == 0) || (SEGMENTED && items.head(j))) sum = mapped_element(p, items, slots, row, j);
                else sum = combine(sum, mapped_element(p, items, slots, row, j));
            }
        }
    }
    return sum;
}

// Whether the first pass stores for the second what `warp_sums` returns in each thread: if that is small (the host has
// the same rule).
constexpr bool KEPT = SEGMENTED && !TREE && sizeof(T) <= (STREAMS > 1 ? 8 : 4);
struct ThreadPrefixes {
    T of[KEPT ? THREADS : 1];
};

// Returns, in each thread that has elements, the combination of the warp's elements from the last head on, up to the
// thread's own last element.
template <bool FULL>
__device__ __forceinline__ T warp_sums(const Params& p, u64 begin, u32 count, const Slot* slots, Mask heads, const LaneHeads& lane_heads) {
    T sum;
    if constexpr (KEYED_TILES && FULL) sum = KeyedTile<T>::thread_sum_again(slots);
    else sum = thread_sum<FULL>(p, begin, count, slots, heads);
    return warp_inclusive_scan(sum, lane_index() < lanes_with_elements<FULL>(count) ? lane_heads.reach() : 0);
}

// First pass: leaves the combination of each warp's elements in `warp_totals`; in a partial tile, of the lanes that
// have elements.
template <bool FULL>
__device__ __forceinline__ void reduce_tile(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, State* warp_totals,
                                            ThreadPrefixes& kept) {
    const Mask heads = thread_heads<FULL>(p, begin, count, marks);
    const LaneHeads lane_heads = LaneHeads::of<FULL>(heads);
    if constexpr (KEEPS_MAPPED) map_thread<FULL>(p, begin, count, slots, heads);
    else check_thread<FULL>(p, begin, count, slots, heads);
    const u32 lanes = lanes_with_elements<FULL>(count), number = COUNTED ? warp_sum(head_number(heads)) : lane_heads.lanes != 0;
    if constexpr (KEPT) {
        const T sums = warp_sums<FULL>(p, begin, count, slots, heads, lane_heads);
        kept.of[threadIdx.x] = sums;
        if (lane_index() + 1 == lanes) warp_totals[warp_index()] = state_of<State>(sums, number);
    } else {
        T sum;
        if constexpr (KEYED_TILES && FULL) sum = KeyedTile<T>::thread_sum(p, begin, slots);
        else sum = thread_sum<FULL>(p, begin, count, slots, heads);
        const u32 from = lane_heads.last();
        if constexpr (SEGMENTED) sum = shuffle(sum, (lane_index() + from) % WARP);
        const T total = warp_reduce(sum, lanes - from);
        if (lane_index() == 0) warp_totals[warp_index()] = state_of<State>(total, number);
    }
}

// Returns the exclusive scan of the totals of a tile's first `warps` warps, those that have elements: lane w gets the
// combination of the warps before warp w. Called by all lanes of a warp; the value in lane 0 is meaningless.
__device__ __forceinline__ State lower_warps(const State* warp_totals, u32 warps) {
    const u32 lane = lane_index();
    return shuffle_up(warp_inclusive_scan<WARPS>(warp_totals[min(lane, WARPS - 1)], lane < warps ? lane : 0), 1);
}

// Second pass: computes and stores every result of this warp's elements. `prefix` is the exclusive prefix of the warp,
// which exists only if `some` is true.
template <bool FULL>
__device__ __forceinline__ void rescan_tile(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, const ThreadPrefixes& kept, bool some,
                                            const State& prefix, bool aligned) {
    const u32 lane = lane_index();
    const Mask heads = thread_heads<FULL>(p, begin, count, marks);

    // `carry` is the exclusive prefix of this thread's elements, if `some` is true.
    typename CompactionOf<COUNTED>::type compaction(p, begin, count, heads, marks, some, prefix);
    const u32 lanes = lanes_with_elements<FULL>(count);
    const LaneHeads lane_heads = LaneHeads::of<FULL>(heads);
    T lower;
    if constexpr (!KEPT) lower = shuffle_up(warp_sums<FULL>(p, begin, count, slots, heads, lane_heads), 1);
    else if (lane > 0) lower = kept.of[threadIdx.x - 1];
    T carry = value_of(prefix);
    if (lane > 0 && lane < lanes) {
        carry = some && !lane_heads.any_lower() ? combine(carry, lower) : lower;
        some = true;
    }
    if constexpr (PACKED && FULL) {
        Packed<T>::scan_vectors(p, slots, some, carry);
        return store_rows(p, begin, count, slots, aligned);
    }
    if constexpr (KEYED_TILES && FULL) {
        KeyedTile<T>::scan_vectors(p, slots, some, carry);
        return store_rows(p, begin, count, slots, aligned);
    }
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        const Items items = Items::of<FULL>(begin, count, row, slots, heads);
        Out results[VECTOR];
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (FULL || j < items.count) {
                // If there are segments, the first element of all is a head, and no carry is read before one is set.
                const bool alone = SEGMENTED ? items.head(j) : !some;
                const T e = mapped_element(p, items, slots, row, j);
                T with;
                if (alone) with = e;
                else with = combine(carry, e);
                results[j] = result(!EXCLUSIVE ? with : alone ? p.first : carry);
                if constexpr (!THROUGH_SLOTS) compaction.store(p, items, row, j, results[j]);
                carry = with;
                some = true;
            }
        }
        if constexpr (COUNTED && !THROUGH_SLOTS) continue;
        if constexpr (THROUGH_SLOTS) put_in_slot(slots[slot_of(threadIdx.x * ROWS + row)], results);
        else {
            const u32 mine = existing<FULL && !ALL_FULL>((u32)(items.index - begin), VECTOR, count);
            if (mine > 0) store_vector(vector_address(output_of(p), p.n, items.index), results, mine, aligned);
        }
    }
    compaction.store_keys(p, begin);
    if constexpr (COUNTED && THROUGH_SLOTS) compaction.store_from(p, begin, slots);
    if constexpr (!COUNTED && THROUGH_SLOTS) store_rows(p, begin, count, slots, aligned);
    else __syncwarp();  // other threads of the warp stage into the slots that this one has read
}

// Returns what comes before the first element of a scan that CONTINUES another.
__device__ __forceinline__ State carried_state(const Params& p) { return state_of<State>(ValueOfAcc::of(*p.before), 0); }

// Stores the state after the last element, for the scan of the elements that follow, and the value after it as one more
// result, if they are requested.
__device__ __forceinline__ void store_last(const Params& p, const T& last, const T (&levels)[OPEN_LEVELS]) {
    if (p.after) {
#pragma unroll
        for (u32 k = 0; k < OPEN_LEVELS; k++) {
            p.after[k] = canonical(ValueOfAcc::back(levels[k]));
            arith::clear_padding(p.after + k);
        }
        if constexpr (HEADS == Heads::KEYS) {
            Source& key = *(Source*)((u8*)p.after + KEY_AT);
            if (p.n > 0) key = source_of(p, p.n - 1);
            else if constexpr (CONTINUES) key = *(const Source*)((const u8*)p.before + KEY_AT);
        }
    }
    if (p.total) store_result(output_of(p) + p.n, result(last));
}

// Stores what `store_last` does. It follows from the total of the last tile's last warp and its exclusive prefix
// `prefix`, which exists only if `some` is true.
__device__ __forceinline__ void store_carry(const Params& p, const State* warp_totals, u32 warps, bool some, const State& prefix) {
    State last;
    if (warps > 0) last = some ? combine(prefix, warp_totals[warps - 1]) : warp_totals[warps - 1];
    else last = CONTINUES ? carried_state(p) : state_of<State>(p.first, 0);
    store_last(p, value_of(last), {value_of(last)});
}

// The two passes as a single-pass kernel calls them. See tree.cuh for those of float sums and products.
struct WarpPasses {
    // What a tile has in shared memory besides its elements.
    struct Tile {
        State warp_totals[WARPS];
        State prefixes[WARPS];  // exclusive prefixes of the warps
        ThreadPrefixes kept;
    };

    template <bool FULL>
    static __device__ __forceinline__ void reduce(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, Tile& tile) {
        reduce_tile<FULL>(p, begin, count, slots, marks, tile.warp_totals, tile.kept);
    }

    // Returns the combination of the tile's warps, in lane 0 of the warp that calls it.
    static __device__ __forceinline__ State total_of(const Tile& tile) { return aggregate_of(tile.warp_totals); }

    // Leaves the exclusive prefixes of the warps of tile `t`. Called by all lanes of one warp.
    template <class Look>
    static __device__ __forceinline__ void look_back(const Params& p, u64 t, Tile& tile, const Look& chain) {
        const u32 lane = lane_index(), warps = warps_with_elements(tile_count(p.n, t));
        const State lower = lower_warps(tile.warp_totals, warps);
        State prefix;
        const bool some = CONTINUES || t > 0;
        if (t > 0) prefix = chain.prefix(t);
        if constexpr (CONTINUES) prefix = t > 0 ? combine(carried_state(p), prefix) : carried_state(p);
        if (lane < warps) {
            if (lane > 0) prefix = some ? combine(prefix, lower) : lower;
            tile.prefixes[lane] = prefix;
        }
        if constexpr (CARRIES) {
            if (t + 1 == chain.tiles && lane == max(warps, 1u) - 1) store_carry(p, tile.warp_totals, warps, some || lane > 0, prefix);
        }
    }

    template <bool FULL>
    static __device__ __forceinline__ void rescan(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, const Tile& tile, bool aligned) {
        rescan_tile<FULL>(p, begin, count, slots, marks, tile.kept, CONTINUES || begin > 0 || warp_index() > 0, tile.prefixes[warp_index()], aligned);
    }
};
