// Blocks that run together and reach each other's shared memory: a cluster, which here is the whole grid. From sm_90 on.

#pragma once

#include "config.cuh"

// Arrives where all threads of the cluster meet. What this thread wrote before, to any block's shared memory, is seen by those who
// have waited.
__device__ __forceinline__ void cluster_arrive() {
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

// What lies in the shared memory of block `block` where `own` does in this block's.
template <class V>
__device__ __forceinline__ V* in_block(V* own, u32 block) {
    u64 address;
    asm("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(own), "r"(block));
    return (V*)address;
}
