// Segments by offsets: where the offsets that point into a tile are, and what is done with them.
//
//   one warp, ahead of the others:
//       guess where they begin and end, from where those of the tile before began
//       probe at doubling distances around the guess; then, while much is left, at 32 places of what is left
//   all main warps:
//       read them side by side
//
// Beside that every tile checks an even share of the offsets, wherever they point, and in a reduction stores the results
// of the empty segments among them, which no element stands for. So the work is balanced however the segments lie:
// where many offsets are equal, the readers take longer and longer steps.
//
// Offsets that do not ascend end in a fault, whatever was found: the readers stay inside the array and come to an end.

// Offsets in logical order: ascending, the first 0, the last n.
__device__ __forceinline__ Offset raw_offset(const Params& p, u64 k) { return p.offsets[REVERSE ? p.segments - k : k]; }
__device__ __forceinline__ u64 logical_offset(const Params& p, Offset offset) { return REVERSE ? p.n - (u64)offset : (u64)offset; }

// The offsets, for a search.
struct OffsetArray {
    const Offset* offsets;
    u64 segments, n;

    __device__ __forceinline__ explicit OffsetArray(const Params& p) : offsets(p.offsets), segments(p.segments), n(p.n) {}
    __device__ __forceinline__ u64 operator[](u64 k) const { return REVERSE ? n - (u64)offsets[segments - k] : (u64)offsets[k]; }
};

// What is searched: the first offset at or after an element. It is in [low, high]; offsets below `low` lie before it,
// that at `high` does not.
struct Range {
    u64 low, high;

    // Narrows it by what the lanes have found at their probes, which ascend.
    __device__ __forceinline__ void narrow(const OffsetArray& offsets, u64 element, u64 probe) {
        const bool before = probe < low || (probe < high && offsets[probe] < element);
        const u32 count = __popc(__ballot_sync(~0u, before));  // offsets ascend: the probes before it come first
        const u64 last = shuffle(probe, count > 0 ? count - 1 : 0), next = shuffle(probe, min(count, WARP - 1));
        if (count > 0) low = max(low, last + 1);
        if (count < WARP) high = min(high, next);
        high = max(low, high);  // offsets that do not ascend
    }

    __device__ __forceinline__ u64 even_probe() const { return low + ((high - low) / (WARP + 1) + 1) * (lane_index() + 1) - 1; }
};

// -2^19, ..., -16, 16, ..., 2^19 from the guess.
__device__ __forceinline__ u64 probe_around(u64 guess) {
    const u32 lane = lane_index();
    const u64 distance = lane < WARP / 2 ? 16ull << (WARP / 2 - 1 - lane) : 16ull << (lane - WARP / 2);
    if (lane >= WARP / 2) return guess + distance;
    return guess < distance ? 0 : guess - distance;
}

// The offsets [first, last): all that point into a tile, the first one at its end or beyond, and few others.
struct OffsetRange {
    u64 first, last;
};

// A warp that finds tiles' offsets, and where it stands.
struct Finder {
    static constexpr u64 NEAR = 32;  // as near as it comes
    u64 tile, low;
    float offsets_per_tile;

    __device__ __forceinline__ explicit Finder(const Params& p, u64 tiles)
        : tile(0), low(0), offsets_per_tile((float)p.segments / (float)tiles) {}

    // The offsets of tile `t`. All lanes of one warp. Both ends are searched side by side: what takes time is the memory.
    __device__ __forceinline__ OffsetRange find(const Params& p, u64 t) {
        const u64 guess = low + (u64)((float)(t - tile) * offsets_per_tile), begin = t * TILE, end = min(begin + TILE, p.n);
        const OffsetArray offsets(p);
        Range first = {0, p.segments + 1}, last = first;
        u64 probe = probe_around(guess), last_probe = probe_around(guess + (u64)offsets_per_tile);
        while (true) {
            first.narrow(offsets, begin, probe);
            last.narrow(offsets, end, last_probe);
            if (first.high - first.low <= NEAR && last.high - last.low <= NEAR) break;
            probe = first.even_probe();
            last_probe = last.even_probe();
        }
        if (tile > 0 && t > tile && first.low >= low) offsets_per_tile = (float)(first.low - low) / (float)(t - tile);
        tile = t;
        low = first.low;
        return OffsetRange{first.low, min(last.high, p.segments) + 1};
    }
};

// Turns in which main warps read offsets side by side ahead of their use.
constexpr u32 TURNS = 2;

// The offsets of one tile, as its threads read them: they are asked for some time before they are used.
struct TileOffsets {
    Offset at[TURNS], before[TURNS];  // this thread's, and for a reduction those before them

    // This warp's first place in a turn.
    static __device__ __forceinline__ u64 place(const OffsetRange& range, u32 turn) { return range.first + turn * THREADS + warp_index() * WARP; }

    __device__ __forceinline__ void ask(const Params& p, const OffsetRange& range) {
#pragma unroll
        for (u32 turn = 0; turn < TURNS; turn++) {
            if (place(range, turn) >= range.last) break;
            const u64 k = min(place(range, turn) + lane_index(), range.last - 1);
            at[turn] = raw_offset(p, k);
            if (BY_SEGMENT) before[turn] = raw_offset(p, k > range.first ? k - 1 : k);
        }
    }

    // f(k, offset k's place in the tile, whether it is another than the one before) for those of the offsets that point
    // into the tile or to its end; of equal ones only the first is sure to come up. All main warps.
    template <class F>
    __device__ __forceinline__ void each(const Params& p, u64 tile, const OffsetRange& range, F f) const {
        const u64 begin = tile * TILE;
        const u32 count = tile_count(p.n, tile);
        const auto one = [&](u64 k, Offset own, Offset lower) {
            const u64 to = logical_offset(p, own) - begin;
            if (k < range.last && to <= count) f(k, (u32)to, k == range.first || own != lower);
        };
#pragma unroll
        for (u32 turn = 0; turn < TURNS; turn++) {
            if (place(range, turn) >= range.last) return;
            one(place(range, turn) + lane_index(), at[turn], before[turn]);
        }
        for (u64 k = place(range, TURNS); k < range.last; k += THREADS) {
            const u64 mine = min(k + lane_index(), range.last - 1);
            const Offset own = raw_offset(p, mine);
            one(k + lane_index(), own, BY_SEGMENT ? raw_offset(p, mine - 1) : own);
            // A warp's offsets all equal: there may be many more.
            const Offset same = shuffle(own, WARP - 1);
            if (shuffle(own, 0) == same) {
                for (u64 step = THREADS; k + 2 * step < range.last && raw_offset(p, k + 2 * step) == same; step *= 2) k += step;
            }
        }
    }

    // Marks the heads; the marks were clear.
    __device__ __forceinline__ void mark(const Params& p, u64 tile, const OffsetRange& range, Marks& marks) const {
        const u32 count = tile_count(p.n, tile);
        each(p, tile, range, [&](u64, u32 to, bool) {
            if (to < count) {
                const u32 bit = to / VECTOR * (8 * sizeof(VectorBits)) + to % VECTOR;
                atomicOr((u32*)marks.vectors + bit / 32, 1u << bit % 32);
            } else if (BY_SEGMENT) {
                atomicOr(&marks.after, 1);
            }
        });
    }
};

// Clears all marks of a tile.
__device__ __forceinline__ void clear_marks(Marks& marks) {
    constexpr u32 PARTS = MARKED ? sizeof(Marks::vectors) / 16 : 1;
    static_assert(PARTS <= THREADS, "each thread clears one part");
    if (threadIdx.x < PARTS) ((uint4*)marks.vectors)[threadIdx.x] = uint4{0, 0, 0, 0};
    if (threadIdx.x == 0) marks.after = 0;
}

// Clears those that this thread uses.
__device__ __forceinline__ void clear_own_marks(Marks& marks) {
#pragma unroll
    for (u32 row = 0; row < ROWS; row++) marks.vectors[threadIdx.x * ROWS + row] = 0;
}

// A tile's share of the offsets, to be checked. In a reduction the results of the empty segments there are stored, too.
struct OffsetsCheck {
    u64 tile;
    Offset at[TURNS], before[TURNS];

    // The share's end.
    __device__ __forceinline__ u64 end(const Params& p) const { return min((tile + 1) * p.share, p.segments + 1); }

    // This warp's first place in a turn.
    __device__ __forceinline__ u64 place(const Params& p, u32 turn) const { return tile * p.share + turn * THREADS + (WARPS - 1 - warp_index()) * WARP; }

    // All main warps ask for them, to check them later.
    __device__ __forceinline__ void ask(const Params& p, u64 t) {
        tile = t;
#pragma unroll
        for (u32 turn = 0; turn < TURNS; turn++) {
            if (place(p, turn) >= end(p)) break;
            const u64 k = min(place(p, turn) + lane_index(), end(p) - 1);
            at[turn] = p.offsets[k];
            before[turn] = p.offsets[k > 0 ? k - 1 : 0];
        }
    }

    __device__ __forceinline__ void check(const Params& p) const {
#pragma unroll
        for (u32 turn = 0; turn < TURNS; turn++) {
            if (place(p, turn) >= end(p)) return;
            const u64 k = place(p, turn) + lane_index();
            if (k < end(p)) check_one(p, k, at[turn], before[turn]);
        }
        for (u64 k = place(p, TURNS) + lane_index(); k < end(p); k += THREADS) check_one(p, k, p.offsets[k], p.offsets[k - 1]);
    }

    __device__ __forceinline__ void check_one(const Params& p, u64 k, Offset own, Offset lower) const {
        const i64 at = (i64)own, before = k == 0 ? 0 : (i64)lower;
        const bool ends = k == p.segments ? (u64)at == p.n : (u64)at <= p.n;
        if (at < before || !ends || (k == 0 && at != 0)) report_fault(p.workspace, FAULT_OFFSETS, k, at);
        if constexpr (BY_SEGMENT) {
            if (k > 0 && at == before && k - 1 < p.outputs) p.output[k - 1] = result(p.first);
        }
    }
};
