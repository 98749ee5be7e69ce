// Named barriers between whole warps of a block. Barrier 0 is __syncthreads. The threads of a warp synchronise first,
// so that the warp arrives once.

#pragma once

#include "config.cuh"

// Waits until `threads` threads, this one included, have arrived at barrier `id`.
__device__ __forceinline__ void barrier_wait(u32 id, u32 threads) {
    __syncwarp();
    asm volatile("barrier.sync.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Arrives at barrier `id` without waiting. Earlier writes of this thread are visible to the threads that wait there.
// `threads` is the number of threads that arrive or wait.
__device__ __forceinline__ void barrier_arrive(u32 id, u32 threads) {
    __syncwarp();
    asm volatile("barrier.arrive.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Waits until all threads of the block's compute warps have arrived; helper warps take no part.
__device__ __forceinline__ void main_sync() { barrier_wait(1, THREADS); }
