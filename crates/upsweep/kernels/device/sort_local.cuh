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
// Or, with FINE, where there would be more than two digits:
//
//       count     the keys of finer buckets: those with the same FINE_BITS highest of the bits that differ
//       scatter   the keys to their slots, by finer buckets, in any order
//       store     each where the few keys of its finer bucket, which are its neighbours, tell
//
// A finer bucket that has more than few keys has to have equal ones alone, else the segment goes by digits. Keys of up to eight bytes without
// values go so instead of two digits, too, and are put in order sooner:
//
//       sort      each piece of PIECE slots, by a thread in its registers
//       merge     the higher half of each piece and the lower half of the next one
//
// A finer bucket of at most half a piece and one more key is in one piece, or in two halves that are merged: then it is in order.
//
// Of values, only positions go along, of 16 bits each; the values are fetched at the end, through the slots of the keys. Where equal
// keys cannot be told apart, the first digit is ranked by atomic additions, in any order. Where rows of keys are runs of equal ones,
// additions to one word would take turns; then the segment goes by digits, of which the first is ranked by an addition for each run, and the
// others by ballots.

#include "memory/instructions.cuh"
#include "tile/rank.cuh"
#include "warp/shuffle.cuh"
#include "word/network.cuh"

constexpr u32 LOCAL_TILE = THREADS * KEYS;
constexpr bool HAS_VALUES = VALUE_BYTES > 0;
using Value = Number<HAS_VALUES ? VALUE_BYTES : 1>::type;
static_assert(THREADS >= DIGITS && LOCAL_BITS >= DIGIT_BITS && KEYS % ROWS_AT_ONCE == 0 && LOCAL_TILE <= 1 << 15, "two ranks of 16 bits in a register");

// Digits, those of a thread that adds up their counts, and their counts, of 16 bits each.
constexpr u32 LOCAL_DIGITS = 1 << LOCAL_BITS, THREAD_DIGITS = LOCAL_DIGITS > THREADS ? LOCAL_DIGITS / THREADS : 1;
constexpr u32 COUNTING_THREADS = LOCAL_DIGITS / THREAD_DIGITS;
using Counts = Number<2 * THREAD_DIGITS>::type;
// Of rows of keys: in order, without many that are equal; or most are equal to the one before.
enum : u32 { ORDERLY = 1, RUNS = 2 };
// How often a number can be halved.
__device__ constexpr u32 halvings(u32 number) { return number > 1 ? 1 + halvings(number / 2) : 0; }
struct LocalShared {
    alignas(16) u32 masks[WARPS][MASK_ROWS * DIGITS];  // a bit for each lane that has the digit
    alignas(8) u16 counts[WARPS][LOCAL_DIGITS];  // of the warp's keys; then the slot of the warp's first key with the digit
    u32 sums[COUNTING_THREADS / WARP > WARPS ? COUNTING_THREADS / WARP : WARPS];
    u32 differ[2][KEY_WORDS + 1];  // the bits that differ in this segment, and what is seen of the order of its keys; 0, for the next one
    u32 mixed;                     // whether a full finer bucket has keys that are not equal
};
constexpr u32 LOCAL_SLOT_BYTES = LOCAL_TILE * (KEY_BYTES > VALUE_BYTES ? KEY_BYTES : VALUE_BYTES);
constexpr u32 LOCAL_POSITION_BYTES = HAS_VALUES ? LOCAL_TILE * 2 : 0;
static_assert(LOCAL_SLOT_BYTES + LOCAL_POSITION_BYTES + sizeof(LocalShared) <= SORT_SHARED_BYTES);
extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Where the next digit is of keys that differ in these bits.
__device__ __forceinline__ u32 digit_shift(KeyBits differ) { return min(lowest_bit(differ), KEY_WIDTH > LOCAL_BITS ? KEY_WIDTH - LOCAL_BITS : 0); }

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

constexpr bool BY_PIECES = !HAS_VALUES && KEY_BYTES <= 8;
constexpr u32 PIECE = 16;
constexpr u32 FINE_KEYS = BY_PIECES ? PIECE / 2 + 1 : 16;  // of a finer bucket, if they are not all equal
constexpr u32 NEAR = 3;  // neighbours on either side that are looked at without a branch
// By pieces as many finer buckets as there are keys.
constexpr u32 MOST_FINE_BITS = !BY_PIECES ? 13 : halvings(LOCAL_TILE > 8 * THREADS ? LOCAL_TILE : 8 * THREADS);
// The counters of finer buckets, two of 16 bits in a word, take the place of the masks and counts, of which they fill as many as they can.
constexpr u32 FINE_ROOM = WARPS * (MASK_ROWS * 2 + LOCAL_DIGITS / DIGITS);  // in DIGITS counters each
constexpr u32 FINE_BITS = halvings(FINE_ROOM) + DIGIT_BITS < MOST_FINE_BITS ? halvings(FINE_ROOM) + DIGIT_BITS : MOST_FINE_BITS, FINE_WORDS = 1 << (FINE_BITS - 1);
constexpr u32 THREAD_VECTORS = FINE_WORDS / THREADS / 4;
static_assert(2 * FINE_WORDS * sizeof(u16) <= sizeof(u32) * WARPS * MASK_ROWS * DIGITS + sizeof(u16) * WARPS * LOCAL_DIGITS, "finer buckets have counters");
static_assert(THREAD_VECTORS > 0 && LOCAL_TILE < 1 << 16, "a slot has 16 bits");

// The counts of finer buckets become the slots of their first keys. Returns whether one has more than FINE_KEYS. All threads.
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
    u32 inclusive = total;
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const u32 lower = __shfl_up_sync(~0u, inclusive, distance);
        if (lane_index() >= distance) inclusive += lower;
    }
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
    for (u32 i = 0; i < 4 * THREAD_VECTORS; i++) vector[i / 4].at[i % 4] += start * 0x10001;  // none flows over
#pragma unroll
    for (u32 i = 0; i < THREAD_VECTORS; i++) vectors[i] = vector[i];
    __syncthreads();
    return any != 0;
}

// Where slot `i` lies among those of finer buckets: so that lanes that load pieces, 16 bytes at a time, find them in banks of their own.
constexpr u32 KEY_VECTOR = 16 / KEY_BYTES;
__device__ __forceinline__ u32 fine_slot(u32 i) { return BY_PIECES ? i ^ (i >> 3 & (KEY_BYTES - 1) * KEY_VECTOR) : i; }

// Sorts each piece of the slots from `begin` to `end`, of which parts of SORTED keys are sorted.
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

// Keys in slots by finer buckets, which are told by FINE_BITS bits of them, from `shift` on.
struct Fine {
    KeyBits* slots;
    const u16* positions;
    const u16* starts;  // of each finer bucket: the slot of its first key
    u32 count, shift;
    bool has_full;  // whether a finer bucket has more than FINE_KEYS keys: else there may be no starts any more

    // Those in one finer bucket differ in these bits.
    __device__ __forceinline__ bool are_together(KeyBits a, KeyBits b) const { return (KeyBits)(a ^ b) >> shift == 0; }
    // Whether there are so many in the finer bucket of `x` that they have to be equal.
    __device__ __forceinline__ bool is_full(KeyBits x) const {
        const u32 digit = digit_at<FINE_BITS>(x, shift);
        return (digit + 1 < 1 << FINE_BITS ? starts[digit + 1] : count) - starts[digit] > FINE_KEYS;
    }
    // Whether this thread sees keys in a full one that are not equal.
    __device__ __forceinline__ bool sees_mixed() const {
        bool mixed = false;
        for (u32 i = 1 + threadIdx.x; i < count; i += THREADS) {
            const KeyBits x = slots[fine_slot(i)], other = slots[fine_slot(i - 1)];
            mixed |= x != other && are_together(x, other) && is_full(x);
        }
        return mixed;
    }
    // The place in order of the key `x` in slot `i`: those of its finer bucket are its neighbours.
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
        // Without a branch, so that these loads are under way together. Outside of the segment it is the key itself.
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

// Stores a segment whose keys lie in their slots by finer buckets.
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

// A segment, and this thread's keys of it: of each of its warp's rows one. Each warp has as many rows as the others.
struct Segment {
    u64 begin;
    u32 count, rows, first;
    u32 from_first;  // keys from this thread's first one on

    __device__ __forceinline__ Segment(u64 begin, u32 count)
        : begin(begin), count(count), rows((count + THREADS * ROWS_AT_ONCE - 1) / (THREADS * ROWS_AT_ONCE) * ROWS_AT_ONCE),
          first(warp_index() * (WARP * rows) + lane_index()), from_first(count - min(count, first)) {}
    // Two ways to ask the same: the second has the key's place, which values need, and the first takes no register for it.
    __device__ __forceinline__ bool exists(u32 k) const { return BY_PIECES ? k * WARP < from_first : first + k * WARP < count; }

    // Loads them; what does not exist is like the first key of all, which is returned.
    __device__ __forceinline__ KeyBits load(const SortLocalParams& p, KeyBits (&key)[KEYS]) const {
        const KeyBits* const keys = (const KeyBits*)p.keys + begin;
        const auto number = [&](KeyBits key) { return p.given ? in_order(key) : key; };
        const KeyBits one = number(keys[0]);
        const KeyBits* const mine = keys + first;
#pragma unroll
        for (u32 k = 0; k < KEYS; k++) {
            // Where keys are loaded twice all are written: compilers would keep what was there before.
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

// Sorts a segment whose keys differ in these bits by finer buckets, if it can, and returns whether it has.
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
        // What is in the last piece beside them is behind them.
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

// Sorts a segment whose keys differ in these bits by digits. What does not exist is the last of all in order, and behind all others.
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
    bool loose = !HAS_VALUES;
    while (differ != 0) {
        const u32 shift = digit_shift(differ);
        u32 ranks[KEYS / 2];
        // Lanes with one digit add to one word in turns, which ballots spare.
        if (has_runs && loose) warp_rank_runs_in_any_order<LOCAL_BITS>(key, shift, counts, ranks, rows);
        else if (has_runs) warp_rank<LOCAL_BITS, 0>(key, shift, nullptr, counts, ranks, rows);
        else if (loose) warp_rank_in_any_order<LOCAL_BITS>(key, shift, counts, ranks, rows);
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

// The same, of a segment whose keys are loaded again: by itself, so that neither way takes registers from the other.
__device__ __forceinline__ void load_and_sort_by_digits(const SortLocalParams& p, LocalShared& shared, u64 begin, u32 count, KeyBits differ, bool has_runs) {
    const Segment segment(begin, count);
    KeyBits key[KEYS];
    const KeyBits last = segment.load(p, key) | differ;
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= segment.rows) break;
        if (!segment.exists(k)) key[k] = last;
    }
    sort_by_digits(p, shared, segment, key, differ, has_runs);
}

// Sorts the segment of `count` keys from `begin` on; it is the block's `turn`-th.
__device__ __forceinline__ void sort_segment(const SortLocalParams& p, LocalShared& shared, u64 begin, u32 count, u32 turn) {
    const Segment segment(begin, count);
    KeyBits key[KEYS];
    const KeyBits one = segment.load(p, key);
    KeyBits differ = 0;
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= segment.rows) break;
        differ |= key[k] ^ one;
    }
    if (threadIdx.x <= KEY_WORDS) shared.differ[(turn + 1) % 2][threadIdx.x] = 0;
    merge_bits(shared.differ[turn % 2], differ);
    if (FINE) {
        const KeyBits before = shuffle_up(key[0], 1);
        const u32 rising = __ballot_sync(~0u, before < key[0]), falling = __ballot_sync(~0u, before > key[0]), equal = WARP - 1 - __popc(rising | falling);
        const bool exists = segment.first + WARP <= count;  // of the lowest lane: the whole row
        const u32 order = equal > WARP / 2 ? RUNS : rising == 0 || falling == 0 ? ORDERLY : 0;
        if (lane_index() == 0 && exists && order != 0) atomicOr(&shared.differ[turn % 2][KEY_WORDS], order);
    }
    __syncthreads();
    differ = merged_bits(shared.differ[turn % 2]);
    const u32 orders = shared.differ[turn % 2][KEY_WORDS];
    const bool has_runs = (orders & RUNS) != 0;
    // Finer buckets take the place of more than two digits, or by pieces of two; of two, too, where keys that lie side by side have the same
    // higher one, and lanes would take turns. Where few bits tell them, as others are the same in all keys, three digits are faster.
    if (FINE && differ != 0) {
        u32 digits = 0;
        for (KeyBits left = differ; left != 0; digits++) left &= (KeyBits)~(KeyBits)((KeyBits)(LOCAL_DIGITS - 1) << digit_shift(left));
        const u32 width = highest_bit(differ) + 1, shift = width > FINE_BITS ? width - FINE_BITS : 0;
        const bool tells = shift == 0 || digits > 3 || __popcll((i64)(u64)(differ >> shift)) + 3 >= FINE_BITS;
        const u32 fewest = BY_PIECES && !has_runs ? 2 : 3;
        if (tells && (digits >= fewest || orders == ORDERLY) && sort_by_finer_buckets(p, shared, segment, key, differ)) return;
    }
    if (FINE && BY_PIECES) return load_and_sort_by_digits(p, shared, begin, count, differ, has_runs);
#pragma unroll
    for (u32 k = 0; k < KEYS; k++) {
        if (k >= segment.rows) break;
        if (!segment.exists(k)) key[k] = one | differ;
    }
    sort_by_digits(p, shared, segment, key, differ, has_runs);
}

extern "C" __global__ void __launch_bounds__(THREADS, LOCAL_BLOCKS) upsweep_sort_local(const __grid_constant__ SortLocalParams p) {
    LocalShared& shared = *(LocalShared*)(dynamic_shared + LOCAL_SLOT_BYTES + LOCAL_POSITION_BYTES);
    for (u32 i = threadIdx.x; i < WARPS * MASK_ROWS * DIGITS; i += THREADS) shared.masks[0][i] = 0;
    for (u32 i = threadIdx.x; i < WARPS * LOCAL_DIGITS / 4; i += THREADS) ((u64*)shared.counts[0])[i] = 0;
    if (threadIdx.x <= KEY_WORDS) shared.differ[0][threadIdx.x] = 0;
    wait_for_kernel_before();
    if (p.header && ((const SortHeader*)p.header)->road != Road::SPLIT) return;
    __syncthreads();
    const u64* const starts = (const u64*)p.starts;
    const SortSegment* const list = (const SortSegment*)p.list;
    const u64 segments = list ? *(const u32*)p.listed : p.segments;
    u32 turn = 0;
    for (u64 s = blockIdx.x; s < segments; s += gridDim.x) {
        const u64 begin = list ? list[s].begin : starts ? starts[s] : s * p.length;
        const u64 end = list ? begin + list[s].count : starts ? starts[s + 1] : begin + p.length;
        // Larger buckets are for larger blocks.
        if (begin < end && end - begin <= LOCAL_TILE) sort_segment(p, shared, begin, (u32)(end - begin), turn++);
    }
}
