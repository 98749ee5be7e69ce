// Keys as unsigned numbers in sort order.
//
//   order of a key x, of floats with m bits of mantissa, of which N = 2^m - 1 NaN have the sign set and N have not:
//       unsigned       x
//       signed         x ^ sign
//       float          (x ^ (x < 0 ? all bits : sign)) - N      so NaN with the sign set follow the others, at the end
//       descending     all bits flipped; of floats before N is subtracted, so NaN are at the end again
//
// Each map is a permutation of all patterns, so its inverse restores a key's own bits. Both zeros are neighbours, which
// differ in their lowest bit alone. They are equal, so keys are compared, and digits taken, with one number for both,
// if there is known to be a zero with a sign. A kernel that reads all keys first looks for one, at the cost of a
// comparison a key. Thus sorts of keys without it are as fast as if zeros were as different as other numbers.

#pragma once

#include "config.cuh"
#include "word/number.cuh"

using KeyBits = Number<KEY_BYTES>::type;
constexpr u32 KEY_WIDTH = 8 * KEY_BYTES;
constexpr KeyBits KEY_SIGN = (KeyBits)((KeyBits)1 << (KEY_WIDTH - 1));
constexpr KeyBits NANS_OF_A_SIGN = (KeyBits)(((KeyBits)1 << MANTISSA_BITS) - 1);  // 0 of integers, which have no mantissa

// Whether keys have a zero with a sign, as floats do; and the numbers in sort order of both zeros.
constexpr bool HAS_ZEROS = MANTISSA_BITS > 0;
constexpr KeyBits FIRST_ZERO = (KeyBits)(KEY_SIGN - 1 - NANS_OF_A_SIGN);
constexpr KeyBits NEGATIVE_ZERO = (KeyBits)(FIRST_ZERO | (DESCENDING ? 1 : 0)), POSITIVE_ZERO = (KeyBits)(NEGATIVE_ZERO ^ 1);
__device__ __forceinline__ bool is_negative_zero(KeyBits key) { return HAS_ZEROS && key == NEGATIVE_ZERO; }
__device__ __forceinline__ bool is_zero(KeyBits key) { return HAS_ZEROS && (KeyBits)(key | 1) == (KeyBits)(FIRST_ZERO | 1); }
// Returns the number by which a key is compared: one for both zeros.
__device__ __forceinline__ KeyBits with_one_zero(KeyBits key) { return is_negative_zero(key) ? POSITIVE_ZERO : key; }

// Returns all bits set if the sign of `x` is set, otherwise 0.
__device__ __forceinline__ KeyBits sign_bits(KeyBits x) { return (KeyBits)((Number<KEY_BYTES>::negative)x >> (KEY_WIDTH - 1)); }

__device__ __forceinline__ KeyBits in_order(KeyBits x) {
    KeyBits y = MANTISSA_BITS > 0 ? (KeyBits)(x ^ (sign_bits(x) | KEY_SIGN)) : SIGNED ? (KeyBits)(x ^ KEY_SIGN) : x;
    if (DESCENDING) y = (KeyBits)~y;
    return (KeyBits)(y - NANS_OF_A_SIGN);
}

__device__ __forceinline__ KeyBits out_of_order(KeyBits x) {
    KeyBits y = (KeyBits)(x + NANS_OF_A_SIGN);
    if (DESCENDING) y = (KeyBits)~y;
    return MANTISSA_BITS > 0 ? (KeyBits)(y ^ ((KeyBits)~sign_bits(y) | KEY_SIGN)) : SIGNED ? (KeyBits)(y ^ KEY_SIGN) : y;
}
