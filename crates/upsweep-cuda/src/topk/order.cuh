// Top-k, the last kernel: sorts the results of a row in shared memory, one block for each row: by their places, or by
// the keys and, for equal keys, by their places. Stores them and, if requested, the places.
//
//   Batcher's bitonic sort of a power of two
//
// Padding sorts after all results.

#pragma once

#include "topk/ranked.cuh"
#include "warp/index.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_topk_order(const __grid_constant__ TopKParams p) {
    const u32 number = (u32)p.rank, room = (u32)p.order_room;
    KeyPlace* const places = (KeyPlace*)dynamic_shared;
    KeyBits* const keys = (KeyBits*)(places + room);
    for (u64 row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const u64 begin = row * number;
        for (u32 i = threadIdx.x; i < room; i += THREADS) {
            keys[i] = i < number ? key_in_order(p.values[begin + i], true) : (KeyBits)~(KeyBits)0;
            places[i] = i < number ? ((const KeyPlace*)p.places)[begin + i] : (KeyPlace)~(KeyPlace)0;
        }
        __syncthreads();
        for (u32 size = 2; size <= room; size *= 2) {
            for (u32 distance = size / 2; distance > 0; distance /= 2) {
                for (u32 pair = threadIdx.x; pair < room / 2; pair += THREADS) {
                    const u32 low = 2 * pair - (pair & (distance - 1)), high = low + distance;
                    const KeyBits a = keys[low], b = keys[high];
                    const KeyPlace at = places[low], bt = places[high];
                    const KeyBits own = with_one_zero(a), other = with_one_zero(b);
                    const bool descends = p.by_key && other != own ? other < own : bt < at;
                    if (descends == ((low & size) == 0)) keys[low] = b, keys[high] = a, places[low] = bt, places[high] = at;
                }
                __syncthreads();
            }
        }
        for (u32 i = threadIdx.x; i < number; i += THREADS) {
            const KeyBits bits = out_of_order(keys[i]);
            In x;
            memcpy(&x, &bits, sizeof x);
            p.values[begin + i] = x;
            ((KeyPlace*)p.places)[begin + i] = places[i];
        }
        __syncthreads();
    }
}
