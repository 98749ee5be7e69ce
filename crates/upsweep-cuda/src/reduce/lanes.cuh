// Totals of float sums and products, whose order of operations is the tree of upsweep-core/src/lanes.rs.
//
//   chunk     rows of LANES elements, a thread a vector of each: the threads of a row are a team
//   step      the chunks that a warp takes at once, a team one of them
//
//   for each of the warp's steps of the part
//       v = the chain of the thread's vectors, element by element
//       fold the lanes of the team to the chunk's total, then the chunks of the step
//   the tree of the steps' totals, then that of the parts'
//
// The lanes of a chunk are folded from the highest bit of their number on. The threads have the highest bits, and a
// thread's elements the lowest. Where a thread has several values left, two threads each take half of them from both,
// so that a fold of four values by 32 threads takes 8 shuffles and not 20.
//
// A part is a power of two of steps, so its total is a subtree, and the result does not depend on the parts. Operands
// may change places: sums and products of floats are the same bits then, but for NaN, of which all are stored alike.

#pragma once

#include "reduce/parts.cuh"
#include "warp/accumulator.cuh"

constexpr u32 CHUNK_ROWS = 8;

// Returns the number of halvings of a power of two up to 1.
constexpr u32 halvings(u32 number) { return number > 1 ? 1 + halvings(number / 2) : 0; }

// `V` is T.
template <class V>
struct Chunks {
    static constexpr u32 LANES = CHUNK_LANES > 0 ? CHUNK_LANES : VECTOR;
    static constexpr u32 TEAM = LANES / VECTOR;  // threads of a row
    static constexpr u64 CHUNK = CHUNK_ROWS * LANES, STEP = WARP / TEAM * CHUNK;
    static_assert(LANES % VECTOR == 0 && TEAM <= WARP && WARP % TEAM == 0, "the plan's lanes are those of a warp at most");
    static_assert(CHUNK_ROWS % DEPTH == 0 || CHUNK_LANES == 0, "the loads of a chunk are several whole rows");

    static __device__ __forceinline__ V neutral() { return PRODUCT ? (V)1 : (V)-0.0; }

    // Finds the chains `v` of this thread's lanes of a chunk. `at` is the index of its first vector. WHOLE: the chunk
    // has all of its elements.
    template <Loads LOADS, bool WHOLE>
    static __device__ __forceinline__ void chain(const In* input, u64 n, u64 at, V (&v)[VECTOR]) {
        constexpr u32 AT_ONCE = LOADS == Loads::BY_ELEMENT ? 1 : DEPTH;
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) v[j] = neutral();
#pragma unroll(AT_ONCE == 1 ? 1 : CHUNK_ROWS / AT_ONCE)
        for (u32 first = 0; first < CHUNK_ROWS; first += AT_ONCE) {
            Vector vectors[AT_ONCE];
#pragma unroll
            for (u32 d = 0; d < AT_ONCE; d++) {
                const u64 from = at + (first + d) * LANES;
                const u32 exist = WHOLE ? VECTOR : existing(from, n);
                if (exist == VECTOR) vectors[d] = load_vector<LOADS>(input, from);
                else if (exist > 0) vectors[d] = load_some(input, from, exist, false);
            }
#pragma unroll
            for (u32 d = 0; d < AT_ONCE; d++) {
                const u64 from = at + (first + d) * LANES;
                const u32 exist = WHOLE ? VECTOR : existing(from, n);
                if (exist > 0) {
                    const Vector::Elements elements = vectors[d].elements();
                    check_elements(elements, from, exist);
#pragma unroll
                    for (u32 j = 0; j < VECTOR; j++) {
                        if (j < exist) {
                            const V x = map(elements.x[j], from + j, from + j);
                            v[j] = first + d == 0 ? x : combine(v[j], x);
                        }
                    }
                }
            }
        }
    }

    // Returns the fold of a team's lanes, then of the warp's chunks, in every lane of the warp. Overwrites `v`.
    static __device__ __forceinline__ V fold(V (&v)[VECTOR]) {
        constexpr u32 BITS = halvings(TEAM), OF_VECTOR = halvings(VECTOR);
        // Number of bits by which threads exchange halves, and of the values that are then left to a thread.
        constexpr u32 EXCHANGED = BITS < OF_VECTOR ? BITS : OF_VECTOR, LEFT = VECTOR >> EXCHANGED;
        const u32 lane = lane_index();
#pragma unroll
        for (u32 bit = 0; bit < EXCHANGED; bit++) {
            const u32 other = lane ^ (TEAM >> (bit + 1)), half = VECTOR >> (bit + 1);
            const bool upper = lane > other;
#pragma unroll
            for (u32 j = 0; j < VECTOR / 2; j++) {
                if (j < half) {
                    const V own = upper ? v[j + half] : v[j], given = upper ? v[j] : v[j + half];
                    v[j] = combine(own, shuffle(given, other));
                }
            }
        }
#pragma unroll
        for (u32 bit = EXCHANGED; bit < BITS; bit++) v[0] = combine(v[0], shuffle(v[0], lane ^ (TEAM >> (bit + 1))));
        // The bits of a lane's element that the exchanges have made bits of the thread, then those that are left.
#pragma unroll
        for (u32 bit = 0; bit < EXCHANGED; bit++) {
#pragma unroll
            for (u32 j = 0; j < LEFT; j++) v[j] = combine(v[j], shuffle(v[j], lane ^ (TEAM >> (bit + 1))));
        }
#pragma unroll
        for (u32 bit = EXCHANGED; bit < OF_VECTOR; bit++) {
            const u32 half = VECTOR >> (bit + 1);
#pragma unroll
            for (u32 j = 0; j < LEFT / 2; j++) {
                if (j < half) v[j] = combine(v[j], v[j + half]);
            }
        }
        // The chunks of the step.
#pragma unroll
        for (u32 distance = TEAM; distance < WARP; distance *= 2) v[0] = combine(v[0], shuffle(v[0], lane ^ distance));
        return v[0];
    }

    // Leaves the totals of the warp's steps among the `count` steps from element `begin` on.
    template <Loads LOADS>
    static __device__ __forceinline__ void leave_totals(const In* input, u64 n, u64 begin, u32 count, V* totals) {
        const u32 lane = lane_index();
        u64 at = begin + warp_index() * STEP;
#pragma unroll 1
        for (u32 step = warp_index(); step < count; step += WARPS) {
            const u64 first = at + lane / TEAM * CHUNK + lane % TEAM * VECTOR;
            V v[VECTOR];
            if (at + STEP <= n) chain<LOADS, true>(input, n, first, v);
            else chain<LOADS, false>(input, n, first, v);
            const V total = fold(v);
            if (lane == 0) totals[step] = total;
            at += WARPS * STEP;
        }
    }

    // Returns in thread 0 the tree of the first `count` of `totals`, at most THREADS. Called by all threads, after a
    // barrier that follows the stores.
    static __device__ __forceinline__ V tree_of(const V* totals, u32 count) {
        V value;
        if (threadIdx.x < count) value = totals[threadIdx.x];
        value = warp_reduce(value, lanes_of(count));
        return count <= WARP ? value : combine_block(value, (count + WARP - 1) / WARP);
    }

    // Returns in thread 0 the total of the block's part of the array. `shared_epoch` becomes thread 0's `epoch`, before
    // a barrier.
    static __device__ __forceinline__ V reduce_part(const Params& p, u32 epoch, u32& shared_epoch) {
        __shared__ V totals[THREADS];
        __shared__ V rounds[64];
        const u64 begin = blockIdx.x * p.part, count = p.n - begin < p.part ? p.n - begin : p.part;
        const u64 steps = (count + STEP - 1) / STEP;
        const bool aligned = misalignment(p.input) == 0;
        V total;
        // Rounds of as many steps as there are totals. The totals of rounds are joined as a binary counter counts.
        u64 round = 0;
#pragma unroll 1
        for (u64 done = 0; done < steps; done += THREADS) {
            const u32 here = steps - done < THREADS ? (u32)(steps - done) : THREADS;
            const u64 first = begin + done * STEP;
            if (done > 0) __syncthreads();  // the totals of the round before have been read
            if (!aligned) leave_totals<Loads::BY_ELEMENT>(p.input, p.n, first, here, totals);
            else if (p.streamed) leave_totals<Loads::STREAMED>(p.input, p.n, first, here, totals);
            else leave_totals<Loads::ALIGNED>(p.input, p.n, first, here, totals);
            if (threadIdx.x == 0) shared_epoch = epoch;
            __syncthreads();
            total = tree_of(totals, here);
            if (steps > THREADS && threadIdx.x == 0) {
                u32 level = 0;
                for (; round >> level & 1; level++) total = combine(rounds[level], total);
                rounds[level] = total;
            }
            round++;
        }
        if (steps > THREADS && threadIdx.x == 0) {
            bool any = false;
            for (u32 level = 0; round >> level; level++) {
                if (!(round >> level & 1)) continue;
                total = any ? combine(rounds[level], total) : rounds[level];
                any = true;
            }
        }
        return total;
    }

    // Returns in thread 0 the tree of the totals of the parts: `own` is that of the last part, in thread 0.
    static __device__ __forceinline__ V combine_parts(const Params& p, const V& own, u32 epoch) {
        __shared__ V totals[THREADS];
        const u32 last = p.parts - 1;
        if (threadIdx.x == 0) totals[last] = own;
        if (threadIdx.x < last) totals[threadIdx.x] = Entry::wait(p.workspace, threadIdx.x, epoch);
        __syncthreads();
        return tree_of(totals, p.parts);
    }
};
