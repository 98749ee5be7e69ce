// Buckets of skewed keys: as many for each octave of numbers, so that those of small numbers, which are many, are narrow.
//
//   a number below 2^bits            has a bucket of its own
//   in each octave above, up to 2^width,    2^bits buckets, by the bits behind the highest one
//   larger numbers                   are in the last bucket, too
//
// In the lowest of these octaves, too, a bucket has one number: however many keys it has, they need no sort.

#pragma once

#include "sort/radix.cuh"

constexpr u32 OCTAVE_BUCKETS = 512;

struct Octaves {
    u32 width, bits;

    // For numbers that are mostly below 2^width, with as many bits as there are buckets for.
    static __device__ __forceinline__ Octaves of(u32 width) {
        u32 bits = 0;
        while (bits < width && (width - bits) << (bits + 1) <= OCTAVE_BUCKETS) bits++;
        return {width, bits};
    }
    __device__ __forceinline__ u32 number() const { return (width - bits + 1) << bits; }
    // Buckets of one number each: the last bucket is none of them.
    __device__ __forceinline__ u32 singles() const { return min(2u << bits, number() - 1); }
    __device__ __forceinline__ u32 bucket(KeyBits key) const {
        if (key >> bits == 0) return (u32)key;
        const u32 octave = highest_bit(key) - bits;
        return min((octave + 1) << bits | ((u32)(key >> octave) & ((1 << bits) - 1)), number() - 1);
    }
};
