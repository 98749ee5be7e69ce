// Named barriers between whole warps of a block. Barrier 0 is __syncthreads. The threads of a warp synchronise first,
// so that the warp arrives once.

#pragma once

#include "config.cuh"

// Waits until `threads` threads have arrived at barrier `id`, this one included.
__device__ __forceinline__ void barrier_wait(u32 id, u32 threads) {
    __syncwarp();
    asm volatile("barrier.sync.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Arrives at barrier `id` without waiting. Earlier writes of this thread are visible to the threads that wait there.
__device__ __forceinline__ void barrier_arrive(u32 id, u32 threads) {
    __syncwarp();
    asm volatile("barrier.arrive.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Waits for all compute warps.
__device__ __forceinline__ void main_sync() { barrier_wait(1, THREADS); }
