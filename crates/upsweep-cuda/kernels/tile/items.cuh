// A thread's elements, loaded from shared memory and mapped.

#pragma once

#include "tile/heads.cuh"

// Vector of VECTOR neighbouring elements, from its slots; [j] is its element j in logical order.
struct Vector {
    In elements[VECTOR];
    Vector() = default;
    __device__ __forceinline__ Vector(const Slot* slots, u32 vector) { Input::load(slots, slot_of(vector), elements); }
    __device__ __forceinline__ In operator[](u32 j) const { return elements[REVERSE ? VECTOR - 1 - j : j]; }
};

__device__ __forceinline__ T with_init(const Params& p, T value, bool head) {
    if constexpr (HAS_INIT) {
        if (head) value = combine(p.init, value);
    }
    return value;
}

// Returns logical element `i`, mapped from its input `x`. `head`: it begins a segment or the whole array, so the
// initial value, if there is one, comes before it.
__device__ __forceinline__ T element(const Params& p, const In& x, u64 i, bool head) {
    const u64 at = REVERSE ? p.n - 1 - i : i;
    u64 index = at;
    if constexpr (IN_ROWS) index = place_in_row(p, at);  // dropped if the map does not use it
    if constexpr (CONTINUES) index += p.position;
    return with_init(p, map(x, index, at), head);
}

// One of a thread's vectors of elements, with all that the combination of its elements depends on.
struct Items {
    Vector x;
    u64 index;  // logical index of the vector's first element
    u32 count;  // number of its elements that exist
    u32 heads;  // bit j: element j begins a segment

    template <bool FULL>
    static __device__ __forceinline__ Items of(u64 begin, u32 tile_count, u32 row, const Slot* slots, Mask heads) {
        const u32 vector = threadIdx.x * ROWS + row, offset = vector * VECTOR;
        return Items{Vector(slots, vector), begin + offset, existing<FULL>(offset, VECTOR, tile_count), (u32)(heads >> row * VECTOR)};
    }

    // Whether the indices with which the existing elements read tables are all in range for the tables.
    __device__ __forceinline__ bool right(const Params& p) const {
        bool all = true;
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) all &= j >= count || indices_right(x[j], position(p, j));
        return all;
    }
    __device__ __forceinline__ void report(const Params& p) const {
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (j < count) report_indices(x[j], position(p, j));
        }
    }

    // Returns the position of element j in memory.
    __device__ __forceinline__ u64 position(const Params& p, u32 j) const { return REVERSE ? p.n - 1 - (index + j) : index + j; }

    __device__ __forceinline__ bool head(u32 j) const { return SEGMENTED ? heads >> j & 1 : !CONTINUES && index + j == 0; }
    __device__ __forceinline__ T operator()(const Params& p, u32 j) const { return element(p, x[j], index + j, head(j)); }
};
