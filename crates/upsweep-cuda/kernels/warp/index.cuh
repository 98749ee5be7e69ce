// Index of a thread in its block.

#pragma once

#include "config.cuh"

constexpr u32 WARP = 32;
constexpr u32 WARPS = THREADS / WARP;
__device__ __forceinline__ u32 lane_index() { return threadIdx.x % WARP; }
__device__ __forceinline__ u32 warp_index() { return threadIdx.x / WARP; }
