// Strips of a matrix: neighbouring columns, which a block goes down tile by tile. Layout of a thread's elements and
// results, and their copies to shared memory and back. The order, and the writers and readers of shared memory:
// scan_axes/scan_axes.cuh.
//
// A warp has ROW_SECTIONS rows at once, LANES lanes in each, and a lane VECTOR neighbouring columns. A thread has ROWS
// neighbouring rows of a tile, and so have the other lanes of these rows: the rows are a section.

#pragma once

#include "memory/access.cuh"
#include "memory/instructions.cuh"
#include "memory/workspace.cuh"
#include "warp/index.cuh"
#include "word/value.cuh"

constexpr u32 ROW_SECTIONS = WARP / LANES;           // sections of a warp
constexpr u32 HEIGHT = WARPS * ROW_SECTIONS * ROWS;  // number of rows of a tile
constexpr u32 WIDTH = LANES * VECTOR;                // number of columns of a strip
constexpr u64 SHIFT = EXCLUSIVE;                     // distance in rows and in columns from an element to its result
// Whether elements past the end of the array are computed, too: see tile/scan.cuh.
constexpr bool ALL_FULL = ANY_BITS && FORM != Form::OTHER;

// Access widths, in bytes, of a vector of elements (COPY), and of results (STORE).
constexpr u32 COPY = access_width(VECTOR * sizeof(In)), STORE = access_width(VECTOR * sizeof(Out));
struct alignas(COPY) Slot {
    unsigned char bytes[VECTOR * sizeof(In)];
};
// Access width, in bytes, of the values of a vector that are kept from the reduction of a tile until it is finished,
// and number of such accesses (parts) of a vector: neighbouring threads' parts are contiguous.
constexpr u32 KEEP = access_width(VECTOR * sizeof(T)), PARTS = VECTOR * sizeof(T) / KEEP;
using Part = Access<KEEP>::type;

// Number of lanes that scan a row of a tile. Each has the sums of ROWS neighbouring lanes.
constexpr u32 SCANNERS = LANES / ROWS;
// Distance in values between the lanes' sums of neighbouring rows, with padding, so that rows begin in different banks,
// and at multiples of the access width of ROWS sums.
constexpr u32 SCANNED = access_width(ROWS * sizeof(T)), LOW_BIT = sizeof(T) & (0 - sizeof(T));
constexpr u32 PITCH = LANES + (LOW_BIT < SCANNED ? SCANNED / LOW_BIT : 1);

struct Shared {
    alignas(16) Part sums[2][WARPS][PARTS][LANES];  // of each column, the sum of each warp's rows
    alignas(16) Part above[2][PARTS][LANES];        // of each column, the sum of all rows above a tile
    alignas(16) T lefts[KEPT_TILES][HEIGHT];             // of each row, the prefix left of the strip
    alignas(16) Out rows[WARPS][2][ROW_SECTIONS][WIDTH];  // results of a row that are transposed; double buffer
    // For each row, the sums of its lanes; then their exclusive prefixes.
    alignas(16) T lanes[WARPS][ROW_SECTIONS * ROWS][PITCH];
    alignas(16) Part kept[KEPT_TILES][ROWS][PARTS][THREADS];
    alignas(16) Slot slots[AHEAD][ROWS][THREADS];
};

extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Load, and store, COUNT contiguous values, whose address is a multiple of their access width.
template <u32 COUNT, class V, class Bytes>
__device__ __forceinline__ void load_values(const Bytes* from, V (&to)[COUNT]) {
    constexpr u32 BYTES = access_width(sizeof(to));
    using Word = Access<BYTES>::type;
    Word words[sizeof(to) / BYTES];
#pragma unroll
    for (u32 i = 0; i < sizeof(to) / BYTES; i++) words[i] = ((const Word*)from)[i];
    memcpy(to, words, sizeof(to));
}
template <u32 COUNT, class V>
__device__ __forceinline__ void store_values(V* to, const V (&values)[COUNT]) {
    constexpr u32 BYTES = access_width(sizeof(values));
    using Word = Access<BYTES>::type;
    Word words[sizeof(values) / BYTES];
    memcpy(words, values, sizeof(values));
#pragma unroll
    for (u32 i = 0; i < sizeof(values) / BYTES; i++) ((Word*)to)[i] = words[i];
}

// Store a vector of values in PARTS parts, at index `at` of each part's array, and load it again.
template <u32 COUNT>
__device__ __forceinline__ void put_parts(Part (&to)[PARTS][COUNT], u32 at, const T (&values)[VECTOR]) {
    Part parts[PARTS];
    memcpy(parts, values, sizeof(values));
#pragma unroll
    for (u32 i = 0; i < PARTS; i++) to[i][at] = parts[i];
}
template <u32 COUNT>
__device__ __forceinline__ void take_parts(const Part (&from)[PARTS][COUNT], u32 at, T (&values)[VECTOR]) {
    Part parts[PARTS];
#pragma unroll
    for (u32 i = 0; i < PARTS; i++) parts[i] = from[i][at];
    memcpy(values, parts, sizeof(values));
}

// Stores results to global memory, as a vector.
__device__ __forceinline__ void store_vector(Out* to, const Out (&results)[VECTOR]) {
    using Word = Access<STORE>::type;
    Word words[sizeof(results) / STORE];
    memcpy(words, results, sizeof(results));
#pragma unroll
    for (u32 i = 0; i < sizeof(results) / STORE; i++) store_word((Word*)to + i, words[i]);
}

struct Strip {
    const ScanAxesParams& p;
    Shared& shared;
    const u32 epoch, array, strip;
    const u32 lane, thread, warp;          // the thread and the warp, within their role
    const u32 along, section;              // the lane's index in its row; its section, within the warp's
    const u32 first_row;                   // the thread's first row in a tile
    const u64 column;                      // the thread's first column
    const u32 columns;                     // number of the thread's columns that exist

    __device__ __forceinline__ Strip(const ScanAxesParams& p, Shared& shared, u32 epoch)
        : p(p), shared(shared), epoch(epoch), array(blockIdx.x / (u32)p.strips), strip(blockIdx.x % (u32)p.strips), lane(lane_index()), thread(threadIdx.x % THREADS), warp(thread / WARP),
          along(lane % LANES), section(lane / LANES), first_row((warp * ROW_SECTIONS + section) * ROWS),
          column((u64)strip * WIDTH + along * VECTOR), columns(column >= p.width ? 0 : (u32)min(p.width - column, (u64)VECTOR)) {}

    // Return whether all columns of the strip exist, and whether all rows of a tile do; the thread's first row of a
    // tile; and the number of the thread's rows of a tile that exist.
    __device__ __forceinline__ bool all_columns() const { return (u64)(strip + 1) * WIDTH <= p.width; }
    __device__ __forceinline__ bool all_rows(u32 tile) const { return (u64)(tile + 1) * HEIGHT <= p.height; }
    __device__ __forceinline__ u64 row(u32 tile) const { return (u64)tile * HEIGHT + first_row; }
    __device__ __forceinline__ u32 rows(u32 tile) const { return row(tile) >= p.height ? 0 : (u32)min(p.height - row(tile), (u64)ROWS); }
    // Return the position of the thread's first element of a tile, and the address of its result.
    __device__ __forceinline__ u64 first(u32 tile) const { return (array * p.height + row(tile)) * p.width + column; }
    __device__ __forceinline__ Out* place(u32 tile) const {
        return p.output + ((array * p.out_height + row(tile) + SHIFT) * p.out_width + SHIFT + column);
    }

    // Copies the thread's elements of tile `tile` of the strip, if there is such a tile, to the thread's slots.
    __device__ __forceinline__ void stage(u32 tile) const {
        if (tile < p.tiles) {
            const In* at = p.input + first(tile);
            Slot(&slots)[ROWS][THREADS] = shared.slots[tile % AHEAD];
            if (COPY > 1 && p.access == COPY && columns % VECTOR == 0 && all_rows(tile)) {
#pragma unroll
                for (u32 r = 0; r < ROWS; r++, at += p.width) {
                    if (columns > 0) copy<COPY>(slots[r][thread], at, VECTOR);
                }
            } else {
                const u32 there = rows(tile);
#pragma unroll 1
                for (u32 r = 0; r < there; r++, at += p.width) {
                    if (sizeof(In) % 4 == 0 && p.access >= 4) copy<4>(slots[r][thread], at, columns);
                    else copy<1>(slots[r][thread], at, columns);
                }
            }
        }
        close_group();  // also an empty one, so that the number of groups identifies the tile
    }

    // Copies the first `count` elements of a vector to a slot, BYTES bytes at once.
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

    // Keeps the thread's values of row `r` (of the thread's ROWS) of a tile in shared memory; `bring_back` loads them
    // again.
    __device__ __forceinline__ void keep(u32 tile, u32 r, const T (&values)[VECTOR]) const { put_parts(shared.kept[tile % KEPT_TILES][r], thread, values); }
    __device__ __forceinline__ void bring_back(u32 tile, u32 r, T (&values)[VECTOR]) const { take_parts(shared.kept[tile % KEPT_TILES][r], thread, values); }

    // Stores the thread's values of a tile as results.
    __device__ __forceinline__ void store(u32 tile, const T (&values)[ROWS][VECTOR]) const {
        if (any_nan(values)) store_rows<false>(tile, values);
        else store_rows<true>(tile, values);
        if constexpr (EXCLUSIVE) store_border(tile, rows(tile));
    }
    // Stores aligned vectors, or a value at a time if rows are not aligned. Neighbouring lanes store neighbours, as
    // half a memory sector costs as much as all of it.
    template <bool CANONICAL>
    __device__ __forceinline__ void store_rows(u32 tile, const T (&values)[ROWS][VECTOR]) const {
        const u32 there = rows(tile);
        const bool aligned = STORE > 1 && !EXCLUSIVE && p.out_aligned && p.width % VECTOR == 0;
        Out* to = place(tile);
#pragma unroll
        for (u32 r = 0; r < ROWS; r++, to += p.out_width) {
            Out results[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (r < there && (ALL_FULL || j < columns)) results[j] = CANONICAL ? finish_value(values[r][j]) : result(values[r][j]);
            }
            if (aligned && sizeof(results) == STORE) {
                if (r >= there || columns == 0) continue;
                store_vector(to, results);
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) arith::clear_padding(to + j);
                continue;
            }
            Out* const turned = shared.rows[warp][r % 2][section];
            Out* const begin = to - along * VECTOR;
            const u64 left = min(p.width, p.out_width - SHIFT) - (u64)strip * WIDTH;
            if (aligned && arith::number<Out>::is_float) {
                // In every other eight lanes the second of two words comes first, so that a warp's words use all banks.
                using Word = Access<STORE>::type;
                constexpr u32 WORDS = sizeof(results) / STORE, OUTS = STORE < sizeof(Out) ? 1 : STORE / sizeof(Out);
                const auto place_of = [](u32 word) { return WORDS == 2 ? word ^ word / 8 % 2 : word; };
                Word words[WORDS];
                memcpy(words, results, sizeof(results));
#pragma unroll
                for (u32 i = 0; i < WORDS; i++) ((Word*)turned)[place_of(along * WORDS + i)] = words[i];
                __syncwarp();
                if (r >= there) continue;
#pragma unroll
                for (u32 i = 0; i < WORDS; i++) {
                    const u32 word = i * LANES + along;
                    if (word * OUTS < left) store_word((Word*)begin + word, ((const Word*)turned)[place_of(word)]);
                }
                continue;
            }
            if (r < there) store_values(turned + along * VECTOR, results);
            __syncwarp();
            if (r >= there || row(tile) + r + SHIFT >= p.out_height) continue;
#pragma unroll
            for (u32 i = 0; i < VECTOR; i++) {
                const u32 c = i * LANES + along;
                if (c < left) store_result(begin + c, turned[c]);
            }
        }
        __syncwarp();
    }
    __device__ __forceinline__ static Out finish_value(const T& x) { return store_acc(ValueOfAcc::back(x)); }

    // Whether results may contain NaN, which need to be made canonical. Sums that have become NaN stay so: the last
    // value of a column of the section shows whether any is.
    template <class V>
    __device__ __forceinline__ static bool any_nan(const V (&values)[ROWS][VECTOR]) {
        if constexpr ((PLAIN || WIDENS) && FORM == Form::SUM && arith::number<V>::is_float && arith::same_type<V, Out>) {
            bool any = false;
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) any |= arith::is_nan(values[ROWS - 1][j]);
            return __any_sync(~0u, any);
        }
        return true;
    }
    // Stores the first results of an exclusive scan, which belong to no element: in the first strip those of the
    // section's rows, and above the first tile those of the strip's columns. `there` is the number of the thread's rows
    // that exist.
    __device__ __forceinline__ void store_border(u32 tile, u32 there) const {
        const Out first = result(ValueOfAcc::of(p.given_first));
        Out* const corner = p.output + (array * p.out_height + row(tile)) * p.out_width;  // left in the row above the section's first results
        if (strip == 0 && along == 0) {
#pragma unroll 1
            for (u32 r = 0; r < there; r++) {
                if (row(tile) + r + 1 < p.out_height) store_result(corner + (r + 1) * p.out_width, first);
            }
        }
        if (row(tile) > 0) return;
        if (strip == 0 && along == 0) store_result(corner, first);
#pragma unroll 1
        for (u32 c = along; c < WIDTH; c += LANES) {
            const u64 at = (u64)strip * WIDTH + c;
            if (at < p.width && at + 1 < p.out_width) store_result(corner + at + 1, first);
        }
    }
};
