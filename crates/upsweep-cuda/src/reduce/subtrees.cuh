// Total of a part of an array, of float sums and products, after the parts before it, by one block.
//
//   each thread       chain of its lane of the open chunk: v; of the elements before the subtrees
//   if the chunk ends
//       all threads   fold of the lanes
//       one thread    add(fold, 0)
//   one thread        add(total, k) for each subtree of 2^k chunks, in order
//   each thread       chain of its lane of the next open chunk, of the elements after the subtrees
//   one thread        total of all: the fold of the lanes, then the totals t[k], from the lowest
//
// add counts as a binary counter does: while chunk number c has bit k, total = t[k] . total; then t[k] = total. The
// state before and after is v and t: upsweep-core/src/call/carry.rs. reduce.cuh has left the subtrees' totals.
//
// Memory ordering. Inside a block only: lanes are written before a barrier and read after it. The subtrees' totals and
// the state before are those of kernels that have ended.

#pragma once

#include "memory/vectors.cuh"
#include "word/value.cuh"

constexpr u32 PART_ROWS = 8, PART_CHUNK = PART_ROWS * PART_LANES;

// Totals of 2^k chunks that wait for their right neighbours. Used by one thread.
struct Subtrees {
    T totals[PART_SUBTREES];

    __device__ __forceinline__ void add(u64 chunk, u32 level, T total) {
        for (; chunk >> level & 1; level++) total = combine(totals[level], total);
        totals[level] = total;
    }
};

__device__ __forceinline__ T neutral_value() { return PRODUCT ? (T)1 : (T)-0.0; }

// Adds the elements from index `begin` up to `end` to the chain `v` of this thread's lane. They are in one chunk.
__device__ __forceinline__ void add_elements(const PartParams& p, u64 begin, u64 end, T& v) {
    const u32 from = (u32)((p.position + begin) % PART_LANES), lane = threadIdx.x;
    if (lane >= PART_LANES) return;
    for (u64 i = begin + (lane + PART_LANES - from) % PART_LANES; i < end; i += PART_LANES) {
        const In x = load_element(p.input, i);
        if (!indices_right(x, i)) report_indices(x, i);
        const T e = map(x, p.position + i, i);
        v = (p.position + i) % PART_CHUNK < PART_LANES ? e : combine(v, e);
    }
}

// Returns in thread 0 the fold of the lanes, of which each thread has one. Called by all threads.
__device__ __forceinline__ T fold_lanes(const T& v) {
    __shared__ T lanes[PART_LANES];
    __syncthreads();
    if (threadIdx.x < PART_LANES) lanes[threadIdx.x] = v;
    for (u32 half = PART_LANES / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) lanes[threadIdx.x] = combine(lanes[threadIdx.x], lanes[threadIdx.x + half]);
    }
    __syncthreads();  // the compiler lets all threads read what thread 0 returns
    return threadIdx.x == 0 ? lanes[0] : v;
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_reduce_part(const __grid_constant__ PartParams p) {
    __shared__ Subtrees subtrees;
    const Begin begin(p);
    const u32 lane = threadIdx.x;
    const u64 missing = p.position % PART_CHUNK == 0 ? 0 : PART_CHUNK - p.position % PART_CHUNK;
    const u64 head = missing < p.n ? missing : p.n, whole = (p.position + head) / PART_CHUNK;
    T v = neutral_value();
    if (lane < PART_LANES && lane < p.position % PART_CHUNK) v = ValueOfAcc::of(p.before[lane]);
    if (lane < PART_SUBTREES && p.position / PART_CHUNK >> lane & 1) subtrees.totals[lane] = ValueOfAcc::of(p.before[PART_LANES + lane]);
    add_elements(p, 0, head, v);
    if (head > 0 && head == missing) {
        const T total = fold_lanes(v);  // its first barrier is after the loads of the state
        if (lane == 0) subtrees.add(whole - 1, 0, total);
        v = neutral_value();
    }
    __syncthreads();
    if (lane == 0) {
        u64 next = whole;
        const u64 end = whole + p.chunks;
        for (const Acc* total = p.totals; next < end; total++) {
            u32 level = 0;
            while (!(next >> level & 1) && next + (2ull << level) <= end && level < PART_SUBTREES) level++;
            subtrees.add(next, level, ValueOfAcc::of(*total));
            next += 1ull << level;
        }
    }
    add_elements(p, head + p.chunks * PART_CHUNK, p.n, v);
    const u64 after = p.position + p.n;
    if (lane < PART_LANES) p.after[lane] = canonical(ValueOfAcc::back(v));
    T total = fold_lanes(v);
    // Its barriers are after the last store to the subtrees.
    if (lane < PART_SUBTREES && after / PART_CHUNK >> lane & 1) p.after[PART_LANES + lane] = canonical(ValueOfAcc::back(subtrees.totals[lane]));
    if (lane > 0) return;
    bool any = after % PART_CHUNK > 0;
    for (u32 level = 0; level < PART_SUBTREES; level++) {
        if (!(after / PART_CHUNK >> level & 1)) continue;
        total = any ? combine(subtrees.totals[level], total) : subtrees.totals[level];
        any = true;
    }
    store_result(output_of(p), result(!any ? begin.first : HAS_INIT ? combine(begin.init, total) : total));
}
