// Top-k, the first kernel of many keys: a window that most probably contains the wanted key. One block.
//
//   sample      SAMPLE keys, one at a random place of each of as many equal parts of the input; the highest 32 bits of each
//   select      the keys of two ranks in the sample, digit by digit from the highest on, of eight bits each
//   window      from all keys with the lower one's bits to all with the higher one's; without a lower rank from the first key on

#pragma once

#include "block/barrier.cuh"
#include "topk/ranked.cuh"
#include "warp/sum.cuh"

constexpr u32 SAMPLES_A_THREAD = SAMPLE / THREADS, GUESS_DIGITS = 256;
static_assert(SAMPLE % THREADS == 0 && THREADS >= WARP);
// Number of bits of a key below its highest 32, and number of bits that a shorter key lacks of 32.
constexpr u32 BELOW = KEY_WIDTH > 32 ? KEY_WIDTH - 32 : 0, BEYOND = KEY_WIDTH < 32 ? 32 - KEY_WIDTH : 0;

// Returns the highest 32 bits of the key of rank `rank`, 1 for the first in sort order, in the sample. `keys` are this
// thread's keys of the sample, `bins` the block's counters in shared memory. Called by all threads.
__device__ __forceinline__ u32 sample_of_rank(const u32* keys, u32 rank, u32* bins) {
    __shared__ u32 digit_found;
    __shared__ u32 rank_left;
    u32 found = 0;
#pragma unroll 1
    for (u32 shift = 24;; shift -= 8) {
        for (u32 i = threadIdx.x; i < GUESS_DIGITS; i += THREADS) bins[i] = 0;
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < SAMPLES_A_THREAD; i++) {
            if (shift == 24 || keys[i] >> (shift + 8) == found >> (shift + 8)) atomicAdd(&bins[keys[i] >> shift & (GUESS_DIGITS - 1)], 1u);
        }
        __syncthreads();
        if (warp_index() == 0) {
            u32 before = 0;
            for (u32 d = 0; d < GUESS_DIGITS; d += WARP) {
                const u32 count = bins[d + lane_index()], up_to = before + warp_inclusive_sum(count);
                if (up_to >= rank && up_to - count < rank) digit_found = d + lane_index(), rank_left = rank - (up_to - count);
                before = __shfl_sync(~0u, up_to, WARP - 1);
            }
        }
        __syncthreads();
        found |= digit_found << shift, rank = rank_left;
        if (shift == 0) return found;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_topk_guess(const __grid_constant__ TopKParams p) {
    __shared__ u32 bins[GUESS_DIGITS];
    u32 keys[SAMPLES_A_THREAD];
    const u64 part = p.n / SAMPLE;
#pragma unroll
    for (u32 i = 0; i < SAMPLES_A_THREAD; i++) {
        const u32 sample = i * THREADS + threadIdx.x;
        // Pseudo-random index in the sample's part of the input, independent of the input's order.
        const u64 place = __umul64hi((sample + 1) * 0x9e3779b97f4a7c15ull ^ (u64)sample << 29, part);
        const KeyBits key = key_in_order(p.keys[sample * part + place], p.wanted != nullptr);
        keys[i] = (u32)(key >> BELOW) << BEYOND;
    }
    u32 low = 0, high = ~0u;
    if (p.low_rank > 0) low = sample_of_rank(keys, (u32)p.low_rank, bins);
    if (p.high_rank <= SAMPLE) high = sample_of_rank(keys, (u32)p.high_rank, bins);
    if (threadIdx.x != 0) return;
    RankHeader& header = *(RankHeader*)p.header;
    // The window is widened so that it contains both zeros, or none.
    header.low = (KeyBits)((KeyBits)((KeyBits)(low >> BEYOND) << BELOW) & (KeyBits)~(KeyBits)HAS_ZEROS);
    header.high = (KeyBits)((KeyBits)(high >> BEYOND) << BELOW | (((KeyBits)1 << BELOW) - 1) | (KeyBits)HAS_ZEROS);
}
