// The matrices of a linear recurrence, and their products with states.
//
// The states are kept in a basis (BASIS) in which the square of a state is the energy of the results that it alone
// yields, so that powers of a stable recurrence make nothing larger. Products with plain states are small differences
// of large terms.
//
// Powers of an unstable recurrence may be infinite, and those of one without feedback are mostly 0. CAREFUL: a factor
// or a state of 0 contributes nothing, whatever the other factor is.

#pragma once

#include "tile/job.cuh"
#include "recurrence/states.cuh"
#include "warp/index.cuh"

__device__ constexpr u32 log2_of(u32 x) { return x <= 1 ? 0 : 1 + log2_of(x / 2); }

// Layout of the captured numbers. After the coefficients lie the matrices into the basis and back, which are upper
// triangles, and the powers, row by row. Each section has a basis of its own. A kernel copies them to shared memory,
// after its tiles: warps read all of them, which are more than a cache of constants holds. After them lie the weights
// (WEIGHED): the contribution of each of a thread's elements to each state.
constexpr u32 MATRIX = ORDER * ORDER, INTO = 0, BACK = 1, POWERS = BASIS ? 2 : 0, MATRICES = POWERS + LEVELS;
constexpr u32 FIRST_WEIGHT = COEFFICIENTS + MATRICES * MATRIX;
struct alignas(16) Matrix {
    T at[MATRIX];
};
__device__ __forceinline__ Matrix* matrices() { return (Matrix*)(dynamic_shared + STAGES * Input::TILE_BYTES); }

// Copies the matrices to shared memory. Called by all compute warps.
__device__ __forceinline__ void fill_matrices() {
    for (u32 i = threadIdx.x; i < MATRICES * MATRIX; i += THREADS) matrices()[i / MATRIX].at[i % MATRIX] = given_number(COEFFICIENTS + i);
}

// Returns a x + c. CAREFUL: the product counts as nothing if a factor is 0.
__device__ __forceinline__ T add_term(T a, T x, T c) {
    const T with = multiply_add(a, x, c);
    return CAREFUL && (a == 0 || x == 0) ? c : with;
}

// Returns the product of the matrix and x, plus c. TRIANGLE: the matrix is an upper triangle, or has one for each
// section of a cascade.
template <bool TRIANGLE>
__device__ __forceinline__ States product(const Matrix& matrix, const States& x, const States& c) {
    States r = c;
#pragma unroll
    for (u32 i = 0; i < ORDER; i++) {
#pragma unroll
        for (u32 j = TRIANGLE ? i : 0; j < (TRIANGLE && SECTIONS > 0 ? (i | 1) + 1 : ORDER); j++) r.z[i] = add_term(matrix.at[i * ORDER + j], x.z[j], r.z[i]);
    }
    return r;
}
__device__ __forceinline__ States into_basis(const States& x) { return BASIS ? product<true>(matrices()[INTO], x, States::none()) : x; }
__device__ __forceinline__ States back_from_basis(const States& x) { return BASIS ? product<true>(matrices()[BACK], x, States::none()) : x; }

// Returns A^(ITEMS 2^level) x + c.
__device__ __forceinline__ States apply(u32 level, const States& x, const States& c) { return product<false>(matrices()[POWERS + level], x, c); }

// Returns A^(ITEMS 2^level times) x, computed one bit after the other of `times`, which has `bits` bits.
__device__ __forceinline__ States apply_times(u32 level, u32 bits, u32 times, States x) {
#pragma unroll 1
    for (u32 bit = 0; bit < bits; bit++) {
        const States with = apply(level + bit, x, States::none());
        if (times >> bit & 1) x = with;
    }
    return x;
}
