// The MSD pass of a sort whose bucket numbers have more bits than a digit, for keys so few that two passes would take
// longer: scatters each key to its bucket, in any order.
//
//   a block, for each of its tiles:
//       count     the keys of each bucket; the value that an addition returns is a key's rank among them
//       place     the tile's keys of a bucket after those of other tiles, by an addition to the bucket's cursor; and in
//                 the tile after those of lower buckets
//       scatter   keys to their slots: those of a bucket are contiguous
//       store     them
//
// In contrast to a pass by a digit (sort/pass.cuh), no tile waits for another, and a tile has thousands of buckets. The
// order of keys in a bucket depends on timing. The results do not: the buckets are sorted afterwards, and equal keys
// are bitwise identical.
//
// Memory ordering: an earlier launch has written the places. Additions to cursors are relaxed; no data is read on the
// strength of the value that an addition returns.

#pragma once

#include "memory/instructions.cuh"
#include "sort/radix.cuh"
#include "warp/sum.cuh"

constexpr u32 SCATTER_TILE = THREADS * KEYS;
static_assert(KEYS % 2 == 0 && SCATTER_TILE <= 1 << 16, "two ranks of 16 bits in a register");
extern __shared__ __align__(128) unsigned char dynamic_shared[];

extern "C" __global__ void __launch_bounds__(THREADS, SCATTER_BLOCKS) upsweep_sort_scatter(const __grid_constant__ SortScatterParams p) {
    wait_for_kernel_before();
    if (((const SortHeader*)p.header)->road != Road::SPLIT) return;
    __shared__ u32 totals[WARPS];
    const u32 buckets = 1 << p.bits, shift = ((const SortHeader*)p.header)->shift;
    const auto bucket_of = [&](KeyBits key) { return (u32)(key >> shift) & (buckets - 1); };
    u32* const counts = (u32*)dynamic_shared;  // number of keys of each bucket; then the slot of its first key
    // For each bucket: index in the output of a key in a slot is the slot plus this.
    u32* const bases = counts + buckets;
    KeyBits* const slots = (KeyBits*)(bases + buckets);
    const KeyBits* const keys = (const KeyBits*)p.keys;
    const u64* const places = (const u64*)p.places;
    for (u64 begin = blockIdx.x * (u64)SCATTER_TILE; begin < p.n; begin += gridDim.x * (u64)SCATTER_TILE) {
        const u32 count = (u32)min((u64)SCATTER_TILE, p.n - begin);
        for (u32 i = threadIdx.x; i < buckets; i += THREADS) counts[i] = 0;
        KeyBits key[KEYS];
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            const u32 at = k * THREADS + threadIdx.x;
            if (at < count) key[k] = keys[begin + at];
        }
        __syncthreads();
        u32 ranks[KEYS / 2];
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            u32 rank = 0;
            if (k * THREADS + threadIdx.x < count) {
                key[k] = in_order(key[k]);
                rank = atomicAdd(counts + bucket_of(key[k]), 1u);
            }
            ranks[k / 2] = k % 2 == 0 ? rank : ranks[k / 2] | rank << 16;
        }
        __syncthreads();
        // Each thread scans the counts of `share` neighbouring buckets.
        const u32 share = (buckets + THREADS - 1) / THREADS, first = min(threadIdx.x * share, buckets), last = min(first + share, buckets);
        u32 sum = 0;
        for (u32 bucket = first; bucket < last; bucket++) sum += counts[bucket];
        const u32 inclusive = warp_inclusive_sum(sum);
        if (lane_index() == WARP - 1) totals[warp_index()] = inclusive;
        __syncthreads();
        u32 slot = inclusive - sum;
        for (u32 warp = 0; warp < warp_index(); warp++) slot += totals[warp];
#pragma unroll 4
        for (u32 bucket = first; bucket < last; bucket++) {
            const u32 own = counts[bucket];
            counts[bucket] = slot;
            if (own > 0) bases[bucket] = (u32)places[bucket] + atomicAdd((u32*)p.cursors + bucket, own) - slot;
            slot += own;
        }
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            if (k * THREADS + threadIdx.x < count) slots[counts[bucket_of(key[k])] + (ranks[k / 2] >> k % 2 * 16 & 0xffff)] = key[k];
        }
        __syncthreads();
        for (u32 i = threadIdx.x; i < count; i += THREADS) {
            const KeyBits x = slots[i];
            ((KeyBits*)p.output)[bases[bucket_of(x)] + i] = x;  // modulo 2^32, which no number of keys reaches
        }
    }
}
