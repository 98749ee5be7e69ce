// Stores of a warp from contiguous shared memory.
//
//   a unit of 16 bytes of the output  =  the end of one unit of the source  .  the begin of the next one
//
// The source begins at a multiple of 16 bytes, whatever the destination: so all but the first and last 16 bytes are
// loaded and stored 16 at a time.

#pragma once

#include "warp/index.cuh"

// Calls `store(i, read(i))` for the indexes i from 0 to `number - 1`, several reads before their stores. The lanes
// access rows of LANES indexes, a lane one index of each, and index 0 is at offset `skew` of the first row. LANES is
// more than WARP if several warps store together.
template <u32 LANES = WARP, class Read, class Store>
__device__ __forceinline__ void warp_store(u32 number, u32 skew, Read read, Store store) {
    constexpr u32 AT_ONCE = 4;
    for (i32 i = (i32)(threadIdx.x % LANES - skew); i < (i32)number; i += LANES * AT_ONCE) {
        decltype(read(0u)) values[AT_ONCE];
#pragma unroll
        for (i32 j = 0; j < (i32)AT_ONCE; j++) {
            const i32 at = i + j * (i32)LANES;
            if (at >= 0 && at < (i32)number) values[j] = read((u32)at);
        }
#pragma unroll
        for (i32 j = 0; j < (i32)AT_ONCE; j++) {
            const i32 at = i + j * (i32)LANES;
            if (at >= 0 && at < (i32)number) store((u32)at, values[j]);
        }
    }
}

// Stores `number` units of 16 bytes. Unit i of `to` is the last WORDS words and `bits` bits of unit i - 1 of `from`,
// then the begin of unit i of `from`. IN_WORDS: `bits` is 0.
template <u32 WORDS, bool IN_WORDS>
__device__ __forceinline__ void warp_store_units(uint4* to, const uint4* from, u32 number, u32 bits) {
    const auto read = [&](u32 i) {
        const uint4 before = from[(i32)i - 1], own = from[i];
        const u32 words[8] = {before.x, before.y, before.z, before.w, own.x, own.y, own.z, own.w};
        const auto word = [&](u32 j) {
            return IN_WORDS ? words[4 - WORDS + j] : __funnelshift_l(words[3 - WORDS + j], words[4 - WORDS + j], bits);
        };
        return uint4{word(0), word(1), word(2), word(3)};
    };
    warp_store(number, 0, read, [&](u32 i, const uint4& unit) { to[i] = unit; });
}

// Stores the first and the last unit of 16 bytes, if these are incomplete, of the bytes `phase` to `end - 1` from
// `base` on. Each byte lies at the same offset from `from`.
template <class E, u32 LANES = WARP>
__device__ __forceinline__ void warp_store_ends(unsigned char* base, const unsigned char* from, u32 phase, u32 end) {
    // Half of a warp stores the first unit, if it is incomplete, the other half the last.
    constexpr u32 PART = alignof(E) >= 4 ? 4 : 1;
    const u32 thread = threadIdx.x % LANES, lane = thread % 16, behind = end / 16, at = (thread < 16 ? 0 : behind * 16) + lane * PART;
    const bool mine = thread < WARP && lane < 16 / PART && (thread < 16 ? phase > 0 : behind > 0 || phase == 0);
    if (mine && at >= phase && at < end) {
        if constexpr (PART == 4) *(u32*)(base + at) = *(const u32*)(from + at);
        else base[at] = from[at];
    }
}

// Stores the `number` elements at `from` in shared memory, a multiple of 16, to `to` in global memory.
template <class E>
__device__ __forceinline__ void warp_store_elements(E* to, const unsigned char* from, u32 number) {
    constexpr bool IN_WORDS = alignof(E) >= 4;
    const u32 phase = (u64)to % 16, end = phase + number * (u32)sizeof(E), first = phase > 0 ? 1 : 0, behind = end / 16;
    unsigned char* const base = (unsigned char*)to - phase;
    if (behind > first) {
        uint4* const units = (uint4*)base + first;
        const uint4* const own = (const uint4*)from + first;
        const u32 whole = behind - first, bits = phase % 4 * 8;
        if (phase == 0) warp_store(whole, 0, [&](u32 i) { return own[i]; }, [&](u32 i, const uint4& unit) { units[i] = unit; });
        else if (phase < 4) warp_store_units<0, IN_WORDS>(units, own, whole, bits);
        else if (phase < 8) warp_store_units<1, IN_WORDS>(units, own, whole, bits);
        else if (phase < 12) warp_store_units<2, IN_WORDS>(units, own, whole, bits);
        else warp_store_units<3, IN_WORDS>(units, own, whole, bits);
    }
    warp_store_ends<E>(base, from - phase, phase, end);
}

// Stores the `number` elements in `buffer`, whose address is a multiple of 16, to `to`. The first one lies in `buffer`
// at the byte offset that is the address of `to` modulo 16.
template <u32 LANES, class E>
__device__ __forceinline__ void store_in_phase(E* to, const unsigned char* buffer, u32 number) {
    const u32 phase = (u64)to % 16, end = phase + number * (u32)sizeof(E), first = phase > 0 ? 1 : 0, behind = end / 16;
    unsigned char* const base = (unsigned char*)to - phase;
    uint4* const units = (uint4*)base + first;
    const uint4* const own = (const uint4*)buffer + first;
    if (behind > first) warp_store<LANES>(behind - first, 0, [&](u32 i) { return own[i]; }, [&](u32 i, const uint4& unit) { units[i] = unit; });
    warp_store_ends<E, LANES>(base, buffer, phase, end);
}
