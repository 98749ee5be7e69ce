// Stores of a thread's results to global memory.

#pragma once

#include "memory/results.cuh"
#include "tile/job.cuh"

// Whether results go to memory by way of the slots of their elements, because they fit there, so that a warp can store
// whole rows. With a single row a thread already has its row's results.
constexpr bool THROUGH_SLOTS = RESULT_BYTES <= Input::SLOT && ROWS > 1;
// Stores values in a slot that held a vector of elements.
template <class V>
__device__ __forceinline__ void put_in_slot(Slot& slot, const V (&values)[VECTOR]) {
    constexpr u32 BYTES = access_width(VECTOR * sizeof(V));
    using Part = Access<BYTES>::type;
    const InMemory<V> ordered(values);
#pragma unroll
    for (u32 i = 0; i < VECTOR * sizeof(V) / BYTES; i++) ((Part*)slot.bytes)[i] = ((const Part*)ordered.values)[i];
}

// Takes the values that `put_in_slot` has put.
template <class V>
__device__ __forceinline__ void take_from_slot(const Slot& slot, V (&values)[VECTOR]) {
    constexpr u32 BYTES = access_width(VECTOR * sizeof(V));
    using Part = Access<BYTES>::type;
    alignas(16) V in_memory[VECTOR];
#pragma unroll
    for (u32 i = 0; i < VECTOR * sizeof(V) / BYTES; i++) ((Part*)in_memory)[i] = ((const Part*)slot.bytes)[i];
#pragma unroll
    for (u32 j = 0; j < VECTOR; j++) values[j] = in_memory[REVERSE ? VECTOR - 1 - j : j];
}

__device__ __forceinline__ void store_slot(const Place& to, const Slot& slot, u32 count, bool aligned) {
    store_results(to, (const Out*)slot.bytes, count, aligned);
}

// Stores each thread's results of a tile from the slots to memory, a row of the warp at a time.
__device__ __forceinline__ void store_rows(const Params& p, u64 begin, u32 count, const Slot* slots, bool aligned) {
    __syncwarp();
    if (STORE > 1 && count == TILE && aligned) {
        // The rows have a constant stride, so that one address suffices for all.
        const u32 first = row_vector(0);
        const Place to = vector_address(output_of(p), p.n, begin + first * VECTOR);
        const u32 slot = slot_of(first);
#pragma unroll
        for (i32 row = 0; row < (i32)ROWS; row++) {
            store_all(to + (i64)((REVERSE ? -row : row) * (i32)(WARP * VECTOR)), (const Out*)slots[row_slot(slot, row)].bytes);
        }
        return;
    }
    // Not unrolled, unless there are many such tiles: in a partial tile, unrolled stores, which are many, would be skipped
    // one by one.
#pragma unroll(LINED ? ROWS : 1)
    for (u32 row = 0; row < ROWS; row++) {
        const u32 vector = row_vector(row);
        const Extent mine = extent(p, vector * VECTOR, VECTOR, count);
        if (mine.count > 0) store_slot(vector_address(output_of(p), p.n, begin + mine.at), slots[slot_of(vector)], mine.count, aligned);
    }
}

// Stores the result of segment `segment`, if the output has room for it.
__device__ __forceinline__ void store_segment(const Params& p, u64 segment, const Out& result) {
    if (segment < p.outputs) store_result(output_of(p) + segment, result);
}
