// Where sorted runs of an array are cut, so that what lies before the cuts is the first `rank` keys of the whole array
// in sorted order, equal keys in the order of the runs. A block finds the cuts of one rank, a multiple of `bucket`:
//
//   number = 0, low[q] = 0, high[q] = length of run q
//   for bit from the highest one down:                        low[q]: keys of run q below `number`
//       middle[q] = keys of run q below number + 2^bit        high[q]: keys of run q below number + 2^(bit + 1)
//       if the sum of middle <= rank:  number += 2^bit, low = middle,  else high = middle
//   so `number` is the key of this rank; of its equals, high[q] - low[q] a run, the first ones go to before the cuts
//
// A thread searches run after run, each by bisection between its bounds, which come closer from bit to bit.

#include "sort/radix.cuh"

// Returns the number of keys of a run that are below `number`: it is at least `low` and at most `high`.
__device__ __forceinline__ u64 keys_below(const KeyBits* run, u64 low, u64 high, KeyBits number) {
    while (low < high) {
        const u64 middle = low + (high - low) / 2;
        if (with_one_zero(in_order(run[middle])) < number) low = middle + 1;
        else high = middle;
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_cuts(const __grid_constant__ SortCutsParams p) {
    __shared__ u64 sum;
    const KeyBits* const keys = (const KeyBits*)p.keys;
    const u64 runs = (p.n + p.run - 1) / p.run, rank = (blockIdx.x + 1) * p.run;
    u64* const low = p.cuts + blockIdx.x * runs;
    u64* const high = low + gridDim.x * runs;
    u64* const middle = high + gridDim.x * runs;
    for (u64 q = threadIdx.x; q < runs; q += THREADS) {
        low[q] = 0;
        high[q] = min(p.run, p.n - q * p.run);
    }
    KeyBits number = 0;
    for (u32 bit = KEY_WIDTH; bit-- > 0;) {
        const KeyBits next = (KeyBits)(number | (KeyBits)((KeyBits)1 << bit));
        if (threadIdx.x == 0) sum = 0;
        __syncthreads();
        u64 own = 0;
        for (u64 q = threadIdx.x; q < runs; q += THREADS) {
            middle[q] = keys_below(keys + q * p.run, low[q], high[q], next);
            own += middle[q];
        }
        if (own > 0) atomicAdd(&sum, own);
        __syncthreads();
        const bool before = sum <= rank;
        __syncthreads();
        if (before) number = next;
        for (u64 q = threadIdx.x; q < runs; q += THREADS) (before ? low : high)[q] = middle[q];
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    u64 rest = rank;
    for (u64 q = 0; q < runs; q++) rest -= low[q];
    for (u64 q = 0; q < runs && rest > 0; q++) {
        const u64 equal = min(rest, high[q] - low[q]);
        low[q] += equal;
        rest -= equal;
    }
}
