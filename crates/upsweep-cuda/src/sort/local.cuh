// Sorts of segments that fit in the shared memory of a block, one at a time: short arrays, rows, and the buckets of MSD
// passes.
//
//   for each of the block's segments:
//       load      its keys, a warp's contiguous; find the bits that differ
//       for each digit of LOCAL_BITS bits, eight to ten, in which keys differ, from the lowest bit on:
//           rank     each key among its warp's keys with the digit; sum the warps' counts
//           scatter  the keys to their slots, and read them back in order
//       store     them
//
// Or by fine buckets, with FINE, instead of more than two digits:
//
//       count     the keys of fine buckets: those with the same FINE_BITS highest of the bits that differ
//       scatter   the keys to their slots, by fine bucket, in any order
//       store     each at its final place, found by comparisons with the few keys of its fine bucket, which are its
//                 neighbours
//
// A fine bucket with more than a few keys must have equal keys alone, else the segment goes by digits. Keys of up to
// eight bytes without values take fine buckets instead of two digits, too, and are sorted before they are stored:
//
//       sort      each piece of PIECE slots, by a thread in its registers
//       merge     the higher half of each piece and the lower half of the next one
//
// A fine bucket of at most half a piece and one more key lies in one piece, or in two halves that are merged, and thus
// is sorted.
//
// Only the positions of values take part, of 16 bits each; the values are gathered at the end, through the slots of the
// keys. If equal keys are indistinguishable, atomic additions rank the first digit, in any order. If rows of keys are
// runs of equal ones, additions to one word would be serialised; then the segment goes by digits, the first of which is
// ranked by an addition for each run, and the others by ballots. A segment with a zero with a sign goes by digits, too,
// all of them stable.

#include "memory/instructions.cuh"
#include "sort/fine.cuh"
#include "sort/octaves.cuh"
#include "warp/shuffle.cuh"

// Stores a segment, to the output from index `begin` on, whose keys lie in their slots by fine bucket: sorts them by
// pieces of PIECE slots, or finds each key's place by comparisons with its neighbours; and gathers the values.
__device__ __forceinline__ void store_fine(const SortLocalParams& p, u64 begin, const Fine& fine) {
    const u32 count = fine.count;
    KeyBits* const to = (KeyBits*)p.keys_out + begin;
    if (BY_PIECES) {
        if (fine.shift > 0) {
            const u32 end = (count + PIECE - 1) / PIECE * PIECE;
            sort_pieces<1>(fine.slots, 0, end);
            __syncthreads();
            sort_pieces<PIECE / 2>(fine.slots, PIECE / 2, end - PIECE / 2);
            __syncthreads();
        }
        for (u32 i = threadIdx.x; i < count; i += THREADS) to[i] = out_of_order(fine.slots[fine_slot(i)]);
        return;
    }
    if (!HAS_VALUES) {
        for (u32 i = threadIdx.x; i < count; i += THREADS) {
            const KeyBits x = fine.slots[i];
            to[fine.shift == 0 ? i : fine.place_of(i, x)] = out_of_order(x);
        }
        return;
    }
    u32 places[KEYS];
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        const u32 i = k * THREADS + threadIdx.x;
        if (i >= count) break;
        const KeyBits x = fine.slots[i];
        const u32 place = fine.place_of(i, x);
        if (KEYS_OUT) to[place] = out_of_order(x);
        places[k] = place | (u32)fine.positions[i] << 16;
    }
    Value* const values_to = (Value*)p.values_out + begin;
    const bool makes = INDICES && p.given;
    const Value* const values = (const Value*)p.values + begin;
    Value* const value_slots = (Value*)dynamic_shared;
    __syncthreads();
    if (!makes) {
        for (u32 i = threadIdx.x; i < count; i += THREADS) value_slots[i] = values[i];
        __syncthreads();
    }
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k * THREADS + threadIdx.x >= count) break;
        const u32 position = places[k] >> 16;
        values_to[places[k] & 0xffff] = makes ? (Value)((INDICES == IN_ARRAY ? begin : 0) + position) : value_slots[position];
    }
}

// A segment, and which of its keys this thread has: one of each of its warp's rows. All warps have equally many rows.
struct Segment {
    u64 begin;
    u32 count, rows, first;
    u32 from_first;  // number of the segment's keys from this thread's first one on; 0 if it has none

    __device__ __forceinline__ Segment(u64 begin, u32 count)
        : begin(begin), count(count), rows((count + THREADS * ROWS_AT_ONCE - 1) / (THREADS * ROWS_AT_ONCE) * ROWS_AT_ONCE),
          first(warp_index() * (WARP * rows) + lane_index()), from_first(count - min(count, first)) {}
    // Whether key k of this thread exists. Two equivalent tests: the second needs the key's place, which values need,
    // too; the first saves a register.
    __device__ __forceinline__ bool exists(u32 k) const { return BY_PIECES ? k * WARP < from_first : first + k * WARP < count; }

    // Loads this thread's keys, as numbers in sort order. Those past the end are copies of the segment's first key,
    // which is returned.
    __device__ __forceinline__ KeyBits load(const SortLocalParams& p, KeyBits (&key)[KEYS]) const {
        const KeyBits* const keys = (const KeyBits*)p.keys + begin;
        const auto number = [&](KeyBits key) { return p.given ? in_order(key) : key; };
        const KeyBits one = number(keys[0]);
        const KeyBits* const mine = keys + first;
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            // The loop that loads twice writes every key: compilers would otherwise keep the earlier value.
            if (BY_PIECES) key[k] = exists(k) ? mine[k * WARP] : (KeyBits)0;
            else if (k >= rows) break;
            else if (exists(k)) key[k] = keys[position(k)];
        }
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            if (k >= rows) break;
            key[k] = exists(k) ? number(key[k]) : one;
        }
        return one;
    }
    __device__ __forceinline__ u32 position(u32 k) const { return first + k * WARP; }
};

// Sorts a segment, whose keys differ in the bits `differ`, by fine buckets, unless a bucket has too many unequal keys.
// Returns whether it has sorted them. `key` are this thread's keys.
__device__ __forceinline__ bool sort_by_finer_buckets(const SortLocalParams& p, LocalShared& shared, const Segment& segment, const KeyBits (&key)[KEYS], KeyBits differ) {
    KeyBits* const slots = (KeyBits*)dynamic_shared;
    u16* const positions = (u16*)(dynamic_shared + LOCAL_SLOT_BYTES);
    u32* const words = shared.masks[0];
    const u32 count = segment.count, width = highest_bit(differ) + 1, shift = width > FINE_BITS ? width - FINE_BITS : 0;
    Fine fine = {slots, positions, (const u16*)words, count, shift, false};
    u32 ranks[KEYS / 2];
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= segment.rows) break;
        u32 rank = 0;
        if (segment.exists(k)) {
            const u32 digit = digit_at<FINE_BITS>(key[k], shift), half = digit % 2 * 16;
            rank = atomicAdd(words + digit / 2, 1u << half) >> half & 0xffff;
        }
        ranks[k / 2] = k % 2 == 0 ? rank : ranks[k / 2] | rank << 16;
    }
    if (threadIdx.x == 0) shared.mixed = 0;
    __syncthreads();
    fine.has_full = fine_counts_to_slots(shared) && (HAS_VALUES || shift > 0);
    bool sorts = !(HAS_VALUES && fine.has_full);
    if (sorts && fine.has_full) {
        // Early exit: unequal neighbours in one full fine bucket, with more than FINE_KEYS keys, show what a look at
        // all slots would show. Skewed keys have such neighbours.
        const KeyBits before = shuffle_up(key[0], 1);
        if (segment.exists(0) && key[0] != before && fine.are_together(key[0], before) && fine.is_full(key[0])) atomicOr(&shared.mixed, 1u);
        __syncthreads();
        sorts = shared.mixed == 0;
    }
    if (sorts) {
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            if (k >= segment.rows) break;
            if (segment.exists(k)) {
                const u32 slot = fine_slot(fine.starts[digit_at<FINE_BITS>(key[k], shift)] + (ranks[k / 2] >> k % 2 * 16 & 0xffff));
                slots[slot] = key[k];
                if (HAS_VALUES) positions[slot] = (u16)segment.position(k);
            }
        }
        // Padding of the last piece sorts after the keys.
        if (BY_PIECES && threadIdx.x < PIECE && (count + threadIdx.x) / PIECE * PIECE < count) slots[fine_slot(count + threadIdx.x)] = (KeyBits)~(KeyBits)0;
    }
    __syncthreads();
    const auto clear = [&] {
        for (u32 i = threadIdx.x; i < FINE_WORDS; i += THREADS) words[i] = 0;
    };
    if (!fine.has_full) {
        clear();
        store_fine(p, segment.begin, fine);
        return true;
    }
    if (sorts) {
        if (fine.sees_mixed()) atomicOr(&shared.mixed, 1u);
        __syncthreads();
        sorts = shared.mixed == 0;
    }
    if (sorts) store_fine(p, segment.begin, fine);
    __syncthreads();
    clear();
    __syncthreads();
    return sorts;
}

// Sorts a segment whose keys differ in the bits `differ` by digits. Padding keys sort after all others. HAS_NEGATIVE:
// there may be a zero with a sign.
template <bool HAS_NEGATIVE>
__device__ __forceinline__ void sort_by_digits(const SortLocalParams& p, LocalShared& shared, const Segment& segment, KeyBits (&key)[KEYS], KeyBits differ, bool has_runs) {
    KeyBits* const slots = (KeyBits*)dynamic_shared;
    u16* const positions = (u16*)(dynamic_shared + LOCAL_SLOT_BYTES);
    u16* const counts = shared.counts[warp_index()];
    const u64 begin = segment.begin;
    const u32 count = segment.count, rows = segment.rows, first = segment.first;
    u32 position[(HAS_VALUES ? KEYS : 2) / 2];
    if (HAS_VALUES) {
#pragma unroll
        for (u32 k = 0; k < KEYS; k += 2) position[k / 2] = segment.position(k) | segment.position(k + 1) << 16;
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
    bool loose = !HAS_VALUES && !HAS_NEGATIVE;
    while (differ != 0) {
        const u32 shift = digit_shift(differ);
        u32 ranks[KEYS / 2];
        // Lanes with one digit would be serialised at one word, which a ballot avoids.
        if (has_runs && loose) warp_rank_runs_in_any_order<LOCAL_BITS>(key, shift, counts, ranks, rows);
        else if (has_runs) warp_rank<LOCAL_BITS, 0, HAS_NEGATIVE>(key, shift, nullptr, counts, ranks, rows);
        else if (loose) warp_rank_in_any_order<LOCAL_BITS>(key, shift, counts, ranks, rows);
        else warp_rank<LOCAL_BITS, MASK_ROWS, HAS_NEGATIVE>(key, shift, shared.masks[warp_index()], counts, ranks, rows);
        loose = false;
        __syncthreads();
        counts_to_slots(shared);
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            if (k >= rows) break;
            put(k, *(volatile u16*)(counts + digit_at<LOCAL_BITS, HAS_NEGATIVE>(key[k], shift)) + (ranks[k / 2] >> k % 2 * 16 & 0xffff));
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

// Loads the keys of a segment again and sorts it by digits: a separate function, so that neither path takes registers
// from the other.
template <bool HAS_NEGATIVE>
__device__ __forceinline__ void load_and_sort_by_digits(const SortLocalParams& p, LocalShared& shared, u64 begin, u32 count, KeyBits differ, bool has_runs) {
    const Segment segment(begin, count);
    KeyBits key[KEYS];
    const KeyBits last = segment.load(p, key) | differ;
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= segment.rows) break;
        if (!segment.exists(k)) key[k] = last;
    }
    sort_by_digits<HAS_NEGATIVE>(p, shared, segment, key, differ, has_runs);
}

// Sorts a segment that has a zero with a sign.
__device__ __noinline__ void sort_with_zeros(const SortLocalParams& p, LocalShared& shared, u64 begin, u32 count, KeyBits differ, bool has_runs) {
    load_and_sort_by_digits<HAS_ZEROS>(p, shared, begin, count, differ, has_runs);
}

// Sorts the segment of `count` keys from `begin` on. It is segment number `turn` of the block.
__device__ __forceinline__ void sort_segment(const SortLocalParams& p, LocalShared& shared, u64 begin, u32 count, u32 turn) {
    const Segment segment(begin, count);
    KeyBits key[KEYS];
    const KeyBits one = segment.load(p, key);
    KeyBits differ = 0;
    bool negative = false;
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= segment.rows) break;
        differ |= key[k] ^ one;
        negative |= is_negative_zero(key[k]);
    }
    if (threadIdx.x <= KEY_WORDS) shared.differ[(turn + 1) % 2][threadIdx.x] = 0;
    merge_bits(shared.differ[turn % 2], differ);
    if (HAS_ZEROS && __any_sync(~0u, negative) && lane_index() == 0) atomicOr(&shared.differ[turn % 2][KEY_WORDS], (u32)ZEROS);
    if (FINE) {
        const KeyBits before = shuffle_up(key[0], 1);
        const u32 rising = __ballot_sync(~0u, before < key[0]), falling = __ballot_sync(~0u, before > key[0]), equal = WARP - 1 - __popc(rising | falling);
        const bool exists = segment.first + WARP <= count;  // for lane 0: whether all keys of the row exist
        const u32 order = equal > WARP / 2 ? RUNS : rising == 0 || falling == 0 ? ORDERLY : 0;
        if (lane_index() == 0 && exists && order != 0) atomicOr(&shared.differ[turn % 2][KEY_WORDS], order);
    }
    __syncthreads();
    differ = merged_bits(shared.differ[turn % 2]);
    const u32 orders = shared.differ[turn % 2][KEY_WORDS];
    const bool has_runs = (orders & RUNS) != 0;
    if (HAS_ZEROS && (orders & ZEROS) != 0) return sort_with_zeros(p, shared, begin, count, differ, has_runs);
    // Fine buckets replace more than two digits, or by pieces two. They also replace two digits if neighbouring keys
    // have the same higher digit, as lanes would be serialised. Keys with few differing bits between equal ones are
    // faster by three digits.
    if (FINE && differ != 0) {
        u32 digits = 0;
        for (KeyBits left = differ; left != 0; digits++) left &= (KeyBits)~(KeyBits)((KeyBits)(LOCAL_DIGITS - 1) << digit_shift(left));
        const u32 width = highest_bit(differ) + 1, shift = width > FINE_BITS ? width - FINE_BITS : 0;
        const bool tells = shift == 0 || digits > 3 || __popcll((i64)(u64)(differ >> shift)) + 3 >= FINE_BITS;
        const u32 fewest = BY_PIECES && !has_runs ? 2 : 3;
        if (tells && (digits >= fewest || orders == ORDERLY) && sort_by_finer_buckets(p, shared, segment, key, differ)) return;
    }
    if (FINE && BY_PIECES) return load_and_sort_by_digits<false>(p, shared, begin, count, differ, has_runs);
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= segment.rows) break;
        if (!segment.exists(k)) key[k] = one | differ;
    }
    sort_by_digits<false>(p, shared, segment, key, differ, has_runs);
}

// Sorts `count` numbers in memory, and turns them into keys: for buckets of octaves that are larger than the sample
// predicted. A bitonic network merges runs of growing length: it compares each number with its mirror image in the run,
// then with those at half of the previous distance. Numbers past the end would be the greatest, so they are not
// compared.
__device__ __noinline__ void sort_where_they_are(KeyBits* keys, u32 count) {
    const auto compare = [&](u32 i, u32 other) {
        if (other <= i || other >= count) return;
        const KeyBits a = keys[i], b = keys[other];
        if (b < a) keys[i] = b, keys[other] = a;
    };
    for (u64 length = 2; length / 2 < count; length *= 2) {
        for (u64 distance = length; distance > 0; distance /= 2) {
            // The first step compares with the mirror image in the run, the next ones at half of the previous distance.
            if (distance == length / 2) continue;
            const u32 flips = distance == length ? (u32)(length - 1) : (u32)distance;
            __syncthreads();
            for (u32 i = threadIdx.x; i < count; i += THREADS) compare(i, i ^ flips);
        }
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < count; i += THREADS) keys[i] = out_of_order(keys[i]);
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS, LOCAL_BLOCKS) upsweep_sort_local(const __grid_constant__ SortLocalParams p) {
    LocalShared& shared = *(LocalShared*)(dynamic_shared + LOCAL_SLOT_BYTES + LOCAL_POSITION_BYTES);
    for (u32 i = threadIdx.x; i < WARPS * MASK_ROWS * DIGITS; i += THREADS) shared.masks[0][i] = 0;
    for (u32 i = threadIdx.x; i < WARPS * LOCAL_DIGITS / 4; i += THREADS) ((u64*)shared.counts[0])[i] = 0;
    if (threadIdx.x <= KEY_WORDS) shared.differ[0][threadIdx.x] = 0;
    wait_for_kernel_before();
    const SortHeader* const header = (const SortHeader*)p.header;
    const Road road = header ? header->road : Road::SPLIT;
    const bool by_octaves = BY_OCTAVES && road == Road::OCTAVES;
    if (road != Road::SPLIT && !by_octaves) return;
    __syncthreads();
    const u64* const starts = (const u64*)p.starts;
    const SortSegment* const list = (const SortSegment*)p.list;
    const u64 segments = list ? *(const u32*)p.listed : by_octaves ? header->shift : p.segments;
    u32 turn = 0;
    for (u64 s = blockIdx.x + (by_octaves ? header->tiles : 0); s < segments; s += gridDim.x) {
        const u64 begin = list ? list[s].begin : starts ? starts[s] : s * p.length;
        const u64 end = list ? begin + list[s].count : starts ? starts[s + 1] : begin + p.length;
        // Larger buckets are left to larger blocks.
        if (begin < end && end - begin <= LOCAL_TILE) sort_segment(p, shared, begin, (u32)(end - begin), turn++);
        else if (by_octaves && begin < end) sort_where_they_are((KeyBits*)p.keys_out + begin, (u32)(end - begin));
    }
}
