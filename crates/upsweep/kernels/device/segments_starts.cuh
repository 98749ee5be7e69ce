// Before a reduction by offsets whose map reads memory apart (segments_apart.cuh), a thread for some neighbouring segments:
//
//   check   that the offsets ascend from 0 to the number of elements
//   store   the result of an empty segment, which no element stands for
//   find    the tiles that begin in the segment: the offset at its end is the first at their begin or behind it
//   all     lanes of a warp see to the tiles of a segment that has many
//
// Tiles of which no segment says that they begin in it, as where offsets do not ascend, keep a 0 for their start, and have no segments.
// One thread takes the epoch for the kernel that follows, so that its blocks need not agree on who is the last.

#pragma once

#include "memory/workspace.cuh"
#include "tile/apart.cuh"
#include "warp/index.cuh"

// The most tiles of a segment that its own thread sees to, and neighbouring segments of a thread.
constexpr u32 FEW_TILES = 4, OWN = 4;
static_assert(OWN == 4, "the choice of a segment below");

// What there is to do for a segment between two offsets that lie in different tiles, or are equal, or wrong. All lanes of a warp; of some there
// may be `nothing` to do.
__device__ __forceinline__ void see_to(const Params& p, u64 tiles, u64 segment, u64 from, u64 to, bool nothing) {
    u64 tile = 0, number = 0;  // the first tile that begins in this segment or at its end, and how many do
    if (!nothing) {
        if ((i64)to < (i64)from || to > p.n) report_fault(p.workspace, FAULT_OFFSETS, segment + 1, (i64)to);
        else if (from == to) store_segment(p, segment, result(p.first));
        else if ((i64)from >= 0) {
            tile = from / TILE + 1, number = to / TILE + 1 - tile;
            if (to == p.n) p.starts[tiles] = segment + 1;
        }
    }
    if (number <= FEW_TILES) {
        for (u64 i = 0; i < number; i++) p.starts[tile + i] = segment + 1;
    }
    u32 lanes = __ballot_sync(~0u, number > FEW_TILES);
    while (lanes != 0) {
        const u32 lane = __ffs(lanes) - 1;
        lanes &= lanes - 1;
        const u64 begin = __shfl_sync(~0u, tile, lane), end = begin + __shfl_sync(~0u, number, lane), start = __shfl_sync(~0u, segment, lane) + 1;
        for (u64 i = begin + lane_index(); i < end; i += WARP) p.starts[i] = start;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_segments_starts(const __grid_constant__ ApartParams given) {
    const Params p(given);
    const u64 tiles = p.tiles(), threads = (u64)gridDim.x * THREADS, thread = blockIdx.x * (u64)THREADS + threadIdx.x;
    for (u64 first = (thread - lane_index()) * OWN; first < p.segments; first += threads * OWN) {
        const u64 segment = first + lane_index() * OWN;
        u64 at[OWN + 1];
#pragma unroll
        for (u32 i = 0; i <= OWN; i++) at[i] = (u64)(i64)p.offsets[min(segment + i, p.segments)];
        u32 nothing = 0;
#pragma unroll
        for (u32 i = 0; i < OWN; i++) {
            // Most segments lie within a tile.
            const bool within = at[i] < at[i + 1] && at[i + 1] < p.n && at[i] / TILE == at[i + 1] / TILE;
            nothing |= (u32)(within || segment + i >= p.segments) << i;
        }
        if (!__any_sync(~0u, nothing != (1u << OWN) - 1)) continue;
#pragma unroll 1
        for (u32 i = 0; i < OWN; i++) {
            const u64 from = i == 0 ? at[0] : i == 1 ? at[1] : i == 2 ? at[2] : at[3], to = i == 0 ? at[1] : i == 1 ? at[2] : i == 2 ? at[3] : at[4];
            see_to(p, tiles, segment + i, from, to, nothing >> i & 1);
        }
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
