// Expand: for each of `counts` its number of results (their values: expand/tile.cuh), in a single pass over the counts.
//
// The pipeline (pipeline.cuh) of this task:
//
//   reduce      the sum of each thread's counts, and of each warp's
//   look back   the results before the tile
//   finish      the tile's results. More than LARGE_TILE are cut into stretches, which expand/large.cuh stores
//               afterwards, each by a block of its own: so no tile delays others, however large its counts
//
// Counts of 0 cost no more than their bytes. Sums that overflow 64 bits saturate at the largest number, for which no
// output has room; so stored results are right.
//
// The number of counts may lie in device memory (`length`): the grid is then sized for the capacity of the input.
//
// Memory ordering: pipeline.cuh, expand/tile.cuh. The list of stretches is read by another launch.

#pragma once

#include "expand/tile.cuh"
#include "tile/pipeline.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

// Number of results of a tile, or of all tiles before it.
struct Number {
    u64 results;
};
__device__ __forceinline__ Number combine(const Number& a, const Number& b) { return {plus(a.results, b.results)}; }

struct ExpandTask {
    using State = Number;
    using Params = ExpandParams;
    static constexpr bool FINISHES = true;
    static constexpr u32 PREPARERS = 0, DRAWER = 0, PUBLISHER = 0;
    static constexpr Asks ASKS = Asks::AND_GOES_ON;
    using Slot = Counts::Slot;
    static_assert(sizeof(Slot) == SLOT_BYTES, "the host sizes the shared memory by it");

    struct Shared {
        u32 before[STAGES][THREADS];  // number of results before the thread's, in its warp; truncated for a large tile
        Number warp_totals[STAGES][WARPS];
        u32 before_warp[STAGES][WARPS];
        Number before_tile[STAGES];
        Number number[STAGES];  // number of the tile's results
        u64 place;              // index in the list of stretches (parts of a large tile's results)
    };

    const Params& p;
    Shared& shared;
    const Counts input;

    // Dynamic shared memory: the tiles, the marks, which are 0 initially, and the starts of counts.
    static constexpr u32 TILE_BYTES = Counts::SLOTS * sizeof(Slot);
    __device__ __forceinline__ Slot* slots(u32 k) const { return (Slot*)(dynamic_shared + k % STAGES * TILE_BYTES); }
    using Marks = TileResults::Marks;
    __device__ __forceinline__ Marks& marks() const { return *(Marks*)(dynamic_shared + STAGES * TILE_BYTES); }
    __device__ __forceinline__ Rank* starts() const { return (Rank*)(&marks() + 1); }

    __device__ __forceinline__ ExpandTask(const Params& p, Shared& shared)
        : p(p), shared(shared), input((const Count*)p.counts, p.n) {
        if (warp_index() >= WARPS) return;
        for (u32 i = threadIdx.x; i < MARKS; i += THREADS) marks().at[i] = 0;  // before the first tile's barrier
    }

    __device__ __forceinline__ const Number* totals(u32 k) const { return shared.warp_totals[k % STAGES]; }
    __device__ __forceinline__ void stage(u32 k, u64 tile) const { input.stage_tile(tile, slots(k)); }

    __device__ __forceinline__ void reduce(u32 k, u64 tile) const {
        const u64 own = OwnCounts(slots(k), tile_count(p.n, tile)).sum();
        const Number up_to = warp_inclusive_scan(Number{own}, lane_index());
        shared.before[k % STAGES][threadIdx.x] = (u32)(up_to.results - own);
        if (lane_index() == WARP - 1) shared.warp_totals[k % STAGES][warp_index()] = up_to;
    }
    __device__ __forceinline__ void store(u32, u64) const {}
    __device__ __forceinline__ void check(u64) const {}

    __device__ __forceinline__ void look_back(u32 k, u64 tile, const Chain<Number>& chain) const {
        const u32 slot = k % STAGES, lane = lane_index();
        const Number own = lane < WARPS ? shared.warp_totals[slot][lane] : Number{0};
        const Number up_to = warp_inclusive_scan(own, lane), number = shuffle(up_to, WARP - 1);
        if (lane < WARPS) shared.before_warp[slot][lane] = (u32)(up_to.results - own.results);
        Number before = {};
        if (tile > 0) before = chain.look_back(tile);
        if (lane != 0) return;
        shared.before_tile[slot] = before;
        shared.number[slot] = number;
        if (tile + 1 == chain.tiles) {
            const u64 total = plus(before.results, number.results);
            *p.count = total;
            if (p.asked && total > p.capacity) report_fault(p.workspace, FAULT_CAPACITY, total, (i64)p.capacity);
        }
    }

    __device__ __forceinline__ void finish(u32 k, u64 tile) const {
        const u32 slot = k % STAGES;
        const u64 before = shared.before_tile[slot].results, number = shared.number[slot].results;
        if (!p.asked || before >= p.capacity) return;  // only the number is requested, or there is no room
        const u64 stored = min(number, p.capacity - before);
        const TileResults results{p, marks(), starts(), tile * TILE, (Result*)p.output + before};
        if (number > LARGE_TILE) return leave(tile, before, (results.skew() + stored + LARGE_TILE - 1) / LARGE_TILE);
        const u32 start = shared.before_warp[slot][warp_index()] + shared.before[slot][threadIdx.x];
        results.store<false, i32>(OwnCounts(slots(k), tile_count(p.n, tile)), (i32)start, 0, (i32)stored);
        __syncwarp();  // the next tile of these slots is staged by other lanes
    }

    // Leaves the results of a large tile to another launch, cut into `number` stretches. `before` is the number of
    // results before the tile. Called by all compute warps.
    __device__ __forceinline__ void leave(u64 tile, u64 before, u64 number) const {
        if (threadIdx.x == 0) shared.place = atomicAdd((u64*)p.large, number);
        main_sync();
        for (u64 i = threadIdx.x; i < number; i += THREADS) stretches(p)[shared.place + i] = {before, (u32)tile, (u32)i};
        main_sync();
    }
};

extern "C" __global__ void __launch_bounds__(THREADS + Pipeline<ExpandTask>::HELPERS * WARP, BLOCKS) upsweep_expand(const __grid_constant__ ExpandParams given) {
    ExpandParams p = given;
    if (p.length) {
        const u64 length = *p.length;
        if (length > p.n && blockIdx.x == 0 && threadIdx.x == 0) report_fault(p.workspace, FAULT_LENGTH, length, (i64)p.n);
        p.n = min(p.n, length);
    }
    Pipeline<ExpandTask>::run(p, tile_number(p.n));
}
