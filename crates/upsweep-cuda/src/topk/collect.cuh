// Top-k, the pass that collects candidates: the keys of a window, and the number of keys before it. Candidates are
// stored in any order.
//
//   blocks traverse the keys in steps; the next step's loads are in flight while these keys are compared
//   if a step has candidates, the block reserves places for all of them, and each is scattered to its place

#pragma once

#include "memory/access.cuh"
#include "memory/instructions.cuh"
#include "topk/ranked.cuh"
#include "warp/sum.cuh"

// Number of vectors that a thread loads at once, number of such loads in a step, and number of vectors of a block in a
// step. In a step a thread has 64 keys: one for each bit of a word.
constexpr u32 AT_ONCE = 4, TURNS = 64 / (AT_ONCE * KEY_VECTOR), STEP_VECTORS = TURNS * AT_ONCE * THREADS;

struct Collector {
    const TopKParams& p;
    const KeyBits low, width;
    u32 before = 0;

    __device__ __forceinline__ bool is_in(const In& x) {
        const KeyBits key = key_in_order(x, p.wanted != nullptr);
        before += key < low;
        return (KeyBits)(key - low) <= width;
    }
    __device__ __forceinline__ void put(u64 to, const In& x, u64 place) const {
        if (to >= p.room) return;
        p.candidates[to] = x;
        if (p.candidate_places) ((KeyPlace*)p.candidate_places)[to] = (KeyPlace)place;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, COLLECT_BLOCKS) upsweep_topk_collect(const __grid_constant__ TopKParams p) {
    __shared__ u32 of_warps[2][WARPS];
    __shared__ u64 place_of_block[2];
    wait_for_kernel_before();
    RankHeader& header = *(RankHeader*)p.header;
    Collector all = {p, header.low, (KeyBits)(header.high - header.low)};
    const u64 head = keys_before_vectors(p.keys, p.n), vectors = (p.n - head) / KEY_VECTOR, end = head + vectors * KEY_VECTOR;
    if (blockIdx.x == 0) {
        // The keys before the first whole vector, and after the last one.
        const u64 rest = head + (p.n - end);
        if (threadIdx.x < rest) {
            const u64 at = threadIdx.x < head ? threadIdx.x : end + threadIdx.x - head;
            const In x = p.keys[at];
            if (all.is_in(x)) all.put(atomicAdd(&header.candidates, 1ull), x, at);
        }
    }
    const KeysAtOnce* const from = (const KeysAtOnce*)(p.keys + head);
    const u64 step = (u64)gridDim.x * STEP_VECTORS;
    KeysAtOnce next[AT_ONCE];
    const auto load = [&](u64 v) {
#pragma unroll
        for (u32 d = 0; d < AT_ONCE; d++) {
            if (v + d * THREADS + threadIdx.x < vectors) next[d] = from[v + d * THREADS + threadIdx.x];
        }
    };
    u64 v = (u64)blockIdx.x * STEP_VECTORS;
    load(v);
    for (u32 turn = 0; v < vectors; v += step, turn ^= 1) {
        u64 bits = 0;
#pragma unroll
        for (u32 t = 0; t < TURNS; t++) {
            KeysAtOnce now[AT_ONCE];
#pragma unroll
            for (u32 d = 0; d < AT_ONCE; d++) now[d] = next[d];
            const u64 at = v + t * AT_ONCE * THREADS;
            load(t + 1 < TURNS ? at + AT_ONCE * THREADS : v + step);
#pragma unroll
            for (u32 d = 0; d < AT_ONCE; d++) {
                if (at + d * THREADS + threadIdx.x >= vectors) continue;
#pragma unroll
                for (u32 j = 0; j < KEY_VECTOR; j++) bits |= (u64)all.is_in(now[d].keys[j]) << ((t * AT_ONCE + d) * KEY_VECTOR + j);
            }
        }
        const u32 own = __popcll(bits);
        const u32 up_to = __any_sync(~0u, own > 0) ? warp_inclusive_sum(own) : 0;
        if (lane_index() == WARP - 1) of_warps[turn][warp_index()] = up_to;
        __syncthreads();
        const u32 of_warp = lane_index() < WARPS ? of_warps[turn][lane_index()] : 0;
        if (!__any_sync(~0u, of_warp > 0)) continue;
        const u32 warps_up_to = warp_inclusive_sum(of_warp);
        const u32 in_block = __shfl_sync(~0u, warps_up_to - of_warp, warp_index());
        if (threadIdx.x == WARP - 1) place_of_block[turn] = atomicAdd(&header.candidates, (u64)warps_up_to);
        __syncthreads();
        u64 to = place_of_block[turn] + in_block + up_to - own;
        // A key whose bit is set is loaded again: registers cannot be indexed.
        for (; bits != 0; bits &= bits - 1) {
            const u32 bit = __ffsll(bits) - 1, at_vector = bit / KEY_VECTOR;
            const u64 at = head + (v + at_vector * THREADS + threadIdx.x) * KEY_VECTOR + bit % KEY_VECTOR;
            all.put(to++, p.keys[at], at);
        }
    }
    const u32 before = warp_sum(all.before);
    if (lane_index() == 0 && before > 0) atomicAdd(&header.before, (u64)before);
}
