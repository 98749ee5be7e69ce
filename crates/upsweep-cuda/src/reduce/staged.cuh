// Neighbouring elements of the input, mapped, in shared memory: loaded as vectors, whatever lines they belong to.

#pragma once

#include "memory/vectors.cuh"
#include "word/value.cuh"

// Place of an element in shared memory, and its index in its line.
struct Placed {
    u32 place;
    u64 index;
};

// Maps the `count` elements from position `begin` of the input on to `mapped`. `place(i)` is where the i-th of them goes.
// `begin` is a multiple of VECTOR, or the input is read element by element. Called by all threads of the block.
template <class P>
__device__ __forceinline__ void stage_mapped(const In* input, u64 begin, u32 count, T* mapped, const P& place) {
    const bool aligned = misalignment(input) == 0 && begin % VECTOR == 0;
    constexpr u32 STEP = THREADS * VECTOR;
#pragma unroll 1
    for (u32 first = threadIdx.x * VECTOR; first < count; first += DEPTH * STEP) {
        Vector vectors[DEPTH];
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            const u32 exist = existing(first + d * STEP, count);
            if (exist > 0) vectors[d] = load_some(input, begin + first + d * STEP, exist, aligned);
        }
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            const u32 exist = existing(first + d * STEP, count);
            if (exist == 0) break;
            const Vector::Elements elements = vectors[d].elements();
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (j >= exist) break;
                const u32 i = first + d * STEP + j;
                if (!indices_right(elements.x[j], begin + i)) report_indices(elements.x[j], begin + i);
                const Placed to = place(i);
                mapped[to.place] = map(elements.x[j], to.index, begin + i);
            }
        }
    }
}
