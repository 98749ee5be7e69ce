// Preparation of a reduction by offsets with a gathering map (reduce/gathered.cuh):
//
//   find    the begin of each tile: the first offset there or after it. SEARCHERS lanes search for each: first near the
//           place that it would have if all segments were of one length, then each lane a part of the rest
//   store   the results of long runs of empty segments: shares whose ends are equal, or invalid. The block of a tile
//           skips them
//   check   the first and the last offset. The blocks of tiles check those between
//
// In contrast to a thread for each segment, few offsets are read here, and the blocks of tiles read all of them anyway.
// The offset before the found one is always smaller, whatever the offsets are. So no segments lie between those of
// neighbouring tiles, even if offsets do not ascend.
//
// One thread takes the epoch for the next kernel, so that its blocks need not determine the last one.

#pragma once

#include "memory/workspace.cuh"
#include "reduce/gathered_tile.cuh"
#include "warp/index.cuh"

static_assert(WARP % SEARCHERS == 0 && SEARCHERS < WARP, "a warp searches for some tiles");

// Returns the distance, in offsets, of a lane's probe from the guessed index: -32768, -1024, -32, -1, 0, 32, 1024,
// 32768. For segments of one length, -1 and 0 suffice.
__device__ __forceinline__ i64 distance_of(u32 lane) {
    constexpr u32 MIDDLE = SEARCHERS / 2;
    return lane < MIDDLE ? -(1ll << 5 * (MIDDLE - 1 - lane)) : lane == MIDDLE ? 0 : 1ll << 5 * (lane - MIDDLE);
}

// Returns the index of the first offset that is at least `target`, or that of the last offset if no other one is.
// Called by SEARCHERS neighbouring lanes.
__device__ __forceinline__ u64 first_offset(const Params& p, u64 target) {
    const u32 lane = lane_index() % SEARCHERS, lanes = lane_index() - lane;
    u64 found = 0, left = p.segments;  // offsets before index `found` are less; the one at `found + left` is not
    if (left > 0) {
        const i64 guess = (i64)(min((float)target / (float)max(p.n, (u64)1), 1.0f) * (float)left);
        const u64 at = (u64)min(max(guess + distance_of(lane), (i64)0), (i64)left - 1);
        const u32 parts = __ballot_sync(~0u, (u64)(i64)p.offsets[at] >= target) >> lanes & ((1u << SEARCHERS) - 1);
        const u32 first = parts == 0 ? SEARCHERS : __ffs(parts) - 1;
        const u64 before = __shfl_sync(~0u, at, lanes + (first == 0 ? 0 : first - 1)), behind = __shfl_sync(~0u, at, lanes + first % SEARCHERS);
        found = first == 0 ? 0 : before + 1;
        left = (first == SEARCHERS ? left : behind) - found;
    }
    while (__any_sync(~0u, left > 0)) {
        const u64 step = (left + SEARCHERS - 1) / SEARCHERS, last = min((lane + 1) * step, left);
        const bool behind = left == 0 || (u64)(i64)p.offsets[found + last - 1] >= target;
        const u32 parts = __ballot_sync(~0u, behind) >> lanes & ((1u << SEARCHERS) - 1);
        const u64 less = parts == 0 ? left : min((__ffs(parts) - 1) * step, left);
        found += less;
        left = parts == 0 ? 0 : min(step, left - less) - (left > less);
    }
    return found;
}

// Stores the results of the empty segments among the SHARE neighbouring segments of share `share`, and reports invalid
// offsets. Called by all lanes of a warp.
__device__ __forceinline__ void see_to_share(const Params& p, u64 share) {
    for (u64 segment = share * SHARE + lane_index(); segment < min((share + 1) * SHARE, p.segments); segment += WARP) {
        see_to(p, segment, p.offsets[segment], p.offsets[segment + 1]);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_segments_starts(const __grid_constant__ GatheredParams given) {
    const Params p(given);
    const u64 tiles = p.tiles(), threads = (u64)gridDim.x * THREADS, thread = blockIdx.x * (u64)THREADS + threadIdx.x;
    for (u64 first = thread - lane_index(); first * SHARE < p.segments; first += threads) {
        const u64 share = first + lane_index(), begin = share * SHARE;
        u32 lanes = __ballot_sync(~0u, begin < p.segments && (i64)p.offsets[begin] >= (i64)p.offsets[min(begin + SHARE, p.segments)]);
        while (lanes != 0) {
            see_to_share(p, first + __ffs(lanes) - 1);
            lanes &= lanes - 1;
        }
    }
    for (u64 first = (thread - lane_index()) / SEARCHERS; first <= tiles; first += threads / SEARCHERS) {
        const u64 tile = first + lane_index() / SEARCHERS, start = first_offset(p, tile * TILE);
        if (lane_index() % SEARCHERS == 0 && tile <= tiles) p.starts[tile] = tile < tiles ? start : p.segments;
    }
    if (thread == 0) {
        const i64 first = (i64)p.offsets[0], last = (i64)p.offsets[p.segments];
        if (first != 0) report_fault(p.workspace, FAULT_OFFSETS, 0, first);
        if ((u64)last != p.n) report_fault(p.workspace, FAULT_OFFSETS, p.segments, last);
        const u32 epoch = current_epoch(p.workspace);
        p.starts[tiles + 1] = epoch;
        if (epoch != ~0u) p.workspace.header->epoch = epoch + 1;
    }
}
