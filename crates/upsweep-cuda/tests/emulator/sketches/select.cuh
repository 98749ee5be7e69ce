// Sketch of a stream compaction of two columns: rows are selected whose first value is odd. The number of rows is in
// device memory, and so is the number of selected ones. A task of the pipeline; it is not fast.

#include "tile/pipeline.cuh"
#include "warp/sum.cuh"

struct Params {
    const u32* first;
    const u64* second;
    u32* first_output;
    u64* second_output;
    const u64* length;  // rows; the grid is sized for more
    u64* kept;          // their number
    u64 capacity;       // rows that the outputs have room for
    Workspace workspace;
    u64 n;              // read from `length` by the kernel
};

extern __shared__ __align__(128) unsigned char dynamic_shared[];

struct Count {
    u64 rows;
};
__device__ __forceinline__ Count combine(const Count& a, const Count& b) { return Count{a.rows + b.rows}; }

struct SelectTask {
    using State = Count;
    using Params = ::Params;
    static constexpr bool FINISHES = true;
    static constexpr u32 PREPARERS = 0, DRAWER = 0, PUBLISHER = 0;
    static constexpr Asks ASKS = Asks::AND_GOES_ON;
    using First = Stream<u32>;
    using Second = Stream<u64>;
    static constexpr u32 TILE_BYTES = First::SLOTS * sizeof(First::Slot) + Second::SLOTS * sizeof(Second::Slot);

    struct Shared {
        Count warp_totals[STAGES][WARPS];
        Count prefixes[STAGES][WARPS];
    };

    const Params& p;
    Shared& shared;
    const First first;
    const Second second;

    __device__ __forceinline__ SelectTask(const Params& p, Shared& shared)
        : p(p), shared(shared), first(p.first, p.n), second(p.second, p.n) {}

    __device__ __forceinline__ First::Slot* firsts(u32 k) const { return (First::Slot*)(dynamic_shared + k % STAGES * TILE_BYTES); }
    __device__ __forceinline__ Second::Slot* seconds(u32 k) const { return (Second::Slot*)(firsts(k) + First::SLOTS); }
    __device__ __forceinline__ const Count* totals(u32 k) const { return shared.warp_totals[k % STAGES]; }

    __device__ __forceinline__ void stage(u32 k, u64 tile) const {
        first.stage_tile(tile, firsts(k));
        second.stage_tile(tile, seconds(k));
    }

    // Calls f(place in the thread) for each of this thread's selected rows.
    template <class F>
    __device__ __forceinline__ void each_kept(u32 k, u64 tile, F f) const {
        const u32 begin = threadIdx.x * ITEMS, mine = existing<false>(begin, ITEMS, tile_count(p.n, tile));
        for (u32 i = 0; i < mine; i++) {
            const u32 at = begin + i;
            if (((const u32*)firsts(k)[at / VECTOR].bytes)[at % VECTOR] & 1) f(at);
        }
    }
    __device__ __forceinline__ u32 number_kept(u32 k, u64 tile) const {
        u32 number = 0;
        each_kept(k, tile, [&](u32) { number++; });
        return number;
    }

    __device__ __forceinline__ void reduce(u32 k, u64 tile) const {
        const u32 number = warp_sum(number_kept(k, tile));
        if (lane_index() == 0) shared.warp_totals[k % STAGES][warp_index()] = Count{number};
    }
    __device__ __forceinline__ void store(u32, u64) const {}
    __device__ __forceinline__ void check(u64) const {}

    __device__ __forceinline__ void look_back(u32 k, u64 tile, const Chain<Count>& chain) const {
        Count prefix = {0};
        if (tile > 0) prefix = chain.prefix(tile);
        for (u32 warp = 0; warp < WARPS; warp++) {
            if (lane_index() == 0) shared.prefixes[k % STAGES][warp] = prefix;
            prefix = combine(prefix, shared.warp_totals[k % STAGES][warp]);
        }
        if (tile + 1 == chain.tiles && lane_index() == 0) *p.kept = prefix.rows;
    }

    __device__ __forceinline__ void finish(u32 k, u64 tile) const {
        const u32 own = number_kept(k, tile);
        u64 to = shared.prefixes[k % STAGES][warp_index()].rows + warp_inclusive_sum(own) - own;
        each_kept(k, tile, [&](u32 at) {
            if (to < p.capacity) {
                p.first_output[to] = ((const u32*)firsts(k)[at / VECTOR].bytes)[at % VECTOR];
                p.second_output[to] = ((const u64*)seconds(k)[at / VECTOR].bytes)[at % VECTOR];
            }
            to++;
        });
        __syncwarp();  // other threads of the warp stage into the slots that this one has read
    }
};

extern "C" __global__ void __launch_bounds__(THREADS + Pipeline<SelectTask>::HELPERS * WARP, BLOCKS) sketch_select(const __grid_constant__ Params given) {
    Params p = given;
    p.n = *p.length;
    Pipeline<SelectTask>::run(p, tile_number(p.n));
}
