// Segments by offsets: where the offsets that point into a tile are, and what is done with them.
//
//   one warp, ahead of the others:
//       guess where they begin and end, from where those of the tile before began
//       probe at doubling distances around the guess; then, while much is left, at 32 places of what is left
//       read the first of them, and mark the heads; for a reduction leave a list of where segments end
//       check a share of all offsets, while the others are at work
//   all compute warps:
//       what one warp would take too long for: where there are many offsets, those beyond the first
//
// The shares that tiles check are even, wherever the offsets point. In a reduction the results of the empty segments among
// them, which no element stands for, are stored, too. So the work is balanced however the segments lie: where many offsets
// are equal, runs of equal offsets are skipped by exponential search.
//
// Offsets that do not ascend end in a fault, whatever was found: the readers stay inside the array and come to an end.

#pragma once

#include "memory/workspace.cuh"
#include "tile/heads.cuh"
#include "tile/store.cuh"
#include "warp/scan.cuh"

constexpr u32 FIRST = OFFSETS_A_WARP;      // offsets of a tile, and of a share, that one warp handles
constexpr u32 QUAD = 16 / sizeof(Offset);  // those that a thread reads in one instruction
constexpr u32 TURNS = 2;                   // and that it does so often at once
constexpr u32 BATCH = TURNS * QUAD * WARP;
static_assert(FIRST % BATCH == 0, "whole batches");
static_assert(TILE < 1 << 16, "places in a tile are listed in 16 bits");

// Offsets in logical order: ascending, the first 0, the last n.
__device__ __forceinline__ const Offset* offset_address(const Params& p, u64 k) { return p.offsets + (REVERSE ? p.segments - k : k); }
__device__ __forceinline__ Offset raw_offset(const Params& p, u64 k) { return *offset_address(p, k); }
__device__ __forceinline__ u64 logical_offset(const Params& p, Offset offset) { return REVERSE ? p.n - (u64)offset : (u64)offset; }

// A search of the first offset at or after an element. It is in [low, high]; offsets below `low` lie before it, that at
// `high` does not. Each step the lanes of a warp look at places that ascend.
struct Search {
    u64 element, low, high;

    __device__ __forceinline__ u64 left() const { return high - low; }
    __device__ __forceinline__ u64 step() const { return left() / WARP + 1; }
    __device__ __forceinline__ u64 even_place(u32 lane) const { return low + step() * (lane + 1) - 1; }

    // -2^19, ..., -16, 16, ..., 2^19 from a guess.
    static __device__ __forceinline__ u64 place_around(u64 guess, u32 lane) {
        const u32 distance = 16u << ((lane < WARP / 2 ? ~lane : lane) % (WARP / 2));
        return lane < WARP / 2 ? max(guess, (u64)distance) - distance : guess + distance;
    }

    // How many of the lanes' places lie before what is searched; `found` is the offset at this lane's.
    __device__ __forceinline__ u32 number_before(const Params& p, u64 place, Offset found) const {
        return __popc(__ballot_sync(~0u, place < high && logical_offset(p, found) < element));
    }

    // The first step: all lie in [0, segments + 1].
    __device__ __forceinline__ void begin(const Params& p, u64 guess, Offset found) {
        low = 0, high = p.segments + 1;
        const u32 count = number_before(p, place_around(guess, lane_index()), found);
        if (count > 0) low = place_around(guess, count - 1) + 1;
        if (count < WARP) high = max(low, min(high, place_around(guess, count)));  // low: offsets that do not ascend
    }

    // The next ones.
    __device__ __forceinline__ void narrow(const Params& p, Offset found) {
        const u32 count = number_before(p, even_place(lane_index()), found);
        const u64 next = even_place(count);
        low += step() * count;
        high = min(high, next);
    }
};

__device__ __forceinline__ Offset offset_or_last(const Params& p, u64 place) { return raw_offset(p, min(place, p.segments)); }

// The offsets [first, last): all but offset 0 that point into a tile, the first one at its end or beyond, and few others.
struct OffsetRange {
    u64 first, last;

    // How many of them one warp sees to, and whether there are more.
    __device__ __forceinline__ u32 first_number() const { return (u32)min(last - first, (u64)FIRST); }
    __device__ __forceinline__ bool has_more() const { return last - first > FIRST; }
};

// What lies from offset k on, in logical order if BACKWARDS is REVERSE, as in memory if it is false. Not from offset 0: there is
// one before.
template <bool BACKWARDS>
struct Run {
    const Offset* first;
    u32 last;      // the last offset there is, counted from the first; or further than anyone looks
    bool aligned;  // whether quads are that begin at multiples of QUAD

    __device__ __forceinline__ Run(const Params& p, u64 k)
        : first(p.offsets + (BACKWARDS ? p.segments - k : k)), last((u32)min(p.segments - k, (u64)2 * FIRST)), aligned(lead(p, k) == 0) {}

    // How far before offset k a place is where quads are aligned.
    static __device__ __forceinline__ u32 lead(const Params& p, u64 k) {
        const u32 place = (u32)((u64)p.offsets / sizeof(Offset)) + (u32)(BACKWARDS ? p.segments - k + 1 : k);
        return (BACKWARDS ? 0 - place : place) % QUAD;
    }

    // The nearest such place at or before offset k, or k, if there is none but offset 0.
    static __device__ __forceinline__ u64 aligned_at(const Params& p, u64 k) {
        const u32 distance = lead(p, k);
        return k > distance ? k - distance : k;
    }

    // Beyond the last offset comes that again.
    __device__ __forceinline__ Offset at(u32 i) const {
        const i32 place = (i32)min(i, last);
        return first[BACKWARDS ? -place : place];
    }
};

// QUAD neighbouring offsets, as in memory.
template <bool BACKWARDS>
struct alignas(16) Quad {
    Offset in_memory[QUAD];

    __device__ __forceinline__ const Offset& operator[](u32 j) const { return in_memory[BACKWARDS ? QUAD - 1 - j : j]; }
    __device__ __forceinline__ Offset& operator[](u32 j) { return in_memory[BACKWARDS ? QUAD - 1 - j : j]; }
};

// A lane's offsets of a batch of a warp's, and the one before each quad of them. Few instructions: where a block's warps do
// different things side by side, they hardly fit in a multiprocessor's cache.
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

// A warp that finds tiles' offsets, and where it stands.
struct Finder {
    static constexpr u64 NEAR = 64;  // as near as it comes
    u64 low;
    u32 tile;
    float offsets_per_tile;

    __device__ __forceinline__ explicit Finder(const Params& p, u64 tiles)
        : low(0), tile(0), offsets_per_tile((float)p.segments / (float)tiles) {}

    // The offsets of tile `t`. All lanes of one warp.
    __device__ __forceinline__ OffsetRange find(const Params& p, u32 t) {
        const u64 guess = low + (u64)((float)(t - tile) * offsets_per_tile), last_guess = guess + (u64)offsets_per_tile;
        const u64 begin = (u64)t * TILE;
        Search first = {begin}, last = {min(begin + TILE, p.n)};
        // Side by side: what takes time is the memory.
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
        // Offset 0 tells nothing. Where offsets do not ascend, the range might end before it begins.
        const u64 range_first = Run<REVERSE>::aligned_at(p, max(low, 1ull));
        return OffsetRange{range_first, max(range_first, min(last.high, p.segments) + 1)};
    }
};

// Places in a tile. Of offsets of 32 bits they are computed in as many: that wraps only where offsets are wrong.
template <u32 BYTES> struct DistanceOf { using type = u64; };
template <> struct DistanceOf<4> { using type = u32; };
struct Places {
    using Distance = DistanceOf<sizeof(Offset)>::type;
    Distance origin;
    u32 count;

    __device__ __forceinline__ Places(const Params& p, u64 tile)
        : origin((Distance)(REVERSE ? p.n - tile * TILE : tile * TILE)), count(tile_count(p.n, tile)) {}

    // Whether the offset points into the tile or to its end, and if so, where: in `to`.
    __device__ __forceinline__ bool have(Offset offset, u32& to) const {
        const Distance distance = REVERSE ? origin - (Distance)offset : (Distance)offset - origin;
        to = (u32)distance;
        return distance <= count;
    }
};

__device__ __forceinline__ void mark(Marks& marks, u32 to) { atomicOr(&marks.bits[to / 32], 1u << to % 32); }

// Where the segments of some offsets end in a tile: the place of the last element plus 1, or 0 if there is none.
struct alignas(2 * QUAD) Ends {
    u16 of[QUAD];
};

// One warp marks the heads of a tile by the first of its offsets. For a reduction it lists in `ends` where their segments end.
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
        // What lies beyond the range lies beyond the tile, too, or is the last offset again.
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

// f(k, offset k's place in the tile, whether it is another than the one before) for those of a tile's offsets beyond the
// first that point into the tile or to its end; of equal ones only the first is sure to come up. All compute warps.
template <class F>
__device__ __forceinline__ void each_other(const Params& p, u64 tile, const OffsetRange& range, F f) {
    const Places places(p, tile);
    for (u64 k = range.first + FIRST + warp_index() * WARP; k < range.last; k += THREADS) {
        const u64 mine = min(k + lane_index(), range.last - 1);
        const Offset own = raw_offset(p, mine), before = BY_SEGMENT ? raw_offset(p, mine - 1) : own;
        u32 to;
        if (places.have(own, to) && k + lane_index() < range.last) f(mine, to, own != before);
        // A warp's offsets all equal: there may be many more.
        const Offset same = shuffle(own, WARP - 1);
        if (shuffle(own, 0) == same) {
            for (u64 step = THREADS; k + 2 * step < range.last && raw_offset(p, k + 2 * step) == same; step *= 2) k += step;
        }
    }
}

// Marks the heads by the others.
__device__ __forceinline__ void mark_others(const Params& p, u64 tile, const OffsetRange& range, Marks& marks) {
    each_other(p, tile, range, [&](u64, u32 to, bool) { mark(marks, to); });
}

// Whether an offset is wrong, other than the last one at the end of the array.
__device__ __forceinline__ bool wrong(const Params& p, Offset own, Offset before) { return (i64)own < (i64)before || (u64)(i64)own > p.n; }

// Checks the offsets [begin, end), each with the one before it, AT_ONCE of them at once: this is thread `thread` of `threads`.
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

// The offsets that a tile is to check.
struct Share {
    u64 begin, end;

    static __device__ __forceinline__ u64 begin_of(const Params& p, u64 tile) {
        const u64 k = tile * p.share;
        return k > p.segments ? p.segments + 1 : Run<false>::aligned_at(p, max(k, 1ull));
    }
    static __device__ __forceinline__ Share of(const Params& p, u64 tile) { return Share{begin_of(p, tile), begin_of(p, tile + 1)}; }

    // Up to here one warp sees to them.
    __device__ __forceinline__ u64 middle() const { return min(begin + FIRST, end); }
};

// One warp checks the first offsets of a tile's share.
__device__ __forceinline__ void check_first(const Params& p, u64 tile) {
    const Share share = Share::of(p, tile);
#pragma unroll 1
    for (u64 k = share.begin; k < share.middle(); k += BATCH) {
        const Batch<false> batch(Run<false>(p, k), 0);
        bool any = false;  // whether there is something to say or to store; of ascending ones the last tells whether all lie in the array
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

// All compute warps check the others.
__device__ __forceinline__ void check_others(const Params& p, u64 tile) {
    if (p.share <= FIRST - QUAD) return;
    const Share share = Share::of(p, tile);
    check_offsets<1>(p, share.middle(), share.end, threadIdx.x, THREADS);
}

// One thread of all checks the first offset and the last one.
__device__ __forceinline__ void check_ends(const Params& p) {
    const i64 first = (i64)p.offsets[0], last = (i64)p.offsets[p.segments];
    if (first != 0) report_fault(p.workspace, FAULT_OFFSETS, 0, first);
    if ((u64)last != p.n) report_fault(p.workspace, FAULT_OFFSETS, p.segments, last);
}

// What preparing warps leave of a tile, beside its marks.
struct Found {
    OffsetRange range;
    Ends ends[BY_SEGMENT && HEADS == Heads::OFFSETS ? FIRST / QUAD : 1];

    __device__ __forceinline__ u32 end(u32 k) const { return ends[k / QUAD].of[k % QUAD]; }
};
// A warp that prepares tiles by their offsets: it finds and marks them, and checks a share of all while nobody waits.
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
