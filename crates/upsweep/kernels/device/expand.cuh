// Expand: for each of `counts` its number of results. A result is its owner (the index of the count), its rank among the owner's
// results, or a value of the owner. `offsets` are the results before each count, and behind them the total.
//
// Counts and results are merged in the order of positions: count j lies at f(j) = offsets[j] + j, behind the results of those
// before it. A block has TILE neighbours of this order, however many counts or results these are, so neither many counts of 0
// nor one large count make a block's work longer (Green, McColl and Bader, "GPU Merge Path", 2012; Baxter, "moderngpu", 2013).
//
//   search     two warps: the counts before the tile, and before its end; 32 probes at a time, as f ascends strictly
//   mark       in shared memory, at each count's first result, which count of the tile it is
//   scan       the largest mark so far: the owner of each result
//   store      results, each lane one
//
// The number of counts may lie in device memory (`length`), where the host knows how many there is room for.

#pragma once

#include "block/barrier.cuh"
#include "memory/workspace.cuh"
#include "warp/index.cuh"
#include "warp/scan.cuh"

constexpr u32 TILE = THREADS * EXPAND_ITEMS;
static_assert(TILE < 1 << 16, "a mark is 16 bits");
enum Expand : u32 { OWNERS, RANKS, VALUES };

template <u32 BYTES> struct IndexOf { using type = u64; };
template <> struct IndexOf<4> { using type = u32; };
template <u32 WHAT> struct Result {
    using Type = IndexOf<INDEX_BYTES>::type;
    static __device__ __forceinline__ Type of(const ExpandParams& p, u64 owner, u64 at) {
        return (Type)(WHAT == OWNERS ? owner : at - p.offsets[owner]);
    }
};
template <> struct Result<VALUES> {
    using Type = In;
    static __device__ __forceinline__ Type of(const ExpandParams& p, u64 owner, u64) { return p.values[owner]; }
};

// The number of counts that lie before position `at`, where there is room for `room` results. All lanes of a warp.
__device__ __forceinline__ u64 counts_before(const ExpandParams& p, u64 n, u64 room, u64 at) {
    u64 low = at > room ? at - room : 0, high = min(n, at);
    while (low < high) {
        const u64 step = (high - low + WARP - 1) / WARP, probe = low + lane_index() * step;
        const bool before = probe < high && min(p.offsets[probe], room) + probe < at;
        const u32 number = __popc(__ballot_sync(~0u, before));
        high = min(high, low + number * step);
        if (number > 0) low += (number - 1) * step + 1;
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) upsweep_expand(const __grid_constant__ ExpandParams p) {
    __shared__ u16 marks[TILE];
    __shared__ u64 ends[2];
    __shared__ u32 before_warp[WARPS];
    const u64 n = p.length ? min(*p.length, p.n) : p.n, total = p.offsets[n], room = min(total, p.capacity);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *p.count = total;
        if (p.length && *p.length > p.n) report_fault(p.workspace, FAULT_LENGTH, *p.length, (i64)p.n);
        else if (p.asked && total > p.capacity) report_fault(p.workspace, FAULT_CAPACITY, total, (i64)p.capacity);
    }
    const u64 begin = (u64)blockIdx.x * TILE, end = min(begin + TILE, n + room);
    if (begin >= end) return;
    if (warp_index() < 2) {
        const u64 found = counts_before(p, n, room, warp_index() == 0 ? begin : end);
        if (lane_index() == 0) ends[warp_index()] = found;
    }
    for (u32 i = threadIdx.x; i < TILE; i += THREADS) marks[i] = 0;
    main_sync();
    const u64 first = ends[0], first_result = begin - first;
    const u32 counts = (u32)(ends[1] - first), results = (u32)(end - ends[1] - first_result);
    for (u32 i = threadIdx.x; i < counts; i += THREADS) {
        // Of counts at one place only the last has results.
        const u64 at = p.offsets[first + i];
        if (at < room && p.offsets[first + i + 1] > at && at - first_result < results) marks[at - first_result] = (u16)(i + 1);
    }
    main_sync();

    u16* const own = marks + threadIdx.x * EXPAND_ITEMS;
    u32 largest = 0;
#pragma unroll
    for (u32 i = 0; i < EXPAND_ITEMS; i++) largest = max(largest, (u32)own[i]);
    u32 up_to = largest;
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const u32 lower = __shfl_up_sync(~0u, up_to, distance);
        if (lane_index() >= distance) up_to = max(up_to, lower);
    }
    if (lane_index() == WARP - 1) before_warp[warp_index()] = up_to;
    const u32 lower = __shfl_up_sync(~0u, up_to, 1);
    main_sync();
    u32 mark = lane_index() > 0 ? lower : 0;
    for (u32 warp = 0; warp < warp_index(); warp++) mark = max(mark, before_warp[warp]);
#pragma unroll
    for (u32 i = 0; i < EXPAND_ITEMS; i++) {
        mark = max(mark, (u32)own[i]);
        own[i] = (u16)mark;
    }
    main_sync();

    // A result before the tile's first mark is of the count before the tile.
    using Stored = Result<EXPAND>;
    typename Stored::Type* const to = (typename Stored::Type*)p.output + first_result;
    for (u32 i = threadIdx.x; i < results; i += THREADS) {
        to[i] = Stored::of(p, first + marks[i] - 1, first_result + i);
    }
}
