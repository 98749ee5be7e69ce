// Status words: publish the aggregate of a tile to the others, without initialisation and without fences.
//
// A value is stored in one or more words, each with the epoch of this launch beside its part of the value. A reader
// polls until every word shows the current epoch. A value of up to 4 bytes takes one 8-byte word (value, epoch); a
// larger one takes 16-byte words of 12 bytes and the epoch. The two sizes have separate regions, so that a value of one
// launch is never read as an epoch in another.
//
// Memory ordering. A word is written by one store and read by one load of its own size, relaxed at device scope:
// such accesses are single-copy atomic (PTX memory model), so an epoch never shows without the bytes stored with it.
// Nothing else is passed from block to block while a kernel runs, so nothing needs release or acquire. The words of
// one value may become visible in any order; each carries the epoch, and a launch writes each word at most once.
// Epochs differ from launch to launch because the end of a launch advances the one in the workspace (see
// workspace.cuh); the words of earlier launches show earlier epochs.

#pragma once

#include "memory/instructions.cuh"
#include "memory/workspace.cuh"
#include "word/words.cuh"

template <class V>
struct Status {
    static constexpr bool SMALL = sizeof(V) <= SMALL_STATE;
    static constexpr u32 WORDS = SMALL ? 1 : (sizeof(V) + WORD_PAYLOAD - 1) / WORD_PAYLOAD;  // words of one value

    // Stores `value` as entry `index` of the status words, tagged with `epoch`, that of this launch.
    static __device__ __forceinline__ void put(const Workspace& space, u64 index, const V& value, u32 epoch) {
        if constexpr (SMALL) {
            const u64 word = ((u64)epoch << 32) | to_words(value).word[0];
            store_relaxed(space.words8 + index, word);
        } else {
            u32 parts[WORDS * 3] = {};
            memcpy(parts, &value, sizeof(V));
#pragma unroll
            for (u32 i = 0; i < WORDS; i++) {
                const u64 low = ((u64)parts[3 * i + 1] << 32) | parts[3 * i];
                const u64 high = ((u64)epoch << 32) | parts[3 * i + 2];
                store_relaxed(space.words16 + 2 * (index * WORDS + i), low, high);
            }
        }
    }

    // Words of an entry as they are in memory: checked and unpacked later, so that many loads can be in flight at once.
    struct Raw {
        u64 words[SMALL ? 1 : 2 * WORDS];

        __device__ __forceinline__ bool is_of(u32 epoch) const {
            if constexpr (SMALL) return (u32)(words[0] >> 32) == epoch;
            bool all = true;
#pragma unroll
            for (u32 i = 0; i < WORDS; i++) all &= (u32)(words[2 * i + 1] >> 32) == epoch;
            return all;
        }

        __device__ __forceinline__ V value() const {
            if constexpr (SMALL) return from_words<V>(Words<V>{{(u32)words[0]}});
            u32 parts[WORDS * 3];
#pragma unroll
            for (u32 i = 0; i < WORDS; i++) {
                parts[3 * i] = (u32)words[2 * i];
                parts[3 * i + 1] = (u32)(words[2 * i] >> 32);
                parts[3 * i + 2] = (u32)words[2 * i + 1];
            }
            V value;
            memcpy(&value, parts, sizeof(V));
            return value;
        }
    };

    static __device__ __forceinline__ Raw load(const Workspace& space, u64 index) {
        Raw raw;
        if constexpr (SMALL) {
            load_relaxed(space.words8 + index, raw.words[0]);
        } else {
#pragma unroll
            for (u32 i = 0; i < WORDS; i++) {
                load_relaxed(space.words16 + 2 * (index * WORDS + i), raw.words[2 * i], raw.words[2 * i + 1]);
            }
        }
        return raw;
    }

    // Waits until entry `index` is published in this launch, and returns its value.
    static __device__ __forceinline__ V wait(const Workspace& space, u64 index, u32 epoch) {
        Raw raw = load(space, index);
        while (!raw.is_of(epoch)) {
            __nanosleep(POLL_NANOSECONDS);
            raw = load(space, index);
        }
        return raw.value();
    }
};
