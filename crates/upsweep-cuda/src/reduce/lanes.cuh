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
#include "warp/counter.cuh"

constexpr u32 CHUNK_ROWS = 8;

// Returns the number of halvings of a power of two up to 1.
constexpr u32 halvings(u32 number) { return number > 1 ? 1 + halvings(number / 2) : 0; }

// `V` is T.
template <class V>
struct Chunks {
    static constexpr u32 LANES = CHUNK_LANES > 0 ? CHUNK_LANES : VECTOR;
    static constexpr u32 TEAM = LANES / VECTOR;  // threads of a row
    static constexpr u32 CHUNK = CHUNK_ROWS * LANES, STEP = WARP / TEAM * CHUNK;  // elements
    static_assert(LANES % VECTOR == 0 && TEAM <= WARP && WARP % TEAM == 0, "the plan's lanes are those of a warp at most");
    static_assert(CHUNK_ROWS % DEPTH == 0 || CHUNK_LANES == 0, "the loads of a chunk are several whole rows");

    static __device__ __forceinline__ V neutral() { return PRODUCT ? (V)1 : (V)-0.0; }

    // Adds the first `count` elements of the vector at index `at` to the chains `v`, of which it is the first if FIRST.
    static __device__ __forceinline__ void add(const Params& p, const Vector& vector, u64 at, u32 count, bool first, V (&v)[VECTOR]) {
        const Vector::Elements elements = vector.elements();
        check_elements(elements, at, count);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (j < count) {
                const V x = map(elements.x[j], position_of(p, at + j), at + j);
                v[j] = first ? x : combine(v[j], x);
            }
        }
    }

    // Finds the chains `v` of this thread's lanes of a chunk. `at` is the index of its first vector.
    template <Loads LOADS>
    static __device__ __forceinline__ void chain(const Params& p, u64 at, V (&v)[VECTOR]) {
        constexpr u32 AT_ONCE = LOADS == Loads::BY_ELEMENT ? 1 : DEPTH;
#pragma unroll(AT_ONCE == 1 ? 1 : CHUNK_ROWS / AT_ONCE)
        for (u32 row = 0; row < CHUNK_ROWS; row += AT_ONCE) {
            Vector vectors[AT_ONCE];
#pragma unroll
            for (u32 d = 0; d < AT_ONCE; d++) vectors[d] = load_vector<LOADS>(p.input, at + (row + d) * LANES);
#pragma unroll
            for (u32 d = 0; d < AT_ONCE; d++) add(p, vectors[d], at + (row + d) * LANES, VECTOR, row + d == 0, v);
        }
    }

    // Finds the chains of a chunk that has no more than the `left` elements from the thread's first vector on.
    static __device__ __forceinline__ void chain_some(const Params& p, u64 at, u32 left, bool aligned, V (&v)[VECTOR]) {
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) v[j] = neutral();
#pragma unroll
        for (u32 row = 0; row < CHUNK_ROWS; row += DEPTH) {
            Vector vectors[DEPTH];
#pragma unroll
            for (u32 d = 0; d < DEPTH; d++) {
                const u32 before = (row + d) * LANES, exist = left > before ? min(left - before, VECTOR) : 0;
                if (exist > 0) vectors[d] = load_some(p.input, at + before, exist, aligned);
            }
#pragma unroll
            for (u32 d = 0; d < DEPTH; d++) {
                const u32 before = (row + d) * LANES, exist = left > before ? min(left - before, VECTOR) : 0;
                if (exist > 0) add(p, vectors[d], at + before, exist, false, v);
            }
        }
    }

    // Returns `b` if `second`, else `a`. Of 8 bytes it chooses bits: else the compiler chooses between the addresses of two
    // elements of an array, which then lies in memory.
    static __device__ __forceinline__ V chosen(bool second, const V& a, const V& b) {
        if constexpr (sizeof(V) != 8) return second ? b : a;
        u64 bits[2];
        memcpy(bits, &a, 8), memcpy(bits + 1, &b, 8);
        const u64 chosen = bits[0] ^ ((bits[0] ^ bits[1]) & (0 - (u64)second));
        V value;
        memcpy(&value, &chosen, sizeof(V));
        return value;
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
                    const V low = v[j], high = v[j + half];
                    v[j] = combine(chosen(upper, low, high), shuffle(chosen(upper, high, low), other));
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

    // Leaves the totals of the warp's steps among those of the `count` elements from index `begin` on.
    static __device__ __forceinline__ void leave_totals(const Params& p, u64 begin, u64 count, bool aligned, V* totals) {
        const u32 lane = lane_index(), own = lane / TEAM * CHUNK + lane % TEAM * VECTOR;
        const u32 whole = (u32)(count / STEP), rest = (u32)(count % STEP);
        u32 step = warp_index();
        // Each block begins at another step: parts are powers of two, so that all blocks would read the same channels of
        // the memory at once.
        const u32 turn = whole > 0 ? blockIdx.x * 5 * WARPS % whole : 0;
#pragma unroll 1
        for (; step < whole; step += WARPS) {
            u32 mine = step + turn;
            if (mine >= whole) mine -= whole;
            const u64 at = begin + (u64)mine * STEP + own;
            V v[VECTOR];
            if (!aligned) chain<Loads::BY_ELEMENT>(p, at, v);
            else if (p.streamed) chain<Loads::STREAMED>(p, at, v);
            else chain<Loads::ALIGNED>(p, at, v);
            const V total = fold(v);
            if (lane == 0) totals[mine] = total;
        }
        if (step == whole && rest > 0) {
            V v[VECTOR];
            chain_some(p, begin + (u64)step * STEP + own, rest > own ? rest - own : 0, aligned, v);
            const V total = fold(v);
            if (lane == 0) totals[step] = total;
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
        __shared__ V levels[COUNTER_LEVELS];
        const u64 before = blockIdx.x * p.part, count = p.n - before < p.part ? p.n - before : p.part;
        const u64 begin = CONTINUES ? p.first + before : before, steps = (count + STEP - 1) / STEP;
        const bool aligned = misalignment(p.input) == 0 && (!CONTINUES || p.first % VECTOR == 0);
        V total;
        // Rounds of as many steps as there are totals. A counter joins the totals of rounds.
        Counter<V> counter(levels);
#pragma unroll 1
        for (u64 done = 0; done < steps; done += THREADS) {
            const u32 here = steps - done < THREADS ? (u32)(steps - done) : THREADS;
            if (done > 0) __syncthreads();  // the totals of the round before have been read
            leave_totals(p, begin + done * STEP, done + here < steps ? (u64)here * STEP : count - done * STEP, aligned, totals);
            if (threadIdx.x == 0) shared_epoch = epoch;
            __syncthreads();
            total = tree_of(totals, here);
            if (steps > THREADS && threadIdx.x == 0) counter.add(total);
        }
        if (steps > THREADS && threadIdx.x == 0) total = counter.total();
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
