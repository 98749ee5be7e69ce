// Full tiles of elements that are combined as keys (word/value.cuh) of their own size.
//
//   first pass     a thread stores the inclusive scan of its own elements' keys in place of them
//   second pass    the thread's exclusive prefix is combined with each of them
//
// In contrast to all other tiles, whose elements are scanned again, keys are made once instead of three times.

#pragma once

#include "tile/items.cuh"
#include "tile/store.cuh"

constexpr bool KEYED_TILES = KEYED && !SEGMENTED && PLAIN_INPUT && PLAIN_OUTPUT && sizeof(In) == sizeof(T) && THROUGH_SLOTS;

template <class Key>
struct KeyedTile {
    static __device__ __forceinline__ Key key(const Vector& x, u32 j) {
        Key key;
        const In bits = x[j];
        memcpy(&key, &bits, sizeof(Key) < sizeof(In) ? sizeof(Key) : sizeof(In));
        return key;
    }

    // First pass: returns the combination of this thread's elements, and leaves their inclusive scan in the slots.
    static __device__ __forceinline__ Key thread_sum(const Params& p, u64 begin, Slot* slots) {
        Key sum;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            const Items items = Items::of<true>(begin, TILE, row, slots, 0);
            Key sums[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                const Key e = items(p, j);
                sums[j] = sum = row == 0 && j == 0 ? e : combine(sum, e);
            }
            put_in_slot(slots[threadIdx.x * ROWS + row], sums);
        }
        return sum;
    }

    // Second pass: returns the combination of this thread's elements again, as the last value of the stored scan.
    static __device__ __forceinline__ Key thread_sum_again(const Slot* slots) {
        return key(Vector(slots, threadIdx.x * ROWS + ROWS - 1), VECTOR - 1);
    }

    // Second pass: computes the results of this thread's elements in their slots. `before` is the thread's exclusive
    // prefix, which exists only if `some` is true.
    static __device__ __forceinline__ void scan_vectors(const Params& p, Slot* slots, bool some, Key before) {
        Key previous = some ? before : p.first;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            Slot& slot = slots[threadIdx.x * ROWS + row];
            const Vector x(slots, threadIdx.x * ROWS + row);
            Out results[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                const Key with = some ? combine(before, key(x, j)) : key(x, j);
                results[j] = result(EXCLUSIVE ? previous : with);
                previous = with;
            }
            put_in_slot(slot, results);
        }
    }
};
