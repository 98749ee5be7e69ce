// Scan along the two last axes of an array in one pass over memory: first along the rows, then down the columns.
//
//   out[i][j] = the combination over k <= i of (x[k][0] + ... + x[k][j])
//
// Arrays are cut into strips of WIDTH columns. A block goes down a strip, so nothing travels down the columns; along the rows strips tell each
// other the totals of their rows. GROUP_STRIPS strips are a group, SPAN_GROUPS groups a span. In turn k, of the block's tiles t[0], t[1], ...
//
//   compute warps     reduce     t[k]               each row; tell the strips to the right
//                     store      t[k - LAG - 1]     each value, combined with what is above the warp's rows
//                     scan       t[k - LAG]         each row, after what is to the left of it; then down the columns of the warp's rows
//                     stage      t[k + AHEAD]       to shared memory, asynchronously
//   look-back warps   group      t[k - GROUP_LAG]   the last strip of a group tells what all of the group's have told
//                     look back  from t[k + 1 - LAG]  what is to the left, from what strips of the group, groups of the span, and spans have told
//                     go down    t[k - LAG]         what is above each warp's rows, from what is above the tile and the warps' sums
//
// So an element is read once, and what a tile waits for has been told some tiles ago. Each compute warp has ROWS rows of a tile, and a lane PARTS
// vectors of VECTOR neighbouring columns in each of them.
//
// Operators need not commute, and need no identity. In which order and how values are grouped depends on the shape and the types alone.
//
// Source: Nehab et al., "GPU-Efficient Recursive Filtering and Summed-Area Tables", 2011 (tiles, of which the borders alone are told; strips
// whose blocks keep what is above, and the distance between told and finished, are ours).
//
// Memory ordering. Between blocks: status.cuh, workspace.cuh. A block goes down its strips in the order of their tickets and waits for strips of
// lower ones only. It tells of a tile before it waits for what others tell of it, so running blocks tell all that is waited for.
// Inside a block compute warps arrive at `summed` at the end of turn k, where look-back warps wait before they go down; and these then
// arrive at `known`, where compute warps wait in turn k + 1 before they store.
//
//   shared memory      written by                    barrier         read by              written again after
//   slots              a thread's copies             its own wait    the same thread      the same thread has read them
//   strips             thread 0, in a turn before    summed, known   all threads          so many strips that nobody asks
//   before[k % ..]     the warp, in `reduce`         __syncwarp      the same warp        LAG turns
//   totals             the warp, in `reduce`         __syncwarp      the same warp        __syncwarp
//   sums               compute warps, in `scan`      summed          look-back warps      known
//                      look-back warps, going down   known           the same warp        the same warp has read them
//   left[k % 2]        look-back warps, in k - 1     known           compute warps        summed
//   rows[warp]         the warp, in `store`          __syncwarp      the same warp        __syncwarp

#pragma once

#include "tile/strips_told.cuh"

// Whether `canonical` may change a result.
template <class V>
__device__ __forceinline__ bool may_change(const V& x) {
    if constexpr (arith::floating<V>) return arith::is_nan(x);
    else return !arith::scalar<V>;
}

struct ScanAxes : Strips {
    using Strips::Strips;

    // The thread's elements of a part of a row, of which `count` exist, each combined with those before it.
    __device__ __forceinline__ void load(const Slot& slot, u32 count, u64 column, u64 position, T (&value)[VECTOR]) const {
        In elements[VECTOR];
        load_values<VECTOR>(slot.bytes, elements);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) {
            if (j >= count) continue;
            value[j] = map(elements[j], column + j, position + j);
            if (j > 0) value[j] = combine(value[j - 1], value[j]);
        }
    }

    // Leaves in `before` what lies before each vector of the warp's rows in the tile, and tells of the rows.
    template <bool FULL>
    __device__ __forceinline__ void reduce(const Tile& tile, u64 first, u32 place, T (&before)[ROWS][ENTRIES]) const {
        const u32 there = warp_rows(tile);
        T sums[ROWS][PARTS];
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                T value[VECTOR];
                const u32 count = FULL ? VECTOR : r < there ? existing(column(tile, q)) : 0;
                load(slot(place, r * PARTS + q), count, column(tile, q), first + r * p.width + q * ACROSS, value);
                sums[r][q] = value[VECTOR - 1];
            }
        }
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) before[r][q * WARP + lane] = sums[r][q];
        }
        __syncwarp();
        // A lane has some neighbouring vectors of a row.
        constexpr u32 MOST = sizeof(T) > 8 ? 4 : 8, SHARE = ENTRIES < MOST ? ENTRIES : MOST, OF_ROW = ENTRIES / SHARE, AT_ONCE = WARP / OF_ROW;
        const u32 vectors = FULL ? ENTRIES : (u32)min((p.width - (u64)tile.at * WIDTH) / VECTOR, (u64)ENTRIES);
#pragma unroll
        for (u32 from = 0; from < ROWS; from += AT_ONCE) {
            const u32 row = from + lane / OF_ROW, share = lane % OF_ROW;
            const bool exists = (ROWS % AT_ONCE == 0 || row < ROWS) && (FULL || row < there);
            T values[SHARE], sum;
            if (exists) {
                load_values<SHARE>(&before[row][share * SHARE], values);
#pragma unroll
                for (u32 i = 1; i < SHARE; i++) {
                    if (FULL || share * SHARE + i < vectors) values[i] = combine(values[i - 1], values[i]);
                }
            }
            sum = warp_inclusive_scan<OF_ROW>(values[SHARE - 1], exists && (FULL || (share + 1) * SHARE <= vectors) ? share : 0);
            const T lower = shuffle_up(sum, 1);
            if (!exists) continue;
            T shifted[SHARE];
            shifted[0] = lower;
#pragma unroll
            for (u32 i = 1; i < SHARE; i++) {
                if (FULL || share * SHARE + i <= vectors) shifted[i] = share > 0 ? combine(lower, values[i - 1]) : values[i - 1];
            }
            store_values<SHARE>(&before[row][share * SHARE], shifted);
            if (share == OF_ROW - 1) shared.totals[warp * ROWS + row] = sum;
        }
        __syncwarp();
        if (tile.at + 1 == p.strips_each) return;
#pragma unroll
        for (u32 n = 0; n < WARP_TRIOS; n += WARP) {
            const u32 i = n + lane;
            if (i >= WARP_TRIOS || i * TRIO >= there) continue;
            Trio trio;
#pragma unroll
            for (u32 t = 0; t < TRIO; t++) trio.rows[t] = shared.totals[warp * ROWS + i * TRIO + t];
            Status<Trio>::put(p.workspace, near_entry(tile, warp * WARP_TRIOS + i, tile.at), trio, epoch);
        }
    }

    // The thread's values, each combined with all that lies to the left of it, and with those above it of the warp's rows.
    template <bool FULL>
    __device__ __forceinline__ void scan(const Tile& tile, u64 first, u32 place, const T (&before)[ROWS][ENTRIES], const T (&left_of)[HEIGHT], T (&values)[ROWS][PARTS][VECTOR]) const {
        const bool some = tile.at > 0;
        const u32 there = warp_rows(tile);
        T sums[PARTS][VECTOR], left[ROWS];
        load_values<ROWS>(&left_of[warp * ROWS], left);
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                T(&value)[VECTOR] = values[r][q];
                const u32 count = FULL ? VECTOR : r < there ? existing(column(tile, q)) : 0;
                load(slot(place, r * PARTS + q), count, column(tile, q), first + r * p.width + q * ACROSS, value);
                const bool follows = q > 0 || lane > 0;
                T lower = before[r][q * WARP + lane];
                if (some && (FULL || count > 0)) lower = follows ? combine(left[r], lower) : left[r];
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    if (j >= count) continue;
                    if (follows || some) value[j] = combine(lower, value[j]);
                    if (r > 0) value[j] = combine(values[r - 1][q][j], value[j]);
                    sums[q][j] = value[j];
                }
            }
        }
#pragma unroll
        for (u32 q = 0; q < PARTS; q++) {
            if (FULL || there > 0) store_values<VECTOR>(&shared.sums[warp][q * ACROSS + lane * VECTOR], sums[q]);
        }
    }

    // Stores values, each combined with what is above the warp's rows.
    __device__ __forceinline__ void store(const Tile& tile, T (&values)[ROWS][PARTS][VECTOR]) const {
        const bool some = warp > 0 || tile.band > 0;
        const u32 there = warp_rows(tile);
        if (some) {
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                T above[VECTOR];
                load_values<VECTOR>(&shared.sums[warp][q * ACROSS + lane * VECTOR], above);
#pragma unroll
                for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
                    for (u32 j = 0; j < VECTOR; j++) {
                        if (ALL_FULL || (r < there && j < existing(column(tile, q)))) values[r][q][j] = combine(above[j], values[r][q][j]);
                    }
                }
            }
        }
        Out* to = place(tile);
        if (STORE > 1 && p.out_aligned && all_rows(tile) && all_columns(tile)) {
            // A number seldom is none: one branch for all.
            Out results[ROWS][PARTS][VECTOR];
            bool other[VECTOR] = {};
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
                for (u32 q = 0; q < PARTS; q++) {
#pragma unroll
                    for (u32 j = 0; j < VECTOR; j++) {
                        results[r][q][j] = finish(values[r][q][j]);
                        other[j] |= may_change(results[r][q][j]);
                    }
                }
            }
            bool any = false;
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) any |= other[j];
            if (any) {
#pragma unroll
                for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
                    for (u32 q = 0; q < PARTS; q++) {
#pragma unroll
                        for (u32 j = 0; j < VECTOR; j++) results[r][q][j] = canonical(results[r][q][j]);
                    }
                }
            }
#pragma unroll
            for (u32 r = 0; r < ROWS; r++, to += p.width) {
#pragma unroll
                for (u32 q = 0; q < PARTS; q++) store_results(to + q * ACROSS, results[r][q]);
            }
            return;
        }
#pragma unroll
        for (u32 r = 0; r < ROWS; r++, to += p.width) {
#pragma unroll
            for (u32 q = 0; q < PARTS; q++) {
                Out results[VECTOR];
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    if (ALL_FULL || (r < there && j < existing(column(tile, q)))) results[j] = result(values[r][q][j]);
                }
                store_values<VECTOR>(&shared.rows[warp][q * ACROSS + lane * VECTOR], results);
            }
            store_row(tile, r < there, to - lane * VECTOR);
        }
    }

    // Stores results side by side in a row, which begins anywhere or ends in this tile; the first one at `to`.
    __device__ __forceinline__ void store_row(const Tile& tile, bool there, Out* to) const {
        __syncwarp();
        const u32 left = (u32)min(p.width - (u64)tile.at * WIDTH, (u64)WIDTH);
        if (there) {
#pragma unroll 1
            for (u32 c = lane; c < left; c += WARP) store_result(to + c, shared.rows[warp][c]);
        }
        __syncwarp();
    }

    // Whether all of a tile is computed as if it existed.
    __device__ __forceinline__ bool full(const Tile& tile) const { return ALL_FULL || (all_rows(tile) && all_columns(tile)); }

    // `staged`: the cursor of the first tile that is not.
    __device__ __forceinline__ void run(Cursor staged) const {
        Cursor reduced = begin(), scanned = reduced;
        u32 place = 0, turn = 0, scanned_place = 0, scanned_turn = 0;  // of the tiles reduced and scanned
        T values[ROWS][PARTS][VECTOR];
        Tile stored;
        bool stores = false;
#pragma unroll 1
        for (u32 k = 0; scanned.exists || stores; k++) {
            Cursor next = staged;
            step(next);
            const bool draws = threadIdx.x == 0 && next.tile.band == 0;
            u32 ticket;
            if (draws) ticket = draw(next.strip);
            wait_copies<AHEAD - 1>();  // of this thread, as are the slots
            if (reduced.exists) {
                if (full(reduced.tile)) reduce<true>(reduced.tile, reduced.first, place, shared.before[turn][warp]);
                else reduce<false>(reduced.tile, reduced.first, place, shared.before[turn][warp]);
            }
            barrier_wait(KNOWN, KNOWING);
            if (staged.tile.band == 0) enter(staged);
            if (stores) store(stored, values);
            stores = k >= LAG && scanned.exists;
            stored = scanned.tile;
            if (stores) {
                if (full(stored)) scan<true>(stored, scanned.first, scanned_place, shared.before[scanned_turn][warp], shared.left[k % 2], values);
                else scan<false>(stored, scanned.first, scanned_place, shared.before[scanned_turn][warp], shared.left[k % 2], values);
            }
            if (draws) keep(next.strip, ticket);
            barrier_arrive(SUMMED, ALL_THREADS);
            if (staged.exists) stage(staged, k < LAG ? k + AHEAD : scanned_place);  // there, into the slots that have just been read
            close_group();
            step(staged);
            advance(reduced);
            place = place + 1 < RING ? place + 1 : 0, turn = turn < LAG ? turn + 1 : 0;
            if (k < LAG) continue;
            advance(scanned);
            scanned_place = scanned_place + 1 < RING ? scanned_place + 1 : 0, scanned_turn = scanned_turn < LAG ? scanned_turn + 1 : 0;
        }
    }

    // The block's first tickets are drawn one after the other, so that blocks which start together share the first strips.
    __device__ __forceinline__ Cursor start() const {
        Cursor staged = {};
#pragma unroll 1
        for (u32 k = 0; k <= AHEAD; k++) {
            if (threadIdx.x == 0 && staged.tile.band == 0) keep(staged.strip, draw(staged.strip));
            __syncthreads();
            if (staged.tile.band == 0) enter(staged);
            if (k == AHEAD) break;
            if (warp < WARPS) {
                if (staged.exists) stage(staged, k);
                close_group();
            }
            step(staged);
        }
        return staged;
    }
};

extern "C" __global__ void __launch_bounds__(ALL_THREADS, 1) upsweep_scan_axes_strips(const __grid_constant__ ScanStripsParams p) {
    Shared& shared = *(Shared*)dynamic_shared;
    Slot* const slots = (Slot*)(dynamic_shared + (sizeof(Shared) + 15) / 16 * 16);
    const u32 epoch = current_epoch(p.workspace);
    __syncthreads();  // the epoch is read before a ticket is drawn
    const ScanAxes scan(p, shared, slots, epoch);
    const Cursor staged = scan.start();
    if (warp_index() < WARPS) scan.run(staged);
    else if (warp_index() < WARPS + LOOK_BACK_WARPS) LookBack(p, shared, slots, epoch).run();
    else LookBack(p, shared, slots, epoch).run_groups();
    finish_launch(p.workspace, epoch, gridDim.x);
}
