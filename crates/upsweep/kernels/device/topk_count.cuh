// Top-k, a pass that finds the next digit of the wanted key: counts that digit of all candidates that have those found, and the last
// block that has counted looks where the wanted rank lies.

#pragma once

#include "memory/access.cuh"
#include "tile/ranked.cuh"
#include "warp/scan.cuh"

constexpr u32 COUNT_VECTOR = 16 % sizeof(In) == 0 ? 16 / sizeof(In) : 1;
struct alignas(COUNT_VECTOR > 1 ? 16 : alignof(In)) CountVector {
    In keys[COUNT_VECTOR];
};

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_topk_count(const __grid_constant__ TopKParams p) {
    __shared__ u32 bins[RANK_DIGITS];
    RankHeader& header = *(RankHeader*)p.header;
    const u32 pass = (u32)p.pass, shift = digit_shift(pass), width = digit_width(pass), digits = 1 << width;
    const bool collected = header.collected != 0;
    const In* const keys = collected ? p.candidates : p.keys;
    const u64 n = collected ? header.candidates : p.n;
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
    const u64 skew = COUNT_VECTOR > 1 ? (16 - (u64)keys % 16) % 16 / sizeof(In) : 0, head = skew < n ? skew : n;
    const u64 vectors = (n - head) / COUNT_VECTOR, end = head + vectors * COUNT_VECTOR;
    const u64 first = blockIdx.x * (u64)THREADS + threadIdx.x, step = (u64)gridDim.x * THREADS;
    if (blockIdx.x == 0) {
        for (u64 i = threadIdx.x; i < head; i += THREADS) count(keys[i]);
        for (u64 i = end + threadIdx.x; i < n; i += THREADS) count(keys[i]);
    }
    constexpr u32 DEPTH = 4;
    const CountVector* const from = (const CountVector*)(keys + head);
    for (u64 v = first; v < vectors; v += DEPTH * step) {
        CountVector x[DEPTH];
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            if (v + d * step < vectors) x[d] = from[v + d * step];
        }
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            if (v + d * step >= vectors) continue;
#pragma unroll
            for (u32 j = 0; j < COUNT_VECTOR; j++) count(x[d].keys[j]);
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
    const u64 rank = pass > 0 || collected ? header.rank : p.rank;
    __syncthreads();  // all have read the rank
    if (rank <= before || rank > before + own) return;
    for (u32 i = 0; i < OWN; i++) {
        const u32 digit = threadIdx.x * OWN + i;
        const u64 number = digit < digits ? *(volatile u64*)&header.counts[pass][digit] : 0;
        if (rank > before && rank <= before + number) {
            const KeyBits digits_found = pass == 0 ? 0 : found;
            const KeyBits key = (KeyBits)(digits_found | (KeyBits)digit << shift);
            header.low = header.high = key;
            header.rank = rank - before;
            if (pass + 1 == RANK_PASSES && p.wanted) {
                const KeyBits bits = out_of_order(key);
                memcpy(p.wanted, &bits, sizeof bits);
            }
        }
        before += number;
    }
}
