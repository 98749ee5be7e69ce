// Few distinct keys: a block finds them in a sample, and then each key's among them by one look.
//
//   each thread has a key of the sample:    the first of each puts it on the list of distinct ones, through a set in shared memory
//   each warp tries factors:                with a good one no two of the list have the same slot
//   slots[slot(x)] = x                      so a key is on the list if it is in its slot
//
// Where the list has more than FEW keys, or no factor is good, there are not few.

#pragma once

#include "tile/radix.cuh"
#include "warp/ballots.cuh"
#include "warp/shuffle.cuh"

constexpr u32 FEW = WARP, FEW_SLOTS = DIGITS, FEW_LANES = WARP, FEW_TRIES = 4, SAMPLED = 512, FIRST_SAMPLED = 128;
constexpr u32 MOST_DISTINCT = WARP * 3 / 4;  // of a warp's keys of the sample: of FEW values that are as frequent there are 20 in the mean

struct FewKeys {
    KeyBits sample[THREADS], list[FEW], slots[FEW_SLOTS];
    u32 set[SAMPLED];  // 0, or one more than the thread whose key is there
    u32 number, factor;

    static __device__ __forceinline__ u32 slot(KeyBits key, u32 factor) {
        u32 word = (u32)key;
#pragma unroll
        for (u32 i = 1; i < KEY_WORDS; i++) word = word * 0x85ebca6b + (u32)(key >> (KEY_BYTES > 4 ? 32 * i : 0));
        return word * factor >> 24;
    }
    // Odd numbers, whatever the warps' number is.
    static __device__ __forceinline__ u32 factor_of(u32 number) { return 0x9e3779b1 + number * 0x3c6ef372; }

    // Puts the key on the list, if it is not there.
    __device__ __forceinline__ void add(KeyBits key) {
        for (u32 at = slot(key, factor_of(0)) * 2; *(volatile u32*)&number <= FEW; at = (at + 1) % SAMPLED) {
            const u32 other = atomicCAS(&set[at], 0u, threadIdx.x + 1);
            if (other == 0) {
                const u32 i = atomicAdd(&number, 1u);
                if (i < FEW) list[i] = key;
                return;
            }
            if (sample[other - 1] == key) return;
        }
    }

    // Whether there are few, of which `key` is this thread's of the sample. All threads.
    __device__ __forceinline__ bool find(KeyBits key) {
        // What few keys of the sample tell, before more is done.
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
        for (u32 i = threadIdx.x; i < SAMPLED; i += THREADS) set[i] = 0;
        if (threadIdx.x == 0) number = 0, factor = ~0u;
        __syncthreads();
        // A part of the sample first: where keys are many, it tells.
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
        // The first key is in no other slot than its own.
        for (u32 i = threadIdx.x; i < FEW_SLOTS; i += THREADS) slots[i] = list[0];
        __syncthreads();
        if (warp_index() == 0 && exists) slots[slot(mine, good)] = mine;
        __syncthreads();
        return true;
    }
};
