// Reduction by flags, or by keys where it does not go by runs (reduce/runs.cuh), as a scan that stores only each segment's last result: where a result goes is the number of
// heads before it, which the tile's prefix tells (state.cuh, `Counted`). There goes the head's key, too, where keys are asked for; it was read
// when heads were told, and is in the second cache.

#pragma once

#include "tile/items.cuh"
#include "tile/store.cuh"
#include "warp/sum.cuh"

// The elements of this thread that end a segment: those whose next element begins one, or does not exist.
__device__ __forceinline__ Mask counted_tails(const Params& p, u64 begin, u32 count, Mask heads, const Marks& marks) {
    const u32 offset = threadIdx.x * ITEMS, mine = existing<false>(offset, ITEMS, count);
    const u64 next = begin + offset + mine;
    const u32 first_bits = __ballot_sync(~0u, heads & 1);
    bool ends = next == p.n;
    if (lane_index() < WARP - 1) ends |= first_bits >> (lane_index() + 1) & 1;
    else if (mine == ITEMS) ends |= marks.next[warp_index()] != 0;
    return mine == 0 ? 0 : heads >> 1 | (Mask)ends << (mine - 1);
}

// The results of this thread that are stored, and where.
class Compaction {
    Mask heads, tails;
    u64 before;   // heads before the thread
    u64 segment;  // heads so far
    Key first;    // of the first head; asked for early, stored late

    // Element i ends the segment before which, and with which, there are so many.
    __device__ __forceinline__ void store_tail(const Params& p, u64 i, u64 number, const Out& result) const {
        store_segment(p, number - 1, result);
        if (i != p.n - 1) return;
        if (p.count) *p.count = number;
        if (p.keys_room != NO_KEYS && number > p.keys_room) report_fault(p.workspace, FAULT_CAPACITY, number, (i64)p.keys_room);
    }

public:
    // `some` says whether anything lies before the warp, `prefix` what.
    __device__ __forceinline__ Compaction(const Params& p, u64 begin, u32 count, Mask heads, const Marks& marks, bool some, const State& prefix)
        : heads(heads), tails(counted_tails(p, begin, count, heads, marks)) {
        if constexpr (HEADS == Heads::KEYS) {
            if (p.keys_room != NO_KEYS && heads != 0) first = source_of(p, begin + threadIdx.x * ITEMS + lowest_bit(heads));
        }
        const u32 own = head_number(heads);
        before = segment = (some ? heads_of(prefix) : 0) + warp_inclusive_sum(own) - own;
    }

    __device__ __forceinline__ void store_keys(const Params& p, u64 begin) const {
        if constexpr (HEADS == Heads::KEYS) {
            if (p.keys_room == NO_KEYS || heads == 0) return;
            Key* const keys = (Key*)p.keys;
            u64 to = before;
            if (to < p.keys_room) keys[to] = first;
            for (Mask left = heads & (heads - 1); left != 0; left &= left - 1) {
                if (++to < p.keys_room) keys[to] = source_of(p, begin + threadIdx.x * ITEMS + lowest_bit(left));
            }
        }
    }

    // Element j of the vector in `row` has this result. Not where results go through slots.
    __device__ __forceinline__ void store(const Params& p, const Items& items, u32 row, u32 j, const Out& result) {
        segment += items.head(j);
        if (tails >> (row * VECTOR + j) & 1) store_tail(p, items.index + j, segment, result);
    }

    // Those that the thread has left in its slots: few elements end a segment, so they are not asked one by one.
    __device__ __forceinline__ void store_from(const Params& p, u64 begin, const Slot* slots) const {
        for (Mask left = tails; left != 0; left &= left - 1) {
            const u32 i = lowest_bit(left);
            const u64 number = before + head_number(heads & (((Mask)2 << i) - 1));
            store_tail(p, begin + threadIdx.x * ITEMS + i, number, ((const Out*)slots[threadIdx.x * ROWS + i / VECTOR].bytes)[i % VECTOR]);
        }
    }
};
template <bool> struct CompactionOf { using type = Compaction; };
struct NoCompaction {
    __device__ __forceinline__ NoCompaction(const Params&, u64, u32, Mask, const Marks&, bool, const State&) {}
    __device__ __forceinline__ void store_keys(const Params&, u64) const {}
    __device__ __forceinline__ void store(const Params&, const Items&, u32, u32, const Out&) {}
    __device__ __forceinline__ void store_from(const Params&, u64, const Slot*) const {}
};
template <> struct CompactionOf<false> { using type = NoCompaction; };
