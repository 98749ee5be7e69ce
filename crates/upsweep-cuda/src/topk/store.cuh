// Top-k, the pass that stores the results from the input, in the input's order, if there are no candidates
// (topk/ranked.cuh). In a single pass. The wanted key is the last of the k keys in sort order.
//
// The pipeline (tile/pipeline.cuh) of this task:
//
//   reduce      the number of a tile's keys before the wanted one, and of those equal to it
//   look back   both numbers for all tiles before
//   finish      scatters the tile's keys that are taken to their places:
//               keys before the wanted one before it  +  keys equal to it before it, of which `ties` are taken

#pragma once

#include "tile/pipeline.cuh"
#include "topk/ranked.cuh"
#include "warp/sum.cuh"

extern __shared__ __align__(128) unsigned char dynamic_shared[];

using TakenNumber = UnsignedOf<HOST_STATE_BYTES / 2>::type;
struct Taken {
    TakenNumber before, equal;  // number of keys before the wanted one in sort order, and of those equal to it
};
__device__ __forceinline__ Taken combine(const Taken& a, const Taken& b) { return {a.before + b.before, a.equal + b.equal}; }

// Parameters of the pass that stores the results from the input.
struct TopKPass {
    Workspace workspace;
    const In* keys;
    u64 n;
    KeyBits wanted;
    u64 ties;  // number of keys equal to `wanted` that are taken
    In* values;
    KeyPlace* places;
};

struct TopKTask {
    using State = Taken;
    using Params = TopKPass;
    static constexpr bool FINISHES = true;
    static constexpr u32 PREPARERS = 0, DRAWER = 0, PUBLISHER = 0;
    static constexpr Asks ASKS = Asks::AND_GOES_ON;
    using Input = Stream<In>;
    using Slot = Input::Slot;
    static_assert(sizeof(Slot) == SLOT_BYTES, "the host sizes the shared memory by it");
    static constexpr u32 TILE_BYTES = Input::SLOTS * sizeof(Slot);
    static_assert(TILE < 1 << 16, "both numbers of a tile are in one word");

    // What a key adds to the two counts of its tile, which share a word: a key before the wanted one adds to the low
    // half, a key equal to it to the high half.
    static constexpr u32 ONE_BEFORE = 1, ONE_EQUAL = 1 << 16;

    struct Shared {
        u32 up_to[STAGES][THREADS];      // counts of a warp's lanes up to this one
        Taken warp_totals[STAGES][WARPS];
        u32 before_warp[STAGES][WARPS];  // counts before a warp, in the tile
        u32 number[STAGES];              // counts of the tile
        Taken before_tile[STAGES];
    };

    const Params& p;
    Shared& shared;
    const Input input;

    __device__ __forceinline__ TopKTask(const Params& p, Shared& shared) : p(p), shared(shared), input(p.keys, p.n) {}

    __device__ __forceinline__ Slot* slots(u32 k) const { return (Slot*)(dynamic_shared + k % STAGES * TILE_BYTES); }
    __device__ __forceinline__ const Taken* totals(u32 k) const { return shared.warp_totals[k % STAGES]; }
    __device__ __forceinline__ void stage(u32 k, u64 tile) const { input.stage_tile(tile, slots(k)); }

    __device__ __forceinline__ u32 number_of(KeyBits key) const {
        return key < p.wanted ? ONE_BEFORE : key == p.wanted ? ONE_EQUAL : 0;
    }
    template <bool FULL>
    __device__ __forceinline__ u32 number_of_mine(u32 k, u32 mine) const {
        u32 number = 0;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            In x[VECTOR];
            Input::load(slots(k)[threadIdx.x * ROWS + row], x);
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                if (FULL || row * VECTOR + j < mine) number += number_of(key_in_order(x[j]));
            }
        }
        return number;
    }

    __device__ __forceinline__ void reduce(u32 k, u64 tile) const {
        const u32 count = tile_count(p.n, tile);
        const u32 own = count == TILE ? number_of_mine<true>(k, ITEMS)
                                      : number_of_mine<false>(k, existing<false>(threadIdx.x * ITEMS, ITEMS, count));
        const u32 up_to = warp_inclusive_sum(own), slot = k % STAGES;
        shared.up_to[slot][threadIdx.x] = up_to;
        if (lane_index() == WARP - 1) shared.warp_totals[slot][warp_index()] = taken(up_to);
    }
    __device__ __forceinline__ void store(u32, u64) const {}
    __device__ __forceinline__ void check(u64) const {}

    static __device__ __forceinline__ Taken taken(u32 number) { return {(TakenNumber)(number & 0xffff), (TakenNumber)(number >> 16)}; }

    __device__ __forceinline__ void look_back(u32 k, u64 tile, const Chain<Taken>& chain) const {
        const u32 slot = k % STAGES, lane = lane_index();
        const Taken own = lane < WARPS ? shared.warp_totals[slot][lane] : Taken{};
        const u32 packed = (u32)own.before | (u32)own.equal << 16, up_to = warp_inclusive_sum(packed);
        if (lane < WARPS) shared.before_warp[slot][lane] = up_to - packed;
        const u32 number = __shfl_sync(~0u, up_to, WARP - 1);
        Taken before = {};
        if (tile > 0) before = chain.look_back(tile);
        if (lane != 0) return;
        shared.before_tile[slot] = before;
        shared.number[slot] = number;
    }

    __device__ __forceinline__ void finish(u32 k, u64 tile) const {
        const u32 slot = k % STAGES, number = shared.number[slot];
        const Taken before = shared.before_tile[slot];
        if ((number & 0xffff) == 0 && (number < ONE_EQUAL || before.equal >= p.ties)) return;
        // Counts of the tile's keys before this thread's first key.
        const u32 up_to = shared.up_to[slot][threadIdx.x], below = __shfl_up_sync(~0u, up_to, 1);
        const u32 in_warp = lane_index() > 0 ? below : 0;
        u32 at = shared.before_warp[slot][warp_index()] + in_warp;
        const u32 mine = up_to == in_warp ? 0 : existing<false>(threadIdx.x * ITEMS, ITEMS, tile_count(p.n, tile));
#pragma unroll 1
        for (u32 i = 0; i < mine; i++) {
            const u32 item = threadIdx.x * ITEMS + i;
            const In x = ((const In*)slots(k)[item / VECTOR].bytes)[item % VECTOR];
            const u32 one = number_of(key_in_order(x));
            if (one == 0) continue;
            const u64 equal = before.equal + (u64)(at >> 16), to = before.before + (u64)(at & 0xffff) + min(equal, p.ties);
            at += one;
            if (one == ONE_EQUAL && equal >= p.ties) continue;
            if (p.values) p.values[to] = x;
            if (p.places) p.places[to] = (KeyPlace)(tile * TILE + item);
        }
        __syncwarp();  // lanes stage the next tile over slots that others have read
    }
};

extern "C" __global__ void __launch_bounds__(THREADS + Pipeline<TopKTask>::HELPERS * WARP, BLOCKS) upsweep_topk(const __grid_constant__ TopKParams p) {
    wait_for_kernel_before();
    const RankHeader& header = *(const RankHeader*)p.header;
    const bool done = p.takes && collected(p, header);
    const TopKPass pass = {p.workspace, p.keys, done ? 0 : p.n, header.low, header.rank, p.values, (KeyPlace*)p.places};
    Pipeline<TopKTask>::run(pass, tile_number(pass.n));
}
