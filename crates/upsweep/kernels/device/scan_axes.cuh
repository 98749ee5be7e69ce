// Scan along the two last axes of an array in one pass over memory: first along the rows, then down the columns.
//
//   out[i][j] = the combination over k <= i of (x[k][0] + ... + x[k][j])
//
// Rows are cut into strips of HEIGHT neighbouring ones. A block takes a strip by ticket and walks along it, a tile of WIDTH columns
// after the other. Of the compute warps each has ROWS rows, and a lane PARTS vectors of VECTOR neighbouring columns in each of them:
//
//   stage     tile k + AHEAD to shared memory: a thread copies what it computes with
//   scan      tile k: each row after what lies to the left, which is in a register, because the block has been there; then down the
//             warp's rows. Keep the values in shared memory
//   publish   a thread for each column: combine the sums of the warps, and tell the strips below
//   store     tile k - LAG: combine with what lies above, the strips above and the warps above
//
// A set of look-back warps has a thread for each column of a tile; LOOKERS sets take turns:
//
//   look back   combine what the strips above have published
//
// Down a column strips are in groups of GROUP:
//
//   aggregate[s]   strip s in this column          published by strip s, unless it is the last of its group
//   prefix[g]      all strips before group g       published by the last strip of group g - 1
//   strip s of group g:   prefix[g] . aggregate[GROUP g] . ... . aggregate[s - 1]
//
// Nothing travels along the rows, and down the columns one value a strip, which is 1 / HEIGHT of the bytes. What a strip publishes
// depends on its own elements alone, but for the prefixes, and it does so LAG tiles before it needs what lies above: so a strip that is
// late holds nobody up for as long. What lies above a group comes from group to group while the blocks compute.
//
// The operator need not commute and has no need of an identity. In which order and how values are grouped depends on the shape and
// the types alone.
//
// Memory ordering. Between blocks: status.cuh, workspace.cuh; tickets ascend, so a strip waits for strips that running blocks hold.
// Inside a block:
//
//   shared memory      written by            barrier              read by            written again after
//   slots              a thread's copies     its own wait         the same thread    the same thread has read them
//   strip              thread 0              the next of all      all threads        the barrier of all at the strip's end
//   values[k]          a thread, in `scan`   none                 the same thread    the same thread has read them, in `store`
//   sums[k]            compute warps, `scan` main_sync of tile k  `publish`          `publish`
//                      `publish`             above_barrier(k)     a warp its own     the same warp has read them
//   own[k]             `publish`             reduced_barrier(k)   look-back warps    above_barrier(k)
//   above[k]           look-back warps       above_barrier(k)     compute warps      reduced_barrier(k + RING)
//   rows               a warp, in `store`    __syncwarp           the same warp      __syncwarp
//
// Places and barriers are those of k % RING. Compute warps come to a tile that is RING further on after they have waited at the tile's
// above_barrier; the look-back warps of that set arrive there after they have waited at its reduced_barrier.

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

constexpr u32 MEETING = THREADS + WIDTH;     // the compute warps and a set of look-back warps
static_assert(RING > LAG && RING % LOOKERS == 0, "a place of the ring of tiles that are held is always of one set of look-back warps");

// Tile k is published; and what lies above it is found.
__device__ __forceinline__ u32 reduced_barrier(u32 k) { return 2 + k % RING; }
__device__ __forceinline__ u32 above_barrier(u32 k) { return 2 + RING + k % RING; }

struct Shared {
    alignas(16) T values[RING][ROWS * PARTS][THREADS][VECTOR];
    alignas(16) T sums[RING][WARPS][WIDTH];  // of the warps; then of those above each
    alignas(16) T own[RING][WIDTH];
    alignas(16) T above[RING][WIDTH];
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
    Slot* const slots;  // [AHEAD][ROWS * PARTS][THREADS], of which this points to the thread's
    const u32 epoch, lane, warp;

    // Of the strip: its number in its array, and the first of the warp's rows, of which so many exist.
    u64 strip, row;
    u32 rows;
    // The thread's first element, and the place of its result; the entries of the strip's first column, of those of its group's first strip,
    // and of what lies before the group.
    const In* from;
    Out* to;
    u64 own_entry, group_entry, prefix_entry;

    __device__ __forceinline__ ScanAxes(const ScanAxesParams& p, Shared& shared, Slot* slots, u32 epoch)
        : p(p), shared(shared), slots(slots + threadIdx.x), epoch(epoch), lane(lane_index()), warp(warp_index()) {}

    __device__ __forceinline__ Slot& slot(u32 k, u32 vector) const { return slots[((k % AHEAD) * ROWS * PARTS + vector) * THREADS]; }

    // Whether all columns of tile k exist; and the first column of the lane in a part of it, and how many of its columns there exist.
    __device__ __forceinline__ bool all_columns(u32 k) const { return (u64)(k + 1) * WIDTH <= p.width; }
    __device__ __forceinline__ u64 column(u32 k, u32 part) const { return (u64)k * WIDTH + part * LANES + lane * VECTOR; }
    __device__ __forceinline__ u32 existing(u64 column) const { return column >= p.width ? 0 : (u32)min(p.width - column, (u64)VECTOR); }

    __device__ __forceinline__ void stage(u32 k) const {
        if (k < p.tiles) {
            const In* at = from + (u64)k * WIDTH;
            if (COPY > 1 && p.access == COPY && rows == ROWS && all_columns(k)) {
#pragma unroll
                for (u32 r = 0; r < ROWS; r++, at += p.width) {
#pragma unroll
                    for (u32 q = 0; q < PARTS; q++) copy<COPY>(slot(k, r * PARTS + q), at + q * LANES, VECTOR);
                }
            } else {
#pragma unroll 1
                for (u32 r = 0; r < rows; r++, at += p.width) {
#pragma unroll 1
                    for (u32 q = 0; q < PARTS; q++) {
                        const u32 count = existing(column(k, q));
                        if (sizeof(In) % 4 == 0 && p.access >= 4) copy<4>(slot(k, r * PARTS + q), at + q * LANES, count);
                        else copy<1>(slot(k, r * PARTS + q), at + q * LANES, count);
                    }
                }
            }
        }
        close_group();  // also an empty one, so that the number of groups tells the tile
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
                const u64 at = column(k, q), position = (u64)(from - p.input) + r * p.width + k * WIDTH + q * LANES;
                const u32 count = FULL ? VECTOR : existing(at);
                T(&value)[VECTOR] = values[r][q];
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    if (j >= count) continue;
                    value[j] = map(elements[r][q][j], at + j, position + j);
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

    // Keeps the values, of which the last row has the warp's sums.
    template <bool FULL>
    __device__ __forceinline__ void keep(u32 k, const T (&values)[ROWS][PARTS][VECTOR]) const {
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                store_values(shared.values[k % RING][r * PARTS + q][threadIdx.x], values[r][q]);
                if (FULL ? r + 1 == ROWS : r + 1 == rows) store_values(&shared.sums[k % RING][warp][q * LANES + lane * VECTOR], values[r][q]);
            }
        }
    }

    // For each column: the sum of tile k to the strips below, and in `sums` those of the warps above each. There are `warps` with rows.
    __device__ __forceinline__ void publish(u32 k, u32 warps) const {
        T(&sums)[WARPS][WIDTH] = shared.sums[k % RING];
#pragma unroll 1
        for (u32 c = threadIdx.x; c < WIDTH; c += THREADS) {
            const u64 column = (u64)k * WIDTH + c;
            if (column >= p.width) break;
            T running = sums[0][c];
#pragma unroll 4
            for (u32 w = 1; w < warps; w++) {
                const T sum = sums[w][c];
                sums[w][c] = running;
                running = combine(running, sum);
            }
            shared.own[k % RING][c] = running;
            if (asked() && !last()) Word::put(p.workspace, own_entry + column, running, epoch);
        }
    }

    // Whether there are strips below this one, and whether they are those of another group.
    __device__ __forceinline__ bool asked() const { return strip + 1 < p.strips_each; }
    __device__ __forceinline__ bool last() const { return strip % GROUP == GROUP - 1; }

    // What the strips above this one combine to in a column; this is not the first one.
    __device__ __forceinline__ T look_back(u64 column) const {
        const u32 number = strip % GROUP;  // strips of the group above this one
        const bool far = strip >= GROUP;
        typename Word::Raw before;
        if (far) before = Word::load(p.workspace, prefix_entry + column);
        T sum;
        u64 entry = group_entry + column;
#pragma unroll 1
        for (u32 first = 0; first < number; first += LOADS) {
            typename Word::Raw near[LOADS];
#pragma unroll
            for (u32 i = 0; i < LOADS; i++) {
                if (first + i < number) near[i] = Word::load(p.workspace, entry + i * p.width);
            }
#pragma unroll
            for (u32 i = 0; i < LOADS; i++, entry += p.width) {
                if (first + i >= number) continue;
                while (!near[i].is_of(epoch)) {
                    __nanosleep(POLL_NANOSECONDS);
                    near[i] = Word::load(p.workspace, entry);
                }
                sum = first + i > 0 ? combine(sum, near[i].value()) : near[i].value();
            }
        }
        if (!far) return sum;
        while (!before.is_of(epoch)) {
            __nanosleep(POLL_NANOSECONDS);
            before = Word::load(p.workspace, prefix_entry + column);
        }
        return number > 0 ? combine(before.value(), sum) : before.value();
    }

    // A set of look-back warps goes along the strip.
    __device__ __forceinline__ void look_back_along(u32 set, u32 c) const {
#pragma unroll 1
        for (u32 k = set; k < p.tiles; k += LOOKERS) {
            const u64 column = (u64)k * WIDTH + c;
            barrier_wait(reduced_barrier(k), MEETING);
            if (column < p.width) {
                T above;
                if (strip > 0) above = look_back(column);
                if (asked() && last()) {
                    const T own = shared.own[k % RING][c];
                    Word::put(p.workspace, prefix_entry + p.width + column, strip > 0 ? combine(above, own) : own, epoch);
                }
                shared.above[k % RING][c] = above;
            }
            barrier_arrive(above_barrier(k), MEETING);
        }
    }

    __device__ __forceinline__ void store(u32 k) const {
        const bool some = warp > 0 || strip > 0, direct = STORE > 1 && !EXCLUSIVE && p.out_aligned && all_columns(k);
        T over[PARTS][VECTOR];
#pragma unroll
        for (u32 q = 0; q < PARTS; q++) {
            const u32 c = q * LANES + lane * VECTOR;
            if (strip > 0) load_values(&shared.above[k % RING][c], over[q]);
            if (warp == 0) continue;
            T sums[VECTOR];
            load_values(&shared.sums[k % RING][warp][c], sums);
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (ALL_FULL || j < existing(column(k, q))) over[q][j] = strip > 0 ? combine(over[q][j], sums[j]) : sums[j];
            }
        }
        Out* place = to + (u64)k * WIDTH;
#pragma unroll
        for (u32 r = 0; r < ROWS; r++, place += p.out_width) {
            if (r >= rows) break;
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                T values[VECTOR];
                load_values(shared.values[k % RING][r * PARTS + q][threadIdx.x], values);
                Out results[VECTOR];
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    if (ALL_FULL || j < existing(column(k, q))) results[j] = result(some ? combine(over[q][j], values[j]) : values[j]);
                }
                if (!direct) {
                    store_values(&shared.rows[warp][q * LANES + lane * VECTOR], results);
                    continue;
                }
                store_values(place + q * LANES, results);
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) arith::clear_padding(place + q * LANES + j);
            }
            if (!direct && row + r + SHIFT < p.out_height) store_row(k, place - lane * VECTOR);
        }
        if constexpr (EXCLUSIVE) store_border(k);
    }

    // Stores results side by side in a row that begins anywhere, or ends in this tile; the first one at `place`.
    __device__ __forceinline__ void store_row(u32 k, Out* place) const {
        __syncwarp();
        const u64 left = min(p.width, p.out_width - SHIFT) - (u64)k * WIDTH;
#pragma unroll 1
        for (u32 c = lane; c < min(left, (u64)WIDTH); c += WARP) store_result(place + c, shared.rows[warp][c]);
        __syncwarp();
    }

    // The first results of an exclusive scan: those of the warp's rows, and above the first strip those of its columns.
    __device__ __forceinline__ void store_border(u32 k) const {
        const Out first = result(ValueOfAcc::of(p.given_first));
        Out* const corner = to - lane * VECTOR - p.out_width - 1;  // in the row above the warp's first results
        if (k == 0 && lane < rows && row + lane + 1 < p.out_height) store_result(corner + (lane + 1) * p.out_width, first);
        if (strip > 0 || warp > 0) return;
        if (k == 0 && lane == 0) store_result(corner, first);
#pragma unroll 1
        for (u32 c = lane; c < WIDTH; c += WARP) {
            const u64 at = (u64)k * WIDTH + c;
            if (at < p.width && at + 1 < p.out_width) store_result(corner + at + 1, first);
        }
    }

    template <bool FULL>
    __device__ __forceinline__ void reduce(u32 k, T (&left)[ROWS]) const {
        T values[ROWS][PARTS][VECTOR];
        scan<FULL>(k, left, values);
        keep<FULL>(k, values);
    }

    // Compute warps go along the strip, of which so many rows are there.
    __device__ __forceinline__ void compute_along(u32 there) const {
#pragma unroll 1
        for (u32 k = 0; k < AHEAD; k++) stage(k);
        T left[ROWS];
#pragma unroll 1
        for (u32 k = 0; k < p.tiles + LAG; k++) {
            if (k < p.tiles) {
                wait_copies<AHEAD - 1>();  // of this thread, as are the slots
                if (ALL_FULL || (there == HEIGHT && all_columns(k))) reduce<true>(k, left);
                else reduce<false>(k, left);
                main_sync();
                publish(k, ALL_FULL ? WARPS : (there + ROWS - 1) / ROWS);
                barrier_arrive(reduced_barrier(k), MEETING);
            }
            if (k >= LAG) {
                barrier_wait(above_barrier(k - LAG), MEETING);
                store(k - LAG);
            }
        }
    }

    // All threads of a block go along a strip.
    __device__ __forceinline__ void walk(u64 ticket) {
        const u64 array = ticket / p.strips_each;
        strip = ticket % p.strips_each;
        row = strip * HEIGHT + warp * ROWS;
        rows = row >= p.height ? 0 : (u32)min(p.height - row, (u64)ROWS);
        from = p.input + ((array * p.height + row) * p.width + lane * VECTOR);
        to = p.output + ((array * p.out_height + row + SHIFT) * p.out_width + SHIFT + lane * VECTOR);
        own_entry = ticket * p.width;
        group_entry = own_entry - strip % GROUP * p.width;
        prefix_entry = (p.strips + array * p.groups_each + strip / GROUP) * p.width;
        if (warp < WARPS) compute_along((u32)min(p.height - strip * HEIGHT, (u64)HEIGHT));
        else look_back_along((threadIdx.x - THREADS) / WIDTH, (threadIdx.x - THREADS) % WIDTH);
    }
};

extern "C" __global__ void __launch_bounds__(THREADS + LOOKERS * WIDTH, BLOCKS) upsweep_scan_axes(const __grid_constant__ ScanAxesParams p) {
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
