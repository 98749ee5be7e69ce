// Scans of integers of one or two bytes, several in a 32-bit word at once (word/lanes.cuh). E has the elements 0 and 2
// of a word of bytes in its two 16-bit lanes, O the elements 1 and 3; the carry is in both lanes.
//
//   sums       s = E + O = (x0 + x1, x2 + x3)      odd = s * 0x10001 + carry = (.. x1, .. x3)      even = odd - O
//   extremes   s = max(E, O)      below = (-, s0)  odd = max(s, below, carry)                      even = max(E, below, carry)
//
// "-" is the least value.
//
// Words are in logical order: in reverse, the words of a vector and the bytes of a word are reversed first.

#pragma once

#include "tile/job.cuh"
#include "word/lanes.cuh"

constexpr bool PACKED = LANE_INSTRUCTIONS && PLAIN && !SEGMENTED && arith::integer<T> && sizeof(T) <= 2 &&
                        (FORM == Form::SUM || EXTREME) && VECTOR * sizeof(T) == 16;

// Scans of vectors of `V`, a `T` of one or two bytes, several of which lie in a word.
template <class V>
struct Packed {
    static constexpr u32 COUNT = 4;  // words of a vector
    using L = Lanes<V>;

    static __device__ __forceinline__ u32 high_twice(u32 lanes) { return __byte_perm(lanes, 0, 0x3232); }

    // For extremes: returns the low lane copied to the high one, with the neutral value in the low lane.
    static __device__ __forceinline__ u32 low_above(u32 lanes) {
        return lanes * 0x10000 + (L::NOTHING & 0xffff);
    }

    // Returns a word that has a value in each of its two 16-bit lanes.
    static __device__ __forceinline__ u32 carry_of(V value) {
        if constexpr (sizeof(V) == 1) return (u32)(u8)value * (EXTREME ? 0x01000100 : 0x00010001);
        else return (u32)(u16)value * 0x00010001;
    }

    // Returns the inclusive scan of a word's elements after `carry`, which becomes the carry into the next word.
    static __device__ __forceinline__ u32 scan_word(u32 w, u32& carry) {
        if constexpr (sizeof(V) == 2) {
            const u32 result = L::combine(FORM == Form::SUM ? w * 0x10001 : L::combine(w, low_above(w)), carry);
            carry = high_twice(result);
            return result;
        } else {
            const u32 even = L::even_bytes(w), odd = L::odd_bytes(w);
            u32 first, second;  // of each pair of neighbouring elements
            if constexpr (FORM == Form::SUM) {
                second = (even + odd) * 0x10001 + carry;
                first = second - odd;
                carry = __byte_perm(second, 0, 0x4242);
            } else {
                const u32 pairs = L::combine(even, odd), below = low_above(pairs);
                second = L::combine(L::combine(pairs, below), carry);
                first = L::combine(L::combine(even, below), carry);
                carry = high_twice(second);
            }
            return __byte_perm(first, second, EXTREME ? 0x7351 : 0x6240);
        }
    }

    // Returns the neutral value: a scan without a prefix begins with it.
    static __device__ __forceinline__ V nothing() {
        return FORM == Form::SUM ? V(0) : FORM == Form::MAXIMUM ? arith::number<V>::min : arith::number<V>::max;
    }

    // Words of a vector in logical order. `turn` reverses them if the scan is reversed, also back to memory order.
    struct Words {
        u32 word[COUNT];
        __device__ __forceinline__ explicit Words(const Slot& slot) {
            const uint4 all = *(const uint4*)slot.bytes;
            word[0] = all.x, word[1] = all.y, word[2] = all.z, word[3] = all.w;
            turn();
        }
        __device__ __forceinline__ void put(Slot& slot) {
            turn();
            *(uint4*)slot.bytes = uint4{word[0], word[1], word[2], word[3]};
        }
        __device__ __forceinline__ void turn() {
            if constexpr (!REVERSE) return;
            u32 turned[COUNT];
#pragma unroll
            for (u32 i = 0; i < COUNT; i++) turned[i] = __byte_perm(word[COUNT - 1 - i], 0, sizeof(V) == 1 ? 0x0123 : 0x1032);
#pragma unroll
            for (u32 i = 0; i < COUNT; i++) word[i] = turned[i];
        }
    };

    // Returns the combination of this thread's elements in a full tile.
    static __device__ __forceinline__ V thread_sum(const Params& p, u64 begin, const Slot* slots) {
        typename L::Total all;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            const Words x(slots[threadIdx.x * ROWS + row]);
#pragma unroll
            for (u32 i = 0; i < COUNT; i++) all.add(x.word[i]);
        }
        const V total = all.value();
        return HAS_INIT && !CONTINUES && begin == 0 && threadIdx.x == 0 ? combine(p.init, total) : total;
    }

    // Computes the results of this thread's elements in a full tile, in their slots. `before` is the thread's exclusive
    // prefix, which exists only if `some` is true.
    static __device__ __forceinline__ void scan_vectors(const Params& p, Slot* slots, bool some, V before) {
        u32 carry = carry_of(some ? before : HAS_INIT ? p.init : nothing());
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            Slot& slot = slots[threadIdx.x * ROWS + row];
            Words x(slot);
#pragma unroll
            for (u32 i = 0; i < COUNT; i++) {
                const u32 previous = carry;
                const u32 result = scan_word(x.word[i], carry);
                // Exclusive: the results are shifted by one element, after the last one of the word before.
                if constexpr (!EXCLUSIVE) x.word[i] = result;
                else if constexpr (sizeof(V) == 1) x.word[i] = __byte_perm(previous, result, EXTREME ? 0x6541 : 0x6540);
                else x.word[i] = __byte_perm(previous, result, 0x5410);
            }
            x.put(slot);
        }
    }
};
