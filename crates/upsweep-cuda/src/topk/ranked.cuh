// State shared by the kernels of a top-k. They find the wanted key, which has a given rank, 1 for the first in sort
// order:
//
//   guess     from a sample of the keys: two between which the wanted one lies, most probably
//   collect   the keys between these: candidates. If they are too many, or not around the wanted rank, the input
//             replaces them
//   count     for each digit from the highest on: counts the next digit of the candidates with the digits found; the
//             last block finds the digit of the wanted key among them, and its rank among those that have it, too. If
//             more candidates are equal to it than are taken, each digit of their places is found likewise: so the last
//             place of those taken is known
//   take      the candidates before the wanted one, and the first in the input of those equal to it, as many as the
//             result lacks: in no order
//   store     the same keys from the input, in its order
//   order     sort of the results by the input's order, or by their own
//
// Both zeros are one number. If only the wanted key is requested, they have separate numbers until the last digit shows
// whether there are zeros of both signs; then the one of the rank is looked for in the input.

#pragma once

#include "word/key.cuh"

// Returns a key as a number in sort order. The zeros have separate numbers if they are `told_apart`.
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

// State of a top-k in scratch memory; all of its bytes are 0 before the first kernel.
struct alignas(16) RankHeader {
    KeyBits low, high;  // candidates are from `low` to `high`; after the counts both are the wanted key
    u64 rank;                       // rank of the wanted key among the candidates that have the digits found
    u64 before, candidates;         // number of keys before the window from `low` to `high`, and in it
    u64 taken;
    u64 last_place;  // place of the last key that is taken of those equal to the wanted one; ALL_PLACES if all are
    u32 done[RANK_PASSES + PLACE_PASSES];  // number of blocks that have counted, for each digit
    u64 counts[RANK_PASSES + PLACE_PASSES][RANK_DIGITS];
};
static_assert(sizeof(RankHeader) == RANK_HEADER_BYTES, "the host clears it");

// Whether the candidates replace the input: they fit in their buffer, and the wanted rank is among them.
__device__ __forceinline__ bool collected(const TopKParams& p, const RankHeader& header) {
    return p.room > 0 && p.rank > header.before && p.rank - header.before <= header.candidates && header.candidates <= p.room;
}

// Type of the place of a key: the key's index in the input, or in its row.
template <u32 BYTES> struct UnsignedOf { using type = u64; };
template <> struct UnsignedOf<4> { using type = u32; };
using KeyPlace = UnsignedOf<PLACE_BYTES>::type;

// Number of neighbouring keys that a thread loads at once: an access of 16 bytes if these are whole keys.
constexpr u32 KEY_VECTOR = 16 % sizeof(In) == 0 ? 16 / sizeof(In) : 1;
struct alignas(KEY_VECTOR > 1 ? 16 : alignof(In)) KeysAtOnce {
    In keys[KEY_VECTOR];
};
// Returns the number of keys before the first whole vector.
__device__ __forceinline__ u64 keys_before_vectors(const In* keys, u64 n) {
    const u64 skew = KEY_VECTOR > 1 ? (16 - (u64)keys % 16) % 16 / sizeof(In) : 0;
    return skew < n ? skew : n;
}

// Returns the number of bits below digit `digit` of a number of `bits` bits; digit 0 is the highest. `digit_width`
// returns the number of bits of the digit.
__device__ __forceinline__ u32 digit_shift(u32 bits, u32 digit) {
    const u32 end = (digit + 1) * RANK_DIGIT_BITS;
    return end < bits ? bits - end : 0;
}
__device__ __forceinline__ u32 digit_width(u32 bits, u32 digit) { return min(RANK_DIGIT_BITS, bits - digit * RANK_DIGIT_BITS); }
