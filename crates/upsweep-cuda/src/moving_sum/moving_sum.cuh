// Moving sums (a box filter): for each value of an image the sum over the window around it.
//
//   for each plane, part of `part` rows, strip of columns:                                    in parallel
//       v[x] = the sum of f(input[row, x]) over the rows of the window of the part's first row, for all columns in reach
//       for row = the part's rows:
//           for each column x: output[row, x] = finish(the sum of v over the columns of the window of x, its number of values)
//           v[x] = v[x] + f(input[the row that enters the window, x]) - f(input[the row that leaves it, x])
//
// In contrast to the classic box filter (McDonnell, "Box-Filtering Techniques", 1981), nothing is subtracted along a
// row. A thread has a chunk of 8 neighbouring columns. A window is the suffix of a chunk from its first column on,
// whole chunks, and the prefix of a chunk up to its last column (van Herk, 1992; Gil and Werman, 1993, whose chunks are
// windows):
//       of_window = (suffix[first] + (0 + total + ..)) + prefix[last]
// Windows of up to 8 columns are added column by column. Down the rows, a sum that is not finite would stay so after
// the value that made it so has left: then it is added anew. Columns beyond the image count as 0.
//
// A thread loads the next rows before it adds those of this row. A row is read twice, where it enters and where it
// leaves.
//
// Memory ordering. No thread reads global memory that the launch stores.
//
//   shared array        written by                         barrier            read by                         written again
//   prefixes, suffixes  each thread, its chunk's, of a     the row's          all threads of the block        two rows later: between them is the
//                       row's parity                                                                          next row's barrier, which follows
//                                                                                                             all reads

#pragma once

#include "memory/access.cuh"
#include "word/value.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Type of the sums of columns and of windows. `OfOneWindow`, a window's sum and its number of values, has the fields of
// the `Acc` that is finished.
using Addend = Given;
struct OfOneWindow {
    Addend sum;
    u64 values;
};

// Number of rows whose values are loaded before one of them is added, while the sums of columns are built from nothing.
constexpr u32 ROWS_ADDED = sizeof(In) <= 4 ? 4 : sizeof(In) <= 8 ? 2 : 1;
constexpr u32 IN_ACCESS = access_width(CHUNK_COLUMNS * sizeof(In)), OUT_ACCESS = access_width(CHUNK_COLUMNS * sizeof(Out));

// Values of CHUNK_COLUMNS neighbouring columns in a row. The first `live` columns exist, at least one; the others are
// copies of the last of these.
struct ChunkOfRow {
    In at[CHUNK_COLUMNS];

    __device__ __forceinline__ void load(const In* from, u64 apart, u32 live, bool vectors) {
        if (vectors) {
            using Part = typename Access<IN_ACCESS>::type;
            Part parts[sizeof(at) / IN_ACCESS];
#pragma unroll
            for (u32 i = 0; i < sizeof(at) / IN_ACCESS; i++) parts[i] = ((const Part*)from)[i];
            memcpy(at, parts, sizeof(at));
        } else {
#pragma unroll
            for (u32 j = 0; j < CHUNK_COLUMNS; j++) {
                at[j] = from[min(j, live - 1) * apart];
            }
        }
    }
    __device__ __forceinline__ Addend mapped(u32 j) const { return carried_acc(load_acc(at[j], 0, 0)); }
};

// A thread's chunk of columns in the part of the image that its block computes.
struct Strip {
    const In* column;  // address of the first of the thread's columns, in row 0 of the plane
    u64 row, apart;    // stride of rows, and stride of columns, in elements
    u32 live;          // number of a thread's columns that exist
    bool vectors;

    __device__ __forceinline__ void load(ChunkOfRow& chunk, u64 y) const { chunk.load(column + y * row, apart, live, vectors); }

    // Computes in `v` the sums of the thread's columns over the rows `first` to `last`, one by one.
    __device__ __forceinline__ void add_up(Addend* v, u64 first, u64 last) const {
#pragma unroll
        for (u32 j = 0; j < CHUNK_COLUMNS; j++) v[j] = Addend(0);
        if (live == 0) return;
        u64 y = first;
#pragma unroll 1
        for (; y + ROWS_ADDED <= last + 1; y += ROWS_ADDED) {
            ChunkOfRow chunks[ROWS_ADDED];
#pragma unroll
            for (u32 i = 0; i < ROWS_ADDED; i++) load(chunks[i], y + i);
#pragma unroll
            for (u32 i = 0; i < ROWS_ADDED; i++) add(v, chunks[i]);
        }
#pragma unroll 1
        for (; y <= last; y++) {
            ChunkOfRow chunk;
            load(chunk, y);
            add(v, chunk);
        }
    }
    static __device__ __forceinline__ void add(Addend* v, const ChunkOfRow& chunk) {
#pragma unroll
        for (u32 j = 0; j < CHUNK_COLUMNS; j++) v[j] = arith::add(v[j], chunk.mapped(j));
    }
};

__device__ __forceinline__ bool is_finite(const Addend& x) {
    const Addend nothing = arith::sub(x, x);
    return eq(nothing, nothing);
}

// Sums of the columns of a row, in shared memory: prefixes and suffixes of each thread's chunk. The same column of
// neighbouring threads' chunks is contiguous.
struct RowSums {
    Addend *prefixes, *suffixes;

    __device__ __forceinline__ explicit RowSums(u32 parity) {
        prefixes = (Addend*)dynamic_shared + parity * 2 * CHUNK_COLUMNS * THREADS, suffixes = prefixes + CHUNK_COLUMNS * THREADS;
    }
    // Stores the prefixes and suffixes of this thread's chunk, of which the first `live` columns exist.
    __device__ __forceinline__ void leave(const Addend* sums, u32 live) const {
        Addend v[CHUNK_COLUMNS];
#pragma unroll
        for (u32 j = 0; j < CHUNK_COLUMNS; j++) v[j] = sums[j];
        if (live < CHUNK_COLUMNS) {
#pragma unroll
            for (u32 j = 0; j < CHUNK_COLUMNS; j++) v[j] = j < live ? v[j] : Addend(0);
        }
        if constexpr (FEW_COLUMNS) {
#pragma unroll
            for (u32 j = 0; j < CHUNK_COLUMNS; j++) prefixes[j * THREADS + threadIdx.x] = v[j];
        } else {
            Addend prefix = v[0], suffix = v[CHUNK_COLUMNS - 1];
            prefixes[threadIdx.x] = prefix, suffixes[(CHUNK_COLUMNS - 1) * THREADS + threadIdx.x] = suffix;
#pragma unroll
            for (u32 j = 1; j < CHUNK_COLUMNS; j++) {
                prefix = arith::add(prefix, v[j]), suffix = arith::add(v[CHUNK_COLUMNS - 1 - j], suffix);
                prefixes[j * THREADS + threadIdx.x] = prefix, suffixes[(CHUNK_COLUMNS - 1 - j) * THREADS + threadIdx.x] = suffix;
            }
        }
    }
    // Returns the index, in `prefixes` and `suffixes`, of the column that is `column` columns after the first one of
    // the chunk `chunks` chunks after the thread's.
    static __device__ __forceinline__ u32 place(u32 chunks, u32 column) {
        return column % CHUNK_COLUMNS * THREADS + threadIdx.x + (chunks + column / CHUNK_COLUMNS) * BLOCK_CHANNELS;
    }
    __device__ __forceinline__ Addend total(u32 chunks) const { return prefixes[place(chunks, CHUNK_COLUMNS - 1)]; }

    // Computes in `of_window` the sums over the windows of the columns j of a chunk: from column WINDOW_FIRST + j of
    // the thread's own chunk to column WINDOW_LAST + j of the chunk `end` chunks later.
    __device__ __forceinline__ void add_windows(Addend* of_window, u32 end) const {
        if constexpr (FEW_COLUMNS) {
#pragma unroll
            for (u32 i = 0; i < FEW_COLUMNS + CHUNK_COLUMNS - 1; i++) {
                const Addend v = prefixes[place(0, WINDOW_FIRST + i)];
#pragma unroll
                for (u32 j = 0; j < CHUNK_COLUMNS; j++) {
                    if (i == j) of_window[j] = v;
                    else if (i > j && i - j < FEW_COLUMNS) of_window[j] = arith::add(of_window[j], v);
                }
            }
        } else {
            // From some j on windows begin in the next chunk, and from some j on they end in the next one.
            Addend from_first = Addend(0), from_second = Addend(0);
            if (end > 1) from_first = arith::add(from_first, total(1));
#pragma unroll 4
            for (u32 c = 2; c < end; c++) {
                const Addend of_chunk = total(c);
                from_first = arith::add(from_first, of_chunk), from_second = arith::add(from_second, of_chunk);
            }
            const Addend of_end = total(end), to_next = arith::add(from_first, of_end);
            const Addend second_to_next = end >= 2 ? arith::add(from_second, of_end) : from_second;
#pragma unroll
            for (u32 j = 0; j < CHUNK_COLUMNS; j++) {
                const bool begins_later = WINDOW_FIRST + j >= CHUNK_COLUMNS, ends_later = WINDOW_LAST + j >= CHUNK_COLUMNS;
                const Addend whole = begins_later ? (ends_later ? second_to_next : from_second) : (ends_later ? to_next : from_first);
                of_window[j] = arith::add(arith::add(suffixes[place(0, WINDOW_FIRST + j)], whole), prefixes[place(end, WINDOW_LAST + j)]);
            }
        }
    }
};

// Returns the number of columns of the window around column `column`, clipped at the borders.
__device__ __forceinline__ u64 columns_of(const MovingSumParams& p, u64 column) {
    return min(column, p.left) + 1 + (column < p.width ? min(p.width - 1 - column, p.right) : 0);
}

// Computes the results of a chunk from the sums over its windows; `values(j)` is the number of values in window j. If
// it is the same for all, the divisor is prepared once.
template <class Number>
__device__ __forceinline__ void finish_all(Out* results, const Addend* of_window, const Number& values) {
#pragma unroll
    for (u32 j = 0; j < CHUNK_COLUMNS; j++) {
        const OfOneWindow fields = {of_window[j], values(j)};
        Acc window;
        memcpy(&window, &fields, sizeof(window));
        results[j] = result(window);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, MOVING_BLOCKS) upsweep_moving_sum(const __grid_constant__ MovingSumParams p) {
    // Order of blocks: strips vary fastest, then channels, parts of rows, and planes.
    u64 block = p.first_block + blockIdx.x;
    const u64 strip = block % p.strips;
    block /= p.strips;
    const u64 channel_parts = (p.channels + BLOCK_CHANNELS - 1) / BLOCK_CHANNELS;
    const u64 channel = block % channel_parts * BLOCK_CHANNELS + threadIdx.x % BLOCK_CHANNELS;
    block /= channel_parts;
    const u64 part = block % p.parts, plane = block / p.parts;
    const u64 first_row = part * p.part, last_row = min(first_row + p.part, p.height) - 1;

    // The thread's chunk of columns, from column `x` on; and whether it has results, which are those of the chunk
    // `before` chunks later, from column `to` on.
    const u32 before = (u32)((p.left + CHUNK_COLUMNS - 1) / CHUNK_COLUMNS), chunk = threadIdx.x / BLOCK_CHANNELS;
    const i64 x = (i64)(strip * p.strip + chunk) * CHUNK_COLUMNS - (i64)(before * CHUNK_COLUMNS);
    const u64 to = (strip * p.strip + chunk) * CHUNK_COLUMNS;
    const bool has_results = chunk < p.strip && to < p.width;
    const u32 end = before + (u32)p.right / CHUNK_COLUMNS;

    Strip s;
    s.row = p.width * p.channels, s.apart = p.channels;
    const u64 plane_at = plane * p.height * s.row + channel;
    s.live = x < 0 || x >= (i64)p.width ? 0 : (u32)min(p.width - (u64)x, (u64)CHUNK_COLUMNS);
    s.column = p.input + (s.live > 0 ? plane_at + (u64)x * p.channels : 0);
    s.vectors = s.live == CHUNK_COLUMNS && p.channels == 1 && ((u64)p.input | s.row * sizeof(In)) % IN_ACCESS == 0;
    const u32 live_results = has_results ? (u32)min(p.width - to, (u64)CHUNK_COLUMNS) : 0;
    const bool stores_vectors = live_results == CHUNK_COLUMNS && p.channels == 1 && ((u64)p.output | s.row * sizeof(Out)) % OUT_ACCESS == 0;
    // Whether no window is clipped at the left or right border.
    const bool inside = to >= p.left && to + CHUNK_COLUMNS - 1 + p.right < p.width;

    Addend v[CHUNK_COLUMNS];
    s.add_up(v, first_row - min(first_row, p.above), min(first_row + p.below, p.height - 1));
#pragma unroll 1
    for (u64 y = first_row; y <= last_row; y++) {
        const RowSums sums((u32)(y & 1));
        sums.leave(v, s.live);
        const bool goes_on = s.live > 0 && y < last_row;
        const bool enters = goes_on && y + 1 + p.below < p.height, leaves = !ONE_ROW && goes_on && y >= p.above;
        ChunkOfRow entering, leaving;
        if (enters) s.load(entering, y + 1 + p.below);
        if (leaves) s.load(leaving, y - p.above);
        __syncthreads();
        if (has_results) {
            Addend of_window[CHUNK_COLUMNS];
            sums.add_windows(of_window, end);
            const u64 rows = min(y, p.above) + 1 + min(p.height - 1 - y, p.below);
            Out* const out = p.output + (plane_at + y * s.row + to * p.channels);
            Out results[CHUNK_COLUMNS];
            const u64 whole = rows * (p.left + 1 + p.right);
            if (inside) finish_all(results, of_window, [&](u32) { return whole; });
            else finish_all(results, of_window, [&](u32 j) { return rows * columns_of(p, to + j); });
            if (stores_vectors) {
                using Part = typename Access<OUT_ACCESS>::type;
                Part parts[sizeof(results) / OUT_ACCESS];
#pragma unroll
                for (u32 j = 0; j < CHUNK_COLUMNS; j++) arith::clear_padding(&results[j]);
                memcpy(parts, results, sizeof(results));
#pragma unroll
                for (u32 i = 0; i < sizeof(results) / OUT_ACCESS; i++) ((Part*)out)[i] = parts[i];
            } else {
#pragma unroll
                for (u32 j = 0; j < CHUNK_COLUMNS; j++) {
                    if (j < live_results) store_result(out + j * p.channels, results[j]);
                }
            }
        }
        if (enters) {
#pragma unroll
            for (u32 j = 0; j < CHUNK_COLUMNS; j++) v[j] = arith::add(ONE_ROW ? Addend(0) : v[j], entering.mapped(j));
        }
        if (leaves) {
#pragma unroll
            for (u32 j = 0; j < CHUNK_COLUMNS; j++) v[j] = arith::sub(v[j], leaving.mapped(j));
        }
        Addend all = v[0];
#pragma unroll
        for (u32 j = 1; j < CHUNK_COLUMNS; j++) all = arith::add(all, v[j]);
        if (!ONE_ROW && goes_on && !is_finite(all)) {
            Addend anew[CHUNK_COLUMNS];
            s.add_up(anew, y + 1 - min(y + 1, p.above), min(y + 1 + p.below, p.height - 1));
#pragma unroll
            for (u32 j = 0; j < CHUNK_COLUMNS; j++) {
                if (!is_finite(v[j])) v[j] = anew[j];
            }
        }
    }
}
