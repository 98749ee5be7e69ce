// Buckets of skewed keys: equally many for each octave of numbers (2^k to 2^(k + 1) - 1), so that the buckets of small
// numbers, which are frequent, are narrow.
//
//   a number below 2^bits            has a bucket of its own
//   in each octave above, up to 2^width,    2^bits buckets, by the bits below the highest one
//   larger numbers                   are in the last bucket as well
//
// Buckets of the lowest of these octaves have a single number each, too: they need no sort, however many keys they
// have.

#pragma once

#include "sort/radix.cuh"

constexpr u32 OCTAVE_BUCKETS = 512;

struct Octaves {
    u32 width, bits;

    // Returns the octaves of numbers that are mostly below 2^width, with 2^bits buckets each: as many as
    // OCTAVE_BUCKETS, the limit of all of them, allows.
    static __device__ __forceinline__ Octaves of(u32 width) {
        u32 bits = 0;
        while (bits < width && (width - bits) << (bits + 1) <= OCTAVE_BUCKETS) bits++;
        return {width, bits};
    }
    __device__ __forceinline__ u32 number() const { return (width - bits + 1) << bits; }
    // Returns the number of buckets that have a single number each. The last bucket is not one of them.
    __device__ __forceinline__ u32 singles() const { return min(2u << bits, number() - 1); }
    __device__ __forceinline__ u32 bucket(KeyBits key) const {
        if (key >> bits == 0) return (u32)key;
        const u32 octave = highest_bit(key) - bits;
        return min((octave + 1) << bits | ((u32)(key >> octave) & ((1 << bits) - 1)), number() - 1);
    }
};
