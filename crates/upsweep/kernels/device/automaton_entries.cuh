// The state in which an automaton comes to each tile of a text. Before the kernel that walks along all of it, and of most of the
// text only little is read.
//
//   ways       of each tile: for each state the one that the tile leads to from there. All states are walked along the tile's last
//              bytes, a lane each; if they do not come to one state, along more of them; at last along the whole tile
//   entries    the composition of the ways of all tiles before, from the first state: a chain (pipeline.cuh)
//
// Most automata forget where they began within some bytes. A text that makes them remember is read as a whole, by one warp a tile.
//
// A tile of the pipeline is WARPS tiles of the text, a warp's each. Nothing is staged.
//
// Memory ordering: pipeline.cuh. What a look-back warp leaves for `finish` lies between the barriers of its tile.

#pragma once

#include "memory/access.cuh"
#include "tile/automaton.cuh"
#include "tile/pipeline.cuh"

// From each state to another, by their numbers.
struct Way {
    u8 to[WAY_STATES];

    static __device__ __forceinline__ Way none() {
        Way way;
#pragma unroll
        for (u32 i = 0; i < WAY_STATES; i++) way.to[i] = (u8)i;
        return way;
    }
    // Whether it leads to one state from everywhere.
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
    static constexpr u32 A_LANE = (WAY_STATES + WARP - 1) / WARP;  // states a lane
    static constexpr u32 FEWEST = 64, TIMES = 4;               // bytes that are walked along first, and how many times more each time

    struct Shared {
        Way totals[STAGES][WARPS];
        u8 before[STAGES];
    };
    const Params& p;
    Shared& shared;

    __device__ __forceinline__ EntriesTask(const Params& p, Shared& shared) : p(p), shared(shared) {}

    // The tiles of the text; what the last one leads to, nobody asks.
    __device__ __forceinline__ u64 text_tiles() const { return tile_number(p.n); }

    __device__ __forceinline__ void stage(u32, u64) const {}
    __device__ __forceinline__ const Way* totals(u32 k) const { return shared.totals[k % STAGES]; }
    __device__ __forceinline__ void store(u32, u64) const {}
    __device__ __forceinline__ void check(u64) const {}

    // Walks along the bytes from `begin` to `end`, a multiple of FEWEST, from each lane's states.
    __device__ __forceinline__ void walk(u64 begin, u64 end, u32 (&states)[A_LANE]) const {
        u32 next = p.text[begin + lane_index()];
#pragma unroll 1
        for (u64 at = begin; at < end; at += WARP) {
            const u32 code = code_of(next);
            if (at + WARP < end) next = p.text[at + WARP + lane_index()];
#pragma unroll
            for (u32 i = 0; i < WARP; i++) {
                const u32 one = __shfl_sync(~0u, code, i);
#pragma unroll
                for (u32 j = 0; j < A_LANE; j++) states[j] = step_by(states[j], one);
            }
        }
    }

    // The way of a tile of the text that has another behind it.
    __device__ __forceinline__ Way way_of(u64 tile) const {
        const u64 begin = tile * TILE, end = begin + TILE;
        u32 states[A_LANE];
        for (u64 bytes = FEWEST;; bytes *= TIMES) {
            const bool whole = bytes >= TILE;
#pragma unroll
            for (u32 j = 0; j < A_LANE; j++) states[j] = state_of(min(lane_index() + j * WARP, (u32)p.states - 1));
            walk(whole ? begin : end - bytes, end, states);
            const u32 first = __shfl_sync(~0u, states[0], 0);
            bool same = true;
#pragma unroll
            for (u32 j = 0; j < A_LANE; j++) same &= (states[j] & 0xffff) == (first & 0xffff);
            if (whole || !__any_sync(~0u, !same)) break;
        }
        Way way;
#pragma unroll
        for (u32 i = 0; i < WAY_STATES; i++) way.to[i] = (u8)number_of_state(__shfl_sync(~0u, states[i / WARP], i % WARP));
        return way;
    }

    __device__ __forceinline__ void reduce(u32 k, u64 tile) const {
        const u64 of_text = tile * WARPS + warp_index();
        const Way way = of_text + 1 < text_tiles() ? way_of(of_text) : Way::none();
        if (lane_index() == 0) shared.totals[k % STAGES][warp_index()] = way;
    }

    __device__ __forceinline__ void look_back(u32 k, u64 tile, const Chain<Way>& chain) const {
        Way before = Way::none();
        if (tile > 0) before = chain.look_back(tile);
        if (lane_index() == 0) shared.before[k % STAGES] = before.to[0];
    }

    __device__ __forceinline__ void finish(u32 k, u64 tile) const {
        const u64 of_text = tile * WARPS + threadIdx.x;
        if (threadIdx.x >= WARPS || of_text >= text_tiles()) return;
        u32 state = shared.before[k % STAGES];
        for (u32 i = 0; i < threadIdx.x; i++) state = totals(k)[i].to[state];
        p.entries[of_text] = (u8)state;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS + Pipeline<EntriesTask>::HELPERS * WARP, BLOCKS) upsweep_automaton_entries(const __grid_constant__ AutomatonParams p) {
    fill_automaton((u32)p.states, (u32)p.classes, (u32)p.steps_at, blockDim.x);
    __syncthreads();
    Pipeline<EntriesTask>::run(p, (tile_number(p.n) + WARPS - 1) / WARPS);
}
