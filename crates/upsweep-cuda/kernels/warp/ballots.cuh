// Match of lanes with the same digit, by ballots.

#pragma once

#include "config.cuh"

// Returns those of the lanes `same` that have this lane's digit, by a ballot for each of its bits from `FIRST` to `BITS
// - 1`.
template <u32 FIRST, u32 BITS>
__device__ __forceinline__ u32 same_by_ballots(u32 digit, u32 same = ~0u) {
#pragma unroll
    for (u32 bit = FIRST; bit < BITS; bit++) {
        const u32 mine = (u32)((i32)(digit << (31 - bit)) >> 31);
        same &= ~(__ballot_sync(~0u, (i32)mine < 0) ^ mine);
    }
    return same;
}
