// A block goes over keys once, and sees whether they are in order.

#pragma once

#include "tile/radix.cuh"

// Calls `add` with arrays of the keys from `begin` to `end` of the array, put into their order. Returns whether one is less than the
// key before it, of those that this thread has seen.
template <class F>
__device__ __forceinline__ bool visit_keys(const KeyBits* keys, u64 begin, u64 end, F add) {
    constexpr u32 VECTOR_KEYS = 16 / KEY_BYTES;
    struct alignas(16) KeyVector { KeyBits at[VECTOR_KEYS]; };
    u32 unsorted = 0;
    const auto visit_one = [&](u64 i) {
        const KeyBits key[] = {in_order(keys[i])};
        if (i > 0 && key[0] < in_order(keys[i - 1])) unsorted = 1;
        add(key);
    };
    // Vectors where they are aligned.
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
            KeyBits lower = in_order(before[j]), key[VECTOR_KEYS];
#pragma unroll
            for (u32 i = 0; i < VECTOR_KEYS; i++) {
                key[i] = in_order(x[j].at[i]);
                unsorted = key[i] < lower ? 1 : unsorted;
                lower = key[i];
            }
            add(key);
        }
    }
    return unsorted;
}

// Makes the words ready through which tiles will tell each other their counts: the first `empty` are empty in the first pass, the others
// in the second.
__device__ __forceinline__ void clear_status(StatusWord* status, u64 words, u64 empty) {
    const u64 threads = (u64)gridDim.x * THREADS;
    for (u64 i = blockIdx.x * (u64)THREADS + threadIdx.x; i < words; i += threads) {
        status[i] = DigitStatus::word(i < empty ? DigitStatus::EMPTY : DigitStatus::PREFIX, 0, 0);
    }
}
