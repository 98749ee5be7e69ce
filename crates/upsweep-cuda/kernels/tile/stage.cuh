// Asynchronous staging from global memory to slots in shared memory. A slot holds one vector of VECTOR neighbouring
// elements. A warp stages the elements of its own lanes, so that no barrier of the block is needed: each thread waits
// for its own copies, then the warp synchronises.

#pragma once

#include "memory/access.cuh"
#include "memory/instructions.cuh"
#include "memory/streams.cuh"
#include "tile/geometry.cuh"

// Waits until at most `PENDING` of each thread's groups of copies are still in flight; the copies of the other groups
// are then visible to the whole warp.
template <u32 PENDING>
__device__ __forceinline__ void wait_groups() {
    wait_copies<PENDING>();
    __syncwarp();
}

// Returns the bytes of a slot for a vector of `bytes` bytes. For a single stream, whole 16-byte lines keep the slots of
// all widths alike; with several streams a slot is as short as its vector, against bank conflicts.
__device__ constexpr u32 slot_bytes(u32 bytes) {
    return STREAMS > 1 && bytes <= 4 ? 4 : STREAMS > 1 && bytes <= 8 ? 8 : (bytes + 15) / 16 * 16;
}

// One of a kernel's inputs, with `n` elements `E`. In shared memory an element has PLACE bytes, if that is more than
// its own: a result may take its place.
template <class E, u32 PLACE = sizeof(E)>
struct Stream {
    static constexpr u32 VECTOR_BYTES = VECTOR * sizeof(E);
    static constexpr u32 WIDTH = access_width(VECTOR_BYTES);  // bytes of an asynchronous copy, if more than 1
    static constexpr u32 EACH = access_width(alignof(E));     // likewise, of a copy of one element
    static constexpr u32 SLOT = slot_bytes(VECTOR * (PLACE > sizeof(E) ? PLACE : sizeof(E)));
    static constexpr u32 PART = access_width(SLOT);  // bytes of an access to a slot
    struct alignas(PART) Slot {
        unsigned char bytes[SLOT];
    };
    static constexpr u32 SLOTS = ROWS * THREADS;  // number of slots of a tile

    const E* base;
    u64 n;
    bool aligned;  // whether vectors begin at multiples of WIDTH

    // `stretch`: number of elements from one of the places where rows begin to the next, if these are not all alike.
    __device__ __forceinline__ Stream(const E* base, u64 n, u64 stretch = 0) : base(base), n(n), aligned(vectors_aligned(base, n, stretch, WIDTH)) {}

    // Loads the vector in a slot, in memory order.
    static __device__ __forceinline__ void load(const Slot& slot, E (&elements)[VECTOR]) {
        using Part = Access<PART>::type;
        Part parts[SLOT / PART];
#pragma unroll
        for (u32 i = 0; i < SLOT / PART; i++) parts[i] = ((const Part*)slot.bytes)[i];
        memcpy(elements, parts, sizeof(elements));
    }

    // Copies a whole vector from `from`, a multiple of WIDTH, into `slot`.
    static __device__ __forceinline__ void stage_all(Slot& slot, const E* from) {
#pragma unroll
        for (u32 i = 0; i < VECTOR_BYTES / WIDTH; i++) {
            copy_async<WIDTH>(slot.bytes + i * WIDTH, (const unsigned char*)from + i * WIDTH);
        }
    }

    // Copies the vector whose lowest address is `from` into `slot`; `count` of its elements exist, counted in logical
    // order (from the end of the vector when the scan runs in reverse).
    __device__ __forceinline__ void stage_vector(Slot& slot, const E* from, u32 count) const {
        if (count == VECTOR && aligned && WIDTH > 1) {
            stage_all(slot, from);
        } else {
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                const u32 at = REVERSE ? VECTOR - 1 - j : j;
                if (j >= count) continue;
                if constexpr (EACH > 1) {
#pragma unroll
                    for (u32 i = 0; i < sizeof(E); i += EACH) copy_async<EACH>(slot.bytes + at * sizeof(E) + i, (const unsigned char*)(from + at) + i);
                } else {
                    ((E*)slot.bytes)[at] = from[at];
                }
            }
        }
    }

    // Stages this thread's vectors of a tile of `count` elements from `begin` on in `slots`, and calls `with_vector(i)` for
    // each of them, where i is the index of its first logical element. `extent_of(offset)` tells where the vector at that
    // place lies in a tile that is not full. The caller closes the group of copies.
    template <class Extents, class F>
    __device__ __forceinline__ void stage_from(u64 begin, u32 count, Slot* slots, const Extents& extent_of, F with_vector) const {
        const u32 first = row_vector(0);
        if (WIDTH > 1 && count == TILE && aligned) {
            // The rows have a constant stride, so that one address suffices for all.
            begin += first * VECTOR;
            const E* const from = vector_address(base, n, begin);
            const u32 slot = slot_of(first);
#pragma unroll
            for (i32 row = 0; row < (i32)ROWS; row++) {
                constexpr i32 DISTANCE = WARP * VECTOR;
                stage_all(slots[row_slot(slot, row)], from + (REVERSE ? -row : row) * DISTANCE);
                with_vector(begin + row * DISTANCE);
            }
        } else {
#pragma unroll
            for (u32 row = 0; row < ROWS; row++) {
                const u32 vector = row_vector(row);
                const Extent extent = extent_of(vector * VECTOR);
                stage_vector(slots[slot_of(vector)], vector_address(base, n, begin + extent.at), extent.count);
                if (extent.count > 0) with_vector(begin + extent.at);
            }
        }
    }
    // Stages tile `t` of an array.
    template <class F>
    __device__ __forceinline__ void stage_tile(u64 t, Slot* slots, F with_vector) const {
        const u32 count = tile_count(n, t);
        stage_from(t * TILE, count, slots, [&](u32 offset) { return Extent{offset, existing<false>(offset, VECTOR, count)}; }, with_vector);
    }
    __device__ __forceinline__ void stage_tile(u64 t, Slot* slots) const {
        stage_tile(t, slots, [](u64) {});
    }
};

// Streams S and later of a kernel. In shared memory a tile has the slots of the first stream, then those of the next
// one, and so on. A kernel without streams has slots for results.
template <u32 PLACE, u32 S = 0, bool END = S == STREAMS>
class Streams {
    using E = StreamElement<S>;
    using Own = Stream<E, S == 0 ? PLACE : 0>;
    using Rest = Streams<PLACE, S + 1>;
    Own own;
    Rest rest;

public:
    using Slot = typename Own::Slot;
    static constexpr u32 SLOT = Own::SLOT;                // bytes of a slot of the first stream
    static constexpr u32 VECTOR_BYTES = SLOT + Rest::VECTOR_BYTES;  // bytes of the slots of a vector
    static constexpr u32 TILE_BYTES = Own::SLOTS * VECTOR_BYTES;

    __device__ __forceinline__ Streams(const void* first, u64 n, u64 stretch = 0)
        : own(stream_base<S>(first), n, stretch), rest(first, n, stretch) {}

    template <class Extents, class F>
    __device__ __forceinline__ void stage_from(u64 begin, u32 count, Slot* slots, const Extents& extent_of, F with_vector) const {
        own.stage_from(begin, count, slots, extent_of, with_vector);
        if constexpr (S + 1 < STREAMS) rest.stage_from(begin, count, (typename Rest::Slot*)(slots + Own::SLOTS), extent_of, [](u64) {});
    }
    template <class F>
    __device__ __forceinline__ void stage_tile(u64 t, Slot* slots, F with_vector) const {
        own.stage_tile(t, slots, with_vector);
        if constexpr (S + 1 < STREAMS) rest.stage_tile(t, (typename Rest::Slot*)(slots + Own::SLOTS), [](u64) {});
    }
    __device__ __forceinline__ void stage_tile(u64 t, Slot* slots) const {
        stage_tile(t, slots, [](u64) {});
    }

    // Loads the elements of a vector of a tile from its slots, which have the index `slot`, in memory order.
    static __device__ __forceinline__ void load(const Slot* slots, u32 slot, In (&elements)[VECTOR]) {
        E own[VECTOR];
        Own::load(slots[slot], own);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) StreamOf<S>::of(elements[j]) = own[j];
        if constexpr (S + 1 < STREAMS) Rest::load((const typename Rest::Slot*)(slots + Own::SLOTS), slot, elements);
    }
};
template <u32 PLACE, u32 S>
class Streams<PLACE, S, true> {
public:
    static constexpr u32 SLOT = slot_bytes(VECTOR * PLACE);
    static constexpr u32 VECTOR_BYTES = S == 0 ? SLOT : 0;
    static constexpr u32 TILE_BYTES = ROWS * THREADS * VECTOR_BYTES;
    struct alignas(16) Slot {
        unsigned char bytes[SLOT];
    };

    __device__ __forceinline__ Streams(const void*, u64, u64 = 0) {}
    template <class Extents, class F>
    __device__ __forceinline__ void stage_from(u64, u32, Slot*, const Extents&, F) const {}
    template <class F>
    __device__ __forceinline__ void stage_tile(u64, Slot*, F) const {}
    __device__ __forceinline__ void stage_tile(u64, Slot*) const {}
    static __device__ __forceinline__ void load(const Slot*, u32, In (&)[VECTOR]) {}
};
