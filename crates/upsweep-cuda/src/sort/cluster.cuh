// Radix sort of arrays that fit in the shared memory of a cluster of blocks: stable, in one launch.
//
//   each block loads its share of the keys into registers
//   for each digit of eight bits in which keys differ, from the lowest one on (the lowest one in any case):
//       rank      each key among its warp's keys with the digit; sum the warps' counts
//       exchange  the counts of each digit between all blocks, from which each computes the places of its runs; and in
//                 the first pass the bits that differ
//       scatter   the keys to slots, by digit and rank
//       pass      each slot's key on to its place in the share of a block, or in the last pass in the output
//       read      the share's keys back, in order
//
// A share is equally many keys of each block. Any warp has a multiple of ROWS_AT_ONCE rows that exist, or none. Padding
// keys have all bits set, and come after everything else in the last shares.
//
// Only the positions of values take part; the values are gathered at the end. If equal keys are indistinguishable,
// warps whose keys have no zero with a sign rank the first digit by atomic additions, in any order. If there is a zero
// with a sign, both zeros have the same digits. The first pass needs that, and it is right in the others, which skip
// the bit of the sign.
//
// Memory ordering: blocks write to each other's shared memory between two meetings of the cluster, and read their own
// after the second. A block finishes the reads of a meeting before it arrives at the next one, so no block writes there
// too early. No block accesses another block's memory after the last meeting, so a block may end.

#include "block/cluster.cuh"
#include "memory/instructions.cuh"
#include "sort/rank.cuh"
#include "warp/shuffle.cuh"
#include "warp/sum.cuh"

constexpr u32 MOST_SHARE = THREADS * KEYS, ROW_GROUP = DIGITS / WARP, ROW_GROUPS = WARPS / ROW_GROUP;
constexpr bool HAS_VALUES = VALUE_BYTES > 0;
using Value = Number<HAS_VALUES ? VALUE_BYTES : 1>::type;
static_assert(THREADS % DIGITS == 0 && CLUSTER % ROW_GROUPS == 0 && WARP % CLUSTER == 0 && KEYS % ROWS_AT_ONCE == 0 && MOST_SHARE <= 1 << 15, "two ranks of 16 bits in a register");
static_assert((u64)MOST_SHARE * MOST_SHARE * CLUSTER <= 1ull << 32, "places are divided by the share by a multiplication");

struct ClusterShared {
    u32 masks[WARPS][MASK_ROWS * DIGITS];  // for each digit, bit set of the lanes that have it
    u16 counts[WARPS][DIGITS];             // number of the warp's keys with a digit; then the slot of the first
    u32 of_groups[ROW_GROUPS][DIGITS];         // number of keys with a digit of ROW_GROUP warps
    u32 of_blocks[CLUSTER][DIGITS];        // number of keys of each block with a digit, written by that block
    u32 bases[DIGITS];                     // place of a key with a digit, less its slot, modulo 2^32
    u32 sums[2][WARPS];
    u32 own_some[KEY_WORDS], own_none[KEY_WORDS];
    KeyBits some[CLUSTER], none[CLUSTER];  // bits set in some keys of each block; bits clear in some
    u32 negative;                          // whether a key of the block was a zero with a sign when it was loaded
};
constexpr u32 SHARE_BYTES = MOST_SHARE * KEY_BYTES, POSITION_BYTES = HAS_VALUES ? MOST_SHARE * 4 : 0;
static_assert(2 * (SHARE_BYTES + POSITION_BYTES) + sizeof(ClusterShared) <= SORT_SHARED_BYTES);
extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Returns the sum of `sums` over the lower warps of this warp's group: the ROW_GROUP neighbouring warps that together
// have a thread for each digit.
__device__ __forceinline__ u32 sum_of_lower_warps(const u32* sums) {
    const u32 within = warp_index() % ROW_GROUP;
    u32 sum = 0;
#pragma unroll
    for (u32 warp = 0; warp < ROW_GROUP; warp++) sum += warp < within ? sums[warp_index() - within + warp] : 0;
    return sum;
}

// Returns the bitwise or of the bits of all lanes.
__device__ __forceinline__ KeyBits bits_of_lanes(KeyBits bits) {
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) bits |= shuffle(bits, lane_index() ^ distance);
    return bits;
}

// Computes the places of this block's keys, their indices in the order by the current digit: in `counts` the slot of
// each warp's first key with each digit, and in `bases` the offset from a key's slot to its place. In the first pass
// (`is_first`) the blocks also exchange which bits differ. Called by all threads, each for a digit and a group of
// warps. Before the first call the cluster has to have met.
__device__ __forceinline__ void find_places(ClusterShared& shared, bool is_first) {
    const u32 digit = threadIdx.x % DIGITS, group = threadIdx.x / DIGITS;
    u32 of_lower_warps[ROW_GROUP], sum = 0;
#pragma unroll
    for (u32 warp = 0; warp < ROW_GROUP; warp++) {
        of_lower_warps[warp] = sum;
        sum += shared.counts[group * ROW_GROUP + warp][digit];
    }
    shared.of_groups[group][digit] = sum;
    __syncthreads();
    if (is_first) cluster_wait();
    if (is_first && threadIdx.x < CLUSTER) {
        *in_block(&shared.some[blockIdx.x], threadIdx.x) = merged_bits(shared.own_some);
        *in_block(&shared.none[blockIdx.x], threadIdx.x) = merged_bits(shared.own_none);
    }
    u32 total = 0, lower = 0;
#pragma unroll
    for (u32 other = 0; other < ROW_GROUPS; other++) {
        lower += other < group ? shared.of_groups[other][digit] : 0;
        total += shared.of_groups[other][digit];
    }
    #pragma unroll
    for (u32 block = 0; block < CLUSTER; block += ROW_GROUPS) *in_block(&shared.of_blocks[blockIdx.x][digit], block + group) = total;
    cluster_arrive();
    const u32 inclusive = warp_inclusive_sum(total);
    if (lane_index() == WARP - 1) shared.sums[0][warp_index()] = inclusive;
    __syncthreads();
    const u32 start = inclusive - total + sum_of_lower_warps(shared.sums[0]);
#pragma unroll
    for (u32 warp = 0; warp < ROW_GROUP; warp++) shared.counts[group * ROW_GROUP + warp][digit] = (u16)(start + lower + of_lower_warps[warp]);
    cluster_wait();
    u32 of_all = 0, of_lower_blocks = 0;
    if (group == 0) {
#pragma unroll
        for (u32 block = 0; block < CLUSTER; block++) {
            const u32 count = shared.of_blocks[block][digit];
            of_lower_blocks += block < blockIdx.x ? count : 0;
            of_all += count;
        }
    }
    const u32 to_here = warp_inclusive_sum(of_all);
    if (lane_index() == WARP - 1) shared.sums[1][warp_index()] = to_here;
    __syncthreads();
    if (group == 0) shared.bases[digit] = to_here - of_all + sum_of_lower_warps(shared.sums[1]) + of_lower_blocks - start;
}

// Stores the keys in `slots` to the output, each at its place by the last digit, which begins at bit `shift`; and the
// values of these keys, which lie at `positions` of the input.
template <bool ZEROS>
__device__ __forceinline__ void store(const SortClusterParams& p, const ClusterShared& shared, const KeyBits* slots, const u32* positions, u32 shift) {
    const u32 n = (u32)p.n, share = (u32)p.share;
    Value value[HAS_VALUES ? KEYS : 1];
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        const u32 i = k * THREADS + threadIdx.x;
        if (i >= share) break;
        const u32 place = i + shared.bases[digit_at<DIGIT_BITS, ZEROS>(slots[i], shift)];
        if (place >= n) continue;
        if (KEYS_OUT) ((KeyBits*)p.keys_out)[place] = out_of_order(slots[i]);
        if (HAS_VALUES) value[k] = INDICES ? (Value)positions[i] : ((const Value*)p.values)[positions[i]];
    }
    if (!HAS_VALUES) return;
    // In place, all values are read before any is stored.
    if (p.values == p.values_out) {
        cluster_arrive();
        cluster_wait();
    }
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        const u32 i = k * THREADS + threadIdx.x;
        if (i >= share) break;
        const u32 place = i + shared.bases[digit_at<DIGIT_BITS, ZEROS>(slots[i], shift)];
        if (place < n) ((Value*)p.values_out)[place] = value[k];
    }
}

// Passes each key in `slots`, and its position in the input, on to its place by the digit from bit `shift` on: into the
// array `received` of the block that has this place in its share, `share` neighbouring places. `reciprocal` replaces
// the division by `share`.
template <bool ZEROS>
__device__ __forceinline__ void pass_on(const ClusterShared& shared, const KeyBits* slots, const u32* positions, KeyBits* received, u32* received_positions, u32 share, u32 reciprocal, u32 shift) {
#pragma unroll 4
    for (u32 i = threadIdx.x; i < share; i += THREADS) {
        const KeyBits x = slots[i];
        const u32 place = i + shared.bases[digit_at<DIGIT_BITS, ZEROS>(x, shift)], to = __umulhi(place, reciprocal);
        in_block(received, to)[place - to * share] = x;
        if (HAS_VALUES) in_block(received_positions, to)[place - to * share] = positions[i];
    }
}

// Scatters this lane's keys of the warp's first `rows` rows to their slots. `counts` has the slot of the warp's first
// key with each digit, `ranks` each key's rank among the warp's keys with the same digit.
template <bool ZEROS>
__device__ __forceinline__ void put(const KeyBits (&key)[KEYS], const u32 (&position)[HAS_VALUES ? KEYS : 1], const u32 (&ranks)[KEYS / 2], const u16* counts, KeyBits* slots, u32* positions, u32 rows, u32 shift) {
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= rows) break;
        const u32 slot = *(const volatile u16*)(counts + digit_at<DIGIT_BITS, ZEROS>(key[k], shift)) + (ranks[k / 2] >> k % 2 * 16 & 0xffff);
        slots[slot] = key[k];
        if (HAS_VALUES) positions[slot] = position[k];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) upsweep_sort_cluster(const __grid_constant__ SortClusterParams p) {
    cluster_arrive();  // after the wait for it, all blocks are known to run
    KeyBits* const slots = (KeyBits*)dynamic_shared;
    KeyBits* const received = (KeyBits*)(dynamic_shared + SHARE_BYTES);
    u32* const position_slots = (u32*)(dynamic_shared + 2 * SHARE_BYTES);
    u32* const received_positions = (u32*)(dynamic_shared + 2 * SHARE_BYTES + POSITION_BYTES);
    ClusterShared& shared = *(ClusterShared*)(dynamic_shared + 2 * (SHARE_BYTES + POSITION_BYTES));
    const u32 n = (u32)p.n, share = (u32)p.share, begin = blockIdx.x * share;
    // Fixed-point reciprocal: its product with a place is the place divided by the share, rounded down.
    const u32 reciprocal = (u32)((1ull << 32) / share) + 1;
    // All warps have equally many rows, but for the last ones.
    const u32 of_warp = (share + THREADS * ROWS_AT_ONCE - 1) / (THREADS * ROWS_AT_ONCE) * ROWS_AT_ONCE;
    const u32 of_lower = warp_index() * of_warp, rows = min(of_warp, share / WARP - min(share / WARP, of_lower));
    const u32 first = of_lower * WARP + lane_index();
    const auto exists = [&](u32 k) { return begin + first + k * WARP < n; };
    KeyBits key[KEYS];
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= rows) break;
        if (exists(k)) key[k] = ((const KeyBits*)p.keys)[begin + first + k * WARP];
    }
    if (HAS_VALUES && !INDICES) {
        // Prefetches this block's share of the values: at the end they are gathered from anywhere, by all blocks.
        constexpr u32 LINE = 128 / sizeof(Value);
        const u32 at = begin + threadIdx.x * LINE;
        if (threadIdx.x * LINE < share && at < n) prefetch((const Value*)p.values + at);
    }
    u16* const counts = shared.counts[warp_index()];
    for (u32 i = threadIdx.x; i < (sizeof(shared.masks) + sizeof(shared.counts)) / 16; i += THREADS) ((uint4*)&shared)[i] = {0, 0, 0, 0};
    if (threadIdx.x < KEY_WORDS) shared.own_some[threadIdx.x] = shared.own_none[threadIdx.x] = 0;
    if (HAS_ZEROS && threadIdx.x == 0) shared.negative = 0;
    __syncthreads();
    KeyBits some = 0, none = 0;
    bool negative = false;
    u32 position[HAS_VALUES ? KEYS : 1];
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= rows) break;
        key[k] = exists(k) ? in_order(key[k]) : (KeyBits)~(KeyBits)0;
        if (exists(k)) some |= key[k], none |= (KeyBits)~key[k];
        negative |= is_negative_zero(key[k]);
        if (HAS_VALUES) position[k] = begin + first + k * WARP;
    }
    merge_bits(shared.own_some, some);
    merge_bits(shared.own_none, none);
    negative = HAS_ZEROS && __any_sync(~0u, negative);
    if (negative && lane_index() == 0) atomicOr(&shared.negative, 1u);
    KeyBits differ = 0;
    u32 shift = 0;
    bool is_first = true;
    // Padding keys must stay after the others.
    bool loose = !HAS_VALUES && begin + share <= n;
    do {
        u32 ranks[KEYS / 2];
        if (negative) warp_rank<DIGIT_BITS, MASK_ROWS, HAS_ZEROS>(key, shift, shared.masks[warp_index()], counts, ranks, rows);
        else if (loose) warp_rank_in_any_order(key, shift, counts, ranks, rows);
        else warp_rank(key, shift, shared.masks[warp_index()], counts, ranks, rows);
        loose = false;
        __syncthreads();
        find_places(shared, is_first);
        if (is_first) {
            const u32 block = lane_index() % CLUSTER;
            differ = bits_of_lanes(shared.some[block]) & bits_of_lanes(shared.none[block]);
        }
        is_first = false;
        differ &= (KeyBits)~(KeyBits)((KeyBits)(DIGITS - 1) << shift);
        if (negative) put<HAS_ZEROS>(key, position, ranks, counts, slots, position_slots, rows, shift);
        else put<false>(key, position, ranks, counts, slots, position_slots, rows, shift);
        __syncwarp();
        for (u32 word = lane_index(); word < DIGITS / 2; word += WARP) ((u32*)counts)[word] = 0;
        __syncthreads();
        const bool has_negative = HAS_ZEROS && shared.negative != 0;
        if (differ == 0) {
            if (has_negative) store<HAS_ZEROS>(p, shared, slots, position_slots, shift);
            else store<false>(p, shared, slots, position_slots, shift);
            return;
        }
        if (has_negative) pass_on<HAS_ZEROS>(shared, slots, position_slots, received, received_positions, share, reciprocal, shift);
        else pass_on<false>(shared, slots, position_slots, received, received_positions, share, reciprocal, shift);
        cluster_arrive();
        cluster_wait();
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            if (k >= rows) break;
            key[k] = received[first + k * WARP];
            if (HAS_VALUES) position[k] = received_positions[first + k * WARP];
        }
        shift = min(lowest_bit(differ), KEY_WIDTH - DIGIT_BITS);
    } while (true);
}
