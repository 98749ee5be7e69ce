// Sorts of segments that fit in the shared memory of a block, one at a time: short arrays, rows, and the buckets that passes by the
// highest bits have left.
//
//   for each of the block's segments:
//       load      its keys, a warp's side by side; see which bits differ
//       for each digit of eight bits in which keys differ, from the lowest bit on:
//           rank     each key among its warp's keys with the digit; sum the warps' counts
//           scatter  the keys to their slots, and read them back in their order
//       store     them
//
// Of values, only positions go along, of 16 bits each; the values are fetched at the end, through the slots of the keys. Where equal
// keys cannot be told apart, the first digit is ranked by atomic additions, in any order.

#include "tile/rank.cuh"

constexpr u32 LOCAL_TILE = THREADS * KEYS;
constexpr bool HAS_VALUES = VALUE_BYTES > 0;
using Value = Number<HAS_VALUES ? VALUE_BYTES : 1>::type;
static_assert(THREADS >= DIGITS && KEYS % ROWS_AT_ONCE == 0 && LOCAL_TILE <= 1 << 15, "two ranks of 16 bits in a register");

constexpr u32 KEY_WORDS = (KEY_BYTES + 3) / 4;
struct LocalShared {
    u32 masks[WARPS][MASK_ROWS * DIGITS];  // a bit for each lane that has the digit
    u16 counts[WARPS][DIGITS];             // of the warp's keys; then the slot of the warp's first key with the digit
    u32 sums[DIGITS / WARP];
    u32 differ[2][KEY_WORDS];  // the bits that differ in this segment, and 0, for the next one
};
constexpr u32 LOCAL_SLOT_BYTES = LOCAL_TILE * (KEY_BYTES > VALUE_BYTES ? KEY_BYTES : VALUE_BYTES);
constexpr u32 LOCAL_POSITION_BYTES = HAS_VALUES ? LOCAL_TILE * 2 : 0;
static_assert(LOCAL_SLOT_BYTES + LOCAL_POSITION_BYTES + sizeof(LocalShared) <= SORT_SHARED_BYTES);
extern __shared__ __align__(128) unsigned char dynamic_shared[];

// The count of each digit in each warp becomes the slot of the warp's first key with it. All threads.
__device__ __forceinline__ void counts_to_slots(LocalShared& shared) {
    u32 of_lower_warps[WARPS], sum = 0, inclusive = 0;
    const u32 digit = threadIdx.x;
    if (digit < DIGITS) {
#pragma unroll
        for (u32 warp = 0; warp < WARPS; warp++) {
            of_lower_warps[warp] = sum;
            sum += shared.counts[warp][digit];
        }
        inclusive = sum;
#pragma unroll
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            const u32 lower = __shfl_up_sync(~0u, inclusive, distance);
            if (lane_index() >= distance) inclusive += lower;
        }
        if (lane_index() == WARP - 1) shared.sums[warp_index()] = inclusive;
    }
    __syncthreads();
    if (digit < DIGITS) {
        u32 start = inclusive - sum;
#pragma unroll
        for (u32 warp = 0; warp < DIGITS / WARP; warp++) start += warp < warp_index() ? shared.sums[warp] : 0;
#pragma unroll
        for (u32 warp = 0; warp < WARPS; warp++) shared.counts[warp][digit] = (u16)(start + of_lower_warps[warp]);
    }
    __syncthreads();
}

// The bits of a key as words, and back.
__device__ __forceinline__ void merge_bits(u32* words, KeyBits bits) {
#pragma unroll
    for (u32 word = 0; word < KEY_WORDS; word++) {
        const u32 part = (u32)(bits >> (KEY_BYTES > 4 ? 32 * word : 0));
        if (part != 0) atomicOr(words + word, part);
    }
}
__device__ __forceinline__ KeyBits merged_bits(const u32* words) {
    KeyBits bits = 0;
#pragma unroll
    for (u32 word = 0; word < KEY_WORDS; word++) bits |= (KeyBits)((KeyBits)words[word] << (KEY_BYTES > 4 ? 32 * word : 0));
    return bits;
}

__device__ __forceinline__ u32 lowest_bit(KeyBits bits) {
    const u64 low = (u64)bits;
    if (low != 0) return __ffsll((i64)low) - 1;
    return 63 + __ffsll((i64)(u64)(KEY_BYTES > 8 ? bits >> (KEY_BYTES > 8 ? 64 : 0) : 0));
}

// Sorts the segment of `count` keys from `begin` on; it is the block's `turn`-th.
__device__ __forceinline__ void sort_segment(const SortLocalParams& p, LocalShared& shared, u64 begin, u32 count, u32 turn) {
    KeyBits* const slots = (KeyBits*)dynamic_shared;
    u16* const positions = (u16*)(dynamic_shared + LOCAL_SLOT_BYTES);
    u16* const counts = shared.counts[warp_index()];
    // Each warp has as many rows as the others.
    const u32 rows = (count + THREADS * ROWS_AT_ONCE - 1) / (THREADS * ROWS_AT_ONCE) * ROWS_AT_ONCE;
    const u32 first = warp_index() * (WARP * rows) + lane_index();
    const KeyBits* const keys = (const KeyBits*)p.keys + begin;
    const auto number = [&](KeyBits key) { return p.given ? in_order(key) : key; };
    KeyBits key[KEYS];
    const KeyBits one = number(keys[0]);
    KeyBits differ = 0;
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= rows) break;
        if (first + k * WARP < count) key[k] = keys[first + k * WARP];
    }
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= rows) break;
        key[k] = first + k * WARP < count ? number(key[k]) : one;
        differ |= key[k] ^ one;
    }
    if (threadIdx.x < KEY_WORDS) shared.differ[(turn + 1) % 2][threadIdx.x] = 0;
    merge_bits(shared.differ[turn % 2], differ);
    __syncthreads();
    differ = merged_bits(shared.differ[turn % 2]);
    // What does not exist is the last of all in order, and behind all others.
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= rows) break;
        if (first + k * WARP >= count) key[k] = one | differ;
    }
    u32 position[(HAS_VALUES ? KEYS : 2) / 2];
    if (HAS_VALUES) {
#pragma unroll
        for (u32 k = 0; k < KEYS; k += 2) position[k / 2] = (first + k * WARP) | (first + (k + 1) * WARP) << 16;
    }
    const auto put = [&](u32 k, u32 slot) {
        slots[slot] = key[k];
        if (HAS_VALUES) positions[slot] = (u16)(position[k / 2] >> k % 2 * 16);
    };
    if (differ == 0) {
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            if (k >= rows) break;
            put(k, first + k * WARP);
        }
    }
    bool loose = !HAS_VALUES;
    while (differ != 0) {
        const u32 shift = min(lowest_bit(differ), KEY_WIDTH - DIGIT_BITS);
        u32 ranks[KEYS / 2];
        if (loose) warp_rank_in_any_order(key, shift, counts, ranks, rows);
        else warp_rank(key, shift, shared.masks[warp_index()], counts, ranks, rows);
        loose = false;
        __syncthreads();
        counts_to_slots(shared);
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            if (k >= rows) break;
            put(k, *(volatile u16*)(counts + digit_at(key[k], shift)) + (ranks[k / 2] >> k % 2 * 16 & 0xffff));
        }
        __syncwarp();
        for (u32 word = lane_index(); word < DIGITS / 2; word += WARP) ((u32*)counts)[word] = 0;
        differ &= (KeyBits)~(KeyBits)((KeyBits)(DIGITS - 1) << shift);
        if (differ == 0) break;
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            if (k >= rows) break;
            key[k] = slots[first + k * WARP];
            if (!HAS_VALUES) continue;
            const u32 at = positions[first + k * WARP];
            position[k / 2] = k % 2 == 0 ? at : position[k / 2] | at << 16;
        }
    }
    __syncthreads();
    if (KEYS_OUT) {
        KeyBits* const to = (KeyBits*)p.keys_out + begin;
        for (u32 i = threadIdx.x; i < count; i += THREADS) to[i] = out_of_order(slots[i]);
    }
    if (HAS_VALUES) {
        Value* const to = (Value*)p.values_out + begin;
        if (INDICES && p.given) {
            const u64 origin = INDICES == IN_ARRAY ? begin : 0;
            for (u32 i = threadIdx.x; i < count; i += THREADS) to[i] = (Value)(origin + positions[i]);
            return;
        }
        __syncthreads();
        const Value* const values = (const Value*)p.values + begin;
        Value* const value_slots = (Value*)dynamic_shared;
        for (u32 i = threadIdx.x; i < count; i += THREADS) value_slots[i] = values[i];
        __syncthreads();
        for (u32 i = threadIdx.x; i < count; i += THREADS) to[i] = value_slots[positions[i]];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, LOCAL_BLOCKS) upsweep_sort_local(const __grid_constant__ SortLocalParams p) {
    if (p.header && ((const SortHeader*)p.header)->road != Road::SPLIT) return;
    LocalShared& shared = *(LocalShared*)(dynamic_shared + LOCAL_SLOT_BYTES + LOCAL_POSITION_BYTES);
    for (u32 i = threadIdx.x; i < WARPS * MASK_ROWS * DIGITS; i += THREADS) shared.masks[0][i] = 0;
    for (u32 i = threadIdx.x; i < WARPS * DIGITS / 2; i += THREADS) ((u32*)shared.counts[0])[i] = 0;
    if (threadIdx.x < KEY_WORDS) shared.differ[0][threadIdx.x] = 0;
    __syncthreads();
    const u64* const starts = (const u64*)p.starts;
    const SortSegment* const list = (const SortSegment*)p.list;
    const u64 segments = list ? *(const u32*)p.listed : p.segments;
    u32 turn = 0;
    for (u64 s = blockIdx.x; s < segments; s += gridDim.x) {
        const u64 begin = list ? list[s].begin : starts ? starts[s] : s * p.length;
        const u64 end = list ? begin + list[s].count : starts ? starts[s + 1] : begin + p.length;
        if (begin < end) sort_segment(p, shared, begin, (u32)(end - begin), turn++);
    }
}
