// Vectors of neighbouring results from registers to global memory, to one buffer or several.

#pragma once

#include "memory/access.cuh"
#include "word/value.cuh"

constexpr u32 RESULT_BYTES = VECTOR * sizeof(Out);
constexpr u32 STORE = PLAIN_OUTPUT ? access_width(RESULT_BYTES) : 16;
using StoreAccess = Access<STORE>::type;

// Vector of VECTOR values in the order of memory: in a reverse scan, the opposite of the logical order.
template <class V>
struct InMemory {
    alignas(16) V values[VECTOR];
    __device__ __forceinline__ explicit InMemory(const V (&logical)[VECTOR]) {
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) values[REVERSE ? VECTOR - 1 - j : j] = logical[j];
    }
};

// Whether the vectors of the `n` elements at `base` begin at multiples of `bytes`. In a reverse scan they are counted
// from the end. They are counted anew after each `stretch` elements, unless that is 0.
template <class E>
__device__ __forceinline__ bool vectors_aligned(const E* base, u64 n, u64 stretch, u32 bytes) {
    return (u64)(REVERSE ? base + n : base) % bytes == 0 && stretch * sizeof(E) % bytes == 0;
}
template <class E>
__device__ __forceinline__ bool vectors_aligned(const E* base, u64 n, u32 bytes) { return vectors_aligned(base, n, 0, bytes); }
// Whether the vectors of the `n` results at `base` are aligned to the widest access that divides their bytes, or in
// several buffers to that of each buffer.
__device__ __forceinline__ bool results_aligned(const Out* base, u64 n, u64 stretch = 0) {
    return vectors_aligned(base, n, stretch, access_width(VECTOR * sizeof(Out)));
}
struct Aligned {
    u64 n, stretch;
    template <class E>
    __device__ __forceinline__ bool operator()(const E* base) const {
        return vectors_aligned(base, n, stretch, access_width(VECTOR * sizeof(E)));
    }
};
__device__ __forceinline__ bool results_aligned(const ResultPlace&, u64 n, u64 stretch = 0) { return items_aligned(Aligned{n, stretch}); }

// Stores all VECTOR results at `from` to the address `to`, a multiple of STORE bytes.
__device__ __forceinline__ void store_all(Out* to, const Out* from) {
#pragma unroll
    for (u32 i = 0; i < RESULT_BYTES / STORE; i++) ((StoreAccess*)to)[i] = ((const StoreAccess*)from)[i];
}

// Stores, in one of several buffers, its part of a vector of results; `value(j)` is this part of element j.
struct StoreVector {
    static constexpr u32 COUNT = VECTOR;
    template <class E, class Value>
    __device__ __forceinline__ void operator()(E* to, Value value) const {
        constexpr u32 BYTES = VECTOR * sizeof(E), WIDTH = access_width(BYTES);
        using Part = typename Access<WIDTH>::type;
        E values[VECTOR];
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) values[j] = value(j);
        if constexpr (WIDTH > 1) {
            Part parts[BYTES / WIDTH];
            memcpy(parts, values, BYTES);
#pragma unroll
            for (u32 i = 0; i < BYTES / WIDTH; i++) ((Part*)to)[i] = parts[i];
        } else {
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) to[j] = values[j];
        }
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) arith::clear_padding(to + j);
    }
};
__device__ __forceinline__ void store_all(const ResultPlace& to, const Out* from) { store_items(from, to.at, StoreVector()); }

// Stores the first `count`, in logical order, of the VECTOR results at `from`; `to` is the lowest address of their
// vector.
__device__ __forceinline__ void store_results(const Place& to, const Out* from, u32 count, bool aligned) {
    if (count == VECTOR && aligned && STORE > 1) {
        store_all(to, from);
    } else {
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            const u32 at = REVERSE ? VECTOR - 1 - j : j;
            if (j < count) store_result(to + at, from[at]);
        }
    }
}

__device__ __forceinline__ void store_vector(const Place& to, const Out (&values)[VECTOR], u32 count, bool aligned) {
    const InMemory<Out> results(values);
    store_results(to, results.values, count, aligned);
}
