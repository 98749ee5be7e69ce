// Segments by offsets: the search of the offsets that point into a tile, and the work on them.
//
//   one warp, ahead of the others:
//       guess the begin and end of the range of a tile's offsets, from the begin of the range of the warp's tile before
//       probe at doubling distances around the guess; then, while much is left, at 32 indexes of the rest
//       read the first of them, and mark the heads; for a reduction leave a list of the ends of segments
//       check a share of all offsets, while the others are at work
//   all compute warps:
//       the offsets after the first, which one warp would take too long for
//
// The shares that tiles check are even, wherever the offsets point. In a reduction the results of the empty segments
// among them, which have no element, are stored, too. So the load is balanced however the segments lie: if many offsets
// are equal, runs of equal offsets are skipped by exponential search.
//
// Offsets that do not ascend end in a fault, whatever was found: the readers stay inside the array and terminate.

#pragma once

#include "memory/workspace.cuh"
#include "tile/heads.cuh"
#include "tile/store.cuh"
#include "warp/scan.cuh"

// Number of a tile's offsets, and of those that it checks, that one warp handles.
constexpr u32 FIRST = OFFSETS_A_WARP;
constexpr u32 QUAD = 16 / sizeof(Offset);  // number of offsets that a thread reads in one instruction
constexpr u32 TURNS = 2;                   // number of such instructions that are in flight together
constexpr u32 BATCH = TURNS * QUAD * WARP;
static_assert(FIRST % BATCH == 0, "whole batches");
static_assert(TILE < 1 << 16, "places in a tile are listed in 16 bits");

// Accesses of offset `k` in logical order, in which offsets ascend: the first is 0, the last is n.
__device__ __forceinline__ const Offset* offset_address(const Params& p, u64 k) { return p.offsets + (REVERSE ? p.segments - k : k); }
__device__ __forceinline__ Offset raw_offset(const Params& p, u64 k) { return *offset_address(p, k); }
__device__ __forceinline__ u64 logical_offset(const Params& p, Offset offset) { return REVERSE ? p.n - (u64)offset : (u64)offset; }

// Search, by the lanes of a warp, for the index of the first offset that is `element` or more. The index is in [low,
// high]: the offsets with lower indexes than `low` are less than `element`, the offset with index `high` is not. In
// each step the lanes probe ascending indexes.
struct Search {
    u64 element, low, high;

    __device__ __forceinline__ u64 left() const { return high - low; }
    __device__ __forceinline__ u64 step() const { return left() / WARP + 1; }
    __device__ __forceinline__ u64 even_place(u32 lane) const { return low + step() * (lane + 1) - 1; }

    // Returns the index that lane `lane` probes first: at the distances -2^19, ..., -16, 16, ..., 2^19 from a guess.
    static __device__ __forceinline__ u64 place_around(u64 guess, u32 lane) {
        const u32 distance = 16u << ((lane < WARP / 2 ? ~lane : lane) % (WARP / 2));
        return lane < WARP / 2 ? max(guess, (u64)distance) - distance : guess + distance;
    }

    // Returns how many of the lanes' probes find an offset less than `element`. `place` is the index that this lane
    // probes, `found` the offset there.
    __device__ __forceinline__ u32 number_before(const Params& p, u64 place, Offset found) const {
        return __popc(__ballot_sync(~0u, place < high && logical_offset(p, found) < element));
    }

    // First step: narrows the range of all indexes, [0, segments + 1], by the probes around `guess`.
    __device__ __forceinline__ void begin(const Params& p, u64 guess, Offset found) {
        low = 0, high = p.segments + 1;
        const u32 count = number_before(p, place_around(guess, lane_index()), found);
        if (count > 0) low = place_around(guess, count - 1) + 1;
        if (count < WARP) high = max(low, min(high, place_around(guess, count)));  // max: if offsets do not ascend
    }

    // Further step: narrows the range by probes at equal distances in it.
    __device__ __forceinline__ void narrow(const Params& p, Offset found) {
        const u32 count = number_before(p, even_place(lane_index()), found);
        const u64 next = even_place(count);
        low += step() * count;
        high = min(high, next);
    }
};

__device__ __forceinline__ Offset offset_or_last(const Params& p, u64 place) { return raw_offset(p, min(place, p.segments)); }

// Range [first, last) of offsets: all but offset 0 that point into a tile, the first one at its end or beyond, and few
// others.
struct OffsetRange {
    u64 first, last;

    // Number of the range's offsets that one warp handles, and whether there are more.
    __device__ __forceinline__ u32 first_number() const { return (u32)min(last - first, (u64)FIRST); }
    __device__ __forceinline__ bool has_more() const { return last - first > FIRST; }
};

// Run of offsets from offset k on: in logical order if BACKWARDS is REVERSE, in memory order if it is false. k is not
// 0, so that offset k - 1 exists.
template <bool BACKWARDS>
struct Run {
    const Offset* first;
    u32 last;      // index of the last offset that exists, from `first` on; or one beyond all accesses
    bool aligned;  // whether quads that begin at multiples of QUAD are aligned

    __device__ __forceinline__ Run(const Params& p, u64 k)
        : first(p.offsets + (BACKWARDS ? p.segments - k : k)), last((u32)min(p.segments - k, (u64)2 * FIRST)), aligned(lead(p, k) == 0) {}

    // Returns the distance from offset k back to the nearest one at which a quad, QUAD neighbouring offsets, is
    // aligned.
    static __device__ __forceinline__ u32 lead(const Params& p, u64 k) {
        const u32 place = (u32)((u64)p.offsets / sizeof(Offset)) + (u32)(BACKWARDS ? p.segments - k + 1 : k);
        return (BACKWARDS ? 0 - place : place) % QUAD;
    }

    // Returns the index of the nearest offset at or before offset k at which quads are aligned, or k if that is offset
    // 0.
    static __device__ __forceinline__ u64 aligned_at(const Params& p, u64 k) {
        const u32 distance = lead(p, k);
        return k > distance ? k - distance : k;
    }

    // Returns offset i of the run, or the last one if it does not exist.
    __device__ __forceinline__ Offset at(u32 i) const {
        const i32 place = (i32)min(i, last);
        return first[BACKWARDS ? -place : place];
    }
};

// QUAD neighbouring offsets, which are read at once, in memory order.
template <bool BACKWARDS>
struct alignas(16) Quad {
    Offset in_memory[QUAD];

    __device__ __forceinline__ const Offset& operator[](u32 j) const { return in_memory[BACKWARDS ? QUAD - 1 - j : j]; }
    __device__ __forceinline__ Offset& operator[](u32 j) { return in_memory[BACKWARDS ? QUAD - 1 - j : j]; }
};

// A lane's quads of a batch of offsets (BATCH of them, for a warp), and the offset before each quad. Few instructions:
// if a block's warps run different code at the same time, it hardly fits in a multiprocessor's cache.
template <bool BACKWARDS>
struct Batch {
    Quad<BACKWARDS> quads[TURNS];
    Offset before[TURNS];

    static __device__ __forceinline__ u32 place(u32 turn) { return (turn * WARP + lane_index()) * QUAD; }

    __device__ __forceinline__ Batch(const Run<BACKWARDS>& run, u32 begin) {
#pragma unroll
        for (u32 turn = 0; turn < TURNS; turn++) {
            const u32 i = begin + place(turn);
            if (run.aligned && begin + BATCH <= run.last) {
                const Offset* const lowest = BACKWARDS ? run.first - (i32)(i + QUAD - 1) : run.first + i;
                quads[turn] = *(const Quad<BACKWARDS>*)lowest;
                before[turn] = lowest[BACKWARDS ? (i32)QUAD : -1];
            } else {
#pragma unroll
                for (u32 j = 0; j < QUAD; j++) quads[turn][j] = run.at(i + j);
                before[turn] = i == 0 ? run.first[BACKWARDS ? 1 : -1] : run.at(i - 1);
            }
        }
    }

    __device__ __forceinline__ Offset own(u32 turn, u32 j) const { return quads[turn][j]; }
    __device__ __forceinline__ Offset before_own(u32 turn, u32 j) const { return j == 0 ? before[turn] : quads[turn][j - 1]; }
};

// State of a warp that finds the offsets of one tile after the other.
struct Finder {
    static constexpr u64 NEAR = 64;  // length of the range at which the search stops
    u64 low;
    u32 tile;
    float offsets_per_tile;

    __device__ __forceinline__ explicit Finder(const Params& p, u64 tiles)
        : low(0), tile(0), offsets_per_tile((float)p.segments / (float)tiles) {}

    // Returns the range of the offsets of tile `t`, which is searched around a guess by the range of the warp's tile
    // before. Called by all lanes of one warp.
    __device__ __forceinline__ OffsetRange find(const Params& p, u32 t) {
        const u64 guess = low + (u64)((float)(t - tile) * offsets_per_tile), last_guess = guess + (u64)offsets_per_tile;
        const u64 begin = (u64)t * TILE;
        Search first = {begin}, last = {min(begin + TILE, p.n)};
        // Concurrent loads: memory latency dominates.
        Offset at_first = offset_or_last(p, Search::place_around(guess, lane_index()));
        Offset at_last = offset_or_last(p, Search::place_around(last_guess, lane_index()));
        first.begin(p, guess, at_first);
        last.begin(p, last_guess, at_last);
        while (first.left() > NEAR || last.left() > NEAR) {
            at_first = offset_or_last(p, first.even_place(lane_index()));
            at_last = offset_or_last(p, last.even_place(lane_index()));
            first.narrow(p, at_first);
            last.narrow(p, at_last);
        }
        if (tile > 0 && t > tile && first.low >= low) offsets_per_tile = __fdividef((float)(first.low - low), (float)(t - tile));
        tile = t;
        low = first.low;
        // Offset 0 is skipped. For offsets that do not ascend, the range might end before it begins.
        const u64 range_first = Run<REVERSE>::aligned_at(p, max(low, 1ull));
        return OffsetRange{range_first, max(range_first, min(last.high, p.segments) + 1)};
    }
};

// Indexes in a tile that offsets point to. Those of 32-bit offsets are computed in 32 bits, which wraps for invalid
// offsets only.
template <u32 BYTES> struct DistanceOf { using type = u64; };
template <> struct DistanceOf<4> { using type = u32; };
struct Places {
    using Distance = DistanceOf<sizeof(Offset)>::type;
    Distance origin;
    u32 count;

    __device__ __forceinline__ Places(const Params& p, u64 tile)
        : origin((Distance)(REVERSE ? p.n - tile * TILE : tile * TILE)), count(tile_count(p.n, tile)) {}

    // Whether the offset points into the tile or to its end; then `to` becomes the index in the tile.
    __device__ __forceinline__ bool have(Offset offset, u32& to) const {
        const Distance distance = REVERSE ? origin - (Distance)offset : (Distance)offset - origin;
        to = (u32)distance;
        return distance <= count;
    }
};

__device__ __forceinline__ void mark(Marks& marks, u32 to) { atomicOr(&marks.bits[to / 32], 1u << to % 32); }

// For QUAD offsets the ends, in a tile, of the segments that end at them: the index of the last element plus 1, or 0 if
// the segment has no element in the tile.
struct alignas(2 * QUAD) Ends {
    u16 of[QUAD];
};

// Marks the heads of a tile by the first FIRST of its offsets. For a reduction it lists the ends of their segments in
// `ends`. Called by one warp.
__device__ __forceinline__ void mark_first(const Params& p, u64 tile, const OffsetRange& range, Marks& marks, Ends* ends) {
    const u32 lane = lane_index(), number = range.first_number();
    const Places places(p, tile);
    for (u32 part = lane; part < sizeof(Marks) / 16; part += WARP) ((uint4*)&marks)[part] = uint4{0, 0, 0, 0};
    __syncwarp();
    if (tile == 0 && lane == 0) marks.bits[0] = 1;
    __syncwarp();
    const Run<REVERSE> run(p, range.first);
#pragma unroll 1
    for (u32 begin = 0; begin < number; begin += BATCH) {
        // Offsets beyond the range lie beyond the tile, or are clamped to the last one.
        const Batch<REVERSE> batch(run, begin);
#pragma unroll
        for (u32 turn = 0; turn < TURNS; turn++) {
            if (begin + turn * WARP * QUAD >= number) break;
            Ends to_ends;
#pragma unroll
            for (u32 j = 0; j < QUAD; j++) {
                u32 to;
                const bool here = places.have(batch.own(turn, j), to) && (!BY_SEGMENT || batch.own(turn, j) != batch.before_own(turn, j));
                if (here) mark(marks, to);
                to_ends.of[j] = here ? to : 0;
            }
            if (BY_SEGMENT) ends[(begin + batch.place(turn)) / QUAD] = to_ends;
        }
    }
}

// Calls f(k, the index in the tile that offset k points to, whether offset k differs from the one before) for the
// tile's offsets after the first FIRST that point into the tile or to its end. Only the first of equal ones is sure to
// be included. Called by all compute warps.
template <class F>
__device__ __forceinline__ void each_other(const Params& p, u64 tile, const OffsetRange& range, F f) {
    const Places places(p, tile);
    for (u64 k = range.first + FIRST + warp_index() * WARP; k < range.last; k += THREADS) {
        const u64 mine = min(k + lane_index(), range.last - 1);
        const Offset own = raw_offset(p, mine), before = BY_SEGMENT ? raw_offset(p, mine - 1) : own;
        u32 to;
        if (places.have(own, to) && k + lane_index() < range.last) f(mine, to, own != before);
        // All offsets that the warp has read are equal: many more may follow.
        const Offset same = shuffle(own, WARP - 1);
        if (shuffle(own, 0) == same) {
            for (u64 step = THREADS; k + 2 * step < range.last && raw_offset(p, k + 2 * step) == same; step *= 2) k += step;
        }
    }
}

// Marks the heads of a tile by its offsets after the first FIRST.
__device__ __forceinline__ void mark_others(const Params& p, u64 tile, const OffsetRange& range, Marks& marks) {
    each_other(p, tile, range, [&](u64, u32 to, bool) { mark(marks, to); });
}

// Whether an offset is invalid: less than the one before it, or more than the number of elements. Whether the last one
// is that number is not checked here.
__device__ __forceinline__ bool wrong(const Params& p, Offset own, Offset before) { return (i64)own < (i64)before || (u64)(i64)own > p.n; }

// Checks the offsets with indexes in [begin, end), each with the one before it, AT_ONCE of them at once, as thread
// `thread` of `threads`. For a reduction it also stores the results of their empty segments.
template <u32 AT_ONCE>
__device__ __forceinline__ void check_offsets(const Params& p, u64 begin, u64 end, u32 thread, u32 threads) {
#pragma unroll 1
    for (u64 k = begin + thread; k < end; k += AT_ONCE * threads) {
        const Offset* const from = p.offsets + k;
        const u32 last = (u32)min(end - k - 1, (u64)(AT_ONCE * threads));
        Offset own[AT_ONCE], before[AT_ONCE];
#pragma unroll
        for (u32 turn = 0; turn < AT_ONCE; turn++) {
            const Offset* const at = from + (turn * threads <= last ? turn * threads : 0);
            own[turn] = at[0];
            before[turn] = at[-1];
        }
#pragma unroll
        for (u32 turn = 0; turn < AT_ONCE; turn++) {
            const u64 at = k + (turn * threads <= last ? turn * threads : 0);
            if (wrong(p, own[turn], before[turn])) report_fault(p.workspace, FAULT_OFFSETS, at, (i64)own[turn]);
            if constexpr (BY_SEGMENT) {
                if (own[turn] == before[turn]) store_segment(p, at - 1, result(p.first));
            }
        }
    }
}

// Share of all offsets, those with indexes in [begin, end), that a tile checks, wherever they point.
struct Share {
    u64 begin, end;

    static __device__ __forceinline__ u64 begin_of(const Params& p, u64 tile) {
        const u64 k = tile * p.share;
        return k > p.segments ? p.segments + 1 : Run<false>::aligned_at(p, max(k, 1ull));
    }
    static __device__ __forceinline__ Share of(const Params& p, u64 tile) { return Share{begin_of(p, tile), begin_of(p, tile + 1)}; }

    // Returns the end of the first part of the share, which one warp handles.
    __device__ __forceinline__ u64 middle() const { return min(begin + FIRST, end); }
};

// Checks the first part of a tile's share. Called by one warp.
__device__ __forceinline__ void check_first(const Params& p, u64 tile) {
    const Share share = Share::of(p, tile);
#pragma unroll 1
    for (u64 k = share.begin; k < share.middle(); k += BATCH) {
        const Batch<false> batch(Run<false>(p, k), 0);
        bool any = false;  // whether there is a fault or a result; if offsets ascend, the last one suffices
#pragma unroll
        for (u32 turn = 0; turn < TURNS; turn++) {
#pragma unroll
            for (u32 j = 0; j < QUAD; j++) {
                const i64 own = (i64)batch.own(turn, j), before = (i64)batch.before_own(turn, j);
                any |= BY_SEGMENT ? own <= before : own < before;
            }
            any |= (u64)(i64)batch.own(turn, QUAD - 1) > p.n;
        }
        if (__any_sync(~0u, any)) check_offsets<1>(p, k, min(k + BATCH, share.middle()), lane_index(), WARP);
    }
}

// Checks the rest of a tile's share. Called by all compute warps.
__device__ __forceinline__ void check_others(const Params& p, u64 tile) {
    if (p.share <= FIRST - QUAD) return;
    const Share share = Share::of(p, tile);
    check_offsets<1>(p, share.middle(), share.end, threadIdx.x, THREADS);
}

// Checks that the first offset is 0 and the last one the number of elements. Called by one thread of the grid.
__device__ __forceinline__ void check_ends(const Params& p) {
    const i64 first = (i64)p.offsets[0], last = (i64)p.offsets[p.segments];
    if (first != 0) report_fault(p.workspace, FAULT_OFFSETS, 0, first);
    if ((u64)last != p.n) report_fault(p.workspace, FAULT_OFFSETS, p.segments, last);
}

// What a preparing warp finds for a tile, besides its marks of heads: the range of its offsets, and the ends of
// segments.
struct Found {
    OffsetRange range;
    Ends ends[BY_SEGMENT && HEADS == Heads::OFFSETS ? FIRST / QUAD : 1];

    __device__ __forceinline__ u32 end(u32 k) const { return ends[k / QUAD].of[k % QUAD]; }
};
// Preparing warp of segments by offsets: it finds the offsets of a tile, marks the heads, and checks a share of all
// offsets while no warp waits.
class OffsetsWarp {
    Finder finder;

public:
    __device__ __forceinline__ OffsetsWarp(const Params& p, u64 tiles) : finder(p, tiles) {}

    __device__ __forceinline__ void prepare(const Params& p, u64 tile, Marks& marks, Found& found) {
        const OffsetRange range = finder.find(p, (u32)tile);
        if (lane_index() == 0) found.range = range;
        mark_first(p, tile, range, marks, found.ends);
    }
    __device__ __forceinline__ void check(const Params& p, u64 tile) const {
        check_first(p, tile);
        if (tile == 0 && lane_index() == 0) check_ends(p);
    }
};
