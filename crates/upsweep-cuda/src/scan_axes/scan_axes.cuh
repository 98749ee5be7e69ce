// Scan along the two last axes of an array in one pass over memory: first along the rows, then down the columns.
//
//   out[i][j] = the combination over k <= i of (x[k][0] + ... + x[k][j])
//
// A block goes down a strip, some neighbouring columns, by tiles t = 0, 1, 2, ... So columns are combined within a
// block only, and each element is read once. Its warps have roles, which overlap:
//
//   reducing warps    stage t + AHEAD      to shared memory, asynchronously
//                     reduce t             scan each row of the tile, publish its total to the strips to the right,
//                                          keep the scan
//   look-back warps   look back from t     find the prefix of each row left of the strip, a lane for each row
//   finishing warps   finish t             combine each row with its prefix from the left, scan the columns, store
//
//   row[s]       of a row of a tile, its combination in strip s      published by strip s, as soon as it is known
//   group[g]     its combination in group g, which is GROUP strips   published by the group's last strip
//   prefix[g]    that of all before group g                          published by the group's first strip
//
//   left of strip s of group g:  prefix[g - GROUPS] + group[g - GROUPS] + ... + group[g - 1]  +  row[GROUP g] + ... + row[s - 1]
//   (the first GROUPS groups begin with group[0] instead)
//
// Reducing and finishing warps are the same if that is faster: they finish tile t - KEPT_TILES + 1 after they have
// reduced tile t.
//
// All strips in flight go down together, and a published value is needed some tiles later, as a block keeps KEPT_TILES
// tiles. A row is scanned by lanes in turn: the sums of each lane's columns go through shared memory, so that a lane
// scans ROWS neighbouring ones. A column is scanned by each thread in its own ROWS rows, then by the sections of a
// warp, the warps, and from tile to tile. Operators need not commute, and need no identity. The order and grouping of
// values depend on the shape and the types alone.
//
// Source: Nehab et al., "GPU-Efficient Recursive Filtering and Summed-Area Tables", 2011 (tiles, whose borders alone
// are communicated; strips of one block, and a look-back of a fixed shape along the rows alone, are ours).
//
// Memory ordering. Between blocks: status.cuh, workspace.cuh. A block waits for blocks of lower numbers only, which GPUs start first.
// Inside a block each line's writer comes before the barrier and its reader after it. `reduced`, `left` and `free` are the barriers of a tile's
// turn, `summed` is the finishing warps' own:
//
//   shared memory      written by                barrier        read by                written again after
//   slots              a thread's copies         its own wait   the same thread        the same thread has read them
//   lanes[warp]        a reducing warp           __syncwarp     the same warp          __syncwarp
//   kept[t % KEPT_TILES]     a reducing thread         reduced, left  the finishing thread   free, t, or it is the same thread
//   lefts[t % KEPT_TILES]    reducing warps: own sums  reduced, t     look-back warps        they write it next
//                      look-back warps           left, t        finishing warps        free, t
//   sums[t % 2]        a section's lanes         summed, t      finishing warps        summed, t + 1
//   above[t % 2]       the last warp, in t - 1   summed, t      finishing warps        summed, t + 1
//   rows[warp]         a finishing warp          __syncwarp     the same warp          the next row's __syncwarp
//
// Look-back warps wait at `left`, too, although they need nothing of the finishing warps: racecheck does not track
// threads that only arrive. If roles have separate warps, it reports lefts[t % KEPT_TILES], read by a look-back warp
// and written by a reducing one. Between these are `left`, where the finishing warps meet the first one, and `free`,
// where they arrive and the second one waits.

#pragma once

#include "block/barrier.cuh"
#include "memory/status.cuh"
#include "scan_axes/strips.cuh"
#include "warp/scan.cuh"

// KEPT_TILES teams of TEAM_WARPS look-back warps take tiles in turn, so that each meets the others at barriers of its own.
constexpr u32 LOOKING_BACK = KEPT_TILES * TEAM_WARPS * WARP, MEETING = THREADS + TEAM_WARPS * WARP;
constexpr u32 COMPUTING = (APART ? 2 : 1) * THREADS;
// Number of entries that a lane loads at once: more would spill.
constexpr u32 ASKED = Status<T>::WORDS == 1 ? GROUP : (GROUP + 2) / 3;
static_assert(2 + (APART ? 3 : 2) * KEPT_TILES <= 16, "a block has 16 barriers");
__device__ __forceinline__ u32 reduced_barrier(u32 tile) { return 2 + tile % KEPT_TILES; }
__device__ __forceinline__ u32 left_barrier(u32 tile) { return 2 + KEPT_TILES + tile % KEPT_TILES; }
__device__ __forceinline__ u32 free_barrier(u32 tile) { return 2 + 2 * KEPT_TILES + tile % KEPT_TILES; }

struct ScanAxes : Strip {
    using Word = Status<T>;
    using Strip::Strip;

    // Return the index of the status entry of the first row of a tile: for a strip, for a group of strips, and for the
    // prefix before a group. The entries of the other rows follow.
    __device__ __forceinline__ u64 tile_of_all(u32 tile) const { return array * p.tiles + tile; }
    __device__ __forceinline__ u64 row_entry(u32 tile, u32 strip) const { return (tile_of_all(tile) * p.strips + strip) * HEIGHT; }
    __device__ __forceinline__ u64 group_entry(u32 tile, u32 group) const { return p.group_entries + (tile_of_all(tile) * p.groups + group) * (2 * HEIGHT); }
    __device__ __forceinline__ u64 prefix_entry(u32 tile, u32 group) const { return group_entry(tile, group) + HEIGHT; }

    // Scans each row of a tile within the strip, publishes the row's total to the strips to the right, and keeps the
    // scan.
    template <bool FULL>
    __device__ __forceinline__ void reduce(u32 tile) const {
        const u32 there = FULL ? ROWS : rows(tile), count = FULL ? VECTOR : columns;
        const u64 position = first(tile);
        T values[ROWS][VECTOR];
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (r >= there) continue;
            In elements[VECTOR];
            load_values(shared.slots[tile % AHEAD][r][threadIdx.x].bytes, elements);
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (j >= count) continue;
                values[r][j] = map(elements[j], column + j, position + r * p.width + j);
                if (j > 0) values[r][j] = combine(values[r][j - 1], values[r][j]);
            }
        }
        stage(tile + AHEAD);  // into the slots that have just been read
        T before[ROWS];
        scan_lanes<FULL>(tile, values, before);
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (r >= there) continue;
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (j < count && along > 0) values[r][j] = combine(before[r], values[r][j]);
            }
            keep(tile, r, values[r]);
        }
    }

    // Scans the lanes' sums in each of the warp's rows, publishes the rows' totals, and finds the exclusive prefix of
    // the lane in its own rows. For that a lane has the sums of ROWS neighbouring lanes: fewer instructions than a scan
    // of each row by shuffles.
    template <bool FULL>
    __device__ __forceinline__ void scan_lanes(u32 tile, const T (&values)[ROWS][VECTOR], T (&before)[ROWS]) const {
        T(&lanes)[ROW_SECTIONS * ROWS][PITCH] = shared.lanes[warp];
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) lanes[section * ROWS + r][along] = values[r][VECTOR - 1];
        __syncwarp();
        const u32 row = lane / SCANNERS, scanner = lane % SCANNERS, row_of_tile = warp * ROW_SECTIONS * ROWS + row;
        const bool exists = (u64)tile * HEIGHT + row_of_tile < p.height;
        // No lane reads the prefix after an incomplete lane, which is not computed.
        u32 have = ROWS;
        if (!FULL) {
            const u64 whole = min((p.width - (u64)strip * WIDTH) / VECTOR, (u64)LANES);
            have = !exists || whole < scanner * ROWS ? 0 : min((u32)whole - scanner * ROWS, ROWS);
        }
        T sums[ROWS];
        load_values(&lanes[row][scanner * ROWS], sums);
#pragma unroll
        for (u32 i = 1; i < ROWS; i++) {
            if (i < have) sums[i] = combine(sums[i - 1], sums[i]);
        }
        const T scanned = warp_inclusive_scan<SCANNERS>(sums[ROWS - 1], have == ROWS ? scanner : 0);
        const bool tells = strip + 1 < p.strips && scanner == SCANNERS - 1 && exists;
        if (tells) Word::put(p.workspace, row_entry(tile, strip) + row_of_tile, scanned, epoch);
        if (APART && tile >= KEPT_TILES) barrier_wait(free_barrier(tile), COMPUTING);
        if (tells) shared.lefts[tile % KEPT_TILES][row_of_tile] = scanned;  // for the look-back warp of this block
        const T lower = shuffle_up(scanned, 1);
#pragma unroll
        for (u32 i = ROWS; i-- > 1;) {
            sums[i] = sums[i - 1];
            if (i <= have && scanner > 0) sums[i] = combine(lower, sums[i]);
        }
        sums[0] = lower;
        __syncwarp();
        store_values(&lanes[row][scanner * ROWS], sums);
        __syncwarp();
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) before[r] = lanes[section * ROWS + r][along];
        __syncwarp();
    }

    // Loads the kept values of a tile into `values`, and combines each with the prefix of its row left of the strip,
    // and with the values above it in the thread's rows. `there` is the number of the thread's rows that exist, `count`
    // that of its columns.
    template <bool FULL>
    __device__ __forceinline__ void scan_down(u32 tile, u32 there, u32 count, T (&values)[ROWS][VECTOR]) const {
#pragma unroll
        for (u32 r = 0; r < ROWS; r++) {
            if (r < there) bring_back(tile, r, values[r]);
        }
        if (strip > 0) {
            T left[ROWS];
            load_values(&shared.lefts[tile % KEPT_TILES][first_row], left);
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    if (r < there && j < count) values[r][j] = combine(left[r], values[r][j]);
                }
            }
        }
#pragma unroll
        for (u32 r = 1; r < ROWS; r++) {
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (r < there && j < count) values[r][j] = combine(values[r - 1][j], values[r][j]);
            }
        }
    }

    // Computes in `over` the prefix above a section in a tile, a value for each of the lane's columns, from `sums`, the
    // sums of the section's columns. `whole`: all rows of this section exist. Returns whether there is a prefix.
    __device__ __forceinline__ bool sum_above(u32 tile, bool whole, u32 count, T (&sums)[VECTOR], T (&over)[VECTOR]) const {
        T before[VECTOR];  // prefix in the sections of the warp
        if constexpr (ROW_SECTIONS > 1) {
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
#pragma unroll
                for (u32 distance = 1; distance < ROW_SECTIONS; distance *= 2) {
                    const T lower = shuffle_up(sums[j], distance * LANES);
                    if (section >= distance && whole && j < count) sums[j] = combine(lower, sums[j]);
                }
                before[j] = shuffle_up(sums[j], LANES);
            }
        }
        if (section == ROW_SECTIONS - 1 && whole) put_parts(shared.sums[tile % 2][warp], along, sums);
        main_sync();  // summed
        const Part(&warps)[WARPS][PARTS][LANES] = shared.sums[tile % 2];
        const auto add = [&](const T(&more)[VECTOR]) {
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (j < count) over[j] = combine(over[j], more[j]);
            }
        };
        const auto add_warps = [&](u32 from) {
#pragma unroll
            for (u32 w = 0; w + 1 < WARPS; w++) {
                if (w < from || w >= warp) continue;
                T sum[VECTOR];
                take_parts(warps[w], along, sum);
                add(sum);
            }
        };
        if (tile > 0) {
            take_parts(shared.above[tile % 2], along, over);
            add_warps(0);
        } else if (warp > 0) {
            take_parts(warps[0], along, over);
            add_warps(1);
        }
        if (warp == WARPS - 1 && section == ROW_SECTIONS - 1 && tile + 1 < p.tiles) {
            T all[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (j < count) all[j] = combine(over[j], sums[j]);
            }
            put_parts(shared.above[(tile + 1) % 2], along, all);
        }
        if constexpr (ROW_SECTIONS > 1) {
            if (section > 0 && (tile > 0 || warp > 0)) {
                add(before);
            } else if (section > 0) {
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) over[j] = before[j];
            }
        }
        return tile > 0 || warp > 0 || section > 0;
    }

    template <bool FULL>
    __device__ __forceinline__ void finish(u32 tile) const {
        const u32 there = FULL ? ROWS : rows(tile), count = FULL ? VECTOR : columns;
        T values[ROWS][VECTOR], sums[VECTOR], over[VECTOR];
        scan_down<FULL>(tile, there, count, values);
#pragma unroll
        for (u32 j = 0; j < VECTOR; j++) sums[j] = values[ROWS - 1][j];
        // No section reads the sums of an incomplete section above it.
        const bool some = sum_above(tile, there == ROWS, there > 0 ? count : 0, sums, over);
        if (some) {
#pragma unroll
            for (u32 r = 0; r < ROWS; r++) {
#pragma unroll
                for (u32 j = 0; j < VECTOR; j++) {
                    if (r < there && j < count) values[r][j] = combine(over[j], values[r][j]);
                }
            }
        }
        store(tile, values);
    }

    // Combines `all`, which holds a value if `some` is true, with `count` published entries in order: the first is at
    // index `entry`, the next ones at a stride of APART. Called by all lanes of a warp; those without a row of the tile
    // (`has_row` is false) load nothing.
    template <u32 APART>
    __device__ __forceinline__ void add_told(u64 entry, u32 count, bool has_row, bool some, T& all) const {
#pragma unroll 1
        for (u32 first = 0; first < count; first += ASKED) {
            const u64 from = unknown(entry + first * APART);
            const u32 number = has_row ? min(count - first, ASKED) : 0;
            typename Word::Raw raw[ASKED];
#pragma unroll
            for (u32 i = 0; i < ASKED; i++) {
                if (i < number) raw[i] = Word::load(p.workspace, from + i * APART);
            }
            while (true) {
                bool missing = false;
#pragma unroll
                for (u32 i = 0; i < ASKED; i++) missing |= i < number && !raw[i].is_of(epoch);
                if (!__any_sync(~0u, missing)) break;
                __nanosleep(POLL_NANOSECONDS);
#pragma unroll
                for (u32 i = 0; i < ASKED; i++) {
                    if (i < number && !raw[i].is_of(epoch)) raw[i] = Word::load(p.workspace, from + i * APART);
                }
            }
#pragma unroll
            for (u32 i = 0; i < ASKED; i++) {
                if (i < number) all = some || i > 0 ? combine(all, raw[i].value()) : raw[i].value();
            }
            some = true;
        }
    }

    // Returns the prefix left of the strip in row `row` of a tile. `own` is the combination of the row in the strip
    // itself. The strip is not the first one. Called by all lanes of a warp.
    __device__ __forceinline__ T look_back(u32 tile, u32 row, bool has_row, const T& own) const {
        const u32 group = strip / GROUP, in_group = strip % GROUP, begin = group < GROUPS ? 0 : group - GROUPS;
        T near, far;
        add_told<HEIGHT>(row_entry(tile, group * GROUP) + row, in_group, has_row, false, near);
        if (has_row && in_group == GROUP - 1 && strip + 1 < p.strips) {
            Word::put(p.workspace, group_entry(tile, group) + row, in_group > 0 ? combine(near, own) : own, epoch);
        }
        if (group == 0) return near;
        if (begin > 0) add_told<0>(prefix_entry(tile, begin) + row, 1, has_row, false, far);
        add_told<2 * HEIGHT>(group_entry(tile, begin) + row, group - begin, has_row, begin > 0, far);
        if (in_group > 0) return has_row ? combine(far, near) : far;
        if (has_row && (u64)(group + GROUPS) * GROUP < p.strips) Word::put(p.workspace, prefix_entry(tile, group) + row, far, epoch);
        return far;
    }

    // Reduces tile k of this strip, once its copies have arrived; `finish_next` finishes tile k, once its rows'
    // prefixes are there.
    __device__ __forceinline__ void reduce_next(u32 k) const {
        wait_copies<AHEAD - 1>();
        if (ALL_FULL || (all_columns() && all_rows(k))) reduce<true>(k);
        else reduce<false>(k);
        barrier_arrive(reduced_barrier(k), MEETING);
    }
    __device__ __forceinline__ void finish_next(u32 k) const {
        barrier_wait(left_barrier(k), MEETING);
        if (ALL_FULL || (all_columns() && all_rows(k))) finish<true>(k);
        else finish<false>(k);
    }

    __device__ __forceinline__ void reducing_warp() const {
#pragma unroll 1
        for (u32 k = 0; k < AHEAD; k++) stage(k);
#pragma unroll 1
        for (u32 k = 0; k < p.tiles; k++) reduce_next(k);
    }
    __device__ __forceinline__ void finishing_warp() const {
#pragma unroll 1
        for (u32 k = 0; k < p.tiles; k++) {
            finish_next(k);
            if (k + KEPT_TILES < p.tiles) barrier_arrive(free_barrier(k), COMPUTING);
        }
    }
    // Runs a warp with both roles, reducing and finishing: it reduces tile k, then finishes tile k - KEPT_TILES + 1.
    __device__ __forceinline__ void computing_warp() const {
#pragma unroll 1
        for (u32 k = 0; k < AHEAD; k++) stage(k);
#pragma unroll 1
        for (u32 k = 0; k < p.tiles + KEPT_TILES - 1; k++) {
            if (k < p.tiles) reduce_next(k);
            if (k + 1 >= KEPT_TILES) finish_next(k + 1 - KEPT_TILES);
        }
    }

    __device__ __forceinline__ void look_back_warp() const {
        const u32 number = (threadIdx.x - COMPUTING) / WARP, team = number / TEAM_WARPS, member = number % TEAM_WARPS;
#pragma unroll 1
        for (u32 k = team; k < p.tiles; k += KEPT_TILES) {
            barrier_wait(reduced_barrier(k), MEETING);
#pragma unroll 1
            for (u32 first = member * WARP; strip > 0 && first < HEIGHT; first += TEAM_WARPS * WARP) {
                const u32 row = first + lane;
                const bool has_row = row < HEIGHT && (u64)k * HEIGHT + row < p.height;
                T own;
                if (has_row && strip + 1 < p.strips) own = shared.lefts[k % KEPT_TILES][row];
                const T left = look_back(k, row, has_row, own);
                if (has_row) shared.lefts[k % KEPT_TILES][row] = left;
            }
            barrier_wait(left_barrier(k), MEETING);
        }
    }
};

extern "C" __global__ void __launch_bounds__(COMPUTING + LOOKING_BACK, 1) upsweep_scan_axes(const __grid_constant__ ScanAxesParams p) {
    Shared& shared = *(Shared*)dynamic_shared;
    const u32 epoch = current_epoch(p.workspace);
    __syncthreads();  // the epoch is read before a ticket is drawn
    // Tickets only detect that all blocks have read the epoch.
    if (threadIdx.x == COMPUTING && take_ticket(p.workspace) == gridDim.x - 1) prepare_next_launch(p.workspace, epoch);
    const ScanAxes scan(p, shared, epoch);
    if (threadIdx.x >= COMPUTING) scan.look_back_warp();
    else if (!APART) scan.computing_warp();
    else if (threadIdx.x < THREADS) scan.reducing_warp();
    else scan.finishing_warp();
    finish_launch(p.workspace, epoch, gridDim.x);
}
