// What the kernels of a sort by digits share: digits, and what the kernels of one sort tell each other. Between passes keys lie in
// memory as numbers in their order (word/key.cuh).

#pragma once

#include "config.cuh"
#include "warp/index.cuh"
#include "word/key.cuh"

constexpr u32 DIGITS = 256, DIGIT_BITS = 8, DIGITS_A_KEY = KEY_BYTES;

// Of ZEROS, where there may be one with a sign.
template <u32 BITS = DIGIT_BITS, bool ZEROS = false>
__device__ __forceinline__ u32 digit_at(KeyBits key, u32 shift) { return (u32)((ZEROS ? with_one_zero(key) : key) >> shift) & ((1 << BITS) - 1); }

// Where the lowest bit is that is set.
__device__ __forceinline__ u32 lowest_bit(KeyBits bits) {
    const u64 low = (u64)bits;
    if (low != 0) return __ffsll((i64)low) - 1;
    return 63 + __ffsll((i64)(u64)(KEY_BYTES > 8 ? bits >> (KEY_BYTES > 8 ? 64 : 0) : 0));
}

// Where the highest bit is that is set.
__device__ __forceinline__ u32 highest_bit(KeyBits bits) {
    const u64 high = (u64)(KEY_BYTES > 8 ? bits >> (KEY_BYTES > 8 ? 64 : 0) : 0);
    return high != 0 ? 127 - __clzll((i64)high) : 63 - __clzll((i64)(u64)bits);
}

constexpr u32 KEY_WORDS = (KEY_BYTES + 3) / 4;
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

// What one launch of a pass does.
enum class Deed : u32 { NOTHING, COPY, SORT, FILL, REVERSE, COUNT_OCTAVES, BY_OCTAVES };
// What it reads and writes: the input, where the results go, scratch.
enum class Place : u32 { INPUT, RESULT, SCRATCH };
struct SortStep {
    Deed deed;
    Place from, to;
    u32 shift;  // of the digit; of FILL, and BY_OCTAVES, how many distinct keys are filled in
    u32 turn;   // passes before this one whose tiles look back
    u32 first, last;  // whether keys are to be put into their order, and taken from it
    u32 loose;        // whether equal digits may go in any order, without values
    u32 parts;        // whether the tiles are those of parts of the array, each sorted by itself
    u32 spread;       // of octaves their width; the keys of row `r` with digit `d` go to bases[r * stride + (d << spread)] and on
    u64 stride;
    const u64* bases;
    // Null, or where equal keys cannot be told apart: how many keys of row `r` with digit `d` have found their places, in cursors[r * DIGITS
    // + d], all 0 before. Then no tile waits for another.
    void* cursors;
};

// A tile of a part of the array.
struct SortTile {
    u64 begin;
    u64 at;  // in its part
    u32 count;
    u32 row_and_first;  // the row of places, and in the lowest bit whether it is the part's first tile
};

// A segment to sort by itself, and what the kernels of a sort by segments tell each other. All bytes are 0 before the first.
struct SortSegment {
    u64 begin, count;
};
struct SegmentHeader {
    u32 wrong;      // whether the offsets are
    u32 listed[4];  // segments for a warp with more keys a lane, for a block, for a larger block, and for passes
};

// Values that are positions: in the segment, or in the array.
enum : u32 { NO_INDICES, IN_SEGMENT, IN_ARRAY };

// How a sort goes: by passes from the lowest digit on, by passes from the highest digit on whose buckets are sorted by blocks, or
// by nothing, as the keys are in order. Or by buckets of octaves, which are sorted by blocks.
enum class Road : u32 { PASSES, SPLIT, NONE, OCTAVES };

// What a key can be to the one before: less, or more. Where none is less the keys are in order; where none is more, and nothing but keys is sorted,
// they are in order from the last to the first. And whether there is a zero with a sign: then equal keys can be told apart.
enum Order : u32 { LESS = 1, MORE = 2, ANY_ORDER = LESS | MORE, NEGATIVE_ZEROS = 8 };

// In scratch memory, all bytes 0 before the first kernel, which counts; its last block says what the others do.
struct SortHeader {
    u64 counts[DIGITS_A_KEY][DIGITS];  // keys with a digit; then those with lower ones
    u32 done;                          // blocks that have counted
    u32 order;                         // what has been seen of keys that follow each other: `Order`
    u32 tickets[LAUNCHES];
    Road road;
    u32 split_done;
    u32 listed;   // buckets for larger blocks
    u32 tiles;    // of parts of the array; of octaves, buckets of one number
    u32 shift;    // of the bits that tell a key's bucket; of octaves, how many buckets there are
    SortStep steps[LAUNCHES];
};
static_assert(sizeof(SortHeader) <= SORT_HEADER_BYTES);

// How many keys tiles have of a digit. A word has two bits that say what it is, and a number. It is left as `PREFIX` by a pass; what
// it means changes from pass to pass, so that it is EMPTY again without being written.
using StatusWord = Number<STATUS_BYTES>::type;
struct DigitStatus {
    static constexpr u32 CODE_AT = 8 * STATUS_BYTES - 2;
    static constexpr StatusWord NUMBER = ((StatusWord)1 << CODE_AT) - 1;
    enum Code : u32 { EMPTY, COUNT, PREFIX };

    // What the codes of pass `turn` are flipped by.
    static __device__ __forceinline__ StatusWord flip(u32 turn) { return (StatusWord)(turn % 2 * PREFIX) << CODE_AT; }
    static __device__ __forceinline__ StatusWord word(Code code, StatusWord number, StatusWord flip) {
        return (number | (StatusWord)code << CODE_AT) ^ flip;
    }
};
