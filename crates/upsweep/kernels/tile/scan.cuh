// The two passes over a tile that lies in shared memory: reduce it, and, once all before it is known, rescan it. The
// second pass scans the rows again: that costs fewer shared-memory bytes than to keep what the first one found. Full
// tiles of small integers go through packed.cuh.

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

// Logical element i, mapped, with its head bit.
__device__ __forceinline__ State element(const Params& p, const In& x, u64 i, bool head) {
    u64 index = REVERSE ? p.n - 1 - i : i;
    if constexpr (HEADS == Heads::ROWS) index %= p.row;  // vanishes where the map does not ask
    return state_of<State>(with_init(p, map(x, index), head || (!SEGMENTED && i == 0)), head);
}

// One of a thread's vectors, with what it needs to be combined.
struct Items {
    Vector x;
    u64 index;  // its first element
    u32 count;  // how many of its elements exist
    u32 heads;  // see heads.cuh

    template <bool FULL>
    static __device__ __forceinline__ Items of(const Params& p, u64 begin, u32 tile_count, u32 row, const Slot* slots, u64 row_start, const u32* marks) {
        const u32 vector = threadIdx.x * ROWS + row, offset = vector * VECTOR;
        const u32 count = existing<FULL>(offset, VECTOR, tile_count);
        const u32 heads = SEGMENTED ? (u32)vector_heads(p, begin + offset, offset, count, row_start, marks) : 0;
        return Items{Vector(slots[vector]), begin + offset, count, heads};
    }

    __device__ __forceinline__ State operator()(const Params& p, u32 j) const { return element(p, x[j], index + j, heads >> j & 1); }
};

__device__ __forceinline__ u64 place_in_row(const Params& p, u64 begin) {
    return HEADS == Heads::ROWS ? begin % p.row : 0;
}

// The combination of this thread's elements; nothing where it has none.
template <bool FULL>
__device__ __forceinline__ State thread_sum(const Params& p, u64 begin, u32 count, const Slot* slots, u64 row_start, const u32* marks) {
    if constexpr (PACKED && FULL) return Packed<State>::thread_sum(p, begin, slots);
    State sum;
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        const Items items = Items::of<FULL>(p, begin, count, row, slots, row_start, marks);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (FULL || j < items.count) sum = row == 0 && j == 0 ? items(p, 0) : combine(sum, items(p, j));
        }
    }
    return sum;
}

// First pass: every warp's combination, in `warp_totals`; of a partial tile, that of the lanes that have elements.
template <bool FULL>
__device__ __forceinline__ void reduce_tile(const Params& p, u64 begin, u32 count, const Slot* slots, const u32* marks, State* warp_totals) {
    const u64 row_start = place_in_row(p, begin);
    const State sum = thread_sum<FULL>(p, begin, count, slots, row_start, marks);
    const State total = warp_reduce(sum, lanes_with_elements<FULL>(count));
    if (lane_index() == 0) warp_totals[warp_index()] = total;
}

// The elements of the vector that end a segment: those whose next element begins one, or does not exist.
__device__ __forceinline__ u32 vector_tails(const Params& p, const Items& items, u64 begin, u64 row_start, const u32* marks) {
    if (items.count == 0) return 0;
    const u64 next = items.index + items.count;
    const u32 last = items.count - 1;
    const bool ends = next == p.n || vector_heads(p, next, (u32)(next - begin), 1, row_start, marks) & 1;
    return (items.heads >> 1 & ((1u << last) - 1)) | (u32)ends << last;
}

// Stores the result of the segment that element i ends; `heads` of them begin at or before it.
__device__ __forceinline__ void store_segment(const Params& p, const u64* bounds, u64 i, u64 heads, const Out& result) {
    u64 segment;
    if constexpr (HEADS == Heads::ROWS) {
        segment = i / p.row;
    } else if constexpr (HEADS == Heads::OFFSETS) {
        // The last of the tile's offsets that is at most i, or the one before them.
        u64 low = bounds[0], high = bounds[1];
        while (low < high) {
            const u64 middle = low + (high - low) / 2;
            if (offset_at(p, middle) <= i) low = middle + 1;
            else high = middle;
        }
        segment = low - 1;
    } else {
        segment = heads - 1;
    }
    if (segment < p.outputs) p.output[segment] = result;
    if (COUNTED && i == p.n - 1 && p.count) *p.count = heads;
}

// From the slots, where each thread has left its results, to memory, a row of the warp at a time.
__device__ __forceinline__ void store_rows(const Params& p, u64 begin, u32 count, const Slot* slots, bool aligned) {
    __syncwarp();
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        const u32 vector = row_vector(row);
        const u32 mine = count == TILE ? VECTOR : existing<false>(vector * VECTOR, VECTOR, count);
        if (mine > 0) store_slot(vector_address(p.output, p.n, begin + vector * VECTOR), slots[vector], mine, aligned);
    }
}

// Second pass: every result, from `before`, the combination of all tiles before (if `any`).
template <bool FULL>
__device__ __forceinline__ void rescan_tile(const Params& p, u64 begin, u32 count, Slot* slots, const u32* marks, const u64* bounds,
                                            const State* warp_totals, bool any, State before, bool aligned) {
    const u64 row_start = place_in_row(p, begin);
    const u32 lane = lane_index(), warp = warp_index();

    // What lies before this thread's elements: `carry`, if `some`. Only full warps have others behind them.
    State carry = before;
    bool some = any;
    if (warp > 0) {
        const State scanned = warp_inclusive_scan(warp_totals[min(lane, WARPS - 1)], warp);
        const State in_tile = shuffle(scanned, warp - 1);
        carry = some ? combine(carry, in_tile) : in_tile;
        some = true;
    }
    const u32 lanes = lanes_with_elements<FULL>(count);
    const State scanned = warp_inclusive_scan(thread_sum<FULL>(p, begin, count, slots, row_start, marks), lanes);
    const State lower = shuffle_up(scanned, 1);
    if (lane > 0 && lane < lanes) {
        carry = some ? combine(carry, lower) : lower;
        some = true;
    }

    if constexpr (PACKED && FULL) {
        Packed<State>::scan_vectors(p, slots, some, carry);
        return store_rows(p, begin, count, slots, aligned);
    }
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        const Items items = Items::of<FULL>(p, begin, count, row, slots, row_start, marks);
        const u32 tails = BY_SEGMENT ? vector_tails(p, items, begin, row_start, marks) : 0;
        Out results[VECTOR];
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (FULL || j < items.count) {
                const bool head = SEGMENTED ? items.heads >> j & 1 : !some;
                const State e = items(p, j);
                const State with = some ? combine(carry, e) : e;
                results[j] = canonical(finish(!EXCLUSIVE ? value_of(with) : head ? p.first : value_of(carry)));
                if (BY_SEGMENT && (tails >> j & 1)) store_segment(p, bounds, items.index + j, heads_of(with), results[j]);
                carry = with;
                some = true;
            }
        }
        if constexpr (BY_SEGMENT) continue;
        if constexpr (THROUGH_SLOTS) put_in_slot(slots[threadIdx.x * ROWS + row], results);
        else if (items.count > 0) store_vector(vector_address(p.output, p.n, items.index), results, items.count, aligned);
    }
    if constexpr (!BY_SEGMENT && THROUGH_SLOTS) store_rows(p, begin, count, slots, aligned);
}
