// Merge of four neighbouring runs of a sort by a comparison into one, which reads and writes each element once. Stable.
//
// The first launch cuts the results of each group of four runs into parts. A pivot is an element of a run. A search
// with 32 probes at a time counts the elements of each of the four runs that come before it, which also gives the
// pivot's rank among the pivots:
//
//   splits     the number of elements of each run before the pivot, less a few, so that a part begins at a multiple of
//              UNIT results
//
// The second launch has a block for each part. It stages the next elements of each run, a chunk. Of the chunks' last
// elements the first in order is the bound: all elements up to it are the next results. The length of a chunk is
// adapted to the number of elements that the last tile took from its run.
//
//   finder     copy the chunks to a stage; search each for the bound; publish the tile to the mergers
//   mergers    each thread merges results of the first two runs, or of the last two, into the halves; then each merges
//              results of both halves, into its warp's part of the stage, and from there to global memory
//
// Elements are copied to a stage at their address modulo 16, so that copies are of 16 bytes, whatever the runs'
// addresses.
//
// If `less` is no order, the splits are arbitrary: the second launch makes them ascend and stay in the runs.

#pragma once

#include "block/barrier.cuh"
#include "merge/lines.cuh"
#include "merge/tile.cuh"

constexpr u32 WAYS = 4;
constexpr u32 FINDERS = WARP;                                     // number of threads that stage tiles
// Number of stages; ids of the barriers at which stage 0 is full, and at which it is empty: those of the others follow.
constexpr u32 FOUR_STAGES = 2, STAGE_FULL = 2, STAGE_EMPTY = 4;
constexpr u32 WARP_RESULTS = WARP * MERGE_ITEMS;
constexpr u32 SECTOR = 32, ODD = sizeof(In) & (~sizeof(In) + 1);
constexpr u32 UNIT = ODD < SECTOR ? SECTOR / ODD : 1;             // number of results whose bytes are whole sectors
// Mean number of elements of a run's chunk; no half takes one thread too many.
constexpr u32 CHUNK = (THREADS - 1) * MERGE_ITEMS / WAYS;
constexpr u32 LEAST = CHUNK / 4 > UNIT ? CHUNK / 4 : UNIT;         // number of elements of the shortest chunk
static_assert(CHUNK >= LEAST, "each tile has results");

// Lengths of the four runs of a group, which are contiguous in memory.
struct Four {
    u64 first;         // position of the first run
    u64 of[WAYS];
};
__device__ __forceinline__ Four four_at(const MergeFourParams& p, u64 group) {
    Four f;
    f.first = group * WAYS * p.run;
#pragma unroll
    for (u32 q = 0; q < WAYS; q++) {
        const u64 begin = f.first + q * p.run;
        f.of[q] = begin < p.n ? min(p.n - begin, p.run) : 0;
    }
    return f;
}

// Whether the element `x` of run `q` precedes the element `y` of run `other`, another one.
__device__ __forceinline__ bool run_before(const In& x, u32 q, const In& y, u32 other) {
    return q < other ? !comes_before(y, x) : comes_before(x, y);
}

// Gives back `excess` of the elements that have been taken from the runs, the last ones in sort order: `taken`, the
// number of elements taken from each run, decreases. element(q, i) is element i of run q. Called by all lanes of a
// warp.
template <class Count, class Element>
__device__ __forceinline__ void give_back(u32 excess, Count (&taken)[WAYS], const Element& element) {
    for (; excess > 0; excess--) {
        u32 last = WAYS;
        In x;
#pragma unroll
        for (u32 q = 0; q < WAYS; q++) {
            if (taken[q] == 0) continue;
            const In y = element(q, taken[q] - 1);
            if (last == WAYS || !comes_before(y, x)) last = q, x = y;
        }
#pragma unroll
        for (u32 q = 0; q < WAYS; q++) taken[q] -= q == last;
    }
}

// Finds the splits at each pivot, the number of elements of each run before it, with one warp for each pivot. A group
// has p.pivots pivots, a multiple of WAYS, which the runs supply in turn.
__device__ __forceinline__ void split_runs(const MergeFourParams& p) {
    const u64 warp = (u64)blockIdx.x * (SPLITTERS / WARP) + warp_index(), group = warp / p.pivots, pivot = warp % p.pivots;
    if (group * WAYS * p.run >= p.n) return;
    const Four f = four_at(p, group);
    const u32 own = (u32)(pivot % WAYS);
    const u64 at = pivot * p.run / p.pivots;
    // Returns the number of pivots among the first `number` elements of run q.
    const auto pivots_of = [&](u32 q, u64 number) {
        const u64 steps = (number * p.pivots + p.run - 1) / p.run;
        return steps > q ? (steps - q + WAYS - 1) / WAYS : 0;
    };
    u64 taken[WAYS], high[WAYS], place = 0;
    u64 of_own = 0;
#pragma unroll
    for (u32 q = 0; q < WAYS; q++) {
        if (q == own) of_own = f.of[q];
    }
    const In* const runs = p.input + f.first;
    if (at < of_own) {
        const In x = runs[own * p.run + at];
#pragma unroll
        for (u32 q = 0; q < WAYS; q++) taken[q] = q == own ? at : 0, high[q] = q == own ? at : f.of[q];
        for (bool more = true; more;) {
            more = false;
#pragma unroll
            for (u32 q = 0; q < WAYS; q++) {
                if (taken[q] >= high[q]) continue;
                const u64 step = (high[q] - taken[q] + WARP - 1) / WARP, probe = taken[q] + lane_index() * step;
                const bool before = probe < high[q] && run_before(runs[q * p.run + probe], q, x, own);
                const u32 number = __popc(__ballot_sync(~0u, before));
                high[q] = min(high[q], taken[q] + number * step);
                if (number > 0) taken[q] += (number - 1) * step + 1;
                more = more || taken[q] < high[q];
            }
        }
#pragma unroll
        for (u32 q = 0; q < WAYS; q++) place += pivots_of(q, taken[q]);
        give_back((u32)((taken[0] + taken[1] + taken[2] + taken[3]) % UNIT), taken, [&](u32 q, u64 i) { return runs[q * p.run + i]; });
    } else {
        // No such pivot: the run is too short. It ranks after all pivots that exist, and after the missing ones of
        // lower index.
        u64 before = 0;
#pragma unroll
        for (u32 q = 0; q < WAYS; q++) {
            taken[q] = f.of[q];
            const u64 there = pivots_of(q, f.of[q]), lower = pivot > q ? (pivot - q + WAYS - 1) / WAYS : 0;
            place += there, before += min(there, lower);
        }
        place += pivot - before;
    }
    u64* const splits = p.splits + (group * p.pivots + place) * WAYS;
#pragma unroll
    for (u32 q = 0; q < WAYS; q++) {
        if (lane_index() == q) splits[q] = taken[q];
    }
}

// Tile of results, and where its elements are in a stage (a buffer in shared memory).
struct FourTile {
    u64 begin;               // position of its first result
    u64 from[WAYS];  // position of each run's first element, less the number of elements of lower runs in the tile
    u32 number[WAYS];        // number of elements of each run
    u32 at[WAYS];            // byte offset of each run's elements in the stage
    u32 last;                // whether it is the part's last tile
};

// Number of 16-byte lines of a stage: room for a chunk of each run, or for a tile's results, and for the bytes that are
// read past the end of runs, whose values are not used.
constexpr u32 RESULT_LINES = TILE * sizeof(In) / LINE;
constexpr u32 ROOM_LINES = (MERGE_ITEMS * sizeof(In) + LINE - 1) / LINE;
constexpr u32 STAGE_LINES = RESULT_LINES + 2 * WAYS + ROOM_LINES;

struct alignas(LINE) FourShared {
    Line stages[FOUR_STAGES][STAGE_LINES];
    Line halves[RESULT_LINES + ROOM_LINES];
    u16 half_places[PAIRS ? TILE : 1];
    u16 places[PAIRS ? TILE : 1];
    FourTile tiles[FOUR_STAGES];
};

// Returns how many of the `number` elements of run `q` in shared memory precede `x`, an element of run `other`; all of
// them if that is run `q`. Called by all lanes of a warp: 8 lanes search in each run.
__device__ __forceinline__ u32 before_here(const In* elements, u32 number, u32 q, const In& x, u32 other) {
    constexpr u32 GROUP_LANES = WARP / WAYS;
    const u32 lane = lane_index() % GROUP_LANES, first = lane_index() / GROUP_LANES * GROUP_LANES;
    u32 low = 0, high = q == other ? 0 : number;
    while (__any_sync(~0u, low < high)) {
        const u32 step = (high - low + GROUP_LANES - 1) / GROUP_LANES, probe = low + lane * step;
        const bool before = probe < high && run_before(elements[probe], q, x, other);
        const u32 count = __popc(__ballot_sync(~0u, before) >> first & ((1u << GROUP_LANES) - 1));
        high = min(high, low + count * step);
        if (count > 0) low += (count - 1) * step + 1;
    }
    return q == other ? number : low;
}

// Runs the finder warp: it stages the tiles of a part, one after the other.
__device__ __forceinline__ void bring_tiles(const MergeFourParams& p, FourShared& shared, const Four& f, u64 (&taken)[WAYS], const u64 (&end)[WAYS]) {
    const In* const runs = p.input + f.first;
    const u32 own = lane_index() / (WARP / WAYS);
    u32 chunk[WAYS] = {CHUNK, CHUNK, CHUNK, CHUNK};
    for (u32 t = 0;; t++) {
        const u32 stage = t % FOUR_STAGES;
        if (t >= FOUR_STAGES) barrier_wait(STAGE_EMPTY + stage, THREADS + FINDERS);
        Line* const to = shared.stages[stage];
        u32 number[WAYS], at[WAYS];
        bool more = false;
        u32 line = 0;
#pragma unroll
        for (u32 q = 0; q < WAYS; q++) {
            number[q] = (u32)min(end[q] - taken[q], (u64)chunk[q]);
            more = more || number[q] < end[q] - taken[q];
            at[q] = line * LINE + copy_lines<WARP>(to + line, runs + q * p.run + taken[q], number[q], p.input, p.input + p.n, lane_index());
            line = (at[q] + number[q] * (u32)sizeof(In) + LINE - 1) / LINE;
        }
        close_group();
        wait_copies<0>();
        __syncwarp();
        const auto element = [&](u32 q, u32 i) { return ((const In*)(to->bytes + at[q]))[i]; };
        u32 tile_number[WAYS];
        u64 results = 0;
#pragma unroll
        for (u32 q = 0; q < WAYS; q++) tile_number[q] = number[q], results += taken[q];
        if (more) {
            // Only elements up to the bound are final: the first in sort order of the chunks' last elements.
            u32 last = WAYS;
            In x;
#pragma unroll
            for (u32 q = 0; q < WAYS; q++) {
                if (number[q] == end[q] - taken[q]) continue;
                const In y = element(q, number[q] - 1);
                if (last == WAYS || comes_before(y, x)) last = q, x = y;
            }
            u32 own_number = number[0], own_at = at[0];
#pragma unroll
            for (u32 q = 1; q < WAYS; q++) {
                if (q == own) own_number = number[q], own_at = at[q];
            }
            const u32 before = before_here((const In*)(to->bytes + own_at), own_number, own, x, last);
            u32 sum = 0;
#pragma unroll
            for (u32 q = 0; q < WAYS; q++) tile_number[q] = __shfl_sync(~0u, before, q * (WARP / WAYS)), sum += tile_number[q];
            give_back(sum % UNIT, tile_number, element);
        }
        if (lane_index() == 0) {
            FourTile& tile = shared.tiles[stage];
            tile.begin = f.first + results, tile.last = !more;
            u32 before = 0;
#pragma unroll
            for (u32 q = 0; q < WAYS; q++) {
                tile.from[q] = f.first + q * p.run + taken[q] - before;
                tile.number[q] = tile_number[q], tile.at[q] = at[q];
                before += tile_number[q];
            }
        }
        barrier_arrive(STAGE_FULL + stage, THREADS + FINDERS);
        // The next chunks are proportional to the elements taken from the runs.
        u32 all = 0;
#pragma unroll
        for (u32 q = 0; q < WAYS; q++) taken[q] += tile_number[q], all += tile_number[q];
#pragma unroll
        for (u32 q = 0; q < WAYS; q++) chunk[q] = LEAST + WAYS * (CHUNK - LEAST) * tile_number[q] / max(all, 1u);
        if (!more) {
            for (u32 s = t + 1 < FOUR_STAGES ? 0 : t + 1 - FOUR_STAGES; s <= t; s++) barrier_wait(STAGE_EMPTY + s % FOUR_STAGES, THREADS + FINDERS);
            return;
        }
    }
}

// Merges a part of the results of a group, between two neighbouring pivots, with one block for each part: a group has
// one more part than pivots.
__device__ __forceinline__ void merge_runs(const MergeFourParams& p) {
    __shared__ FourShared shared;
    const u64 group = blockIdx.x / (p.pivots + 1), part = blockIdx.x % (p.pivots + 1);
    if (threadIdx.x >= THREADS) {
        const Four f = four_at(p, group);
        const u64* const splits = p.splits + (group * p.pivots + part) * WAYS;
        u64 taken[WAYS], end[WAYS];
#pragma unroll
        for (u32 q = 0; q < WAYS; q++) {
            taken[q] = part == 0 ? 0 : min((splits - WAYS)[q], f.of[q]);
            end[q] = part == p.pivots ? f.of[q] : max(min(splits[q], f.of[q]), taken[q]);
        }
        bring_tiles(p, shared, f, taken, end);
        return;
    }
    const u32 mine = threadIdx.x * MERGE_ITEMS, warp_first = warp_index() * WARP_RESULTS;
    In* const halves = (In*)shared.halves;
    for (u32 t = 0;; t++) {
        const u32 stage = t % FOUR_STAGES;
        barrier_wait(STAGE_FULL + stage, THREADS + FINDERS);
        const FourTile& tile = shared.tiles[stage];
        unsigned char* const elements = shared.stages[stage]->bytes;
        const u32 of_x = tile.number[0] + tile.number[1], of_y = tile.number[2] + tile.number[3];
        // Each half begins at a thread's first result.
        const u32 threads_x = (of_x + MERGE_ITEMS - 1) / MERGE_ITEMS, y_at = threads_x * MERGE_ITEMS;
        {
            const u32 q = threadIdx.x < threads_x ? 0 : 2, before = q == 0 ? 0 : of_x;
            const Both both = {(const In*)(elements + tile.at[q]), (const In*)(elements + tile.at[q + 1]), tile.number[q], tile.number[q + 1]};
            merge_both<CHUNK * 2>(both, q == 0 ? mine : mine - y_at, [&](u32 i, const In& x, u32 place) {
                halves[mine + i] = x;
                if constexpr (PAIRS) shared.half_places[mine + i] = (u16)(before + place);
            });
        }
        main_sync();
        const u32 number = of_x + of_y;
        In* const results = (In*)elements;
        const Both both = {halves, halves + y_at, of_x, of_y};
        merge_both<CHUNK * 2>(both, mine, [&](u32 i, const In& x, u32 place) {
            results[mine + i] = x;
            if constexpr (PAIRS) shared.places[mine + i] = shared.half_places[place < of_x ? place : min(y_at + place - of_x, TILE - 1)];
        });
        __syncwarp();
        const u32 of_warp = warp_first < number ? min(WARP_RESULTS, number - warp_first) : 0;
        store_lines(p.output + tile.begin + warp_first, (const Line*)(results + warp_first), of_warp);
        if constexpr (PAIRS) {
            MergeValue* const values_to = (MergeValue*)p.values_output + tile.begin + warp_first;
#pragma unroll 4
            for (u32 i = lane_index(); i < of_warp; i += WARP) {
                const u32 place = shared.places[warp_first + i];
                const u32 q = place < of_x ? (place < tile.number[0] ? 0 : 1) : place < of_x + tile.number[2] ? 2 : 3;
                values_to[i] = ((const MergeValue*)p.values)[tile.from[q] + place];
            }
        }
        const bool last = tile.last;
        barrier_arrive(STAGE_EMPTY + stage, THREADS + FINDERS);
        if (last) return;
    }
}

// Each step is compiled alone: a function with captured values reads them by the name of the kernel's parameters.
extern "C" __global__ void __launch_bounds__(MERGE_STEP == MERGES ? THREADS + FINDERS : SPLITTERS, MERGE_STEP == MERGES ? BLOCKS : 1) upsweep_merge_four(const __grid_constant__ MergeFourParams p) {
    if constexpr (MERGE_STEP == MERGES) merge_runs(p);
    else split_runs(p);
}
