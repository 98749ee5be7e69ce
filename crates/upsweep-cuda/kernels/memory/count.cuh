// Counts in device memory: the number of elements, and room for results.

#pragma once

#include "memory/workspace.cuh"

// Returns the number of elements of the input, whose buffer has `room`. COUNTED_INPUT: the number is read from device
// memory; more than `room` is reported as a fault and clamped.
__device__ __forceinline__ u64 element_number(const Workspace& space, u64 room) {
    if constexpr (!COUNTED_INPUT) return room;
    const u64 n = *counted_length();
    if (n > room) report_fault(space, FAULT_LENGTH, n, (i64)room);
    return n > room ? room : n;
}

// Returns how many of the `number` results with indexes from `at` on fit in a buffer of `capacity` results.
__device__ __forceinline__ u32 with_room(u64 at, u32 number, u64 capacity) {
    return at >= capacity ? 0 : (u32)min((u64)number, capacity - at);
}
