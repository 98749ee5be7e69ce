// Numbers of elements that the device knows, and of results.

#pragma once

#include "memory/workspace.cuh"

// The number of elements, of at most `room`: where the device knows it, it is read. More is reported, and not looked at.
__device__ __forceinline__ u64 element_number(const Workspace& space, u64 room) {
    if constexpr (!COUNTED_INPUT) return room;
    const u64 n = *counted_length();
    if (n > room) report_fault(space, FAULT_LENGTH, n, (i64)room);
    return n > room ? room : n;
}

// How many of `number` results from place `at` on there is room for.
__device__ __forceinline__ u32 with_room(u64 at, u32 number, u64 capacity) {
    return at >= capacity ? 0 : (u32)min((u64)number, capacity - at);
}
