// From a thread's results to global memory.

#pragma once

#include "tile/job.cuh"

constexpr u32 RESULT_BYTES = VECTOR * sizeof(Out);
// Results that fit go back to the slots of their elements, so that a warp can store whole rows. Of one row a thread has
// them already.
constexpr bool THROUGH_SLOTS = RESULT_BYTES <= Input::SLOT && ROWS > 1;
constexpr u32 STORE = PLAIN_OUTPUT ? access_width(RESULT_BYTES) : 16;
using StoreAccess = Access<STORE>::type;

// A vector of values in the order of memory.
template <class V>
struct InMemory {
    alignas(16) V values[VECTOR];
    __device__ __forceinline__ explicit InMemory(const V (&logical)[VECTOR]) {
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) values[REVERSE ? VECTOR - 1 - j : j] = logical[j];
    }
};

// Leaves values in a slot that held a vector of elements.
template <class V>
__device__ __forceinline__ void put_in_slot(Slot& slot, const V (&values)[VECTOR]) {
    constexpr u32 BYTES = access_width(VECTOR * sizeof(V));
    using Part = Access<BYTES>::type;
    const InMemory<V> ordered(values);
#pragma unroll
    for (u32 i = 0; i < VECTOR * sizeof(V) / BYTES; i++) ((Part*)slot.bytes)[i] = ((const Part*)ordered.values)[i];
}

// Stores all VECTOR results at `from` to `to`, a multiple of STORE.
__device__ __forceinline__ void store_all(Out* to, const Out* from) {
#pragma unroll
    for (u32 i = 0; i < RESULT_BYTES / STORE; i++) ((StoreAccess*)to)[i] = ((const StoreAccess*)from)[i];
}

// Stores a vector in one buffer of several; `value(j)` is what it holds of the vector's element j.
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

// Stores `count` (in logical order) of the VECTOR results at `from` to the vector whose lowest address is `to`.
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

__device__ __forceinline__ void store_slot(const Place& to, const Slot& slot, u32 count, bool aligned) {
    store_results(to, (const Out*)slot.bytes, count, aligned);
}

__device__ __forceinline__ void store_vector(const Place& to, const Out (&values)[VECTOR], u32 count, bool aligned) {
    const InMemory<Out> results(values);
    store_results(to, results.values, count, aligned);
}

// From the slots, where each thread has left its results, to memory, a row of the warp at a time.
__device__ __forceinline__ void store_rows(const Params& p, u64 begin, u32 count, const Slot* slots, bool aligned) {
    __syncwarp();
    if (STORE > 1 && count == TILE && aligned) {
        // The rows lie at even distances, so that one address does for all.
        const u32 first = row_vector(0);
        const Place to = vector_address(output_of(p), p.n, begin + first * VECTOR);
#pragma unroll
        for (i32 row = 0; row < (i32)ROWS; row++) {
            store_all(to + (i64)((REVERSE ? -row : row) * (i32)(WARP * VECTOR)), (const Out*)slots[first + row * WARP].bytes);
        }
        return;
    }
    // Not unrolled: in that case these stores, which are many, would be skipped one by one.
#pragma unroll 1
    for (u32 row = 0; row < ROWS; row++) {
        const u32 vector = row_vector(row), mine = existing<false>(vector * VECTOR, VECTOR, count);
        if (mine > 0) store_slot(vector_address(output_of(p), p.n, begin + vector * VECTOR), slots[vector], mine, aligned);
    }
}

// Stores a result that ends the segment of this number.
__device__ __forceinline__ void store_segment(const Params& p, u64 segment, const Out& result) {
    if (segment < p.outputs) store_result(output_of(p) + segment, result);
}
