// Values that the functions of a job have captured: the last of the kernel's parameters.

#pragma once

#include "memory/parameters.cuh"

// Returns the captured value of type `V` at byte `at` of the captured values.
template <class V>
__device__ __forceinline__ V given_value(u64 at) {
    unsigned char bytes[sizeof(V)];
#pragma unroll
    for (u32 i = 0; i < sizeof(V);) {
        if constexpr (sizeof(V) % 4 == 0 && alignof(V) >= 4) {
            const u32 word = parameter_word(VALUES_AT + at + i);
            memcpy(bytes + i, &word, 4);
            i += 4;
        } else {
            bytes[i] = parameter_byte(VALUES_AT + at + i);
            i += 1;
        }
    }
    V value;
    memcpy(&value, bytes, sizeof(V));
    return value;
}

// Array that a function of the job has captured. Its elements are read when they are used.
template <class V, u64 N, u64 AT>
struct GivenArray {
    static constexpr u64 count = N;
    struct {
        __device__ __forceinline__ V operator[](u64 i) const { return given_value<V>(AT + i * sizeof(V)); }
    } at;
    __device__ __forceinline__ operator Array<V, N>() const {
        Array<V, N> all;
#pragma unroll
        for (u64 i = 0; i < N; i++) all.at[i] = at[i];
        return all;
    }
};
