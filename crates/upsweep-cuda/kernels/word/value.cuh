// Value type of the kernels: `T`. It is `Acc`, or for extremes of f64 an integer with their order, because the GPU
// compares integers in 4 instructions, and floats as `maximum` does, with NaN and the sign of zero, in 15.
//
//   key(x) = the bits of x; if the sign is set, all others are flipped
//
// NaN, whatever its bits, has a key beyond all others.

#pragma once

#include "config.cuh"

constexpr bool KEYED = (FORM == Form::MINIMUM || FORM == Form::MAXIMUM) && arith::same_type<Acc, f64>;

template <class A, bool>
struct Value {
    using type = A;
    static __device__ __forceinline__ A of(const A& x) { return x; }
    static __device__ __forceinline__ A back(const A& x) { return x; }
    static __device__ __forceinline__ A combine(const A& a, const A& b) { return combine_acc(a, b); }
};
template <class A>
struct Value<A, true> {
    using type = i64;
    static constexpr i64 BEYOND = FORM == Form::MAXIMUM ? 0x7ff8000000000000 : (i64)0x8007ffffffffffff;
    static __device__ __forceinline__ i64 flip(i64 bits) { return bits ^ (i64)((u64)(bits >> 63) >> 1); }
    static __device__ __forceinline__ i64 of(A x) { return x != x ? BEYOND : flip(__double_as_longlong(x)); }
    static __device__ __forceinline__ A back(i64 key) { return __longlong_as_double(flip(key)); }
    static __device__ __forceinline__ i64 combine(i64 a, i64 b) { return FORM == Form::MAXIMUM ? (a > b ? a : b) : (a < b ? a : b); }
};
using ValueOfAcc = Value<Acc, KEYED>;
using T = ValueOfAcc::type;

__device__ __forceinline__ T combine(const T& a, const T& b) { return ValueOfAcc::combine(a, b); }
// Returns the mapped element: `x` is at position `at` of the input, and at index `index` of its line.
__device__ __forceinline__ T map(const In& x, u64 index, u64 at) { return ValueOfAcc::of(load_acc(x, index, at)); }
__device__ __forceinline__ Out finish(const T& x) { return store_acc(ValueOfAcc::back(x)); }

// Returns the result that is stored for `x`. The maximum's NaN has the key of the canonical NaN, so that the conversion
// back needs no test.
__device__ __forceinline__ Out result(const T& x) {
    if constexpr (KEYED && PLAIN && FORM == Form::MAXIMUM) return finish(x);
    else return canonical(finish(x));
}

// Stores one result, with zeros between its fields: the host may copy those bytes, too.
__device__ __forceinline__ void store_result(Out* to, const Out& result) {
    *to = result;
    arith::clear_padding(to);
}

// Position of a result in an output that is not a single buffer: the generated text of the job stores into the buffers.
struct ResultPlace {
    u64 at;
    __device__ __forceinline__ ResultPlace operator+(u64 n) const { return ResultPlace{at + n}; }
};
__device__ __forceinline__ void store_result(const ResultPlace& to, const Out& result) { store_item(result, to.at); }
template <bool> struct PlaceOf {
    using type = Out*;
    static __device__ __forceinline__ Out* first(Out* output) { return output; }
};
template <> struct PlaceOf<false> {
    using type = ResultPlace;
    static __device__ __forceinline__ ResultPlace first(Out*) { return ResultPlace{0}; }
};
using Place = PlaceOf<PLAIN_OUTPUT>::type;

// Returns the place of the first result: its address, or position 0.
template <class Params>
__device__ __forceinline__ Place output_of(const Params& p) { return PlaceOf<PLAIN_OUTPUT>::first(p.output); }

// Values that scans and reductions begin with.
struct Begin {
    T init;   // the initial value, if there is one; else `first`, which is not read
    T first;  // begin of an exclusive scan, and result of an empty segment: the initial value or the identity

    // Reads the parameters: the host knows the initial value, or it lies in device memory.
    template <class Params>
    __device__ __forceinline__ explicit Begin(const Params& p) {
        if constexpr (HAS_INIT) first = init = ValueOfAcc::of(p.init_from ? given_acc(*p.init_from) : p.given_init);
        else first = init = ValueOfAcc::of(p.given_first);
    }
};

// Stores the carry of a scan, with which a scan of the elements that follow begins.
__device__ __forceinline__ void store_carry(Given* to, const T& x) {
    *to = canonical(carried_acc(ValueOfAcc::back(x)));
    arith::clear_padding(to);
}
