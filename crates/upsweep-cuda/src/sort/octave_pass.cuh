// Launches of a pass for few distinct keys and for skewed keys, which a pass by a digit handles badly.
//
//   few distinct keys      each is stored as often as it occurs
//   skewed keys            one launch counts the buckets of octaves, the next one puts keys there (sort/octaves.cuh), and blocks sort the buckets
//
// Memory ordering:
//
//   what                       who writes                  what makes it seen                    who reads
//   counts of buckets          all blocks, by additions    each fences before it counts itself   the last block, after a fence
//   places, the next step      the last block              the launch after this one waits       all blocks of that launch

#pragma once

#include "memory/instructions.cuh"
#include "sort/octaves.cuh"
#include "sort/visit.cuh"
#include "warp/shuffle.cuh"
#include "warp/sum.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Number of keys of one tile, which a block distributes to buckets at once.
constexpr u32 OCTAVE_TILE = RANKERS * KEYS;
// Number of counters of a bucket: lanes with equal keys add to different ones, and are not serialised.
constexpr u32 OCTAVE_COLUMNS = 8;

// Stores each of few distinct keys as often as it occurs. `step.shift` is their number; `header.counts[0]` hold the end
// of each key's range in the output `to`, and `header.counts[1]` the keys.
__device__ __forceinline__ void fill_few(const SortParams& p, const SortHeader& header, const SortStep& step, KeyBits* to) {
    u64* const ends = (u64*)dynamic_shared;
    KeyBits* const which = (KeyBits*)(ends + DIGITS);
    for (u32 i = threadIdx.x; i < step.shift; i += THREADS) ends[i] = header.counts[0][i], which[i] = ((const KeyBits*)header.counts[1])[i];
    __syncthreads();
    constexpr u32 VECTOR = 16 / KEY_BYTES;
    struct alignas(16) Vector { KeyBits at[VECTOR]; } vector;
    const u64 first = blockIdx.x * (u64)THREADS + threadIdx.x, threads = (u64)gridDim.x * THREADS;
    u64 begin = 0;
    for (u32 i = 0; i < step.shift; i++) {
        const u64 end = ends[i];
        const KeyBits key = which[i];
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) vector.at[j] = key;
        // Whole vectors from the first aligned key on.
        const u64 skew = (u64)to / KEY_BYTES % VECTOR, from = min(end, (begin + skew + VECTOR - 1) / VECTOR * VECTOR - skew);
        const u64 vectors = (end - from) / VECTOR, rest = from + vectors * VECTOR;
        for (u64 v = first; v < vectors; v += threads) *(Vector*)(to + from + v * VECTOR) = vector;
        if (first < from - begin) to[begin + first] = key;
        if (first < end - rest) to[rest + first] = key;
        begin = end;
    }
}

// Counts how many of the skewed keys are in each bucket of octaves (sort/octaves.cuh). The last block computes the
// begin of each bucket in the output, and plans the next launch.
__device__ __forceinline__ void count_octaves(const SortParams& p, SortHeader& header, const SortStep& step, const KeyBits* keys) {
    const Octaves octaves = Octaves::of(step.spread);
    u32* const counters = (u32*)dynamic_shared;
    static_assert(!BY_OCTAVES || OCTAVE_COLUMNS * OCTAVE_BUCKETS * sizeof(u32) <= SORT_SHARED_BYTES);
    for (u32 i = threadIdx.x; i < OCTAVE_COLUMNS * OCTAVE_BUCKETS; i += THREADS) counters[i] = 0;
    __syncthreads();
    const u64 part = (p.n + gridDim.x - 1) / gridDim.x, begin = min(p.n, blockIdx.x * part), end = min(p.n, begin + part);
    u32* const column = counters + lane_index() % OCTAVE_COLUMNS;
    const Seen seen = visit_keys(keys, begin, end, [&]<u32 NUMBER>(const KeyBits (&key)[NUMBER]) {
#pragma unroll
        for (u32 k = 0; k < NUMBER; k++) atomicAdd(column + octaves.bucket(key[k]) * OCTAVE_COLUMNS, 1u);
    });
    seen.report(header);
    __syncthreads();
    u64* const places = (u64*)step.bases;
    for (u32 bucket = threadIdx.x; bucket < octaves.number(); bucket += THREADS) {
        u32 sum = 0;
#pragma unroll
        for (u32 i = 0; i < OCTAVE_COLUMNS; i++) sum += counters[bucket * OCTAVE_COLUMNS + (i + bucket) % OCTAVE_COLUMNS];
        if (sum > 0) atomicAdd(places + bucket, (u64)sum);
    }
    // All counts are visible once the last block has come: each block fences its additions.
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&header.tickets[p.launch], 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last || warp_index() > 0) return;
    __threadfence();
    constexpr u32 ROUNDS = OCTAVE_BUCKETS / WARP;
    u64 count[ROUNDS];
    u64 before = 0;
#pragma unroll
    for (u32 k = 0; k < ROUNDS; k++) count[k] = *(volatile u64*)(places + k * WARP + lane_index());
#pragma unroll
    for (u32 k = 0; k < ROUNDS; k++) {
        const u32 bucket = k * WARP + lane_index();
        const u64 end = before + warp_inclusive_sum((u32)count[k]);
        places[bucket] = end - count[k];
        before = shuffle(end, WARP - 1);
    }
    if (lane_index() > 0) return;
    places[OCTAVE_BUCKETS] = before;
    const u32 order = *(volatile u32*)&header.order;
    const bool sorted = Seen::in_order(order), reversed = Seen::reversed(order);
    SortStep next = step;
    next.deed = sorted ? Deed::COPY : reversed ? Deed::REVERSE : Deed::BY_OCTAVES;
    header.steps[p.launch + 1] = next;
    header.road = sorted || reversed ? Road::NONE : Road::OCTAVES;
    header.tiles = step.shift, header.shift = octaves.number();
}

// Fills in the keys of those buckets of octaves that have a single number each, and scatters the other keys of `from`
// to their buckets in `to`, in any order.
__device__ __forceinline__ void put_by_octaves(const SortParams& p, const SortStep& step, const KeyBits* from, KeyBits* to) {
    // Results in buckets of a single number are filled in: a binary search finds the bucket of each.
    u32* const ends = (u32*)dynamic_shared;
    for (u32 i = threadIdx.x; i < step.shift; i += THREADS) ends[i] = (u32)step.bases[i + 1];
    __syncthreads();
    for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < ends[step.shift - 1]; i += gridDim.x * THREADS) {
        u32 bucket = 0;
        for (u32 beyond = step.shift - 1; bucket < beyond;) {
            const u32 middle = (bucket + beyond) / 2;
            if (ends[middle] > i) beyond = middle;
            else bucket = middle + 1;
        }
        to[i] = out_of_order((KeyBits)bucket);
    }
    __syncthreads();
    const Octaves octaves = Octaves::of(step.spread);
    u32* const counts = (u32*)dynamic_shared;
    u32* const bases = counts + OCTAVE_BUCKETS;
    constexpr u32 OWN = (OCTAVE_TILE + THREADS - 1) / THREADS;
    for (u64 begin = blockIdx.x * (u64)OCTAVE_TILE; begin < p.n; begin += gridDim.x * (u64)OCTAVE_TILE) {
        const u32 count = (u32)min((u64)OCTAVE_TILE, p.n - begin);
        KeyBits key[OWN];
#pragma unroll
        for (u32 k = 0; k < OWN; k++) {
            const u32 i = k * THREADS + threadIdx.x;
            key[k] = i < count ? in_order(from[begin + i]) : (KeyBits)0;
        }
        for (u32 i = threadIdx.x; i < OCTAVE_BUCKETS; i += THREADS) counts[i] = 0;
        __syncthreads();
        u32 rank[OWN];
#pragma unroll
        for (u32 k = 0; k < OWN; k++) {
            const u32 bucket = octaves.bucket(key[k]);
            rank[k] = bucket < step.shift ? 0 : atomicAdd(counts + bucket, 1u);
        }
        __syncthreads();
        for (u32 i = threadIdx.x; i < OCTAVE_BUCKETS; i += THREADS) {
            if (counts[i] > 0) bases[i] = (u32)step.bases[i] + (u32)atomicAdd((StatusWord*)step.cursors + i, (StatusWord)counts[i]);
        }
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < OWN; k++) {
            const u32 bucket = octaves.bucket(key[k]);
            if (bucket >= step.shift) to[bases[bucket] + rank[k]] = key[k];
        }
        __syncthreads();
    }
}
