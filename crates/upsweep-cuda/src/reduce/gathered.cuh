// Reduction of segments by offsets whose map gathers from memory besides the streams, as a sparse product does.
//
//   reduce/gathered_starts.cuh has found the first offset of each tile. Then a block for each tile:
//       load       its elements; maps them to shared memory
//       check      that the offsets ascend
//       reduce     the piece of each segment in the tile: a short one by a thread, a longer one by a warp, the longest
//                  by all warps
//       store      the results of segments that begin and end here, and of empty ones
//       publish    the combination after the tile's last head
//       look back  for the segment that began before the tile and ends in it; store its result
//
// In contrast to scan/segments.cuh, many small blocks share a multiprocessor, and their gathers overlap, while a
// pipeline has few loads in flight; and a thread has a segment instead of neighbouring elements, which takes a third of
// the instructions if a head may be anywhere. In contrast to merge-path (Merrill and Garland 2016, sparse products),
// tiles are cut by elements alone, and the length of a piece selects one of the three classes, so that long and short
// pieces may be neighbours.
//
// Progress. A block waits for blocks of lower numbers, which GPUs start before it; it publishes before it waits.
//
// Memory ordering. Between blocks: lookback.cuh, status.cuh. The launch before this one has stored the epoch in memory
// after the starts. Inside a block, each line's writer comes before the barrier and its reader after it:
//
//   shared memory      written by      barrier           read by        written again after
//   mapped             all             __syncthreads     all            -
//   longest, number    all             __syncthreads     all            -
//   parts              all             __syncthreads     warp 0         __syncthreads
//   total, open        all             __syncthreads     warp 0         -

#pragma once

#include "memory/vectors.cuh"
#include "reduce/gathered_tile.cuh"
#include "tile/lookback.cuh"
#include "tile/state.cuh"

static_assert(sizeof(State) == HOST_STATE_BYTES, "the host sizes the workspace by it");

// Largest number of elements of a piece (a segment's elements in a tile) that one thread reduces (A_THREAD), and of one
// that a warp reduces (A_WARP); and limit of the number of longer pieces in a tile (MOST_LONGEST), which all warps
// reduce.
constexpr u32 A_THREAD = 24, A_WARP = TILE / 8 > 64 ? TILE / 8 : 64, MOST_LONGEST = 8;
static_assert(TILE / (A_WARP + 1) < MOST_LONGEST && A_WARP > WARPS * WARPS, "all longest pieces are listed, and no warp has nothing of one");

// Index in shared memory of a tile's mapped element `i`, by `place_of`. A word of padding follows each line of 128
// bytes, so that threads at a stride of a power of two access distinct banks.
constexpr u32 A_LINE = 128 / sizeof(T);
constexpr u32 BETWEEN = sizeof(T) > 8 || 128 % sizeof(T) != 0 ? 0 : sizeof(T) < 4 ? 4 / sizeof(T) : 1;
constexpr u32 place_of(u32 i) { return BETWEEN == 0 ? i : i + i / A_LINE * BETWEEN; }

// Piece of a segment in a tile: the tile's elements [a, b), and whether the segment begins and ends in the tile.
struct Piece {
    u64 segment;
    u32 a, b;
    bool begins, ends;

    static __device__ __forceinline__ Piece of(u64 begin, u32 count, u64 segment, Offset from, Offset to) {
        const i64 first = (i64)((u64)(i64)from - begin), last = (i64)((u64)(i64)to - begin);
        return Piece{segment, place(first, count), place(last, count), first >= 0, last <= (i64)count};
    }
    // Returns the index in the tile of the element at `distance` from the tile's first, clamped to the tile for invalid
    // offsets.
    static __device__ __forceinline__ u32 place(i64 distance, u32 count) { return distance < 0 ? 0 : distance < (i64)count ? (u32)distance : count; }
    __device__ __forceinline__ u32 number() const { return b > a ? b - a : 0; }
};

struct Shared {
    State total;                   // the combination after the tile's last head
    T open;                        // combination of the piece of the segment that began before the tile and ends in it
    u64 segment;                   // number of that segment, or NO_SEGMENT
    u32 number;                    // number of the longest pieces
    Piece longest[MOST_LONGEST];
    T parts[WARPS];
};
constexpr u64 NO_SEGMENT = ~0ull;

class Tile {
    const Params& p;
    Shared& shared;
    T* const mapped;
    const u64 begin;
    const u32 count;

    __device__ __forceinline__ T& at(u32 i) const { return mapped[place_of(i)]; }

    // Returns the combination of the elements a, a + step, and so on before b; there is at least one.
    __device__ __forceinline__ T serial(u32 a, u32 b, u32 step = 1) const {
        T sum = at(a);
#pragma unroll 4
        for (u32 i = a + step; i < b; i += step) sum = combine(sum, at(i));
        return sum;
    }

    // Returns in lane 0 the combination of the elements from a on, before b, computed by a warp. For commutative
    // operators (`a . b` and `b . a` are the same bits) lanes take elements at a stride.
    __device__ __forceinline__ T by_warp(u32 a, u32 b) const {
        const u32 lane = lane_index(), number = b - a;
        T sum;
        if constexpr (FORM != Form::OTHER) {
            if (lane < number) sum = serial(a + lane, b, WARP);
            return warp_reduce(sum, min(number, WARP));
        } else {
            const u32 each = (number + WARP - 1) / WARP, from = a + lane * each;
            if (from < b) sum = serial(from, min(from + each, b));
            return warp_reduce(sum, (number + each - 1) / each);
        }
    }

    // Stores the result `sum` of a reduced piece if its segment lies in the tile. Otherwise it leaves the result in
    // shared memory: that of a segment that goes on after the tile for publishing, that of a segment that began before
    // it for the look-back. At most one piece of a tile does not begin there, and at most one does not end.
    __device__ __forceinline__ void put(const Piece& piece, T sum) const {
        if constexpr (HAS_INIT) {
            if (piece.begins) sum = combine(p.init, sum);
        }
        if (!piece.ends) shared.total = state_of<State>(sum, piece.begins);
        else if (piece.begins) store_segment(p, piece.segment, result(sum));
        else shared.open = sum, shared.segment = piece.segment;
    }

public:
    __device__ __forceinline__ Tile(const Params& p, Shared& shared, T* mapped, u64 tile)
        : p(p), shared(shared), mapped(mapped), begin(tile * TILE), count((u32)min(p.n - tile * TILE, (u64)TILE)) {}

    // Maps the elements of a whole tile to shared memory. All are loaded before one is mapped, and all are mapped
    // before one is stored, so that the loads overlap.
    template <Loads LOADS>
    __device__ __forceinline__ void map_all() const {
        const u32 first = threadIdx.x * VECTOR;
        constexpr u32 STEP = THREADS * VECTOR;
        static_assert(BETWEEN == 0 || (A_LINE % VECTOR == 0 && STEP % A_LINE == 0), "places of a thread's elements lie at even distances");
        Vector vectors[DEPTH];
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) vectors[d] = load_vector<LOADS>(p.input, begin + first + d * STEP);
        T values[DEPTH][VECTOR];
        bool right = true;
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            const Vector::Elements elements = vectors[d].elements();
            const u64 i = begin + first + d * STEP;
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                values[d][j] = map(elements.x[j], i + j, i + j);
                right &= indices_right(elements.x[j], i + j);
            }
        }
        T* const to = &at(first);
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) to[d * place_of(STEP) + j] = values[d][j];
        }
        if (right) return;
#pragma unroll 1
        for (u32 d = 0; d < DEPTH; d++) {
            const u64 i = begin + first + d * STEP;
            for (u32 j = 0; j < VECTOR; j++) report_indices(load_element(p.input, i + j), i + j);
        }
    }
    __device__ __forceinline__ void map_elements() const {
        const bool aligned = (ALIGNABLE || !PLAIN_INPUT) && misalignment(p.input) == 0;
        if (count < TILE) map_some();
        else if (aligned) map_all<Loads::STREAMED>();
        else map_all<Loads::BY_ELEMENT>();
    }
    // Maps the elements of the array's last tile, if it is incomplete.
    __device__ __forceinline__ void map_some() const {
#pragma unroll 1
        for (u32 i = threadIdx.x; i < count; i += THREADS) {
            const In x = load_element(p.input, begin + i);
            at(i) = map(x, begin + i, begin + i);
            if (!indices_right(x, begin + i)) report_indices(x, begin + i);
        }
    }

    // This warp's share of the ends of segments in the tile: the offsets with indexes from k to last - 1. Loaded are
    // the next WARP of them, one by each lane, each with the offset before it.
    struct Ends {
        u64 k, last;
        Offset from, to;

        __device__ __forceinline__ void load(const Params& p) {
            const u64 mine = min(k + lane_index(), last - 1);
            from = p.offsets[mine - 1], to = p.offsets[mine];
        }
    };
    __device__ __forceinline__ Ends ends(u64 tile) const {
        // Ends from the first offset in the tile on, but offset 0, to the first one at the tile's end or after it; in
        // the last tile to the last offset. Offsets that do not ascend may have none.
        const u64 from = max(p.starts[tile], (u64)1), end = max(from, p.starts[tile + 1] + 1);
        const u64 share = (end - from + WARPS - 1) / WARPS, k = min(from + warp_index() * share, end);
        Ends ends = {k, min(k + share, end)};
        if (k < end) ends.load(p);
        return ends;
    }

    __device__ __forceinline__ void reduce_segments(Ends ends) const {
        while (ends.k < ends.last) {
            const u64 k = ends.k, mine = k + lane_index();
            Piece piece{};
            if (mine < ends.last) {
                piece = Piece::of(begin, count, mine - 1, ends.from, ends.to);
                see_to(p, mine - 1, ends.from, ends.to);
            }
            const u32 number = piece.number();
            ends.k += WARP;
            // All pieces of the warp are empty: more empty ones may follow. The launch before has stored the results of
            // shares that have only empty segments.
            if (!__any_sync(~0u, number > 0) && ends.k < ends.last) {
                const u64 share = (ends.k - 1) / SHARE;
                const auto empty = [&](u64 to) { return to * SHARE < p.segments && p.offsets[to * SHARE] == p.offsets[share * SHARE]; };
                for (u64 step = 1; empty(share + step); step *= 2) ends.k = (share + step) * SHARE + 1;
            }
            if (ends.k < ends.last) ends.load(p);
            if (number > 0 && number <= A_THREAD) put(piece, serial(piece.a, piece.b));
            if (number > A_WARP) shared.longest[atomicAdd(&shared.number, 1) % MOST_LONGEST] = piece;
            u32 lanes = __ballot_sync(~0u, number > A_THREAD && number <= A_WARP);
            while (lanes != 0) {
                const u32 lane = __ffs(lanes) - 1;
                lanes &= lanes - 1;
                const T sum = shuffle(by_warp(__shfl_sync(~0u, piece.a, lane), __shfl_sync(~0u, piece.b, lane)), 0);
                if (lane_index() == lane) put(piece, sum);
            }
        }
    }

    // Reduces the longest pieces (of more than A_WARP elements), one after the other, by all warps.
    __device__ __forceinline__ void reduce_longest() const {
        const u32 number = min(shared.number, MOST_LONGEST);  // offsets that do not ascend may have more
#pragma unroll 1
        for (u32 i = 0; i < number; i++) {
            const Piece piece = shared.longest[i];
            const u32 each = (piece.number() + WARPS - 1) / WARPS, from = piece.a + warp_index() * each;
            const T sum = by_warp(from, min(from + each, piece.b));
            if (lane_index() == 0) shared.parts[warp_index()] = sum;
            __syncthreads();
            if (warp_index() == 0) {
                const T all = warp_reduce<WARPS>(shared.parts[lane_index() % WARPS], WARPS);
                if (lane_index() == 0) put(piece, all);
            }
            __syncthreads();
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, APART_BLOCKS) upsweep_segments_apart(const __grid_constant__ GatheredParams given) {
    __shared__ Shared shared;
    __shared__ T mapped[place_of(TILE)];
    const Params p(given);
    const u64 tile = blockIdx.x, tiles = p.tiles();
    if (tile >= tiles) return;
    const u32 epoch = (u32)p.starts[tiles + 1];
    if (threadIdx.x == 0) shared.number = 0, shared.segment = NO_SEGMENT;
    const Tile segments(p, shared, mapped, tile);
    const Tile::Ends ends = segments.ends(tile);
    segments.map_elements();
    __syncthreads();
    segments.reduce_segments(ends);
    __syncthreads();
    segments.reduce_longest();
    if (warp_index() == 0 && tiles > 1) {
        const Chain<State> chain{p.workspace, tiles, epoch};
        if (lane_index() == 0 && tile + 1 < tiles) chain.publish(tile, shared.total);
        const u64 segment = shared.segment;
        // Tiles that look back: those in which a segment ends that began before, and the first and last tile of each
        // group, which publish for the group.
        if (tile > 0 && (segment != NO_SEGMENT || tile % GROUP == 0 || tile % GROUP == GROUP - 1)) {
            const State before = chain.look_back(tile);
            if (lane_index() == 0 && segment != NO_SEGMENT) store_segment(p, segment, result(combine(value_of(before), shared.open)));
        }
    }
    finish_launch(p.workspace, epoch, (u32)tiles);
}
