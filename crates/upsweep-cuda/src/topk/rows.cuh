// Top-k of rows, one block for each row.

#pragma once

#include "block/barrier.cuh"
#include "topk/ranked.cuh"
#include "warp/sum.cuh"

constexpr u32 ROW_DIGIT_BITS = 8, ROW_DIGITS = 1 << ROW_DIGIT_BITS;

// Returns the key of rank `rank`, 1 for the first in sort order, of the `n` keys at `keys`; `rank` becomes the key's
// rank among the keys equal to it. Called by all threads.
__device__ __forceinline__ KeyBits key_of_rank(const In* keys, u64 n, u64& rank) {
    __shared__ u32 bins[ROW_DIGITS];
    __shared__ u32 digit_found;
    __shared__ u64 rank_left;
    KeyBits found = 0;
#pragma unroll 1
    for (u32 shift = KEY_WIDTH - ROW_DIGIT_BITS;; shift -= ROW_DIGIT_BITS) {
        for (u32 i = threadIdx.x; i < ROW_DIGITS; i += THREADS) bins[i] = 0;
        __syncthreads();
        const u32 above = shift + ROW_DIGIT_BITS;
        for (u64 i = threadIdx.x; i < n; i += THREADS) {
            const KeyBits key = key_in_order(keys[i]);
            if (above == KEY_WIDTH || (KeyBits)(key ^ found) >> above == 0) atomicAdd(&bins[(u32)(key >> shift) & (ROW_DIGITS - 1)], 1u);
        }
        __syncthreads();
        if (warp_index() == 0) {
            u32 before = 0;
            for (u32 d = 0; d < ROW_DIGITS; d += WARP) {
                const u32 number = bins[d + lane_index()], up_to = before + warp_inclusive_sum(number);
                if (up_to >= rank && up_to - number < rank) digit_found = d + lane_index(), rank_left = rank - (up_to - number);
                before = __shfl_sync(~0u, up_to, WARP - 1);
            }
        }
        __syncthreads();
        found |= (KeyBits)digit_found << shift, rank = rank_left;
        if (shift == 0) return found;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_topk_rows(const __grid_constant__ TopKParams p) {
    __shared__ u32 of_warps[2][WARPS];
    for (u64 row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const In* const keys = p.keys + row * p.n;
        u64 ties = p.rank;
        const KeyBits wanted = key_of_rank(keys, p.n, ties);
        // Number of the row's keys before this chunk (THREADS keys) that precede the wanted key in sort order, and of
        // those equal to it.
        u64 before = 0, equal = 0;
        u32 turn = 0;
        for (u64 chunk = 0; chunk < p.n; chunk += THREADS, turn ^= 1) {
            const u64 i = chunk + threadIdx.x;
            In x;
            u32 one = 0;
            if (i < p.n) {
                x = keys[i];
                const KeyBits key = key_in_order(x);
                one = key < wanted ? 1 : key == wanted ? 1 << 16 : 0;
            }
            const u32 lower = (1u << lane_index()) - 1;
            const u32 befores = __ballot_sync(~0u, one == 1), equals = __ballot_sync(~0u, one == 1 << 16);
            if (lane_index() == 0) of_warps[turn][warp_index()] = __popc(befores) | __popc(equals) << 16;
            __syncthreads();
            u32 in_chunk = 0, all = 0;
            for (u32 warp = 0; warp < WARPS; warp++) {
                if (warp == warp_index()) in_chunk = all;
                all += of_warps[turn][warp];
            }
            const u64 own_before = before + (in_chunk & 0xffff) + __popc(befores & lower);
            const u64 own_equal = equal + (in_chunk >> 16) + __popc(equals & lower);
            if (one == 1 || (one != 0 && own_equal < ties)) {
                const u64 to = row * p.rank + own_before + (own_equal < ties ? own_equal : ties);
                if (p.values) p.values[to] = x;
                if (p.places) ((KeyPlace*)p.places)[to] = (KeyPlace)i;
            }
            before += all & 0xffff, equal += all >> 16;
        }
        __syncthreads();  // the next row's digits overwrite these
    }
}
