// Bins of a histogram: their types, and the additions to them.
//
// Float weights are added as integers of 128 bits, so that the sum does not depend on the order:
//
//   E = the largest exponent of a bin's finite weights      a histogram with EXPONENTS
//   fixed(w) = w * 2^(1148 - spare - E), towards 0          2^spare is more than there are weights
//   the sum of a bin, rounded to a float                    upsweep_tally_finish
//
// A weight loses nothing unless it is less than 2^(spare - 73) of its bin's largest: other bins make no difference. A
// weight that is not finite sets a mark of its bin.

#pragma once

#include "config.cuh"

constexpr u32 NO_WEIGHTS = 0, WHOLE_WEIGHTS = 1, FLOAT_WEIGHTS = 2, EXPONENTS = 3;

struct Fixed {
    u64 low, high;
};
// Exponent field (11 bits) of a finite weight, but at least 1; 0 if a bin has no weight yet.
struct Exponent {
    u32 bits;
};

// Types of the counter and of the total of a bin. KIND is the kind of weights, BYTES the size of a result.
template <u32 KIND, u32 BYTES> struct TallyTypes;
template <> struct TallyTypes<NO_WEIGHTS, 4> { using counter = u32; using total = u32; };
template <> struct TallyTypes<NO_WEIGHTS, 8> { using counter = u32; using total = u64; };
template <> struct TallyTypes<WHOLE_WEIGHTS, 4> { using counter = u32; using total = u32; };
template <> struct TallyTypes<WHOLE_WEIGHTS, 8> { using counter = u64; using total = u64; };
template <u32 BYTES> struct TallyTypes<FLOAT_WEIGHTS, BYTES> { using counter = Fixed; using total = Fixed; };
template <u32 BYTES> struct TallyTypes<EXPONENTS, BYTES> { using counter = Exponent; using total = Exponent; };
using Counter = TallyTypes<WEIGHTS, sizeof(Out)>::counter;  // in shared memory
using Total = TallyTypes<WEIGHTS, sizeof(Out)>::total;      // in the output, or before it is finished

namespace tally {

__device__ __forceinline__ u32 sum(u32 a, u32 b) { return a + b; }
__device__ __forceinline__ u64 sum(u64 a, u64 b) { return a + b; }
__device__ __forceinline__ Fixed sum(const Fixed& a, const Fixed& b) {
    const u64 low = a.low + b.low;
    return Fixed{low, a.high + b.high + (low < a.low)};
}
// Returns the larger exponent: a histogram of kind EXPONENTS combines by maximum, not by addition.
__device__ __forceinline__ Exponent sum(const Exponent& a, const Exponent& b) { return a.bits < b.bits ? b : a; }
__device__ __forceinline__ bool none(u64 x) { return x == 0; }
__device__ __forceinline__ bool none(const Exponent& x) { return x.bits == 0; }
__device__ __forceinline__ bool none(const Fixed& x) { return (x.low | x.high) == 0; }

__device__ __forceinline__ void add(u32* to, u32 x) { atomicAdd(to, x); }
__device__ __forceinline__ void add(u64* to, u64 x) { atomicAdd(to, x); }
// Adds x to a total in memory, half by half. The thread whose addition makes the lower half overflow carries; the order
// of the two additions makes no difference to the sum.
__device__ __forceinline__ void add(Fixed* to, const Fixed& x) {
    const u64 before = atomicAdd(&to->low, x.low);
    atomicAdd(&to->high, x.high + (before + x.low < x.low));
}

__device__ __forceinline__ void add(Exponent* to, const Exponent& x) { atomicMax(&to->bits, x.bits); }

__device__ __forceinline__ u32 exponent(f64 x) { return (u32)(__double_as_longlong(x) >> 52) & 0x7ff; }
__device__ __forceinline__ bool finite(f64 x) { return exponent(x) != 0x7ff; }
// Returns the mark of a weight that is not finite: 1 for infinity, 2 for minus infinity, 4 for NaN.
__device__ __forceinline__ u32 mark(f64 x) { return x != x ? 4 : x > 0 ? 1 : 2; }

__device__ __forceinline__ Fixed fixed(f64 x, u32 largest, u32 spare) {
    const u64 bits = (u64)__double_as_longlong(x);
    const u32 e = exponent(x);
    const u64 digits = (bits & 0xfffffffffffff) | (e > 0 ? 1ull << 52 : 0);
    const i32 by = 73 - (i32)spare - (i32)(largest - (e > 0 ? e : 1));
    u128 value = by >= 0 ? (u128)digits << by : by > -64 ? (u128)(digits >> -by) : 0;
    if (bits >> 63) value = 0 - value;
    return Fixed{(u64)value, (u64)(value >> 64)};
}

// Amount that an element adds to its bin: one, or what its weight gives.
template <class C> struct Amount {
    static __device__ __forceinline__ C one() { return C(1); }
    static __device__ __forceinline__ bool adds(const Out&) { return true; }
    static __device__ __forceinline__ C of(const Out& weight, u32, u32) { return C(weight); }
};
template <> struct Amount<Fixed> {
    static __device__ __forceinline__ Fixed one() { return Fixed{1, 0}; }
    static __device__ __forceinline__ bool adds(const Out& weight) { return finite(weight); }
    static __device__ __forceinline__ Fixed of(const Out& weight, u32 largest, u32 spare) { return fixed(weight, largest, spare); }
};
template <> struct Amount<Exponent> {
    static __device__ __forceinline__ Exponent one() { return Exponent{1}; }
    static __device__ __forceinline__ bool adds(const Out& weight) { return finite(weight); }
    static __device__ __forceinline__ Exponent of(const Out& weight, u32, u32) { return Exponent{max(exponent(weight), 1u)}; }
};

// Returns 2^k, a normal number.
__device__ __forceinline__ f64 power(i32 k) { return __longlong_as_double((i64)(k + 1023) << 52); }

__device__ __forceinline__ f64 value(const Fixed& x, u32 largest, u32 spare) {
    const u128 all = (u128)x.high << 64 | x.low;
    const bool negative = x.high >> 63;
    u128 size = negative ? 0 - all : all;
    i32 k = (i32)largest - 1148 + (i32)spare;
    // The number is reduced to 64 bits, the last of which is sticky (set if a bit below it was): these round as all
    // bits would.
    while (size >> 64) size = size >> 1 | (size & 1), k++;
    const f64 whole = (f64)(u64)size;
    const i32 half = k / 2;
    const f64 scaled = whole * power(half) * power(k - half);
    return negative ? -scaled : scaled;
}

}  // namespace tally
