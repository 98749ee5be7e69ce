// Loads of vectors of neighbouring elements from global memory to registers, of one buffer or of several streams.
// `input` is the address of the first one.

#pragma once

#include "memory/streams.cuh"

// Whether the bytes of a vector are a multiple of 16, so that an aligned vector is loaded in 16-byte words.
constexpr bool ALIGNABLE = VECTOR * sizeof(In) % 16 == 0;
template <bool, class A, class B> struct Choice { using type = B; };
template <class A, class B> struct Choice<true, A, B> { using type = A; };
template <bool WHICH, class A, class B> using Chosen = typename Choice<WHICH, A, B>::type;

// Vector of VECTOR elements of the input. It stays in words until its elements are used: the compiler would otherwise
// unpack bytes when they are loaded.
struct Vector {
    static constexpr u32 BYTES = VECTOR * sizeof(In);
    using Word = Chosen<ALIGNABLE, uint4, In>;
    Word words[BYTES / sizeof(Word)];
    struct Elements {
        In x[VECTOR];
    };

    Vector() = default;
    __device__ __forceinline__ explicit Vector(const Elements& elements) { memcpy(words, elements.x, BYTES); }
    __device__ __forceinline__ Elements elements() const {
        Elements elements;
        memcpy(elements.x, words, BYTES);
        return elements;
    }
    // Returns the first 16 bytes of the vector; of a shorter vector, all of its bytes.
    __device__ __forceinline__ uint4 quad() const {
        uint4 quad;
        memcpy(&quad, words, BYTES < 16 ? BYTES : 16);
        return quad;
    }
};

// Loads element `at` of the input, from its buffer or its streams.
__device__ __forceinline__ In load_element(const In* input, u64 at) {
    if constexpr (PLAIN_INPUT) return input[at];
    In x;
    load_streams(input, at, x);
    return x;
}

enum class Loads { ALIGNED, STREAMED, BY_ELEMENT };

// Loads a word of a vector from global memory. STREAMED: data that is read once is evicted from the caches first, so
// that gathered data stays.
template <Loads LOADS>
__device__ __forceinline__ uint4 load_word(const uint4* from) { return LOADS == Loads::STREAMED ? __ldcs(from) : *from; }
template <Loads LOADS>
__device__ __forceinline__ uint2 load_word(const uint2* from) { return LOADS == Loads::STREAMED ? __ldcs(from) : *from; }
template <Loads LOADS>
__device__ __forceinline__ u32 load_word(const u32* from) { return LOADS == Loads::STREAMED ? __ldcs(from) : *from; }
template <Loads LOADS, class Word>
__device__ __forceinline__ Word load_word(const Word* from) { return *from; }

template <u32 WIDTH, class E> struct WordOf { using type = Access<WIDTH>::type; };
template <class E> struct WordOf<1, E> { using type = E; };

// Loads the vectors of streams S and later ones into `elements`.
template <Loads LOADS, u32 S = 0>
__device__ __forceinline__ void load_stream_vectors(const void* first, u64 at, Vector::Elements& elements) {
    if constexpr (S < STREAMS) {
        using E = StreamElement<S>;
        constexpr u32 BYTES = VECTOR * sizeof(E), WIDTH = access_width(BYTES);
        using Word = WordOf<WIDTH, E>::type;
        const Word* const from = (const Word*)(stream_base<S>(first) + at);
        Word words[BYTES / sizeof(Word)];
#pragma unroll
        for (u32 k = 0; k < BYTES / sizeof(Word); k++) words[k] = load_word<LOADS>(from + k);
        E own[VECTOR];
        memcpy(own, words, BYTES);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) StreamOf<S>::of(elements.x[j]) = own[j];
        load_stream_vectors<LOADS, S + 1>(first, at, elements);
    }
}

// Loads the vector of the VECTOR elements from index `at` on.
template <Loads LOADS>
__device__ __forceinline__ Vector load_vector(const In* input, u64 at) {
    if constexpr (LOADS == Loads::BY_ELEMENT) {
        Vector::Elements elements;
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) elements.x[j] = load_element(input, at + j);
        return Vector(elements);
    } else if constexpr (!PLAIN_INPUT) {
        Vector::Elements elements;
        load_stream_vectors<LOADS>(input, at, elements);
        return Vector(elements);
    } else {
        Vector vector;
#pragma unroll
        for (u32 k = 0; k < sizeof(Vector) / sizeof(Vector::Word); k++) {
            vector.words[k] = load_word<LOADS>((const Vector::Word*)(input + at) + k);
        }
        return vector;
    }
}

// Loads the first `count` elements of the vector from index `at` on.
__device__ __forceinline__ Vector load_some(const In* input, u64 at, u32 count, bool aligned) {
    if (aligned && count == VECTOR) return load_vector<Loads::ALIGNED>(input, at);
    Vector::Elements elements;
#pragma unroll
    for (u32 j = 0; j < VECTOR; j++) {
        if (j < count) elements.x[j] = load_element(input, at + j);
    }
    return Vector(elements);
}

// Returns 0 if vectors may be loaded as words. Otherwise it returns the input's address modulo 16, or 1 if the input
// has several streams.
__device__ __forceinline__ u64 misalignment(const In* input) {
    if constexpr (PLAIN_INPUT) return ALIGNABLE ? (u64)input % 16 : 0;
    else return streams_aligned<VECTOR>(input) ? 0 : 1;
}

// Returns how many of the VECTOR elements from index `at` on exist in an array of `count` elements.
__device__ __forceinline__ u32 existing(u64 at, u64 count) {
    return at >= count ? 0 : count - at < VECTOR ? (u32)(count - at) : VECTOR;
}
