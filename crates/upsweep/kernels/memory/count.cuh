// Numbers of elements that the device knows.

#pragma once

#include "memory/workspace.cuh"

// The number of elements, of at most `room`: where the device knows it, it is read. More is reported, and not looked at.
__device__ __forceinline__ u64 element_number(const Workspace& space, u64 room) {
    if constexpr (!COUNTED_INPUT) return room;
    const u64 n = *counted_length();
    if (n > room) report_fault(space, FAULT_LENGTH, n, (i64)room);
    return n > room ? room : n;
}
