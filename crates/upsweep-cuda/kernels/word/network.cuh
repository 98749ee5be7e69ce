// Sorting networks for few items in a thread's registers.

#pragma once

#include "config.cuh"

// Sequence of `size` comparisons that sorts SIZE items: comparison k orders the items `lower[k]` and `higher[k]`.
// Batcher's odd-even merges. Each SORTED neighbouring items are in order before.
template <u32 SIZE, u32 SORTED>
struct Network {
    u8 lower[SIZE * SIZE], higher[SIZE * SIZE];
    u32 size;
};
template <u32 SIZE, u32 SORTED>
constexpr Network<SIZE, SORTED> odd_even_network() {
    Network<SIZE, SORTED> network = {};
    for (u32 sorted = SORTED; sorted < SIZE; sorted *= 2) {
        for (u32 distance = sorted; distance > 0; distance /= 2) {
            for (u32 first = distance % sorted; first + distance < SIZE; first += 2 * distance) {
                for (u32 i = first; i < first + distance && i + distance < SIZE; i++) {
                    if (i / (2 * sorted) != (i + distance) / (2 * sorted)) continue;
                    network.lower[network.size] = (u8)i, network.higher[network.size] = (u8)(i + distance), network.size++;
                }
            }
        }
    }
    return network;
}

// Sorts the SIZE items of `x`, of which each SORTED neighbouring ones are in order before. `in_order` orders two items.
template <u32 SORTED = 1, class Item, u32 SIZE, class F>
__device__ __forceinline__ void sort_by_network(Item (&x)[SIZE], F in_order) {
    constexpr Network<SIZE, SORTED> network = odd_even_network<SIZE, SORTED>();
#pragma unroll
    for (u32 i = 0; i < network.size; i++) in_order(x[network.lower[i]], x[network.higher[i]]);
}
