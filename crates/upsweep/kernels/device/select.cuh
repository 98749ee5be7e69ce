// Select: the elements that a predicate, flags or their neighbours choose, one after the other, or their indices; of runs, the
// first element and where it lies or how many follow. In a single pass, stable.
//
// The schedule (relay.cuh) of this task:
//
//   take        a bit for each element: whether it is kept; the number of those of each warp
//   leave       kept elements side by side in shared memory, or their places in the tile
//   finish      look back: the number of elements kept before the tile. From shared memory to there
//
// What differs from other libraries' kernels: results are compacted before it is known where they go, and wait in a ring. So a tile of few
// results waits long for little room, and an element is looked at once. They get the phase of their destination when they are stored
// (warp/store.cuh), by warps that do nothing else but look back.
//
// How a thread has its elements: a warp has rows of grains, a lane one grain of neighbours of each. So what the lanes keep of a
// row lies side by side in shared memory, with few bank conflicts. The numbers that the lanes keep of three rows are scanned at once, in
// fields of a word.
//
// The number of elements may lie in device memory (`length`): the grid is then sized for as many as the input has room for.
//
// Memory ordering: relay.cuh.
//
// In place: a tile is published when its elements are in registers, and stored when all tiles before it are published. A
// result lies at or before its element, so nothing is overwritten that is yet to be read. (A neighbour of another tile is read
// before this tile is published, too, and until then only its own value can be stored in its place.)

#pragma once

#include "memory/access.cuh"
#include "tile/relay.cuh"
#include "warp/store.cuh"
#include "word/instructions.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

template <u32 BYTES> struct UnsignedOf { using type = u64; };
template <> struct UnsignedOf<4> { using type = u32; };
template <> struct UnsignedOf<16> { using type = u128; };

// A number of elements: 32 bits do where the host knows that there are fewer than 2^32.
using Number = UnsignedOf<RUN_BYTES == 0 ? HOST_STATE_BYTES : HOST_STATE_BYTES / 2>::type;
template <bool RUNS> struct KeptOf {
    Number number;
    static __device__ __forceinline__ KeptOf of(Number number, u64) { return {number}; }
    __device__ __forceinline__ u64 open() const { return 0; }
    __device__ __forceinline__ KeptOf operator+(const KeptOf& next) const { return {number + next.number}; }
};
// With runs also the index of the last of them, where there is one: the run that is open there.
template <> struct KeptOf<true> {
    Number number, last;
    static __device__ __forceinline__ KeptOf of(Number number, u64 last) { return {number, (Number)last}; }
    __device__ __forceinline__ u64 open() const { return last; }
    __device__ __forceinline__ KeptOf operator+(const KeptOf& next) const {
        return {number + next.number, next.number ? next.last : last};
    }
};
using Kept = KeptOf<(RUN_BYTES > 0)>;
__device__ __forceinline__ Kept combine(const Kept& a, const Kept& b) { return a + b; }

// What is stored: elements, or with INDEX_BYTES their indices.
template <u32 BYTES> struct StoredOf { using type = UnsignedOf<BYTES>::type; };
template <> struct StoredOf<0> { using type = In; };
using Stored = StoredOf<INDEX_BYTES>::type;
template <bool INDEX> struct Result {
    static __device__ __forceinline__ const In& of(u64, const In& x) { return x; }
};
template <> struct Result<true> {
    static __device__ __forceinline__ Stored of(u64 index, const In&) { return (Stored)index; }
};

// A bit for each byte that is not 0.
__device__ __forceinline__ u32 set_bytes(u32 four) {
    const u32 highest = (((four & 0x7f7f7f7f) + 0x7f7f7f7f) | four) & 0x80808080;
    return (highest >> 7) * 0x10204080 >> 28;  // the product has the four bits side by side at its end
}

// The place of the highest bit that is set.
__device__ __forceinline__ u32 highest(u32 bits) { return 31 - __clz(bits); }

struct SelectTask {
    using State = Kept;
    using Params = SelectParams;
    static constexpr bool BY_FLAGS = HEADS == Heads::FLAGS, BY_NEIGHBOUR = HEADS == Heads::KEYS;
    static constexpr bool READS = !BY_FLAGS || INDEX_BYTES == 0;  // whether elements are read
    static constexpr bool RUNS = RUN_BYTES > 0;
    using Run = UnsignedOf<RUN_BYTES>::type;
    using Input = Stream<In>;
    using Slot = Input::Slot;
    static_assert(sizeof(Slot) == SLOT_BYTES, "the host sizes the shared memory by it");

    // A vector is one grain; of bytes and halves it is two, for fewer bank conflicts.
    static constexpr u32 SPLIT = VECTOR * sizeof(In) == 16 && VECTOR > 4 ? 2 : 1;
    static constexpr u32 GRAIN = VECTOR / SPLIT, GRAIN_BYTES = SLOT_BYTES / SPLIT;
    static constexpr u32 GRAINS = ROWS * SPLIT;     // of a thread
    static constexpr u32 SHARE = WARP * ITEMS;      // elements of a warp
    static constexpr u32 FIELD = 10, FIELDS = 3;    // bits of a row's number, and the rows of a word
    static constexpr u32 WORDS = (GRAINS + FIELDS - 1) / FIELDS;
    static_assert(FIELDS * WARP * GRAIN < 1 << FIELD, "the numbers of a word's rows fit in a field");
    static_assert(TILE <= 1 << 16, "the place of an element in its tile is 16 bits");

    // What lies in the ring: elements, or the places of what is kept, or both.
    static constexpr bool VALUES = INDEX_BYTES == 0, PLACES = INDEX_BYTES > 0 || RUNS;

    // Dynamic shared memory: the ring, the elements and flags that are staged. Beside a warp's elements lies the vector beside them.
    static constexpr u32 EDGES = BY_NEIGHBOUR ? 1 : 0, FRONT = BY_NEIGHBOUR && !KEEP_LAST ? 1 : 0;
    static constexpr u32 STAGED_BYTES = READS ? (Input::SLOTS + EDGES * WARPS) * sizeof(Slot) : 0;
    static constexpr u32 FLAG_BYTES = BY_FLAGS ? TILE : 0;

    struct Shared {};
    struct Items {
        u32 words[GRAINS][GRAIN_BYTES / 4];  // as they lie in memory
        u32 bits[(ITEMS + 31) / 32];
        u32 places[WORDS], bases[WORDS];  // of the lane's grains among those of the rows of a word; of these among the warp's
        u32 count;                        // elements of the tile
        __device__ __forceinline__ bool keeps(u32 i) const { return bits[i / 32] >> i % 32 & 1; }
    };

    const Params& p;
    const Input input;
    const u32 flags_aligned;  // bytes at whose multiples a warp's flags begin: 16, 4 or 1

    __device__ __forceinline__ SelectTask(const Params& p, Shared&)
        : p(p), input(p.input, p.n), flags_aligned((u64)p.flags % 16 == 0 ? 16 : (u64)p.flags % 4 == 0 ? 4 : 1) {}

    __device__ __forceinline__ unsigned char* ring() const { return dynamic_shared; }
    // The slots of the tile, to be indexed by its vectors' numbers: those of this warp.
    __device__ __forceinline__ Slot* slots(u32 k) const {
        return (Slot*)(dynamic_shared + RING_BYTES + k % AHEAD * STAGED_BYTES) + warp_index() * EDGES + FRONT;
    }
    __device__ __forceinline__ u8* flags(u32 k) const {
        return dynamic_shared + RING_BYTES + AHEAD * STAGED_BYTES + k % AHEAD * FLAG_BYTES;
    }

    __device__ __forceinline__ void stage(u32 k, u64 tile) const {
        if constexpr (READS) input.stage_tile(tile, slots(k));
        if constexpr (BY_FLAGS) stage_flags(k, tile);
        if constexpr (BY_NEIGHBOUR) stage_edge(k, tile);
    }

    // Copies the warp's flags, WIDTH bytes at a time, where they begin at a multiple of it and exist.
    template <u32 WIDTH>
    __device__ __forceinline__ void stage_flags(u8* to, const u8* from, u32 mine) const {
#pragma unroll 1
        for (u32 step = 0; step < SHARE; step += WARP * WIDTH) {
            const u32 at = step + lane_index() * WIDTH;
            if (at + WIDTH <= mine) {
                if constexpr (WIDTH > 1) copy_async<WIDTH>(to + at, from + at);
                else to[at] = from[at];
            } else {
#pragma unroll 1
                for (u32 j = at; j < mine; j++) to[j] = from[j];
            }
        }
    }
    __device__ __forceinline__ void stage_flags(u32 k, u64 tile) const {
        const u32 begin = warp_index() * SHARE, mine = existing<false>(begin, SHARE, tile_count(p.n, tile));
        u8* const to = flags(k) + begin;
        const u8* const from = p.flags + tile * TILE + begin;
        if (flags_aligned == 16) stage_flags<16>(to, from, mine);
        else if (flags_aligned == 4) stage_flags<4>(to, from, mine);
        else stage_flags<1>(to, from, mine);
    }

    // The vector before the warp's first, or with KEEP_LAST the one after its last.
    __device__ __forceinline__ void stage_edge(u32 k, u64 tile) const {
        if (lane_index() != 0) return;
        const u64 first = tile * TILE + warp_index() * SHARE;
        const u64 from = KEEP_LAST ? first + SHARE : first - VECTOR;
        if (KEEP_LAST ? from < p.n : first > 0 && first < p.n) {
            const u32 mine = p.n - from < VECTOR ? (u32)(p.n - from) : VECTOR;
            Slot* const own = slots(k) + warp_index() * WARP * ROWS;
            input.stage_vector(own[KEEP_LAST ? (i32)(WARP * ROWS) : -1], p.input + from, mine);
        }
    }

    // The place in the tile of the first element of the lane's grain in a row.
    static __device__ __forceinline__ u32 item_of(u32 row) { return warp_index() * SHARE + (row * WARP + lane_index()) * GRAIN; }

    // A grain as it lies in shared memory.
    static __device__ __forceinline__ void load(const unsigned char* from, u32 (&words)[GRAIN_BYTES / 4]) {
        constexpr u32 PART = GRAIN_BYTES % 16 == 0 ? 16 : 8;
        using Part = Access<PART>::type;
#pragma unroll
        for (u32 i = 0; i < GRAIN_BYTES / PART; i++) {
            const Part part = ((const Part*)from)[i];
            memcpy(words + i * PART / 4, &part, PART);
        }
    }

    // Which of the elements of a grain are kept, of which `mine` exist and the first one is `item` of the tile.
    template <bool FULL>
    __device__ __forceinline__ u32 kept_bits(const unsigned char* grain, const u8* flags, const In (&x)[GRAIN], u64 begin, u32 item, u32 mine, bool ends) const {
        u32 bits = 0;
        if constexpr (BY_FLAGS) {
            constexpr u32 WIDTH = GRAIN % 4 == 0 ? 4 : GRAIN % 2 == 0 ? 2 : 1;  // flags that are read at once
#pragma unroll
            for (u32 i = 0; i < GRAIN; i += WIDTH) {
                const u8* const from = flags + item + i;
                const u32 four = WIDTH == 4 ? *(const u32*)from : WIDTH == 2 ? *(const u16*)from : *from;
                bits |= set_bytes(four) << i;
            }
            if (!FULL) bits &= (1u << mine) - 1;  // what lies behind the last flag is of another tile
        } else if constexpr (BY_NEIGHBOUR) {
            In beside;  // the last one of the grain before, or with KEEP_LAST the first one of the next; where the array `ends`, there is none
            if ((FULL || mine == GRAIN || (!KEEP_LAST && mine > 0)) && !ends) {
                beside = KEEP_LAST ? *(const In*)(grain + GRAIN_BYTES) : ((const In*)(grain - GRAIN_BYTES))[GRAIN - 1];
            }
#pragma unroll
            for (u32 j = 0; j < GRAIN; j++) {
                if (!FULL && j >= mine) continue;
                const bool alone = ends && j == (KEEP_LAST ? mine - 1 : 0);
                const bool same = !alone && (KEEP_LAST ? same_key(x[j], j + 1 < GRAIN ? x[j + 1] : beside) : same_key(j > 0 ? x[j - 1] : beside, x[j]));
                bits |= (u32)!same << j;
            }
        } else {
            // What is found of an element first lies where the element lies in its word: so a compiler can look at all of a word at once.
            constexpr u32 IN_WORD = sizeof(In) == 1 && GRAIN % 4 == 0 ? 4 : sizeof(In) == 2 && GRAIN % 2 == 0 ? 2 : 1;
#pragma unroll
            for (u32 i = 0; i < GRAIN; i += IN_WORD) {
                u32 word = 0;
#pragma unroll
                for (u32 j = 0; j < IN_WORD; j++) {
                    if (FULL || i + j < mine) word |= (u32)load_acc(x[i + j], begin + item + i + j, begin + item + i + j) << j * 32 / IN_WORD;
                }
                bits |= (IN_WORD == 4 ? word * 0x10204080 >> 28 : IN_WORD == 2 ? (word | word >> 15) & 3 : word) << i;
            }
        }
        return bits;
    }

    template <bool FULL>
    __device__ __forceinline__ void find(u32 k, u64 tile, Items& items, u32 (&own)[WORDS]) const {
        const unsigned char* const from = (const unsigned char*)(slots(k) + warp_index() * WARP * ROWS) + lane_index() * GRAIN_BYTES;
        // Whether the array ends with the tile, on the side where neighbours lie, and with this thread's last or first grain.
        const bool outermost = KEEP_LAST ? tile * TILE + items.count == p.n : tile == 0;
        const bool outer = outermost && threadIdx.x == (KEEP_LAST ? THREADS - 1 : 0);
#pragma unroll
        for (u32 row = 0; row < GRAINS; row++) {
            const unsigned char* const grain = from + row * WARP * GRAIN_BYTES;
            In x[GRAIN];
            if constexpr (READS) {
                load(grain, items.words[row]);
                memcpy(x, items.words[row], sizeof(x));
            }
            const u32 item = item_of(row), mine = existing<FULL>(item, GRAIN, items.count);
            const bool ends = FULL || !KEEP_LAST ? outer && row == (KEEP_LAST ? GRAINS - 1 : 0) : outermost && item + mine == items.count;
            const u32 bits = kept_bits<FULL>(grain, flags(k), x, tile * TILE, item, mine, ends);
            const u32 first = row * GRAIN;
            items.bits[first / 32] |= bits << first % 32;
            own[row / FIELDS] += __popc(bits) << row % FIELDS * FIELD;
        }
    }

    __device__ __forceinline__ Kept take(u32 k, u64 tile, Items& items) const {
        items.count = tile_count(p.n, tile);
        u32 own[WORDS] = {};
#pragma unroll
        for (u32& bits : items.bits) bits = 0;
        if (items.count == TILE) find<true>(k, tile, items, own);
        else find<false>(k, tile, items, own);

        // Where the lane's grains go: each field has what the lanes below it keep of its row, and what all keep of the rows before.
        u32 number = 0;
#pragma unroll
        for (u32 w = 0; w < WORDS; w++) {
            u32 up_to = own[w];
#pragma unroll
            for (u32 distance = 1; distance < WARP; distance *= 2) up_to = add_lower(up_to, distance);
            const u32 all = __shfl_sync(~0u, up_to, WARP - 1);
            items.places[w] = up_to - own[w] + (all << FIELD) + (all << 2 * FIELD);
            items.bases[w] = number;
            number += (all + (all >> FIELD) + (all >> 2 * FIELD)) & ((1 << FIELD) - 1);
        }
        u64 last = 0;
        if constexpr (RUNS) {
            u32 behind = 0, mine = 0;  // one more than the last bit that is set, and than the place of its element
#pragma unroll
            for (u32 i = 0; i < (ITEMS + 31) / 32; i++) {
                if (items.bits[i]) behind = i * 32 + highest(items.bits[i]) + 1;
            }
            if (behind > 0) mine = item_of((behind - 1) / GRAIN) + (behind - 1) % GRAIN + 1;
#pragma unroll
            for (u32 distance = 1; distance < WARP; distance *= 2) mine = max(mine, __shfl_up_sync(~0u, mine, distance));
            last = tile * TILE + mine - 1;
        }
        return Kept::of(number, last);
    }

    // Bytes of `number` elements or places in the ring.
    static __device__ __forceinline__ u32 value_bytes(u32 number) { return VALUES ? (number * (u32)sizeof(In) + 15) / 16 * 16 : 0; }
    static __device__ __forceinline__ u32 place_bytes(u32 number) { return PLACES ? (number * 2 + 15) / 16 * 16 : 0; }

    __device__ __forceinline__ u32 bytes(const Kept& total) const {
        if (!p.output) return 0;
        const u32 number = (u32)total.number;
        return value_bytes(number) + place_bytes(number);
    }

    __device__ __forceinline__ void leave(const Items& items, const Kept& before, const Kept& total, u32 at) const {
        if (!p.output) return;
        const u32 number = (u32)total.number;
        const SharedPlace values = shared_place(ring() + at), places = values + value_bytes(number);
#pragma unroll
        for (u32 row = 0; row < GRAINS; row++) {
            const u32 item = item_of(row), field = items.places[row / FIELDS] >> row % FIELDS * FIELD & ((1 << FIELD) - 1);
            const u32 place = (u32)before.number + items.bases[row / FIELDS] + field;
            SharedPlace value = values + place * (u32)sizeof(In), at_place = places + place * 2;
#pragma unroll
            for (u32 j = 0; j < GRAIN; j++) {
                if (items.keeps(row * GRAIN + j)) {
                    if constexpr (VALUES) leave_value(value, items.words[row], j);
                    if constexpr (PLACES) store_next<2>(at_place, item + j);
                }
            }
        }
    }

    // Stores element `j` of a grain at a place in shared memory and goes on to the one behind it.
    static __device__ __forceinline__ void leave_value(SharedPlace& at, const u32 (&words)[GRAIN_BYTES / 4], u32 j) {
        constexpr u32 BYTES = sizeof(In);
        const u32 word = words[j * BYTES / 4];
        if constexpr (BYTES <= 4 && alignof(In) == BYTES) {
            store_next<BYTES>(at, word >> j * BYTES % 4 * 8);
        } else if constexpr (BYTES == 8 && alignof(In) == 8) {
            store_next(at, (u64)words[j * 2 + 1] << 32 | word);
        } else {
            In x;
            memcpy(&x, (const unsigned char*)words + j * BYTES, BYTES);
            *(In*)at_shared_place(at) = x;
            at += BYTES;
        }
    }

    // How many of `number` results from place `at` on there is room for.
    static __device__ __forceinline__ u32 with_room(u64 at, u32 number, u64 capacity) {
        return at >= capacity ? 0 : (u32)min((u64)number, capacity - at);
    }

    // Stores what lies at `from` in the ring: `stored` of `number` elements or indices, the first of them to `to`.
    __device__ __forceinline__ void store_results(Stored* to, const unsigned char* from, u64 tile, u32 stored, u32 number) const {
        if constexpr (VALUES) {
            warp_store_elements((In*)to, from, stored);
        } else {
            const u16* const places = (const u16*)(from + value_bytes(number));
            warp_store(stored, (u64)to / sizeof(Stored) % WARP, [&](u32 i) { return places[i]; }, [&](u32 i, u16 place) { to[i] = (Stored)(tile * TILE + place); });
        }
    }

    // Stores where the tile's runs begin, or how long those are that end in it.
    __device__ __forceinline__ void store_runs(const u16* places, u64 tile, const Kept& before, u32 number) const {
        Run* const to = (Run*)p.runs + before.number;
        const u32 stored = with_room(before.number, number, p.capacity);
        if constexpr (!RUN_LENGTHS) {
            warp_store(stored, (u64)to / sizeof(Run) % WARP, [&](u32 i) { return places[i]; }, [&](u32 i, u16 place) { to[i] = (Run)(tile * TILE + place); });
        } else {
            // The first one ends a run of another tile; the last one does not end in this tile.
            if (number == 0) return;
            if (lane_index() == 0 && before.number > 0 && before.number <= p.capacity) to[-1] = (Run)(tile * TILE + places[0] - before.open());
            warp_store(with_room(before.number, number - 1, p.capacity), (u64)to / sizeof(Run) % WARP, [&](u32 i) { return (u32)places[i + 1] - places[i]; }, [&](u32 i, u32 length) { to[i] = (Run)length; });
        }
    }

    // A storing warp stores what the tile has left in the ring.
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

    // What is known at the end.
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
