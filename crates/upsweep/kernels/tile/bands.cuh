// Bands of tiles of a matrix: what a block of a scan along two axes is to do, where that lies, and how its elements come to shared memory.
// device/scan_axes.cuh says in which order, and who writes and reads what is shared.

#pragma once

#include "memory/access.cuh"
#include "memory/instructions.cuh"
#include "memory/workspace.cuh"
#include "warp/index.cuh"
#include "word/value.cuh"

constexpr u32 HEIGHT = WARPS * ROWS;         // rows of a tile
constexpr u32 LANES = WARP * VECTOR;         // columns of a part
constexpr u32 WIDTH = LANES * PARTS;         // columns of a tile
constexpr u64 SHIFT = EXCLUSIVE;             // rows and columns between an element and its result
// Whether what lies past the end is computed, too: see tile/scan.cuh.
constexpr bool ALL_FULL = ANY_BITS && FORM != Form::OTHER;
static_assert(WIDTH <= THREADS && ROWS <= WARP, "a thread for each column, and a lane for each of a warp's rows");

enum class Kind : u32 { NOTHING, ROWS, TILE };

// A vector of elements in shared memory, in memory, and of results.
constexpr u32 COPY = access_width(VECTOR * sizeof(In)), STORE = access_width(VECTOR * sizeof(Out));
struct alignas(COPY) Slot {
    unsigned char bytes[VECTOR * sizeof(In)];
};

// What is to be done in an array's band: the tile at a place, or rows from one on.
struct AxesTask {
    u32 ticket, array, band, at;
    Kind kind;
    __device__ __forceinline__ bool is(Kind which) const { return kind == which; }
};

struct Shared {
    alignas(16) T sums[WARPS][WIDTH];  // of the warps; then of all above each
    alignas(16) Out rows[WARPS][WIDTH];
    alignas(16) T parts[2][HEIGHT];
    alignas(16) T carry;  // of a row that is longer than a task, all so far
    AxesTask tasks[4];    // in turns: the next two are known before they are needed
};

constexpr u32 NO_TICKET = ~0u;

extern __shared__ __align__(128) unsigned char dynamic_shared[];

// VECTOR values side by side, which begin at a multiple of their access width, and back.
template <class V, class Bytes>
__device__ __forceinline__ void load_values(const Bytes* from, V (&to)[VECTOR]) {
    constexpr u32 BYTES = access_width(sizeof(to));
    using Part = Access<BYTES>::type;
    Part parts[sizeof(to) / BYTES];
#pragma unroll
    for (u32 i = 0; i < sizeof(to) / BYTES; i++) parts[i] = ((const Part*)from)[i];
    memcpy(to, parts, sizeof(to));
}
template <class V>
__device__ __forceinline__ void store_values(V* to, const V (&values)[VECTOR]) {
    constexpr u32 BYTES = access_width(sizeof(values));
    using Part = Access<BYTES>::type;
    Part parts[sizeof(values) / BYTES];
    memcpy(parts, values, sizeof(values));
#pragma unroll
    for (u32 i = 0; i < sizeof(values) / BYTES; i++) ((Part*)to)[i] = parts[i];
}

struct Bands {
    const ScanAxesParams& p;
    Shared& shared;
    Slot* const slots;  // [ROWS * PARTS][THREADS], of which this points to the thread's
    const u32 epoch, lane, warp;

    __device__ __forceinline__ Bands(const ScanAxesParams& p, Shared& shared, Slot* slots, u32 epoch)
        : p(p), shared(shared), slots(slots + threadIdx.x), epoch(epoch), lane(lane_index()), warp(warp_index()) {}

    // The task of a ticket. Rows' tasks are `rows_tasks` a band, of `rows_each` rows.
    __device__ __forceinline__ AxesTask task_of(u32 ticket) const {
        const u32 tasks = (u32)(p.rows_tasks + p.tiles_along), turn = ticket / tasks, i = ticket % tasks;
        const bool tile = i >= p.rows_tasks;
        const u32 band = tile ? turn - LEAD : turn;
        const bool exists = ticket < p.tickets && (tile ? turn >= LEAD : turn < p.bands);
        const u32 at = tile ? i - (u32)p.rows_tasks : i * (u32)p.rows_each;
        const u32 array = band / (u32)p.bands_each;
        return {ticket, array, band - array * (u32)p.bands_each, at, !exists ? Kind::NOTHING : tile ? Kind::TILE : Kind::ROWS};
    }

    // Draws the ticket of task k. Each block draws one beyond the last, so the last ticket of all is known. Thread 0.
    __device__ __forceinline__ u32 draw(u32 k) const {
        return k > 0 && shared.tasks[(k - 1) % 4].ticket >= p.tickets ? NO_TICKET : take_ticket(p.workspace);
    }
    __device__ __forceinline__ void keep(u32 k, u32 ticket) const {
        if (ticket == p.tickets + gridDim.x - 1) prepare_next_launch(p.workspace, epoch);
        shared.tasks[k % 4] = task_of(ticket);
    }

    __device__ __forceinline__ Slot& slot(u32 vector) const { return slots[vector * THREADS]; }

    // The warp's first row of a tile in its array, and how many of its rows exist.
    __device__ __forceinline__ u64 row(const AxesTask& tile) const { return (u64)tile.band * HEIGHT + warp * ROWS; }
    __device__ __forceinline__ u32 rows(const AxesTask& tile) const {
        return row(tile) >= p.height ? 0 : (u32)min(p.height - row(tile), (u64)ROWS);
    }
    // A row of a band, among those of all arrays.
    __device__ __forceinline__ u64 row_of_all(const AxesTask& task, u32 row) const {
        return task.array * p.height + (u64)task.band * HEIGHT + row;
    }
    // Whether all columns of a tile exist; and the first column of the lane in a part of it, and how many of its columns there exist.
    __device__ __forceinline__ bool all_columns(const AxesTask& tile) const { return (u64)(tile.at + 1) * WIDTH <= p.width; }
    __device__ __forceinline__ u64 column(const AxesTask& tile, u32 part) const { return (u64)tile.at * WIDTH + part * LANES + lane * VECTOR; }
    __device__ __forceinline__ u32 existing(u64 column) const { return column >= p.width ? 0 : (u32)min(p.width - column, (u64)VECTOR); }
    // The thread's first element of a tile, and the place of its result.
    __device__ __forceinline__ u64 first(const AxesTask& tile) const { return row_of_all(tile, warp * ROWS) * p.width + column(tile, 0); }
    __device__ __forceinline__ Out* place(const AxesTask& tile) const {
        const u64 above = tile.array * p.out_height + row(tile) + SHIFT;
        return p.output + (above * p.out_width + SHIFT + column(tile, 0));
    }
    // The entries of what is told: of a row, to the tile at its left end and all others; of the columns of a band.
    __device__ __forceinline__ u64 row_entry(u64 row_of_all) const { return row_of_all * p.tiles_along; }
    __device__ __forceinline__ u64 column_entry(const AxesTask& tile, u32 band) const { return p.column_entries + (tile.array * p.bands_each + band) * p.width; }

    // The parts of rows that a task has: all but the last of each row, because there is no tile to the right of it.
    __device__ __forceinline__ u32 parts_each() const { return (u32)p.tiles_along - 1; }
    // So many of those of a row, and no more, are in one task with those of others.
    __device__ __forceinline__ u32 rows_of(const AxesTask& task) const {
        const u64 end = min((u64)HEIGHT, p.height - (u64)task.band * HEIGHT);
        return task.at >= end ? 0 : (u32)min(p.rows_each, end - task.at);
    }

    // Copies what task `task` needs to shared memory: the tile, or parts of rows from part `from` on.
    __device__ __forceinline__ void stage(const AxesTask& task, u32 from) const {
        if (task.is(Kind::TILE)) {
            const In* at = p.input + first(task);
            const u32 there = rows(task);
            if (COPY > 1 && p.access == COPY && there == ROWS && all_columns(task)) {
#pragma unroll 1
                for (u32 r = 0; r < ROWS; r++, at += p.width) stage_part(r, at);
            } else {
#pragma unroll 1
                for (u32 r = 0; r < there; r++, at += p.width) {
#pragma unroll 1
                    for (u32 q = 0; q < PARTS; q++) {
                        const u32 count = existing(column(task, q));
                        if (sizeof(In) % 4 == 0 && p.access >= 4) copy<4>(slot(r * PARTS + q), at + q * LANES, count);
                        else copy<1>(slot(r * PARTS + q), at + q * LANES, count);
                    }
                }
            }
        } else if (task.is(Kind::ROWS)) {
            const u32 end = rows_of(task) * parts_each();
            u32 part = from + warp * ROWS, row = part / parts_each(), along = part % parts_each();
#pragma unroll 1
            for (u32 r = 0; r < ROWS && part < end; r++, part++) {
                stage_part(r, p.input + (row_of_all(task, task.at + row) * p.width + along * WIDTH + lane * VECTOR));
                if (++along == parts_each()) along = 0, row++;
            }
        }
        close_group();
    }

    // Copies WIDTH elements, of which all exist.
    __device__ __forceinline__ void stage_part(u32 r, const In* at) const {
#pragma unroll
        for (u32 q = 0; q < PARTS; q++) {
            if (COPY > 1 && p.access == COPY) copy<COPY>(slot(r * PARTS + q), at + q * LANES, VECTOR);
            else if (sizeof(In) % 4 == 0 && p.access >= 4) copy<4>(slot(r * PARTS + q), at + q * LANES, VECTOR);
            else copy<1>(slot(r * PARTS + q), at + q * LANES, VECTOR);
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
