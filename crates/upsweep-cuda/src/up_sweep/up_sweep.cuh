// Up-sweep: r[j - 1] = x[j - b] + .. + x[j - 1], with any operator for +, where b is the lowest set bit of j.
//
//   for d = 1, 2, 4, .. below n:                          in parallel for i = 2d - 1, 4d - 1, .. below n:  x[i] = x[i - d] + x[i]
//
// (Blelloch, "Prefix Sums and Their Applications", 1990: the first half of his scan. The result is a Fenwick tree.)
//
// A block does the steps of the distances d below TILE, its number of elements: a thread those among its LEAVES
// neighbouring elements, a warp by shuffles, the block by shared memory. Further launches sweep the last elements of
// tiles (the elements of a block): their element i is at (i + 1) * stride - 1. Every operand exists if the result does,
// so nothing else is combined.
//
// Memory ordering. A thread loads and stores the same elements, so it may be in place. `sums` is written before a
// barrier and read after one. In a step no thread writes a sum that is added to another one.

#pragma once

#include "memory/access.cuh"
#include "warp/index.cuh"
#include "warp/shuffle.cuh"
#include "word/value.cuh"

// LEAVES neighbouring elements of a thread, as the words that it loads and stores at once.
struct Items {
    static constexpr u32 WIDTH = access_width(LEAVES * sizeof(In)), PARTS = LEAVES * sizeof(In) / WIDTH;
    using Part = Access<WIDTH>::type;
    Part parts[PARTS];
};

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_up_sweep(const __grid_constant__ UpSweepParams p) {
    __shared__ T sums[WARPS];
    const u32 lane = lane_index(), warp = warp_index();
    const u64 begin = ((u64)blockIdx.x * THREADS + threadIdx.x) * LEAVES, end = begin + LEAVES;
    const auto place = [&](u64 i) { return (begin + i + 1) * p.stride - 1; };
    const bool whole = p.stride == 1 && end <= p.n;

    // Loads the thread's elements, maps them, and does the steps among them.
    In elements[LEAVES];
    if (whole && (u64)p.input % Items::WIDTH == 0) {
        Items items;
#pragma unroll
        for (u32 i = 0; i < Items::PARTS; i++) items.parts[i] = ((const Items::Part*)(p.input + begin))[i];
        memcpy(elements, items.parts, sizeof(elements));
    } else {
#pragma unroll
        for (u32 i = 0; i < LEAVES; i++) {
            if (begin + i < p.n) elements[i] = p.input[place(i)];
        }
    }
    T x[LEAVES];
#pragma unroll
    for (u32 i = 0; i < LEAVES; i++) {
        if (begin + i < p.n) x[i] = map(elements[i], begin + i, begin + i);
    }
#pragma unroll
    for (u32 d = 1; d < LEAVES; d *= 2) {
#pragma unroll
        for (u32 i = 2 * d - 1; i < LEAVES; i += 2 * d) {
            if (begin + i < p.n) x[i] = combine(x[i - d], x[i]);
        }
    }

    // The steps in the warp, and then in the block, combine the last elements of the threads.
    T last = x[LEAVES - 1];
#pragma unroll
    for (u32 d = 1; d < WARP; d *= 2) {
        const T before = shuffle_up(last, d);
        if ((lane + 1) % (2 * d) == 0 && end <= p.n) last = combine(before, last);
    }
    if (lane == WARP - 1) sums[warp] = last;
    __syncthreads();
#pragma unroll
    for (u32 d = 1; d < WARPS; d *= 2) {
        const u64 of_warp = ((u64)blockIdx.x * THREADS + (threadIdx.x + 1) * WARP) * LEAVES;  // end of warp threadIdx.x
        if (threadIdx.x < WARPS && (threadIdx.x + 1) % (2 * d) == 0 && of_warp <= p.n) {
            sums[threadIdx.x] = combine(sums[threadIdx.x - d], sums[threadIdx.x]);
        }
        __syncthreads();
    }
    x[LEAVES - 1] = lane == WARP - 1 ? sums[warp] : last;

    // Stores the results of the thread's elements.
    Out results[LEAVES];
#pragma unroll
    for (u32 i = 0; i < LEAVES; i++) {
        if (begin + i < p.n) results[i] = result(x[i]);
    }
    if (whole && (u64)p.output % Items::WIDTH == 0 && sizeof(Out) == sizeof(In)) {
        Items items;
#pragma unroll
        for (u32 i = 0; i < LEAVES; i++) arith::clear_padding(&results[i]);
        memcpy(items.parts, results, sizeof(items.parts));
#pragma unroll
        for (u32 i = 0; i < Items::PARTS; i++) ((Items::Part*)(p.output + begin))[i] = items.parts[i];
    } else {
#pragma unroll
        for (u32 i = 0; i < LEAVES; i++) {
            if (begin + i < p.n) store_result(p.output + place(i), results[i]);
        }
    }
}
