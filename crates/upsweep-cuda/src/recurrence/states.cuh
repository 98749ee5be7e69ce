// States of a linear recurrence, and the step that an element takes.
//
//   y = b[0] x + z[0],   z[j] = b[j + 1] x - a[j + 1] y + z[j + 1]         the transposed direct form II, ORDER states
//
// A cascade has SECTIONS of these, each with two states; a section's input is the result of the section before.

#pragma once

#include "memory/parameters.cuh"
#include "word/value.cuh"

// Number of coefficients. The captured numbers are the coefficients, then the matrices, row by row, and the weights
// (matrices.cuh).
constexpr u32 COEFFICIENTS = SECTIONS > 0 ? 5 * SECTIONS : 2 * ORDER + 1;

__device__ __forceinline__ T given_number(u32 i) {
    T number;
    if constexpr (sizeof(T) == 8) {
        const u64 word = parameter_long(VALUES_AT + i * 8);
        memcpy(&number, &word, 8);
    } else {
        const u32 word = parameter_word(VALUES_AT + i * 4);
        memcpy(&number, &word, 4);
    }
    return number;
}

// Returns a b + c, which is rounded once if the type is f32 or f64.
__device__ __forceinline__ T multiply_add(T a, T b, T c) {
    if constexpr (arith::same_type<T, f32>) return __fmaf_rn(a, b, c);
    else if constexpr (arith::same_type<T, f64>) return __fma_rn(a, b, c);
    else return arith::add(arith::mul(a, b), c);
}

struct States {
    T z[ORDER];
    __device__ __forceinline__ static States none() {
        States states;
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) states.z[i] = 0;
        return states;
    }
};
__device__ __forceinline__ States add(const States& a, const States& b) {
    States sum;
#pragma unroll
    for (u32 i = 0; i < ORDER; i++) sum.z[i] = arith::add(a.z[i], b.z[i]);
    return sum;
}

// Returns the result of the element x, and updates the states.
__device__ __forceinline__ T step(States& states, T x) {
    if constexpr (SECTIONS > 0) {
#pragma unroll
        for (u32 s = 0; s < SECTIONS; s++) {
            T* const z = states.z + 2 * s;
            const T y = multiply_add(given_number(5 * s), x, z[0]);
            z[0] = multiply_add(given_number(5 * s + 3), y, multiply_add(given_number(5 * s + 1), x, z[1]));
            z[1] = multiply_add(given_number(5 * s + 4), y, arith::mul(given_number(5 * s + 2), x));
            x = y;
        }
        return x;
    } else {
        const T y = multiply_add(given_number(0), x, states.z[0]);
#pragma unroll
        for (u32 j = 0; j < ORDER; j++) {
            const T b = given_number(j + 1);
            T z = j + 1 < ORDER ? multiply_add(b, x, states.z[j + 1]) : arith::mul(b, x);
            if (FEEDBACK) z = multiply_add(given_number(ORDER + 1 + j), y, z);
            states.z[j] = z;
        }
        return y;
    }
}
