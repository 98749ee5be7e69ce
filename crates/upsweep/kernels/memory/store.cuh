// From a thread's results to global memory.

#include "memory/pieces.cuh"

constexpr u32 RESULT_BYTES = VECTOR * sizeof(Out);
// Results that fit go back to the slots of their elements, so that a warp can store whole rows. Of one row a thread has
// them already.
constexpr bool THROUGH_SLOTS = RESULT_BYTES <= SLOT && ROWS > 1;
constexpr u32 STORE = piece_for(RESULT_BYTES);
using StorePiece = Piece<STORE>::type;

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
    constexpr u32 BYTES = piece_for(VECTOR * sizeof(V));
    using Part = Piece<BYTES>::type;
    const InMemory<V> ordered(values);
#pragma unroll
    for (u32 i = 0; i < VECTOR * sizeof(V) / BYTES; i++) ((Part*)slot.bytes)[i] = ((const Part*)ordered.values)[i];
}

// Stores all VECTOR results at `from` to `to`, a multiple of STORE.
__device__ __forceinline__ void store_all(Out* to, const Out* from) {
#pragma unroll
    for (u32 i = 0; i < RESULT_BYTES / STORE; i++) ((StorePiece*)to)[i] = ((const StorePiece*)from)[i];
}

// Stores `count` (in logical order) of the VECTOR results at `from` to the vector whose lowest address is `to`.
__device__ __forceinline__ void store_results(Out* to, const Out* from, u32 count, bool aligned) {
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

__device__ __forceinline__ void store_slot(Out* to, const Slot& slot, u32 count, bool aligned) {
    store_results(to, (const Out*)slot.bytes, count, aligned);
}

__device__ __forceinline__ void store_vector(Out* to, const Out (&values)[VECTOR], u32 count, bool aligned) {
    const InMemory<Out> results(values);
    store_results(to, results.values, count, aligned);
}

// Stores a result that ends the segment of this number.
__device__ __forceinline__ void store_segment(const Params& p, u64 segment, const Out& result) {
    if (segment < p.outputs) store_result(p.output + segment, result);
}
