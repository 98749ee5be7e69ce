// Top-k, a pass that finds the next digit of the wanted key: counts that digit of all candidates with the digits found
// so far; the last block then finds the digit of the wanted rank. If the wanted key alone is requested, and is a zero,
// and there are zeros of both signs, the block looks for it in the input.

#pragma once

#include "memory/access.cuh"
#include "memory/instructions.cuh"
#include "topk/ranked.cuh"
#include "warp/scan.cuh"
#include "warp/sum.cuh"

// Stores the zero whose rank among all zeros of the input is `rank`, 1 for the first, as the wanted key. Called by all
// threads of one block.
__device__ __noinline__ void store_zero_of_rank(const TopKParams& p, u64 rank) {
    constexpr u32 ROWS_A_STEP = 32;
    __shared__ u32 of_warps[WARPS];
    // Sum of `of_warp` over the warps before this one, and over all warps: set by `add_up`.
    u32 lower, all;
    const auto add_up = [&](u32 of_warp) {
        __syncthreads();
        if (lane_index() == 0) of_warps[warp_index()] = of_warp;
        __syncthreads();
        lower = all = 0;
        for (u32 warp = 0; warp < WARPS; warp++) lower += warp < warp_index() ? of_warps[warp] : 0, all += of_warps[warp];
    };
    const auto has_zero = [&](u64 i) { return i < p.n && is_zero(key_in_order(p.keys[i], true)); };
    for (u64 begin = 0; begin < p.n; begin += ROWS_A_STEP * THREADS) {
        u32 own = 0;
#pragma unroll 8
        for (u32 row = 0; row < ROWS_A_STEP; row++) own += has_zero(begin + row * THREADS + threadIdx.x);
        add_up(warp_sum(own));
        if (all < rank) {
            rank -= all;
            continue;
        }
        for (u64 first = begin;; first += THREADS) {
            const u64 i = first + threadIdx.x;
            const u32 zeros = __ballot_sync(~0u, has_zero(i));
            add_up(__popc(zeros));
            if ((zeros >> lane_index() & 1) != 0 && lower + __popc(zeros & ((1u << lane_index()) - 1)) + 1 == rank) memcpy(p.wanted, &p.keys[i], KEY_BYTES);
            if (all >= rank) return;
            rank -= all;
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_topk_count(const __grid_constant__ TopKParams p) {
    __shared__ u32 bins[RANK_DIGITS];
    wait_for_kernel_before();
    RankHeader& header = *(RankHeader*)p.header;
    // The passes for the digits of the key are followed by those for the digits of the last place.
    const u32 pass = (u32)p.pass;
    const bool of_places = pass >= RANK_PASSES;
    const u32 bits = of_places ? PLACE_WIDTH : KEY_WIDTH, number = of_places ? pass - RANK_PASSES : pass;
    const u32 shift = digit_shift(bits, number), width = digit_width(bits, number), digits = 1 << width;
    const bool among = collected(p, header);
    if (of_places && (!among || header.last_place == ALL_PLACES)) return;
    const In* const keys = among ? p.candidates : p.keys;
    const u64 n = among ? header.candidates : p.n;
    // After the first digit only candidates with the digits found count.
    const KeyBits found = header.low;
    const u64 found_place = header.last_place;
    const u32 above = number == 0 ? 0 : shift + width;
    for (u32 i = threadIdx.x; i < digits; i += THREADS) bins[i] = 0;
    __syncthreads();
    const auto count = [&](const In& x) {
        const KeyBits key = key_in_order(x, p.wanted != nullptr);
        if (number == 0 || (KeyBits)(key ^ found) >> above == 0) atomicAdd(&bins[(u32)(key >> shift) & (digits - 1)], 1u);
    };
    const auto count_place = [&](u64 i) {
        const u64 place = ((const KeyPlace*)p.candidate_places)[i];
        const bool has = key_in_order(keys[i], p.wanted != nullptr) == found && (number == 0 || (place ^ found_place) >> above == 0);
        if (has) atomicAdd(&bins[(u32)(place >> shift) & (digits - 1)], 1u);
    };
    const u64 first = blockIdx.x * (u64)THREADS + threadIdx.x, step = (u64)gridDim.x * THREADS;
    for (u64 i = of_places ? first : n; i < n; i += step) count_place(i);
    // Whole vectors, and the keys before and after them.
    const u64 head = keys_before_vectors(keys, n), vectors = (n - head) / KEY_VECTOR, end = head + vectors * KEY_VECTOR;
    if (blockIdx.x == 0 && !of_places) {
        for (u64 i = threadIdx.x; i < head; i += THREADS) count(keys[i]);
        for (u64 i = end + threadIdx.x; i < n; i += THREADS) count(keys[i]);
    }
    constexpr u32 AT_ONCE = 4;
    const KeysAtOnce* const from = (const KeysAtOnce*)(keys + head);
    for (u64 v = of_places ? vectors : first; v < vectors; v += AT_ONCE * step) {
        KeysAtOnce x[AT_ONCE];
#pragma unroll
        for (u32 d = 0; d < AT_ONCE; d++) {
            if (v + d * step < vectors) x[d] = from[v + d * step];
        }
#pragma unroll
        for (u32 d = 0; d < AT_ONCE; d++) {
            if (v + d * step >= vectors) continue;
#pragma unroll
            for (u32 j = 0; j < KEY_VECTOR; j++) count(x[d].keys[j]);
        }
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < digits; i += THREADS) {
        if (bins[i] > 0) atomicAdd(&header.counts[pass][i], (u64)bins[i]);
    }
    // All counts are visible once the last block has come: each block fences its additions.
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&header.done[pass], 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();

    // Search of the digit with the wanted rank: each thread has OWN neighbouring digits.
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
    // If the key of the wanted rank is a zero, and there are zeros of both signs: its rank among all zeros, from 1 on.
    // Else 0.
    __shared__ u64 zero_rank;
    if (HAS_ZEROS && threadIdx.x == 0) zero_rank = 0;
    __syncthreads();  // all have read the rank
    const auto find_digit = [&] {
        if (rank <= before || rank > before + own) return;
        for (u32 i = 0; i < OWN; i++) {
            const u32 digit = threadIdx.x * OWN + i;
            const u64 number_of_digit = digit < digits ? *(volatile u64*)&header.counts[pass][digit] : 0;
            if (rank > before && rank <= before + number_of_digit) {
                header.rank = rank - before;
                if (of_places) {
                    header.last_place = found_place | (u64)digit << shift;
                    return;
                }
                const KeyBits key = (KeyBits)((pass == 0 ? (KeyBits)0 : found) | (KeyBits)digit << shift);
                header.low = header.high = key;
                if (pass + 1 < RANK_PASSES) return;
                header.last_place = rank - before < number_of_digit ? 0 : ALL_PLACES;
                if (p.wanted) {
                    const KeyBits bits_of_key = out_of_order(key);
                    memcpy(p.wanted, &bits_of_key, sizeof bits_of_key);
                    const u64 others = is_zero(key) ? *(volatile u64*)&header.counts[pass][digit ^ 1] : 0;
                    if (HAS_ZEROS && others > 0) zero_rank = rank - before + (digit % 2 == 1 ? others : 0);
                }
                return;
            }
            before += number_of_digit;
        }
    };
    find_digit();
    if (!HAS_ZEROS || !p.wanted || pass + 1 != RANK_PASSES) return;
    __syncthreads();
    if (zero_rank > 0) store_zero_of_rank(p, zero_rank);
}
