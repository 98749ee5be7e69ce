// One pass of a block over keys, which also detects their order.

#pragma once

#include "sort/radix.cuh"

// Comparisons of a thread's keys with their predecessors.
struct Seen {
    u32 less = 0, more = 0;
    bool zeros = false;  // whether a zero has a sign

    __device__ __forceinline__ void add(KeyBits before, KeyBits key) {
        less = key < before ? 1 : less;
        if (VALUE_BYTES == 0) more = key > before ? 1 : more;
    }
    // Merges the comparisons of this warp's threads into the header, by one atomic at most, and one more if there is a
    // zero with a sign. The bits are not `(any_less ? LESS : 0) | (any_more ? MORE : 0)`: ptxas 13.0 makes a test for 0
    // of it that fails where both hold.
    __device__ __forceinline__ void report(SortHeader& header) const {
        const bool any_less = __any_sync(~0u, less), any_more = VALUE_BYTES > 0 || __any_sync(~0u, more);
        const bool any_zeros = HAS_ZEROS && __any_sync(~0u, zeros);
        if (lane_index() != 0) return;
        if (any_zeros) atomicOr(&header.order, (u32)NEGATIVE_ZEROS);
        if (any_less && any_more) atomicOr(&header.order, (u32)ANY_ORDER);
        else if (any_less) atomicOr(&header.order, (u32)LESS);
        else if (any_more) atomicOr(&header.order, (u32)MORE);
    }
    static __device__ __forceinline__ bool in_order(u32 order) { return (order & LESS) == 0; }
    static __device__ __forceinline__ bool has_zeros(u32 order) { return HAS_ZEROS && (order & NEGATIVE_ZEROS) != 0; }
    // A reversal would change the order of distinguishable equal zeros.
    static __device__ __forceinline__ bool reversed(u32 order) { return (order & ANY_ORDER) == LESS && !has_zeros(order); }
};

// Calls `add` with arrays of some of the keys from `begin` to `end` of the array `keys`, as numbers in sort order, with
// one number for both zeros. Returns this thread's comparisons of keys with their predecessors.
template <class F>
__device__ __forceinline__ Seen visit_keys(const KeyBits* keys, u64 begin, u64 end, F add) {
    constexpr u32 VECTOR_KEYS = 16 / KEY_BYTES;
    struct alignas(16) KeyVector { KeyBits at[VECTOR_KEYS]; };
    Seen seen;
    const auto visit_one = [&](u64 i) {
        const KeyBits own = in_order(keys[i]), key[] = {with_one_zero(own)};
        seen.zeros |= is_negative_zero(own);
        if (i > 0) seen.add(with_one_zero(in_order(keys[i - 1])), key[0]);
        add(key);
    };
    // Whole vectors from the first aligned key on.
    const u64 skew = (u64)keys / KEY_BYTES % VECTOR_KEYS;
    const u64 first = min(end, begin + (VECTOR_KEYS - (begin + skew) % VECTOR_KEYS) % VECTOR_KEYS);
    const u64 vectors = (end - first) / VECTOR_KEYS, last = first + vectors * VECTOR_KEYS;
    for (u64 i = begin + threadIdx.x; i < first; i += THREADS) visit_one(i);
    for (u64 i = last + threadIdx.x; i < end; i += THREADS) visit_one(i);
    for (u64 v = threadIdx.x; v < vectors; v += DEPTH * THREADS) {
        KeyVector x[DEPTH];
        KeyBits before[DEPTH];
#pragma unroll
        for (u32 j = 0; j < DEPTH; j++) {
            const u64 at = v + j * THREADS;
            if (at >= vectors) continue;
            x[j] = *(const KeyVector*)(keys + first + at * VECTOR_KEYS);
            before[j] = at > 0 || first > 0 ? keys[first + at * VECTOR_KEYS - 1] : x[j].at[0];
        }
#pragma unroll
        for (u32 j = 0; j < DEPTH; j++) {
            if (v + j * THREADS >= vectors) continue;
            KeyBits previous = in_order(before[j]), key[VECTOR_KEYS];
            bool zeros = is_negative_zero(previous);
#pragma unroll
            for (u32 i = 0; i < VECTOR_KEYS; i++) {
                key[i] = in_order(x[j].at[i]);
                zeros |= is_negative_zero(key[i]);
                if (HAS_ZEROS) continue;
                seen.add(previous, key[i]);
                previous = key[i];
            }
            if (zeros) {
                seen.zeros = true;
                previous = with_one_zero(previous);
#pragma unroll
                for (u32 i = 0; i < VECTOR_KEYS; i++) key[i] = with_one_zero(key[i]);
            }
#pragma unroll
            for (u32 i = 0; i < VECTOR_KEYS; i++) {
                if (!HAS_ZEROS) break;
                seen.add(previous, key[i]);
                previous = key[i];
            }
            add(key);
        }
    }
    return seen;
}

// Initialises the `words` look-back words of the tiles: the first `empty` are EMPTY in the first pass, the others in
// the second.
__device__ __forceinline__ void clear_status(StatusWord* status, u64 words, u64 empty) {
    const u64 threads = (u64)gridDim.x * THREADS;
    for (u64 i = blockIdx.x * (u64)THREADS + threadIdx.x; i < words; i += threads) {
        status[i] = DigitStatus::word(i < empty ? DigitStatus::EMPTY : DigitStatus::PREFIX, 0, 0);
    }
}
