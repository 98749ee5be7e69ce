// Totals of subtrees that come one after the other, joined to a balanced tree.

#pragma once

#include "word/value.cuh"

// Number of levels of a counter.
constexpr u32 COUNTER_LEVELS = 48;

// Tree of equal subtrees, whose totals are added in order. It has the total of 2^k of them for each bit k of their
// number, and joins these as a binary counter carries: each with its neighbour as soon as that is there. Used by one
// thread. `V` is T.
template <class V>
class Counter {
    V* const totals;
    u64 number = 0;

public:
    __device__ __forceinline__ explicit Counter(V* totals) : totals(totals) {}

    __device__ __forceinline__ void add(V total) {
        u32 level = 0;
        for (; number >> level & 1; level++) total = combine(totals[level], total);
        totals[level] = total;
        number++;
    }

    // Returns the total of all, at least one.
    __device__ __forceinline__ V total() const { return followed_by(totals[0], false); }

    // Returns the total of all, followed by that of a smaller subtree if there is one (`any`).
    __device__ __forceinline__ V followed_by(V last, bool any) const {
        for (u32 level = 0; number >> level; level++) {
            if (!(number >> level & 1)) continue;
            last = any ? combine(totals[level], last) : totals[level];
            any = true;
        }
        return last;
    }
};
