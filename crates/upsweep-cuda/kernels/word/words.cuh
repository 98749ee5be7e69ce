// Values of any size as 32-bit words.

#pragma once

#include "config.cuh"

template <class V>
struct Words {
    static constexpr u32 COUNT = (sizeof(V) + 3) / 4;
    u32 word[COUNT];
};

// Returns the bytes of a value, padded with zeros to whole words.
template <class V>
__device__ __forceinline__ Words<V> to_words(const V& value) {
    Words<V> words = {};
    memcpy(&words, &value, sizeof(V));
    return words;
}

template <class V>
__device__ __forceinline__ V from_words(const Words<V>& words) {
    V value;
    memcpy(&value, &words, sizeof(V));
    return value;
}
