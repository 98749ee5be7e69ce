// Kernels before the passes that sort long segments. Each segment is sorted separately, in launches that all of them
// share.
//
//   starts    the caller's offsets as numbers of 64 bits; the check that they ascend from 0 to n
//   cut       the range of tiles of each long segment; the plan of each pass
//   count     the counts of each digit in each long segment; the position of its tiles
//   places    the place of the first key with each digit
//
// Segments come from a list that `sort/short.cuh` has made, or are all rows of an array.

#include "memory/workspace.cuh"
#include "sort/radix.cuh"
#include "warp/shuffle.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_starts(const __grid_constant__ SortStartsParams p) {
    using Offset = Number<OFFSET_BYTES>::type;
    const Offset* const offsets = (const Offset*)p.offsets;
    u64* const starts = (u64*)p.starts;
    SegmentHeader& header = *(SegmentHeader*)p.header;
    const u64 threads = (u64)gridDim.x * THREADS;
    const auto value = [&](u64 i) { return OFFSET_SIGNED ? (u64)(i64)(Number<OFFSET_BYTES>::negative)offsets[i] : (u64)offsets[i]; };
    const auto negative = [&](u64 offset) { return OFFSET_SIGNED && (i64)offset < 0; };
    for (u64 i = blockIdx.x * (u64)THREADS + threadIdx.x; i <= p.segments; i += threads) {
        const u64 own = value(i);
        const bool first = i == 0 && own != 0, last = i == p.segments && own != p.n;
        // A negative predecessor is itself reported, so any offset after it is accepted.
        const bool descends = i > 0 && value(i - 1) > own && !negative(value(i - 1));
        if (first || last || descends || negative(own)) {
            header.wrong = 1;
            report_fault(p.workspace, FAULT_OFFSETS, i, (i64)own);
        }
        starts[i] = own;
    }
}

__device__ __forceinline__ SortSegment long_segment(const void* list, u64 length, u32 index) {
    return list ? ((const SortSegment*)list)[index] : SortSegment{index * length, length};
}

// Numbers the tiles of the long segments (block 0) and clears their counters (the other blocks).
extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_cut(const __grid_constant__ SortPartsParams p) {
    SegmentHeader& segments = *(SegmentHeader*)p.segments;
    const u32 number = p.list ? segments.listed[3] : (u32)p.rows;
    if (blockIdx.x > 0) {
        const u64 counters = (u64)number * DIGITS_A_KEY * DIGITS, threads = (u64)(gridDim.x - 1) * THREADS;
        for (u64 i = (blockIdx.x - 1) * (u64)THREADS + threadIdx.x; i < counters; i += threads) ((u64*)p.counts)[i] = 0;
        return;
    }
    SortHeader& header = *(SortHeader*)p.header;
    __shared__ u32 sums[WARPS];
    u32 lower = 0;
    for (u32 begin = 0; begin < number; begin += THREADS) {
        const u32 index = begin + threadIdx.x;
        const u32 tiles = index < number ? (u32)((long_segment(p.list, p.length, index).count + p.tile - 1) / p.tile) : 0;
        u32 inclusive = tiles;
#pragma unroll
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            const u32 other = shuffle_up(inclusive, distance);
            if (lane_index() >= distance) inclusive += other;
        }
        if (lane_index() == WARP - 1) sums[warp_index()] = inclusive;
        __syncthreads();
        u32 before = lower;
        for (u32 warp = 0; warp < WARPS; warp++) {
            if (warp < warp_index()) before += sums[warp];
            lower += sums[warp];
        }
        if (index < number) ((u32*)p.firsts)[index] = before + inclusive - tiles;
        __syncthreads();
    }
    if (threadIdx.x != 0) return;
    ((u32*)p.firsts)[number] = lower;
    header.tiles = lower;
    if (number == 0) return;
    // The passes go from the input to scratch and the result in turns. In place, an odd number of passes begins with a
    // copy.
    const bool copies = p.in_place && DIGITS_A_KEY % 2 == 1;
    Place from = Place::INPUT;
    for (u32 launch = 0; launch < DIGITS_A_KEY + copies; launch++) {
        const u32 pass = launch - copies, left = DIGITS_A_KEY + copies - 1 - launch;
        const Place to = left % 2 == 0 ? Place::RESULT : Place::SCRATCH;
        const bool copy = copies && launch == 0, first = pass == 0, last = left == 0;
        const u64* const bases = (const u64*)p.counts + (copy ? 0 : pass * DIGITS);
        header.steps[launch] = {copy ? Deed::COPY : Deed::SORT, from, to, copy ? 0 : pass * DIGIT_BITS, copy ? 0 : pass, first, last, first, 1, 0, DIGITS_A_KEY * DIGITS, bases};
        from = to;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_parts(const __grid_constant__ SortPartsParams p) {
    SortHeader& header = *(SortHeader*)p.header;
    const u32 number = p.list ? ((const SegmentHeader*)p.segments)->listed[3] : (u32)p.rows;
    const u32* const firsts = (const u32*)p.firsts;
    const u32 tiles = header.tiles, begin = (u32)((u64)tiles * blockIdx.x / gridDim.x), end = (u32)((u64)tiles * (blockIdx.x + 1) / gridDim.x);
    __shared__ u32 counters[DIGITS_A_KEY * DIGITS];
    const u64 threads = (u64)gridDim.x * THREADS;
    for (u64 i = blockIdx.x * (u64)THREADS + threadIdx.x; i < (u64)tiles * DIGITS; i += threads) {
        ((StatusWord*)p.status)[i] = DigitStatus::word(DigitStatus::EMPTY, 0, 0);
    }
    if (begin == end) return;
    for (u32 i = threadIdx.x; i < DIGITS_A_KEY * DIGITS; i += THREADS) counters[i] = 0;
    __syncthreads();
    bool zeros = false;  // whether a zero has a sign
    // Index of the segment of the block's first tile: the last segment whose first tile is that tile or an earlier one.
    u32 index = 0;
    for (u32 step = 1u << 31; step > 0; step /= 2) {
        if ((u64)index + step < number && firsts[index + step] <= begin) index += step;
    }
    for (u32 tile = begin; tile < end; tile++) {
        while (index + 1 < number && firsts[index + 1] <= tile) index++;
        const SortSegment segment = long_segment(p.list, p.length, index);
        const u64 at = (u64)(tile - firsts[index]) * p.tile;
        const u32 count = (u32)min(p.tile, segment.count - at);
        if (threadIdx.x == 0) ((SortTile*)p.tiles)[tile] = {segment.begin + at, at, count, index << 1 | (at == 0)};
        const KeyBits* const keys = (const KeyBits*)p.keys + segment.begin + at;
        for (u32 i = threadIdx.x; i < count; i += THREADS) {
            const KeyBits own = in_order(keys[i]), key = with_one_zero(own);
            zeros |= is_negative_zero(own);
#pragma unroll
            for (u32 digit = 0; digit < DIGITS_A_KEY; digit++) atomicAdd(counters + digit * DIGITS + digit_at(key, digit * DIGIT_BITS), 1u);
        }
        if (tile + 1 < end && firsts[index + 1] > tile + 1) continue;
        __syncthreads();
        for (u32 i = threadIdx.x; i < DIGITS_A_KEY * DIGITS; i += THREADS) {
            if (counters[i] > 0) atomicAdd((u64*)p.counts + (u64)index * DIGITS_A_KEY * DIGITS + i, (u64)counters[i]);
            counters[i] = 0;
        }
        __syncthreads();
    }
    if (zeros) atomicOr(&header.order, (u32)NEGATIVE_ZEROS);
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_places(const __grid_constant__ SortPartsParams p) {
    const u32 number = p.list ? ((const SegmentHeader*)p.segments)->listed[3] : (u32)p.rows;
    const u64 warps = (u64)gridDim.x * WARPS;
    for (u64 row = blockIdx.x * (u64)WARPS + warp_index(); row < (u64)number * DIGITS_A_KEY; row += warps) {
        u64 lower = long_segment(p.list, p.length, (u32)(row / DIGITS_A_KEY)).begin;
        for (u32 d = 0; d < DIGITS; d += WARP) {
            u64* const place = (u64*)p.counts + row * DIGITS + d + lane_index();
            const u64 count = *place;
            u64 sum = count;
#pragma unroll
            for (u32 distance = 1; distance < WARP; distance *= 2) {
                const u64 other = shuffle_up(sum, distance);
                if (lane_index() >= distance) sum += other;
            }
            *place = lower + sum - count;
            lower += shuffle(sum, WARP - 1);
        }
    }
}
