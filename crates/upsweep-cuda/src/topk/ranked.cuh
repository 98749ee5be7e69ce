// What the kernels of a top-k tell each other. They look for the key of a rank: of `rank` 1 the first in order.
//
//   guess     of a sample of the keys: two between which the wanted one lies, most probably
//   collect   the keys between these: candidates. Where they are too many, or not around the wanted rank, the input stands for them
//   count     for each digit from the highest on: how many candidates that have the digits found have which next one; the last block
//             finds the digit of the wanted key among them, and its rank among those that have it, too. Where more candidates are equal
//             to it than are taken, the same for each digit of their places: so the last place of those taken is found
//   take      of the candidates those before the wanted one, and of those equal to it the first in the input, as many as there are
//             to be: in no order
//   store     the same of the input, in its order
//   order     results of the input's order, or of their own
//
// Both zeros are one number. Where the wanted key is all that is asked for, they have numbers of their own until the last digit tells whether there are such
// of both signs; then the one of the rank is looked for in the input.

#pragma once

#include "word/key.cuh"

// With numbers of their own for both zeros where zeros are `told_apart`.
__device__ __forceinline__ KeyBits key_in_order(const In& x, bool told_apart = false) {
    static_assert(sizeof(In) == KEY_BYTES);
    KeyBits bits;
    memcpy(&bits, &x, sizeof bits);
    const KeyBits key = in_order(bits);
    return told_apart ? key : with_one_zero(key);
}

constexpr u32 RANK_DIGIT_BITS = 11, RANK_DIGITS = 1 << RANK_DIGIT_BITS;
constexpr u32 PLACE_WIDTH = 8 * PLACE_BYTES;
constexpr u32 RANK_PASSES = (KEY_WIDTH + RANK_DIGIT_BITS - 1) / RANK_DIGIT_BITS;
constexpr u32 PLACE_PASSES = (PLACE_WIDTH + RANK_DIGIT_BITS - 1) / RANK_DIGIT_BITS;
constexpr u64 ALL_PLACES = ~0ull;

// In scratch memory; all bytes are 0 before the first kernel.
struct alignas(16) RankHeader {
    KeyBits low, high;  // candidates are from `low` to `high`; behind the counts both are the wanted key
    u64 rank;                       // of the wanted key among the candidates that have the digits found
    u64 before, candidates;         // keys before the window, and in it
    u64 taken;
    u64 last_place;                 // of keys equal to the wanted one, that of the last that is taken; ALL_PLACES where all are
    u32 done[RANK_PASSES + PLACE_PASSES];  // blocks that have counted
    u64 counts[RANK_PASSES + PLACE_PASSES][RANK_DIGITS];
};
static_assert(sizeof(RankHeader) == RANK_HEADER_BYTES, "the host clears it");

// Whether candidates stand for the input.
__device__ __forceinline__ bool collected(const TopKParams& p, const RankHeader& header) {
    return p.room > 0 && p.rank > header.before && p.rank - header.before <= header.candidates && header.candidates <= p.room;
}

// Places of keys in the input.
template <u32 BYTES> struct UnsignedOf { using type = u64; };
template <> struct UnsignedOf<4> { using type = u32; };
using KeyPlace = UnsignedOf<PLACE_BYTES>::type;

// Neighbouring keys that a thread loads at once, from a multiple of their bytes on.
constexpr u32 KEY_VECTOR = 16 % sizeof(In) == 0 ? 16 / sizeof(In) : 1;
struct alignas(KEY_VECTOR > 1 ? 16 : alignof(In)) KeysAtOnce {
    In keys[KEY_VECTOR];
};
// The keys before the first whole vector.
__device__ __forceinline__ u64 keys_before_vectors(const In* keys, u64 n) {
    const u64 skew = KEY_VECTOR > 1 ? (16 - (u64)keys % 16) % 16 / sizeof(In) : 0;
    return skew < n ? skew : n;
}

// The bits below a digit, from the highest on, of a number of so many bits; and the digit's own.
__device__ __forceinline__ u32 digit_shift(u32 bits, u32 digit) {
    const u32 end = (digit + 1) * RANK_DIGIT_BITS;
    return end < bits ? bits - end : 0;
}
__device__ __forceinline__ u32 digit_width(u32 bits, u32 digit) { return min(RANK_DIGIT_BITS, bits - digit * RANK_DIGIT_BITS); }
