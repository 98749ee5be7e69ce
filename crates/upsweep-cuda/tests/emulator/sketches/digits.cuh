// Sketch of a radix pass by a digit of 8 bits, over tiles of 32 K keys and more; each thread looks back for a digit.
// The task of a block that has one tile at a time; it is not fast.

#include "tile/blockwise.cuh"
#include "tile/digits.cuh"
#include "warp/scan.cuh"

constexpr u32 DIGITS = 256;

struct Params {
    const u32* keys;
    u32* output;
    u64 n;
    u64 shift;
    const u64* bases;  // of each digit: the number of keys with a lower one
    Workspace workspace;
};

extern __shared__ __align__(128) unsigned char dynamic_shared[];

struct DigitTask {
    using Keys = Stream<u32>;

    struct Shared {
        u32 counts[WARPS][DIGITS];  // of each warp's keys; then of lower warps' keys
        u64 places[DIGITS];         // of the tile's first key with a digit
    };

    const Params& p;
    Shared& shared;
    const Keys keys;

    __device__ __forceinline__ DigitTask(const Params& p, Shared& shared) : p(p), shared(shared), keys(p.keys, p.n) {}

    __device__ __forceinline__ Keys::Slot* slots(u32 k) const { return (Keys::Slot*)dynamic_shared + k % (AHEAD + 1) * Keys::SLOTS; }
    __device__ __forceinline__ void stage(u32 k, u64 tile) const { keys.stage_tile(tile, slots(k)); }

    // Calls f(key, its digit, whether it exists, the number of lanes before this one with the digit, the last of them)
    // for the warp's keys, row by row, in order.
    template <class F>
    __device__ __forceinline__ void each_row(u32 k, u64 tile, F f) const {
        const u32 count = tile_count(p.n, tile), lane = lane_index();
        for (u32 row = 0; row < ITEMS; row++) {
            const u32 at = (warp_index() * ITEMS + row) * WARP + lane;
            const bool exists = at < count;
            const u32 key = exists ? ((const u32*)slots(k)[at / VECTOR].bytes)[at % VECTOR] : 0, digit = key >> p.shift & (DIGITS - 1);
            u32 same = __ballot_sync(~0u, exists);
            for (u32 bit = 0; bit < 8; bit++) {
                const u32 ones = __ballot_sync(~0u, digit >> bit & 1);
                same &= digit >> bit & 1 ? ones : ~ones;
            }
            f(key, digit, exists, (u32)__popc(same & ((1u << lane) - 1)), exists && same >> lane == 1);
            __syncwarp();
        }
    }

    __device__ __forceinline__ void process(u32 k, u64 tile, u32 epoch) const {
        u32* const own = shared.counts[warp_index()];
        for (u32 digit = lane_index(); digit < DIGITS; digit += WARP) own[digit] = 0;
        __syncwarp();
        each_row(k, tile, [&](u32, u32 digit, bool, u32 before, bool last) {
            if (last) own[digit] += before + 1;
        });
        __syncthreads();
        if (threadIdx.x < DIGITS) {
            const u32 digit = threadIdx.x;
            u32 sum = 0;
            for (u32 warp = 0; warp < WARPS; warp++) {
                const u32 count = shared.counts[warp][digit];
                shared.counts[warp][digit] = sum;
                sum += count;
            }
            shared.places[digit] = p.bases[digit] + DigitChains<DIGITS>{p.workspace, epoch}.exclusive_prefix(tile, digit, sum);
        }
        __syncthreads();
        each_row(k, tile, [&](u32 key, u32 digit, bool exists, u32 before, bool last) {
            const u32 lower = own[digit];
            if (exists) p.output[shared.places[digit] + lower + before] = key;
            __syncwarp();
            if (last) own[digit] = lower + before + 1;
        });
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) sketch_digits(const __grid_constant__ Params p) {
    Blockwise<DigitTask>::run(p, tile_number(p.n));
}
