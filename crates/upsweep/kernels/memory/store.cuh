// From a thread's results to global memory.

constexpr u32 RESULT_BYTES = VECTOR * sizeof(Out);
// Results that fit go back to the slots of their elements, so that a warp can store whole rows. Of one row a thread has
// them already.
constexpr bool THROUGH_SLOTS = RESULT_BYTES <= SLOT && ROWS > 1;
// The largest store that divides a vector of results; 1 where none does.
constexpr u32 STORE = RESULT_BYTES % 16 == 0 ? 16 : RESULT_BYTES % 8 == 0 ? 8 : RESULT_BYTES % 4 == 0 ? 4 : 1;

template <u32 BYTES> struct Chunk;
template <> struct Chunk<16> { using type = uint4; };
template <> struct Chunk<8> { using type = uint2; };
template <> struct Chunk<4> { using type = u32; };
template <> struct Chunk<1> { using type = u8; };
using StoreChunk = Chunk<STORE>::type;

// A vector of results in the order of memory.
struct Results {
    alignas(16) Out in_memory[VECTOR];
    __device__ __forceinline__ explicit Results(const Out (&values)[VECTOR]) {
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) in_memory[REVERSE ? VECTOR - 1 - j : j] = values[j];
    }
};

// Leaves the results in a slot that held a vector of elements.
__device__ __forceinline__ void put_in_slot(Slot& slot, const Out (&values)[VECTOR]) {
    const Results results(values);
#pragma unroll
    for (u32 i = 0; i < RESULT_BYTES / STORE; i++) ((StoreChunk*)slot.bytes)[i] = ((const StoreChunk*)results.in_memory)[i];
}

// Stores `count` (in logical order) of the VECTOR results at `from` to the vector whose lowest address is `to`.
__device__ __forceinline__ void store_results(Out* to, const Out* from, u32 count, bool aligned) {
    if (count == VECTOR && aligned && STORE > 1) {
#pragma unroll
        for (u32 i = 0; i < RESULT_BYTES / STORE; i++) ((StoreChunk*)to)[i] = ((const StoreChunk*)from)[i];
    } else {
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            const u32 at = REVERSE ? VECTOR - 1 - j : j;
            if (j < count) to[at] = from[at];
        }
    }
}

__device__ __forceinline__ void store_slot(Out* to, const Slot& slot, u32 count, bool aligned) {
    store_results(to, (const Out*)slot.bytes, count, aligned);
}

__device__ __forceinline__ void store_vector(Out* to, const Out (&values)[VECTOR], u32 count, bool aligned) {
    const Results results(values);
    store_results(to, results.in_memory, count, aligned);
}
