// The two passes over a tile that lies in shared memory: reduce it, and, once all before it is known, rescan it. The
// second pass scans the rows again: that costs fewer shared-memory bytes than to keep what the first one found.

// Element j (logical) of the vector in a slot.
struct Vector {
    In elements[VECTOR];
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

// A thread's vector in a row of the tile, with what it needs to be combined.
template <bool FULL>
struct RowVector {
    Vector x;
    u64 index;   // its first element
    u32 count;   // how many of its elements exist
    u32 lanes;   // how many lanes of the row have elements
    u32 offset;  // its first element's place in the tile
    u32 heads;   // see heads.cuh

    __device__ __forceinline__ RowVector(const Params& p, u64 begin, u32 tile_count, u32 row, const Slot* slots, u64 row_start, const u32* marks)
        : x(slots[row * THREADS + threadIdx.x]) {
        offset = vector_start(row);
        index = begin + offset;
        count = existing<FULL>(offset, VECTOR, tile_count);
        lanes = lanes_in_row<FULL>(row, tile_count);
        heads = SEGMENTED ? (u32)vector_heads(p, index, offset, count, row_start, marks) : 0;
    }

    __device__ __forceinline__ bool has(u32 j) const { return FULL || j < count; }

    __device__ __forceinline__ State operator()(const Params& p, u32 j) const { return element(p, x[j], index + j, heads >> j & 1); }

    // The combination of the vector; nothing where it has no elements.
    __device__ __forceinline__ State sum(const Params& p) const {
        State sum;
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (has(j)) sum = j == 0 ? (*this)(p, j) : combine(sum, (*this)(p, j));
        }
        return sum;
    }
};

__device__ __forceinline__ u64 place_in_row(const Params& p, u64 begin) {
    return HEADS == Heads::ROWS ? begin % p.row : 0;
}

// First pass: every warp's combination, in `warp_totals`. Only warps that are full have one.
template <bool FULL>
__device__ __forceinline__ void reduce_tile(const Params& p, u64 begin, u32 count, const Slot* slots, const u32* marks, State* warp_totals) {
    const u64 row_start = place_in_row(p, begin);
    State total;
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        const RowVector<FULL> vector(p, begin, count, row, slots, row_start, marks);
        const State sum = warp_reduce(vector.sum(p), vector.lanes);
        total = row == 0 ? sum : vector.lanes > 0 ? combine(total, sum) : total;
    }
    if (lane_index() == 0) warp_totals[warp_index()] = total;
}

// The elements of the vector that end a segment: those whose next element begins one, or does not exist.
template <bool FULL>
__device__ __forceinline__ u32 vector_tails(const Params& p, const RowVector<FULL>& vector, u32 tile_count, u64 row_start, const u32* marks) {
    if (!vector.has(0)) return 0;
    const u64 next = vector.index + vector.count;
    bool ends = next == p.n;
    if (!ends) ends = vector_heads(p, next, vector.offset + vector.count, 1, row_start, marks) & 1;
    return (vector.heads >> 1 & ((1u << (vector.count - 1)) - 1)) | (u32)ends << (vector.count - 1);
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

// Second pass: every result, from `before`, the combination of all tiles before (if `any`).
template <bool FULL>
__device__ __forceinline__ void rescan_tile(const Params& p, u64 begin, u32 count, const Slot* slots, const u32* marks, const u64* bounds,
                                            const State* warp_totals, bool any, State before, bool aligned) {
    const u64 row_start = place_in_row(p, begin);
    const u32 lane = lane_index(), warp = warp_index();
    // What lies before this warp: only full warps have others behind them.
    if (warp > 0) {
        const State scanned = warp_inclusive_scan(warp_totals[min(lane, WARPS - 1)], warp);
        const State in_tile = shuffle(scanned, warp - 1);
        before = any ? combine(before, in_tile) : in_tile;
        any = true;
    }
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) {
        const RowVector<FULL> vector(p, begin, count, row, slots, row_start, marks);
        if (!FULL && vector.lanes == 0) break;
        // What lies before this vector: `carry`, if `some`.
        const State scanned = warp_inclusive_scan(vector.sum(p), vector.lanes);
        const State lower = shuffle_up(scanned, 1);
        const State row_total = shuffle(scanned, WARP - 1);
        State carry = before;
        bool some = any;
        if (lane > 0 && vector.has(0)) {
            carry = any ? combine(before, lower) : lower;
            some = true;
        }
        if (FULL || vector.lanes == WARP) before = any ? combine(before, row_total) : row_total;
        any = true;
        const u32 tails = BY_SEGMENT ? vector_tails<FULL>(p, vector, count, row_start, marks) : 0;
        Out results[VECTOR];
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (vector.has(j)) {
                const bool head = SEGMENTED ? vector.heads >> j & 1 : !some;
                const State e = vector(p, j);
                const State with = some ? combine(carry, e) : e;
                results[j] = canonical(finish(!EXCLUSIVE ? value_of(with) : head ? p.first : value_of(carry)));
                if (BY_SEGMENT && (tails >> j & 1)) store_segment(p, bounds, vector.index + j, heads_of(with), results[j]);
                carry = with;
                some = true;
            }
        }
        if (!BY_SEGMENT) store_vector(vector_address(p.output, p.n, vector.index), results, vector.count, aligned);
    }
}
