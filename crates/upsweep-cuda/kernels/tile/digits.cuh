// Look-back of many counters at once: for each digit, the number of keys of lower tiles with it. A thread looks back
// for one digit.
//
//   count[t][d]      keys of tile t with digit d                  published as soon as they are counted
//   prefix[t][d]     keys of tiles 0 .. t with digit d            published when it is known
//
//   look back from t:   sum = 0, for i = t - 1, t - 2, ...:  prefix[i][d] if it is there: done;  else sum += count[i][d]
//
// Sums of integers are the same however they are grouped, so that here, unlike in lookback.cuh, a tile may look back
// over any distance: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016); Adinets
// and Merrill, "Onesweep" (2022), which has a chain for each digit.
//
// Memory ordering: see status.cuh. A tile waits for lower tiles only, and publishes its counts before it waits.

#pragma once

#include "memory/status.cuh"

template <u32 DIGITS>
struct DigitChains {
    using Entry = Status<u32>;
    const Workspace& space;
    u32 epoch;

    static __device__ __forceinline__ u64 entries(u64 tiles) { return 2 * DIGITS * tiles; }
    static __device__ __forceinline__ u64 count_entry(u64 t, u32 digit) { return 2 * DIGITS * t + digit; }
    static __device__ __forceinline__ u64 prefix_entry(u64 t, u32 digit) { return 2 * DIGITS * t + DIGITS + digit; }

    // Publishes `count`, the number of keys with this thread's digit in tile `t`, and returns the number in lower
    // tiles.
    __device__ __forceinline__ u32 exclusive_prefix(u64 t, u32 digit, u32 count) const {
        Entry::put(space, t > 0 ? count_entry(t, digit) : prefix_entry(t, digit), count, epoch);
        u32 sum = 0;
        for (u64 i = t; i-- > 0;) {
            typename Entry::Raw prefix = Entry::load(space, prefix_entry(i, digit)), own = Entry::load(space, count_entry(i, digit));
            while (!prefix.is_of(epoch) && !own.is_of(epoch)) {
                __nanosleep(POLL_NANOSECONDS);
                prefix = Entry::load(space, prefix_entry(i, digit)), own = Entry::load(space, count_entry(i, digit));
            }
            if (prefix.is_of(epoch)) {
                sum += prefix.value();
                break;
            }
            sum += own.value();
        }
        if (t > 0) Entry::put(space, prefix_entry(t, digit), sum + count, epoch);
        return sum;
    }
};
