// Sums and extremes of integers of one or two bytes, several in a 32-bit word at once. The bits are those of the way
// element by element.
//
// A word of bytes is scanned in lanes of 16 bits, so that sums do not run into each other: E has the elements 0 and 2, O
// the elements 1 and 3, the carry is in both lanes.
//
//   sums       s = E + O = (x0 + x1, x2 + x3)      odd = s * 0x10001 + carry = (.. x1, .. x3)      even = odd - O
//   extremes   s = max(E, O)      below = (-, s0)  odd = max(s, below, carry)                      even = max(E, below, carry)
//
// For extremes a byte lies in the upper half of its lane and decides alone: whatever is in the lower half, it is O's place
// in the word itself. "-" is the least value. Shifts are multiplications, which have instructions to spare.
//
// Words are in logical order: in reverse, the words of a vector and the bytes of a word are turned round first.

constexpr bool EXTREME = FORM == Form::MINIMUM || FORM == Form::MAXIMUM;
#if __CUDA_ARCH__ >= 900
constexpr bool LANE_INSTRUCTIONS = true;
#else
constexpr bool LANE_INSTRUCTIONS = false;
#endif
constexpr bool PACKED = LANE_INSTRUCTIONS && PLAIN && !SEGMENTED && arith::integer<T> && sizeof(T) <= 2 &&
                        (FORM == Form::SUM || EXTREME) && VECTOR * sizeof(T) == 16;

#define LANES_BINARY(name, instruction)                                             \
    __device__ __forceinline__ u32 name(u32 a, u32 b) {                              \
        u32 r;                                                                       \
        asm(instruction " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                  \
        return r;                                                                    \
    }
#if __CUDA_ARCH__ >= 900
LANES_BINARY(add_lanes, "add.u16x2")
LANES_BINARY(max_signed, "max.s16x2")
LANES_BINARY(max_unsigned, "max.u16x2")
LANES_BINARY(min_signed, "min.s16x2")
LANES_BINARY(min_unsigned, "min.u16x2")
#else
__device__ u32 add_lanes(u32, u32);
__device__ u32 max_signed(u32, u32);
__device__ u32 max_unsigned(u32, u32);
__device__ u32 min_signed(u32, u32);
__device__ u32 min_unsigned(u32, u32);
#endif

// What `V`, a `T` of one or two bytes, is in words.
template <class V>
struct Packed {
    static constexpr u32 COUNT = 4;  // words a vector
    static constexpr bool SIGNED = arith::signed_integer<V>;

    // The operator on lanes of 16 bits.
    static __device__ __forceinline__ u32 lanes(u32 a, u32 b) {
        if constexpr (FORM == Form::MAXIMUM) return SIGNED ? max_signed(a, b) : max_unsigned(a, b);
        else if constexpr (FORM == Form::MINIMUM) return SIGNED ? min_signed(a, b) : min_unsigned(a, b);
        else return add_lanes(a, b);
    }

    // The bytes 0 and 2, and 1 and 3, of a word in lanes of 16 bits.
    static __device__ __forceinline__ u32 even_bytes(u32 w) { return EXTREME ? w * 256 : w & 0x00ff00ff; }
    static __device__ __forceinline__ u32 odd_bytes(u32 w) { return EXTREME ? w : __byte_perm(w, 0, 0x4341); }
    static __device__ __forceinline__ u32 high_twice(u32 lanes) { return __byte_perm(lanes, 0, 0x3232); }

    // Extremes: the low lane as the high one, with what changes nothing below it.
    static __device__ __forceinline__ u32 low_above(u32 lanes) {
        constexpr u32 LEAST = SIGNED ? 0x8000 : 0, MOST = SIGNED ? 0x7fff : 0xffff;
        return lanes * 0x10000 + (FORM == Form::MAXIMUM ? LEAST : MOST);
    }

    // A value in both lanes.
    static __device__ __forceinline__ u32 carry_of(V value) {
        if constexpr (sizeof(V) == 1) return (u32)(u8)value * (EXTREME ? 0x01000100 : 0x00010001);
        else return (u32)(u16)value * 0x00010001;
    }

    // The inclusive scan of a word's elements after `carry`, which then is what comes before the next word.
    static __device__ __forceinline__ u32 scan_word(u32 w, u32& carry) {
        if constexpr (sizeof(V) == 2) {
            const u32 result = lanes(FORM == Form::SUM ? w * 0x10001 : lanes(w, low_above(w)), carry);
            carry = high_twice(result);
            return result;
        } else {
            const u32 even = even_bytes(w), odd = odd_bytes(w);
            u32 first, second;  // of each pair
            if constexpr (FORM == Form::SUM) {
                second = (even + odd) * 0x10001 + carry;
                first = second - odd;
                carry = __byte_perm(second, 0, 0x4242);
            } else {
                const u32 pairs = lanes(even, odd), below = low_above(pairs);
                second = lanes(lanes(pairs, below), carry);
                first = lanes(lanes(even, below), carry);
                carry = high_twice(second);
            }
            return __byte_perm(first, second, EXTREME ? 0x7351 : 0x6240);
        }
    }

    // What scans begin with where nothing lies before.
    static __device__ __forceinline__ V nothing() {
        return FORM == Form::SUM ? V(0) : FORM == Form::MAXIMUM ? arith::number<V>::min : arith::number<V>::max;
    }

    // A vector's words in logical order, or back.
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

    // The combination of this thread's elements in a full tile.
    static __device__ __forceinline__ V thread_sum(const Params& p, u64 begin, const Slot* slots) {
        u32 sum = 0, odd = 0;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            const Words x(slots[threadIdx.x * ROWS + row]);
#pragma unroll
            for (u32 i = 0; i < COUNT; i++) {
                const u32 w = x.word[i];
                if constexpr (sizeof(V) == 1 && FORM == Form::SUM) {
                    sum = __dp4a(w, 0x01010101u, sum);
                } else {
                    const bool first = row == 0 && i == 0;
                    const u32 even = sizeof(V) == 1 ? even_bytes(w) : w;
                    sum = first ? even : lanes(sum, even);
                    if constexpr (sizeof(V) == 1) odd = first ? odd_bytes(w) : lanes(odd, odd_bytes(w));
                }
            }
        }
        if constexpr (sizeof(V) == 1 && EXTREME) sum = lanes(sum, odd);
        if constexpr (sizeof(V) == 2 || EXTREME) sum = lanes(sum, sum >> 16);
        const V total = V(sizeof(V) == 1 && EXTREME ? sum >> 8 : sum);
        return HAS_INIT && begin == 0 && threadIdx.x == 0 ? combine(p.init, total) : total;
    }

    // The results of this thread's elements in a full tile, left in their slots. `carry` comes before them, if `some`.
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
                // Exclusive: all of it one element on, after the last one before.
                if constexpr (!EXCLUSIVE) x.word[i] = result;
                else if constexpr (sizeof(V) == 1) x.word[i] = __byte_perm(previous, result, EXTREME ? 0x6541 : 0x6540);
                else x.word[i] = __byte_perm(previous, result, 0x5410);
            }
            x.put(slot);
        }
    }
};
