// Scan along the two last axes of an array in one pass over memory: first along the rows, then down the columns.
//
//   out[i][j] = the combination over k <= i of (x[k][0] + ... + x[k][j])
//
// Arrays are cut into tiles, HEIGHT x WIDTH; those side by side are a band. In the order of tickets:
//
//   for each band b, and LEAD more:
//       rows of band b, as many as a tile has elements at a time:
//           reduce  each part of a row that lies in one tile
//           tell    the tiles to the right what lies left of them in the row
//       tiles of band b - LEAD:
//           scan    each row of the tile, after what lies left of it
//           down    scan each column of a warp's rows; then that of the warps' sums
//           above   wait for what the tile above tells of each column: all that lies above. Tell the tile below
//           store   each value, combined with what lies above its warp's rows
//
// So elements are read twice, but the second time while they are in the L2 cache, and blocks seldom wait: what a tile waits for is of
// tickets that lie a band or more before its own. Of the compute warps each has ROWS rows of a tile, and a lane PARTS vectors of VECTOR
// neighbouring columns in each of them; or as many parts of rows. What comes next is copied to shared memory meanwhile, by the threads
// that will compute with it.
//
// Operators need not commute, and need no identity. In which order and how values are grouped depends on the shape and the types alone.
//
// Source: Nehab et al., "GPU-Efficient Recursive Filtering and Summed-Area Tables", 2011 (tiles, of which the borders alone are told; the
// bands, and that both readings take turns, are ours).
//
// Memory ordering. Between blocks: status.cuh, workspace.cuh. A block goes through its tickets in their order, and what it waits for is of
// lower ones, so running blocks compute it or have computed it.
// Inside a block, where `summed` is the first barrier of a task, and `known` the second one of a tile:
//
//   shared memory      written by               barrier          read by            written again after
//   slots              a thread's copies        its own wait     the same thread    the same thread has read them
//   tasks[k]           thread 0, in task k - 2  summed, k - 2    all threads        summed, k + 1
//   parts[k % 2]       a warp, of a row's parts summed, k        the row's warp     summed, k + 1, or a barrier between
//   carry              the row's warp           __syncwarp       the same warp      the same warp has read it
//   sums[warp]         the warp                 summed           column threads     known
//                      column threads           known            the same warp      the same thread has read them
//   rows[warp]         the warp, in `store`     __syncwarp       the same warp      __syncwarp

#pragma once

#include "memory/status.cuh"
#include "tile/bands.cuh"
#include "warp/scan.cuh"

struct ScanAxes : Bands {
    using Word = Status<T>;
    using Bands::Bands;

    // The thread's elements of a row of the tile, or of a part of a row.
    template <bool FULL>
    __device__ __forceinline__ void load(u32 r, u32 q, u64 column, u64 position, T (&value)[VECTOR]) const {
        In elements[VECTOR];
        load_values(slot(r * PARTS + q).bytes, elements);
        const u32 count = FULL ? VECTOR : existing(column);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (j >= count) continue;
            value[j] = map(elements[j], column + j, position + j);
            if (j > 0) value[j] = combine(value[j - 1], value[j]);
        }
    }

    // The thread's values, each combined with all that lies to the left of it in the tile.
    template <bool FULL>
    __device__ __forceinline__ void scan_rows(const AxesTask& tile, u32 there, T (&values)[ROWS][PARTS][VECTOR]) const {
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (!FULL && r >= there) break;
            T before_part;
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                T(&value)[VECTOR] = values[r][q];
                load<FULL>(r, q, column(tile, q), first(tile) + r * p.width + q * LANES, value);
                const u32 count = FULL ? VECTOR : existing(column(tile, q));
                // Of a lane that has not all columns, none above it asks.
                T before = shuffle_up(warp_inclusive_scan(value[VECTOR - 1], count == VECTOR ? lane : 0), 1);
                if (q > 0) {
                    if (count > 0 && lane > 0) before = combine(before_part, before);
                    else before = before_part;
                }
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    if (j < count && (q > 0 || lane > 0)) value[j] = combine(before, value[j]);
                }
                if (q + 1 < PARTS) before_part = shuffle(value[VECTOR - 1], WARP - 1);
            }
        }
    }

    // Reduces parts of rows, of which this task has `end`, from part `from` on; then for each row tells the tiles to the right.
    template <bool ALL>
    __device__ __forceinline__ void reduce_rows(u32 k, u32 from, u32 end) const {
        const AxesTask task = shared.tasks[k % 4];
        T(&parts)[HEIGHT] = shared.parts[k % 2];
        u32 part = from + warp * ROWS, row = part / parts_each(), along = part % parts_each();
        T of_part;
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (!ALL && part + r >= end) break;
            T sum;
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                T value[VECTOR];
                const u64 at = along * WIDTH + q * LANES + lane * VECTOR;
                load<true>(r, q, at, row_of_all(task, task.at + row) * p.width + at, value);
                const T reduced = warp_reduce(value[VECTOR - 1], WARP);
                sum = q > 0 ? combine(sum, reduced) : reduced;
            }
            const T broadcast = shuffle(sum, 0);
            if (lane == r) of_part = broadcast;
            if (++along == parts_each()) along = 0, row++;
        }
        if (lane < ROWS && part + lane < end) parts[warp * ROWS + lane] = of_part;
    }
    __device__ __forceinline__ void tell_rows(u32 k, u32 from, u32 end) const {
        const AxesTask task = shared.tasks[k % 4];
        const T(&parts)[HEIGHT] = shared.parts[k % 2];
        const u32 rows = (min(end, from + HEIGHT) - from + parts_each() - 1) / parts_each();  // or one, of which this is a part
#pragma unroll 1
        for (u32 row = warp; row < rows; row += WARPS) {
            const u32 first = from % parts_each(), count = min(parts_each() - first, min(end - from - row * parts_each(), HEIGHT));
            T carry;
            if (first > 0) carry = shared.carry;
            __syncwarp();
            const u64 entry = row_entry(row_of_all(task, task.at + from / parts_each() + row)) + first + 1;
#pragma unroll 1
            for (u32 base = 0; base < count; base += WARP) {
                const u32 along = base + lane;
                T sum;
                if (along < count) sum = parts[row * parts_each() + along];
                sum = warp_inclusive_scan(sum, along < count ? lane : 0);
                if (along < count && first + base > 0) sum = combine(carry, sum);
                if (along < count) Word::put(p.workspace, entry + along, sum, epoch);
                carry = shuffle(sum, min(count - base, WARP) - 1);
            }
            if (lane == 0 && first + count < parts_each()) shared.carry = carry;
            __syncwarp();
        }
    }

    // Combines with what lies to the left of the tile, of which lane r has that of row r, and then down the warp's rows.
    template <bool FULL>
    __device__ __forceinline__ void scan_down(const AxesTask& tile, u32 there, const T& left, T (&values)[ROWS][PARTS][VECTOR]) const {
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (!FULL && r >= there) break;
            const T before = shuffle(left, r);
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                const u32 count = FULL ? VECTOR : existing(column(tile, q));
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    T& value = values[r][q][j];
                    if (j >= count) continue;
                    if (tile.at > 0) value = combine(before, value);
                    if (r > 0) value = combine(values[r - 1][q][j], value);
                }
                if (FULL ? r + 1 == ROWS : r + 1 == there) store_values(&shared.sums[warp][q * LANES + lane * VECTOR], values[r][q]);
            }
        }
    }

    // What an entry tells, of which `raw` is what was there before.
    __device__ __forceinline__ T told(typename Word::Raw raw, u64 entry) const {
        while (!raw.is_of(epoch)) {
            __nanosleep(POLL_NANOSECONDS);
            raw = Word::load(p.workspace, entry);
        }
        return raw.value();
    }

    // Of a column, of which so many warps have rows: tells the tile below, and leaves in `sums` what lies above each warp's rows.
    __device__ __forceinline__ void pass_down(const AxesTask& tile, u32 warps, u32 c, const typename Word::Raw& early) const {
        const bool some = tile.band > 0;
        T all = shared.sums[0][c];
#pragma unroll
        for (u32 w = 1; w < WARPS; w++) {
            if (ALL_FULL || w < warps) all = combine(all, shared.sums[w][c]);
        }
        T running;
        if (some) running = told(early, column_entry(tile, tile.band - 1) + (u64)tile.at * WIDTH + c);
        if (tile.band + 1 < p.bands_each) Word::put(p.workspace, column_entry(tile, tile.band) + (u64)tile.at * WIDTH + c, some ? combine(running, all) : all, epoch);
#pragma unroll
        for (u32 w = 0; w < WARPS; w++) {
            if (!ALL_FULL && w >= warps) break;
            const T sum = shared.sums[w][c];
            if (w > 0 || some) shared.sums[w][c] = running;
            running = w > 0 || some ? combine(running, sum) : sum;
        }
    }

    __device__ __forceinline__ void store(const AxesTask& tile, u32 there, const T (&values)[ROWS][PARTS][VECTOR]) const {
        const bool some = warp > 0 || tile.band > 0, direct = STORE > 1 && !EXCLUSIVE && p.out_aligned && all_columns(tile);
        T over[PARTS][VECTOR];
#pragma unroll
        for (u32 q = 0; q < PARTS; q++) {
            if (some) load_values(&shared.sums[warp][q * LANES + lane * VECTOR], over[q]);
        }
        Out* to = place(tile);
#pragma unroll
        for (u32 r = 0; r < ROWS; r++, to += p.out_width) {
            if (r >= there) break;
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                Out results[VECTOR];
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    const T& value = values[r][q][j];
                    if (ALL_FULL || j < existing(column(tile, q))) results[j] = result(some ? combine(over[q][j], value) : value);
                }
                if (!direct) {
                    store_values(&shared.rows[warp][q * LANES + lane * VECTOR], results);
                    continue;
                }
                store_values(to + q * LANES, results);
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) arith::clear_padding(to + q * LANES + j);
            }
            if (!direct && row(tile) + r + SHIFT < p.out_height) store_row(tile, to - lane * VECTOR);
        }
        if constexpr (EXCLUSIVE) store_border(tile, there);
    }

    // Stores results side by side in a row that begins anywhere, or ends in this tile; the first one at `to`.
    __device__ __forceinline__ void store_row(const AxesTask& tile, Out* to) const {
        __syncwarp();
        const u64 left = min(p.width, p.out_width - SHIFT) - (u64)tile.at * WIDTH;
#pragma unroll 1
        for (u32 c = lane; c < min(left, (u64)WIDTH); c += WARP) store_result(to + c, shared.rows[warp][c]);
        __syncwarp();
    }

    // The first results of an exclusive scan: those of the warp's rows, and above the first tiles those of their columns.
    __device__ __forceinline__ void store_border(const AxesTask& tile, u32 there) const {
        const Out first = result(ValueOfAcc::of(p.given_first));
        Out* const corner = place(tile) - lane * VECTOR - p.out_width - 1;  // in the row above the warp's first results
        if (tile.at == 0 && lane < there && row(tile) + lane + 1 < p.out_height) store_result(corner + (lane + 1) * p.out_width, first);
        if (tile.band > 0 || warp > 0) return;
        if (tile.at == 0 && lane == 0) store_result(corner, first);
#pragma unroll 1
        for (u32 c = lane; c < WIDTH; c += WARP) {
            const u64 at = (u64)tile.at * WIDTH + c;
            if (at < p.width && at + 1 < p.out_width) store_result(corner + at + 1 - (u64)tile.at * WIDTH, first);
        }
    }

    // Task k of the block's, rows of a band.
    __device__ __forceinline__ void compute_rows(u32 k) const {
        const u32 end = rows_of(shared.tasks[k % 4]) * parts_each();
        u32 ticket;
        if (threadIdx.x == 0) ticket = draw(k + 2);
#pragma unroll 1
        for (u32 from = 0; from == 0 || from < end; from += HEIGHT) {
            if (from > 0) __syncthreads();  // the row's parts before these have been told
            wait_copies<0>();  // of this thread, as are the slots
            if (from + (warp + 1) * ROWS <= end) reduce_rows<true>(k, from, end);
            else reduce_rows<false>(k, from, end);
            const bool last = from + HEIGHT >= end;
            stage(shared.tasks[(last ? k + 1 : k) % 4], last ? 0 : from + HEIGHT);  // into the slots that have just been read
            if (last && threadIdx.x == 0) keep(k + 2, ticket);
            __syncthreads();  // summed
            if (from < end) tell_rows(k, from, end);
        }
    }

    // Task k of the block's, a tile.
    template <bool FULL>
    __device__ __forceinline__ void compute_tile(u32 k) const {
        const AxesTask tile = shared.tasks[k % 4];
        const u32 there = rows(tile);
        u32 ticket;
        if (threadIdx.x == 0) ticket = draw(k + 2);
        // What others tell is there already, as a rule.
        const u64 left_entry = row_entry(row_of_all(tile, warp * ROWS + lane)) + tile.at;
        typename Word::Raw left_early, above_early;
        if (tile.at > 0 && lane < there) left_early = Word::load(p.workspace, left_entry);
        wait_copies<0>();  // of this thread, as are the slots
        T values[ROWS][PARTS][VECTOR];
        scan_rows<FULL>(tile, there, values);
        stage(shared.tasks[(k + 1) % 4], 0);  // into the slots that have just been read
        T left;
        if (tile.at > 0 && lane < there) left = told(left_early, left_entry);
        __syncwarp();
        const u64 column = (u64)tile.at * WIDTH + threadIdx.x;
        const bool for_column = threadIdx.x < WIDTH && column < p.width;
        if (for_column && tile.band > 0) above_early = Word::load(p.workspace, column_entry(tile, tile.band - 1) + column);
        scan_down<FULL>(tile, there, left, values);
        if (threadIdx.x == 0) keep(k + 2, ticket);
        __syncthreads();  // summed
        const u32 warps = (u32)min((p.height - (u64)tile.band * HEIGHT + ROWS - 1) / ROWS, (u64)WARPS);
        if (for_column) pass_down(tile, warps, threadIdx.x, above_early);
        __syncthreads();  // known
        store(tile, there, values);
    }

    // Task k, where there is nothing to do.
    __device__ __forceinline__ void skip(u32 k) const {
        if (threadIdx.x == 0) keep(k + 2, draw(k + 2));
        stage(shared.tasks[(k + 1) % 4], 0);
        __syncthreads();
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) upsweep_scan_axes(const __grid_constant__ ScanAxesParams p) {
    Shared& shared = *(Shared*)dynamic_shared;
    Slot* const slots = (Slot*)(dynamic_shared + (sizeof(Shared) + 15) / 16 * 16);
    const u32 epoch = current_epoch(p.workspace);
    __syncthreads();  // the epoch is read before a ticket is drawn
    const ScanAxes scan(p, shared, slots, epoch);
    if (threadIdx.x == 0) {
        for (u32 k = 0; k < 2; k++) scan.keep(k, scan.draw(k));
    }
    __syncthreads();
    scan.stage(shared.tasks[0], 0);
#pragma unroll 1
    for (u32 k = 0; shared.tasks[k % 4].ticket < p.tickets; k++) {
        const AxesTask& task = shared.tasks[k % 4];
        if (task.is(Kind::ROWS)) scan.compute_rows(k);
        else if (task.is(Kind::NOTHING)) scan.skip(k);
        else if (ALL_FULL || ((u64)(task.band + 1) * HEIGHT <= p.height && scan.all_columns(task))) scan.compute_tile<true>(k);
        else scan.compute_tile<false>(k);
    }
    finish_launch(p.workspace, epoch, gridDim.x);
}
