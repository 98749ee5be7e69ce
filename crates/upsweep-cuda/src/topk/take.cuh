// Top-k, the kernel that takes the results from the candidates (keys collected from around the wanted one:
// topk/ranked.cuh), in no order. Without candidates it does nothing.

#pragma once

#include "memory/instructions.cuh"
#include "topk/ranked.cuh"
#include "warp/index.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_topk_take(const __grid_constant__ TopKParams p) {
    wait_for_kernel_before();
    RankHeader& header = *(RankHeader*)p.header;
    if (!collected(p, header)) return;
    const KeyBits wanted = header.low;
    const u64 last_place = header.last_place, n = header.candidates, step = (u64)gridDim.x * THREADS;
    const KeyPlace* const places = (const KeyPlace*)p.candidate_places;
    for (u64 begin = (u64)blockIdx.x * THREADS + warp_index() * WARP; begin < n; begin += step) {
        const u64 i = begin + lane_index();
        bool takes = false;
        In x;
        KeyPlace place = 0;
        if (i < n) {
            x = p.candidates[i], place = places[i];
            const KeyBits key = key_in_order(x);
            takes = key < wanted || (key == wanted && place <= last_place);
        }
        const u32 taken = __ballot_sync(~0u, takes);
        if (taken == 0) continue;
        u32 low = 0, high = 0;
        if (lane_index() == 0) {
            const u64 to = atomicAdd(&header.taken, (u64)__popc(taken));
            low = (u32)to, high = (u32)(to >> 32);
        }
        const u64 to = ((u64)__shfl_sync(~0u, high, 0) << 32 | __shfl_sync(~0u, low, 0)) + __popc(taken & ((1u << lane_index()) - 1));
        // The results are the p.rank first keys: no more are stored.
        if (takes && to < p.rank) {
            p.values[to] = x;
            ((KeyPlace*)p.places)[to] = place;
        }
    }
}
