// Loads and stores of neighbouring values by few words, as wide as the number of their bytes allows.

#pragma once

#include "config.cuh"

// Returns the widest access, in bytes, that divides `bytes`: 16, 8, 4 or 1.
__device__ constexpr u32 access_width(u32 bytes) { return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1; }

template <u32 BYTES> struct Access;
template <> struct Access<16> { using type = uint4; };
template <> struct Access<8> { using type = uint2; };
template <> struct Access<4> { using type = u32; };
template <> struct Access<1> { using type = u8; };

// Stores a word in global memory. An intrinsic, because the compiler may split a plain store of values in registers.
template <class Word>
__device__ __forceinline__ void store_word(Word* to, const Word& word) {
    if constexpr (sizeof(Word) >= 8) __stwb(to, word);
    else *to = word;
}
