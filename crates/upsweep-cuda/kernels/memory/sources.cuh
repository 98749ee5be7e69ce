// Gathered inputs, which kernels do not read as streams of elements, and scattered results. The generated text of a job
// calls these functions.

#pragma once

#include "memory/given.cuh"
#include "memory/instructions.cuh"
#include "memory/workspace.cuh"

// Reports that `index`, the index given for position `at`, is out of range for `len` elements. Not inlined, because it
// is rare. So it cannot read the kernel's parameters (parameters.cuh), and takes the header's address.
__device__ __noinline__ void report_index(WorkspaceHeader* header, u64 at, i64 index, u64 len) {
    Workspace space{};
    space.header = header;
    report_fault(space, FAULT_INDEX, at, index, len);
}
__device__ __forceinline__ WorkspaceHeader* workspace_header() {
    return (WorkspaceHeader*)(parameter_word(WORKSPACE_AT) | (u64)parameter_word(WORKSPACE_AT + 4) << 32);
}

// Unsigned type that an index is converted to for its range check: of 8 bytes if LONG, otherwise of 4.
template <bool LONG> struct IndexWord { using type = u32; };
template <> struct IndexWord<true> { using type = u64; };

// Whether `index` is at least 0 and less than `len`.
template <class I>
__device__ __forceinline__ bool names(const I& index, u64 len) { return (u64)(i64)index < len; }

// Table of elements `V` that a job gathers from by indices `I`; EMPTY: it has no elements. The host gives the greatest
// valid index, so that one comparison of words suffices.
template <class V, class I, bool EMPTY>
struct Table {
    using Word = typename IndexWord<(sizeof(I) > 4)>::type;
    u64 elements;
    Word last;
    __device__ __forceinline__ Table(u64 elements, u64 last) : elements(elements), last((Word)last) {}

    __device__ __forceinline__ bool names(const I& index) const { return !EMPTY && (Word)index <= last; }

    // Returns element `index`, or another one if it is out of range. The range check is separate from the loads of
    // several elements: a report between two of them would serialise them, and so would conditional loads.
    __device__ __forceinline__ V at(const I& index) const {
        if constexpr (EMPTY) return V{};
        else return load_constant<V>(elements + (u64)min((Word)index, last) * sizeof(V));
    }
};

// Returns element `at` of the `len` elements at `x`, between its two neighbours. A neighbour beyond an end is `outside`
// if `has_outside`, and otherwise element `at` itself.
template <class V>
__device__ __forceinline__ Array<V, 3> near(const V* x, u64 len, bool has_outside, const V& outside, u64 at) {
    Array<V, 3> values;
    values.at[1] = x[at];
    const V end = has_outside ? outside : values.at[1];
    values.at[0] = at > 0 ? x[at - 1] : end;
    values.at[2] = at + 1 < len ? x[at + 1] : end;
    return values;
}

// Returns bit `at` of the mask at `words`, counted from the lowest bit of the first word.
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

// Stores `value`, the result of position `at`, as element `place` of the `len` elements at `to`; reports a `place` out
// of range.
template <class V, class I>
__device__ __forceinline__ void scatter(V* to, u64 len, const I& place, const V& value, u64 at) {
    if (names(place, len)) store_element(to + (u64)(i64)place, value);
    else report_index(workspace_header(), at, (i64)place, len);
}
