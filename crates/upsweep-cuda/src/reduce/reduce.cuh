// Reduction of an array of any length to one value, in one launch.
//
//   block b reduces part b of the array and publishes its value
//   the block of the last part combines the values in order, after the initial value
//
// In a part of a commutative operator, each thread combines elements at the stride of the block, then the threads'
// values are combined. For any other operator the warps have neighbouring stretches of the part, and traverse them some
// rows at a time. The parts depend on the number of elements and their type alone. There is no padding: the operator
// needs no identity. Float sums and products have one tree on every device: lanes.cuh.
//
// If every grouping gives the same bits, vectors are aligned in memory: the elements of a misaligned array before its
// first whole vector are combined one by one.
//
// If the reduction CONTINUES another, the total goes on from the one before, and is left for the next.
//
// Progress. The last block waits for blocks of lower numbers, which GPUs start before it and which do not wait.
//
// Memory ordering: status.cuh, workspace.cuh. One thread of a block reads the epoch; the others get it after a barrier.

#pragma once

#include "reduce/lanes.cuh"
#include "warp/stretch.cuh"

// Number of blocks that are resident on a multiprocessor at once, as far as registers allow: the parts are a whole
// number of waves (the blocks that are resident together).
constexpr u32 RESIDENT = CHUNK_LANES > 0 ? 2 : sizeof(T) > 16 ? 1 : COMMUTES && sizeof(T) <= 8 ? 4 : 2;

// Whether every grouping of the elements gives the same bits, and no element straddles two vectors of memory.
constexpr bool REGROUPED = PLAIN_INPUT && COMMUTES && (FORM != Form::SUM || !arith::floating<T>) && ALIGNABLE && VECTOR > 1 &&
                           alignof(In) == sizeof(In);
// Adds to `sum` this thread's vectors of the block's next AT_ONCE steps (THREADS vectors each). `at` is the index of
// the first element of the thread's first vector. `left` is the number of the block's vectors from that one on. WHOLE:
// all AT_ONCE vectors exist.
template <Loads LOADS, u32 AT_ONCE, bool WHOLE, class M>
__device__ __forceinline__ void accumulate_steps(const Params& p, u64 at, u32 left, M& sum) {
    Vector vectors[AT_ONCE];
#pragma unroll
    for (u32 d = 0; d < AT_ONCE; d++) {
        if (WHOLE || d * THREADS < left) vectors[d] = load_vector<LOADS>(p.input, at + d * THREADS * VECTOR);
    }
#pragma unroll
    for (u32 d = 0; d < AT_ONCE; d++) {
        if (WHOLE || d * THREADS < left) {
            const u64 index = at + d * THREADS * VECTOR;
            sum.add(vectors[d], position_of(p, index), index);
        }
    }
}

// Adds to `sum` this thread's share of the `count` vectors from element i on: each THREADS-th vector.
template <Loads LOADS, class M>
__device__ __forceinline__ void accumulate_vectors(const Params& p, u64 i, u32 count, M& sum) {
    constexpr u32 AT_ONCE = LOADS == Loads::BY_ELEMENT ? 1 : DEPTH;
    u64 at = i + threadIdx.x * VECTOR;
    u32 left = count > threadIdx.x ? count - threadIdx.x : 0;  // number of vectors from this thread's next one on
#pragma unroll 1
    for (; left > (AT_ONCE - 1) * THREADS; left -= min(left, AT_ONCE * THREADS)) {
        accumulate_steps<LOADS, AT_ONCE, true>(p, at, left, sum);
        at += AT_ONCE * THREADS * VECTOR;
    }
    accumulate_steps<LOADS, AT_ONCE, false>(p, at, left, sum);
}

// Returns the combination of this thread's share of the block's part of the array, for a commutative operator.
// `threads` becomes the number of threads with a share, the first ones.
__device__ __forceinline__ T reduce_steps(const Params& p, u32& threads) {
    // Elements are counted from a multiple of 16 bytes on, `lead` before the array, so that each whole vector is
    // aligned in memory.
    const u64 misaligned = misalignment(p.input);
    const u64 lead = REGROUPED ? misaligned / sizeof(In) : 0, end = lead + p.n;
    const bool last_part = blockIdx.x == p.parts - 1;
    // Number of vectors of a part, and of the whole vectors that end in the array.
    const u64 parts_vectors = p.part / VECTOR, whole = end / VECTOR;
    const u64 first = blockIdx.x == 0 && lead > 0 ? 1 : blockIdx.x * parts_vectors;
    const u64 last = last_part ? whole : (blockIdx.x + 1) * parts_vectors;
    const u32 vectors = last > first ? (u32)(last - first) : 0;  // no memory holds an array for which it would overflow
    const u64 i = first * VECTOR - lead;
    Accumulating sum;
    if (!REGROUPED && misaligned != 0) accumulate_vectors<Loads::BY_ELEMENT>(p, i, vectors, sum);
    else if (p.streamed) accumulate_vectors<Loads::STREAMED>(p, i, vectors, sum);
    else accumulate_vectors<Loads::ALIGNED>(p, i, vectors, sum);
    threads = min(vectors, THREADS);
    if (VECTOR > 1 && last_part) {
        // The elements of the array before its first whole vector and after its last one.
        const u64 head = lead == 0 ? 0 : p.n < VECTOR - lead ? p.n : VECTOR - lead;
        const u64 tail = end - whole * VECTOR, rest = head + (whole == 0 && lead > 0 ? 0 : tail);
        if (threadIdx.x < rest) {
            const u64 i = threadIdx.x < head ? threadIdx.x : p.n - rest + threadIdx.x;
            const In x = load_element(p.input, i);
            if (!indices_right(x, i)) report_indices(x, i);
            sum.add(map(x, position_of(p, i), i));
        }
        if (threads < rest) threads = (u32)rest;
    }
    return sum.value();
}

// Reduction of a part where the order of the operations does not show, or is that of this kernel.
struct InParts {
    // Returns in thread 0 the combination of the block's part of the array. `shared_epoch` becomes thread 0's `epoch`,
    // before a barrier.
    static __device__ __forceinline__ T reduce_part(const Params& p, u32 epoch, u32& shared_epoch) {
        T total;
        u32 warps;  // number of warps with a value
        if constexpr (COMMUTES) {
            u32 threads;
            total = reduce_steps(p, threads);
            total = warp_reduce(total, lanes_of(threads));
            warps = (threads + WARP - 1) / WARP;
        } else {
            const u64 begin = blockIdx.x * p.part, count = p.n - begin < p.part ? p.n - begin : p.part;
            // Each warp has a stretch of neighbouring rows of the part, all equally many, but for the last warp, which has
            // the rest.
            const u64 rows = (count + ROW - 1) / ROW, stretch = (rows + WARPS - 1) / WARPS * ROW;
            const u64 from = warp_index() * stretch;
            if (from < count) total = reduce_stretch(p.input, begin + from, position_of(p, begin + from), count - from < stretch ? count - from : stretch);
            warps = (u32)((count + stretch - 1) / stretch);
        }
        if (threadIdx.x == 0) shared_epoch = epoch;
        return combine_block(total, warps);
    }

    // Returns in thread 0 the combination of all parts: `own` is that of the last part, in thread 0.
    static __device__ __forceinline__ T combine_parts(const Params& p, const T& own, u32 epoch) {
        // Each thread combines some neighbouring parts before this one.
        const u32 last = p.parts - 1, share = (last + THREADS - 1) / THREADS, first = threadIdx.x * share;
        const u32 threads = (last + share - 1) / share;  // number of threads that have a part
        T sum;
        for (u32 i = first; i < first + share && i < last; i++) {
            const T value = Entry::wait(p.workspace, i, epoch);
            sum = i == first ? value : combine(sum, value);
        }
        sum = warp_reduce(sum, lanes_of(threads));
        sum = combine_block(sum, (threads + WARP - 1) / WARP);
        return threadIdx.x == 0 ? combine(sum, own) : sum;
    }
};

template <bool> struct TotalsOf { using type = InParts; };
template <> struct TotalsOf<true> { using type = Chunks<T>; };
using Totals = TotalsOf<(CHUNK_LANES > 0)>::type;

__device__ __forceinline__ void store_total(const Params& p, const T& init, T total) {
    if constexpr (CONTINUES) {
        if (p.before) total = p.n > 0 ? combine(ValueOfAcc::of(*p.before), total) : ValueOfAcc::of(*p.before);
        *p.after = canonical(ValueOfAcc::back(total));
        if (!p.total) return;
    }
    store_result(output_of(p), result(HAS_INIT ? combine(init, total) : total));
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) upsweep_reduce(const __grid_constant__ ReduceParams given) {
    const Params p(given);
    if (blockIdx.x >= p.parts) return;
    const Begin begin(p);
    if (p.n == 0) {
        if (threadIdx.x == 0) {
            if (CONTINUES && p.before) store_total(p, begin.init, begin.first);
            else store_result(output_of(p), result(begin.first));
        }
        return;
    }
    __shared__ u32 shared_epoch;
    u32 epoch = 0;  // loaded by one thread, whose status word shows that it has it
    if (p.parts > 1 && threadIdx.x == 0) epoch = current_epoch(p.workspace);
    const T total = Totals::reduce_part(p, epoch, shared_epoch);
    if (p.parts == 1) {
        if (threadIdx.x == 0) store_total(p, begin.init, total);
        return;
    }
    epoch = shared_epoch;
    if (blockIdx.x != p.parts - 1) {
        if (threadIdx.x == 0) Entry::put(p.workspace, blockIdx.x, total, epoch);
    } else {
        const T all = Totals::combine_parts(p, total, epoch);
        if (threadIdx.x == 0) {
            store_total(p, begin.init, all);
            prepare_next_launch(p.workspace, epoch);  // the block has seen all other words
        }
    }
    finish_launch(p.workspace, epoch, p.parts);
}
