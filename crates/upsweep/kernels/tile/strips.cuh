// Strips of a matrix: the neighbouring columns that a block of a scan along two axes goes down, tile after tile, where their elements lie, and
// how these come to shared memory. device/scan_axes_strips.cuh says in which order, and who writes and reads what is shared.

#pragma once

#include "block/barrier.cuh"
#include "memory/access.cuh"
#include "memory/instructions.cuh"
#include "memory/status.cuh"
#include "warp/index.cuh"
#include "word/value.cuh"

// Compute warps, then look-back warps, then as many group warps.
constexpr u32 KNOWING = THREADS + LOOK_BACK_WARPS * WARP, ALL_THREADS = KNOWING + LOOK_BACK_WARPS * WARP;
constexpr u32 HEIGHT = WARPS * ROWS;       // rows of a tile
constexpr u32 ACROSS = WARP * VECTOR;      // columns of a part
constexpr u32 WIDTH = ACROSS * PARTS;      // columns of a strip
constexpr u32 ENTRIES = WARP * PARTS;      // vectors of a row
static_assert(RING == AHEAD + LAG, "tiles of a block whose elements are in shared memory");
// Whether what lies past the end is computed, too: see tile/scan.cuh.
constexpr bool ALL_FULL = ANY_BITS && FORM != Form::OTHER;

// What strips tell each other of three rows, which of small values fit in a status word together.
constexpr u32 TRIO = 3, WARP_TRIOS = ROWS / TRIO, TRIOS = HEIGHT / TRIO;
struct Trio {
    T rows[TRIO];
};
constexpr u32 SPAN = GROUP_STRIPS * SPAN_GROUPS;  // strips of a span
static_assert(ROWS % TRIO == 0, "a warp has whole trios");

// A vector of elements in shared memory, in memory, and of results.
constexpr u32 COPY = access_width(VECTOR * sizeof(In)), STORE = access_width(VECTOR * sizeof(Out));
struct alignas(COPY) Slot {
    unsigned char bytes[VECTOR * sizeof(In)];
};

// A strip: its ticket, its array, and its place there.
struct Strip {
    u32 ticket, array, at;
};
struct Tile {
    u32 array, at, band;
};
// A tile of a block, if it exists, the number of its strip among the block's, and the thread's first element of it.
struct Cursor {
    u32 strip;
    bool exists;
    Tile tile;
    u64 first;
};

constexpr u32 STRIPS = 32;  // more than the tiles between what is drawn and what is stored
static_assert(RING + 3 < STRIPS, "of strips of one tile all are known");

struct Shared {
    alignas(16) T before[LAG + 1][WARPS][ROWS][ENTRIES];  // what lies to the left of each vector in the tile
    alignas(16) T sums[WARPS][WIDTH];                          // of the warps' rows; then of all above them
    alignas(16) T left[2][HEIGHT];                             // what lies to the left of the tile, in turns
    alignas(16) T totals[HEIGHT];                              // of the tile's rows
    alignas(16) Out rows[WARPS][WIDTH];
    Strip strips[STRIPS];
};

extern __shared__ __align__(128) unsigned char dynamic_shared[];

// NUMBER values side by side, which begin at a multiple of their access width, and back.
template <u32 NUMBER, class V, class Bytes>
__device__ __forceinline__ void load_values(const Bytes* from, V (&to)[NUMBER]) {
    constexpr u32 BYTES = access_width(sizeof(to));
    using Part = Access<BYTES>::type;
    Part parts[sizeof(to) / BYTES];
#pragma unroll
    for (u32 i = 0; i < sizeof(to) / BYTES; i++) parts[i] = ((const Part*)from)[i];
    memcpy(to, parts, sizeof(to));
}
template <u32 NUMBER, class V>
__device__ __forceinline__ void store_values(V* to, const V (&values)[NUMBER]) {
    constexpr u32 BYTES = access_width(sizeof(values));
    using Part = Access<BYTES>::type;
    Part parts[sizeof(values) / BYTES];
    memcpy(parts, values, sizeof(values));
#pragma unroll
    for (u32 i = 0; i < sizeof(values) / BYTES; i++) ((Part*)to)[i] = parts[i];
}

// The same to results in memory.
__device__ __forceinline__ void store_results(Out* to, const Out (&results)[VECTOR]) {
    using Part = Access<STORE>::type;
    Part parts[sizeof(results) / STORE];
    memcpy(parts, results, sizeof(results));
#pragma unroll
    for (u32 i = 0; i < sizeof(results) / STORE; i++) store_at_once((Part*)to + i, parts[i]);
#pragma unroll
    for (u32 j = 0; j < VECTOR; j++) arith::clear_padding(to + j);
}

struct Strips {
    const ScanStripsParams& p;
    Shared& shared;
    Slot* const slots;  // [RING][ROWS * PARTS][THREADS], of which this points to the thread's
    const u32 epoch, height, lane, warp;

    __device__ __forceinline__ Strips(const ScanStripsParams& p, Shared& shared, Slot* slots, u32 epoch)
        : p(p), shared(shared), slots(slots + threadIdx.x), epoch(epoch), height((u32)p.height), lane(lane_index()), warp(warp_index()) {}

    // Draws the ticket of the block's strip `strip`, if there may be one. Thread 0. Each block draws one beyond the last, so the last
    // ticket of all is known.
    __device__ __forceinline__ u32 draw(u32 strip) const {
        return strip > 0 && shared.strips[(strip - 1) % STRIPS].ticket >= p.strips ? (u32)p.strips : take_ticket(p.workspace);
    }
    __device__ __forceinline__ void keep(u32 strip, u32 ticket) const {
        const bool beyond = strip > 0 && shared.strips[(strip - 1) % STRIPS].ticket >= p.strips;
        if (!beyond && ticket == p.strips + gridDim.x - 1) prepare_next_launch(p.workspace, epoch);
        const u32 each = (u32)p.strips_each, array = ticket / each;
        shared.strips[strip % STRIPS] = {ticket, array, ticket - array * each};
    }

    // The block's first tile; the next one, whose strip is not known yet; the next one.
    __device__ __forceinline__ Cursor begin() const {
        Cursor cursor = {};
        enter(cursor);
        return cursor;
    }
    __device__ __forceinline__ void step(Cursor& cursor) const {
        cursor.tile.band++, cursor.first += HEIGHT * p.width;
        if (cursor.tile.band == (u32)p.bands_each) cursor.tile.band = 0, cursor.strip++;
    }
    __device__ __forceinline__ void advance(Cursor& cursor) const {
        step(cursor);
        if (cursor.tile.band == 0) enter(cursor);
    }
    // Knows the strip, from its first tile on.
    __device__ __forceinline__ void enter(Cursor& cursor) const {
        const Strip strip = shared.strips[cursor.strip % STRIPS];
        cursor.exists = strip.ticket < p.strips;
        cursor.tile = {strip.array, strip.at, 0};
        cursor.first = (strip.array * p.height + warp * ROWS) * p.width + column(cursor.tile, 0);
    }

    __device__ __forceinline__ Slot& slot(u32 place, u32 vector) const { return slots[(place * ROWS * PARTS + vector) * THREADS]; }

    // How many rows exist of those of a tile from one on.
    __device__ __forceinline__ u32 rows(const Tile& tile, u32 from, u32 most) const {
        const u32 row = tile.band * HEIGHT + from;
        return row >= height ? 0 : min(height - row, most);
    }
    __device__ __forceinline__ u32 warp_rows(const Tile& tile) const { return rows(tile, warp * ROWS, ROWS); }
    // Whether all rows of a tile exist, and all of its columns; the first column of the lane in a part of it, and how many exist there.
    __device__ __forceinline__ bool all_rows(const Tile& tile) const { return (tile.band + 1) * HEIGHT <= height; }
    __device__ __forceinline__ bool all_columns(const Tile& tile) const { return (u64)(tile.at + 1) * WIDTH <= p.width; }
    __device__ __forceinline__ u64 column(const Tile& tile, u32 part) const { return (u64)tile.at * WIDTH + part * ACROSS + lane * VECTOR; }
    __device__ __forceinline__ u32 existing(u64 column) const { return column >= p.width ? 0 : (u32)min(p.width - column, (u64)VECTOR); }
    // The place of the thread's first result.
    __device__ __forceinline__ Out* place(const Tile& tile) const {
        return p.output + ((tile.array * p.height + tile.band * HEIGHT + warp * ROWS) * p.width + column(tile, 0));
    }
    // What is told of trio `i` of the tile: by strip `at`, by a group of strips, and by all strips of the spans up to one.
    __device__ __forceinline__ u32 trio(const Tile& tile, u32 i) const { return (tile.array * (u32)p.bands_each + tile.band) * TRIOS + i; }
    __device__ __forceinline__ u32 near_entry(const Tile& tile, u32 i, u32 at) const { return trio(tile, i) * (u32)p.near_entries + at; }
    __device__ __forceinline__ u32 far_entry(const Tile& tile, u32 i, u32 group) const {
        return (u32)p.first_far + trio(tile, i) * (u32)p.groups_each + group;
    }
    __device__ __forceinline__ u32 span_entry(const Tile& tile, u32 i, u32 span) const {
        return (u32)p.first_span + trio(tile, i) * (u32)p.spans_each + span;
    }

    // Copies what the thread has of a tile to shared memory.
    __device__ __forceinline__ void stage(const Cursor& cursor, u32 place) const {
        const Tile& tile = cursor.tile;
        const In* at = p.input + cursor.first;
        if (COPY > 1 && p.access == COPY && all_rows(tile) && all_columns(tile)) {
#pragma unroll
            for (u32 r = 0; r < ROWS; r++, at += p.width) {
#pragma unroll
                for (u32 q = 0; q < PARTS; q++) copy<COPY>(slot(place, r * PARTS + q), at + q * ACROSS, VECTOR);
            }
            return;
        }
        const u32 there = warp_rows(tile);
#pragma unroll 1
        for (u32 r = 0; r < there; r++, at += p.width) {
#pragma unroll 1
            for (u32 q = 0; q < PARTS; q++) {
                const u32 count = existing(column(tile, q));
                if (sizeof(In) % 4 == 0 && p.access >= 4) copy<4>(slot(place, r * PARTS + q), at + q * ACROSS, count);
                else copy<1>(slot(place, r * PARTS + q), at + q * ACROSS, count);
            }
        }
    }

    // Copies `count` elements, BYTES at once.
    template <u32 BYTES>
    __device__ __forceinline__ void copy(Slot& to, const In* from, u32 count) const {
#pragma unroll
        for (u32 i = 0; i < sizeof(to.bytes) / BYTES; i++) {
            const unsigned char* const part = (const unsigned char*)from + i * BYTES;
            if (i * BYTES >= count * sizeof(In)) continue;
            if constexpr (BYTES > 1) copy_async<BYTES>(to.bytes + i * BYTES, part);
            else to.bytes[i] = *part;
        }
    }
};
