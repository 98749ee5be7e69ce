// The first kernel of a sort by its highest bits: counts the keys by these, and says which way the sort goes.
//
//   count[x >> shift] += 1 for the block's keys x, by the highest `bits` bits of their order
//   the last block:
//       places[v] = counts[0] + .. + counts[v - 1]
//       keys in order are copied; where a bucket of equal highest bits is too large for a block, the sort goes by passes from
//       the lowest digit on, which the next kernel counts, or with COUNT_DIGITS this one
//       else one pass by the highest bits, or two by half of them each, put each bucket in its place, and blocks sort the
//       buckets. The second pass is one of each bucket of the first, cut into tiles. Or a single pass by all of these bits puts keys
//       into buckets (device/sort_scatter.cuh)
//
// A block's counters lie in shared memory, two of 16 bits in a word. Who lets one reach half of what it can hold takes that half away and
// adds it to the count of all blocks; until then fewer keys are added than the other half holds.

#include "tile/passes.cuh"
#include "tile/visit.cuh"
#include "warp/shuffle.cuh"

constexpr u32 HALF = 1 << 15;
extern __shared__ __align__(128) unsigned char dynamic_shared[];

// The counts of all blocks become places; returns the largest. All threads of one block.
__device__ __forceinline__ u32 counts_to_places(u64* counts, u32 values) {
    __shared__ u64 totals[WARPS];
    __shared__ u32 largest;
    const u32 part = max(values / WARPS, WARP), begin = min(values, warp_index() * part), end = min(values, begin + part);
    if (threadIdx.x == 0) largest = 0;
    u64 sum = 0, most = 0;
#pragma unroll 8
    for (u32 i = begin + lane_index(); i < end; i += WARP) {
        const u64 count = *(volatile u64*)(counts + i);
        sum += count, most = max(most, count);
    }
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const u64 other = shuffle_up(sum, distance);
        if (lane_index() >= distance) sum += other;
    }
    if (lane_index() == WARP - 1) totals[warp_index()] = sum;
    __syncthreads();
    atomicMax(&largest, (u32)min(most, (u64)~0u));
    u64 lower = 0;
    for (u32 warp = 0; warp < warp_index(); warp++) lower += totals[warp];
#pragma unroll 4
    for (u32 i = begin; i < end; i += WARP) {
        const u64 count = *(volatile u64*)(counts + i + lane_index());
        u64 inclusive = count;
#pragma unroll
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            const u64 other = shuffle_up(inclusive, distance);
            if (lane_index() >= distance) inclusive += other;
        }
        counts[i + lane_index()] = lower + inclusive - count;
        lower += shuffle(inclusive, WARP - 1);
    }
    if (end == values && begin < values && lane_index() == 0) counts[values] = lower;
    __syncthreads();
    return largest;
}

// Cuts the buckets of the first pass into tiles; returns how many. All threads of one block.
__device__ __forceinline__ u32 cut_into_tiles(const SortSplitParams& p, u32 first_bits) {
    const u64* const places = (const u64*)p.places;
    const u32 second_bits = (u32)p.bits - first_bits, buckets = 1 << first_bits;
    __shared__ u32 begins[DIGITS + 1];
    for (u32 bucket = threadIdx.x; bucket < buckets; bucket += THREADS) {
        const u64 count = places[(u64)(bucket + 1) << second_bits] - places[(u64)bucket << second_bits];
        begins[bucket + 1] = (u32)((count + p.tile - 1) / p.tile);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        begins[0] = 0;
        for (u32 bucket = 0; bucket < buckets; bucket++) begins[bucket + 1] += begins[bucket];
    }
    __syncthreads();
    for (u32 bucket = warp_index(); bucket < buckets; bucket += WARPS) {
        const u64 begin = places[(u64)bucket << second_bits], end = places[(u64)(bucket + 1) << second_bits];
        const u32 row = bucket << second_bits >> DIGIT_BITS;
        for (u32 i = lane_index(); i < begins[bucket + 1] - begins[bucket]; i += WARP) {
            const u64 at = begin + i * p.tile;
            ((SortTile*)p.tiles)[begins[bucket] + i] = {at, i * p.tile, (u32)min(p.tile, end - at), row << 1 | (i == 0)};
        }
    }
    return begins[buckets];
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_split(const __grid_constant__ SortSplitParams p) {
    u32* const words = (u32*)dynamic_shared;
    const u32 values = 1 << p.bits, shift = KEY_WIDTH - (u32)p.bits;
    SortHeader& header = *(SortHeader*)p.header;
    u64* const places = (u64*)p.places;
    u32* const digits = words + values / 2;
    constexpr u32 DIGIT_COUNTERS = COUNT_DIGITS ? DIGITS_A_KEY * DIGITS : 0;
    for (u32 i = threadIdx.x; i < values / 2 + DIGIT_COUNTERS; i += THREADS) words[i] = 0;
    clear_status((StatusWord*)p.status, p.status_words, p.status_empty);
    __syncthreads();
    const u64 begin = min(p.n, blockIdx.x * p.part), end = min(p.n, begin + p.part);
    const bool unsorted = visit_keys((const KeyBits*)p.keys, begin, end, [&]<u32 NUMBER>(const KeyBits (&key)[NUMBER]) {
        u32 value[NUMBER], before[NUMBER];
        bool flows_over = false, together = NUMBER > 1;
#pragma unroll
        for (u32 k = 0; k < NUMBER; k++) {
            value[k] = (u32)(key[k] >> shift);
            together &= value[k] == value[0];
        }
        // Neighbours of one bucket are added at once: of sorted keys all lanes add to one word, one after the other.
        const u32 amount = together ? NUMBER : 1;
#pragma unroll
        for (u32 k = 0; k < NUMBER; k++) {
            if (k == 0 || !together) before[k] = atomicAdd(words + value[k] / 2, amount << value[k] % 2 * 16);
        }
        if (COUNT_DIGITS) {
#pragma unroll
            for (u32 k = 0; k < NUMBER * DIGITS_A_KEY; k++) {
                const u32 digit = k % DIGITS_A_KEY;
                atomicAdd(digits + digit * DIGITS + digit_at(key[k / DIGITS_A_KEY], digit * DIGIT_BITS), 1u);
            }
        }
        // None of the additions waits for another one.
        const auto flowed_over = [&](u32 k) {
            const u32 number = before[k] >> value[k] % 2 * 16 & 0xffff;
            return (k == 0 || !together) && number < HALF && number + amount >= HALF;
        };
#pragma unroll
        for (u32 k = 0; k < NUMBER; k++) flows_over |= flowed_over(k);
        if (!flows_over) return;
#pragma unroll
        for (u32 k = 0; k < NUMBER; k++) {
            if (!flowed_over(k)) continue;
            atomicAdd(words + value[k] / 2, 0u - (HALF << value[k] % 2 * 16));
            atomicAdd(places + value[k], (u64)HALF);
        }
    });
    if (__any_sync(~0u, unsorted) && lane_index() == 0) atomicOr(&header.unsorted, 1u);
    __syncthreads();
    for (u32 i = threadIdx.x; i < values; i += THREADS) {
        const u32 count = words[i / 2] >> i % 2 * 16 & 0xffff;
        if (count > 0) atomicAdd(places + i, (u64)count);
    }
    for (u32 i = threadIdx.x; i < DIGIT_COUNTERS; i += THREADS) {
        if (digits[i] > 0) atomicAdd((u64*)header.counts + i, (u64)digits[i]);
    }
    // The counts of all blocks are there when the last one has come: each fences what it has added.
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&header.split_done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    const u32 largest = counts_to_places(places, values);
    const bool sorted = *(volatile u32*)&header.unsorted == 0, twice = p.tiles != nullptr, scatters = p.bits > DIGIT_BITS && !twice;
    const u32 first_bits = twice ? ((u32)p.bits + 1) / 2 : (u32)p.bits;
    const u32 tiles = !sorted && largest <= p.room && twice ? cut_into_tiles(p, first_bits) : 0;
    if (COUNT_DIGITS && !sorted && largest > p.room) plan_passes(header, p.n, p.in_place != 0, false, p.cursors);
    if (threadIdx.x != 0) return;
    if (sorted) {
        header.road = Road::NONE;
        if (!p.in_place) header.steps[0] = {Deed::COPY, Place::INPUT, Place::RESULT};
    } else if (largest <= p.room) {
        header.road = Road::SPLIT;
        if (scatters) return;
        header.tiles = tiles;
        const Place to = twice || p.in_place ? Place::SCRATCH : Place::RESULT;
        header.steps[0] = {Deed::SORT, Place::INPUT, to, KEY_WIDTH - first_bits, 0, 1, 0, 1, 0, (u32)p.bits - first_bits, 0, places, p.cursors};
        if (twice) header.steps[1] = {Deed::SORT, Place::SCRATCH, Place::RESULT, shift, 1, 0, 0, 1, 1, 0, DIGITS, places, p.cursors ? (StatusWord*)p.cursors + DIGITS : nullptr};
    }
}
