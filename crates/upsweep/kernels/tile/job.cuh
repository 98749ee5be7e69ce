// What the kernels that scan tiles are given.

#pragma once

#include "tile/stage.cuh"
#include "tile/state.cuh"

// The parameters, and what scans begin with.
struct Params : ScanParams {
    T init, first;
    __device__ __forceinline__ explicit Params(const ScanParams& given) : ScanParams(given) {
        const Begin begin(given);
        init = begin.init, first = begin.first;
    }
};

static_assert(sizeof(State) == HOST_STATE_BYTES, "the host sizes the workspace by it");

// In a reduction by rows or offsets the sums of a vector come to lie in its slot, too.
using Input = Stream<In, BY_SEGMENT && !COUNTED ? sizeof(T) : sizeof(In)>;
using Slot = Input::Slot;
static_assert(sizeof(Slot) == SLOT_BYTES, "the host sizes the shared memory by it");

// A warp's asynchronous copies and loads are of whole 128-byte lines only where the tiles begin at one.
extern __shared__ __align__(128) unsigned char dynamic_shared[];
