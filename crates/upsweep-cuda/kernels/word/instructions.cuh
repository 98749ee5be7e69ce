// PTX instructions on words that C++ has no name for: on two lanes of 16 bits, and shuffles.

#pragma once

#include "config.cuh"

#if __CUDA_ARCH__ >= 900
constexpr bool LANE_INSTRUCTIONS = true;
#define LANES_BINARY(name, instruction)                                             \
    __device__ __forceinline__ u32 name(u32 a, u32 b) {                              \
        u32 r;                                                                       \
        asm(instruction " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                  \
        return r;                                                                    \
    }
LANES_BINARY(add_lanes, "add.u16x2")
LANES_BINARY(max_signed, "max.s16x2")
LANES_BINARY(max_unsigned, "max.u16x2")
LANES_BINARY(min_signed, "min.s16x2")
LANES_BINARY(min_unsigned, "min.u16x2")
#else
constexpr bool LANE_INSTRUCTIONS = false;
__device__ u32 add_lanes(u32, u32);
__device__ u32 max_signed(u32, u32);
__device__ u32 max_unsigned(u32, u32);
__device__ u32 min_signed(u32, u32);
__device__ u32 min_unsigned(u32, u32);
#endif

// Returns the sum of `number` and that of the lane `distance` below, or `number` if there is no such lane. The shuffle
// instruction reports whether there is, which C++ cannot use.
__device__ __forceinline__ u32 add_lower(u32 number, u32 distance) {
    asm volatile("{ .reg .pred p; .reg .b32 lower; shfl.sync.up.b32 lower|p, %0, %1, 0, 0xffffffff; @p add.u32 %0, %0, lower; }" : "+r"(number) : "r"(distance));
    return number;
}
