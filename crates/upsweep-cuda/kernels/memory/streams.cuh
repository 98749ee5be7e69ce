// Buffers that a kernel streams: each has an element for each position of the input. `StreamOf<S>` describes stream S,
// counted from 0: the type of its elements, the field of an `In` that an element fills, and the address of the first
// element. For stream 0 this address is a parameter of the kernel.

#pragma once

#include "memory/access.cuh"

template <u32 S> using StreamElement = typename StreamOf<S>::type;

template <u32 S>
__device__ __forceinline__ const StreamElement<S>* stream_base(const void* first) {
    return S == 0 ? (const StreamElement<S>*)first : StreamOf<S>::base();
}

// Loads element `at` of streams S and later ones into `x`.
template <u32 S = 0>
__device__ __forceinline__ void load_streams(const void* first, u64 at, In& x) {
    if constexpr (S < STREAMS) {
        StreamOf<S>::of(x) = stream_base<S>(first)[at];
        load_streams<S + 1>(first, at, x);
    }
}

// Whether vectors of `VECTOR` elements of streams S and later ones may be loaded as words.
template <u32 VECTOR, u32 S = 0>
__device__ __forceinline__ bool streams_aligned(const void* first) {
    if constexpr (S < STREAMS) {
        constexpr u32 WIDTH = access_width(VECTOR * sizeof(StreamElement<S>));
        return (u64)stream_base<S>(first) % WIDTH == 0 && streams_aligned<VECTOR, S + 1>(first);
    } else {
        return true;
    }
}
