// Reduction of an array of any length to one value, in one launch.
//
//   block b reduces part b of the array: warps have neighbouring stretches of it, and go along them row by row
//   the last block to finish combines the parts' values in their order, then the initial value before them
//
// The parts depend on the number of elements and their type alone, so floats give the same bits in every run. Nothing is
// reordered and nothing is padded: the operator needs neither to commute nor an identity.
//
// Memory ordering. A block stores its value, then (after a fence) counts itself done; the block whose count is the last
// reads the values after a fence, so it sees them all. It makes the workspace ready for the next launch, which begins
// after this one.

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

constexpr u32 WARP = 32;
constexpr u32 WARPS = THREADS / WARP;
constexpr u32 ROW = WARP * VECTOR;
__device__ __forceinline__ u32 lane_index() { return threadIdx.x % WARP; }
__device__ __forceinline__ u32 warp_index() { return threadIdx.x / WARP; }

#include "warp/scan.cuh"
#include "memory/status.cuh"

struct alignas(VECTOR * sizeof(In) % 16 == 0 ? 16 : alignof(In)) Vector {
    In x[VECTOR];
};

// The combination of the `count` elements from i on, in lane 0; at least one.
__device__ __forceinline__ T reduce_stretch(const Params& p, u64 i, u64 count, bool aligned) {
    const u32 lane = lane_index();
    T total;
    bool any = false;
    // Whole rows, DEPTH at a time so that their loads overlap.
    while (count >= DEPTH * ROW) {
        Vector vectors[DEPTH];
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            const In* const from = p.input + i + d * ROW + lane * VECTOR;
            if (aligned) {
                vectors[d] = *(const Vector*)from;
            } else {
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) vectors[d].x[j] = from[j];
            }
        }
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            const u64 first = i + d * ROW + lane * VECTOR;
            T sum = map(vectors[d].x[0], first);
#pragma unroll
            for (u32 j = 1; j < VECTOR; j++) sum = combine(sum, map(vectors[d].x[j], first + j));
            sum = warp_reduce(sum, WARP);
            total = any ? combine(total, sum) : sum;
            any = true;
        }
        i += DEPTH * ROW;
        count -= DEPTH * ROW;
    }
    // The rest, an element a lane.
    for (u64 done = 0; done < count; done += WARP) {
        const u32 lanes = count - done < WARP ? (u32)(count - done) : WARP;
        T x;
        if (lane < lanes) x = map(p.input[i + done + lane], i + done + lane);
        x = warp_reduce(x, lanes);
        total = any ? combine(total, x) : x;
        any = true;
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

__device__ __forceinline__ void store_result(const Params& p, const T& init, const T& total) {
    p.output[0] = canonical(finish(HAS_INIT ? combine(init, total) : total));
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_reduce(const __grid_constant__ Params p) {
    const T init = HAS_INIT && p.init_from ? *p.init_from : p.init;
    if (p.n == 0) {
        if (threadIdx.x == 0) p.output[0] = canonical(finish(HAS_INIT ? init : p.first));
        return;
    }
    // Each warp's stretch is a whole number of rows, the last one's what is left.
    const u64 begin = blockIdx.x * p.part, count = p.n - begin < p.part ? p.n - begin : p.part;
    const u64 rows = (count + ROW - 1) / ROW, stretch = (rows + WARPS - 1) / WARPS * ROW;
    const u64 from = warp_index() * stretch;
    const bool aligned = VECTOR * sizeof(In) % 16 == 0 && (u64)p.input % 16 == 0;
    // Read before the block counts itself done, which the barriers below see to: the last block advances it.
    const u32 epoch = gridDim.x == 1 ? 0 : current_epoch(p.workspace);
    T total;
    if (from < count) total = reduce_stretch(p, begin + from, count - from < stretch ? count - from : stretch, aligned);
    total = combine_block(total, (u32)((count + stretch - 1) / stretch));
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) store_result(p, init, total);
        return;
    }

    // The last block combines the parts.
    __shared__ bool last;
    if (threadIdx.x == 0) {
        Status<T>::put(p.workspace, blockIdx.x, total, epoch);
        __threadfence();
        last = take_ticket(p.workspace) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        const u32 share = (gridDim.x + THREADS - 1) / THREADS, first = threadIdx.x * share;
        const u32 threads = (gridDim.x + share - 1) / share;  // that have a part
        T sum;
        for (u32 i = first; i < first + share && i < gridDim.x; i++) {
            const T value = Status<T>::load(p.workspace, i).value();
            sum = i == first ? value : combine(sum, value);
        }
        const u32 begins = warp_index() * WARP;
        sum = warp_reduce(sum, threads > begins ? (threads - begins < WARP ? threads - begins : WARP) : 0);
        sum = combine_block(sum, (threads + WARP - 1) / WARP);
        if (threadIdx.x == 0) {
            store_result(p, init, sum);
            prepare_next_launch(p.workspace, epoch);
        }
    }
    finish_launch(p.workspace, epoch);
}
