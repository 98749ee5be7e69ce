// Float sums and products of rows, each by the tree of a whole array (upsweep-core/src/lanes.rs): a row's result has the
// bits of the reduction of that row alone, wherever the row lies. Short rows go to short_rows.cuh.
//
//   a warp for each part of a row, a power of two of chunks
//       chunk     v[l] = the chain of the elements in lane l; a thread has each 32nd lane
//                 fold: first the lanes of a thread, which differ in the highest bits, then the threads
//       part      thread i of the warp keeps the total of chunk i of 32; they are folded; a counter joins the folds
//
// If rows have several parts, join_totals.cuh joins their totals.
//
// In contrast to rows.cuh, a thread loads single elements: rows of any length have the same loads, wherever they begin. A
// warp's loads are contiguous, and many are under way at once.
//
// No warp waits for another.

#pragma once

#include "memory/vectors.cuh"
#include "warp/counter.cuh"
#include "warp/scan.cuh"

constexpr u32 ROW_CHUNK_ROWS = 8, ROW_CHUNK = ROW_CHUNK_ROWS * ROW_LANES, ROW_EACH = ROW_LANES / WARP;

__device__ __forceinline__ T neutral_total() { return PRODUCT ? (T)1 : (T)-0.0; }

// Neighbouring elements of a row, at most a chunk, from a chunk's first on.
struct RowPiece {
    u64 at;     // position of the first in the input
    u64 index;  // its index in its row
    u32 count;
};

// Returns the total of the elements in every thread. FULL: they are a whole chunk.
template <bool FULL>
__device__ __forceinline__ T total_of(const In* input, const RowPiece& piece) {
    const u32 lane = lane_index();
    T v[ROW_EACH];
#pragma unroll
    for (u32 first = 0; first < ROW_CHUNK_ROWS; first += ROW_DEEP) {
        if (!FULL && first > 0 && first * ROW_LANES >= piece.count) break;
        In x[ROW_DEEP][ROW_EACH];
#pragma unroll
        for (u32 d = 0; d < ROW_DEEP; d++) {
#pragma unroll
            for (u32 k = 0; k < ROW_EACH; k++) {
                const u32 i = (first + d) * ROW_LANES + k * WARP + lane;
                if (FULL || i < piece.count) x[d][k] = load_element(input, piece.at + i);
            }
        }
#pragma unroll
        for (u32 d = 0; d < ROW_DEEP; d++) {
#pragma unroll
            for (u32 k = 0; k < ROW_EACH; k++) {
                const u32 i = (first + d) * ROW_LANES + k * WARP + lane;
                const bool begins = first + d == 0;
                if (begins) v[k] = neutral_total();
                if (!FULL && i >= piece.count) continue;
                if (!indices_right(x[d][k], piece.at + i)) report_indices(x[d][k], piece.at + i);
                const T e = map(x[d][k], piece.index + i, piece.at + i);
                v[k] = begins ? e : combine(v[k], e);
            }
        }
    }
#pragma unroll
    for (u32 half = ROW_EACH / 2; half > 0; half /= 2) {
#pragma unroll
        for (u32 k = 0; k < ROW_EACH / 2; k++) {
            if (k < half) v[k] = combine(v[k], v[k + half]);
        }
    }
#pragma unroll
    for (u32 distance = WARP / 2; distance > 0; distance /= 2) v[0] = combine(v[0], shuffle(v[0], lane ^ distance));
    return v[0];
}

extern "C" __global__ void __launch_bounds__(THREADS, ROWS_BLOCKS) upsweep_row_totals(const __grid_constant__ RowTotalsParams p) {
    __shared__ T levels[WARPS][COUNTER_LEVELS];
    const u64 warp = blockIdx.x * (u64)WARPS + warp_index();
    if (warp >= p.rows * p.parts) return;
    const u64 row = p.parts == 1 ? warp : warp / p.parts, part = p.parts == 1 ? 0 : warp - row * p.parts;
    const u64 begin = part * p.part, count = min(p.row - begin, p.part);
    const u32 lane = lane_index();
    Counter<T> counter(levels[warp_index()]);
    T own;  // total of one of the last chunks
    u32 known = 0;
#pragma unroll 1
    for (u64 done = 0; done < count; done += ROW_CHUNK) {
        const u64 left = count - done;
        const RowPiece piece{row * p.row + begin + done, begin + done, (u32)min(left, (u64)ROW_CHUNK)};
        const T total = left >= ROW_CHUNK ? total_of<true>(p.input, piece) : total_of<false>(p.input, piece);
        if (lane == known) own = total;
        if (++known < WARP) continue;
        const T fold = warp_reduce(own, WARP);
        if (lane == 0) counter.add(fold);
        known = 0;
    }
    const T last = warp_reduce(own, known);
    if (lane > 0) return;
    const T total = counter.followed_by(last, known > 0);
    if (p.parts > 1) p.totals[warp] = ValueOfAcc::back(total);
    else store_result(output_of(p) + row, result(HAS_INIT ? combine(Begin(p).init, total) : total));
}
