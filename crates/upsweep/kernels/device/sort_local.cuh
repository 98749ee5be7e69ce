// Sorts of segments that fit in the shared memory of a block, one at a time: short arrays, rows, and the buckets that passes by the
// highest bits have left.
//
//   for each of the block's segments:
//       load      its keys, a warp's side by side; see which bits differ
//       for each digit of LOCAL_BITS bits, eight to ten, in which keys differ, from the lowest bit on:
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
static_assert(THREADS >= DIGITS && LOCAL_BITS >= DIGIT_BITS && KEYS % ROWS_AT_ONCE == 0 && LOCAL_TILE <= 1 << 15, "two ranks of 16 bits in a register");

// Digits, those of a thread that adds up their counts, and their counts, of 16 bits each.
constexpr u32 LOCAL_DIGITS = 1 << LOCAL_BITS, THREAD_DIGITS = LOCAL_DIGITS > THREADS ? LOCAL_DIGITS / THREADS : 1;
constexpr u32 COUNTING_THREADS = LOCAL_DIGITS / THREAD_DIGITS;
using Counts = Number<2 * THREAD_DIGITS>::type;
struct LocalShared {
    u32 masks[WARPS][MASK_ROWS * DIGITS];  // a bit for each lane that has the digit
    alignas(8) u16 counts[WARPS][LOCAL_DIGITS];  // of the warp's keys; then the slot of the warp's first key with the digit
    u32 sums[COUNTING_THREADS / WARP];
    u32 differ[2][KEY_WORDS];  // the bits that differ in this segment, and 0, for the next one
};
constexpr u32 LOCAL_SLOT_BYTES = LOCAL_TILE * (KEY_BYTES > VALUE_BYTES ? KEY_BYTES : VALUE_BYTES);
constexpr u32 LOCAL_POSITION_BYTES = HAS_VALUES ? LOCAL_TILE * 2 : 0;
static_assert(LOCAL_SLOT_BYTES + LOCAL_POSITION_BYTES + sizeof(LocalShared) <= SORT_SHARED_BYTES);
extern __shared__ __align__(128) unsigned char dynamic_shared[];

// The count of each digit in each warp becomes the slot of the warp's first key with it. All threads.
__device__ __forceinline__ void counts_to_slots(LocalShared& shared) {
    Counts of_lower_warps[WARPS], of_lower_digits = 0;
    u32 total = 0, inclusive = 0;
    const bool counts = threadIdx.x < COUNTING_THREADS;
    if (counts) {
        Counts sum = 0;
#pragma unroll
        for (u32 warp = 0; warp < WARPS; warp++) {
            of_lower_warps[warp] = sum;
            sum += ((const Counts*)shared.counts[warp])[threadIdx.x];
        }
#pragma unroll
        for (u32 digit = 0; digit < THREAD_DIGITS; digit++) {
            of_lower_digits |= (Counts)((Counts)total << 16 * digit);
            total += (u32)(sum >> 16 * digit) & 0xffff;
        }
        inclusive = total;
#pragma unroll
        for (u32 distance = 1; distance < WARP; distance *= 2) {
            const u32 lower = __shfl_up_sync(~0u, inclusive, distance);
            if (lane_index() >= distance) inclusive += lower;
        }
        if (lane_index() == WARP - 1) shared.sums[warp_index()] = inclusive;
    }
    __syncthreads();
    if (counts) {
        u32 start = inclusive - total;
#pragma unroll
        for (u32 warp = 0; warp < COUNTING_THREADS / WARP; warp++) start += warp < warp_index() ? shared.sums[warp] : 0;
        // None of the numbers flows over.
        const Counts starts = (Counts)(of_lower_digits + (Counts)0x0001000100010001 * start);
#pragma unroll
        for (u32 warp = 0; warp < WARPS; warp++) ((Counts*)shared.counts[warp])[threadIdx.x] = (Counts)(starts + of_lower_warps[warp]);
    }
    __syncthreads();
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
        const u32 shift = min(lowest_bit(differ), KEY_WIDTH > LOCAL_BITS ? KEY_WIDTH - LOCAL_BITS : 0);
        u32 ranks[KEYS / 2];
        if (loose) warp_rank_in_any_order<LOCAL_BITS>(key, shift, counts, ranks, rows);
        else warp_rank<LOCAL_BITS>(key, shift, shared.masks[warp_index()], counts, ranks, rows);
        loose = false;
        __syncthreads();
        counts_to_slots(shared);
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            if (k >= rows) break;
            put(k, *(volatile u16*)(counts + digit_at<LOCAL_BITS>(key[k], shift)) + (ranks[k / 2] >> k % 2 * 16 & 0xffff));
        }
        __syncwarp();
        for (u32 word = lane_index(); word < LOCAL_DIGITS / 4; word += WARP) ((u64*)counts)[word] = 0;
        differ &= (KeyBits)~(KeyBits)((KeyBits)(LOCAL_DIGITS - 1) << shift);
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
    for (u32 i = threadIdx.x; i < WARPS * LOCAL_DIGITS / 4; i += THREADS) ((u64*)shared.counts[0])[i] = 0;
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
