// Segment heads: for each thread a mask with one bit for each of its elements.
//
//   rows          computed: the first head from element i on is (row - i % row) % row elements away
//   flags, keys   read with coalesced loads by the warp that has the elements, and stored in shared memory as bits: the
//                 head source
//   offsets       stored there by another warp for the whole tile: offsets.cuh
//
// The very first element begins a segment, so a segmented scan has no prefix before it, unless it CONTINUES another.

#pragma once

#include "tile/job.cuh"
#include "warp/shuffle.cuh"

static_assert(VECTOR <= 16 && ITEMS < 64, "the bits of a vector; of a thread, and of the next element");
template <bool SMALL> struct MaskOf { using type = u32; };
template <> struct MaskOf<false> { using type = u64; };
using Mask = MaskOf<(ITEMS <= 32)>::type;
constexpr Mask OWN = (Mask)~0ull >> (8 * sizeof(Mask) - ITEMS);  // the bits of this thread's elements

constexpr bool IN_ROWS = HEADS == Heads::ROWS || HEADS == Heads::LINES;
constexpr bool READ_MARKS = HEADS == Heads::FLAGS || HEADS == Heads::KEYS;
constexpr bool MARKED = READ_MARKS || HEADS == Heads::OFFSETS;
// Whether the marks also tell, for each warp, whether a segment begins after its last element: a reduction needs to
// know. The flags or keys are at hand when the heads are marked.
constexpr bool MARKS_NEXT = READ_MARKS && BY_SEGMENT;

// Heads of a tile. By flags and keys: bit j of vector v for element j of the tile's vector v, and for each warp whether
// a segment begins after it. By offsets: a bit for each element, and one for a segment that begins after the tile.
template <bool SMALL> struct VectorBitsOf { using type = u8; };
template <> struct VectorBitsOf<false> { using type = u16; };
using VectorBits = VectorBitsOf<VECTOR <= 8>::type;
struct alignas(16) Marks {
    VectorBits vectors[READ_MARKS ? THREADS * ROWS : 1];
    u8 next[MARKS_NEXT ? WARPS : 1];
    u32 bits[HEADS == Heads::OFFSETS ? TILE / 32 + 1 : 1];
};

// Returns, for segments by offsets, the marks from this thread's first element on, in a reduction at least to the next
// thread's first: bit i belongs to element i.
static_assert(ITEMS != 32 || !BY_SEGMENT, "a reduction's mask has a bit to spare");
__device__ __forceinline__ Mask marks_from(const Marks& marks) {
    const u32 at = threadIdx.x * ITEMS;
    const u32* const words = marks.bits + at / 32;
    const u32 low = __funnelshift_r(words[0], words[1], at);
    if constexpr (ITEMS <= 32) return low;
    else return low | (u64)__funnelshift_r(words[1], words[2], at) << 32;
}

// Returns i / row, and the remainder in `rest`. `reciprocal` is (2^64 - 1) / row, rounded down: the product's upper
// half is the quotient or one less.
__device__ __forceinline__ u64 row_of(const Params& p, u64 i, u64& rest) {
    u64 quotient = __umul64hi(i, p.row_reciprocal);
    rest = i - quotient * p.row;
    if (rest >= p.row) rest -= p.row, quotient++;
    return quotient;
}

__device__ __forceinline__ u64 place_in_row(const Params& p, u64 i) {
    u64 rest;
    row_of(p, i, rest);
    return rest;
}

// Head source of an element, which tells whether it begins a segment: its flag or its key.
template <Heads FLAGS_OR_KEYS> struct SourceOf { using type = Key; };
template <> struct SourceOf<Heads::FLAGS> { using type = bool; };
using Source = SourceOf<HEADS>::type;

constexpr u64 NO_KEYS = ~0ull;  // in place of the number of keys that the output has room for: no keys are requested

__device__ __forceinline__ const Source* sources(const ScanParams& p) { return (const Source*)p.head_source; }

// Whether an element begins a segment, by its source and that of the element before it. In reverse the first element of
// a segment is the last in memory, so that the flag of the element before it decides.
template <class S>
__device__ __forceinline__ bool begins(const S& before, const S& own) {
    if constexpr (HEADS == Heads::FLAGS) return REVERSE ? before : own;
    else if constexpr (HEADS == Heads::KEYS) return REVERSE ? !same_key(own, before) : !same_key(before, own);
    else return false;
}

__device__ __forceinline__ const Source& source_of(const Params& p, u64 i) { return sources(p)[REVERSE ? p.n - 1 - i : i]; }

// Prefetches the head sources of the vector that begins with element `i`.
__device__ __forceinline__ void prefetch_sources(const ScanParams& p, u64 i) {
    prefetch(vector_address(sources(p), p.n, i));
}

// Head sources, flags or keys, of the elements of one vector.
struct Sources {
    static constexpr u32 BYTES = VECTOR * sizeof(Source);
    static constexpr u32 WIDTH = access_width(BYTES);
    alignas(16) Source in_memory[VECTOR];

    // Loads the sources of the `count` elements from logical element `i` on.
    __device__ __forceinline__ void load(const Params& p, u64 i, u32 count, bool aligned) {
        const Source* const from = vector_address(sources(p), p.n, i);
        if (WIDTH > 1 && aligned && count == VECTOR) {
            using Part = Access<WIDTH>::type;
            Part parts[BYTES / WIDTH];
#pragma unroll
            for (u32 k = 0; k < BYTES / WIDTH; k++) parts[k] = ((const Part*)from)[k];
            memcpy(in_memory, parts, BYTES);
        } else {
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                const u32 at = REVERSE ? VECTOR - 1 - j : j;
                if (j < count) in_memory[at] = from[at];
            }
        }
    }

    __device__ __forceinline__ const Source& operator[](u32 j) const { return in_memory[REVERSE ? VECTOR - 1 - j : j]; }
};

// Marks the heads of this warp's elements by their flags or keys. Only this warp reads these marks.
template <bool FULL>
__device__ __forceinline__ void mark_own(const Params& p, u64 begin, u32 count, Marks& marks) {
    constexpr u32 AT_ONCE = ROWS * sizeof(Sources) <= 64 ? ROWS : 1;  // rows whose sources registers hold at once
    const u32 lane = lane_index(), first = warp_index() * WARP * ITEMS;
    const bool aligned = vectors_aligned(sources(p), p.n, Sources::WIDTH);
    const u64 behind = begin + first + WARP * ITEMS;
    Source before, after;  // of the element before the row, and of the one after the warp's last
    if (lane == 0 && first < count && begin + first > 0) before = source_of(p, begin + first - 1);
    else if (CONTINUES && HEADS == Heads::KEYS && lane == 0) before = *(const Source*)((const u8*)p.before + KEY_AT);
    if (MARKS_NEXT && lane == WARP - 1 && behind < p.n) after = source_of(p, behind);
#pragma unroll 1
    for (u32 from = 0; from < ROWS; from += AT_ONCE) {
        Sources own[AT_ONCE];
#pragma unroll
        for (u32 r = 0; r < AT_ONCE; r++) {
            const u32 offset = row_vector(from + r) * VECTOR;
            own[r].load(p, begin + offset, existing<FULL>(offset, VECTOR, count), aligned);
        }
#pragma unroll
        for (u32 r = 0; r < AT_ONCE; r++) {
            const u32 vector = row_vector(from + r), offset = vector * VECTOR, mine = existing<FULL>(offset, VECTOR, count);
            const Source last = own[r][VECTOR - 1];
            const Source lower = shuffle_up(last, 1);
            if (lane > 0) before = lower;
            u32 bits = 0;
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (j < mine) bits |= (u32)((!CONTINUES && begin + offset + j == 0) || begins(j == 0 ? before : own[r][j - 1], own[r][j])) << j;
            }
            marks.vectors[vector] = (VectorBits)bits;
            before = shuffle(last, WARP - 1);
        }
    }
    if (MARKS_NEXT && lane == WARP - 1) marks.next[warp_index()] = behind < p.n && begins(before, after);
    __syncwarp();
}

// Marks the heads before a tile is reduced, unless another warp marks them by offsets.
__device__ __forceinline__ void mark_heads(const Params& p, u64 begin, u32 count, Marks& marks) {
    if constexpr (READ_MARKS) {
        if (count == TILE) mark_own<true>(p, begin, count, marks);
        else mark_own<false>(p, begin, count, marks);
    }
}

// Returns, for segments by rows, a bit for each of the 64 elements from `i` on: whether it is a head.
__device__ __forceinline__ u64 row_heads(const Params& p, u64 i) {
    const u64 place = place_in_row(p, i), away = place == 0 ? 0 : p.row - place;
    return away < 64 ? p.row_pattern << away : 0;
}

// Returns the mask of the heads among this thread's elements.
template <bool FULL>
__device__ __forceinline__ Mask thread_heads(const Params& p, u64 begin, u32 count, const Marks& marks) {
    if constexpr (!SEGMENTED) return 0;
    const u32 offset = threadIdx.x * ITEMS;
    Mask heads = 0;
    if constexpr (IN_ROWS) {
        heads = (Mask)row_heads(p, begin + offset) & OWN;
    } else if constexpr (HEADS == Heads::OFFSETS) {
        heads = marks_from(marks) & OWN;
    } else {
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) heads |= (Mask)marks.vectors[threadIdx.x * ROWS + row] << row * VECTOR;
    }
    const u32 mine = existing<FULL>(offset, ITEMS, count);
    return FULL || mine == ITEMS ? heads : heads & (((Mask)1 << mine) - 1);
}

// Heads of a warp's lanes, as seen by each lane.
struct LaneHeads {
    u32 lanes;  // set of the lanes that have a head

    template <bool FULL>
    static __device__ __forceinline__ LaneHeads of(Mask heads) {
        return LaneHeads{SEGMENTED ? __ballot_sync(~0u, heads != 0) : 0};
    }

    // Returns the last lane with a head, or lane 0 if there is none.
    __device__ __forceinline__ u32 last() const { return lanes ? WARP - 1 - __clz(lanes) : 0; }
    // Returns how many of the lanes directly below this one belong to the segment that ends in this lane.
    __device__ __forceinline__ u32 reach() const {
        const u32 own = lanes & (~0u >> (WARP - 1 - lane_index()));
        return lane_index() - LaneHeads{own}.last();
    }
    // Whether a lower lane has a head.
    __device__ __forceinline__ bool any_lower() const { return lanes & ((1u << lane_index()) - 1); }
};

// Returns the index of the lowest set bit; ~0 if there is none.
__device__ __forceinline__ u32 lowest_bit(Mask mask) { return (u32)(sizeof(Mask) == 4 ? __ffs((u32)mask) : __ffsll(mask)) - 1; }
// Returns the index of the highest set bit of a mask that is not 0.
__device__ __forceinline__ u32 highest_bit(Mask mask) { return sizeof(Mask) == 4 ? 31 - __clz((i32)mask) : 63 - __clzll((i64)mask); }
__device__ __forceinline__ u32 head_number(Mask heads) { return sizeof(Mask) == 4 ? __popc((u32)heads) : __popcll(heads); }
