// Reduction by flags or keys as a scan that stores only each segment's last result: where a result goes is the number of
// heads before it, which the tile's prefix tells (state.cuh, `Counted`). There goes the head's key, too, where keys are asked for; it was read
// when heads were told, and is in the second cache.

#pragma once

#include "tile/items.cuh"
#include "tile/store.cuh"
#include "warp/sum.cuh"

constexpr u64 NO_KEYS = ~0ull;  // in place of the room for keys: none are asked for

// The elements of this thread that end a segment: those whose next element begins one, or does not exist.
__device__ __forceinline__ Mask counted_tails(const Params& p, u64 begin, u32 count, Mask heads) {
    const u32 offset = threadIdx.x * ITEMS, mine = existing<false>(offset, ITEMS, count);
    const u64 next = begin + offset + mine;
    const u32 first_bits = __ballot_sync(~0u, heads & 1);
    bool ends = next == p.n;
    if (lane_index() < WARP - 1) ends |= first_bits >> (lane_index() + 1) & 1;
    else if (mine == ITEMS && !ends) ends = begins(source_of(p, next - 1), source_of(p, next));
    return mine == 0 ? 0 : heads >> 1 | (Mask)ends << (mine - 1);
}

// The results of this thread that are stored, and where.
struct Compaction {
    Mask tails;
    u64 segment;  // the number of heads so far

    // `own` are the thread's heads; `some` says whether anything lies before the warp, `prefix` what.
    __device__ __forceinline__ Compaction(const Params& p, u64 begin, u32 count, Mask heads, bool some, const State& prefix)
        : tails(counted_tails(p, begin, count, heads)) {
        const u32 own = head_number(heads);
        segment = (some ? heads_of(prefix) : 0) + warp_inclusive_sum(own) - own;
        if constexpr (HEADS == Heads::KEYS) {
            if (p.keys_room != NO_KEYS) store_keys(p, begin, heads);
        }
    }

    __device__ __forceinline__ void store_keys(const Params& p, u64 begin, Mask heads) const {
        Key* const keys = (Key*)p.keys;
        for (u64 to = segment; heads != 0; heads &= heads - 1, to++) {
            if (to < p.keys_room) keys[to] = source_of(p, begin + threadIdx.x * ITEMS + lowest_bit(heads));
        }
    }

    // Element j of the vector in `row` has this result.
    __device__ __forceinline__ void store(const Params& p, const Items& items, u32 row, u32 j, const Out& result) {
        segment += items.head(j);
        if (tails >> (row * VECTOR + j) & 1) {
            store_segment(p, segment - 1, result);
            if (items.index + j == p.n - 1) {
                if (p.count) *p.count = segment;
                if (p.keys_room != NO_KEYS && segment > p.keys_room) report_fault(p.workspace, FAULT_CAPACITY, segment, (i64)p.keys_room);
            }
        }
    }
};
template <bool> struct CompactionOf { using type = Compaction; };
struct NoCompaction {
    __device__ __forceinline__ NoCompaction(const Params&, u64, u32, Mask, bool, const State&) {}
    __device__ __forceinline__ void store(const Params&, const Items&, u32, u32, const Out&) {}
};
template <> struct CompactionOf<false> { using type = NoCompaction; };
