// Rank of each of a warp's keys: the number of keys with the same digit before it in the warp.
//
//   for each row of 32 keys, one for each lane:
//       same  = the lanes with this lane's digit
//       rank  = counts[digit] + lower lanes in same
//       counts[digit] += lanes in same                the lowest of them writes
//
// A lane finds `same` by a ballot for each bit of its digit, or through a mask in shared memory: it sets its bit in the
// digit's word and reads the word, and the word's lowest lane clears it. Ballots load the integer pipe, masks the
// shared-memory pipe, so rows alternate between the two. Several rows are matched at a time, because only their counts
// depend on each other.

#pragma once

#include "sort/radix.cuh"
#include "warp/ballots.cuh"

// Returns `shift`, with a false dependency on `nothing`, which is 0. Without the dependency compilers compute values
// early that need `shift`, or values late that lead to `nothing`, and keep them in registers, which spill.
__device__ __forceinline__ u32 after(u32 shift, u32 nothing) { return shift + nothing; }

// Whether most lanes of a row have the digit of the lane before; `digit` is this lane's.
__device__ __forceinline__ bool has_runs(u32 digit) { return __popc(__ballot_sync(~0u, __shfl_up_sync(~0u, digit, 1) != digit)) < WARP / 2; }

// Ranks this lane's keys of the warp's first `rows` rows by their digit of BITS bits from bit `shift` on (ZEROS as in
// `digit_at`), and stores the ranks in `ranks`, two in a word. `counts[d]` is the number of the warp's earlier keys
// with digit `d`; these keys are added. `masks` are DIGITS words for each row matched by masks at once, 0 before and
// after. Digits of more than DIGIT_BITS bits share words, and ballots separate them. BY_MASKS: of the rows that are
// matched at once, the number of those matched by masks.
template <u32 BITS = DIGIT_BITS, u32 BY_MASKS = MASK_ROWS, bool ZEROS = false>
__device__ __forceinline__ void warp_rank(const KeyBits (&key)[KEYS], u32 shift, u32* masks, u16* counts, u32 (&ranks)[KEYS / 2], u32 rows = KEYS) {
    const u32 mine = 1u << lane_index(), lower_lanes = mine - 1;
#pragma unroll
    for (u32 k = 0; k < KEYS; k += ROWS_AT_ONCE) {
        if (k >= rows) break;
        u32 digit[ROWS_AT_ONCE], same[ROWS_AT_ONCE], sharing[ROWS_AT_ONCE];  // lanes that share a word of the masks
#pragma unroll
        for (u32 j = 0; j < ROWS_AT_ONCE; j++) {
            digit[j] = digit_at<BITS, ZEROS>(key[k + j], shift);
            if (j < BY_MASKS) atomicOr(masks + j * DIGITS + digit[j] % DIGITS, mine);
        }
        __syncwarp();
#pragma unroll
        for (u32 j = 0; j < ROWS_AT_ONCE; j++) {
            if (j < BY_MASKS) sharing[j] = *(volatile u32*)(masks + j * DIGITS + digit[j] % DIGITS);
            same[j] = j < BY_MASKS ? same_by_ballots<DIGIT_BITS, BITS>(digit[j], sharing[j]) : same_by_ballots<0, BITS>(digit[j]);
        }
#pragma unroll
        for (u32 j = 0; j < ROWS_AT_ONCE; j++) {
            const u32 before = *(volatile u16*)(counts + digit[j]);
            __syncwarp();
            const u32 rank = before + __popc(same[j] & lower_lanes);
            if ((same[j] & lower_lanes) == 0) {
                *(volatile u16*)(counts + digit[j]) = (u16)(before + __popc(same[j]));
                if (j < BY_MASKS && (sharing[j] & lower_lanes) == 0) *(volatile u32*)(masks + j * DIGITS + digit[j] % DIGITS) = 0;
            }
            __syncwarp();
            ranks[(k + j) / 2] = j % 2 == 0 ? rank : ranks[(k + j) / 2] | rank << 16;
            if (j % 2 == 1) shift = after(shift, ranks[(k + j) / 2] >> 31);
        }
    }
}

// Ranks the keys as `warp_rank` does, but not stably: for keys whose equal digits may take any order. Atomic additions
// rank them.
template <u32 BITS = DIGIT_BITS>
__device__ __forceinline__ void warp_rank_in_any_order(const KeyBits (&key)[KEYS], u32 shift, u16* counts, u32 (&ranks)[KEYS / 2], u32 rows = KEYS) {
    u32* const words = (u32*)counts;  // two counters in a word; a warp has too few keys to overflow one
#pragma unroll
    for (u32 k = 0; k < KEYS; k += 2) {
        if (k >= rows) break;
        u32 rank[2];
#pragma unroll
        for (u32 j = 0; j < 2; j++) {
            const u32 digit = digit_at<BITS>(key[k + j], shift), half = digit % 2 * 16;
            rank[j] = atomicAdd(words + digit / 2, 1u << half) >> half & 0xffff;
        }
        ranks[k / 2] = rank[0] | rank[1] << 16;
        shift = after(shift, ranks[k / 2] >> 31);
    }
    __syncwarp();
}

// Ranks the keys as `warp_rank` does, but not stably, for keys in runs: the first lane of a run of equal digits adds
// for the whole run, as additions to one word would be serialised.
template <u32 BITS = DIGIT_BITS>
__device__ __forceinline__ void warp_rank_runs_in_any_order(const KeyBits (&key)[KEYS], u32 shift, u16* counts, u32 (&ranks)[KEYS / 2], u32 rows = KEYS) {
    u32* const words = (u32*)counts;
    const u32 lane = lane_index(), up_to_mine = ~0u >> (WARP - 1 - lane);
#pragma unroll
    for (u32 k = 0; k < KEYS; k += 2) {
        if (k >= rows) break;
        u32 rank[2];
#pragma unroll
        for (u32 j = 0; j < 2; j++) {
            const u32 digit = digit_at<BITS>(key[k + j], shift), half = digit % 2 * 16;
            const u32 before = __shfl_up_sync(~0u, digit, 1), firsts = __ballot_sync(~0u, lane == 0 || before != digit);
            const u32 first = WARP - 1 - __clz((i32)(firsts & up_to_mine)), end = __clz((i32)__brev(firsts & ~up_to_mine));
            u32 of_first = 0;
            if (lane == first) of_first = atomicAdd(words + digit / 2, (end - first) << half) >> half & 0xffff;
            rank[j] = __shfl_sync(~0u, of_first, first) + lane - first;
        }
        ranks[k / 2] = rank[0] | rank[1] << 16;
        shift = after(shift, ranks[k / 2] >> 31);
    }
    __syncwarp();
}
