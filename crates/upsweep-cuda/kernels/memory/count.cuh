// Counts in device memory: the number of elements, and room for results.

#pragma once

#include "memory/workspace.cuh"

// Number of elements, at most `room`. COUNTED_INPUT: read from device memory; more than `room` is reported and clamped.
__device__ __forceinline__ u64 element_number(const Workspace& space, u64 room) {
    if constexpr (!COUNTED_INPUT) return room;
    const u64 n = *counted_length();
    if (n > room) report_fault(space, FAULT_LENGTH, n, (i64)room);
    return n > room ? room : n;
}

// Number of the `number` results from place `at` on that fit in `capacity`.
__device__ __forceinline__ u32 with_room(u64 at, u32 number, u64 capacity) {
    return at >= capacity ? 0 : (u32)min((u64)number, capacity - at);
}
