// The workspace: device memory that the library owns, one for each stream, zeroed once when it is allocated.

#pragma once

#include "config.cuh"
#include "memory/instructions.cuh"
#include "memory/layout.cuh"

// Returns the epoch of this launch: the number that its status words are tagged with.
__device__ __forceinline__ u32 current_epoch(const Workspace& space) {
    return *(volatile u32*)&space.header->epoch;
}

// Draws the index of a tile that no other block has. Tickets ascend, so a tile that waits for lower tiles waits for
// tiles that running blocks hold: the grid makes progress however few of its blocks are resident.
__device__ __forceinline__ u32 take_ticket(const Workspace& space) {
    return count_relaxed(&space.header->ticket);
}

constexpr u32 FAULT_CLAIMED = ~0u;  // a thread is about to report a fault
constexpr u32 FAULT_OFFSETS = 1;    // segment offsets do not ascend from 0 to the number of elements
constexpr u32 FAULT_CAPACITY = 2;   // there are `index` results, and the output has room for `value`
constexpr u32 FAULT_OTHERS = 3;     // the same as FAULT_CAPACITY, for the second output
constexpr u32 FAULT_LENGTH = 4;     // a count says `index` elements, and the buffer has `value`
constexpr u32 FAULT_INDEX = 5;      // an index is out of range for `bound` elements
constexpr u32 FAULT_EDGES = 6;      // edges of bins do not ascend
constexpr u32 FAULT_LIST = 7;       // not all of `index` elements are on the list

// Stores a fault of the input, one of the codes above with the numbers that it is about, for the host to read. The
// first fault stays.
__device__ __forceinline__ void report_fault(const Workspace& space, u32 fault, u64 index, i64 value, u64 bound = 0) {
    if (atomicCAS(&space.header->fault, 0, FAULT_CLAIMED) != 0) return;
    space.header->fault_index = index;
    space.header->fault_value = value;
    space.header->fault_bound = bound;
    __threadfence();  // the details are visible before the code
    *(volatile u32*)&space.header->fault = fault;
}

// Prepares the workspace for the next launch. Called by the one thread that draws the launch's last ticket: when it
// does, every block has read the epoch and there are no further draws.
//
// Memory ordering. The next launch on the stream begins after this one has ended, so it sees these writes; no other
// thread of this launch reads them. Every block reads the epoch before it draws its first ticket, and the draws of one
// counter are ordered, so the epoch changes after the last of those reads.
//
// In a launch without tickets, the caller is a thread of a block that has seen a status word of this launch from every
// other block. The word holds the epoch that its writer has read, so that read is over.
__device__ __forceinline__ void prepare_next_launch(const Workspace& space, u32 epoch) {
    space.header->ticket = 0;
    if (epoch != ~0u) space.header->epoch = epoch + 1;
}

// Ends a launch: called by each of the `blocks` blocks that have read the epoch, at its end. When the epochs are used
// up, once in 2^32 launches, the last block clears every status word, and the epochs begin again.
__device__ __forceinline__ void finish_launch(const Workspace& space, u32 epoch, u32 blocks) {
    if (epoch != ~0u) return;
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&space.header->finished, 1) == blocks - 1;
    }
    __syncthreads();
    if (!last) return;
    for (u64 i = threadIdx.x; i < space.capacity8; i += blockDim.x) space.words8[i] = 0;
    for (u64 i = threadIdx.x; i < 2 * (u64)space.capacity16; i += blockDim.x) space.words16[i] = 0;
    if (threadIdx.x == 0) {
        space.header->finished = 0;
        space.header->epoch = 1;
    }
}
