// Stream compaction of a scan: reduction by flags, or by keys unless it goes by runs (reduce/runs.cuh). Only the last
// result of each segment is stored. Its place is the number of heads before it, from the tile's prefix (state.cuh,
// `Counted`). The head's key is stored there as well, if keys are requested; it was read when heads were detected, and
// is in the L2 cache.

#pragma once

#include "tile/items.cuh"
#include "tile/store.cuh"
#include "warp/sum.cuh"

// Returns the mask of the tails among this thread's elements: those whose next element begins a segment, or does not
// exist.
__device__ __forceinline__ Mask counted_tails(const Params& p, u64 begin, u32 count, Mask heads, const Marks& marks) {
    const u32 offset = threadIdx.x * ITEMS, mine = existing<false>(offset, ITEMS, count);
    const u64 next = begin + offset + mine;
    const u32 first_bits = __ballot_sync(~0u, heads & 1);
    bool ends = next == p.n;
    if (lane_index() < WARP - 1) ends |= first_bits >> (lane_index() + 1) & 1;
    else if (mine == ITEMS) ends |= marks.next[warp_index()] != 0;
    return mine == 0 ? 0 : heads >> 1 | (Mask)ends << (mine - 1);
}

// Stores those of this thread's results that end a segment, each at the index of its segment in the output.
class Compaction {
    Mask heads, tails;
    u64 before;   // number of heads before this thread's elements
    u64 segment;  // number of heads up to the element stored last
    Key first;    // key of this thread's first head; loaded early, stored late

    // Stores the result of element i, the last of its segment, which is segment `number` - 1.
    __device__ __forceinline__ void store_tail(const Params& p, u64 i, u64 number, const Out& result) const {
        store_segment(p, number - 1, result);
        if (i != p.n - 1) return;
        if (p.count) *p.count = number;
        if (p.keys_room != NO_KEYS && number > p.keys_room) report_fault(p.workspace, FAULT_CAPACITY, number, (i64)p.keys_room);
    }

public:
    // Finds which of this thread's elements end a segment, and the number of heads before them. `prefix` is the
    // exclusive prefix of the warp, which exists only if `some` is true.
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

    // Stores the result of element j of the vector in row `row`. Not called if results go through slots (see
    // `store_from`).
    __device__ __forceinline__ void store(const Params& p, const Items& items, u32 row, u32 j, const Out& result) {
        segment += items.head(j);
        if (tails >> (row * VECTOR + j) & 1) store_tail(p, items.index + j, segment, result);
    }

    // Stores the results that the thread has left in its slots, vectors in shared memory: few elements end a segment,
    // so only these are visited.
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
