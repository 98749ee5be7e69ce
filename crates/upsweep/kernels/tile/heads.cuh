// Which elements begin a segment, as a bit mask a vector: bit j for its element j.

static_assert(VECTOR <= 32, "the head mask of a vector has 32 bits");

// Offsets in logical order: ascending, the first 0, the last n.
__device__ __forceinline__ u64 offset_at(const Params& p, u64 k) {
    return REVERSE ? p.n - (u64)p.offsets[p.segments - k] : (u64)p.offsets[k];
}

// The first k in [0, segments] with offset_at(k) >= i; segments + 1 if there is none. All lanes of a warp together:
// each step asks 32 places and leaves a 33rd of the range.
__device__ __forceinline__ u64 first_offset_from(const Params& p, u64 i) {
    u64 low = 0, high = p.segments + 1;  // the answer is in [low, high]
    while (low < high) {
        const u64 step = (high - low) / (WARP + 1) + 1;
        const u64 probe = low + step * (lane_index() + 1) - 1;
        const bool below = probe < high && offset_at(p, probe) < i;
        const u32 count = __popc(__ballot_sync(~0u, below));  // offsets ascend: the probes below come first
        const u64 next_low = low + step * count;
        high = min(high, low + step * (count + 1) - 1);
        low = min(next_low, high);
    }
    return low;
}

// Marks the tile's segment heads in `marks` (one bit an element, and one more for the element after the tile), from
// the offsets. A reduction also stores the results of empty segments, which no element stands for. All threads of
// the block take part; `bounds` is shared.
__device__ __forceinline__ void mark_heads(const Params& p, u64 tile, u64 tiles, u32 count, u32* marks, u64* bounds) {
    const u64 begin = tile * TILE, end = begin + count;
    const bool last = tile == tiles - 1;
    for (u32 i = threadIdx.x; i < TILE / 32 + 1; i += THREADS) marks[i] = 0;
    if (warp_index() == 0) {
        const u64 found = first_offset_from(p, begin);
        if (lane_index() == 0) bounds[0] = found;
    } else if (warp_index() == 1) {
        const u64 found = first_offset_from(p, end + 1);
        if (lane_index() == 0) bounds[1] = found;
    }
    main_sync();
    for (u64 k = bounds[0] + threadIdx.x; k < bounds[1]; k += THREADS) {
        const u64 at = offset_at(p, k);
        if (at >= begin && at <= end) atomicOr(&marks[(at - begin) / 32], 1u << ((at - begin) % 32));
        if constexpr (BY_SEGMENT) {
            // Segment k is empty when the next offset is the same; the tile that holds the offset answers for it.
            if (k < p.segments && (at < end || last) && offset_at(p, k + 1) == at) p.output[k] = canonical(finish(p.first));
        }
    }
    main_sync();
}

// Every offset is checked by one tile: each tile takes an even share of them, wherever they point.
__device__ __forceinline__ void check_offsets(const Params& p, u64 tile, u64 tiles) {
    const u64 share = (p.segments + tiles) / tiles;
    const u64 from = tile * share, to = min(from + share, p.segments + 1);
    for (u64 k = from + threadIdx.x; k < to; k += THREADS) {
        const i64 at = (i64)p.offsets[k];
        const bool ascends = k == 0 ? at == 0 : at >= (i64)p.offsets[k - 1];
        const bool ends = k == p.segments ? (u64)at == p.n : (u64)at <= p.n;
        if (!ascends || !ends) report_fault(p.workspace, FAULT_OFFSETS, k, at);
    }
}

// The position of logical element i in its row.
__device__ __forceinline__ u64 row_position(const Params& p, u64 row_start, u32 offset) {
    const u64 position = row_start + offset;
    if (position < p.row) return position;
    return p.row <= ~0u && position <= ~0u ? (u32)position % (u32)p.row : position % p.row;
}

// Whether logical element i (not 0) begins a segment, by flags or keys.
__device__ __forceinline__ bool is_head(const Params& p, u64 i) {
    // In reverse the first element of a segment is the last in memory: the flag is that of its neighbour above.
    const u64 at = REVERSE ? p.n - i : i;
    if constexpr (HEADS == Heads::FLAGS) return p.flags[at];
    if constexpr (HEADS == Heads::KEYS) return !same_key(p.keys[at - 1], p.keys[at]);
    return false;
}

// The heads among this thread's `count` elements from logical element i on, in the low bits. `offset` is i's place in
// the tile, `row_start` the tile's first element's place in its row.
__device__ __forceinline__ u64 vector_heads(const Params& p, u64 i, u32 offset, u32 count, u64 row_start, const u32* marks) {
    u64 mask = 0;
    if constexpr (HEADS == Heads::ROWS) {
        u64 position = row_position(p, row_start, offset);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            mask |= (u64)(position == 0) << j;
            position = position + 1 == p.row ? 0 : position + 1;
        }
    } else if constexpr (HEADS == Heads::OFFSETS) {
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) mask |= (u64)(marks[(offset + j) / 32] >> ((offset + j) % 32) & 1) << j;
    } else if constexpr (SEGMENTED) {
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (j < count) mask |= (u64)(i + j == 0 || is_head(p, i + j)) << j;
        }
    }
    return mask;
}
