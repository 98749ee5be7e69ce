// Reduction of a stretch of neighbouring elements by a warp, in order.
//
//   in steps of DEPTH neighbouring vectors of each lane, as long as there are whole ones:
//       combine    the lane's elements of this step, and of the next one
//       exchange   for both steps: a lane takes its neighbour's part of one step and gives its own of the other, so
//                  that from then on half of the lanes have one step and half the other
//   the rest in rows of one vector of each lane
//
// The next step's elements are loaded before the lanes exchange this one's.

#pragma once

#include "warp/accumulator.cuh"
#include "warp/scan.cuh"

constexpr u32 ROW = WARP * VECTOR, STEP = DEPTH * ROW;

// Whether a lane takes DEPTH neighbouring vectors of a stretch: then the lanes exchange once for all of them. Two
// lanes' vectors are so near that the memory lines of one load are still cached for the next one.
constexpr bool NEIGHBOURS = DEPTH > 1 && DEPTH * VECTOR * sizeof(In) <= 64;

// Returns in lane 0 the combination of all lanes' values `low`, followed by all lanes' values `high`.
__device__ __forceinline__ T warp_reduce_two(const T& low, const T& high) {
    const u32 lane = lane_index();
    const bool odd = lane % 2 == 1;
    const T other = shuffle(odd ? low : high, lane ^ 1);
    T value = combine(odd ? other : low, odd ? high : other);
#pragma unroll
    for (u32 distance = 2; distance < WARP; distance *= 2) {
        const T higher = shuffle_down(value, distance);
        if (lane + distance < WARP) value = combine(value, higher);
    }
    const T higher = shuffle_down(value, 1);
    return lane == 0 ? combine(value, higher) : value;
}

// Stretch of neighbouring elements, from position `i` on, of a buffer or of several streams. Its first element has the
// index `index` in its line.
template <Loads LOADS>
class Stretch {
    const In* const input;
    const u64 i, index;

    // Loads this lane's vectors of the step from element `at` of the stretch on, all of them whole.
    __device__ __forceinline__ void load_step(u64 at, Vector (&vectors)[DEPTH]) const {
        const u64 from = i + at + lane_index() * DEPTH * VECTOR;
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) vectors[d] = load_vector<LOADS>(input, from + d * VECTOR);
    }
    __device__ __forceinline__ T reduce_step(const Vector (&vectors)[DEPTH], u64 at) const {
        const u64 from = at + lane_index() * DEPTH * VECTOR;
        T sum = reduce_vector(vectors[0], index + from, i + from, VECTOR);
#pragma unroll
        for (u32 d = 1; d < DEPTH; d++) sum = combine(sum, reduce_vector(vectors[d], index + from + d * VECTOR, i + from + d * VECTOR, VECTOR));
        return sum;
    }

public:
    __device__ __forceinline__ Stretch(const In* input, u64 i, u64 index) : input(input), i(i), index(index) {}

    // Returns in lane 0 the combination of the first `count` elements, at least one.
    __device__ __forceinline__ T reduce(u64 count) const {
        const u32 lane = lane_index();
        Accumulator total;
        u64 done = 0;
        if constexpr (NEIGHBOURS) {
            Vector vectors[DEPTH];
            T lower;  // this lane's sum of the step before, if it has not been exchanged
            const u64 whole = count / STEP * STEP;
            if (whole > 0) load_step(0, vectors);
#pragma unroll 1
            for (; done < whole; done += STEP) {
                const T sum = reduce_step(vectors, done);
                const bool last = done + STEP == whole;
                if (!last) load_step(done + STEP, vectors);
                if (done / STEP % 2 == 1) total.add(warp_reduce_two(lower, sum));
                else if (last) total.add(warp_reduce(sum, WARP));
                else lower = sum;
            }
        }
        for (; done < count; done += STEP) {
            // Whole rows, DEPTH at a time so that their loads overlap; only the last has less.
            Vector vectors[DEPTH];
#pragma unroll
            for (u32 d = 0; d < DEPTH; d++) {
                const u64 at = done + d * ROW + lane * VECTOR;
                const u32 exist = existing(at, count);
                if (exist > 0) vectors[d] = load_some(input, i + at, exist, LOADS == Loads::ALIGNED);
            }
#pragma unroll
            for (u32 d = 0; d < DEPTH; d++) {
                const u64 row = done + d * ROW, at = row + lane * VECTOR;
                if (row >= count) break;
                const u32 exist = existing(at, count);
                T sum;
                if (exist > 0) sum = reduce_vector(vectors[d], index + at, i + at, exist);
                const u64 left = (count - row + VECTOR - 1) / VECTOR;
                total.add(warp_reduce(sum, left < WARP ? (u32)left : WARP));
            }
        }
        return total.value();
    }
};

// Returns in lane 0 the combination of the `count` elements from position `i` on, at least one. The first has the index
// `index` in its line. Called by all lanes of one warp.
__device__ __forceinline__ T reduce_stretch(const In* input, u64 i, u64 index, u64 count) {
    if ((ALIGNABLE || !PLAIN_INPUT) && misalignment(input) == 0) return Stretch<Loads::ALIGNED>(input, i, index).reduce(count);
    return Stretch<Loads::BY_ELEMENT>(input, i, index).reduce(count);
}
