// The first kernel of an LSD radix sort: counts every digit of all keys in one reading, and plans the other kernels.
//
//   counter[p][d][c] = 0                        in shared memory, SORT_COLUMNS of a digit: a lane adds in column lane % SORT_COLUMNS
//   for the block's keys x:    for all p:    counter[p][digit p of x][column] += 1
//   counts[p][d] += sum of counter[p][d][..]
//   the last block:
//       places[p][d] = counts[p][0] + .. + counts[p][d - 1]
//       a digit that is equal in all keys has no pass; keys in order have none at all
//       passes go from the input to the result and scratch in turns (double buffer), so that the last one ends in the
//       result; an in-place sort has an even number of them, one of which may be a copy
//
// With as many columns as lanes a warp's counters lie in distinct banks, whatever the keys are.

#include "memory/instructions.cuh"
#include "sort/passes.cuh"
#include "sort/visit.cuh"

constexpr u32 SORT_COLUMNS = 1 << COLUMN_BITS;
extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Adds 1 to the counter of each digit of each of the keys from `begin` to `end` of the array `keys`. Returns the
// comparisons of neighbouring keys.
__device__ __forceinline__ Seen count_keys(const KeyBits* keys, u64 begin, u64 end) {
    // Loaded from shared memory, so that compilers cannot fold it: two instructions a digit, instead of five.
    __shared__ u32 columns[WARP];
    if (threadIdx.x < WARP) columns[threadIdx.x] = threadIdx.x % SORT_COLUMNS * sizeof(u32);
    __syncthreads();
    const u32 column = *(volatile u32*)(columns + lane_index());
    return visit_keys(keys, begin, end, [&]<u32 NUMBER>(const KeyBits (&key)[NUMBER]) {
#pragma unroll
        for (u32 k = 0; k < NUMBER * DIGITS_A_KEY; k++) {
            const u32 p = k % DIGITS_A_KEY;
            constexpr u32 BITS = COLUMN_BITS + 2;
            const u32 at = p * DIGIT_BITS;
            const u32 shifted = at < BITS ? (u32)key[k / DIGITS_A_KEY] << (BITS - at) : (u32)(key[k / DIGITS_A_KEY] >> (at - BITS));
            atomicAdd((u32*)(dynamic_shared + p * (DIGITS << BITS) + ((shifted & (DIGITS - 1) << BITS) | column)), 1u);
        }
    });
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_count(const __grid_constant__ SortCountParams p) {
    u32* const counters = (u32*)dynamic_shared;
    constexpr u32 COUNTERS = DIGITS_A_KEY * DIGITS;
    SortHeader& header = *(SortHeader*)p.header;
    wait_for_kernel_before();
    if (header.road != Road::PASSES) return;
    for (u32 i = threadIdx.x; i < COUNTERS * SORT_COLUMNS; i += THREADS) counters[i] = 0;
    // Makes the look-back words of all tiles EMPTY.
    clear_status((StatusWord*)p.status, p.status_words, p.status_words);
    __syncthreads();
    const u64 begin = min(p.n, blockIdx.x * p.part), end = min(p.n, begin + p.part);
    count_keys((const KeyBits*)p.keys, begin, end).report(header);
    __syncthreads();
    for (u32 i = threadIdx.x; i < COUNTERS; i += THREADS) {
        u32 sum = 0;
#pragma unroll
        for (u32 c = 0; c < SORT_COLUMNS; c++) sum += counters[i * SORT_COLUMNS + (c + i) % SORT_COLUMNS];
        if (sum > 0) atomicAdd((u64*)header.counts + i, (u64)sum);
    }
    // All counts are visible once the last block has come: each block fences its additions.
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&header.done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    plan_passes(header, p.n, p.in_place != 0, *(volatile u32*)&header.order, p.cursors);
}
