// Segments by offsets: where the offsets that point into a tile are, and what is done with them.
//
//   one warp, ahead of the others:
//       guess where they begin and end, from where those of the tile before began
//       probe at doubling distances around the guess; then, while much is left, at 32 places of what is left
//       read the first of them, and mark the heads; for a reduction leave a list of where segments end
//       check a share of all offsets, while the others are at work
//   all main warps:
//       what one warp would take too long for: where there are many offsets, those beyond the first
//
// The shares that tiles check are even, wherever the offsets point. In a reduction the results of the empty segments among
// them, which no element stands for, are stored, too. So the work is balanced however the segments lie: where many offsets
// are equal, the readers of a tile's offsets take longer and longer steps.
//
// Offsets that do not ascend end in a fault, whatever was found: the readers stay inside the array and come to an end.

constexpr u32 FIRST = 768;                  // offsets of a tile, and of a share, that one warp sees to
constexpr u32 BATCH = 32 / sizeof(Offset);  // those that each of its threads has under way at once
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
        const u64 range_first = max(low, 1ull);
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

// One warp marks the heads of a tile by the first of its offsets. For a reduction it says of each of them, in `ends`, which
// element is the last of the segment that ends there: its place in the tile plus 1, or 0 if there is none.
__device__ __forceinline__ void mark_first(const Params& p, u64 tile, const OffsetRange& range, Marks& marks, u16* ends) {
    static_assert(FIRST % (BATCH * WARP) == 0, "whole batches");
    const u32 lane = lane_index(), number = (range.first_number() + WARP - 1) / WARP * WARP;  // so that lanes stay together
    const Places places(p, tile);
    for (u32 part = lane; part < sizeof(Marks) / 16; part += WARP) ((uint4*)&marks)[part] = uint4{0, 0, 0, 0};
    __syncwarp();
    if (tile == 0 && lane == 0) marks.bits[0] = 1;
    __syncwarp();
    const Offset* const from = offset_address(p, range.first);
    const u32 most = (u32)min(p.segments - range.first, (u64)FIRST);  // as far as there are any
#pragma unroll 1
    for (u32 begin = lane; begin < number; begin += BATCH * WARP) {
        // Whole batches: what lies beyond the range lies beyond the tile, too, or is the last offset again.
        Offset own[BATCH], before[BATCH];
#pragma unroll
        for (u32 turn = 0; turn < BATCH; turn++) {
            const i32 k = (i32)min(begin + turn * WARP, most);
            const Offset* const at = from + (REVERSE ? -k : k);
            own[turn] = at[0];
            if (BY_SEGMENT) before[turn] = at[REVERSE ? 1 : -1];
        }
#pragma unroll
        for (u32 turn = 0; turn < BATCH; turn++) {
            u32 to;
            const bool here = places.have(own[turn], to);
            if (here) mark(marks, to);
            if (BY_SEGMENT) ends[begin + turn * WARP] = here && own[turn] != before[turn] ? to : 0;
        }
    }
}

// f(k, offset k's place in the tile, whether it is another than the one before) for those of a tile's offsets beyond the
// first that point into the tile or to its end; of equal ones only the first is sure to come up. All main warps.
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
    for (u64 k = begin; k < end; k += AT_ONCE * threads) {
        const u32 number = (u32)min(end - k, (u64)(AT_ONCE * threads));
        const Offset* const from = p.offsets + k;
        Offset own[AT_ONCE], before[AT_ONCE];
        bool any_wrong = false;
#pragma unroll
        for (u32 turn = 0; turn < AT_ONCE; turn++) {
            const Offset* const at = from + min(turn * threads + thread, number - 1);
            own[turn] = at[0];
            before[turn] = at[-1];
        }
#pragma unroll
        for (u32 turn = 0; turn < AT_ONCE; turn++) {
            any_wrong |= wrong(p, own[turn], before[turn]);
            if constexpr (BY_SEGMENT) {
                if (own[turn] == before[turn]) store_segment(p, k + min(turn * threads + thread, number - 1) - 1, result(p.first));
            }
        }
        if (!any_wrong) continue;
#pragma unroll 1
        for (i32 i = thread; i < (i32)number; i += threads) {
            if (wrong(p, from[i], from[i - 1])) report_fault(p.workspace, FAULT_OFFSETS, k + i, (i64)from[i]);
        }
    }
}

// One warp, or several, checks the first offsets of a tile's share.
__device__ __forceinline__ void check_first(const Params& p, u64 tile, u32 thread, u32 threads) {
    const u64 begin = tile * p.share;
    check_offsets<BATCH>(p, max(begin, 1ull), min(begin + min(p.share, (u64)FIRST), p.segments + 1), thread, threads);
    if (tile == 0 && thread == 0) {
        const i64 first = (i64)p.offsets[0], last = (i64)p.offsets[p.segments];
        if (first != 0) report_fault(p.workspace, FAULT_OFFSETS, 0, first);
        if ((u64)last != p.n) report_fault(p.workspace, FAULT_OFFSETS, p.segments, last);
    }
}

// All main warps check the others.
__device__ __forceinline__ void check_others(const Params& p, u64 tile) {
    if (p.share <= FIRST) return;
    const u64 begin = tile * p.share;
    check_offsets<1>(p, begin + FIRST, min(begin + p.share, p.segments + 1), threadIdx.x, THREADS);
}
