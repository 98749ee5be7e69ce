// Scan and reduction of interleaved lines: the columns of a matrix, any axis but the last of an array.
//
// Element k of line q is at (q / inner * len + k) * inner + q % inner: neighbouring lines lie side by side in memory. A
// block has 32 lines, one a lane, and goes along them in steps of WARPS x DEPTH elements:
//
//   warp w, lane l:  take DEPTH elements of line l, ask for those of the next step   coalesced: a warp reads side by side
//   reduce them
//   share the sums; each warp combines those of the warps before it with what lies before the step
//   rescan from registers, store
//
// What differs from the single-pass scan (scan.cuh): no block waits for another, so a few long lines keep few blocks
// busy.
//
// Memory ordering. Inside a block only: the sums are written before a barrier and read after it, in two copies used in
// turn, so that one barrier a step is enough. In place: a thread stores only elements that it has read itself, and reads
// those of a step only once.

#include "word/value.cuh"

struct Params {
    const In* input;
    Out* output;
    u64 lines;
    u64 len;    // elements a line
    u64 inner;  // lines that are interleaved with each other
    const T* init_from;  // null, or where the initial value lies
    T init;
    T first;  // what an exclusive scan begins with, and the result of an empty line
};
static_assert(sizeof(Params) == HOST_PARAMS_BYTES, "the host has the same struct");

constexpr u32 WARP = 32;
constexpr u32 WARPS = THREADS / WARP;

extern "C" __global__ void __launch_bounds__(THREADS) upsweep_columns(const __grid_constant__ Params params) {
    __shared__ T sums[2][WARPS][WARP];
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    Params p = params;
    if constexpr (HAS_INIT) {
        if (p.init_from) p.init = *p.init_from;
        p.first = p.init = given(p.init);
    } else {
        p.first = given(p.first);
    }
    const u64 line = (u64)blockIdx.x * WARP + lane;
    const bool mine = line < p.lines;
    const u64 start = mine ? line / p.inner * p.len * p.inner + line % p.inner : 0;

    // How many of this thread's elements from `row` on exist, and where logical element k of its line is.
    const auto existing = [&](u64 row) { return !mine || row >= p.len ? 0 : p.len - row < DEPTH ? (u32)(p.len - row) : DEPTH; };
    const auto place = [&](u64 k) { return REVERSE ? p.len - 1 - k : k; };
    In ahead[DEPTH];  // the elements of the next step
    const auto ask = [&](u64 row) {
        const u32 count = existing(row);
#pragma unroll
        for (u32 i = 0; i < DEPTH; i++) {
            if (i < count) ahead[i] = p.input[start + place(row + i) * p.inner];
        }
    };
    ask(warp * DEPTH);

    T carry = p.init;  // all elements of the line before this step, if `any`
    bool any = HAS_INIT;
    u32 turn = 0;
    for (u64 step = 0; step < p.len; step += WARPS * DEPTH, turn ^= 1) {
        const u64 row = step + warp * DEPTH;
        const u32 count = existing(row);
        T x[DEPTH], sum;
#pragma unroll
        for (u32 i = 0; i < DEPTH; i++) {
            if (i < count) x[i] = map(ahead[i], place(row + i));
        }
        if (step + WARPS * DEPTH < p.len) ask(row + WARPS * DEPTH);
#pragma unroll
        for (u32 i = 0; i < DEPTH; i++) {
            if (i < count) sum = i == 0 ? x[0] : combine(sum, x[i]);
        }
        if (count > 0) sums[turn][warp][lane] = sum;
        __syncthreads();

        // What lies before this warp's elements, and before the next step.
        T before = carry;
        bool some = any;
#pragma unroll
        for (u32 w = 0; w < WARPS; w++) {
            if (w == warp) before = carry, some = any;
            if (mine && step + w * DEPTH < p.len) {
                carry = any ? combine(carry, sums[turn][w][lane]) : sums[turn][w][lane];
                any = true;
            }
        }

        // Rescan and store.
        if constexpr (!BY_SEGMENT) {
#pragma unroll
            for (u32 i = 0; i < DEPTH; i++) {
                if (i < count) {
                    const T with = some ? combine(before, x[i]) : x[i];
                    const T scanned = !EXCLUSIVE ? with : some ? before : p.first;
                    p.output[start + place(row + i) * p.inner] = result(scanned);
                    before = with;
                    some = true;
                }
            }
        }
    }
    if constexpr (BY_SEGMENT) {
        if (mine && warp == 0) p.output[line] = result(any ? carry : p.first);
    }
}
