// Copies of elements of any size and address between global and shared memory, in lines of 16 bytes.

#pragma once

#include "memory/instructions.cuh"
#include "warp/index.cuh"

constexpr u32 LINE = 16;  // bytes of a copy
struct alignas(LINE) Line {
    unsigned char bytes[LINE];
};

// Copies the `number` elements at `from`, which lie in an array from `first` to `behind`, to `to`, at the byte offset
// that is their address modulo LINE, and returns that offset. Lines that lie within the array are copied whole. Called
// by thread `thread` of NUMBER threads; its asynchronous copies join its open group.
template <u32 NUMBER>
__device__ __forceinline__ u32 copy_lines(Line* to, const In* from, u32 number, const In* first, const In* behind, u32 thread) {
    const u32 phase = (u32)((u64)from % LINE), bytes = phase + number * (u32)sizeof(In), lines = (bytes + LINE - 1) / LINE;
    if (number == 0) return phase;
    const Line* const line = (const Line*)((u64)from - phase);
    const u32 whole = (u64)line < (u64)first, whole_behind = (u64)(line + lines) > (u64)behind ? lines - 1 : lines;
#pragma unroll 4
    for (u32 i = whole + thread; i < whole_behind; i += NUMBER) copy_async<LINE>(to + i, line + i);
    const auto copy_bytes = [&](u32 begin, u32 end) {
        for (u32 i = begin + thread; i < end; i += NUMBER) to->bytes[i] = line->bytes[i];
    };
    if (whole > 0) copy_bytes(phase, min(bytes, LINE));
    if (whole_behind < lines && whole_behind >= whole) copy_bytes(max(phase, whole_behind * LINE), bytes);
    return phase;
}

// Stores the first `number` of a warp's WARP * MERGE_ITEMS elements, whose address in shared memory is a multiple of
// LINE, in an array with any address. Called by all lanes of a warp.
__device__ __forceinline__ void store_lines(In* to, const Line* from, u32 number) {
    constexpr u32 ALL = WARP * MERGE_ITEMS;
    if (number == ALL && (u64)to % LINE == 0) {
#pragma unroll
        for (u32 i = lane_index(); i < ALL * sizeof(In) / LINE; i += WARP) ((uint4*)to)[i] = ((const uint4*)from)[i];
    } else {
#pragma unroll 1
        for (u32 i = lane_index(); i < number; i += WARP) to[i] = ((const In*)from)[i];
    }
}
