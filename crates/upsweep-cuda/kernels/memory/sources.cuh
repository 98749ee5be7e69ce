// Gathered inputs, which are no stream of elements, and scattered results. The text of a job calls these functions.

#pragma once

#include "memory/given.cuh"
#include "memory/instructions.cuh"
#include "memory/workspace.cuh"

// Reports that index `index`, of position `at`, is out of range for `len` elements. Not inlined, because it is rare; so
// it is far from the kernel's parameters.
__device__ __noinline__ void report_index(WorkspaceHeader* header, u64 at, i64 index, u64 len) {
    Workspace space{};
    space.header = header;
    report_fault(space, FAULT_INDEX, at, index, len);
}
__device__ __forceinline__ WorkspaceHeader* workspace_header() {
    return (WorkspaceHeader*)(parameter_word(WORKSPACE_AT) | (u64)parameter_word(WORKSPACE_AT + 4) << 32);
}

// Unsigned word of an index.
template <bool LONG> struct IndexWord { using type = u32; };
template <> struct IndexWord<true> { using type = u64; };

// Whether `index` is less than `len`.
template <class I>
__device__ __forceinline__ bool names(const I& index, u64 len) { return (u64)(i64)index < len; }

// Table of elements `V`. The host gives the greatest valid index of type `I`, so that one comparison of words suffices.
template <class V, class I, bool EMPTY>
struct Table {
    using Word = typename IndexWord<(sizeof(I) > 4)>::type;
    u64 elements;
    Word last;
    __device__ __forceinline__ Table(u64 elements, u64 last) : elements(elements), last((Word)last) {}

    __device__ __forceinline__ bool names(const I& index) const { return !EMPTY && (Word)index <= last; }

    // Element `index`, or another one if it is out of range. The range check is separate from the loads of several
    // elements: a report between two of them would serialise them, and so would conditional loads.
    __device__ __forceinline__ V at(const I& index) const {
        if constexpr (EMPTY) return V{};
        else return load_constant<V>(elements + (u64)min((Word)index, last) * sizeof(V));
    }
};

// Element at position `at` of `len`, with its neighbours. Beyond the ends there is `outside`, or the end itself.
template <class V>
__device__ __forceinline__ Array<V, 3> near(const V* x, u64 len, bool has_outside, const V& outside, u64 at) {
    Array<V, 3> values;
    values.at[1] = x[at];
    const V end = has_outside ? outside : values.at[1];
    values.at[0] = at > 0 ? x[at - 1] : end;
    values.at[2] = at + 1 < len ? x[at + 1] : end;
    return values;
}

// Bit `at` of a mask.
template <class Word>
__device__ __forceinline__ bool bit_of(const Word* words, u64 at) {
    constexpr u32 BITS = 8 * sizeof(Word);
    return words[at / BITS] >> at % BITS & 1;
}

// Stores one element, with zeros between its fields: the host may copy those bytes, too.
template <class V>
__device__ __forceinline__ void store_element(V* to, const V& value) {
    *to = value;
    arith::clear_padding(to);
}

// Scatters the result at position `at` to element `place` of `len`.
template <class V, class I>
__device__ __forceinline__ void scatter(V* to, u64 len, const I& place, const V& value, u64 at) {
    if (names(place, len)) store_element(to + (u64)(i64)place, value);
    else report_index(workspace_header(), at, (i64)place, len);
}
