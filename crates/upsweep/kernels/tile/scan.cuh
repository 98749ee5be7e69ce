// The two passes over a tile that lies in shared memory: reduce it, and, once all before it is known, rescan it. The
// second pass scans the rows again: that costs fewer shared-memory bytes than to keep what the first one found. Only where
// heads make that slow, and what a thread has found is small, it is kept. Full tiles of small integers go through packed.cuh,
// those of keys through keyed.cuh.

// Whether every tile is computed as a full one. What lies in the slots behind the last element comes after all results that
// are stored, and the operators of these forms take whatever bits there are. So there is half of the code, which a short
// scan waits for.
constexpr bool ALL_FULL = PLAIN && FORM != Form::OTHER && !SEGMENTED;

// Element j (logical) of the vector in a slot.
struct Vector {
    In elements[VECTOR];
    Vector() = default;
    __device__ __forceinline__ explicit Vector(const Slot& slot) {
        u32 words[SLOT / 4];
#pragma unroll
        for (u32 i = 0; i < SLOT / 16; i++) {
            const uint4 part = ((const uint4*)slot.bytes)[i];
            words[4 * i] = part.x, words[4 * i + 1] = part.y, words[4 * i + 2] = part.z, words[4 * i + 3] = part.w;
        }
        memcpy(elements, words, sizeof(elements));
    }
    __device__ __forceinline__ In operator[](u32 j) const { return elements[REVERSE ? VECTOR - 1 - j : j]; }
};

__device__ __forceinline__ T with_init(const Params& p, T value, bool head) {
    if constexpr (HAS_INIT) {
        if (head) value = combine(p.init, value);
    }
    return value;
}

// Logical element i, mapped; `head` says whether it begins a segment or everything.
__device__ __forceinline__ T element(const Params& p, const In& x, u64 i, bool head) {
    u64 index = REVERSE ? p.n - 1 - i : i;
    if constexpr (HEADS == Heads::ROWS) index = place_in_row(p, index);  // vanishes where the map does not ask
    return with_init(p, map(x, index), head);
}

// One of a thread's vectors, with what it needs to be combined.
struct Items {
    Vector x;
    u64 index;  // its first element
    u32 count;  // how many of its elements exist
    u32 heads;  // bit j: element j begins a segment

    template <bool FULL>
    static __device__ __forceinline__ Items of(u64 begin, u32 tile_count, u32 row, const Slot* slots, Mask heads) {
        const u32 vector = threadIdx.x * ROWS + row, offset = vector * VECTOR;
        return Items{Vector(slots[vector]), begin + offset, existing<FULL>(offset, VECTOR, tile_count), (u32)(heads >> row * VECTOR)};
    }

    __device__ __forceinline__ bool head(u32 j) const { return SEGMENTED ? heads >> j & 1 : index + j == 0; }
    __device__ __forceinline__ T operator()(const Params& p, u32 j) const { return element(p, x[j], index + j, head(j)); }
};

#include "tile/keyed.cuh"

// The combination of this thread's elements from the last head on; nothing where it has none.
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
                if ((row == 0 && j == 0) || (SEGMENTED && items.head(j))) sum = items(p, j);
                else sum = combine(sum, items(p, j));
            }
        }
    }
    return sum;
}

// What the heads of a warp's lanes say to each lane.
struct LaneHeads {
    u32 lanes;  // those that have a head

    template <bool FULL>
    static __device__ __forceinline__ LaneHeads of(Mask heads) {
        return LaneHeads{SEGMENTED ? __ballot_sync(~0u, heads != 0) : 0};
    }

    // The last lane with a head, or lane 0.
    __device__ __forceinline__ u32 last() const { return lanes ? WARP - 1 - __clz(lanes) : 0; }
    // How many of the next lower lanes belong to what ends in this one.
    __device__ __forceinline__ u32 reach() const {
        const u32 own = lanes & (~0u >> (WARP - 1 - lane_index()));
        return lane_index() - LaneHeads{own}.last();
    }
    // Whether a lower lane has a head.
    __device__ __forceinline__ bool any_lower() const { return lanes & ((1u << lane_index()) - 1); }
};

// The lowest bit's place; ~0 of nothing.
__device__ __forceinline__ u32 lowest_bit(Mask mask) { return (u32)(sizeof(Mask) == 4 ? __ffs((u32)mask) : __ffsll(mask)) - 1; }
__device__ __forceinline__ u32 head_number(Mask heads) { return sizeof(Mask) == 4 ? __popc((u32)heads) : __popcll(heads); }

// What the first pass keeps for the second, where it is small, as the host knows: for each thread the combination of its
// warp's elements from the last head on, up to its own last one.
constexpr bool KEPT = SEGMENTED && sizeof(T) <= 4;
struct Kept {
    T of[KEPT ? THREADS : 1];
};

// The same, of a warp's threads that have elements.
template <bool FULL>
__device__ __forceinline__ T warp_sums(const Params& p, u64 begin, u32 count, const Slot* slots, Mask heads, const LaneHeads& lane_heads) {
    T sum;
    if constexpr (KEYED_TILES && FULL) sum = KeyedTile<T>::thread_sum_again(slots);
    else sum = thread_sum<FULL>(p, begin, count, slots, heads);
    return warp_inclusive_scan(sum, lane_index() < lanes_with_elements<FULL>(count) ? lane_heads.reach() : 0);
}

// First pass: every warp's combination, in `warp_totals`; of a partial tile, that of the lanes that have elements.
template <bool FULL>
__device__ __forceinline__ void reduce_tile(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, State* warp_totals,
                                            Kept& kept) {
    const Mask heads = thread_heads<FULL>(p, begin, count, marks);
    const LaneHeads lane_heads = LaneHeads::of<FULL>(heads);
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

// The elements of this thread that end a segment: those whose next element begins one, or does not exist.
__device__ __forceinline__ Mask counted_tails(const Params& p, u64 begin, u32 count, Mask heads) {
    const u32 offset = threadIdx.x * ITEMS, mine = existing<false>(offset, ITEMS, count);
    const u64 next = begin + offset + mine;
    const u32 first_bits = __ballot_sync(~0u, heads & 1);
    bool ends = next == p.n;
    if (lane_index() < WARP - 1) ends |= first_bits >> (lane_index() + 1) & 1;
    else if (mine == ITEMS && !ends) ends = begins(sign_of(p, next - 1), sign_of(p, next));
    return mine == 0 ? 0 : heads >> 1 | (Mask)ends << (mine - 1);
}

// From the slots, where each thread has left its results, to memory, a row of the warp at a time.
__device__ __forceinline__ void store_rows(const Params& p, u64 begin, u32 count, const Slot* slots, bool aligned) {
    __syncwarp();
    if (STORE > 1 && count == TILE && aligned) {
        // The rows lie at even distances, so that one address does for all.
        const u32 first = row_vector(0);
        Out* const to = vector_address(p.output, p.n, begin + first * VECTOR);
#pragma unroll
        for (i32 row = 0; row < (i32)ROWS; row++) {
            store_all(to + (REVERSE ? -row : row) * (i32)(WARP * VECTOR), (const Out*)slots[first + row * WARP].bytes);
        }
        return;
    }
    // Not unrolled: in that case these stores, which are many, would be skipped one by one.
#pragma unroll 1
    for (u32 row = 0; row < ROWS; row++) {
        const u32 vector = row_vector(row), mine = existing<false>(vector * VECTOR, VECTOR, count);
        if (mine > 0) store_slot(vector_address(p.output, p.n, begin + vector * VECTOR), slots[vector], mine, aligned);
    }
}

// The first warps of a tile, as many as have elements: lane w gets the combination of those before warp w. All lanes of a
// warp; lane 0 gets nothing.
__device__ __forceinline__ State lower_warps(const State* warp_totals, u32 warps) {
    const u32 lane = lane_index();
    return shuffle_up(warp_inclusive_scan<WARPS>(warp_totals[min(lane, WARPS - 1)], lane < warps ? lane : 0), 1);
}

// How many warps have elements of a tile.
__device__ __forceinline__ u32 warps_with_elements(u32 count) { return (count + WARP * ITEMS - 1) / (WARP * ITEMS); }

// Second pass: every result, from `before`, the combination of all that lies before this warp, if there is `some`.
template <bool FULL>
__device__ __forceinline__ void rescan_tile(const Params& p, u64 begin, u32 count, Slot* slots, const Marks& marks, const Kept& kept, bool some,
                                            State before, bool aligned) {
    const u32 lane = lane_index();
    const Mask heads = thread_heads<FULL>(p, begin, count, marks);
    const Mask tails = COUNTED ? counted_tails(p, begin, count, heads) : 0;

    // What lies before this thread's elements: `carry`, if `some`.
    const bool heads_before = some;
    const u32 lanes = lanes_with_elements<FULL>(count);
    const LaneHeads lane_heads = LaneHeads::of<FULL>(heads);
    T lower;
    if constexpr (!KEPT) lower = shuffle_up(warp_sums<FULL>(p, begin, count, slots, heads, lane_heads), 1);
    else if (lane > 0) lower = kept.of[threadIdx.x - 1];
    T carry = value_of(before);
    if (lane > 0 && lane < lanes) {
        carry = some && !lane_heads.any_lower() ? combine(carry, lower) : lower;
        some = true;
    }
    u64 segment = 0;  // the number of heads so far
    if constexpr (COUNTED) {
        const u32 own = head_number(heads);
        segment = (heads_before ? heads_of(before) : 0) + warp_inclusive_sum(own) - own;
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
                // The first element of all is a head where there are segments, and nobody's carry before it is read.
                const bool alone = SEGMENTED ? items.head(j) : !some;
                const T e = items(p, j);
                T with;
                if (alone) with = e;
                else with = combine(carry, e);
                results[j] = result(!EXCLUSIVE ? with : alone ? p.first : carry);
                if constexpr (COUNTED) {
                    segment += items.head(j);
                    if (tails >> (row * VECTOR + j) & 1) {
                        store_segment(p, segment - 1, results[j]);
                        if (items.index + j == p.n - 1 && p.count) *p.count = segment;
                    }
                }
                carry = with;
                some = true;
            }
        }
        if constexpr (COUNTED) continue;
        if constexpr (THROUGH_SLOTS) put_in_slot(slots[threadIdx.x * ROWS + row], results);
        else {
            const u32 mine = existing<FULL && !ALL_FULL>((u32)(items.index - begin), VECTOR, count);
            if (mine > 0) store_vector(vector_address(p.output, p.n, items.index), results, mine, aligned);
        }
    }
    if constexpr (!COUNTED && THROUGH_SLOTS) store_rows(p, begin, count, slots, aligned);
    else __syncwarp();  // other threads of the warp stage into the slots that this one has read
}
