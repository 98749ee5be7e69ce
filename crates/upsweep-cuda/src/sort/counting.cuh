// Counting sort of keys of one or two bytes, without values: keys that are equal in every bit are indistinguishable.
// Zeros are equal whatever their signs, so a block whose part has zeros with a sign reads it again, and stores the
// signs of its zeros in order.
//
//   tally     counts[x] += 1 for all keys x; the last block: places[x] = counts[0] + .. + counts[x - 1]
//   fill      output[i] = x for places[x] <= i < places[x + 1]; zeros of both signs are read from the stored signs,
//             part by part
//
// A block's counters of keys of two bytes lie in shared memory, two of 16 bits in a word. The thread whose addition
// takes a counter to half of its range subtracts that half and adds it to the count of all blocks. Fewer keys are added
// in the meantime than the other half holds.

#include "memory/instructions.cuh"
#include "sort/radix.cuh"
#include "warp/shuffle.cuh"

constexpr u32 VALUES = (u32)((u64)1 << KEY_WIDTH);
constexpr u32 HALF = 1 << 15;
extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Turns the count of each value, over all blocks, into a place: the output's first index with the value, which is the
// exclusive prefix of the counts. Called by all threads of one block.
__device__ __forceinline__ void counts_to_places(u64* counts) {
    constexpr u32 PART = VALUES / WARPS;  // number of values whose counts a warp scans
    __shared__ u64 totals[WARPS];
    u64* const mine = counts + warp_index() * PART + lane_index();
    u64 sum = 0;
#pragma unroll 8
    for (u32 i = 0; i < PART; i += WARP) sum += *(volatile u64*)(mine + i);
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const u64 other = shuffle_up(sum, distance);
        if (lane_index() >= distance) sum += other;
    }
    if (lane_index() == WARP - 1) totals[warp_index()] = sum;
    __syncthreads();
    u64 lower = 0;
    for (u32 warp = 0; warp < warp_index(); warp++) lower += totals[warp];
#pragma unroll 4
    for (u32 i = 0; i < PART; i += WARP) {
        const u64 count = *(volatile u64*)(mine + i);
        u64 inclusive = count;
#pragma unroll
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            const u64 other = shuffle_up(inclusive, distance);
            if (lane_index() >= distance) inclusive += other;
        }
        mine[i] = lower + inclusive - count;
        lower += shuffle(inclusive, WARP - 1);
    }
}

// Highest bit of the word that describes the zeros of a part (the keys that a block counts): whether some of them have
// a sign. The other bits are the number of zeros until the last block has come, then its exclusive prefix over the
// parts.
constexpr u64 SOME_NEGATIVE = 1ull << 63;

// Stores in `signs`, a bit for each, the signs of the `number` zeros among the keys from `begin` to `end`. Called by
// all threads of one block.
__device__ __noinline__ void keep_signs(const KeyBits* keys, u64 begin, u64 end, u32 number, u32* signs) {
    __shared__ u32 of_warps[WARPS];
    for (u32 i = threadIdx.x; i <= number / 32; i += THREADS) signs[i] = 0;
    u32 before = 0;
    for (u64 first = begin; first < end; first += THREADS) {
        const u64 i = first + threadIdx.x;
        const KeyBits key = i < end ? in_order(keys[i]) : (KeyBits)0;
        const u32 zeros = __ballot_sync(~0u, i < end && is_zero(key));
        __syncthreads();
        if (lane_index() == 0) of_warps[warp_index()] = __popc(zeros);
        __syncthreads();
        u32 own = before + __popc(zeros & ((1u << lane_index()) - 1));
        for (u32 warp = 0; warp < WARPS; warp++) {
            own += warp < warp_index() ? of_warps[warp] : 0;
            before += of_warps[warp];
        }
        if (i < end && is_negative_zero(key)) atomicOr(signs + own / 32, 1u << own % 32);
    }
}

// Turns the numbers of zeros of the `parts` parts, in `zeros`, into exclusive prefixes. Called by all threads of one
// block.
__device__ __noinline__ void zeros_to_places(u64* zeros, u32 parts) {
    if (warp_index() > 0) return;
    u64 before = 0;
    for (u32 first = 0; first < parts; first += WARP) {
        const u32 part = first + lane_index();
        const u64 word = part < parts ? *(volatile u64*)(zeros + part) : 0;
        u64 sum = word & ~SOME_NEGATIVE;
#pragma unroll
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            const u64 other = shuffle_up(sum, distance);
            if (lane_index() >= distance) sum += other;
        }
        if (part < parts) zeros[part] = (before + sum - (word & ~SOME_NEGATIVE)) | (word & SOME_NEGATIVE);
        before += shuffle(sum, WARP - 1);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_tally(const __grid_constant__ SortTallyParams p) {
    u32* const words = (u32*)dynamic_shared;
    const KeyBits* const keys = (const KeyBits*)p.keys;
    for (u32 i = threadIdx.x; i < VALUES / 2; i += THREADS) words[i] = 0;
    // Number of times that HALF has been subtracted from the counter of the zeros without a sign, and of those with
    // one.
    __shared__ u32 halves_of_zeros[2];
    if (HAS_ZEROS && threadIdx.x < 2) halves_of_zeros[threadIdx.x] = 0;
    __syncthreads();
    const auto add = [&](KeyBits key, u32 number) {
        const u32 value = (u32)in_order(key), shift = value % 2 * 16;
        const u32 before = atomicAdd(words + value / 2, number << shift) >> shift & 0xffff;
        if (before < HALF && before + number >= HALF) {
            atomicAdd(words + value / 2, 0u - (HALF << shift));
            atomicAdd(p.counts + value, (u64)HALF);
            if (is_zero((KeyBits)value)) atomicAdd(&halves_of_zeros[is_negative_zero((KeyBits)value)], 1u);
        }
    };
    const u64 begin = min(p.n, blockIdx.x * p.part), end = min(p.n, begin + p.part);
    constexpr u32 VECTOR_KEYS = 16 / KEY_BYTES;
    struct alignas(16) KeyVector { KeyBits at[VECTOR_KEYS]; };
    const u64 skew = (u64)keys / KEY_BYTES % VECTOR_KEYS;
    const u64 first = min(end, begin + (VECTOR_KEYS - (begin + skew) % VECTOR_KEYS) % VECTOR_KEYS);
    const u64 vectors = (end - first) / VECTOR_KEYS;
    for (u64 i = begin + threadIdx.x; i < first; i += THREADS) add(keys[i], 1);
    for (u64 i = first + vectors * VECTOR_KEYS + threadIdx.x; i < end; i += THREADS) add(keys[i], 1);
#pragma unroll 2
    for (u64 v = threadIdx.x; v < vectors; v += THREADS) {
        const KeyVector x = *(const KeyVector*)(keys + first + v * VECTOR_KEYS);
        bool alike = true;
#pragma unroll
        for (u32 i = 1; i < VECTOR_KEYS; i++) alike &= x.at[i] == x.at[0];
        if (alike) {
            add(x.at[0], VECTOR_KEYS);
        } else {
#pragma unroll
            for (u32 i = 0; i < VECTOR_KEYS; i++) add(x.at[i], 1);
        }
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < VALUES; i += THREADS) {
        const u32 count = words[i / 2] >> i % 2 * 16 & 0xffff;
        if (count > 0) atomicAdd(p.counts + i, (u64)count);
    }
    if (HAS_ZEROS) {
        const auto number_of = [&](KeyBits zero) {
            return (words[(u32)zero / 2] >> (u32)zero % 2 * 16 & 0xffff) + HALF * halves_of_zeros[is_negative_zero(zero)];
        };
        const u32 negative = number_of(NEGATIVE_ZERO), number = negative + number_of(POSITIVE_ZERO);
        if (threadIdx.x == 0) p.zeros[blockIdx.x] = (u64)number | (negative > 0 ? SOME_NEGATIVE : 0);
        if (negative > 0) keep_signs(keys, begin, end, number, p.signs + blockIdx.x * p.signs_of_part);
    }
    // All counts are visible once the last block has come: each block fences its additions.
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(p.done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (HAS_ZEROS) {
        const bool both = *(volatile u64*)(p.counts + (u32)NEGATIVE_ZERO) > 0 && *(volatile u64*)(p.counts + (u32)POSITIVE_ZERO) > 0;
        if (both) zeros_to_places(p.zeros, gridDim.x);
        __syncthreads();  // before counts become places
    }
    counts_to_places(p.counts);
}

// Returns zero number `place`, from 0 on, of the output's zeros, with its sign, if there are zeros of both signs.
__device__ __noinline__ KeyBits zero_at(const SortFillParams& p, u64 place) {
    u32 part = 0;
    for (u32 beyond = (u32)p.parts; part + 1 < beyond;) {
        const u32 middle = (part + beyond) / 2;
        if ((p.zeros[middle] & ~SOME_NEGATIVE) <= place) part = middle;
        else beyond = middle;
    }
    const u64 begin = p.zeros[part], own = place - (begin & ~SOME_NEGATIVE);
    const bool negative = (begin & SOME_NEGATIVE) != 0 && (p.signs[part * p.signs_of_part + own / 32] >> own % 32 & 1) != 0;
    return negative ? NEGATIVE_ZERO : POSITIVE_ZERO;
}

// Fills the output with the sorted keys. A warp fills RANGE results at a time, from a multiple of RANGE on: whole
// memory lines of the output. An output that is not aligned to lines begins at an offset.
extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_fill(const __grid_constant__ SortFillParams p) {
    constexpr u32 RANGE = FILL_BYTES / KEY_BYTES, AT_ONCE = 8 * WARP;
    const u64* const places = p.places;
    const u32 lane = lane_index();
    const u64 skew = (u64)p.output / KEY_BYTES % WARP;
    // From here on, places are counted from the begin of a line of WARP keys.
    KeyBits* const output = (KeyBits*)p.output - skew;
    // Whether `value` is a zero, and there are zeros of both signs.
    const auto has_both = [&](u32 value) {
        return is_zero((KeyBits)value) && places[(u32)FIRST_ZERO] < places[(u32)FIRST_ZERO + 1] && places[(u32)FIRST_ZERO + 1] < places[(u32)FIRST_ZERO + 2];
    };
    const u64 end_of_all = p.n + skew, warps = (u64)gridDim.x * WARPS;
    for (u64 begin = (blockIdx.x * (u64)WARPS + warp_index()) * RANGE; begin < end_of_all; begin += warps * RANGE) {
        const u64 end = min(end_of_all, begin + RANGE), from = max(begin, skew);
        // Binary search, 32 values at a time, of the last value whose first place is `place` or lower.
        const auto value_at = [&](u64 place) {
            u32 value = 0;
            for (u32 part = VALUES / WARP;; part = part > WARP ? part / WARP : 1) {
                const u32 first = value + lane * part;
                value += (__popc(__ballot_sync(~0u, first < VALUES && places[first] + skew <= place)) - 1) * part;
                if (part == 1) return value;
            }
        };
        // Window: the ends of the runs of the 32 values from `window` on, one in each lane. A run is the equal keys of
        // one value in the output.
        u32 value = value_at(from), window = value;
        u64 ends = 0;
        const auto look = [&] { ends = window + lane + 1 < VALUES ? places[window + lane + 1] + skew : ~0ull; };
        look();
        u64 run_end = shuffle(ends, 0u);
        // Advances to the next value that occurs: in this window, in the next one, or anywhere.
        const auto next_value = [&] {
            for (u32 windows = 1;; windows++) {
                const u32 later = __ballot_sync(~0u, ends > run_end);
                if (later != 0) {
                    value = window + __ffs(later) - 1;
                    run_end = shuffle(ends, value - window);
                    return;
                }
                window = windows == 1 ? window + WARP : value_at(run_end);
                look();
            }
        };
        for (u64 row = begin; row < end;) {
            const KeyBits key = out_of_order((KeyBits)value);
            if (row + AT_ONCE <= min(run_end, end) && row >= skew && !has_both(value)) {
#pragma unroll
                for (u32 i = 0; i < AT_ONCE; i += WARP) output[row + i + lane] = key;
                row += AT_ONCE;
                continue;
            }
            // A row of results in which a run of equal keys ends: each lane finds the value of its own result.
            u32 own = value;
            const u64 place = row + lane;
            while (run_end <= row + WARP && run_end < end) {
                const u64 begins = run_end;
                next_value();
                if (place >= begins) own = value;
            }
            if (place >= skew && place < end) output[place] = out_of_order(has_both(own) ? zero_at(p, place - skew - places[(u32)FIRST_ZERO]) : (KeyBits)own);
            row += WARP;
        }
    }
}
