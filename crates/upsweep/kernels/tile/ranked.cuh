// What the kernels of a top-k tell each other. They look for the key of a rank: of `rank` 1 the first in order.
//
//   guess     of a sample of the keys: two between which the wanted one lies, most probably
//   collect   the keys between these: candidates. Where they are too many, or not around the wanted rank, the input stands for them
//   count     for each digit from the highest on: how many candidates that have the digits found have which next one; the last block
//             finds the digit of the wanted key among them, and its rank among those that have it, too
//   store     all keys before the wanted one, and of those equal to it the first in the input, as many as there are to be

#pragma once

#include "word/key.cuh"

constexpr u32 RANK_DIGIT_BITS = 11, RANK_DIGITS = 1 << RANK_DIGIT_BITS;
constexpr u32 RANK_PASSES = (KEY_WIDTH + RANK_DIGIT_BITS - 1) / RANK_DIGIT_BITS;

// In scratch memory; all bytes are 0 before the first kernel.
struct alignas(16) RankHeader {
    KeyBits low, high;  // candidates are from `low` to `high`; behind the counts both are the wanted key
    u64 rank;                       // of the wanted key among the candidates that have the digits found
    u64 candidates;
    u32 collected;                  // whether candidates stand for the input
    u32 done[RANK_PASSES];          // blocks that have counted
    u64 counts[RANK_PASSES][RANK_DIGITS];
};
static_assert(sizeof(RankHeader) == RANK_HEADER_BYTES, "the host clears it");

// The bits below a digit, and its own.
__device__ __forceinline__ u32 digit_shift(u32 pass) {
    const u32 end = (pass + 1) * RANK_DIGIT_BITS;
    return end < KEY_WIDTH ? KEY_WIDTH - end : 0;
}
__device__ __forceinline__ u32 digit_width(u32 pass) { return min(RANK_DIGIT_BITS, KEY_WIDTH - pass * RANK_DIGIT_BITS); }
