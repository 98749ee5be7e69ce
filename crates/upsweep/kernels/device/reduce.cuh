// Reduction of an array of any length to one value, in one launch.
//
//   block b reduces part b of the array and publishes its value
//   the block of the last part combines the values in their order, then the initial value before them
//
// In a part: of an operator that commutes, each thread goes along the part in steps of the block and combines what it
// finds, then the threads' values are combined; of any other, the warps have neighbouring stretches of the part, and go
// along them row by row. The parts depend on the number of elements and their type alone, so floats give the same bits
// in every run. Nothing is padded: the operator needs no identity.
//
// Progress. The last block waits for blocks of lower numbers, which GPUs start before it and which wait for nobody.
//
// Memory ordering: status.cuh, workspace.cuh.

#include "warp/shuffle.cuh"
#include "memory/workspace.cuh"

struct Params {
    const In* input;
    Out* output;
    u64 n;
    u64 part;  // elements a part; a multiple of a block's step
    const T* init_from;  // null, or where the initial value lies
    Workspace workspace;
    T init;
    T first;  // the result of nothing
};
static_assert(sizeof(Params) == HOST_PARAMS_BYTES, "the host has the same struct");

// Sums of numbers, extremes and bits: `a . b` and `b . a` are the same bits.
constexpr bool COMMUTES = FORM != Form::OTHER;
constexpr u32 WARP = 32;
constexpr u32 WARPS = THREADS / WARP;
constexpr u32 ROW = WARP * VECTOR;
__device__ __forceinline__ u32 lane_index() { return threadIdx.x % WARP; }
__device__ __forceinline__ u32 warp_index() { return threadIdx.x / WARP; }

#include "warp/scan.cuh"
#include "memory/status.cuh"

using TileStatus = Status<T>;

struct alignas(VECTOR * sizeof(In) % 16 == 0 ? 16 : alignof(In)) Vector {
    In x[VECTOR];
};

// The vector at element i, of which `count` elements exist.
__device__ __forceinline__ Vector load_vector(const In* input, u64 i, u32 count, bool aligned) {
    const In* const from = input + i;
    if (aligned && count == VECTOR) return *(const Vector*)from;
    Vector vector;
#pragma unroll
    for (u32 j = 0; j < VECTOR; j++) {
        if (j < count) vector.x[j] = from[j];
    }
    return vector;
}

// The combination of a vector's elements; `count` of them, at least one, exist.
__device__ __forceinline__ T reduce_vector(const Vector& vector, u64 i, u32 count) {
    if constexpr (FORM == Form::SUM && PLAIN && arith::integer<T> && VECTOR * sizeof(T) == 16 && sizeof(T) == 1) {
        if (count == VECTOR) {
            u32 words[4], sum = 0;  // the sum of four bytes is one instruction
            memcpy(words, &vector, 16);
#pragma unroll
            for (u32 k = 0; k < 4; k++) sum = __dp4a(words[k], 0x01010101u, sum);
            return (T)sum;
        }
    }
    T sum = map(vector.x[0], i);
#pragma unroll
    for (u32 j = 1; j < VECTOR; j++) {
        if (j < count) sum = combine(sum, map(vector.x[j], i + j));
    }
    return sum;
}

// How many of the VECTOR elements from place `at` on exist, of `count`.
__device__ __forceinline__ u32 existing(u64 at, u64 count) {
    return at >= count ? 0 : count - at < VECTOR ? (u32)(count - at) : VECTOR;
}

// The combination of the `count` elements from i on that this thread meets in steps of the block. Threads that meet none
// get nothing; they come after all others.
__device__ __forceinline__ T reduce_steps(const Params& p, u64 i, u64 count, bool aligned) {
    constexpr u32 STEP = THREADS * VECTOR;
    u64 at = threadIdx.x * VECTOR;
    T sums[DEPTH];  // of every DEPTH-th vector, so that they need not wait for each other
    const u64 rounds = count / (DEPTH * STEP);
    for (u64 round = 0; round < rounds; round++) {
        Vector vectors[DEPTH];
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) vectors[d] = load_vector(p.input, i + at + d * STEP, VECTOR, aligned);
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            const T sum = reduce_vector(vectors[d], i + at + d * STEP, VECTOR);
            sums[d] = round == 0 ? sum : combine(sums[d], sum);
        }
        at += DEPTH * STEP;
    }
    T total;
    bool any = rounds > 0;
    if (any) {
        total = sums[0];
#pragma unroll
        for (u32 d = 1; d < DEPTH; d++) total = combine(total, sums[d]);
    }
    Vector vectors[DEPTH];
#pragma unroll
    for (u32 d = 0; d < DEPTH; d++) {
        const u32 exist = existing(at + d * STEP, count);
        if (exist > 0) vectors[d] = load_vector(p.input, i + at + d * STEP, exist, aligned);
    }
#pragma unroll
    for (u32 d = 0; d < DEPTH; d++) {
        const u32 exist = existing(at + d * STEP, count);
        if (exist > 0) {
            const T sum = reduce_vector(vectors[d], i + at + d * STEP, exist);
            total = any ? combine(total, sum) : sum;
            any = true;
        }
    }
    return total;
}

// The combination of the `count` elements from i on, in lane 0; at least one. All lanes of one warp.
__device__ __forceinline__ T reduce_stretch(const Params& p, u64 i, u64 count, bool aligned) {
    const u32 lane = lane_index();
    T total;
    bool any = false;
    for (u64 done = 0; done < count; done += DEPTH * ROW) {
        // Whole rows, DEPTH at a time so that their loads overlap; only the last has less.
        Vector vectors[DEPTH];
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            const u64 at = done + d * ROW + lane * VECTOR;
            const u32 exist = existing(at, count);
            if (exist > 0) vectors[d] = load_vector(p.input, i + at, exist, aligned);
        }
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            const u64 row = done + d * ROW, at = row + lane * VECTOR;
            if (row >= count) break;
            const u32 exist = existing(at, count);
            T sum;
            if (exist > 0) sum = reduce_vector(vectors[d], i + at, exist);
            const u64 left = (count - row + VECTOR - 1) / VECTOR;
            sum = warp_reduce(sum, left < WARP ? (u32)left : WARP);
            total = any ? combine(total, sum) : sum;
            any = true;
        }
    }
    return total;
}

// Thread 0 gets the combination of the warps' values; the first `warps` have one, in lane 0.
__device__ __forceinline__ T combine_block(const T& value, u32 warps) {
    __shared__ T totals[WARPS];
    __syncthreads();
    if (lane_index() == 0 && warp_index() < warps) totals[warp_index()] = value;
    __syncthreads();
    T total = totals[0];
    for (u32 w = 1; w < warps; w++) total = combine(total, totals[w]);
    return total;
}

// How many lanes of this warp are among the first `threads` threads.
__device__ __forceinline__ u32 lanes_of(u32 threads) {
    const u32 begin = warp_index() * WARP;
    return begin < threads ? min(threads - begin, WARP) : 0;
}

__device__ __forceinline__ void store_result(const Params& p, const T& init, const T& total) {
    p.output[0] = canonical(finish(HAS_INIT ? combine(init, total) : total));
}

extern "C" __global__ void __launch_bounds__(THREADS, sizeof(T) <= 8 ? 4 : 1) upsweep_reduce(const __grid_constant__ Params p) {
    const T init = HAS_INIT && p.init_from ? *p.init_from : p.init;
    if (p.n == 0) {
        if (threadIdx.x == 0) p.output[0] = canonical(finish(HAS_INIT ? init : p.first));
        return;
    }
    const u64 begin = blockIdx.x * p.part, count = p.n - begin < p.part ? p.n - begin : p.part;
    const bool aligned = VECTOR * sizeof(In) % 16 == 0 && (u64)p.input % 16 == 0;
    // Read by every thread before its block is counted as begun, which the barriers below see to.
    const u32 epoch = gridDim.x == 1 ? 0 : current_epoch(p.workspace);
    T total;
    u32 warps;  // that have a value
    if constexpr (COMMUTES) {
        const u64 vectors = (count + VECTOR - 1) / VECTOR;
        const u32 threads = vectors < THREADS ? (u32)vectors : THREADS;
        total = reduce_steps(p, begin, count, aligned);
        total = warp_reduce(total, lanes_of(threads));
        warps = (threads + WARP - 1) / WARP;
    } else {
        // Each warp's stretch is a whole number of rows, the last one's what is left.
        const u64 rows = (count + ROW - 1) / ROW, stretch = (rows + WARPS - 1) / WARPS * ROW;
        const u64 from = warp_index() * stretch;
        if (from < count) total = reduce_stretch(p, begin + from, count - from < stretch ? count - from : stretch, aligned);
        warps = (u32)((count + stretch - 1) / stretch);
    }
    total = combine_block(total, warps);
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) store_result(p, init, total);
        return;
    }
    const u32 parts = gridDim.x, last = parts - 1;
    if (threadIdx.x == 0) {
        if (blockIdx.x != last) TileStatus::put(p.workspace, blockIdx.x, total, epoch);
        begin_launch(p.workspace, epoch);
    }
    if (blockIdx.x == last) {
        // Each thread combines some neighbouring parts before this one.
        const u32 share = (last + THREADS - 1) / THREADS, first = threadIdx.x * share;
        const u32 threads = (last + share - 1) / share;  // that have a part
        T sum;
        for (u32 i = first; i < first + share && i < last; i++) {
            const T value = TileStatus::wait(p.workspace, i, epoch);
            sum = i == first ? value : combine(sum, value);
        }
        sum = warp_reduce(sum, lanes_of(threads));
        sum = combine_block(sum, (threads + WARP - 1) / WARP);
        if (threadIdx.x == 0) store_result(p, init, combine(sum, total));
    }
    finish_launch(p.workspace, epoch);
}
