// Declarations shared by the kernels of a radix sort: digits, and the state that one kernel leaves for the next.
// Between passes keys lie in memory as unsigned numbers in sort order (word/key.cuh).

#pragma once

#include "config.cuh"
#include "warp/index.cuh"
#include "word/key.cuh"

constexpr u32 DIGITS = 256, DIGIT_BITS = 8, DIGITS_A_KEY = KEY_BYTES;

// Returns the digit of BITS bits of a key, from bit `shift` on. ZEROS: a zero with a sign has the digits of one
// without.
template <u32 BITS = DIGIT_BITS, bool ZEROS = false>
__device__ __forceinline__ u32 digit_at(KeyBits key, u32 shift) { return (u32)((ZEROS ? with_one_zero(key) : key) >> shift) & ((1 << BITS) - 1); }

// Returns the index of the lowest set bit.
__device__ __forceinline__ u32 lowest_bit(KeyBits bits) {
    const u64 low = (u64)bits;
    if (low != 0) return __ffsll((i64)low) - 1;
    return 63 + __ffsll((i64)(u64)(KEY_BYTES > 8 ? bits >> (KEY_BYTES > 8 ? 64 : 0) : 0));
}

// Returns the index of the highest set bit.
__device__ __forceinline__ u32 highest_bit(KeyBits bits) {
    const u64 high = (u64)(KEY_BYTES > 8 ? bits >> (KEY_BYTES > 8 ? 64 : 0) : 0);
    return high != 0 ? 127 - __clzll((i64)high) : 63 - __clzll((i64)(u64)bits);
}

constexpr u32 KEY_WORDS = (KEY_BYTES + 3) / 4;
// Sets the bits of a key in `words`, which lie in memory, by an atomic or; `merged_bits` reads all bits that have been
// set.
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

// Work of one launch of a pass: nothing; a copy of the keys; a pass by a digit; a fill with few distinct keys; a
// reversal; a count of the keys in each bucket of octaves; a pass that puts the keys into these buckets.
enum class Deed : u32 { NOTHING, COPY, SORT, FILL, REVERSE, COUNT_OCTAVES, BY_OCTAVES };
// Arrays that a launch reads or writes: the input, the result, scratch.
enum class Place : u32 { INPUT, RESULT, SCRATCH };
struct SortStep {
    Deed deed;
    Place from, to;
    u32 shift;    // lowest bit of the digit; of FILL, and BY_OCTAVES, the number of distinct keys that are filled in
    // Number of earlier passes whose tiles look back: tells how this pass flips the states of look-back words.
    u32 turn;
    u32 first, last;  // whether keys are converted into sort order (the first pass), and back from it (the last)
    u32 loose;        // whether keys with equal digits may take any order; without values
    // Whether the tiles are those of parts of the array (segments or buckets) that are sorted separately.
    u32 parts;
    u32 spread;       // width of octaves; keys of row `r` with digit `d` go to bases[r * stride + (d << spread)] and on
    u64 stride;
    const u64* bases;
    // Null, or, where equal keys are indistinguishable, cursors[r * DIGITS + d]: the number of keys of row `r` with
    // digit `d` that have been assigned places, all 0 before. With cursors no tile waits for another.
    void* cursors;
};

// Tile of a part of the array: a part is a segment or a bucket that is sorted separately.
struct SortTile {
    u64 begin;
    u64 at;  // offset of its first key from the first key of its part
    u32 count;
    u32 row_and_first;  // row of `bases` of its part; lowest bit: whether the tile is the part's first
};

// A segment that is sorted separately. A sort by segments also has the header below, which is all 0 before its first
// kernel.
struct SortSegment {
    u64 begin, count;
};
struct SegmentHeader {
    u32 wrong;      // whether the offsets are invalid
    // Number of segments on each list: for a warp with more keys a lane, a block, a larger block, and passes.
    u32 listed[4];
};

// Whether the values of a sort are the indices of its keys: they are not; indices in the key's segment; indices in the
// array.
enum : u32 { NO_INDICES, IN_SEGMENT, IN_ARRAY };

// Path that a sort takes: LSD passes; MSD passes whose buckets are sorted by blocks; nothing, as the keys are in order;
// or buckets of octaves, which are sorted by blocks.
enum class Road : u32 { PASSES, SPLIT, NONE, OCTAVES };

// Comparisons of keys with their predecessors: some key is less (LESS), some is more (MORE). Without LESS the keys are
// in order. Without MORE, keys without values are in reverse order. NEGATIVE_ZEROS: there is a zero with a sign, so
// that equal keys are distinguishable.
enum Order : u32 { LESS = 1, MORE = 2, ANY_ORDER = LESS | MORE, NEGATIVE_ZEROS = 8 };

// State of a sort in scratch memory. All of its bytes are 0 before the first kernel, which counts; the last block of
// that kernel plans the launches that follow.
struct SortHeader {
    u64 counts[DIGITS_A_KEY][DIGITS];  // number of keys with a digit; then the exclusive prefix: keys with lower digits
    u32 done;                          // number of blocks that have counted
    u32 order;                         // union of the comparisons of all neighbours: `Order`
    u32 tickets[LAUNCHES];
    Road road;
    u32 split_done;
    u32 listed;   // number of buckets on the list for larger blocks
    u32 tiles;    // number of tiles of parts of the array; of octaves, of buckets with a single number each
    u32 shift;    // lowest bit of a key's bucket number; of octaves, the number of buckets
    SortStep steps[LAUNCHES];
};
static_assert(sizeof(SortHeader) <= SORT_HEADER_BYTES);

// Look-back word of a digit of a tile: two bits of state and a count. A pass leaves every word as `PREFIX`. The meaning
// of the states is flipped from pass to pass, so that the next pass finds its words EMPTY without a store.
using StatusWord = Number<STATUS_BYTES>::type;
struct DigitStatus {
    static constexpr u32 CODE_AT = 8 * STATUS_BYTES - 2;
    static constexpr StatusWord NUMBER = ((StatusWord)1 << CODE_AT) - 1;
    enum Code : u32 { EMPTY, COUNT, PREFIX };

    // Returns the bits by which pass `turn` flips the states.
    static __device__ __forceinline__ StatusWord flip(u32 turn) { return (StatusWord)(turn % 2 * PREFIX) << CODE_AT; }
    static __device__ __forceinline__ StatusWord word(Code code, StatusWord number, StatusWord flip) {
        return (number | (StatusWord)code << CODE_AT) ^ flip;
    }
};
