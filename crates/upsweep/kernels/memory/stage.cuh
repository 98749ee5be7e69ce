// From global memory to slots in shared memory, ahead of their use. A slot holds one vector of VECTOR neighbouring
// elements. A warp brings what its own lanes compute with, so that no barrier of the block is needed: each thread waits
// for its own copies, then the warp synchronises.

#include "memory/instructions.cuh"
#include "memory/pieces.cuh"

constexpr u32 VECTOR_BYTES = VECTOR * sizeof(In);
constexpr u32 PIECE = piece_for(VECTOR_BYTES);  // bytes of an asynchronous copy, if more than 1
// In a reduction by rows or offsets the sums of a vector come to lie in its slot, too.
constexpr u32 SUM_BYTES = BY_SEGMENT && !COUNTED ? VECTOR * sizeof(T) : 0;
constexpr u32 SLOT = ((SUM_BYTES > VECTOR_BYTES ? SUM_BYTES : VECTOR_BYTES) + 15) / 16 * 16;

struct alignas(16) Slot {
    unsigned char bytes[SLOT];
};

// Waits until at most `PENDING` of each thread's groups are still under way; the others' copies are then visible to the
// whole warp.
template <u32 PENDING>
__device__ __forceinline__ void wait_groups() {
    wait_copies<PENDING>();
    __syncwarp();
}

// Brings a whole vector from `from`, a multiple of PIECE, into `slot`.
__device__ __forceinline__ void stage_all(Slot& slot, const In* from) {
#pragma unroll
    for (u32 i = 0; i < VECTOR_BYTES / PIECE; i++) {
        copy_async<PIECE>(slot.bytes + i * PIECE, (const unsigned char*)from + i * PIECE);
    }
}

// Brings the vector whose lowest address is `from` into `slot`; `count` of its elements exist, counted in logical
// order (from the end of the vector when the scan runs in reverse).
__device__ __forceinline__ void stage_vector(Slot& slot, const In* from, u32 count, bool aligned) {
    if (count == VECTOR && aligned && PIECE > 1) {
        stage_all(slot, from);
    } else {
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            const u32 at = REVERSE ? VECTOR - 1 - j : j;
            if (j < count) ((In*)slot.bytes)[at] = from[at];
        }
    }
}
