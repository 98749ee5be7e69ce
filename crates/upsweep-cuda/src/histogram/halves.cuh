// Counters of 16 bits in shared memory, two in a word, for a histogram with more slots than words.
//
//   turn:   a block counts at most TURN elements, by additions that return nothing
//   meet:   all threads check all counters. One that has reached FULL is emptied to the output
//
// So a counter is less than FULL + TURN, which 16 bits hold. A row of 32 words has the counters of 64 slots. A word of
// padding follows each row, so that slots at a stride of a power of two are in different banks.
//
// Additions of different numbers to one word are serialised: those of 32 lanes take some eight times as long as others.
// Two cases avoid that:
//
//   alike   a lane's elements with one slot are one addition, and so are those of a warp
//   hot     a slot that is emptied in two successive turns gets a word of its own, to which hardware adds ones at once.
//           There is room for few, each at a fixed place, and a hot slot stays. While there are none, the check is
//           skipped
//
// Memory ordering. Between meetings counters are changed by atomic operations only; in a meeting, between two barriers,
// all of them are read and written.

#pragma once

#include "memory/instructions.cuh"
#include "warp/index.cuh"

template <u32 TURN, u32 FULL>
class Halves {
    // NOBODY stands for no slot. Slots of elements in other slices may be negative: as unsigned numbers they exceed all
    // slots of this one, but they are not NOBODY.
    static constexpr u32 ROW = WARP, HOTS = 1 << 8, NOBODY = 1u << 31;
    static_assert((FULL & (FULL - 1)) == 0 && FULL + TURN + 2 * VECTOR < 1 << 16, "16 bits");

    u32* words;
    SharedPlace first, spare;  // address of the words; address for this lane's elements without a slot
    u32 width, number;         // number of slots, and of words
    u32 turn = 0;
    bool hot = false;

    // Arrays in shared memory after the counters' words: a spare word for each lane; the hot slots and their counts;
    // the slots emptied last, and the turn; whether any slot is hot.
    __device__ __forceinline__ u32* owners() const { return words + number + WARP; }
    __device__ __forceinline__ u32* counts() const { return owners() + HOTS; }
    __device__ __forceinline__ u32* emptied() const { return counts() + HOTS; }
    __device__ __forceinline__ u32* any() const { return emptied() + HOTS; }
    static __device__ __forceinline__ u32 place_of(u32 slot) { return slot * 0x9e3779b1 >> 24; }

    // Returns the slot whose counter is the lower half of word k; the slot of the upper half is ROW higher.
    static __device__ __forceinline__ u32 slot_of(u32 k) { return k / (ROW + 1) * 2 * ROW + k % (ROW + 1); }
    __device__ __forceinline__ void add_half(bool yes, u32 slot, u32 amount) const {
        const SharedPlace at = first + slot / (2 * ROW) * 4 * (ROW + 1) + slot % ROW * 4;
        add_shared(yes && slot < width ? at : spare, slot & ROW ? amount << 16 : amount);
    }

public:
    __device__ __forceinline__ void begin(u32* at, u32 slots) {
        words = at, width = slots;
        number = ((slots + 2 * ROW - 1) / (2 * ROW) * (ROW + 1) + 3) / 4 * 4;
        first = kept(shared_place(at)), spare = kept(first + 4 * (number + lane_index()));
    }
    __device__ __forceinline__ void clear() const {
        for (u32 k = threadIdx.x; k < number + WARP + 3 * HOTS + 1; k += THREADS) words[k] = k - number - WARP < HOTS ? NOBODY : 0;
    }

    __device__ __forceinline__ void add(u32 slot) const { add_half(true, slot, 1); }
    // Adds 1 to the counter of the slot of each element of a vector. `together`: all lanes of the warp call it.
    __device__ __forceinline__ void add_vector(const u32 (&slots)[VECTOR], bool together) const {
        bool alike = true;
#pragma unroll
        for (u32 j = 1; j < VECTOR; j++) alike &= slots[j] == slots[0];
        if (together && !__any_sync(~0u, !alike)) {
            const bool one = !__any_sync(~0u, slots[0] != __shfl_sync(~0u, slots[0], 0));
            add_half(!one || lane_index() == 0, slots[0], one ? WARP * VECTOR : VECTOR);
        } else if (hot) {
            const SharedPlace own = first + 4 * (number + WARP);
            bool found[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) found[j] = load_shared(own + 4 * place_of(slots[j])) == slots[j];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                add_shared(found[j] ? own + 4 * (HOTS + place_of(slots[j])) : spare, 1);
                add_half(!found[j], slots[j], 1);
            }
        } else {
            add_half(true, slots[0], alike ? VECTOR : 1);
#pragma unroll
            for (u32 j = 1; j < VECTOR; j++) add_half(!alike, slots[j], 1);
        }
    }

    // Ends a turn, in which the block has counted at most TURN elements: empties each counter that has reached FULL.
    // `put(slot, number)` adds `number` to a slot of the output. Called by all threads of the block.
    template <class Put>
    __device__ __forceinline__ void end_turn(const Put& put) {
        constexpr u32 BITS = (0x10000 - FULL) * 0x10001;
        __syncthreads();
        turn++;
        for (u32 k = threadIdx.x; k < number / 4; k += THREADS) {
            const uint4 four = ((const uint4*)words)[k];
            if ((four.x | four.y | four.z | four.w) & BITS) empty(4 * k, put);
        }
        __syncthreads();
        hot = *any() != 0;
    }
    // Passes all counts that are not 0 to `put`, at the end; the counters keep them.
    template <class Put>
    __device__ __forceinline__ void all(const Put& put) const {
        for (u32 k = threadIdx.x; k < number; k += THREADS) {
            const u32 word = words[k], slot = slot_of(k);
            if (word & 0xffff) put(slot, word & 0xffff);
            if (word >> 16) put(slot + ROW, word >> 16);
        }
        for (u32 k = threadIdx.x; k < HOTS; k += THREADS) {
            if (counts()[k] > 0) put(owners()[k], counts()[k]);
        }
    }

private:
    // Empties those counters of the four words from word `from` on that have reached FULL, to `put`.
    template <class Put>
    __device__ __forceinline__ void empty(u32 from, const Put& put) const {
#pragma unroll 1
        for (u32 k = 2 * from; k < 2 * from + 8; k++) {
            const u32 slot = slot_of(k / 2) + k % 2 * ROW, found = words[k / 2] >> k % 2 * 16 & 0xffff;
            if (found < FULL) continue;
            words[k / 2] -= found << k % 2 * 16;
            put(slot, found);
            const u32 now = slot << 12 | turn % (1 << 12), before = slot << 12 | (turn - 1) % (1 << 12), place = place_of(slot);
            if (atomicExch(emptied() + place, now) == before && atomicCAS(owners() + place, NOBODY, slot) == NOBODY) atomicExch(any(), 1);
        }
    }
};
