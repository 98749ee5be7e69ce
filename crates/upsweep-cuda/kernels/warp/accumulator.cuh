// Accumulation of a thread's vectors of elements, in the order in which the thread adds them.

#pragma once

#include "memory/vectors.cuh"
#include "word/lanes.cuh"
#include "word/value.cuh"

// Whether the operator is commutative, as sums of numbers, extremes and bitwise operations are: `a . b` and `b . a` are
// the same bits.
constexpr bool COMMUTES = FORM != Form::OTHER;
// Whether small integers are summed in a wider type: a vector of them needs 32 bits.
constexpr bool WIDER_SUM = WIDENS && FORM == Form::SUM && arith::integer<T> && arith::integer<In> && sizeof(In) <= 2 && ALIGNABLE;
// Whether small integers are combined several in a word.
constexpr bool PACKED = PLAIN && arith::integer<T> && sizeof(T) <= 2 && ALIGNABLE &&
                        (BITS || (FORM == Form::SUM && sizeof(T) == 1) || (LANE_INSTRUCTIONS && (EXTREME || FORM == Form::SUM)));

// Reports the indices of the first `count` elements of a vector that are out of range. The vector's first element is at
// position `at` of the input.
__device__ __forceinline__ void check_elements(const Vector::Elements& elements, u64 at, u32 count) {
    if constexpr (INDEXED) {
        bool right = true;
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) right &= j >= count || indices_right(elements.x[j], at + j);
        if (!right) {
            for (u32 j = 0; j < count; j++) report_indices(elements.x[j], at + j);
        }
    }
}

// Returns the combination of the first `count` elements of a vector, at least one. The vector's first element is at
// position `at` of the input, and at index `index` of its line.
__device__ __forceinline__ T reduce_vector(const Vector& vector, u64 index, u64 at, u32 count) {
    const Vector::Elements elements = vector.elements();
    check_elements(elements, at, count);
    T sum = map(elements.x[0], index, at);
#pragma unroll
    for (u32 j = 1; j < VECTOR; j++) {
        if (j < count) sum = combine(sum, map(elements.x[j], index + j, at + j));
    }
    return sum;
}

// Combination of the elements that a thread has added so far.
class Accumulator {
    T total;
    bool any = false;

public:
    __device__ __forceinline__ void add(const T& value) {
        total = any ? combine(total, value) : value;
        any = true;
    }
    // Adds a whole vector.
    __device__ __forceinline__ void add(const Vector& vector, u64 index, u64 at) {
        if constexpr (WIDER_SUM) {
            using Word = Chosen<arith::signed_integer<In>, int, u32>;
            const uint4 quad = vector.quad();
            const Word words[4] = {(Word)quad.x, (Word)quad.y, (Word)quad.z, (Word)quad.w};
            Word sum = 0;
#pragma unroll
            for (u32 k = 0; k < 4; k++) {
                if constexpr (sizeof(In) == 1) sum = __dp4a(words[k], (Word)0x01010101, sum);
                else sum = __dp2a_lo(words[k], (Word)0x0101, sum);
            }
            add(T(sum));
        } else {
            add(reduce_vector(vector, index, at, VECTOR));
        }
    }
    __device__ __forceinline__ T value() const { return total; }
};

// Combination of the small integers that a thread has added so far, several in a word.
class PackedAccumulator {
    Lanes<T>::Total words;
    Accumulator elements;

public:
    __device__ __forceinline__ void add(const T& value) { elements.add(value); }
    __device__ __forceinline__ void add(const Vector& vector, u64, u64) {
        const uint4 quad = vector.quad();
        words.add(quad.x), words.add(quad.y), words.add(quad.z), words.add(quad.w);
    }
    __device__ __forceinline__ T value() {
        elements.add(words.value());
        return elements.value();
    }
};
using Accumulating = Chosen<PACKED, PackedAccumulator, Accumulator>;
