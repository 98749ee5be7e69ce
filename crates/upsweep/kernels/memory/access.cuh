// Several neighbouring values as the few words that hold them, for loads and stores as wide as their bytes allow.

#pragma once

#include "config.cuh"

// The widest access that divides so many bytes; 1 where none does.
__device__ constexpr u32 access_width(u32 bytes) { return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1; }

template <u32 BYTES> struct Access;
template <> struct Access<16> { using type = uint4; };
template <> struct Access<8> { using type = uint2; };
template <> struct Access<4> { using type = u32; };
template <> struct Access<1> { using type = u8; };

// Stores a word in global memory. By an intrinsic, because compilers make four stores of one of a struct.
template <class Word>
__device__ __forceinline__ void store_word(Word* to, const Word& word) {
#if defined(C_ST) && C_ST == 1
    if constexpr (sizeof(Word) >= 8) __stcs(to, word);
#elif defined(C_ST) && C_ST == 2
    if constexpr (sizeof(Word) == 16) asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" :: "l"(to), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w) : "memory");
#else
    if constexpr (sizeof(Word) >= 8) __stwb(to, word);
#endif

    else *to = word;
}
