// Shuffles of values of any size, as 32-bit words.

#pragma once

#include "word/words.cuh"

// Returns the value of the lane `distance` below this one. The lowest `distance` lanes get their own value.
template <class V>
__device__ __forceinline__ V shuffle_up(const V& value, u32 distance) {
    Words<V> words = to_words(value);
#pragma unroll
    for (u32 i = 0; i < Words<V>::COUNT; i++) words.word[i] = __shfl_up_sync(~0u, words.word[i], distance);
    return from_words<V>(words);
}

// Returns the value of the lane `distance` above this one. The highest `distance` lanes get their own value.
template <class V>
__device__ __forceinline__ V shuffle_down(const V& value, u32 distance) {
    Words<V> words = to_words(value);
#pragma unroll
    for (u32 i = 0; i < Words<V>::COUNT; i++) words.word[i] = __shfl_down_sync(~0u, words.word[i], distance);
    return from_words<V>(words);
}

// Returns the value of lane `lane`, in every lane.
template <class V>
__device__ __forceinline__ V shuffle(const V& value, u32 lane) {
    Words<V> words = to_words(value);
#pragma unroll
    for (u32 i = 0; i < Words<V>::COUNT; i++) words.word[i] = __shfl_sync(~0u, words.word[i], lane);
    return from_words<V>(words);
}
