// Single-pass scan of an array of any length, and reduction by flags or keys. Shorter arrays go to wave.cuh.
//
// The pipeline (pipeline.cuh) of this task. Lines of float sums have tiles, and chains of these, of their own (places.cuh).
//
//   reduce     the warps' totals of a tile
//   look back  the exclusive prefix of each warp of the tile
//   finish     rescan the tile from that, store
//
// The operator is applied to elements and combinations of neighbours only, in order: it needs no identity and need not
// commute.
//
// Memory ordering: pipeline.cuh. Marks by flags and keys stay within a warp. Marks by offsets belong to MARK_SLOTS
// tiles: a tile's marks are set before it is reduced and read until it is finished.
//
// In place: a tile is staged before it is stored, and nothing else reads its elements.

#pragma once

#include "tile/offsets.cuh"
#include "tile/pipeline.cuh"
#include "tile/tree.cuh"

template <bool> struct ScanChainOf { using type = Chain<State>; };
template <> struct ScanChainOf<true> { using type = Chain<State, Tree<T>>; };
using ScanChain = ScanChainOf<TREE>::type;

// Chains of lines of several tiles, one after the other: tile `t` of all is a tile of one of them.
struct LineChains {
    const Params& p;
    u32 epoch;

    __device__ __forceinline__ u32 each() const { return (u32)p.tiles_of_line; }
    __device__ __forceinline__ ScanChain of_line(u32 line) const {
        return ScanChain{p.workspace, each(), epoch, line * (each() <= GROUP ? each() : ScanChain::entries(each()))};
    }
    __device__ __forceinline__ void publish(u64 t, const State& aggregate) const {
        if (each() == 1) return;
        const u32 line = line_of_tile(p, (u32)t);
        of_line(line).publish((u32)t - line * each(), aggregate);
    }
};
template <bool> struct TilesChainOf {
    using type = ScanChain;
    static __device__ __forceinline__ type of(const Params& p, u64 tiles, u32 epoch) {
        if constexpr (!TREE || !CONTINUES) return type{p.workspace, tiles, epoch};
        else {
            const u32 shift = (u32)(p.position / TILE % GROUP);
            return type{p.workspace, tiles + shift, epoch, 0, shift, p.before + OUTER};
        }
    }
};
template <> struct TilesChainOf<true> {
    using type = LineChains;
    static __device__ __forceinline__ type of(const Params& p, u64, u32 epoch) { return type{p, epoch}; }
};
using TilesChain = TilesChainOf<LINED>::type;

struct ScanTask {
    using State = ::State;
    using Params = ::Params;
    static constexpr bool FINISHES = true;
    static constexpr u32 PREPARERS = HEADS == Heads::OFFSETS ? OFFSETS_WARPS : 0, DRAWER = 0, PUBLISHER = 0;
    // When a ticket is requested (see Asks). For widened elements (sums of bf16), AND_WAITS takes 2 % more time.
    static constexpr Asks ASKS = sizeof(T) > sizeof(In) ? Asks::AND_GOES_ON : Asks::AND_WAITS;
    static_assert(LAG + PREPARERS + 2 <= MARK_SLOTS || PREPARERS == 0, "from a tile that is finished to one that is prepared");

    // Shared memory. Arrays of STAGES are indexed by the block's tiles that are in shared memory, modulo STAGES.
    struct Shared {
        Passes::Tile tiles[STAGES];
        Marks marks[MARKED ? MARK_SLOTS : 1];
        Found found[PREPARERS > 0 ? MARK_SLOTS : 1];
    };

    const Params& p;
    Shared& shared;
    const Input input;
    const bool out_aligned;

    __device__ __forceinline__ ScanTask(const Params& p, Shared& shared)
        : p(p), shared(shared), input(p.input, p.n, LINED ? p.stretch : 0), out_aligned(results_aligned(output_of(p), p.n, LINED ? p.stretch : 0)) {}

    __device__ __forceinline__ Slot* slots(u32 k) const { return tile_slots(dynamic_shared, k % STAGES); }
    __device__ __forceinline__ Marks& marks(u32 k) const { return shared.marks[MARKED ? k % MARK_SLOTS : 0]; }
    __device__ __forceinline__ Found& found(u32 k) const { return shared.found[PREPARERS > 0 ? k % MARK_SLOTS : 0]; }
    __device__ __forceinline__ const Passes::Tile& totals(u32 k) const { return shared.tiles[k % STAGES]; }

    __device__ __forceinline__ void stage(u32 k, u64 tile) const {
        const TilePlace place = tile_place(p, tile);
        const auto extent_of = [&](u32 offset) { return extent(p, offset, VECTOR, place.count); };
        input.stage_from(place.begin, place.count, slots(k), extent_of, [&](u64 i) {
            if (READ_MARKS) prefetch_sources(p, i);
        });
    }

    __device__ __forceinline__ void reduce(u32 k, u64 tile) const {
        const auto [begin, count] = tile_place(p, tile);
        mark_heads(p, begin, count, marks(k));
        if (ALL_FULL || count == TILE) Passes::reduce<true>(p, begin, count, slots(k), marks(k), shared.tiles[k % STAGES]);
        else Passes::reduce<false>(p, begin, count, slots(k), marks(k), shared.tiles[k % STAGES]);
    }
    __device__ __forceinline__ void store(u32, u64) const {}
    __device__ __forceinline__ void check(u64 tile) const {
        if constexpr (HEADS == Heads::OFFSETS) check_others(p, tile);
    }

    __device__ __forceinline__ void look_back(u32 k, u64 tile, const ScanChain& chain) const {
        Passes::look_back(p, tile, shared.tiles[k % STAGES], chain);
    }
    __device__ __forceinline__ void look_back(u32 k, u64 tile, const LineChains& chains) const {
        const u32 line = line_of_tile(p, (u32)tile);
        look_back(k, (u32)tile - line * chains.each(), chains.of_line(line));
    }

    __device__ __forceinline__ void finish(u32 k, u64 tile) const {
        const auto [begin, count] = tile_place(p, tile);
        const Passes::Tile& totals = shared.tiles[k % STAGES];
        if (ALL_FULL || count == TILE) Passes::rescan<true>(p, begin, count, slots(k), marks(k), totals, out_aligned);
        else Passes::rescan<false>(p, begin, count, slots(k), marks(k), totals, out_aligned);
    }

    // Returns the state of a preparing warp, for segments by offsets: it marks the heads of a tile before the tile is
    // reduced.
    __device__ __forceinline__ OffsetsWarp preparer(u64 tiles) const { return OffsetsWarp(p, tiles); }
    __device__ __forceinline__ void prepare(OffsetsWarp& warp, u32 k, u64 tile) const { warp.prepare(p, tile, marks(k), found(k)); }
    __device__ __forceinline__ void after_prepare(const OffsetsWarp& warp, u64 tile) const { warp.check(p, tile); }
    __device__ __forceinline__ bool left_over(u32 k) const { return found(k).range.has_more(); }
    __device__ __forceinline__ void prepare_together(u32 k, u64 tile) const { mark_others(p, tile, found(k).range, marks(k)); }
};

template <> struct ChainOf<ScanTask> : TilesChainOf<LINED> {};

extern "C" __global__ void __launch_bounds__(THREADS + Pipeline<ScanTask>::HELPERS * WARP, BLOCKS) upsweep_scan(const __grid_constant__ ScanParams given) {
    const Params p(given);
    Pipeline<ScanTask>::run(p, tile_number(p));
}
