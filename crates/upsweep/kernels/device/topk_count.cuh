// Top-k, a pass that finds the next digit of the wanted key: counts that digit of all candidates that have those found, and the last
// block that has counted looks where the wanted rank lies.

#pragma once

#include "memory/access.cuh"
#include "tile/ranked.cuh"
#include "warp/scan.cuh"

// The place of the `rank`th candidate, from 1 on, of those that are `wanted`: digit by digit of eight bits. All threads.
__device__ __forceinline__ u64 place_of_rank(const TopKParams& p, u64 n, KeyBits wanted, u64 rank, u32* bins) {
    __shared__ u64 digit_found, rank_left;
    const KeyPlace* const places = (const KeyPlace*)p.candidate_places;
    u64 found = 0;
#pragma unroll 1
    for (i32 shift = 8 * PLACE_BYTES - 8; shift >= 0; shift -= 8) {
        for (u32 i = threadIdx.x; i < 256; i += THREADS) bins[i] = 0;
        __syncthreads();
        for (u64 i = threadIdx.x; i < n; i += THREADS) {
            const u64 place = places[i];
            if (key_in_order(p.candidates[i]) == wanted && (place ^ found) >> shift < 256) atomicAdd(&bins[place >> shift & 255], 1u);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            u64 left = rank;
            u32 digit = 0;
            while (digit < 255 && left > bins[digit]) left -= bins[digit++];
            digit_found = digit, rank_left = left;
        }
        __syncthreads();
        found |= digit_found << shift, rank = rank_left;
    }
    return found;
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_topk_count(const __grid_constant__ TopKParams p) {
    __shared__ u32 bins[RANK_DIGITS];
    RankHeader& header = *(RankHeader*)p.header;
    const u32 pass = (u32)p.pass, shift = digit_shift(pass), width = digit_width(pass), digits = 1 << width;
    const bool among = collected(p, header);
    const In* const keys = among ? p.candidates : p.keys;
    const u64 n = among ? header.candidates : p.n;
    // Beyond the first pass only keys with the digits found count.
    const KeyBits found = header.low;
    const u32 above = pass == 0 ? 0 : shift + width;
    for (u32 i = threadIdx.x; i < digits; i += THREADS) bins[i] = 0;
    __syncthreads();
    const auto count = [&](const In& x) {
        const KeyBits key = key_in_order(x);
        if (pass == 0 || (KeyBits)(key ^ found) >> above == 0) atomicAdd(&bins[(u32)(key >> shift) & (digits - 1)], 1u);
    };
    // Whole vectors, and what lies before and behind them.
    const u64 head = keys_before_vectors(keys, n), vectors = (n - head) / KEY_VECTOR, end = head + vectors * KEY_VECTOR;
    const u64 first = blockIdx.x * (u64)THREADS + threadIdx.x, step = (u64)gridDim.x * THREADS;
    if (blockIdx.x == 0) {
        for (u64 i = threadIdx.x; i < head; i += THREADS) count(keys[i]);
        for (u64 i = end + threadIdx.x; i < n; i += THREADS) count(keys[i]);
    }
    constexpr u32 DEPTH = 4;
    const KeysAtOnce* const from = (const KeysAtOnce*)(keys + head);
    for (u64 v = first; v < vectors; v += DEPTH * step) {
        KeysAtOnce x[DEPTH];
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            if (v + d * step < vectors) x[d] = from[v + d * step];
        }
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            if (v + d * step >= vectors) continue;
#pragma unroll
            for (u32 j = 0; j < KEY_VECTOR; j++) count(x[d].keys[j]);
        }
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < digits; i += THREADS) {
        if (bins[i] > 0) atomicAdd(&header.counts[pass][i], (u64)bins[i]);
    }
    // The counts of all blocks are there when the last one has come: each fences what it has added.
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&header.done[pass], 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();

    // The digit where the wanted rank lies: each thread has some neighbouring ones.
    constexpr u32 OWN = (RANK_DIGITS + THREADS - 1) / THREADS;
    __shared__ u64 of_warps[WARPS];
    u64 own = 0;
    for (u32 i = 0; i < OWN; i++) {
        const u32 digit = threadIdx.x * OWN + i;
        if (digit < digits) own += *(volatile u64*)&header.counts[pass][digit];
    }
    u64 up_to = own;
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const u64 lower = shuffle_up(up_to, distance);
        if (lane_index() >= distance) up_to += lower;
    }
    if (lane_index() == WARP - 1) of_warps[warp_index()] = up_to;
    __syncthreads();
    u64 before = up_to - own;
    for (u32 warp = 0; warp < warp_index(); warp++) before += of_warps[warp];
    const u64 rank = pass > 0 ? header.rank : p.rank - (among ? header.before : 0);
    __syncthreads();  // all have read the rank
    __shared__ KeyBits key;
    __shared__ u64 ties, equals;
    if (rank > before && rank <= before + own) {
        for (u32 i = 0; i < OWN; i++) {
            const u32 digit = threadIdx.x * OWN + i;
            const u64 number = digit < digits ? *(volatile u64*)&header.counts[pass][digit] : 0;
            if (rank > before && rank <= before + number) {
                key = (KeyBits)((pass == 0 ? 0 : found) | (KeyBits)digit << shift);
                ties = rank - before, equals = number;
            }
            before += number;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        header.low = header.high = key, header.rank = ties;
        if (pass + 1 == RANK_PASSES && p.wanted) {
            const KeyBits bits = out_of_order(key);
            memcpy(p.wanted, &bits, sizeof bits);
        }
    }
    if (pass + 1 < RANK_PASSES || !p.takes || !among) return;
    const u64 last_place = ties < equals ? place_of_rank(p, n, key, ties, bins) : ~0ull;
    if (threadIdx.x == 0) header.last_place = last_place;
}
