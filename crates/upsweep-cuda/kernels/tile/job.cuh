// What the kernels that scan tiles share: their parameters, and the slots of their streams in shared memory.

#pragma once

#include "memory/count.cuh"
#include "tile/places.cuh"
#include "tile/stage.cuh"

// Parameters of the kernel, the initial value of scans (`init`), and what an exclusive scan begins with (`first`).
struct Params : ScanParams {
    T init, first;
    __device__ __forceinline__ explicit Params(const ScanParams& given) : ScanParams(given) {
        if constexpr (COUNTED_INPUT) {
            n = element_number(workspace, n);
            share = segments / tile_number(n) + 1;
        }
        const Begin begin(given);
        init = begin.init, first = begin.first;
    }
};

static_assert(sizeof(State) == HOST_STATE_BYTES, "the host sizes the workspace by it");

// Levels of the tree (upsweep-core/src/tree.rs) that a scan hands on: y, R, Q, G, P; one value without a tree. The last key
// follows them.
constexpr u32 OPEN_LEVELS = TREE ? 5 : 1, KEY_AT = (OPEN_LEVELS * sizeof(Acc) + 15) / 16 * 16;
constexpr u32 OUTER = 3;  // index of G; P follows

// Slots also receive the sums of a vector in a reduction by rows or offsets, in the slot of its first stream, and the
// results of a scan whose elements are not those of one stream. Gathered values are read once: a scan keeps the mapped
// elements in these slots from the first pass to the second (KEEPS_MAPPED). PLACE is the number of bytes that an
// element therefore needs in the first stream's slots.
constexpr bool KEEPS_MAPPED = READS_APART && !BY_SEGMENT;
constexpr u32 OF_RESULTS = PLAIN_INPUT ? 1 : sizeof(Out);
constexpr u32 PLACE = BY_SEGMENT ? (COUNTED ? 1 : sizeof(T)) : KEEPS_MAPPED && OF_RESULTS < sizeof(T) ? sizeof(T) : OF_RESULTS;
using Input = Streams<PLACE>;
using Slot = Input::Slot;
static_assert(Input::VECTOR_BYTES == SLOT_BYTES, "the host sizes the shared memory by it");

// Returns the slots of this block's k-th tile in shared memory.
__device__ __forceinline__ Slot* tile_slots(unsigned char* shared, u32 k) { return (Slot*)(shared + k * Input::TILE_BYTES); }

// A warp's asynchronous copies and loads are of whole 128-byte lines only if the tiles begin at one.
extern __shared__ __align__(128) unsigned char dynamic_shared[];
