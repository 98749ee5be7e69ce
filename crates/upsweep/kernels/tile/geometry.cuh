// Which elements a thread owns.
//
// A tile is WARPS x ROWS rows of 32 lanes x VECTOR elements. Warp w owns rows w * ROWS .. (w + 1) * ROWS; in a row,
// lane l owns VECTOR neighbours. So a warp reads and writes whole rows, each lane with wide accesses side by side,
// and the order of the elements is: warps, rows of the warp, lanes of the row, elements of the vector.
//
// All positions are logical: in a reverse scan logical element i is the element n - 1 - i in memory.

constexpr u32 WARP = 32;
constexpr u32 WARPS = THREADS / WARP;
constexpr u32 ROW = WARP * VECTOR;       // elements a row
constexpr u32 TILE = THREADS * VECTOR * ROWS;  // elements a tile

__device__ __forceinline__ u32 lane_index() { return threadIdx.x % WARP; }
__device__ __forceinline__ u32 warp_index() { return threadIdx.x / WARP; }

// The first element of this thread's vector in `row`, counted from the tile's first.
__device__ __forceinline__ u32 vector_start(u32 row) {
    return (warp_index() * ROWS + row) * ROW + lane_index() * VECTOR;
}

// How many of the elements from `start` on exist, at most `most`, where the tile has `count`.
template <bool FULL>
__device__ __forceinline__ u32 existing(u32 start, u32 most, u32 count) {
    if (FULL) return most;
    return start < count ? min(most, count - start) : 0;
}

// How many lanes of this warp's `row` hold at least one element.
template <bool FULL>
__device__ __forceinline__ u32 lanes_in_row(u32 row, u32 count) {
    if (FULL) return WARP;
    return (existing<false>((warp_index() * ROWS + row) * ROW, ROW, count) + VECTOR - 1) / VECTOR;
}

// Where in memory the vector of logical elements i .. i + VECTOR begins. In reverse, `i + VECTOR` may pass `n`: then
// the address lies before the array, and only the elements that exist are touched.
template <class E>
__device__ __forceinline__ E* vector_address(E* base, u64 n, u64 i) {
    return REVERSE ? base + ((i64)n - (i64)i - (i64)VECTOR) : base + i;
}

// Whether vectors of `E` begin at multiples of `bytes`.
template <class E>
__device__ __forceinline__ bool vectors_aligned(const E* base, u64 n, u32 bytes) {
    return (u64)(REVERSE ? base + n : base) % bytes == 0;
}
