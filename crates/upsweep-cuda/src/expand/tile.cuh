// The results of a tile of counts. A result is its owner (the index of its count), its rank among the owner's results, or a value
// of the owner.
//
//   mark     in shared memory, at the first result of each count, the index of the count in the tile
//   store    a row of results for each warp: a lane has the neighbours of one store; the last mark up to each gives its
//            owner
//
// Results are stored in windows, ranges of results for which there are marks, so a tile may have any number of them. A
// row begins at a multiple of 16 bytes of the output: only the first and last 16 bytes of a contiguous store are stored
// in pieces.
//
// In a tile with few results each warp stores those of its own counts, and waits for no other; it carries the last mark
// from row to row. In a tile with many, which one count may have, all warps store them together (BLOCK): then the first
// result of each row is marked, too, so that rows are independent.
//
// Memory ordering. Marks are 0 before and after. Between marking a window, reading it (which sets its marks to 0 again)
// and marking the next, the threads that store it synchronise: the lanes of the warp, or the warps of the block.

#pragma once

#include "block/barrier.cuh"
#include "memory/access.cuh"
#include "memory/workspace.cuh"
#include "tile/stage.cuh"
#include "warp/shuffle.cuh"

enum Expand : u32 { OWNERS, RANKS, VALUES };

template <u32 BYTES> struct CountOf { using type = u64; };
template <> struct CountOf<4> { using type = u32; };
using Count = CountOf<COUNT_BYTES>::type;
template <u32 BYTES> struct ResultOf { using type = CountOf<BYTES>::type; };
template <> struct ResultOf<0> { using type = In; };
using Result = ResultOf<INDEX_BYTES>::type;
using Rank = CountOf<INDEX_BYTES>::type;
using Counts = Stream<Count>;

// Returns the sum of two numbers of results, or the largest number if that overflows.
__device__ __forceinline__ u64 plus(u64 a, u64 b) {
    const u64 sum = a + b;
    return sum < a ? ~0ull : sum;
}

// The ITEMS counts of a thread in a tile.
struct OwnCounts {
    Count at[ITEMS];

    // Loads this thread's counts of a tile that has `count` counts; those that do not exist are 0.
    __device__ __forceinline__ OwnCounts(const Counts::Slot* slots, u32 count) {
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            Count vector[VECTOR];
            Counts::load(slots[threadIdx.x * ROWS + row], vector);
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) at[row * VECTOR + j] = vector[j];
        }
        if (count == TILE) return;
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) at[i] = threadIdx.x * ITEMS + i < count ? at[i] : 0;
    }
    __device__ __forceinline__ u64 sum() const {
        u64 sum = 0;
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) sum = COUNT_BYTES < 8 ? sum + at[i] : plus(sum, at[i]);
        return sum;
    }
};

struct TileResults {
    using Mark = u16;
    static_assert(TILE < 1 << 16, "a mark is one more than a count's place in its tile");
    static constexpr u32 LANE = 16 % sizeof(Result) == 0 ? 16 / sizeof(Result) : 1;  // results of a lane's store
    static constexpr u32 ROW = WARP * LANE;
    static_assert(MARKS / WARPS % ROW == 0, "a window is whole rows");
    static constexpr u32 STARTS = EXPAND == RANKS ? TILE : 1;
    struct alignas(LANE < 8 ? 2 * LANE : 16) LaneMarks { Mark at[LANE]; };
    struct alignas(16) Marks { Mark at[MARKS]; };
    struct alignas(16) Store { Result at[LANE]; };

    const ExpandParams& p;
    Marks& marks;          // all 0 before and after a window
    Rank* const starts;    // for ranks: the first result of each count, truncated to the width of a rank
    const u64 first;       // index of the tile's first count
    Result* const to;      // address of the tile's first result

    template <u32 WHAT = EXPAND, class R = Result>
    __device__ __forceinline__ R result(u32 mark, u64 at) const {
        if constexpr (WHAT == OWNERS) return (R)(first + mark - 1);
        else if constexpr (WHAT == RANKS) return (R)((Rank)at - starts[mark - 1]);
        else return p.values[first + mark - 1];
    }

    // Returns the distance of the tile's first result from the multiple of 16 bytes before it, in results.
    __device__ __forceinline__ u32 skew() const { return LANE > 1 ? (u64)to % 16 / sizeof(Result) : 0; }

    // Stores the tile's results with indexes from `begin` to `end - 1`. `start` is the number of the tile's results
    // before this thread's. Called by all compute warps.
    template <bool BLOCK, class Number>
    __device__ __forceinline__ void store(const OwnCounts& counts, Number start, Number begin, Number end) const {
        if constexpr (EXPAND == RANKS) {
            Rank at = (Rank)start;
#pragma unroll
            for (u32 i = 0; i < ITEMS; i++) {
                starts[threadIdx.x * ITEMS + i] = at;
                at += (Rank)counts.at[i];
            }
        }
        Number behind = start;  // index of the next thread's first result
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) behind = next(behind, counts.at[i]);
        if constexpr (!BLOCK) begin = max(begin, shuffle(start, 0)), end = min(end, shuffle(behind, WARP - 1));
        constexpr Number WINDOW = BLOCK ? MARKS : MARKS / WARPS;
        Mark* const own = marks.at + (BLOCK ? 0 : warp_index() * (u32)WINDOW);
        const Number skew = (Number)this->skew();
        u32 before = 0;  // the last mark before a row
        for (Number window = (begin + skew) / (Number)ROW * (Number)ROW - skew; window < end; window += WINDOW) {
            const u32 skipped = begin > window ? (u32)(begin - window) : 0;
            const u32 stored = (u32)min(end - window, WINDOW);
            if (start < behind && behind > window && start < window + WINDOW) {
                if constexpr (BLOCK) mark_rows(own, counts, start, window, stored);
                else mark(own, counts, (u32)(start - window), stored);
            }
            meet<BLOCK>();
            store_rows<BLOCK>(own, window, skipped, stored, before);
            meet<BLOCK>();
        }
    }

private:
    template <bool BLOCK>
    static __device__ __forceinline__ void meet() {
        if (BLOCK) main_sync();
        else __syncwarp();
    }

    // Marks the counts of this thread whose first results are among the first `stored` of a window. `at` is the index,
    // in the window, of the thread's first result.
    __device__ __forceinline__ void mark(Mark* marks, const OwnCounts& counts, u32 at, u32 stored) const {
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            if (counts.at[i] > 0 && at < stored) marks[at] = (Mark)(threadIdx.x * ITEMS + i + 1);
            at += (u32)counts.at[i];
        }
    }

    // Marks all counts that have results in the window, and the first result of each row.
    template <class Number>
    __device__ __forceinline__ void mark_rows(Mark* marks, const OwnCounts& counts, Number at, Number window, u32 stored) const {
        const auto place = [&](Number result) {
            const Number behind = result - window;
            return behind < 0 ? 0 : behind > (Number)stored ? stored : (u32)behind;
        };
        u32 from = place(at);
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++) {
            at = next(at, counts.at[i]);
            const u32 until = place(at);
            if (from < until) {
                const Mark mark = (Mark)(threadIdx.x * ITEMS + i + 1);
                marks[from] = mark;
#pragma unroll 1
                for (u32 row = (from / ROW + 1) * ROW; row < until; row += ROW) marks[row] = mark;
            }
            from = until;
        }
    }
    static __device__ __forceinline__ i32 next(i32 at, Count count) { return at + (i32)count; }
    static __device__ __forceinline__ i64 next(i64 at, Count count) {
        const u64 sum = plus(at, count);
        return sum >> 63 ? (i64)(~0ull >> 1) : (i64)sum;
    }

    // Stores the results with indexes from `skipped` to `stored - 1` of a window. A warp has several rows at once, so
    // that their loads overlap.
    template <bool BLOCK, class Number>
    __device__ __forceinline__ void store_rows(Mark* marks, Number window, u32 skipped, u32 stored, u32& before) const {
        constexpr u32 EACH = MARKS / WARPS / ROW, ROWS_AT_ONCE = EACH % 4 == 0 ? 4 : 1, STEP = BLOCK ? WARPS * ROW : ROW;
        for (u32 first = BLOCK ? warp_index() * ROW : 0; first < stored; first += ROWS_AT_ONCE * STEP) {
            LaneMarks own[ROWS_AT_ONCE];
#pragma unroll
            for (u32 i = 0; i < ROWS_AT_ONCE; i++) {
                LaneMarks& lane = *(LaneMarks*)(marks + first + i * STEP + lane_index() * LANE);
                own[i] = lane;
                lane = LaneMarks{};
            }
#pragma unroll
            for (u32 i = 0; i < ROWS_AT_ONCE; i++) {
                const u32 row = first + i * STEP;
                if (row < stored) store_row<BLOCK>(own[i], window, row + lane_index() * LANE, skipped, stored, before);
            }
        }
    }

    // Stores this lane's results of a row, from index `at` of the window on; `own` has their marks. `before` is the
    // last mark before the row.
    template <bool BLOCK, class Number>
    __device__ __forceinline__ void store_row(const LaneMarks& own, Number window, u32 at, u32 skipped, u32 stored, u32& before) const {
        u32 last = 0;
#pragma unroll
        for (u32 j = 0; j < LANE; j++) last = max(last, (u32)own.at[j]);
        const u32 below = __ballot_sync(~0u, last > 0) & ((1u << lane_index()) - 1);
        const u32 lower = __shfl_sync(~0u, last, below ? 31 - __clz(below) : 0);
        u32 mark = below ? lower : BLOCK ? 0 : before;
        if constexpr (!BLOCK) before = __shfl_sync(~0u, max(mark, last), WARP - 1);
        Result* const result = to + (window + (i64)at);
        const u64 number = window + (i64)at;
        if (LANE > 1 && at >= skipped && at + LANE <= stored && (u64)to % sizeof(Result) == 0) {
            Store all;
#pragma unroll
            for (u32 j = 0; j < LANE; j++) {
                mark = max(mark, (u32)own.at[j]);
                all.at[j] = this->result(mark, number + j);
            }
            *(uint4*)result = *(const uint4*)&all;
        } else {
#pragma unroll
            for (u32 j = 0; j < LANE; j++) {
                mark = max(mark, (u32)own.at[j]);
                if (at + j >= skipped && at + j < stored) result[j] = this->result(mark, number + j);
            }
        }
    }
};

// Stretch of neighbouring results of a large tile, which another launch stores: up to LARGE_TILE of them, which begin
// at a multiple of 16 bytes.
struct alignas(16) Stretch {
    u64 before;  // number of results before the tile
    u32 tile;
    u32 number;  // index of the stretch among those of the tile
};
// Returns the list of stretches, which follows its length in memory.
__device__ __forceinline__ Stretch* stretches(const ExpandParams& p) { return (Stretch*)p.large + 1; }
