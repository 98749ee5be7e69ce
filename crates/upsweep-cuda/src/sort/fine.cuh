// Fine buckets of a segment that a block sorts in shared memory (algorithm: sort/local.cuh): their counters, the slots
// of keys by fine bucket, and the order of the keys in a bucket.

#pragma once

#include "sort/local_tile.cuh"
#include "warp/sum.cuh"
#include "word/network.cuh"

constexpr bool BY_PIECES = !HAS_VALUES && KEY_BYTES <= 8;
constexpr u32 PIECE = 16;
// Limit of the number of keys of a fine bucket, unless they are all equal.
constexpr u32 FINE_KEYS = BY_PIECES ? PIECE / 2 + 1 : 16;
constexpr u32 NEAR = 3;  // number of neighbours of a key, on either side, that are compared without a branch
// Limit of the number of bits that select a key's fine bucket. Sorts by pieces allow as many fine buckets as keys.
constexpr u32 MOST_FINE_BITS = !BY_PIECES ? 13 : halvings(LOCAL_TILE > 8 * THREADS ? LOCAL_TILE : 8 * THREADS);
// Room for the counters of fine buckets, two of 16 bits in a word: the memory of the masks and counts, which they
// reuse. FINE_BITS, the number of bits that select a bucket, is the largest for which the counters fit, up to
// MOST_FINE_BITS.
constexpr u32 FINE_ROOM = WARPS * (MASK_ROWS * 2 + LOCAL_DIGITS / DIGITS);  // in units of DIGITS counters
constexpr u32 FINE_BITS = halvings(FINE_ROOM) + DIGIT_BITS < MOST_FINE_BITS ? halvings(FINE_ROOM) + DIGIT_BITS : MOST_FINE_BITS, FINE_WORDS = 1 << (FINE_BITS - 1);
constexpr u32 THREAD_VECTORS = FINE_WORDS / THREADS / 4;
static_assert(2 * FINE_WORDS * sizeof(u16) <= sizeof(u32) * WARPS * MASK_ROWS * DIGITS + sizeof(u16) * WARPS * LOCAL_DIGITS, "finer buckets have counters");
static_assert(THREAD_VECTORS > 0 && LOCAL_TILE < 1 << 16, "a slot has 16 bits");

// Turns the number of keys of each fine bucket into the slot of its first key. Returns whether a bucket has more than
// FINE_KEYS keys. Called by all threads.
__device__ __forceinline__ bool fine_counts_to_slots(LocalShared& shared) {
    struct alignas(16) Vector { u32 at[4]; };
    Vector* const vectors = (Vector*)shared.masks[0] + threadIdx.x * THREAD_VECTORS;
    Vector vector[THREAD_VECTORS];
    u32 total = 0, most = 0;
#pragma unroll
    for (u32 i = 0; i < THREAD_VECTORS; i++) vector[i] = vectors[i];
#pragma unroll
    for (u32 i = 0; i < 4 * THREAD_VECTORS; i++) {
        u32& word = vector[i / 4].at[i % 4];
        const u32 low = word & 0xffff, high = word >> 16;
        most = max(most, max(low, high));
        word = total | (total + low) << 16;
        total += low + high;
    }
    const u32 inclusive = warp_inclusive_sum(total);
    const bool too_many = __any_sync(~0u, most > FINE_KEYS);
    if (lane_index() == WARP - 1) shared.sums[warp_index()] = inclusive | (u32)too_many << 31;
    __syncthreads();
    u32 start = inclusive - total, any = 0;
#pragma unroll
    for (u32 warp = 0; warp < WARPS; warp++) {
        const u32 sum = shared.sums[warp];
        start += warp < warp_index() ? sum & 0xffff : 0;
        any |= sum >> 31;
    }
#pragma unroll
    for (u32 i = 0; i < 4 * THREAD_VECTORS; i++) vector[i / 4].at[i % 4] += start * 0x10001;  // no half overflows
#pragma unroll
    for (u32 i = 0; i < THREAD_VECTORS; i++) vectors[i] = vector[i];
    __syncthreads();
    return any != 0;
}

// Returns the swizzled index of slot `i`, so that lanes that load pieces, 16 bytes at a time, access distinct banks.
constexpr u32 KEY_VECTOR = 16 / KEY_BYTES;
__device__ __forceinline__ u32 fine_slot(u32 i) { return BY_PIECES ? i ^ (i >> 3 & (KEY_BYTES - 1) * KEY_VECTOR) : i; }

// Sorts each piece, PIECE neighbouring keys, of the slots from `begin` to `end`, a thread each. Each SORTED
// neighbouring keys of a piece are sorted already.
template <u32 SORTED>
__device__ __forceinline__ void sort_pieces(KeyBits* slots, u32 begin, u32 end) {
    struct alignas(16) Vector { KeyBits at[KEY_VECTOR]; };
#pragma unroll 1
    for (u32 first = begin + threadIdx.x * PIECE; first < end; first += THREADS * PIECE) {
        KeyBits key[PIECE];
#pragma unroll
        for (u32 i = 0; i < PIECE; i += KEY_VECTOR) {
            const Vector vector = *(const Vector*)(slots + fine_slot(first + i));
#pragma unroll
            for (u32 j = 0; j < KEY_VECTOR; j++) key[i + j] = vector.at[j];
        }
        sort_by_network<SORTED>(key, [](KeyBits& a, KeyBits& b) {
            const KeyBits least = b < a ? b : a, most = b < a ? a : b;
            a = least, b = most;
        });
#pragma unroll
        for (u32 i = 0; i < PIECE; i += KEY_VECTOR) {
            Vector vector;
#pragma unroll
            for (u32 j = 0; j < KEY_VECTOR; j++) vector.at[j] = key[i + j];
            *(Vector*)(slots + fine_slot(first + i)) = vector;
        }
    }
}

// Keys of a segment in slots, ordered by fine bucket: by the number in the FINE_BITS bits from `shift` on.
// `positions` are the keys' indices in the segment.
struct Fine {
    KeyBits* slots;
    const u16* positions;
    const u16* starts;  // slot of the first key of each fine bucket
    u32 count, shift;
    bool has_full;  // whether a fine bucket has more than FINE_KEYS keys: otherwise `starts` may be overwritten

    // Whether two keys are in one fine bucket: they agree in the bits from `shift` on.
    __device__ __forceinline__ bool are_together(KeyBits a, KeyBits b) const { return (KeyBits)(a ^ b) >> shift == 0; }
    // Whether the fine bucket of `x` has so many keys that they have to be equal.
    __device__ __forceinline__ bool is_full(KeyBits x) const {
        const u32 digit = digit_at<FINE_BITS>(x, shift);
        return (digit + 1 < 1 << FINE_BITS ? starts[digit + 1] : count) - starts[digit] > FINE_KEYS;
    }
    // Whether this thread sees unequal keys in a full fine bucket, one with more than FINE_KEYS keys.
    __device__ __forceinline__ bool sees_mixed() const {
        bool mixed = false;
        for (u32 i = 1 + threadIdx.x; i < count; i += THREADS) {
            const KeyBits x = slots[fine_slot(i)], other = slots[fine_slot(i - 1)];
            mixed |= x != other && are_together(x, other) && is_full(x);
        }
        return mixed;
    }
    // Returns the final slot of the key `x` in slot `i`: it is compared with its neighbours in its fine bucket.
    __device__ __forceinline__ u32 place_of(u32 i, KeyBits x) const {
        u32 place = i;
        bool lower = true, higher = true;
        const auto take_lower = [&](u32 j) {
            const KeyBits other = slots[j];
            lower = lower && are_together(other, x);
            place -= lower && (other > x || (HAS_VALUES && other == x && positions[j] > positions[i]));
        };
        const auto take_higher = [&](u32 j) {
            const KeyBits other = slots[j];
            higher = higher && are_together(other, x);
            place += higher && (other < x || (HAS_VALUES && other == x && positions[j] < positions[i]));
        };
        // No branches, so that these loads are in flight together. Out of range, the key is compared with itself.
#pragma unroll
        for (u32 distance = 1; distance <= NEAR; distance++) {
            take_lower(i >= distance ? i - distance : i);
            take_higher(i + distance < count ? i + distance : i);
        }
        if (has_full && (lower || higher) && is_full(x)) return i;
        for (u32 distance = NEAR + 1; lower && distance <= i; distance++) take_lower(i - distance);
        for (u32 distance = NEAR + 1; higher && i + distance < count; distance++) take_higher(i + distance);
        return place;
    }
};
