// Sums, extremes and bits of integers of one or two bytes, several in a 32-bit word at once. The results are bitwise
// those of single elements.
//
// A word of bytes is split into two words with lanes of 16 bits: one has the bytes 0 and 2, the other the bytes 1 and
// 3. For extremes a byte lies in the upper half of its lane and decides alone, whatever the lower half is: the odd
// bytes are the word itself. Shifts are multiplications, which have throughput to spare.

#pragma once

#include "word/instructions.cuh"

constexpr bool EXTREME = FORM == Form::MINIMUM || FORM == Form::MAXIMUM;
constexpr bool BITS = FORM == Form::AND || FORM == Form::OR || FORM == Form::XOR;

// Operations on integers `V` of one or two bytes, several of which lie in a 32-bit word, or in its two lanes of 16
// bits.
template <class V>
struct Lanes {
    static constexpr bool SIGNED = arith::signed_integer<V>;
    // Least value of V, greatest value, and neutral value of the operator (NOTHING), each in both lanes of a word.
    static constexpr u32 LEAST = SIGNED ? 0x80008000 : 0, MOST = SIGNED ? 0x7fff7fff : 0xffffffff;
    static constexpr u32 NOTHING = FORM == Form::MAXIMUM ? LEAST : FORM == Form::MINIMUM ? MOST : FORM == Form::AND ? ~0u : 0;

    // Applies the operator to each of the two 16-bit lanes of two words.
    static __device__ __forceinline__ u32 combine(u32 a, u32 b) {
        if constexpr (FORM == Form::MAXIMUM) return SIGNED ? max_signed(a, b) : max_unsigned(a, b);
        else if constexpr (FORM == Form::MINIMUM) return SIGNED ? min_signed(a, b) : min_unsigned(a, b);
        else if constexpr (FORM == Form::AND) return a & b;
        else if constexpr (FORM == Form::OR) return a | b;
        else if constexpr (FORM == Form::XOR) return a ^ b;
        else return add_lanes(a, b);
    }

    // Return the bytes 0 and 2 (even), and 1 and 3 (odd), of a word in lanes of 16 bits; of extremes, in the upper
    // halves of these lanes.
    static __device__ __forceinline__ u32 even_bytes(u32 w) { return EXTREME ? w * 256 : w & 0x00ff00ff; }
    static __device__ __forceinline__ u32 odd_bytes(u32 w) { return EXTREME ? w : __byte_perm(w, 0, 0x4341); }

    // Combination of all elements of the words that have been added, in any order.
    class Total {
        u32 even = NOTHING, odd = NOTHING;

    public:
        __device__ __forceinline__ void add(u32 w) {
            if constexpr (sizeof(V) == 1 && FORM == Form::SUM) {
                even = __dp4a(w, 0x01010101u, even);
            } else if constexpr (sizeof(V) == 1 && EXTREME) {
                even = combine(even, even_bytes(w));
                odd = combine(odd, odd_bytes(w));
            } else {
                even = combine(even, w);
            }
        }
        __device__ __forceinline__ V value() const {
            if constexpr (sizeof(V) == 1 && FORM == Form::SUM) return V(even);
            u32 pair = sizeof(V) == 1 && EXTREME ? combine(even, odd) : even;
            pair = combine(pair, pair >> 16);
            if constexpr (sizeof(V) == 1 && BITS) return V(combine(pair, pair >> 8));
            return V(sizeof(V) == 1 ? pair >> 8 : pair);
        }
    };
};
