// Top-k, the last kernel where results are wanted in order: sorts those of a row, which are in the order of the input, in shared
// memory. A block a row. Of equal keys the first in the input stays the first.
//
//   Batcher's bitonic sort of ORDER_MOST places or fewer, a power of two, by (key, place)
//
// Places beyond the results have the last key that there is and are behind all results.

#pragma once

#include "tile/ranked.cuh"
#include "warp/index.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

template <u32 BYTES> struct UnsignedOf { using type = u64; };
template <> struct UnsignedOf<4> { using type = u32; };
using Index = UnsignedOf<INDEX_BYTES>::type;

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_topk_order(const __grid_constant__ TopKParams p) {
    const u32 number = (u32)p.rank, places = (u32)p.places;
    KeyBits* const keys = (KeyBits*)dynamic_shared;
    Index* const indices = (Index*)(keys + places);
    u32* const place = (u32*)(indices + (INDEX_BYTES > 0 ? places : 0));
    for (u64 row = blockIdx.x; row < p.rows; row += gridDim.x) {
        In* const values = p.values + row * number;
        Index* const row_indices = (Index*)p.indices + row * number;
        for (u32 i = threadIdx.x; i < places; i += THREADS) {
            keys[i] = i < number ? key_in_order(values[i]) : (KeyBits)~(KeyBits)0;
            if (INDEX_BYTES > 0 && i < number) indices[i] = row_indices[i];
            place[i] = i;
        }
        __syncthreads();
        for (u32 size = 2; size <= places; size *= 2) {
            for (u32 distance = size / 2; distance > 0; distance /= 2) {
                for (u32 pair = threadIdx.x; pair < places / 2; pair += THREADS) {
                    const u32 low = 2 * pair - (pair & (distance - 1)), high = low + distance;
                    const KeyBits a = keys[low], b = keys[high];
                    const u32 at = place[low], bt = place[high];
                    const bool descends = b < a || (b == a && bt < at);
                    if (descends == ((low & size) == 0)) keys[low] = b, keys[high] = a, place[low] = bt, place[high] = at;
                }
                __syncthreads();
            }
        }
        for (u32 i = threadIdx.x; i < number; i += THREADS) {
            const KeyBits bits = out_of_order(keys[i]);
            In x;
            memcpy(&x, &bits, sizeof x);
            values[i] = x;
            if (INDEX_BYTES > 0) row_indices[i] = indices[place[i]];
        }
        __syncthreads();
    }
}
