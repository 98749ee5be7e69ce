// What strips tell each other of their rows, and what is above the warps' rows of a tile: the warps of a scan along two axes that do not compute.
// device/scan_axes_strips.cuh has the order of all, and who writes and reads what is shared.
//
//   strip s of a tile's rows:  spans before its own . groups of its span before its own . strips of its group before it
//
// Each of these has been told by the last strip of it. A lane reads of three rows what one strip tells, and what FAR groups do.

#pragma once

#include "tile/strips.cuh"
#include "warp/scan.cuh"

constexpr u32 SUMMED = 1, KNOWN = 2;  // barriers

__device__ __forceinline__ Trio join(const Trio& a, const Trio& b, u32 rows) {
    Trio all;
#pragma unroll
    for (u32 t = 0; t < TRIO; t++) {
        if (ALL_FULL || t < rows) all.rows[t] = combine(a.rows[t], b.rows[t]);
    }
    return all;
}
// The first of OF lanes gets the combination of the first `count` ones' trios, which have so many rows.
template <u32 OF>
__device__ __forceinline__ Trio join_lanes(Trio trio, u32 count, u32 rows) {
#pragma unroll
    for (u32 distance = 1; distance < OF; distance *= 2) {
        const Trio higher = shuffle_down(trio, distance);
        if (lane_index() % OF + distance < count) trio = join(trio, higher, rows);
    }
    return trio;
}

struct LookBack : Strips {
    using Strips::Strips;
    using Word = Status<Trio>;

    // Each warp has so many trios of a tile, each of them GROUP_STRIPS lanes, which read what a strip of the group tells and what FAR groups do.
    static constexpr u32 EACH = (TRIOS + LOOK_BACK_WARPS - 1) / LOOK_BACK_WARPS, AT_ONCE = WARP / GROUP_STRIPS, ROUNDS = (EACH + AT_ONCE - 1) / AT_ONCE;
    static constexpr u32 FAR = SPAN_GROUPS / GROUP_STRIPS;
    static_assert(FAR * GROUP_STRIPS == SPAN_GROUPS, "each lane reads as many");
    static constexpr u32 COLUMNS = (WIDTH + LOOK_BACK_WARPS * WARP - 1) / (LOOK_BACK_WARPS * WARP);
    struct Asked {
        typename Word::Raw near[ROUNDS], far[ROUNDS][FAR];
    };

    // In a round, the trio that the lane reads of, how many of its rows exist, and what it reads.
    struct Share {
        u32 trio, rows, near_entry, far_entry;
    };
    __device__ __forceinline__ Share share(const Tile& tile, u32 round) const {
        const u32 i = round * AT_ONCE + lane / GROUP_STRIPS, q = lane % GROUP_STRIPS, trio = (warp - WARPS) % LOOK_BACK_WARPS * EACH + i;
        return {trio, i < EACH && trio < TRIOS ? rows(tile, trio * TRIO, TRIO) : 0, near_entry(tile, trio, tile.at / GROUP_STRIPS * GROUP_STRIPS + q),
                far_entry(tile, trio, tile.at / SPAN * SPAN_GROUPS + q * FAR)};
    }
    // Whether the lane reads what a strip tells, or its group f.
    __device__ __forceinline__ bool reads_near(const Tile& tile) const { return lane % GROUP_STRIPS < tile.at % GROUP_STRIPS + ends(tile, SPAN); }
    __device__ __forceinline__ bool reads_far(const Tile& tile, u32 f) const { return lane % GROUP_STRIPS * FAR + f < tile.at / GROUP_STRIPS % SPAN_GROUPS; }
    // Waits for an entry, of which `raw` is what was there before.
    __device__ __forceinline__ Trio told(typename Word::Raw raw, u32 entry) const {
        while (!raw.is_of(epoch)) {
            __nanosleep(POLL_NANOSECONDS);
            raw = Word::load(p.workspace, entry);
        }
        return raw.value();
    }

    // Whether a tile's strip tells of so many strips, of which it is the last one. Nobody asks for the last of all.
    __device__ __forceinline__ bool ends(const Tile& tile, u32 strips) const { return (tile.at + 1) % strips == 0 && tile.at + 1 < p.strips_each; }

    __device__ __forceinline__ void tell_group(const Tile& tile) const {
#pragma unroll 1
        for (u32 round = 0; round < ROUNDS; round++) {
            const Share of = share(tile, round);
            Trio all;
            if (of.rows > 0) all = Word::wait(p.workspace, of.near_entry, epoch);
            __syncwarp();
            all = join_lanes<GROUP_STRIPS>(all, GROUP_STRIPS, of.rows);
            if (of.rows > 0 && lane % GROUP_STRIPS == 0) Word::put(p.workspace, far_entry(tile, of.trio, tile.at / GROUP_STRIPS), all, epoch);
        }
    }

    // Loads what will be asked for, which is there already, as a rule.
    __device__ __forceinline__ void ask(const Tile& tile, Asked& asked) const {
#pragma unroll
        for (u32 round = 0; round < ROUNDS; round++) {
            const Share of = share(tile, round);
            if (of.rows > 0 && reads_near(tile)) asked.near[round] = Word::load(p.workspace, of.near_entry);
#pragma unroll
            for (u32 f = 0; f < FAR; f++) {
                if (of.rows > 0 && reads_far(tile, f)) asked.far[round][f] = Word::load(p.workspace, of.far_entry + f);
            }
        }
    }
    // Leaves in `left` what lies to the left of the tile.
    __device__ __forceinline__ void look_back(const Tile& tile, const Asked& asked, T (&left)[HEIGHT]) const {
        const u32 near = tile.at % GROUP_STRIPS, far = tile.at / GROUP_STRIPS % SPAN_GROUPS, span = tile.at / SPAN;
        const bool tells = ends(tile, SPAN);
#pragma unroll
        for (u32 round = 0; round < ROUNDS; round++) {
            const Share of = share(tile, round);
            Trio own, strips, groups, all;
            if (of.rows > 0 && reads_near(tile)) own = told(asked.near[round], of.near_entry);
#pragma unroll
            for (u32 f = 0; f < FAR; f++) {
                if (of.rows == 0 || !reads_far(tile, f)) continue;
                const Trio group = told(asked.far[round][f], of.far_entry + f);
                groups = f > 0 ? join(groups, group, of.rows) : group;
            }
            __syncwarp();
            strips = join_lanes<GROUP_STRIPS>(own, near, of.rows);
            groups = join_lanes<GROUP_STRIPS>(groups, (far + FAR - 1) / FAR, of.rows);
            if (tells) own = shuffle(own, lane / GROUP_STRIPS * GROUP_STRIPS + GROUP_STRIPS - 1);
            if (of.rows == 0 || lane % GROUP_STRIPS > 0) continue;
            if (far > 0) all = near > 0 ? join(groups, strips, of.rows) : groups;
            else all = strips;
            if (span > 0) {
                const Trio spans = Word::wait(p.workspace, span_entry(tile, of.trio, span - 1), epoch);
                all = near > 0 || far > 0 ? join(spans, all, of.rows) : spans;
            }
#pragma unroll
            for (u32 t = 0; t < TRIO; t++) left[of.trio * TRIO + t] = all.rows[t];
            if (tells) Word::put(p.workspace, span_entry(tile, of.trio, span), join(all, own, of.rows), epoch);
        }
    }

    // Leaves in `sums` what is above each warp's rows, of which there are sums; `above` is what is above the tile, and then above the next one.
    __device__ __forceinline__ void go_down(const Tile& tile, T (&above)[COLUMNS]) const {
        const u32 warps = (rows(tile, 0, HEIGHT) + ROWS - 1) / ROWS;
#pragma unroll
        for (u32 i = 0; i < COLUMNS; i++) {
            const u32 c = threadIdx.x - THREADS + i * LOOK_BACK_WARPS * WARP;
            if (c >= WIDTH || (!ALL_FULL && (u64)tile.at * WIDTH + c >= p.width)) continue;
            T sums[WARPS];
#pragma unroll
            for (u32 w = 0; w < WARPS; w++) sums[w] = shared.sums[w][c];
#pragma unroll
            for (u32 w = 0; w < WARPS; w++) {
                if (!ALL_FULL && w >= warps) break;
                const bool some = w > 0 || tile.band > 0;
                if (some) shared.sums[w][c] = above[i];
                above[i] = some ? combine(above[i], sums[w]) : sums[w];
            }
        }
    }

    __device__ __forceinline__ void run() const {
        Cursor scanned = begin();
        T above[COLUMNS];
        Asked asked;
        bool stores = false;
#pragma unroll 1
        for (u32 k = 0; scanned.exists || stores; k++) {
            barrier_arrive(KNOWN, KNOWING);
            const Tile tile = scanned.tile;
            stores = k >= LAG && scanned.exists;
            if (k >= LAG) advance(scanned);
            // A turn ahead, where the strip is known.
            const bool looks_back = k + 1 >= LAG && scanned.exists && scanned.tile.at > 0;
            if (looks_back) {
                if (k + 1 == LAG || scanned.tile.band == 0) ask(scanned.tile, asked);
                look_back(scanned.tile, asked, shared.left[(k + 1) % 2]);
                Tile next = scanned.tile;
                if (++next.band < (u32)p.bands_each) ask(next, asked);
            }
            barrier_wait(SUMMED, ALL_THREADS);
            if (stores) go_down(tile, above);
        }
    }

    // The group warps, which pass the barrier as often.
    __device__ __forceinline__ void run_groups() const {
        Cursor scanned = begin(), grouped = scanned;
        bool stores = false;
#pragma unroll 1
        for (u32 k = 0; scanned.exists || stores; k++) {
            stores = k >= LAG && scanned.exists;
            if (k >= LAG) advance(scanned);
            if (k >= GROUP_LAG) {
                if (grouped.exists && ends(grouped.tile, GROUP_STRIPS)) tell_group(grouped.tile);
                advance(grouped);
            }
            barrier_wait(SUMMED, ALL_THREADS);
        }
    }
};
