// Stores of a tile's runs from their slots: the lanes of a store cover a whole line of 32 values of the output.
//
//   short runs    a warp has several at once, and most of their lines in one go, so that many loads are in flight
//   long runs     are cut into chunks of lines, which the warps take in turns, several at once: a balanced load
//
// The path of short runs is cheaper if all runs are short (2^28 random u32 on an H200, 2026-11-24: a pass of 0.87 ms,
// by chunks 0.95). With a warp for each run, and all warps for the rest of a longer one, a pass of 2^24 keys with runs
// of 320 took 125 us, by chunks 66.

#pragma once

#include "sort/radix.cuh"
#include "warp/sum.cuh"

// Runs of a tile: for each digit, the slot of its first value, the number of its values, and the index in the output of
// the first one.
struct TileRuns {
    const u32* starts;
    const u32* totals;
    const u64* places;
};

template <class V>
struct Run {
    V* to;
    const V* from;
    u32 count, skew;  // number of values; offset of the first one in its line

    __device__ __forceinline__ Run() {}
    __device__ __forceinline__ Run(const TileRuns& runs, u32 digit, const V* slots, V* output)
        : to(output + runs.places[digit]), from(slots + runs.starts[digit]), count(runs.totals[digit]), skew((u32)((u64)to / sizeof(V)) % WARP) {}

    // Returns the index in the run of this lane's value of a line. It exceeds every count for lanes before the run's
    // first value.
    __device__ __forceinline__ u32 at(u32 line) const { return line * WARP + lane_index() - skew; }
};

// Stores the runs of a tile as `drain` does, if none has more than LONG_LINES lines (of WARP values) of the output.
template <u32 STORING, class V, class F>
__device__ __forceinline__ void drain_short_runs(const TileRuns& runs, const V* slots, V* to, u32 warp, F finish) {
    constexpr u32 RUNS = 2, LINES = 4;
    for (u32 first = warp * RUNS; first < DIGITS; first += STORING * RUNS) {
        Run<V> run[RUNS];
        V value[RUNS][LINES];
#pragma unroll
        for (u32 r = 0; r < RUNS; r++) run[r] = Run<V>(runs, first + r, slots, to);
#pragma unroll
        for (u32 r = 0; r < RUNS; r++) {
#pragma unroll
            for (u32 line = 0; line < LINES; line++) {
                const u32 i = run[r].at(line);
                if (i < run[r].count) value[r][line] = run[r].from[i];
            }
        }
#pragma unroll
        for (u32 r = 0; r < RUNS; r++) {
#pragma unroll
            for (u32 line = 0; line < LINES; line++) {
                const u32 i = run[r].at(line);
                if (i < run[r].count) run[r].to[i] = finish(value[r][line]);
            }
            for (u32 line = LINES; line * WARP < run[r].skew + run[r].count; line++) {
                const u32 i = run[r].at(line);
                if (i < run[r].count) run[r].to[i] = finish(run[r].from[i]);
            }
        }
    }
}

template <u32 STORING, class V, class F>
__device__ __forceinline__ void drain_long_runs(const TileRuns& runs, const V* slots, V* to, u32 warp, F finish) {
    constexpr u32 CHUNKS = 2, LINES = 4;
    // Index of the warp's next chunk (LINES lines of a run), among the chunks of the digits from d to d + WARP - 1.
    u32 next = warp * CHUNKS;
    for (u32 d = 0; d < DIGITS; d += WARP) {
        const Run<V> own(runs, d + lane_index(), slots, to);
        const u32 chunks = own.count == 0 ? 0 : (own.skew + own.count + WARP * LINES - 1) / (WARP * LINES);
        const u32 inclusive = warp_inclusive_sum(chunks);
        const u32 total = (__shfl_sync(~0u, inclusive, WARP - 1) + CHUNKS - 1) / CHUNKS * CHUNKS;
        for (; next < total; next += STORING * CHUNKS) {
            Run<V> run[CHUNKS];
            V value[CHUNKS][LINES];
            u32 line[CHUNKS];
#pragma unroll
            for (u32 c = 0; c < CHUNKS; c++) {
                const u32 owner = __popc(__ballot_sync(~0u, inclusive <= next + c));
                run[c] = Run<V>(runs, d + min(owner, WARP - 1), slots, to);
                if (owner == WARP) run[c].count = 0;
                line[c] = (next + c - __shfl_sync(~0u, inclusive - chunks, owner % WARP)) * LINES;
            }
#pragma unroll
            for (u32 c = 0; c < CHUNKS; c++) {
#pragma unroll
                for (u32 j = 0; j < LINES; j++) {
                    const u32 i = run[c].at(line[c] + j);
                    if (i < run[c].count) value[c][j] = run[c].from[i];
                }
            }
#pragma unroll
            for (u32 c = 0; c < CHUNKS; c++) {
#pragma unroll
                for (u32 j = 0; j < LINES; j++) {
                    const u32 i = run[c].at(line[c] + j);
                    if (i < run[c].count) run[c].to[i] = finish(value[c][j]);
                }
            }
        }
        next -= total;
    }
}

// Stores each digit's run of values, from its slots in `slots` to its place in the output `to`; `finish` converts each
// value. STORING is the number of storing warps, `warp` this one's index among them.
template <u32 STORING, class V, class F>
__device__ __forceinline__ void drain(const TileRuns& runs, const V* slots, V* to, u32 warp, F finish) {
    bool is_long = false;
#pragma unroll
    for (u32 d = 0; d < DIGITS; d += WARP) is_long |= runs.totals[d + lane_index()] > (LONG_LINES - 1) * WARP;
    if (__any_sync(~0u, is_long)) drain_long_runs<STORING>(runs, slots, to, warp, finish);
    else drain_short_runs<STORING>(runs, slots, to, warp, finish);
}
