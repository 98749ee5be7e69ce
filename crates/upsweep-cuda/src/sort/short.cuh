// Sorts of short segments by a network, in as many lanes of a warp as a segment needs, LANE_KEYS keys in each lane.
// Longer segments are appended to lists, for the kernels that sort them. One of those is this kernel with more keys in
// each lane.
//
//   for each 32 segments of the warp, or fewer if there are few, a lane one:
//       append those that are too long to lists
//       for each number of lanes, 1, 2, .. 32, that some of the others need:
//           for as many of these as the warp has lanes for:
//               load   the keys, in any order of lanes
//               sort   each lane's; then merge two lanes' keys, four lanes', ..
//               store  them, through shared memory, so that stores are coalesced
//
// A merge compares the first lane's first key with the last one's last, and so on. Both halves are bitonic then, and
// each is merged by comparing its halves, lane by lane and at last in each lane (Batcher, "Sorting networks and their
// applications", 1968). A network is not stable: with values, ties are broken by position. Both zeros are one key
// there, and the sign is stored with the position. Without values, zeros are put in their order at the end, if there is
// one with a sign.

#include "memory/instructions.cuh"
#include "sort/radix.cuh"
#include "warp/shuffle.cuh"
#include "word/network.cuh"

constexpr u32 MOST_SHORT = WARP * LANE_KEYS;
constexpr bool HAS_VALUES = VALUE_BYTES > 0;
using Value = Number<HAS_VALUES ? VALUE_BYTES : 1>::type;

struct Item {
    KeyBits key;
    u32 at;  // index in the segment; of floats the lowest bit: whether it is a zero with a sign; only with values

    __device__ __forceinline__ bool operator<(const Item& other) const {
        return HAS_VALUES ? key < other.key || (key == other.key && at < other.at) : key < other.key;
    }
};

struct ShortShared {
    KeyBits keys[WARPS][WARP * (LANE_KEYS + 1)];  // a key of padding for each lane: stores of lanes use distinct banks
    u16 at[HAS_VALUES ? WARPS : 1][WARP * (LANE_KEYS + 1)];
    u8 members[WARPS][WARP];
};

__device__ __forceinline__ void in_order(Item& a, Item& b) {
    const bool swap = b < a;
    const Item lower = swap ? b : a, higher = swap ? a : b;
    a = lower, b = higher;
}

// Returns the item (a key and its index) of the lane whose index is this lane's ^ `mask`.
__device__ __forceinline__ Item shuffle_xor(const Item& item, u32 mask) {
    return {shuffle(item.key, lane_index() ^ mask), HAS_VALUES ? shuffle(item.at, lane_index() ^ mask) : 0};
}
__device__ __forceinline__ Item chosen(bool lower, const Item& a, const Item& b) {
    if (!HAS_VALUES) {
        const KeyBits least = b.key < a.key ? b.key : a.key, most = b.key < a.key ? a.key : b.key;
        return {lower ? least : most, 0};
    }
    return (b < a) == lower ? b : a;
}

// Sorts the items of each group of `lanes` neighbouring lanes, LANE_KEYS items in each lane.
__device__ __forceinline__ void sort_lanes(Item (&x)[LANE_KEYS], u32 lanes) {
    sort_by_network(x, [](Item& a, Item& b) { in_order(a, b); });
#pragma unroll 1
    for (u32 sorted = 1; sorted < lanes; sorted *= 2) {
        const bool lower = (lane_index() & sorted) == 0;
#pragma unroll
        for (u32 k = 0; k < LANE_KEYS / 2; k++) {
            const Item a = shuffle_xor(x[LANE_KEYS - 1 - k], 2 * sorted - 1), b = shuffle_xor(x[k], 2 * sorted - 1);
            x[k] = chosen(lower, x[k], a);
            x[LANE_KEYS - 1 - k] = chosen(lower, x[LANE_KEYS - 1 - k], b);
        }
#pragma unroll 1
        for (u32 distance = sorted / 2; distance > 0; distance /= 2) {
            const bool lower_half = (lane_index() & distance) == 0;
#pragma unroll
            for (u32 k = 0; k < LANE_KEYS; k++) x[k] = chosen(lower_half, x[k], shuffle_xor(x[k], distance));
        }
#pragma unroll
        for (u32 distance = LANE_KEYS / 2; distance > 0; distance /= 2) {
#pragma unroll
            for (u32 k = 0; k < LANE_KEYS; k++) {
                if ((k & distance) == 0) in_order(x[k], x[k + distance]);
            }
        }
    }
}

// Returns the slot in shared memory of key `at` of a segment, whose first lane is `group`. A lane has LANE_KEYS
// neighbouring keys.
__device__ __forceinline__ u32 slot_of(u32 group, u32 at) { return (group + at / LANE_KEYS) * (LANE_KEYS + 1) + at % LANE_KEYS; }

// Restores the input order of the zeros among the sorted `slots` of a segment, which `lanes` lanes have sorted, from
// its `count` input keys `keys`; `given`: these are not yet numbers in sort order. `less` is the number of this lane's
// keys that are less than zero. Called by all lanes of a warp.
__device__ __noinline__ void order_zeros(const KeyBits* keys, u32 count, bool given, u32 lanes, u32 less, KeyBits* slots) {
    const u32 lane = lane_index(), within = lane & (lanes - 1), group = lane - within;
    const u32 of_group = (lanes == WARP ? ~0u : (1u << lanes) - 1) << group;
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const u32 other = shuffle(less, lane ^ distance);
        if (distance < lanes) less += other;
    }
    u32 place = less;
#pragma unroll 1
    for (u32 k = 0; k < LANE_KEYS; k++) {
        const u32 at = k * lanes + within;
        KeyBits key = at < count ? keys[at] : (KeyBits)0;
        if (given) key = in_order(key);
        const bool zero = at < count && is_zero(key);
        const u32 zeros = __ballot_sync(~0u, zero) & of_group;
        if (zero) slots[slot_of(group, place + __popc(zeros & ((1u << lane) - 1)))] = key;
        place += __popc(zeros);
    }
    __syncwarp();
}

// Sorts a segment in each group of `lanes` lanes: the `count` elements from `begin` on. `begin` and `count` are the
// same in all lanes of a group.
__device__ __forceinline__ void sort_together(const SortShortParams& p, ShortShared& shared, u32 lanes, u64 begin, u32 count) {
    const u32 lane = lane_index(), within = lane & (lanes - 1), group = lane - within;
    const KeyBits* const keys = (const KeyBits*)p.keys + begin;
    Item x[LANE_KEYS];
#pragma unroll
    for (u32 k = 0; k < LANE_KEYS; k++) {
        const u32 at = k * lanes + within;
        x[k] = at < count ? Item{p.given ? in_order(keys[at]) : keys[at], at} : Item{(KeyBits)~(KeyBits)0, at};
        if (HAS_ZEROS && HAS_VALUES) {
            const bool negative = is_negative_zero(x[k].key);
            x[k] = {negative ? POSITIVE_ZERO : x[k].key, at << 1 | (u32)negative};
        }
    }
    sort_lanes(x, lanes);
    KeyBits* const key_slots = shared.keys[warp_index()];
    u16* const at_slots = shared.at[HAS_VALUES ? warp_index() : 0];
#pragma unroll
    for (u32 k = 0; k < LANE_KEYS; k++) {
        key_slots[lane * (LANE_KEYS + 1) + k] = x[k].key;
        if (HAS_VALUES) at_slots[lane * (LANE_KEYS + 1) + k] = (u16)x[k].at;
    }
    __syncwarp();
    if (HAS_ZEROS && !HAS_VALUES) {
        bool negative = false;
#pragma unroll
        for (u32 k = 0; k < LANE_KEYS; k++) negative |= is_negative_zero(x[k].key);
        if (__any_sync(~0u, negative)) {
            u32 less = 0;
#pragma unroll
            for (u32 k = 0; k < LANE_KEYS; k++) less += x[k].key < FIRST_ZERO;
            order_zeros(keys, count, p.given != 0, lanes, less, key_slots);
        }
    }
    Value value[HAS_VALUES ? LANE_KEYS : 1];
#pragma unroll
    for (u32 k = 0; k < LANE_KEYS; k++) {
        const u32 at = k * lanes + within, slot = slot_of(group, at);
        if (at >= count) continue;
        if (KEYS_OUT) ((KeyBits*)p.keys_out)[begin + at] = out_of_order(HAS_ZEROS && HAS_VALUES ? (KeyBits)(key_slots[slot] ^ (at_slots[slot] & 1)) : key_slots[slot]);
        if (!HAS_VALUES) continue;
        const u32 position = HAS_ZEROS ? at_slots[slot] >> 1 : at_slots[slot];
        value[k] = INDICES && p.given ? (Value)(position + (INDICES == IN_ARRAY ? begin : 0)) : ((const Value*)p.values)[begin + position];
    }
    __syncwarp();  // in place, all values are read before any is stored
    if (HAS_VALUES) {
#pragma unroll
        for (u32 k = 0; k < LANE_KEYS; k++) {
            if (k * lanes + within < count) ((Value*)p.values_out)[begin + k * lanes + within] = value[k];
        }
    }
}

// Appends the segment of each lane for which `chosen` is true, `count` keys from `begin` on, to `list`, whose length is
// `length`.
__device__ __forceinline__ void append(bool chosen, u64 begin, u64 count, SortSegment* list, u32* length) {
    const u32 lanes = __ballot_sync(~0u, chosen);
    if (lanes == 0) return;
    u32 at = 0;
    if (lane_index() == 0) at = atomicAdd(length, (u32)__popc(lanes));
    at = __shfl_sync(~0u, at, 0);
    if (chosen) list[at + __popc(lanes & ((1u << lane_index()) - 1))] = {begin, count};
}

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_sort_short(const __grid_constant__ SortShortParams p) {
    __shared__ ShortShared shared;
    wait_for_kernel_before();
    SegmentHeader* const header = (SegmentHeader*)p.header;
    if (header && header->wrong) return;
    if (p.buckets && ((const SortHeader*)p.buckets)->road != Road::SPLIT) return;
    const u64* const starts = (const u64*)p.starts;
    const SortSegment* const list = (const SortSegment*)p.list;
    const u64 segments = list ? header->listed[0] : p.segments;
    u8* const members = shared.members[warp_index()];
    const u32 lane = lane_index();
    const u64 warps = (u64)gridDim.x * WARPS;
    for (u64 first = (blockIdx.x * (u64)WARPS + warp_index()) * p.each; first < segments; first += warps * p.each) {
        const u64 s = lane < p.each ? first + lane : segments;
        u64 begin = 0, count = 0;
        if (s < segments) {
            begin = list ? list[s].begin : starts ? starts[s] : s * p.length;
            count = list ? list[s].count : (starts ? starts[s + 1] : begin + p.length) - begin;
        }
        if (!list && header) {
            append(count > MOST_SHORT && count <= p.more, begin, count, (SortSegment*)p.for_more, &header->listed[0]);
            append(count > p.more && count <= p.room, begin, count, (SortSegment*)p.for_blocks, &header->listed[1]);
            append(count > p.room && count <= p.large_room, begin, count, (SortSegment*)p.for_large_blocks, &header->listed[2]);
            append(count > p.large_room, begin, count, (SortSegment*)p.for_passes, &header->listed[3]);
        }
        u32 needed = count == 0 || count > MOST_SHORT ? 0 : 1;
        while (needed != 0 && needed * LANE_KEYS < count) needed *= 2;
        for (u32 lanes = 1; lanes <= WARP; lanes *= 2) {
            const u32 these = __ballot_sync(~0u, needed == lanes);
            if (these == 0) continue;
            if (needed == lanes) members[__popc(these & ((1u << lane) - 1))] = (u8)lane;
            __syncwarp();
            const u32 number = __popc(these);
            for (u32 member = lane / lanes; member - lane / lanes < number; member += WARP / lanes) {
                const u32 of = members[min(member, number - 1)];
                const u64 its_begin = shuffle(begin, of);
                const u32 its_count = shuffle((u32)count, of);
                sort_together(p, shared, lanes, its_begin, member < number ? its_count : 0);
            }
            __syncwarp();
        }
    }
}
