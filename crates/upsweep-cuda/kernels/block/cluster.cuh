// Thread block cluster, here the whole grid: its blocks run together and access each other's shared memory. From sm_90
// on.

#pragma once

#include "config.cuh"

// Arrives at the cluster's barrier. Earlier writes of this thread, to any block's shared memory, are visible after
// `cluster_wait`.
__device__ __forceinline__ void cluster_arrive() {
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

// Returns the address, in block `block` of the cluster, of the shared variable whose address in this block is `own`.
template <class V>
__device__ __forceinline__ V* in_block(V* own, u32 block) {
    u64 address;
    asm("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(own), "r"(block));
    return (V*)address;
}
