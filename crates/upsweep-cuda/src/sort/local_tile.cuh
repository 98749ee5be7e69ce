// Shared memory of a block that sorts a segment there, and the scan that turns counts of digits into slots.

#pragma once

#include "sort/rank.cuh"
#include "warp/sum.cuh"

constexpr u32 LOCAL_TILE = THREADS * KEYS;
constexpr bool HAS_VALUES = VALUE_BYTES > 0;
using Value = Number<HAS_VALUES ? VALUE_BYTES : 1>::type;
static_assert(THREADS >= DIGITS && LOCAL_BITS >= DIGIT_BITS && KEYS % ROWS_AT_ONCE == 0 && LOCAL_TILE <= 1 << 15, "two ranks of 16 bits in a register");

// Number of values of a digit of LOCAL_BITS bits; number of them whose counts a thread sums; number of threads that do
// so; and type of a thread's counts, 16 bits each, in one word.
constexpr u32 LOCAL_DIGITS = 1 << LOCAL_BITS, THREAD_DIGITS = LOCAL_DIGITS > THREADS ? LOCAL_DIGITS / THREADS : 1;
constexpr u32 COUNTING_THREADS = LOCAL_DIGITS / THREAD_DIGITS;
using Counts = Number<2 * THREAD_DIGITS>::type;
// Flags of the keys of a segment. ORDERLY: some row of keys is in ascending or descending order, with few equal ones.
// RUNS: most keys of some row are equal to their predecessor. ZEROS: some key is a zero with a sign.
enum : u32 { ORDERLY = 1, RUNS = 2, ZEROS = 4 };
// Returns how often a number can be halved before it is 1.
__device__ constexpr u32 halvings(u32 number) { return number > 1 ? 1 + halvings(number / 2) : 0; }
struct LocalShared {
    alignas(16) u32 masks[WARPS][MASK_ROWS * DIGITS];  // for each digit, bit set of the lanes that have it
    alignas(8) u16 counts[WARPS][LOCAL_DIGITS];  // number of the warp's keys with a digit; then the slot of the first
    u32 sums[COUNTING_THREADS / WARP > WARPS ? COUNTING_THREADS / WARP : WARPS];
    u32 differ[2][KEY_WORDS + 1];  // bits that differ in this segment, and flags of its keys; 0, for the next segment
    u32 mixed;                     // whether a fine bucket with more than FINE_KEYS keys has unequal ones
};
constexpr u32 LOCAL_SLOT_BYTES = LOCAL_TILE * (KEY_BYTES > VALUE_BYTES ? KEY_BYTES : VALUE_BYTES);
constexpr u32 LOCAL_POSITION_BYTES = HAS_VALUES ? LOCAL_TILE * 2 : 0;
static_assert(LOCAL_SLOT_BYTES + LOCAL_POSITION_BYTES + sizeof(LocalShared) <= SORT_SHARED_BYTES);
extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Returns the lowest bit of the next digit of keys that differ in the bits `differ`.
__device__ __forceinline__ u32 digit_shift(KeyBits differ) { return min(lowest_bit(differ), KEY_WIDTH > LOCAL_BITS ? KEY_WIDTH - LOCAL_BITS : 0); }

// Turns the count of each digit in each warp into the slot of the warp's first key with the digit. Called by all
// threads.
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
        inclusive = warp_inclusive_sum(total);
        if (lane_index() == WARP - 1) shared.sums[warp_index()] = inclusive;
    }
    __syncthreads();
    if (counts) {
        u32 start = inclusive - total;
#pragma unroll
        for (u32 warp = 0; warp < COUNTING_THREADS / WARP; warp++) start += warp < warp_index() ? shared.sums[warp] : 0;
        // Adds `start` to each count of the word. No count exceeds its 16 bits.
        const Counts starts = (Counts)(of_lower_digits + (Counts)0x0001000100010001 * start);
#pragma unroll
        for (u32 warp = 0; warp < WARPS; warp++) ((Counts*)shared.counts[warp])[threadIdx.x] = (Counts)(starts + of_lower_warps[warp]);
    }
    __syncthreads();
}
