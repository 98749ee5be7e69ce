// The first kernel of a sort by digits: counts each digit of all keys in one reading, and says what the other kernels do.
//
//   counter[p][d][c] = 0                        in shared memory, SORT_COLUMNS of a digit: a lane adds in column lane % SORT_COLUMNS
//   for the block's keys x:    for all p:    counter[p][digit p of x][column] += 1
//   counts[p][d] += sum of counter[p][d][..]
//   the last block:
//       places[p][d] = counts[p][0] + .. + counts[p][d - 1]
//       a digit that all keys have alike is not sorted by; where keys are in order already, none is
//       passes go from the input to the result and scratch in turns, so that the last one ends in the result; a result in the place
//       of the input takes an even number of them, one of which may be a copy
//
// With as many columns as lanes a warp's counters lie in banks of their own, whatever the keys are.

#include "memory/instructions.cuh"
#include "tile/radix.cuh"
#include "warp/shuffle.cuh"

constexpr u32 VECTOR_KEYS = 16 / KEY_BYTES;
constexpr u32 SORT_COLUMNS = 1 << COLUMN_BITS;
struct alignas(16) KeyVector {
    Bits at[VECTOR_KEYS];
};
extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Adds the keys from `begin` to `end` of the array to the counters. Returns whether one is less than the key before it.
__device__ __forceinline__ bool count_keys(const Bits* keys, u64 begin, u64 end, u32* counters) {
    // In bytes, and from shared memory, so that compilers take it for a number that they do not know: two instructions a digit and an
    // addition, instead of five.
    __shared__ u32 columns[WARP];
    if (threadIdx.x < WARP) columns[threadIdx.x] = threadIdx.x % SORT_COLUMNS * sizeof(u32);
    __syncthreads();
    u8* const column = (u8*)counters + *(volatile u32*)(columns + lane_index());
    u32 unsorted = 0;
    const auto add = [&](Bits key) {
#pragma unroll
        for (u32 p = 0; p < DIGITS_A_KEY; p++) {
            constexpr u32 BITS = COLUMN_BITS + 2;
            const u32 at = p * DIGIT_BITS;
            const u32 shifted = at < BITS ? (u32)key << (BITS - at) : (u32)(key >> (at - BITS));
            atomicAdd((u32*)(column + (shifted & (DIGITS - 1) << BITS) + p * (DIGITS << BITS)), 1u);
        }
    };
    const auto count_one = [&](u64 i) {
        const Bits key = ordered(keys[i]);
        if (i > 0 && key < ordered(keys[i - 1])) unsorted = 1;
        add(key);
    };
    // Vectors where they are aligned.
    const u64 skew = (u64)keys / KEY_BYTES % VECTOR_KEYS;
    const u64 first = min(end, begin + (VECTOR_KEYS - (begin + skew) % VECTOR_KEYS) % VECTOR_KEYS);
    const u64 vectors = (end - first) / VECTOR_KEYS, last = first + vectors * VECTOR_KEYS;
    for (u64 i = begin + threadIdx.x; i < first; i += THREADS) count_one(i);
    for (u64 i = last + threadIdx.x; i < end; i += THREADS) count_one(i);
    for (u64 v = threadIdx.x; v < vectors; v += DEPTH * THREADS) {
        KeyVector x[DEPTH];
        Bits before[DEPTH];
#pragma unroll
        for (u32 j = 0; j < DEPTH; j++) {
            const u64 at = v + j * THREADS;
            if (at >= vectors) continue;
            x[j] = *(const KeyVector*)(keys + first + at * VECTOR_KEYS);
            before[j] = at > 0 || first > 0 ? keys[first + at * VECTOR_KEYS - 1] : x[j].at[0];
        }
#pragma unroll
        for (u32 j = 0; j < DEPTH; j++) {
            if (v + j * THREADS >= vectors) continue;
            Bits lower = ordered(before[j]);
#pragma unroll
            for (u32 i = 0; i < VECTOR_KEYS; i++) {
                const Bits key = ordered(x[j].at[i]);
                unsorted = key < lower ? 1 : unsorted;
                lower = key;
                add(key);
            }
        }
    }
    return unsorted;
}

// What each launch does, by the digits that vary.
__device__ __forceinline__ void plan_steps(SortHeader& header, const bool* varies, bool in_place) {
    u32 passes = 0;
    for (u32 p = 0; p < DIGITS_A_KEY; p++) passes += varies[p];
    const bool copies = in_place ? passes % 2 == 1 : passes == 0;
    u32 launch = 0, left = passes + copies, turn = 0;
    Place from = Place::INPUT;
    const auto add = [&](Deed deed, u32 shift) {
        left--;
        const Place to = left % 2 == 0 ? Place::RESULT : Place::SCRATCH;
        const bool sorts = deed == Deed::SORT;
        header.steps[launch++] = {deed, from, to, shift, turn, sorts && turn == 0, sorts && turn == passes - 1};
        turn += sorts;
        from = to;
    };
    if (copies) add(Deed::COPY, 0);
    for (u32 p = 0; p < DIGITS_A_KEY; p++) {
        if (varies[p]) add(Deed::SORT, p * DIGIT_BITS);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_count(const __grid_constant__ SortCountParams p) {
    u32* const counters = (u32*)dynamic_shared;
    constexpr u32 COUNTERS = DIGITS_A_KEY * DIGITS;
    SortHeader& header = *(SortHeader*)p.header;
    for (u32 i = threadIdx.x; i < COUNTERS * SORT_COLUMNS; i += THREADS) counters[i] = 0;
    // The words through which tiles will tell each other their counts are empty.
    for (u64 i = blockIdx.x * (u64)THREADS + threadIdx.x; i < p.status_words; i += (u64)gridDim.x * THREADS) p.status[i] = 0;
    __syncthreads();
    const u64 begin = min(p.n, blockIdx.x * p.part), end = min(p.n, begin + p.part);
    const bool unsorted = count_keys((const Bits*)p.keys, begin, end, counters);
    if (__any_sync(~0u, unsorted) && lane_index() == 0) atomicOr(&header.unsorted, 1u);
    __syncthreads();
    for (u32 i = threadIdx.x; i < COUNTERS; i += THREADS) {
        u32 sum = 0;
#pragma unroll
        for (u32 c = 0; c < SORT_COLUMNS; c++) sum += counters[i * SORT_COLUMNS + (c + i) % SORT_COLUMNS];
        if (sum > 0) atomicAdd((u64*)header.counts + i, (u64)sum);
    }
    // The counts of all blocks are there when the last one has come: each fences what it has added.
    __shared__ bool last;
    __shared__ bool varies[DIGITS_A_KEY];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&header.done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    const bool sorted = *(volatile u32*)&header.unsorted == 0;
    for (u32 digit = warp_index(); digit < DIGITS_A_KEY; digit += WARPS) {
        u64 lower = 0;
        bool all_alike = false;
        for (u32 d = 0; d < DIGITS; d += WARP) {
            u64* const place = &header.counts[digit][d + lane_index()];
            const u64 count = *(volatile u64*)place;
            u64 sum = count;
#pragma unroll
            for (u32 distance = 1; distance < WARP; distance *= 2) {
                const u64 other = shuffle_up(sum, distance);
                if (lane_index() >= distance) sum += other;
            }
            all_alike |= __any_sync(~0u, count == p.n);
            *place = lower + sum - count;
            lower += shuffle(sum, WARP - 1);
        }
        if (lane_index() == 0) varies[digit] = !all_alike && !sorted;
    }
    __syncthreads();
    if (threadIdx.x == 0) plan_steps(header, varies, p.in_place != 0);
}
