// Plan of the LSD passes, once all digits are counted.

#pragma once

#include "sort/visit.cuh"
#include "warp/shuffle.cuh"

// Plans each launch of the sort; `varies[d]` tells whether digit d differs among the keys. `cursors` are DIGITS
// numbers, all 0, for keys without values. If equal keys are distinguishable (`told_apart`), each pass is stable.
__device__ __forceinline__ void plan_steps(SortHeader& header, const bool* varies, bool in_place, void* cursors, bool told_apart) {
    u32 passes = 0;
    for (u32 p = 0; p < DIGITS_A_KEY; p++) passes += varies[p];
    const bool copies = in_place ? passes % 2 == 1 : passes == 0;
    u32 launch = 0, left = passes + copies, sorted = 0;
    Place from = Place::INPUT;
    const auto add = [&](Deed deed, u32 shift) {
        left--;
        const Place to = left % 2 == 0 ? Place::RESULT : Place::SCRATCH;
        const bool sorts = deed == Deed::SORT;
        const bool first = sorts && sorted == 0, last = sorts && sorted == passes - 1, in_any_order = first && !told_apart;
        // The first pass, of keys alone that are indistinguishable if equal, does not look back.
        const u32 turn = !told_apart && sorted > 0 ? sorted - 1 : sorted;
        header.steps[launch++] = {deed, from, to, shift, turn, first, last, first, 0, 0, 0, header.counts[shift / DIGIT_BITS], in_any_order ? cursors : nullptr};
        sorted += sorts;
        from = to;
    };
    if (copies) add(Deed::COPY, 0);
    for (u32 p = 0; p < DIGITS_A_KEY; p++) {
        if (varies[p]) add(Deed::SORT, p * DIGIT_BITS);
    }
}

// Plans a reversal of keys in reverse order: they are stored from the last to the first; in place, from a copy.
__device__ __forceinline__ void plan_reversal(SortHeader& header, bool in_place) {
    if (in_place) header.steps[0] = {Deed::COPY, Place::INPUT, Place::SCRATCH};
    header.steps[in_place] = {Deed::REVERSE, in_place ? Place::SCRATCH : Place::INPUT, Place::RESULT};
}

// Turns the counts of digits in the header into exclusive prefixes, and plans each launch. `order` is the union of the
// comparisons of all neighbouring keys (`Order`). Called by all threads of one block.
__device__ __forceinline__ void plan_passes(SortHeader& header, u64 n, bool in_place, u32 order, void* cursors) {
    const bool sorted = Seen::in_order(order);
    __shared__ bool varies[DIGITS_A_KEY];
    for (u32 digit = warp_index(); digit < DIGITS_A_KEY; digit += WARPS) {
        u64 lower = 0;
        bool all_alike = false;
        for (u32 d = 0; d < DIGITS; d += WARP) {
            u64* const place = &header.counts[digit][d + lane_index()];
            const u64 count = *(volatile u64*)place;
            u64 sum = count;
#pragma unroll
            for (u32 distance = 1; distance < WARP; distance *= 2) {
                const u64 other = shuffle_up(sum, distance);
                if (lane_index() >= distance) sum += other;
            }
            all_alike |= __any_sync(~0u, count == n);
            *place = lower + sum - count;
            lower += shuffle(sum, WARP - 1);
        }
        if (lane_index() == 0) varies[digit] = !all_alike && !sorted;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (Seen::reversed(order)) plan_reversal(header, in_place);
    else plan_steps(header, varies, in_place, cursors, VALUE_BYTES > 0 || Seen::has_zeros(order));
}
