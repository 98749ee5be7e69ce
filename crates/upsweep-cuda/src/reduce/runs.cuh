// Reduction by keys: one result for each run of equal keys, and its first key if requested. In a single pass.
//
// The schedule (relay.cuh) of this task:
//
//   take        the heads by key; the combination from the last head on, and the number of heads
//   leave       the key of each head and the result of the run before it, contiguous in shared memory
//   finish      look back: the number of heads before the tile, and the combination since the last of them. Store from
//               shared memory
//
// A result belongs to the head after its run, not to the run's end, so no element of the next tile is read. The first
// head's result lacks the part before the tile, and the array's last result has no head: the storing warps add both.
//
// In contrast to scan/scan.cuh, which serves flags and scattered results, an element is read from shared memory once,
// and no tile waits there for its prefix. The ring holds little if runs are long.
//
// Memory ordering: relay.cuh. A warp stages all that its own lanes read: its elements, its keys and the vector of keys
// before them. If its first lane issues all of these copies at once, all lanes await them at the warp's barrier
// (memory/instructions.cuh).

#pragma once

#include "memory/count.cuh"
#include "tile/items.cuh"
#include "tile/relay.cuh"
#include "tile/store.cuh"
#include "warp/store.cuh"
#include "warp/sum.cuh"

static_assert(!REVERSE && PLAIN_INPUT, "the elements of one buffer, forwards");

struct RunsTask {
    using State = ::State;
    using Params = ::Params;
    using Keys = Stream<Source>;
    using KeySlot = Keys::Slot;
    static constexpr u32 FEW = 16;

    // Number of elements, and of vectors, of a warp in a tile. Dynamic shared memory has the ring buffer of results,
    // then the staged tiles; there each warp has one more vector of keys, before its own.
    static constexpr u32 SHARE = WARP * ITEMS, VECTORS = WARP * ROWS;
    static constexpr u32 KEY_BYTES = WARPS * (VECTORS + 1) * sizeof(KeySlot);
    static constexpr u32 STAGED_BYTES = KEY_BYTES + Input::TILE_BYTES;
    static constexpr u32 DYNAMIC_BYTES = RING_BYTES + AHEAD * STAGED_BYTES;
    // Whether all keys of a warp in a tile, and all of its elements, come by one bulk copy each if they are aligned.
    static constexpr bool BULK = BULK_COPIES && sizeof(Slot) == VECTOR * sizeof(In) && sizeof(KeySlot) == VECTOR * sizeof(Source);

    struct Shared {
        u64 copies[AHEAD][BULK ? WARPS : 1];
    };
    struct Part {
        T value;  // combination of the warp's elements from its last head on
        u32 number;
    };
    struct Items {
        Source keys[ROWS][VECTOR];
        Vector values[ROWS];
        Mask heads;
        LaneHeads lanes;
        T lower;     // combination of the lower lanes' elements from their last head on
        u32 before;  // number of heads of lower lanes
        u64 begin;   // index of the tile's first element
        u32 count;
    };
    // Exclusive prefix of a warp in its tile: the combination since the last head before the warp, and the number of
    // heads.
    struct Before {
        T value;
        u32 number;
    };

    const Params& p;
    Shared& shared;
    __device__ __forceinline__ RunsTask(const Params& p, Shared& shared) : p(p), shared(shared) {
        if (!BULK || warp_index() >= WARPS) return;
        if (lane_index() == 0) {
#pragma unroll
            for (u32 k = 0; k < AHEAD; k++) open_barrier(shared.copies[k][warp_index()]);
        }
        __syncwarp();
    }

    __device__ __forceinline__ unsigned char* staged(u32 k) const { return dynamic_shared + RING_BYTES + k % AHEAD * STAGED_BYTES; }
    __device__ __forceinline__ Slot* value_slots(u32 k) const { return (Slot*)staged(k); }
    // Returns the slots of the keys of this block's k-th tile, indexed by the tile's vectors; a warp accesses only
    // those of its own vectors.
    __device__ __forceinline__ KeySlot* key_slots(u32 k) const { return (KeySlot*)(staged(k) + Input::TILE_BYTES) + warp_index() + 1; }

    __device__ __forceinline__ void stage(u32 k, u64 tile) const {
        const u64 first = tile * TILE + warp_index() * SHARE;
        if constexpr (BULK) {
            KeySlot* const own = key_slots(k) + warp_index() * VECTORS;
            const bool whole = (tile + 1) * TILE <= p.n && (u64)p.input % 16 == 0 && (u64)sources(p) % 16 == 0;
            if (lane_index() == 0) {
                u64& barrier = shared.copies[k % AHEAD][warp_index()];
                constexpr u32 VALUE_BYTES = SHARE * sizeof(In), OWN_BYTES = SHARE * sizeof(Source);
                const u32 edge = first > 0 ? sizeof(KeySlot) : 0;
                expect_copies(barrier, whole ? VALUE_BYTES + OWN_BYTES + edge : 0);
                if (whole) {
                    copy_bulk(barrier, (unsigned char*)own - edge, (const unsigned char*)(sources(p) + first) - edge, OWN_BYTES + edge);
                    copy_bulk(barrier, value_slots(k) + warp_index() * VECTORS, p.input + first, VALUE_BYTES);
                }
            }
            if (whole) return;
        }
        stage_vectors(p.input, sources(p), p.n, tile, value_slots(k), key_slots(k));
    }

    template <class L>
    __device__ __forceinline__ Part take(u32 k, u64 tile, Items& items, L loaded) const {
        if constexpr (BULK) await_copies(shared.copies[k % AHEAD][warp_index()], k / AHEAD % 2);
        items.begin = tile * TILE, items.count = tile_count(p.n, tile);
        Source before;
        const KeySlot* const own = key_slots(k) + threadIdx.x * ROWS;
        if (lane_index() == 0 && items.begin + threadIdx.x > 0) before = ((const Source*)own[-1].bytes)[VECTOR - 1];
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            Keys::load(own[row], items.keys[row]);
            items.values[row] = Vector(value_slots(k), threadIdx.x * ROWS + row);
        }
        const Source lower = shuffle_up(items.keys[ROWS - 1][VECTOR - 1], 1);
        if (lane_index() > 0) before = lower;
        loaded();
        return items.count == TILE ? reduce<true>(items, before) : reduce<false>(items, before);
    }

    // Returns the exclusive prefix of this warp in its tile, and in `total` the tile's aggregate. `part` is the
    // aggregate of warp w in lane w.
    __device__ __forceinline__ Before join(u64 tile, const Part& part, State& total) const {
        const u32 lane = lane_index(), warps = warps_with_elements(tile_count(p.n, tile));
        const LaneHeads with{__ballot_sync(~0u, part.number != 0)};
        const T scanned = warp_inclusive_scan<WARPS>(part.value, lane < warps ? with.reach() : 0);
        total = state_of<State>(shuffle(scanned, max(warps, 1u) - 1), warp_sum(part.number));
        return Before{shuffle(scanned, max(warp_index(), 1u) - 1), warp_sum(lane < warp_index() ? part.number : 0)};
    }

    // Head in a tile's entry of the ring buffer: the head's key, and the result of the run before it. An entry begins
    // with whether the tile's first element is a head.
    struct Head {
        Source key;
        T before;
    };
    static_assert(sizeof(Head) == HEAD_BYTES, "the host sizes the ring by it");
    static constexpr u32 FIRST_BYTES = 16;
    __device__ __forceinline__ u32 bytes(const State& total) const {
        const u32 number = (u32)heads_of(total);
        return number == 0 ? 0 : FIRST_BYTES + (number * (u32)sizeof(Head) + 15) / 16 * 16;
    }

    __device__ __forceinline__ void leave(const Items& items, const Before& before, const State& total, u32 at) const {
        if (threadIdx.x == 0 && heads_of(total) != 0) *(u32*)(dynamic_shared + at) = (u32)items.heads & 1;
        if (items.lanes.lanes == 0) return;
        Head* const own = (Head*)(dynamic_shared + at + FIRST_BYTES) + before.number + items.before;
        T carry = items.lower;
        if (warp_index() > 0) {
            if (lane_index() == 0) carry = before.value;
            else if (!items.lanes.any_lower() && threadIdx.x * ITEMS < items.count) carry = combine(before.value, carry);
        }
        if (items.count == TILE) leave<true>(items, carry, own);
        else leave<false>(items, carry, own);
    }

    // Looks back, and stores the results of a tile, which lie in the ring buffer from byte `at` on. `total` is the
    // tile's aggregate. Called by a storing warp.
    __device__ __forceinline__ void finish(u64 tile, u32 at, const State& total, const Chain<State>& chain) const {
        State before;
        if (tile > 0) before = chain.prefix(tile);
        const u64 place = tile > 0 ? heads_of(before) : 0;
        const u32 number = (u32)heads_of(total);
        if (tile + 1 == chain.tiles && lane_index() == 0) finish_all(tile > 0 ? combine(before, total) : total);
        if (number == 0) return;
        const unsigned char* const from = dynamic_shared + at;
        const Head* const heads = (const Head*)(from + FIRST_BYTES);
        if (lane_index() == 0 && tile > 0) {
            const bool whole = *(const u32*)from;
            store_segment(p, place - 1, result(whole ? value_of(before) : combine(value_of(before), heads[0].before)));
        }
        // Two loops: one loop for both took half as long again if all elements are heads.
        const u64 keys_room = p.keys_room == NO_KEYS ? 0 : p.keys_room;
        Source* const keys = (Source*)p.keys + place;
        warp_store(with_room(place, number, keys_room), place % WARP, [&](u32 i) { return heads[i].key; }, [&](u32 i, const Source& key) { keys[i] = key; });
        const auto results = output_of(p) + place;
        warp_store(with_room(place, number - 1, p.outputs), place % WARP, [&](u32 i) { return heads[i + 1].before; }, [&](u32 i, const T& value) {
            store_result(results + i, result(value));
        });
    }

private:
    // Stages the elements and keys of a tile vector by vector. Not inlined, because it is rare if warps use bulk
    // copies, and called in two places.
    static __device__ __noinline__ void stage_vectors(const In* input, const Source* source, u64 n, u64 tile, Slot* values, KeySlot* own) {
        const Keys keys(source, n);
        const u64 first = tile * TILE + warp_index() * SHARE;
        Input(input, n).stage_tile(tile, values);
        keys.stage_tile(tile, own);
        if (lane_index() == 0 && first > 0 && first < n) keys.stage_vector(own[(i32)(warp_index() * VECTORS) - 1], keys.base + first - VECTOR, VECTOR);
    }

    static __device__ __forceinline__ const Source& key(const Items& items, u32 j) { return items.keys[j / VECTOR][j % VECTOR]; }

    // Calls `use(j, head, element)` for each of the thread's elements that exist, in order.
    template <bool FULL, class F>
    __device__ __forceinline__ void each(const Items& items, F use) const {
        const u32 offset = threadIdx.x * ITEMS, mine = existing<FULL>(offset, ITEMS, items.count);
#pragma unroll
        for (u32 j = 0; j < ITEMS; j++) {
            if (!FULL && j >= mine) break;
            const bool head = items.heads >> j & 1;
            use(j, head, element(p, items.values[j / VECTOR][j % VECTOR], items.begin + offset + j, head));
        }
    }

    template <bool FULL>
    __device__ __forceinline__ Part reduce(Items& items, const Source& before) const {
        const u32 offset = threadIdx.x * ITEMS, mine = existing<FULL>(offset, ITEMS, items.count);
        Mask heads = 0;
#pragma unroll
        for (u32 j = 0; j < ITEMS; j++) {
            if (!FULL && j >= mine) break;
            const bool head = j == 0 ? items.begin + offset == 0 || begins(before, key(items, 0)) : begins(key(items, j - 1), key(items, j));
            heads |= (Mask)head << j;
        }
        items.heads = heads;
        T sum;
        each<FULL>(items, [&](u32 j, bool head, const T& e) { sum = j == 0 || head ? e : combine(sum, e); });
        const u32 lanes = lanes_with_elements<FULL>(items.count), own = head_number(heads);
        items.lanes = LaneHeads::of<FULL>(heads);
        const T scanned = warp_inclusive_scan(sum, lane_index() < lanes ? items.lanes.reach() : 0);
        items.lower = shuffle_up(scanned, 1);
        const u32 number = warp_inclusive_sum(own);
        items.before = number - own;
        return Part{FULL ? scanned : shuffle(scanned, max(lanes, 1u) - 1), number};
    }

    template <bool FULL>
    __device__ __forceinline__ void leave(const Items& items, T sum, Head* own) const {
        each<FULL>(items, [&](u32 j, bool head, const T& e) {
            if (head) *own++ = Head{key(items, j), sum};
            if (head || (j == 0 && threadIdx.x == 0)) sum = e;
            else sum = combine(sum, e);
        });
    }

    // Stores what is known at the end only: the number of runs, and the result of the last one. `all` is the aggregate
    // of the whole array.
    __device__ __forceinline__ void finish_all(const State& all) const {
        const u64 number = heads_of(all);
        if (p.count) *p.count = number;
        if (p.keys_room != NO_KEYS && number > p.keys_room) report_fault(p.workspace, FAULT_CAPACITY, number, (i64)p.keys_room);
        if (number > 0) store_segment(p, number - 1, result(value_of(all)));
    }
};

extern "C" __global__ void __launch_bounds__(THREADS + STORING_WARPS * WARP, BLOCKS) upsweep_reduce_runs(const __grid_constant__ ScanParams given) {
    const Params p(given);
    Relay<RunsTask>::run(p, tile_number(p.n));
}
