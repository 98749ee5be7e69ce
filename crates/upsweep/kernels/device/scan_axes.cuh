// Scan along the two last axes of an array in one pass over memory: first along the rows, then down the columns.
//
//   out[i][j] = the combination over k <= i of (x[k][0] + ... + x[k][j])
//
// Rows are cut into strips of HEIGHT neighbouring ones. A block takes a strip by ticket and walks along it, a tile of WIDTH columns
// after the other; a warp has ROWS rows, and a lane PARTS vectors of VECTOR neighbouring columns in each of them:
//
//   stage      AHEAD tiles ahead, to shared memory: a thread copies what it computes with
//   rows       scan each row of the tile; what lies to the left is in a register, because the block has been there
//   columns    scan down the warp's rows; the warps leave their sums in shared memory
//   exchange   a thread for each column: combine the warps' sums, publish the strip's, ask for those of the strips above
//   store      combine with what lies above
//
// Down a column strips are in groups of GROUP:
//
//   aggregate[s]   strip s in this column          published by strip s, unless it is the last of its group
//   prefix[g]      all strips before group g       published by the last strip of group g - 1
//   strip s of group g:   prefix[g] . aggregate[GROUP g] . ... . aggregate[s - 1]
//
// Nothing travels along the rows, and down the columns one value a strip, which is 1 / HEIGHT of the bytes. A strip publishes before it
// waits, and waits for strips above it only, which need nothing of it: so these run ahead until what it asks for is there when it asks.
// So the way down costs a wait for each group once, and not at each tile.
//
// The operator need not commute and has no need of an identity. In which order and how values are grouped depends on the shape and
// the types alone.
//
// Memory ordering. Between blocks: status.cuh, workspace.cuh; tickets ascend, so a strip waits for strips that running blocks hold.
// Inside a block:
//
//   shared memory    written by              barrier          read by           written again after
//   slots            a thread's copies       its own wait     the same thread   the same thread has read them
//   strip            thread 0                the next one     all threads       the barrier at the strip's end
//   sums[k % 2]      warps, in `columns`     the first of k   exchange          exchange
//                    exchange                the second of k  all, in `store`   the first barrier of tile k + 1
//   rows             a warp, in `store`      __syncwarp       the same warp     __syncwarp

#pragma once

#include "block/barrier.cuh"
#include "memory/access.cuh"
#include "memory/instructions.cuh"
#include "memory/status.cuh"
#include "memory/workspace.cuh"
#include "warp/scan.cuh"
#include "word/value.cuh"

constexpr u32 HEIGHT = WARPS * ROWS;         // rows of a strip
constexpr u32 LANES = WARP * VECTOR;         // columns of a part
constexpr u32 WIDTH = LANES * PARTS;         // columns of a tile
constexpr u32 LOADS = sizeof(T) <= 4 ? 8 : 4;  // status words that a thread asks for at once
constexpr u64 SHIFT = EXCLUSIVE;             // rows and columns between an element and its result
// Whether what lies past the end is computed, too: see tile/scan.cuh.
constexpr bool ALL_FULL = ANY_BITS && FORM != Form::OTHER;

// A vector of elements in shared memory, in memory, and of results.
constexpr u32 COPY = access_width(VECTOR * sizeof(In)), STORE = access_width(VECTOR * sizeof(Out));
struct alignas(COPY) Slot {
    unsigned char bytes[VECTOR * sizeof(In)];
};

struct Shared {
    alignas(16) T sums[2][WARPS][WIDTH];  // first of the warps, then what lies above each of them
    alignas(16) Out rows[WARPS][WIDTH];
    u64 strip;
};

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

struct ScanAxes {
    using Word = Status<T>;

    const ScanAxesParams& p;
    Shared& shared;
    Slot* const slots;  // [AHEAD][ROWS * PARTS][THREADS]
    const u32 epoch, lane, warp;
    // Of the strip: its number among those of its array, and the first row of this thread in memory.
    u64 strip, array, first_row;
    u32 rows;  // of this warp, that exist

    __device__ __forceinline__ ScanAxes(const ScanAxesParams& p, Shared& shared, Slot* slots, u32 epoch)
        : p(p), shared(shared), slots(slots), epoch(epoch), lane(lane_index()), warp(warp_index()) {}

    __device__ __forceinline__ Slot& slot(u32 k, u32 vector) const { return slots[((k % AHEAD) * ROWS * PARTS + vector) * THREADS + threadIdx.x]; }

    // The first column of the lane in a part of tile k, and how many of its columns there exist.
    __device__ __forceinline__ u64 column(u32 k, u32 part) const { return (u64)k * WIDTH + part * LANES + lane * VECTOR; }
    __device__ __forceinline__ u32 existing(u64 column) const { return column >= p.width ? 0 : (u32)min(p.width - column, (u64)VECTOR); }

    __device__ __forceinline__ void stage(u32 k) const {
        if (k < p.tiles) {
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
                for (u32 q = 0; q < PARTS; q++) {
                    const u64 at = column(k, q);
                    if (r < rows) stage_vector(slot(k, r * PARTS + q), p.input + ((array * p.height + first_row + r) * p.width + at), existing(at));
                }
            }
        }
        close_group();  // also an empty one, so that the number of groups tells the tile
    }

    __device__ __forceinline__ void stage_vector(Slot& to, const In* from, u32 count) const {
        if (COPY > 1 && p.access == COPY && count == VECTOR) {
#pragma unroll
            for (u32 i = 0; i < sizeof(to.bytes) / COPY; i++) copy_async<COPY>(to.bytes + i * COPY, (const unsigned char*)from + i * COPY);
        } else if (sizeof(In) % 4 == 0 && p.access >= 4) {
#pragma unroll
            for (u32 i = 0; i < sizeof(to.bytes) / 4; i++) {
                if (i * 4 < count * sizeof(In)) copy_async<4>(to.bytes + i * 4, (const unsigned char*)from + i * 4);
            }
        } else {
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (j < count) ((In*)to.bytes)[j] = from[j];
            }
        }
    }

    // The thread's values of tile k, each combined with all that lies to the left of it in its row and above it in the warp's rows;
    // `left` is what lies to the left of the tile, and then of the next one.
    template <bool FULL>
    __device__ __forceinline__ void scan(u32 k, T (&left)[ROWS], T (&values)[ROWS][PARTS][VECTOR]) const {
        In elements[ROWS][PARTS][VECTOR];
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) load_values(slot(k, r * PARTS + q).bytes, elements[r][q]);
        }
        stage(k + AHEAD);  // into the slots that have just been read
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (!FULL && r >= rows) break;
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                const u64 at = column(k, q), row = (array * p.height + first_row + r) * p.width;
                const u32 count = FULL ? VECTOR : existing(at);
                T(&value)[VECTOR] = values[r][q];
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    if (j >= count) continue;
                    value[j] = map(elements[r][q][j], at + j, row + at + j);
                    if (j > 0) value[j] = combine(value[j - 1], value[j]);
                }
                // Of a lane that has not all columns, none above it asks.
                T before = shuffle_up(warp_inclusive_scan(value[VECTOR - 1], count == VECTOR ? lane : 0), 1);
                const bool some = k > 0 || q > 0;
                if (count > 0 && lane > 0) before = some ? combine(left[r], before) : before;
                else before = left[r];
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    if (j < count && (some || lane > 0)) value[j] = combine(before, value[j]);
                }
                left[r] = shuffle(value[VECTOR - 1], WARP - 1);
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    if (r > 0 && j < count) value[j] = combine(values[r - 1][q][j], value[j]);
                }
            }
        }
    }

    // Leaves the warp's sums in shared memory: its last row.
    template <bool FULL>
    __device__ __forceinline__ void leave_sums(u32 k, const T (&values)[ROWS][PARTS][VECTOR]) const {
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (FULL ? r + 1 < ROWS : r + 1 != rows) continue;
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) store_values(&shared.sums[k % 2][warp][q * LANES + lane * VECTOR], values[r][q]);
        }
    }

    __device__ __forceinline__ u64 aggregate_entry(u64 strip, u64 column) const { return (array * p.strips_each + strip) * p.width + column; }
    __device__ __forceinline__ u64 prefix_entry(u64 group, u64 column) const { return (p.strips + array * p.groups_each + group) * p.width + column; }

    // What the strips above this one combine to in a column; this is not the first one.
    __device__ __forceinline__ T above(u64 column) const {
        const u64 group = strip / GROUP;
        const u32 number = strip % GROUP;
        typename Word::Raw far;
        if (group > 0) far = Word::load(p.workspace, prefix_entry(group, column));
        T sum;
#pragma unroll 1
        for (u32 first = 0; first < number; first += LOADS) {
            typename Word::Raw near[LOADS];
            const auto load = [&](u32 i) { return Word::load(p.workspace, aggregate_entry(group * GROUP + first + i, column)); };
#pragma unroll
            for (u32 i = 0; i < LOADS; i++) {
                if (first + i < number) near[i] = load(i);
            }
#pragma unroll
            for (u32 i = 0; i < LOADS; i++) {
                if (first + i >= number) continue;
                while (!near[i].is_of(epoch)) {
                    __nanosleep(POLL_NANOSECONDS);
                    near[i] = load(i);
                }
                sum = first + i > 0 ? combine(sum, near[i].value()) : near[i].value();
            }
        }
        if (group == 0) return sum;
        while (!far.is_of(epoch)) {
            __nanosleep(POLL_NANOSECONDS);
            far = Word::load(p.workspace, prefix_entry(group, column));
        }
        return number > 0 ? combine(far.value(), sum) : far.value();
    }

    // For each column: the strip's own sum to the others, and in `sums` what lies above each warp. There are `warps` with rows.
    __device__ __forceinline__ void exchange(u32 k, u32 warps) const {
        T(&sums)[WARPS][WIDTH] = shared.sums[k % 2];
        const bool last = strip % GROUP == GROUP - 1, asked = strip + 1 < p.strips_each;
#pragma unroll 1
        for (u32 c = threadIdx.x; c < WIDTH; c += THREADS) {
            const u64 column = (u64)k * WIDTH + c;
            if (column >= p.width) break;
            T own = sums[0][c];
            for (u32 w = 1; w < warps; w++) own = combine(own, sums[w][c]);
            if (asked && !last) Word::put(p.workspace, aggregate_entry(strip, column), own, epoch);
            T running;
            if (strip > 0) running = above(column);
            if (asked && last) Word::put(p.workspace, prefix_entry(strip / GROUP + 1, column), strip > 0 ? combine(running, own) : own, epoch);
            for (u32 w = 0; w < warps; w++) {
                const T sum = sums[w][c];
                if (w > 0 || strip > 0) sums[w][c] = running;
                running = w > 0 || strip > 0 ? combine(running, sum) : sum;
            }
        }
    }

    template <bool FULL>
    __device__ __forceinline__ void store(u32 k, const T (&values)[ROWS][PARTS][VECTOR]) const {
        const bool some = warp > 0 || strip > 0;
        T over[PARTS][VECTOR];
#pragma unroll
        for (u32 q = 0; q < PARTS; q++) {
            if (some) load_values(&shared.sums[k % 2][warp][q * LANES + lane * VECTOR], over[q]);
        }
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (r >= rows) break;
            const u64 row = first_row + r + SHIFT;
            Out* const to = p.output + (array * p.out_height + row) * p.out_width + SHIFT;
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                const u64 at = column(k, q);
                const u32 count = existing(at);
                Out results[VECTOR];
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    if (FULL || j < count) results[j] = result(some ? combine(over[q][j], values[r][q][j]) : values[r][q][j]);
                }
                if (STORE > 1 && !EXCLUSIVE && p.out_aligned && count == VECTOR) {
                    store_values(to + at, results);
#pragma unroll
                    for (u32 j = 0; j < VECTOR; j++) arith::clear_padding(to + at + j);
                } else {
                    store_values(&shared.rows[warp][q * LANES + lane * VECTOR], results);
                }
            }
            if (STORE == 1 || EXCLUSIVE || !p.out_aligned || (u64)(k + 1) * WIDTH > p.width) store_row(k, row, to);
        }
        if constexpr (EXCLUSIVE) store_border(k);
    }

    // Stores side by side what vectors did not: rows that begin anywhere, and the last columns.
    __device__ __forceinline__ void store_row(u32 k, u64 row, Out* to) const {
        __syncwarp();
        if (row < p.out_height) {
#pragma unroll 1
            for (u32 c = lane; c < WIDTH; c += WARP) {
                const u64 at = (u64)k * WIDTH + c, vector = at - at % VECTOR;
                const bool stored = STORE > 1 && !EXCLUSIVE && p.out_aligned && vector + VECTOR <= p.width;
                if (!stored && at < p.width && at + SHIFT < p.out_width) store_result(to + at, shared.rows[warp][c]);
            }
        }
        __syncwarp();
    }

    // The first results of an exclusive scan: those of the warp's rows, and above the first strip those of its columns.
    __device__ __forceinline__ void store_border(u32 k) const {
        const Out first = result(ValueOfAcc::of(p.given_first));
        Out* const to = p.output + array * p.out_height * p.out_width;
        if (k == 0 && lane < rows && first_row + lane + 1 < p.out_height) store_result(to + (first_row + lane + 1) * p.out_width, first);
        if (strip > 0) return;
        if (k == 0 && threadIdx.x == 0) store_result(to, first);
        for (u32 c = threadIdx.x; c < WIDTH; c += THREADS) {
            const u64 at = (u64)k * WIDTH + c;
            if (at < p.width && at + 1 < p.out_width) store_result(to + at + 1, first);
        }
    }

    template <bool FULL>
    __device__ __forceinline__ void tile(u32 k, u32 warps, T (&left)[ROWS]) const {
        T values[ROWS][PARTS][VECTOR];
        scan<FULL>(k, left, values);
        leave_sums<FULL>(k, values);
        __syncthreads();
        exchange(k, warps);
        __syncthreads();
        store<FULL>(k, values);
    }

    // All threads of a block.
    __device__ __forceinline__ void walk(u64 ticket) {
        array = ticket / p.strips_each, strip = ticket % p.strips_each;
        first_row = strip * HEIGHT + warp * ROWS;
        rows = first_row >= p.height ? 0 : (u32)min(p.height - first_row, (u64)ROWS);
        const u32 there = (u32)min(p.height - strip * HEIGHT, (u64)HEIGHT), warps = ALL_FULL ? WARPS : (there + ROWS - 1) / ROWS;
#pragma unroll
        for (u32 k = 0; k < AHEAD; k++) stage(k);
        T left[ROWS];
        for (u32 k = 0; k < p.tiles; k++) {
            wait_copies<AHEAD - 1>();
            if (ALL_FULL || (there == HEIGHT && (u64)(k + 1) * WIDTH <= p.width)) tile<true>(k, warps, left);
            else tile<false>(k, warps, left);
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) upsweep_scan_axes(const __grid_constant__ ScanAxesParams p) {
    Shared& shared = *(Shared*)dynamic_shared;
    Slot* const slots = (Slot*)(dynamic_shared + sizeof(Shared));
    const u32 epoch = current_epoch(p.workspace);
    __syncthreads();  // the epoch is read before a ticket is drawn
    ScanAxes scan(p, shared, slots, epoch);
    while (true) {
        if (threadIdx.x == 0) {
            shared.strip = take_ticket(p.workspace);
            // Each block draws one ticket beyond the last strip, so the last ticket of all is known.
            if (shared.strip == p.strips + gridDim.x - 1) prepare_next_launch(p.workspace, epoch);
        }
        __syncthreads();
        const u64 strip = shared.strip;
        if (strip >= p.strips) break;
        scan.walk(strip);
        __syncthreads();
    }
    finish_launch(p.workspace, epoch, gridDim.x);
}
