// State of a scan: a value, or a value with its segment heads (the operator pair of segmented scan).
//
//   (f1, x1) . (f2, x2) = (f1 | f2, f2 ? x2 : x1 + x2)          Blelloch 1990, section 1.5
//
// The pair's operator is associative when + is, and never needs an identity. A reduction by flags or keys counts the
// heads instead of flagging them: the count is the number of the segment.

#pragma once

#include "word/value.cuh"

constexpr bool SEGMENTED = HEADS != Heads::NONE;
constexpr bool COUNTED = BY_SEGMENT && (HEADS == Heads::FLAGS || HEADS == Heads::KEYS);

struct Flagged {
    T value;
    u32 heads;
};
// Value with the number of heads, an integer `N`. The host chooses 32 bits for it if they suffice.
template <class N>
struct CountedBy {
    T value;
    N heads;
};
template <u32 BYTES> struct CountedOf { using type = CountedBy<u32>; };
template <> struct CountedOf<sizeof(CountedBy<u64>)> { using type = CountedBy<u64>; };
using Counted = CountedOf<HOST_STATE_BYTES>::type;

template <bool SEGMENTED, bool COUNTED> struct StateOf { using type = T; };
template <> struct StateOf<true, false> { using type = Flagged; };
template <> struct StateOf<true, true> { using type = Counted; };
using State = StateOf<SEGMENTED, COUNTED>::type;

__device__ __forceinline__ Flagged combine(const Flagged& a, const Flagged& b) {
    return Flagged{b.heads ? b.value : combine(a.value, b.value), a.heads | b.heads};
}
__device__ __forceinline__ Counted combine(const Counted& a, const Counted& b) {
    return Counted{b.heads ? b.value : combine(a.value, b.value), a.heads + b.heads};
}

template <class S>
__device__ __forceinline__ S state_of(const T& value, u32 heads) { return S{value, heads}; }
template <>
__device__ __forceinline__ T state_of<T>(const T& value, u32) { return value; }

__device__ __forceinline__ u64 heads_of(const T&) { return 0; }
__device__ __forceinline__ u64 heads_of(const Flagged& state) { return state.heads; }
__device__ __forceinline__ u64 heads_of(const Counted& state) { return state.heads; }

__device__ __forceinline__ const T& value_of(const T& state) { return state; }
__device__ __forceinline__ const T& value_of(const Flagged& state) { return state.value; }
__device__ __forceinline__ const T& value_of(const Counted& state) { return state.value; }
