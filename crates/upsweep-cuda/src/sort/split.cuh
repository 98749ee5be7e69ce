// The first kernel of an MSD radix sort: counts the keys by their highest bits, and chooses the path of the sort.
//
//   a sample of the keys, the same for all blocks, chooses
//       the window      `bits` bits from the highest on that differ: if a key differs in a higher bit, too, the sort
//                       goes by LSD passes
//       few keys        the distinct ones of the sample, if a bucket has too much of it and they are few (sort/few.cuh)
//       skewed keys     if buckets of equal highest bits are far too large, but those of octaves (sort/octaves.cuh) are
//                       not: the next launch counts the octaves, and this kernel ends
//   count[x >> shift] += 1 for the block's keys x, by the bits in the window; or by distinct key, of few
//   the last block:
//       if all keys are among the few, the next launch fills them in
//       places[v] = counts[0] + .. + counts[v - 1]
//       keys in order are copied, keys in reverse order are reversed
//       if a bucket of equal highest bits is too large for a block, the sort goes by LSD passes, whose digits the next
//       kernel counts, or with COUNT_DIGITS this one
//       else one pass by the highest bits, or two by half of them each, put each bucket in its place, and blocks sort the
//       buckets. The second pass is one of each bucket of the first, cut into tiles. Or a single pass by all of these
//       bits scatters the keys to buckets (sort/scatter.cuh)
//
// A block's counters lie in shared memory: a word each, if there is room (WIDE_COUNTERS), else two of 16 bits in a
// word. The thread whose addition takes a counter of 16 bits to half of its range subtracts that half and adds it to
// the count of all blocks. Fewer keys are added in the meantime than the other half holds.

#include "memory/instructions.cuh"
#include "sort/few.cuh"
#include "sort/octaves.cuh"
#include "sort/passes.cuh"
#include "sort/visit.cuh"
#include "warp/shuffle.cuh"
#include "warp/sum.cuh"

constexpr u32 HALF = 1 << 15;
// Two neighbouring buckets have too many keys of the sample if these are more than 8 times the mean of one bucket, plus
// this number.
constexpr u32 CROWDED = 8;
// Two buckets are surely too large if the sample predicts so many times the limit of one: 2 * 2, as a sample errs.
constexpr u32 OVERFULL = 4;
constexpr u32 OUTSIDE = 4;  // flag beside `Order`: a key is outside of the window
extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Turns the counts of the `values` buckets, summed over all blocks, into places: the index of each bucket's first key
// in the sorted array. Returns the largest count. Buckets of more than `p.room` keys are appended to a list. Called by
// all threads of one block.
__device__ __forceinline__ u32 counts_to_places(const SortSplitParams& p, u64* counts, u32 values) {
    __shared__ u64 totals[WARPS];
    __shared__ u32 largest;
    const u32 part = max(values / WARPS, WARP), begin = min(values, warp_index() * part), end = min(values, begin + part);
    if (threadIdx.x == 0) largest = 0;
    u64 sum = 0, most = 0;
#pragma unroll 8
    for (u32 i = begin + lane_index(); i < end; i += WARP) {
        const u64 count = *(volatile u64*)(counts + i);
        sum += count, most = max(most, count);
    }
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const u64 other = shuffle_up(sum, distance);
        if (lane_index() >= distance) sum += other;
    }
    if (lane_index() == WARP - 1) totals[warp_index()] = sum;
    __syncthreads();
    atomicMax(&largest, (u32)min(most, (u64)~0u));
    u64 lower = 0;
    for (u32 warp = 0; warp < warp_index(); warp++) lower += totals[warp];
#pragma unroll 4
    for (u32 i = begin; i < end; i += WARP) {
        const u64 count = *(volatile u64*)(counts + i + lane_index());
        u64 inclusive = count;
#pragma unroll
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            const u64 other = shuffle_up(inclusive, distance);
            if (lane_index() >= distance) inclusive += other;
        }
        counts[i + lane_index()] = lower + inclusive - count;
        if (count > p.room && p.list) {
            const u32 at = atomicAdd(&((SortHeader*)p.header)->listed, 1u);
            if (at < p.most_listed) ((SortSegment*)p.list)[at] = {lower + inclusive - count, count};
        }
        lower += shuffle(inclusive, WARP - 1);
    }
    if (end == values && begin < values && lane_index() == 0) counts[values] = lower;
    __syncthreads();
    return largest;
}

// Cuts the buckets of the first pass, which goes by `first_bits` bits, into tiles. Returns the number of tiles. Called
// by all threads of one block.
__device__ __forceinline__ u32 cut_into_tiles(const SortSplitParams& p, u32 first_bits) {
    const u64* const places = (const u64*)p.places;
    const u32 second_bits = (u32)p.bits - first_bits, buckets = 1 << first_bits;
    __shared__ u32 begins[DIGITS + 1];
    for (u32 bucket = threadIdx.x; bucket < buckets; bucket += THREADS) {
        const u64 count = places[(u64)(bucket + 1) << second_bits] - places[(u64)bucket << second_bits];
        begins[bucket + 1] = (u32)((count + p.tile - 1) / p.tile);
    }
    __syncthreads();
    if (warp_index() == 0) {
        u32 before = 0;
        for (u32 d = 0; d < buckets; d += WARP) {
            const u32 inclusive = warp_inclusive_sum(begins[d + lane_index() + 1]);
            begins[d + lane_index() + 1] = before + inclusive;
            before += __shfl_sync(~0u, inclusive, WARP - 1);
        }
        if (lane_index() == 0) begins[0] = 0;
    }
    __syncthreads();
    for (u32 bucket = warp_index(); bucket < buckets; bucket += WARPS) {
        const u64 begin = places[(u64)bucket << second_bits], end = places[(u64)(bucket + 1) << second_bits];
        const u32 row = bucket << second_bits >> DIGIT_BITS;
        for (u32 i = lane_index(); i < begins[bucket + 1] - begins[bucket]; i += WARP) {
            const u64 at = begin + i * p.tile;
            ((SortTile*)p.tiles)[begins[bucket] + i] = {at, i * p.tile, (u32)min(p.tile, end - at), row << 1 | (i == 0)};
        }
    }
    return begins[buckets];
}

// Window of bits that select a key's bucket: the highest that differ in a sample, which is the same for all blocks.
struct Window {
    KeyBits first;  // the bits above the window are those of this key
    u32 shift;
    KeyBits below;  // mask of the bits in the window and below it
    bool crowded;   // whether the sample has too many keys in one bucket
    bool skewed;    // whether one surely has too many keys, but no bucket of an octave has
    KeyBits key;    // this thread's key of the sample

    __device__ __forceinline__ bool has(KeyBits key) const { return (KeyBits)(key ^ first) <= below; }
    __device__ __forceinline__ u32 bucket(KeyBits key, u32 values) const { return (u32)(key >> shift) & (values - 1); }
};

// Returns the position of key `i` of the sample, of `n` keys: spread evenly over the array, but not at a fixed stride,
// as keys may be periodic.
__device__ __forceinline__ u64 sampled(u32 i, u64 n) { return (u64)((u128)(i * 0x9e3779b97f4a7c15ull) * n >> 64); }

// Chooses the window from a sample of the keys. `counters` are the block's counters of buckets, all 0 before and after.
// Prefetches the first keys from `begin` to `end`, which the block counts next. Called by all threads.
__device__ __forceinline__ Window choose_window(const SortSplitParams& p, u32* counters, u64 begin, u64 end) {
    __shared__ u32 differ[KEY_WORDS];
    // Set of bits: 1, a bucket has too many keys of the sample; 2, two buckets surely have too many; 4, a bucket of an
    // octave has.
    __shared__ u32 crowds;
    const KeyBits* const keys = (const KeyBits*)p.keys;
    const KeyBits first = in_order(keys[0]), key = in_order(keys[sampled(threadIdx.x, p.n)]);
    const u64 near = begin + threadIdx.x * (128 / KEY_BYTES);
    if (near < end) prefetch(keys + near);
    if (threadIdx.x < KEY_WORDS) differ[threadIdx.x] = 0;
    if (threadIdx.x == 0) crowds = 0;
    KeyBits differs = key ^ first;
#pragma unroll
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) differs |= shuffle(differs, lane_index() ^ distance);
    __syncthreads();
    if (lane_index() == 0) merge_bits(differ, differs);
    __syncthreads();
    const u32 bits = (u32)p.bits, width = max(highest_bit(merged_bits(differ)) + 1, bits);
    Window window = {first, width - bits, (KeyBits)((KeyBits)~(KeyBits)0 >> (KEY_WIDTH - width)), false, false, key};
    u32* const counter = counters + window.bucket(key, 1 << bits) / 2;
    const u32 before = atomicAdd(counter, 1u);
    if (before >= CROWDED + (8 * THREADS >> bits)) atomicOr(&crowds, BY_OCTAVES && before * p.n / THREADS > OVERFULL * p.room ? 3u : 1u);
    __syncthreads();
    atomicExch(counter, 0u);
    window.crowded = crowds != 0;
    if (BY_OCTAVES && (crowds & 2)) {
        const Octaves octaves = Octaves::of(width);
        const u32 bucket = octaves.bucket(key);
        __syncthreads();
        if (bucket >= octaves.singles() && atomicAdd(counters + bucket, 1u) * p.n / THREADS > 2 * p.room) atomicOr(&crowds, 4u);
        __syncthreads();
        atomicExch(counters + bucket, 0u);
        window.skewed = (crowds & 4) == 0;
    }
    __syncthreads();
    return window;
}

// Adds 1 to the counter of each digit of each key, in `digits`: DIGITS counters for each of the key's digits.
template <u32 NUMBER>
__device__ __forceinline__ void count_digits(const KeyBits (&key)[NUMBER], u32* digits) {
#pragma unroll
    for (u32 k = 0; k < NUMBER * DIGITS_A_KEY; k++) {
        const u32 digit = k % DIGITS_A_KEY;
        atomicAdd(digits + digit * DIGITS + digit_at(key[k / DIGITS_A_KEY], digit * DIGIT_BITS), 1u);
    }
}

// Merges what this warp's threads have found into the header: comparisons of keys, and whether a key is outside of the
// window.
__device__ __forceinline__ void report(SortHeader& header, const Seen& seen, bool outside) {
    const bool any_outside = __any_sync(~0u, outside);
    seen.report(header);
    if (any_outside && lane_index() == 0) atomicOr(&header.order, OUTSIDE);
}

// Adds the block's keys, those from `begin` to `end` of the array, to the counts of buckets in `p.places`, and with
// COUNT_DIGITS to the block's counts `digits` of digits. Called by all threads; `words`, the block's counters of
// buckets, are all 0 before.
__device__ __forceinline__ void count_buckets(const SortSplitParams& p, const Window& window, u32* words, u32* digits, u64 begin, u64 end) {
    SortHeader& header = *(SortHeader*)p.header;
    u64* const places = (u64*)p.places;
    const u32 values = 1 << p.bits;
    bool outside = false;
    const Seen seen = visit_keys((const KeyBits*)p.keys, begin, end, [&]<u32 NUMBER>(const KeyBits (&key)[NUMBER]) {
        u32 value[NUMBER], before[NUMBER];
        bool flows_over = false, together = NUMBER > 1;
#pragma unroll
        for (u32 k = 0; k < NUMBER; k++) {
            value[k] = window.bucket(key[k], values);
            outside |= !window.has(key[k]);
            together &= value[k] == value[0];
        }
        // Neighbours in one bucket are added at once: sorted keys would serialise the additions of all lanes to one
        // word.
        const u32 amount = together ? NUMBER : 1;
#pragma unroll
        for (u32 k = 0; k < NUMBER; k++) {
            if (k > 0 && together) continue;
            if (WIDE_COUNTERS) atomicAdd(words + value[k], amount);
            else before[k] = atomicAdd(words + value[k] / 2, amount << value[k] % 2 * 16);
        }
        if (COUNT_DIGITS) count_digits(key, digits);
        if (WIDE_COUNTERS) return;
        // Whether this addition has taken a counter to half of its range. It is tested after all additions, so that
        // none waits for another.
        const auto flowed_over = [&](u32 k) {
            const u32 number = before[k] >> value[k] % 2 * 16 & 0xffff;
            return (k == 0 || !together) && number < HALF && number + amount >= HALF;
        };
#pragma unroll
        for (u32 k = 0; k < NUMBER; k++) flows_over |= flowed_over(k);
        if (!flows_over) return;
#pragma unroll
        for (u32 k = 0; k < NUMBER; k++) {
            if (!flowed_over(k)) continue;
            atomicAdd(words + value[k] / 2, 0u - (HALF << value[k] % 2 * 16));
            atomicAdd(places + value[k], (u64)HALF);
        }
    });
    report(header, seen, outside);
    __syncthreads();
    for (u32 i = threadIdx.x; i < values; i += THREADS) {
        const u32 count = WIDE_COUNTERS ? words[i] : words[i / 2] >> i % 2 * 16 & 0xffff;
        if (count > 0) atomicAdd(places + i, (u64)count);
    }
}

// Counts how often each distinct key of `few` occurs among the block's keys, those from `begin` to `end` of the array,
// and adds the counts to `p.places`, in the order of the keys. With COUNT_DIGITS it adds to `digits`, too. `counters`
// have a column for each lane, with a counter for each slot of the hash table; they are all 0 before. Called by all
// threads.
__device__ __forceinline__ void count_few(const SortSplitParams& p, const FewKeys& few, u32* counters, u32* digits, u64 begin, u64 end) {
    SortHeader& header = *(SortHeader*)p.header;
    const u32 factor = FewKeys::factor_of(few.factor);
    u32* const column = counters + lane_index();
    bool outside = false;
    const Seen seen = visit_keys((const KeyBits*)p.keys, begin, end, [&]<u32 NUMBER>(const KeyBits (&key)[NUMBER]) {
#pragma unroll
        for (u32 k = 0; k < NUMBER; k++) {
            const u32 slot = FewKeys::slot(key[k], factor);
            outside |= few.slots[slot] != key[k];
            atomicAdd(column + slot * FEW_LANES, 1u);
        }
        if (COUNT_DIGITS) count_digits(key, digits);
    });
    report(header, seen, outside);
    __syncthreads();
    if (threadIdx.x >= few.number) return;
    const KeyBits mine = few.list[threadIdx.x];
    u32 rank = 0;
    u64 sum = 0;
    for (u32 i = 0; i < few.number; i++) rank += few.list[i] < mine;
    for (u32 c = 0; c < FEW_LANES; c++) sum += counters[FewKeys::slot(mine, factor) * FEW_LANES + (c + threadIdx.x) % FEW_LANES];
    atomicAdd((u64*)p.places + rank, sum);
}

// Plans the launch that fills in the few distinct keys, if there are no others. Called by all threads of a block: one
// plans each distinct key.
__device__ __forceinline__ void plan_fill(const SortSplitParams& p, const FewKeys& few, SortHeader& header) {
    if (threadIdx.x >= few.number) return;
    const KeyBits mine = few.list[threadIdx.x];
    u64 end = 0;
    u32 rank = 0;
    for (u32 i = 0; i < few.number; i++) rank += few.list[i] < mine;
    for (u32 i = 0; i <= rank; i++) end += *(volatile u64*)((u64*)p.places + i);
    header.counts[0][rank] = end;
    ((KeyBits*)header.counts[1])[rank] = out_of_order(mine);
    if (threadIdx.x > 0) return;
    header.road = Road::NONE;
    header.steps[0] = {Deed::FILL, Place::INPUT, Place::RESULT, few.number};
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_split(const __grid_constant__ SortSplitParams p) {
    u32* const words = (u32*)dynamic_shared;
    const u32 values = 1 << p.bits;
    SortHeader& header = *(SortHeader*)p.header;
    u64* const places = (u64*)p.places;
    const u32 counters = max(WIDE_COUNTERS ? values : values / 2, VALUE_BYTES == 0 ? FEW_SLOTS * FEW_LANES : 0);
    u32* const digits = words + counters;
    constexpr u32 DIGIT_COUNTERS = COUNT_DIGITS ? DIGITS_A_KEY * DIGITS : 0;
    for (u32 i = threadIdx.x; i < counters + DIGIT_COUNTERS; i += THREADS) words[i] = 0;
    clear_status((StatusWord*)p.status, p.status_words, p.status_empty);
    __syncthreads();
    const u64 begin = min(p.n, blockIdx.x * p.part), end = min(p.n, begin + p.part);
    const Window window = choose_window(p, words, begin, end);
    __shared__ FewKeys few;
    const bool has_few = VALUE_BYTES == 0 && window.crowded && few.find(window.key);
    // `p.room` is 0 if buckets of random keys would be too large for a block. Then the keys go by LSD passes.
    if (!COUNT_DIGITS && (window.crowded || p.room == 0) && !has_few) return;
    if (BY_OCTAVES && window.skewed && !has_few) {
        const Octaves octaves = Octaves::of(window.shift + (u32)p.bits);
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            header.steps[0] = {Deed::COUNT_OCTAVES, Place::INPUT, Place::RESULT, octaves.singles(), 0, 0, 0, 0, 0, octaves.width, 0, places, p.cursors};
        }
        return;
    }
    if (has_few) count_few(p, few, words, digits, begin, end);
    else count_buckets(p, window, words, digits, begin, end);
    __syncthreads();
    for (u32 i = threadIdx.x; i < DIGIT_COUNTERS; i += THREADS) {
        if (digits[i] > 0) atomicAdd((u64*)header.counts + i, (u64)digits[i]);
    }
    // All counts are visible once the last block has come: each block fences its additions.
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&header.split_done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    const u32 found = *(volatile u32*)&header.order;
    const bool sorted = Seen::in_order(found), reversed = Seen::reversed(found), outside = (found & OUTSIDE) != 0;
    // Distinguishable equal keys are neither filled in nor taken in any order.
    const bool told_apart = VALUE_BYTES == 0 && Seen::has_zeros(found);
    if (has_few && !sorted && !outside && !told_apart) return plan_fill(p, few, header);
    const u32 largest = has_few ? ~0u : counts_to_places(p, places, values);
    const bool fits = largest <= p.room || (p.list && largest <= p.large_room && *(volatile u32*)&header.listed <= p.most_listed);
    const bool splits = !sorted && !reversed && !outside && fits && !told_apart, twice = p.tiles != nullptr, scatters = p.bits > DIGIT_BITS && !twice;
    const u32 first_bits = twice ? ((u32)p.bits + 1) / 2 : (u32)p.bits;
    const u32 tiles = splits && twice ? cut_into_tiles(p, first_bits) : 0;
    if (COUNT_DIGITS && !sorted && !reversed && !splits) plan_passes(header, p.n, p.in_place != 0, found, p.cursors);
    u64* const firsts = header.counts[0];
    if (splits && twice) {
        // Only the lowest bits of a digit of the first pass select a bucket.
        for (u32 d = threadIdx.x; d < DIGITS; d += THREADS) firsts[d] = places[(u64)(d & ((1 << first_bits) - 1)) << (p.bits - first_bits)];
    }
    if (threadIdx.x != 0) return;
    header.shift = window.shift;
    if (sorted) {
        header.road = Road::NONE;
        if (!p.in_place) header.steps[0] = {Deed::COPY, Place::INPUT, Place::RESULT};
    } else if (reversed) {
        header.road = Road::NONE;
        plan_reversal(header, p.in_place != 0);
    } else if (splits) {
        header.road = Road::SPLIT;
        if (scatters) return;
        header.tiles = tiles;
        const Place to = twice || p.in_place ? Place::SCRATCH : Place::RESULT;
        header.steps[0] = {Deed::SORT, Place::INPUT, to, window.shift + (u32)p.bits - first_bits, 0, 1, 0, 1, 0, 0, 0, twice ? firsts : places, p.cursors};
        if (twice) header.steps[1] = {Deed::SORT, Place::SCRATCH, Place::RESULT, window.shift, 1, 0, 0, 1, 1, 0, DIGITS, places, p.cursors ? (StatusWord*)p.cursors + DIGITS : nullptr};
    }
}
