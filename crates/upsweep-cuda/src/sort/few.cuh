// Few distinct keys: a block finds them in a sample, and builds a perfect hash table: one probe shows whether a key is
// one of them.
//
//   the first warp looks at its own keys:   more than MOST_DISTINCT distinct ones: not few
//   each thread has a key of the sample:    the first of each is appended to the list of distinct keys, through a hash
//                                           set in shared memory
//   each warp tries factors:                a good one hashes no two keys of the list to the same slot
//   slots[slot(x)] = x                      for each x of the list: so a key is in the list if it is in its slot
//
// The keys are not few if the list would have more than FEW keys, or if no factor is good. Keys outside the list are
// found only when all keys have been looked at.

#pragma once

#include "sort/radix.cuh"
#include "warp/ballots.cuh"
#include "warp/shuffle.cuh"

constexpr u32 FEW = WARP, FEW_SLOTS = DIGITS;
constexpr u32 FEW_LANES = WARP;  // number of counters of a slot: each lane has its own, as all may have the same key
constexpr u32 FEW_TRIES = 4;     // number of factors that a warp tries
constexpr u32 SET_SLOTS = 2 * FEW_SLOTS;
constexpr u32 FIRST_SAMPLED = 128;           // number of threads that insert their keys before the others
// Limit of the number of distinct keys among the first warp's keys: FEW equally frequent values have 20 there on
// average.
constexpr u32 MOST_DISTINCT = WARP * 3 / 4;
static_assert(FEW_SLOTS == 256, "a slot has the highest 8 bits of a word");

struct FewKeys {
    KeyBits sample[THREADS], list[FEW], slots[FEW_SLOTS];
    u32 set[SET_SLOTS];  // hash set: 0, or one more than the index of the thread whose key is there
    u32 number;  // length of the list
    u32 factor;  // index of a factor by which no two keys of the list have the same slot

    static __device__ __forceinline__ u32 slot(KeyBits key, u32 factor) {
        u32 word = (u32)key;
#pragma unroll
        for (u32 i = 1; i < KEY_WORDS; i++) word = word * 0x85ebca6b + (u32)(key >> (KEY_BYTES > 4 ? 32 * i : 0));
        return word * factor >> 24;
    }
    // Returns factor number `number`: all factors are odd.
    static __device__ __forceinline__ u32 factor_of(u32 number) { return 0x9e3779b1 + number * 0x3c6ef372; }

    // Appends the key to the list of distinct keys unless it is there.
    __device__ __forceinline__ void add(KeyBits key) {
        for (u32 at = slot(key, factor_of(0)) * 2; *(volatile u32*)&number <= FEW; at = (at + 1) % SET_SLOTS) {
            const u32 other = atomicCAS(&set[at], 0u, threadIdx.x + 1);
            if (other == 0) {
                const u32 i = atomicAdd(&number, 1u);
                if (i < FEW) list[i] = key;
                return;
            }
            if (sample[other - 1] == key) return;
        }
    }

    // Returns whether the keys are few; then the table is built. `key` is this thread's key of the sample. Called by
    // all threads.
    __device__ __forceinline__ bool find(KeyBits key) {
        // Early exit by the first warp's keys.
        if (warp_index() == 0) {
            bool is_new = true;
            for (u32 lane = 0; lane < WARP; lane++) {
                const KeyBits other = shuffle(key, lane);
                is_new &= lane >= lane_index() || other != key;
            }
            const u32 distinct = __popc(__ballot_sync(~0u, is_new));
            if (lane_index() == 0) number = distinct;
        }
        __syncthreads();
        if (number > MOST_DISTINCT) return false;
        __syncthreads();
        sample[threadIdx.x] = key;
        for (u32 i = threadIdx.x; i < SET_SLOTS; i += THREADS) set[i] = 0;
        if (threadIdx.x == 0) number = 0, factor = ~0u;
        __syncthreads();
        // Part of the sample first: an early exit for many distinct keys.
        for (u32 begin = 0; begin < THREADS; begin = begin == 0 ? FIRST_SAMPLED : THREADS) {
            if (threadIdx.x >= begin && (begin > 0 || threadIdx.x < FIRST_SAMPLED)) add(key);
            __syncthreads();
            if (number > FEW) return false;
            __syncthreads();
        }
        const bool exists = lane_index() < number;
        const KeyBits mine = list[exists ? lane_index() : 0];
        for (u32 i = 0; i < FEW_TRIES; i++) {
            const u32 tried = i * WARPS + warp_index(), same = same_by_ballots<0, DIGIT_BITS>(slot(mine, factor_of(tried)), __ballot_sync(~0u, exists));
            if (!__any_sync(~0u, exists && (same & (same - 1)) != 0) && lane_index() == 0) atomicMin(&factor, tried);
        }
        __syncthreads();
        if (factor == ~0u) return false;
        const u32 good = factor_of(factor);
        // Filler of the unused slots: list[0] hashes to its own slot, so no key is found in them.
        for (u32 i = threadIdx.x; i < FEW_SLOTS; i += THREADS) slots[i] = list[0];
        __syncthreads();
        if (warp_index() == 0 && exists) slots[slot(mine, good)] = mine;
        __syncthreads();
        return true;
    }
};
