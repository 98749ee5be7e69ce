// Float sums and products of rows, each by the tree of a whole array (upsweep-core/src/lanes.rs): a row's result has the
// bits of the reduction of that row alone, wherever the row lies.
//
//   rows of one chunk    a team of a warp's threads for each row, ROWS_AT_ONCE rows after one another
//   longer rows          a warp for each part of a row, a power of two of chunks
//
//   chunk                v[l] = the chain of the elements in lane l; thread t of the team has the lanes t, TEAM + t, ..
//                        fold: first the lanes of a thread, which differ in the highest bits, then the threads
//   part                 lane i of the warp keeps the total of chunk i of 32; they are folded; a counter joins the folds
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

constexpr u32 ROW_CHUNK_ROWS = 8, ROW_CHUNK = ROW_CHUNK_ROWS * ROW_LANES, ROW_TEAMS = WARP / ROW_TEAM;
static_assert(ROW_TEAM * ROW_EACH <= ROW_LANES && (ROW_EACH == 1 || ROW_TEAM == WARP), "a thread's lanes are those of a warp at most");

__device__ __forceinline__ T neutral_total() { return PRODUCT ? (T)1 : (T)-0.0; }

// Neighbouring elements of a line, at most a chunk, from the chunk's first on.
struct RowPiece {
    u64 at;     // position of the first in the input
    u64 index;  // its index in its line
    u32 count;
};

// Finds the totals of pieces of `count` elements, the first of `rows` rows of the team's that lie `apart` elements from
// one another, in all of the team's threads. FULL: pieces are whole chunks.
template <bool FULL>
__device__ __forceinline__ void total_rows(const In* input, const RowPiece& piece, u64 apart, u32 rows, T (&totals)[ROWS_AT_ONCE]) {
    const u32 member = lane_index() % ROW_TEAM;
    T v[ROWS_AT_ONCE][ROW_EACH];
#pragma unroll
    for (u32 first = 0; first < ROW_CHUNK_ROWS; first += ROW_DEEP) {
        if (!FULL && first > 0 && first * ROW_LANES >= piece.count) break;
        In x[ROWS_AT_ONCE][ROW_DEEP][ROW_EACH];
        const auto each = [&](const auto& use) {
#pragma unroll
            for (u32 r = 0; r < ROWS_AT_ONCE; r++) {
#pragma unroll
                for (u32 d = 0; d < ROW_DEEP; d++) {
#pragma unroll
                    for (u32 k = 0; k < ROW_EACH; k++) {
                        const u32 i = (first + d) * ROW_LANES + k * ROW_TEAM + member;
                        use(x[r][d][k], v[r][k], i, piece.at + r * apart + i, first + d == 0, FULL || (i < piece.count && r < rows));
                    }
                }
            }
        };
        each([&](In& x, T&, u32, u64 at, bool, bool exists) {
            if (exists) x = load_element(input, at);
        });
        each([&](const In& x, T& v, u32 i, u64 at, bool begins, bool exists) {
            if (begins) v = neutral_total();
            if (!exists) return;
            if (!indices_right(x, at)) report_indices(x, at);
            const T e = map(x, piece.index + i, at);
            v = begins ? e : combine(v, e);
        });
    }
#pragma unroll
    for (u32 r = 0; r < ROWS_AT_ONCE; r++) {
#pragma unroll
        for (u32 half = ROW_EACH / 2; half > 0; half /= 2) {
#pragma unroll
            for (u32 k = 0; k < ROW_EACH / 2; k++) {
                if (k < half) v[r][k] = combine(v[r][k], v[r][k + half]);
            }
        }
        totals[r] = v[r][0];
#pragma unroll
        for (u32 distance = ROW_TEAM / 2; distance > 0; distance /= 2) totals[r] = combine(totals[r], shuffle(totals[r], lane_index() ^ distance));
    }
}

__device__ __forceinline__ void store_row(const RowTotalsParams& p, u64 row, const T& total) {
    store_result(output_of(p) + row, result(HAS_INIT ? combine(Begin(p).init, total) : total));
}

// Reduces rows of one chunk: those of the warp's teams alternate.
__device__ __forceinline__ void reduce_short(const RowTotalsParams& p, u64 warp) {
    const u64 first = warp * (ROW_TEAMS * ROWS_AT_ONCE);
    if (first >= p.rows) return;
    const u64 own = first + lane_index() / ROW_TEAM;
    const u32 member = lane_index() % ROW_TEAM;
    const u32 rows = own < p.rows ? (u32)min((p.rows - own + ROW_TEAMS - 1) / ROW_TEAMS, (u64)ROWS_AT_ONCE) : 0;
    T totals[ROWS_AT_ONCE];
    total_rows<false>(p.input, RowPiece{own * p.row, 0, (u32)p.row}, ROW_TEAMS * p.row, rows, totals);
    // Each thread of a team stores a row's result, so that a warp stores neighbours at once.
#pragma unroll
    for (u32 from = 0; from < ROWS_AT_ONCE; from += ROW_TEAM) {
        T mine = totals[from];
#pragma unroll
        for (u32 r = 1; r < ROW_TEAM; r++) {
            if (from + r < ROWS_AT_ONCE && member == r) mine = totals[from + r];
        }
        if (from + member < rows) store_row(p, own + (from + member) * ROW_TEAMS, mine);
    }
}

// Reduces a part of a row of several chunks.
__device__ __forceinline__ void reduce_long(const RowTotalsParams& p, u64 warp) {
    __shared__ T levels[WARPS][COUNTER_LEVELS];
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
        T total[ROWS_AT_ONCE];
        if (left >= ROW_CHUNK) total_rows<true>(p.input, piece, 0, 1, total);
        else total_rows<false>(p.input, piece, 0, 1, total);
        if (lane == known) own = total[0];
        if (++known < WARP) continue;
        const T fold = warp_reduce(own, WARP);
        if (lane == 0) counter.add(fold);
        known = 0;
    }
    const T last = warp_reduce(own, known);
    if (lane > 0) return;
    const T total = counter.followed_by(last, known > 0);
    if (p.parts == 1) store_row(p, row, total);
    else p.totals[warp] = ValueOfAcc::back(total);
}

extern "C" __global__ void __launch_bounds__(THREADS, ROWS_BLOCKS) upsweep_row_totals(const __grid_constant__ RowTotalsParams p) {
    const u64 warp = blockIdx.x * (u64)WARPS + warp_index();
    if constexpr (ROW_SHORT) reduce_short(p, warp);
    else reduce_long(p, warp);
}
