// Entry state of the automaton at each tile of a text: the composition of the transition functions of all tiles before
// (automaton/ways.cuh), applied to the state in which the text begins. The composition is a chain (pipeline.cuh).
//
// A tile of the pipeline is TILES_A_WARP neighbouring tiles of the text for each warp. Nothing is staged.
//
// Memory ordering: pipeline.cuh. The data from a look-back warp to `finish` is written and read between the barriers of
// its tile.

#pragma once

#include "tile/pipeline.cuh"

// Transition function of a range of the text: for each state the number of the state that it leads to.
struct Way {
    u8 to[WAY_STATES];

    static __device__ __forceinline__ Way none() {
        Way way;
#pragma unroll
        for (u32 i = 0; i < WAY_STATES; i++) way.to[i] = (u8)i;
        return way;
    }
    // Whether the function is constant: all states lead to one.
    __device__ __forceinline__ bool forgets() const {
        const Words<Way> words = to_words(*this);
        bool same = true;
#pragma unroll
        for (u32 i = 0; i < Words<Way>::COUNT; i++) same &= words.word[i] == to[0] * 0x01010101u;
        return same;
    }
};
__device__ __forceinline__ Way combine(const Way& a, const Way& b) {
    if (b.forgets()) return b;
    Way both;
#pragma unroll 1
    for (u32 i = 0; i < WAY_STATES; i++) both.to[i] = b.to[a.to[i]];
    return both;
}
static_assert(sizeof(Way) == WAY_STATES, "the host sizes the workspace by it");

struct EntriesTask {
    using State = Way;
    using Params = AutomatonParams;
    static constexpr bool FINISHES = true;
    static constexpr u32 PREPARERS = 0, DRAWER = 0, PUBLISHER = 0;
    static constexpr Asks ASKS = Asks::AND_GOES_ON;

    struct Shared {
        Way totals[STAGES][WARPS];
        u8 before[STAGES];
    };
    const Params& p;
    Shared& shared;

    __device__ __forceinline__ EntriesTask(const Params& p, Shared& shared) : p(p), shared(shared) {}

    // Number of tiles of the text.
    __device__ __forceinline__ u64 text_tiles() const { return tile_number(p.n); }

    __device__ __forceinline__ void stage(u32, u64) const {}
    __device__ __forceinline__ const Way* totals(u32 k) const { return shared.totals[k % STAGES]; }
    __device__ __forceinline__ void store(u32, u64) const {}
    __device__ __forceinline__ void check(u64) const {}

    __device__ __forceinline__ void reduce(u32 k, u64 tile) const {
        // The last tile's end state is not needed.
        const u64 first = (tile * WARPS + warp_index()) * TILES_A_WARP, end = min(first + TILES_A_WARP, text_tiles() - 1);
        Way& way = shared.totals[k % STAGES][warp_index()];
        for (u32 i = lane_index(); i < WAY_STATES; i += WARP) {
            u32 state = i;
            for (u64 of_text = first; of_text < end; of_text++) state = p.ways[of_text * WAY_STATES + state];
            way.to[i] = (u8)state;
        }
    }

    __device__ __forceinline__ void look_back(u32 k, u64 tile, const Chain<Way>& chain) const {
        Way before = Way::none();
        if (tile > 0) before = chain.look_back(tile);
        const u32 first = p.before ? (u32)min(*p.before, p.states - 1) : 0;
        if (lane_index() == 0) shared.before[k % STAGES] = before.to[first];
    }

    __device__ __forceinline__ void finish(u32 k, u64 tile) const {
        const u64 first = (tile * WARPS + threadIdx.x) * TILES_A_WARP, end = min(first + TILES_A_WARP, text_tiles());
        if (threadIdx.x >= WARPS) return;
        u32 state = shared.before[k % STAGES];
        for (u32 i = 0; i < threadIdx.x; i++) state = totals(k)[i].to[state];
        for (u64 of_text = first; of_text < end; of_text++) {
            p.entries[of_text] = (u8)state;
            if (of_text + 1 < text_tiles()) state = p.ways[of_text * WAY_STATES + state];
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS + Pipeline<EntriesTask>::HELPERS * WARP, BLOCKS) upsweep_automaton_entries(const __grid_constant__ AutomatonParams p) {
    Pipeline<EntriesTask>::run(p, (tile_number(p.n) + WARPS * TILES_A_WARP - 1) / (WARPS * TILES_A_WARP));
}
