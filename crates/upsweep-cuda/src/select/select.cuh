// Stream compaction (stable, in a single pass): the elements that a predicate, flags or their neighbours select, or
// their indices; for runs, the first element and its position or the run's length.
//
// The schedule (relay.cuh) of this task:
//
//   take        a bit for each element: whether it is selected; the count of each warp
//   leave       compacts selected elements in shared memory, or their places in the tile
//   finish      look back: the number of selected elements before the tile. Store from shared memory
//
// In contrast to other libraries' kernels, results are compacted before their destination is known, and wait in a ring
// buffer in shared memory. So a tile with few results waits long in little room, and an element is read once. In the
// ring the results of a tile begin at a multiple of 16 bytes. The storing warps, which also look back, shift them to
// their destination's address modulo 16 as they store them (warp/store.cuh).
//
// The number of elements may lie in device memory (`length`): the grid is then sized for the capacity of the input.
//
// Memory ordering: relay.cuh.
//
// In place: a tile is published when its elements are in registers, and stored when all tiles before it are published.
// A result lies at or before its element, so no element is overwritten before it is read. (A neighbour in another tile
// is also read before this tile is published, and until then only its own value can be stored in its place.)

#pragma once

#include "select/choose.cuh"
#include "tile/relay.cuh"
#include "warp/store.cuh"
#include "warp/sum.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Returns the index of the highest set bit.
__device__ __forceinline__ u32 highest(u32 bits) { return 31 - __clz(bits); }

// Aggregate of a warp's elements of a tile: the number of its results; for runs also one more than the index in the
// tile of the element with which the last of them begins, or 0.
template <bool RUNS> struct PartOf {
    u32 number;
    static __device__ __forceinline__ PartOf of(u32 number, u32) { return {number}; }
    __device__ __forceinline__ u32 behind() const { return 0; }
};
template <> struct PartOf<true> {
    u32 number, behind_last;
    static __device__ __forceinline__ PartOf of(u32 number, u32 behind) { return {number, behind}; }
    __device__ __forceinline__ u32 behind() const { return behind_last; }
};

struct SelectTask {
    using State = Kept;
    using Params = SelectParams;
    static constexpr bool RUNS = RUN_BYTES > 0;
    static constexpr u32 FEW = RUNS ? 16 : 4;
    using Run = UnsignedOf<RUN_BYTES>::type;
    // If a warp's copies include the vector beside its elements, one bulk copy is faster than many copies; elements
    // alone arrive as soon by many copies.
    using Chosen = Choose<HEADS == Heads::KEYS ? 1 : 0, HEADS == Heads::KEYS>;
    static_assert(TILE <= 1 << 16, "the place of an element in its tile is 16 bits");

    // Contents of the ring: elements, or the places of selected ones, or both.
    static constexpr bool VALUES = INDEX_BYTES == 0, PLACES = INDEX_BYTES > 0 || RUNS;

    // Dynamic shared memory: the ring, the staged elements and flags.
    static constexpr u32 DYNAMIC_BYTES = RING_BYTES + AHEAD * (Chosen::STAGED_BYTES + Chosen::FLAG_BYTES);

    struct Shared {
        typename Chosen::Copies copies[AHEAD];
    };
    using Part = PartOf<RUNS>;
    struct Items {
        typename Chosen::Grain grains[Chosen::GRAINS];
        typename Chosen::Found found;
        typename Chosen::Places places;
    };

    const Params& p;
    Shared& shared;
    const Chosen chosen;

    __device__ __forceinline__ SelectTask(const Params& p, Shared& shared) : p(p), shared(shared), chosen(p.input, p.flags, p.n) {
        if (warp_index() >= WARPS) return;
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) Chosen::open(shared.copies[k]);
    }

    __device__ __forceinline__ unsigned char* ring() const { return dynamic_shared; }
    __device__ __forceinline__ unsigned char* staged(u32 k) const { return dynamic_shared + RING_BYTES + k % AHEAD * Chosen::STAGED_BYTES; }
    __device__ __forceinline__ u8* flags(u32 k) const {
        return dynamic_shared + RING_BYTES + AHEAD * Chosen::STAGED_BYTES + k % AHEAD * Chosen::FLAG_BYTES;
    }

    __device__ __forceinline__ void stage(u32 k, u64 tile) const { chosen.stage(tile, staged(k), flags(k), shared.copies[k % AHEAD]); }

    template <class L>
    __device__ __forceinline__ Part take(u32 k, u64 tile, Items& items, L loaded) const {
        Chosen::await(shared.copies[k % AHEAD], k / AHEAD);
        const auto with_grain = [&](u32 row, const typename Chosen::Grain& words) { memcpy(items.grains[row], words, sizeof(words)); };
        items.found = chosen.find(tile, tile_count(p.n, tile), staged(k), flags(k), with_grain, loaded);
        items.places = Chosen::places(items.found.own);
        // One more than the index of the last bit that is set, and than the index in the tile of its element.
        u32 behind = 0, mine = 0;
        if constexpr (RUNS) {
#pragma unroll
            for (u32 i = 0; i < Chosen::BIT_WORDS; i++) {
                if (items.found.bits[i]) behind = i * 32 + highest(items.found.bits[i]) + 1;
            }
            if (behind > 0) mine = Chosen::item_of((behind - 1) / Chosen::GRAIN) + (behind - 1) % Chosen::GRAIN + 1;
            mine = warp_max(mine);
        }
        return Part::of(items.places.number, mine);
    }

    // Returns the number of the tile's results before this warp's, and in `total` the tile's aggregate. `part` is the
    // aggregate of warp w in lane w.
    static __device__ __forceinline__ u32 join(u64 tile, const Part& part, Kept& total) {
        const u32 number = warp_sum(part.number);
        u64 last = 0;
        if constexpr (RUNS) last = tile * TILE + warp_max(part.behind()) - 1;
        total = Kept::of(number, last);
        return warp_sum(lane_index() < warp_index() ? part.number : 0);
    }

    // Return the bytes of `number` elements, and of their places in the tile, in the ring.
    static __device__ __forceinline__ u32 value_bytes(u32 number) { return VALUES ? (number * (u32)sizeof(In) + 15) / 16 * 16 : 0; }
    static __device__ __forceinline__ u32 place_bytes(u32 number) { return PLACES ? (number * 2 + 15) / 16 * 16 : 0; }

    __device__ __forceinline__ u32 bytes(const Kept& total) const {
        if (!p.output) return 0;
        const u32 number = (u32)total.number;
        return value_bytes(number) + place_bytes(number);
    }

    __device__ __forceinline__ void leave(const Items& items, u32 before, const Kept& total, u32 at) const {
        if (!p.output) return;
        const u32 number = (u32)total.number;
        const SharedPlace values = shared_place(ring() + at), places = values + value_bytes(number);
#pragma unroll
        for (u32 row = 0; row < Chosen::GRAINS; row++) {
            const u32 item = Chosen::item_of(row), place = before + items.places.of(row);
            SharedPlace value = values + place * (u32)sizeof(In), at_place = places + place * 2;
#pragma unroll
            for (u32 j = 0; j < Chosen::GRAIN; j++) {
                if (items.found.keeps(row * Chosen::GRAIN + j)) {
                    if constexpr (VALUES) Chosen::leave(value, items.grains[row], j);
                    if constexpr (PLACES) store_next<2>(at_place, item + j);
                }
            }
        }
    }

    // Stores the results at `from` in the ring: the first `stored` of the tile's `number` elements or indices, to `to`.
    __device__ __forceinline__ void store_results(Stored* to, const unsigned char* from, u64 tile, u32 stored, u32 number) const {
        if constexpr (VALUES) {
            warp_store_elements((In*)to, from, stored);
        } else {
            const u16* const places = (const u16*)(from + value_bytes(number));
            warp_store(stored, (u64)to / sizeof(Stored) % WARP, [&](u32 i) { return places[i]; }, [&](u32 i, u16 place) { to[i] = (Stored)(tile * TILE + place); });
        }
    }

    // Stores the index of the first element of each of the tile's runs, or the lengths of the runs that end in the
    // tile.
    __device__ __forceinline__ void store_runs(const u16* places, u64 tile, const Kept& before, u32 number) const {
        Run* const to = (Run*)p.runs + before.number;
        const u32 stored = with_room(before.number, number, p.capacity);
        if constexpr (!RUN_LENGTHS) {
            warp_store(stored, (u64)to / sizeof(Run) % WARP, [&](u32 i) { return places[i]; }, [&](u32 i, u16 place) { to[i] = (Run)(tile * TILE + place); });
        } else {
            // The first selected element ends a run of another tile; the last run does not end in this tile.
            if (number == 0) return;
            if (lane_index() == 0 && before.number > 0 && before.number <= p.capacity) to[-1] = (Run)(tile * TILE + places[0] - before.open());
            warp_store(with_room(before.number, number - 1, p.capacity), (u64)to / sizeof(Run) % WARP, [&](u32 i) { return (u32)places[i + 1] - places[i]; }, [&](u32 i, u32 length) { to[i] = (Run)length; });
        }
    }

    // Looks back, and stores the results of a tile, which lie in the ring buffer from byte `at` on. `total` is the
    // tile's aggregate. Called by a storing warp.
    __device__ __forceinline__ void finish(u64 tile, u32 at, const Kept& total, const Chain<Kept>& chain) const {
        Kept before = {};
        if (tile > 0) before = chain.prefix(tile);
        const u32 number = (u32)total.number;
        if (tile + 1 == chain.tiles && lane_index() == 0) finish_all(before + total);
        if (!p.output) return;
        const unsigned char* const from = ring() + at;
        store_results((Stored*)p.output + before.number, from, tile, with_room(before.number, number, p.capacity), number);
        if constexpr (RUNS) store_runs((const u16*)(from + value_bytes(number)), tile, before, number);
    }

    // Stores what is known at the end only: the number of results, and the length of the last run. `all` is the
    // aggregate of the whole array.
    __device__ __forceinline__ void finish_all(const Kept& all) const {
        const u64 kept = all.number;
        *p.count = kept;
        if (kept > p.capacity) report_fault(p.workspace, FAULT_CAPACITY, kept, (i64)p.capacity);
        if constexpr (RUNS && RUN_LENGTHS) {
            if (p.output && kept > 0 && kept <= p.capacity) ((Run*)p.runs)[kept - 1] = (Run)(p.n - all.open());
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS + STORING_WARPS * WARP, BLOCKS) upsweep_select(const __grid_constant__ SelectParams given) {
    SelectParams p = given;
    if (p.length) {
        const u64 length = *p.length;
        if (length > p.n && blockIdx.x == 0 && threadIdx.x == 0) report_fault(p.workspace, FAULT_LENGTH, length, (i64)p.n);
        p.n = min(p.n, length);
    }
    Relay<SelectTask>::run(p, tile_number(p.n));
}
