// Selection of a tile's elements by a predicate, flags or their neighbours: a bit for each element, and the place of
// each selected one among those of its warp.
//
// Arrangement: a warp has rows of grains (GRAIN neighbouring elements, a vector or half of one), a lane one grain of
// each row. So the selected elements of a row are contiguous in shared memory, with few bank conflicts. The lanes'
// counts of several rows are scanned at once, in fields of a word: of four rows if the count of a row fits in 8 bits,
// else of three.
//
// Memory ordering. A warp stages all that its own lanes read (stage.cuh): its elements, the vector beside them, its
// flags. If its first lane issues all of that in one copy, all lanes await it at the warp's barrier
// (memory/instructions.cuh).

#pragma once

#include "memory/access.cuh"
#include "memory/count.cuh"
#include "memory/status.cuh"
#include "tile/stage.cuh"
#include "warp/shuffle.cuh"
#include "warp/sum.cuh"

template <u32 BYTES> struct UnsignedOf { using type = u64; };
template <> struct UnsignedOf<4> { using type = u32; };
template <> struct UnsignedOf<16> { using type = u128; };

// Number of selected elements: 32 bits if the host knows that there are fewer than 2^32 elements.
using Number = UnsignedOf<RUN_BYTES == 0 ? HOST_STATE_BYTES : HOST_STATE_BYTES / 2>::type;
template <bool RUNS> struct KeptOf {
    Number number;
    static __device__ __forceinline__ KeptOf of(Number number, u64) { return {number}; }
    __device__ __forceinline__ u64 open() const { return 0; }
    __device__ __forceinline__ KeptOf operator+(const KeptOf& next) const { return {number + next.number}; }
};
// With runs also the index of the last selected element, if there is one: the begin of the open run.
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

// Type of stored results: elements, or with INDEX_BYTES their indices.
template <u32 BYTES> struct StoredOf { using type = UnsignedOf<BYTES>::type; };
template <> struct StoredOf<0> { using type = In; };
using Stored = StoredOf<INDEX_BYTES>::type;

// Returns a mask with a bit for each byte of `four` that is not 0.
__device__ __forceinline__ u32 set_bytes(u32 four) {
    const u32 highest = (((four & 0x7f7f7f7f) + 0x7f7f7f7f) | four) & 0x80808080;
    return (highest >> 7) * 0x10204080 >> 28;  // the product has the four bits contiguous at its end
}

// Selection of the elements of a kernel's tiles, and the copies of these tiles to shared memory. GAP unused slots lie
// between the slots of neighbouring warps. AT_ONCE: a warp's elements of a tile come by one copy, if possible.
template <u32 GAP, bool AT_ONCE>
class Choose {
public:
    static constexpr bool BY_FLAGS = HEADS == Heads::FLAGS, BY_NEIGHBOUR = HEADS == Heads::KEYS;
    static constexpr bool READS = !BY_FLAGS || INDEX_BYTES == 0;  // whether elements are read
    using Input = Stream<In>;
    using Slot = Input::Slot;
    static_assert(sizeof(Slot) == SLOT_BYTES, "the host sizes the shared memory by it");

    // A vector is one grain; vectors of elements of one or two bytes are two, for fewer bank conflicts.
    static constexpr u32 SPLIT = VECTOR * sizeof(In) == 16 && VECTOR > 4 ? 2 : 1;
    static constexpr u32 GRAIN = VECTOR / SPLIT, GRAIN_BYTES = SLOT_BYTES / SPLIT;
    static constexpr u32 GRAINS = ROWS * SPLIT;     // number of grains of a thread
    static constexpr u32 SHARE = WARP * ITEMS;      // number of a warp's elements of a tile
    static constexpr u32 BIT_WORDS = (ITEMS + 31) / 32;
    static constexpr bool BYTES = WARP * GRAIN < 1 << 8;  // whether a row's count fits in a byte
    // Bits of a row's count, and number of rows whose counts share a word.
    static constexpr u32 FIELD = BYTES ? 8 : 10, FIELDS = BYTES ? 4 : 3;
    static constexpr u32 WORDS = (GRAINS + FIELDS - 1) / FIELDS;
    static_assert(WARP * GRAIN < 1 << FIELD, "a row's number fits in a field");

    // Layout of a tile in shared memory. The vector beside a warp's elements, which has the neighbour of the first of
    // them, lies in the gap before them; with KEEP_LAST it has the last one's neighbour, and lies after them.
    static constexpr u32 EDGES = BY_NEIGHBOUR ? 1 : 0, FRONT = BY_NEIGHBOUR && !KEEP_LAST ? 1 : 0;
    static_assert(GAP >= EDGES, "room for the vector beside");
    static constexpr u32 WARP_BYTES = READS ? (WARP * ROWS + GAP) * sizeof(Slot) : 0;
    static constexpr u32 STAGED_BYTES = WARPS * WARP_BYTES, FLAG_BYTES = BY_FLAGS ? TILE : 0;

    // Words of a grain, in memory order.
    using Grain = u32[GRAIN_BYTES / 4];

    // Selected elements of a thread: a bit for each of its elements, and the number of selected elements of each of its
    // grains, in the field of the grain's row.
    struct Found {
        u32 bits[BIT_WORDS], own[WORDS];
        __device__ __forceinline__ bool keeps(u32 i) const { return bits[i / 32] >> i % 32 & 1; }
        __device__ __forceinline__ void add(u32 row, u32 grain_bits) { own[row / FIELDS] += __popc(grain_bits) << row % FIELDS * FIELD; }
    };
    // Indices, among the selected elements of a warp, of the first selected element of each of a thread's grains.
    struct Places {
        u32 fields[WORDS], bases[GRAINS];  // each grain's offset in its row; each row's begin
        u32 number;                        // number of the warp's selected elements
        __device__ __forceinline__ u32 of(u32 row) const { return bases[row] + field(fields, row); }
    };
    // Whether a warp's elements of a tile come by one bulk copy.
    static constexpr bool BULK = AT_ONCE && BULK_COPIES && SLOT_BYTES == VECTOR * sizeof(In) && SLOT_BYTES % 16 == 0;
    struct Copies {
        u64 barriers[BULK ? WARPS : 1];
    };

private:
    const Input input;
    const u8* const all_flags;
    const u32 flags_aligned;  // alignment of a warp's flags in bytes: 16, 4 or 1

public:
    __device__ __forceinline__ Choose(const void* elements, const u8* flags, u64 n)
        : input((const In*)elements, n), all_flags(flags), flags_aligned((u64)flags % 16 == 0 ? 16 : (u64)flags % 4 == 0 ? 4 : 1) {}

    // Returns the index in the tile of the first element of the lane's grain in a row.
    static __device__ __forceinline__ u32 item_of(u32 row) { return warp_index() * SHARE + (row * WARP + lane_index()) * GRAIN; }

    // Initialises the barrier of bulk copies. Called by each compute warp, before it stages anything.
    static __device__ __forceinline__ void open(Copies& copies) {
        if constexpr (BULK) {
            if (lane_index() == 0) open_barrier(copies.barriers[warp_index()]);
            __syncwarp();
        }
    }

    // Issues the copies of a tile to shared memory: elements to `staged`, flags to `flags`.
    __device__ __forceinline__ void stage(u64 tile, unsigned char* staged, u8* flags, Copies& copies) const {
        if constexpr (BULK) {
            if (stage_at_once(tile, staged, flags, copies.barriers[warp_index()])) return;
        }
        if constexpr (READS) input.stage_tile(tile, slots(staged));
        if constexpr (BY_FLAGS) stage_flags(tile, flags);
        if constexpr (BY_NEIGHBOUR) stage_edge(tile, staged);
    }

    // Waits for the bulk copies of a tile; copies of other kinds have been awaited before (`wait_groups`). `turn` is
    // the number of tiles that have been staged in the same slots before it.
    static __device__ __forceinline__ void await(Copies& copies, u32 turn) {
        if constexpr (BULK) await_copies(copies.barriers[warp_index()], turn % 2);
    }

    // Loads the words of the lane's grain in a row.
    static __device__ __forceinline__ void load(unsigned char* staged, u32 row, Grain& words) {
        constexpr u32 PART = GRAIN_BYTES % 16 == 0 ? 16 : 8;
        using Part = Access<PART>::type;
        const unsigned char* const from = grain(staged, row);
#pragma unroll
        for (u32 i = 0; i < GRAIN_BYTES / PART; i++) {
            const Part part = ((const Part*)from)[i];
            memcpy(words + i * PART / 4, &part, PART);
        }
    }

    // Selects elements of the tile of `count` elements. Calls `with_grain(row, words)` for each grain, and `loaded()`
    // when the tile's slots are free.
    template <class F, class L>
    __device__ __forceinline__ Found find(u64 tile, u32 count, unsigned char* staged, const u8* flags, F with_grain, L loaded) const {
        Row rows[GRAINS];
        if (count == TILE) load_rows<true>(tile, count, staged, flags, rows, with_grain);
        else load_rows<false>(tile, count, staged, flags, rows, with_grain);
        loaded();
        return count == TILE ? find<true>(tile, count, rows) : find<false>(tile, count, rows);
    }

    // Returns the places of the lane's grains, from the counts `own` of its grains: by an exclusive prefix over the
    // lanes of the counts of each row, in fields.
    static __device__ __forceinline__ Places places(const u32 (&own)[WORDS]) {
        Places places;
        u32 number = 0, all[WORDS];
#pragma unroll
        for (u32 w = 0; w < WORDS; w++) {
            const u32 up_to = warp_inclusive_sum(own[w]);
            all[w] = __shfl_sync(~0u, up_to, WARP - 1);
            places.fields[w] = up_to - own[w];
        }
#pragma unroll
        for (u32 row = 0; row < GRAINS; row++) {
            places.bases[row] = number;
            number += field(all, row);
        }
        places.number = number;
        return places;
    }

    // Stores element `j` of a grain in shared memory and advances the address.
    static __device__ __forceinline__ void leave(SharedPlace& at, const Grain& words, u32 j) {
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

private:
    // A grain and the element beside it: the last one of the grain before, or with KEEP_LAST the first one of the next.
    // By flags, their bits.
    struct Row {
        In x[GRAIN], beside;
        u32 bits;
    };

    // Returns the count of a row, which is a field of one of `words`.
    static __device__ __forceinline__ u32 field(const u32 (&words)[WORDS], u32 row) {
        if constexpr (BYTES) return __byte_perm(words[row / FIELDS], 0, 0x4440 + row % FIELDS);
        return words[row / FIELDS] >> row % FIELDS * FIELD & ((1 << FIELD) - 1);
    }

    // Issues one copy of the warp's share of the tile, and one of its flags. Returns whether that is possible.
    __device__ __forceinline__ bool stage_at_once(u64 tile, unsigned char* staged, u8* flags, u64& barrier) const {
        const bool whole = (tile + 1) * TILE + (KEEP_LAST ? EDGES * VECTOR : 0) <= input.n && input.aligned && (!BY_FLAGS || flags_aligned == 16);
        if (lane_index() == 0) {
            const u64 first = tile * TILE + warp_index() * SHARE;
            const u32 front = first > 0 ? FRONT * SLOT_BYTES : 0;
            const u32 elements = READS ? front + SHARE * sizeof(In) + (EDGES - FRONT) * SLOT_BYTES : 0, own_flags = BY_FLAGS ? SHARE : 0;
            expect_copies(barrier, whole ? elements + own_flags : 0);
            if (whole && READS) copy_bulk(barrier, (unsigned char*)(slots(staged) + warp_index() * WARP * ROWS) - front, (const unsigned char*)(input.base + first) - front, elements);
            if (whole && BY_FLAGS) copy_bulk(barrier, flags + warp_index() * SHARE, all_flags + first, own_flags);
        }
        return whole;
    }

    // Returns the slots of a tile, indexed by its vectors; only those of this warp's vectors may be accessed by it.
    static __device__ __forceinline__ Slot* slots(unsigned char* staged) { return (Slot*)staged + warp_index() * GAP + FRONT; }
    static __device__ __forceinline__ unsigned char* grain(unsigned char* staged, u32 row) {
        return (unsigned char*)(slots(staged) + warp_index() * WARP * ROWS) + (row * WARP + lane_index()) * GRAIN_BYTES;
    }

    // Copies the warp's flags, WIDTH bytes at a time, if they begin at a multiple of it and exist.
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
    __device__ __forceinline__ void stage_flags(u64 tile, u8* flags) const {
        const u32 begin = warp_index() * SHARE, mine = existing<false>(begin, SHARE, tile_count(input.n, tile));
        u8* const to = flags + begin;
        const u8* const from = all_flags + tile * TILE + begin;
        if (flags_aligned == 16) stage_flags<16>(to, from, mine);
        else if (flags_aligned == 4) stage_flags<4>(to, from, mine);
        else stage_flags<1>(to, from, mine);
    }

    // Copies the vector that has the neighbour of the warp's first element, or with KEEP_LAST of its last one, to its
    // slot.
    __device__ __forceinline__ void stage_edge(u64 tile, unsigned char* staged) const {
        if (lane_index() != 0) return;
        const u64 n = input.n, first = tile * TILE + warp_index() * SHARE;
        const u64 from = KEEP_LAST ? first + SHARE : first - VECTOR;
        if (KEEP_LAST ? from < n : first > 0 && first < n) {
            const u32 mine = n - from < VECTOR ? (u32)(n - from) : VECTOR;
            Slot* const own = slots(staged) + warp_index() * WARP * ROWS;
            input.stage_vector(own[KEEP_LAST ? (i32)(WARP * ROWS) : -1], input.base + from, mine);
        }
    }

    // Returns the mask of the flags that are set of the grain's elements.
    template <bool FULL>
    static __device__ __forceinline__ u32 flag_bits(const u8* flags, u32 item, u32 mine) {
        constexpr u32 WIDTH = GRAIN % 4 == 0 ? 4 : GRAIN % 2 == 0 ? 2 : 1;  // flags that are read at once
        u32 bits = 0;
#pragma unroll
        for (u32 i = 0; i < GRAIN; i += WIDTH) {
            const u8* const from = flags + item + i;
            const u32 four = WIDTH == 4 ? *(const u32*)from : WIDTH == 2 ? *(const u16*)from : *from;
            bits |= set_bytes(four) << i;
        }
        return FULL ? bits : bits & ((1u << mine) - 1);  // bits after the last flag belong to another tile
    }

    // Returns the mask of a grain's selected elements. `mine` elements of the grain exist, and the first has index
    // `item` in the tile. `ends`: see `ends_with`.
    template <bool FULL>
    static __device__ __forceinline__ u32 kept_bits(const Row& row, u64 begin, u32 item, u32 mine, bool ends) {
        const In (&x)[GRAIN] = row.x;
        u32 bits = 0;
        if constexpr (BY_FLAGS) {
            bits = row.bits;
        } else if constexpr (BY_NEIGHBOUR) {
#pragma unroll
            for (u32 j = 0; j < GRAIN; j++) {
                if (!FULL && j >= mine) continue;
                const bool alone = ends && j == (KEEP_LAST ? mine - 1 : 0);
                const bool same = !alone && (KEEP_LAST ? same_key(x[j], j + 1 < GRAIN ? x[j + 1] : row.beside) : same_key(j > 0 ? x[j - 1] : row.beside, x[j]));
                bits |= (u32)!same << j;
            }
        } else {
            // The result of an element is first placed where the element lies in its word: so a compiler can test all
            // of a word at once.
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

    // Whether the array ends with this thread's grain of a row, on the side of the neighbours: then no element is
    // beside it.
    template <bool FULL>
    __device__ __forceinline__ bool ends_with(u64 tile, u32 count, u32 row, u32 item, u32 mine) const {
        const bool outermost = KEEP_LAST ? tile * TILE + count == input.n : tile == 0;
        if (!FULL && KEEP_LAST) return outermost && item + mine == count;
        return outermost && threadIdx.x == (KEEP_LAST ? THREADS - 1 : 0) && row == (KEEP_LAST ? GRAINS - 1 : 0);
    }

    template <bool FULL, class F>
    __device__ __forceinline__ void load_rows(u64 tile, u32 count, unsigned char* staged, const u8* flags, Row (&rows)[GRAINS], F with_grain) const {
#pragma unroll
        for (u32 row = 0; row < GRAINS; row++) {
            const u32 item = item_of(row), mine = existing<FULL>(item, GRAIN, count);
            if constexpr (READS) {
                Grain words;
                load(staged, row, words);
                memcpy(rows[row].x, words, sizeof(rows[row].x));
                with_grain(row, words);
            }
            if constexpr (BY_FLAGS) rows[row].bits = flag_bits<FULL>(flags, item, mine);
            if constexpr (BY_NEIGHBOUR) {
                const unsigned char* const own = grain(staged, row);
                if ((FULL || mine == GRAIN || (!KEEP_LAST && mine > 0)) && !ends_with<FULL>(tile, count, row, item, mine)) {
                    rows[row].beside = KEEP_LAST ? *(const In*)(own + GRAIN_BYTES) : ((const In*)(own - GRAIN_BYTES))[GRAIN - 1];
                }
            }
        }
    }

    template <bool FULL>
    __device__ __forceinline__ Found find(u64 tile, u32 count, const Row (&rows)[GRAINS]) const {
        Found found = {};
#pragma unroll
        for (u32 row = 0; row < GRAINS; row++) {
            const u32 item = item_of(row), mine = existing<FULL>(item, GRAIN, count);
            const u32 bits = kept_bits<FULL>(rows[row], tile * TILE, item, mine, BY_NEIGHBOUR && ends_with<FULL>(tile, count, row, item, mine)), first = row * GRAIN;
            found.bits[first / 32] |= bits << first % 32;
            found.add(row, bits);
        }
        return found;
    }
};
