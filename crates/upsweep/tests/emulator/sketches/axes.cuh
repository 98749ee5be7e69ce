// A sketch: the sums of a matrix along its rows and then along its columns (a summed-area table), in one pass over memory.
// Tiles tell each other two things in sequence: first the sums of their rows, along each band of tiles; then, from rows that
// are complete, those of their columns, down each stack. What they tell has 256 bytes. It is not fast.

#include "tile/blockwise.cuh"
#include "tile/lookback.cuh"

constexpr u32 SIDE = 32;  // rows of a tile, and columns that one chain is for

struct Sums {
    u64 of[SIDE];
};
static_assert(sizeof(Sums) == 256, "the largest state");
__device__ __forceinline__ Sums combine(const Sums& a, const Sums& b) {
    Sums sums;
    for (u32 i = 0; i < SIDE; i++) sums.of[i] = a.of[i] + b.of[i];
    return sums;
}

struct Params {
    const u32* input;
    u64* output;
    u64 height, width;
    Workspace workspace;
};

constexpr u32 WIDE = THREADS;  // columns of a tile: a thread has one

__device__ __forceinline__ u64 bands(const Params& p) { return (p.height + SIDE - 1) / SIDE; }
__device__ __forceinline__ u64 stacks(const Params& p) { return (p.width + WIDE - 1) / WIDE; }

struct AxesTask {
    struct Shared {
        u64 sums[SIDE][WIDE];
        Sums total[WARPS];
        Sums left;
    };

    const Params& p;
    Shared& shared;

    __device__ __forceinline__ AxesTask(const Params& p, Shared& shared) : p(p), shared(shared) {}

    __device__ __forceinline__ void stage(u32, u64) const {}

    __device__ __forceinline__ void process(u32, u64 tile, u32 epoch) const {
        const u64 band = tile / stacks(p), stack = tile % stacks(p), row = band * SIDE, column = stack * WIDE;
        const u32 c = threadIdx.x, lane = lane_index(), warp = warp_index();
        const u32 rows = (u32)min(p.height - row, (u64)SIDE), columns = (u32)min(p.width - column, (u64)WIDE);
        for (u32 r = 0; r < SIDE; r++) {
            shared.sums[r][c] = r < rows && c < columns ? p.input[(row + r) * p.width + column + c] : 0;
        }
        __syncthreads();

        // First along the rows: a lane of the first warp has one.
        if (warp == 0) {
            for (u32 i = 1; i < WIDE; i++) shared.sums[lane][i] += shared.sums[lane][i - 1];
            shared.total[0].of[lane] = shared.sums[lane][WIDE - 1];
            __syncwarp();
            const Chain<Sums> chain{p.workspace, stacks(p), epoch, band * Chain<Sums>::entries(stacks(p))};
            if (lane == 0 && stack + 1 < stacks(p)) chain.publish(stack, shared.total[0]);
            Sums left = {};
            if (stack > 0) left = chain.prefix(stack);
            if (lane == 0) shared.left = left;
        }
        __syncthreads();

        // Then along the columns of complete rows.
        u64 sum = 0;
        for (u32 r = 0; r < SIDE; r++) shared.sums[r][c] = sum += shared.sums[r][c] + shared.left.of[r];
        shared.total[warp].of[lane] = sum;
        __syncwarp();
        const u64 first = bands(p) * Chain<Sums>::entries(stacks(p)) + (stack * WARPS + warp) * Chain<Sums>::entries(bands(p));
        const Chain<Sums> chain{p.workspace, bands(p), epoch, first};
        if (lane == 0 && band + 1 < bands(p)) chain.publish(band, shared.total[warp]);
        Sums above = {};
        if (band > 0) above = chain.prefix(band);
        for (u32 r = 0; r < rows; r++) {
            if (c < columns) p.output[(row + r) * p.width + column + c] = shared.sums[r][c] + above.of[lane];
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) sketch_axes(const __grid_constant__ Params p) {
    Blockwise<AxesTask>::run(p, bands(p) * stacks(p));
}
