// Arrangement of elements in threads.
//
// A tile is THREADS * ROWS vectors of VECTOR neighbouring elements. A thread computes on a blocked arrangement: ROWS
// neighbouring vectors, so the order of the elements is threads, the vectors of a thread, the elements of a vector. It
// loads and stores a warp-striped arrangement: in row r, lane l has the vector r * 32 + l of its warp, so that a warp's
// accesses to global memory are coalesced. Both are free of bank conflicts. If ROWS is odd, the vectors of neighbouring
// lanes lie in different banks. If it is a power of two, the slots of a thread's vectors are exchanged among themselves,
// in another way for each of the next lanes (`slot_of`).
//
// All positions are logical: in a reverse scan logical element i is the element n - 1 - i in memory.

#pragma once

#include "memory/results.cuh"
#include "warp/index.cuh"

constexpr u32 ITEMS = ROWS * VECTOR;     // elements of a thread
constexpr u32 TILE = THREADS * ITEMS;    // elements of a tile
static_assert(ROWS % 2 == 1 || (ROWS & (ROWS - 1)) == 0, "see above");

// Returns the number of tiles that `n` elements take; at least one.
__device__ __forceinline__ u64 tile_number(u64 n) { return n == 0 ? 1 : (n + TILE - 1) / TILE; }

// Returns the number of elements of tile `t`, of `n` elements in all.
__device__ __forceinline__ u32 tile_count(u64 n, u64 t) {
    const u64 left = n - t * TILE;
    return left < TILE ? (u32)left : TILE;
}

// Returns the index, in a tile, of the vector that this thread loads and stores in row `row`.
__device__ __forceinline__ u32 row_vector(u32 row) { return warp_index() * WARP * ROWS + row * WARP + lane_index(); }

// Returns the index of the slot, in shared memory, of vector `v` of a tile. Eight lanes access their vectors of a row at
// once: each in a slot of 16 bytes, they cover all banks.
__device__ __forceinline__ u32 slot_of(u32 v) {
    if constexpr (ROWS % 2 == 1) return v;
    else return v ^ (v / 8 & (ROWS - 1));
}
// Returns the slot of the vector that this thread loads and stores in row `row`; `first` is that of row 0.
__device__ __forceinline__ u32 row_slot(u32 first, u32 row) {
    return ROWS % 2 == 1 || ROWS <= 4 ? first + row * WARP : slot_of(row_vector(row));
}

// Returns how many of the `most` elements from index `start` on exist in a tile of `count` elements. FULL: all of them.
template <bool FULL>
__device__ __forceinline__ u32 existing(u32 start, u32 most, u32 count) {
    if (FULL) return most;
    return start < count ? min(most, count - start) : 0;
}

// Elements of a tile that lie side by side in the array: the first one's distance from the tile's begin, and their number.
struct Extent {
    u32 at, count;
};

// Returns the number of lanes of this warp with at least one element, in a tile of `count` elements.
template <bool FULL>
__device__ __forceinline__ u32 lanes_with_elements(u32 count) {
    if (FULL) return WARP;
    return (existing<false>(warp_index() * WARP * ITEMS, WARP * ITEMS, count) + ITEMS - 1) / ITEMS;
}

// Returns the number of warps with at least one element, in a tile of `count` elements.
__device__ __forceinline__ u32 warps_with_elements(u32 count) { return (count + WARP * ITEMS - 1) / (WARP * ITEMS); }

// Returns the address of the vector of logical elements `i` to `i + VECTOR - 1`. In reverse, `i + VECTOR` may pass `n`:
// then the address lies before the array, and only the elements that exist are accessed.
template <class E>
__device__ __forceinline__ E* vector_address(E* base, u64 n, u64 i) {
    return REVERSE ? base + ((i64)n - (i64)i - (i64)VECTOR) : base + i;
}

__device__ __forceinline__ ResultPlace vector_address(const ResultPlace& base, u64 n, u64 i) {
    return ResultPlace{base.at + (REVERSE ? n - i - VECTOR : i)};
}
