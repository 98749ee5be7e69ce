// A deterministic automaton (DFA) in shared memory, and runs over bytes.
//
// Bytes that every state treats alike form a class. Before a run a tile's bytes become codes, the offsets of their
// class's step among those of a state:
//
//   steps[state ^ code]    the next state, and the events of the byte
//
// A state is represented by the offset of its steps, in bytes from the begin of the table. These are STATE_BYTES, a
// power of two, and permuted by an exclusive or with a number that differs from state to state: lanes that read the
// same class in different states, or different classes in one, mostly access distinct banks.
//
//   bits of a step   0 .. 15   the next state
//                   16 .. 26   of one event: its kind, and in 3 bits how many bytes back it lies; of several: the index
//                              of the first in the list of events
//                   27 .. 31   the number of events
//
// The host passes a description of the automaton after the kernel's parameters (upsweep-plan/src/automaton.rs); a block
// builds the table from it.

#pragma once

#include "memory/parameters.cuh"
#include "warp/index.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Return byte `at`, or the two bytes from `at` on, of the host's description: for each byte its class; for each state
// the output at the end of the text (ENDS_AT); the meaning of each output number (TOLD_AT); the list of events
// (EVENTS_AT); and for each state and class the output number, and the next state.
__device__ __forceinline__ u32 given_byte(u32 at) { return parameter_byte(VALUES_AT + at); }
__device__ __forceinline__ u32 given_half(u32 at) { return parameter_byte(VALUES_AT + at) | (u32)parameter_byte(VALUES_AT + at + 1) << 8; }

// Layout of shared memory: the table, the codes of all bytes, and the lasting states, in which runs begin besides the
// first one.
constexpr u32 TABLE_BYTES = WAY_STATES * STATE_BYTES, CODES_AT = TABLE_BYTES, LASTING_AT = CODES_AT + 256, AUTOMATON_BYTES = LASTING_AT + 16;
constexpr u32 LASTING = 2;
static_assert(TABLE_BYTES <= 1 << 16, "a state has 16 bits");
static_assert(EVENTS_AT < NUMBERS_BYTES, "the kernel's parameters have room for all of what the host gives");

__device__ __forceinline__ u32 state_of(u32 number) { return number * STATE_BYTES + (number * 20 & (STATE_BYTES - 1)); }
__device__ __forceinline__ u32 number_of_state(u32 state) { return (state & 0xffff) / STATE_BYTES; }

// Builds the table and the codes in shared memory. Called by all threads of a block, `threads` of them; the caller adds
// a barrier.
__device__ __forceinline__ void fill_automaton(u32 states, u32 classes, u32 steps_at, u32 threads) {
    for (u32 i = threadIdx.x; i < states * classes; i += threads) {
        const u32 step = given_half(steps_at + 2 * i), told = given_half(TOLD_AT + 2 * (step & 0xff));
        *(u32*)(dynamic_shared + (state_of(i / classes) ^ 4 * (i % classes))) = state_of(step >> 8) | told << 16;
    }
    for (u32 i = threadIdx.x; i < 256; i += threads) dynamic_shared[CODES_AT + i] = (u8)(given_byte(i) * (SCALED ? 4 : 1));
}

// Return the code of a byte (the offset of its class's step among those of a state), and the codes of 4 and of 16
// bytes.
__device__ __forceinline__ u32 code_of(u32 byte) { return dynamic_shared[CODES_AT + byte]; }
__device__ __forceinline__ u32 codes_of(u32 four) {
    const u32 low = __byte_perm(code_of(four & 0xff), code_of(four >> 8 & 0xff), 0x0040);
    const u32 high = __byte_perm(code_of(four >> 16 & 0xff), code_of(four >> 24), 0x0040);
    return __byte_perm(low, high, 0x5410);
}
__device__ __forceinline__ uint4 codes_of(uint4 bytes) {
    bytes.x = codes_of(bytes.x), bytes.y = codes_of(bytes.y), bytes.z = codes_of(bytes.z), bytes.w = codes_of(bytes.w);
    return bytes;
}

// Return the step from `from`, a state or a step that leads to it: by one code, or by code J of four in a word.
__device__ __forceinline__ u32 step_by(u32 from, u32 code) {
    return *(const u32*)(dynamic_shared + ((from & 0xffff) ^ (SCALED ? code : 4 * code)));
}
template <u32 J>
__device__ __forceinline__ u32 step_by_one_of(u32 from, u32 four) {
    return step_by(from, J == 3 ? four >> 24 : four >> 8 * J & 0xff);
}
__device__ __forceinline__ u32 events_of(u32 step) { return step >> 27; }

// Finds the two lasting states in which runs begin, and stores them in shared memory. `lasting` has a bit for each
// lasting state: these are states inside of comments and strings. The most frequent ones among the entry states of some
// tiles are chosen. A tile does not count if a run over the LEADING bytes before it leads there from the first state. A
// second state is chosen only if NOT_RARE tiles have it. Called by all threads of a block; a barrier comes before and
// after.
constexpr u32 LEADING = 16, NOT_RARE = 4;
__device__ __forceinline__ void find_lasting(const u8* text, const u8* entries, u64 tiles, u64 tile_bytes, u64 lasting) {
    __shared__ u32 votes[WAY_STATES];
    for (u32 i = threadIdx.x; i < WAY_STATES; i += blockDim.x) votes[i] = 0;
    __syncthreads();
    // The first tile has no bytes before it.
    if (tiles > 1) {
        const u64 tile = 1 + (tiles - 1) * threadIdx.x / blockDim.x;
        const u32 state = entries[tile];
        u32 guess = state_of(0);
#pragma unroll 1
        for (u32 i = 0; i < LEADING; i++) guess = step_by(guess, code_of(text[tile * tile_bytes - LEADING + i]));
        if ((lasting >> state & 1) && number_of_state(guess) != state) atomicAdd(&votes[state], 1u);
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    u32 before = 0;
    for (u32 i = 0; i < LASTING; i++) {
        u32 best = 0, most = 0;
        for (u32 state = 0; state < WAY_STATES; state++) {
            const u32 number = lasting >> state & 1 ? votes[state] + 1 : 0;
            if (number > most) best = state, most = number;
        }
        // If there is no second one, the first is stored twice.
        before = most > (i == 0 ? 0 : NOT_RARE) ? best : before;
        ((u32*)(dynamic_shared + LASTING_AT))[i] = state_of(before);
        lasting &= ~((u64)1 << best);
    }
}
__device__ __forceinline__ u32 lasting_state(u32 i) { return ((const u32*)(dynamic_shared + LASTING_AT))[i]; }

// Calls `with(four)` for the four words of 16 codes.
template <class F>
__device__ __forceinline__ void for_words(const uint4& codes, F with) {
    with(codes.x), with(codes.y), with(codes.z), with(codes.w);
}
