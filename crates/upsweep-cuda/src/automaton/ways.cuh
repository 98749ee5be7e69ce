// Transition functions: for each tile of a text but the last, and for each state, the state that the tile leads to.
//
//   for each tile:                                                                 in parallel, one thread for each
//       for its last RECENT bytes, its last RECALLED bytes and all of it, until all states lead to one:
//           from all states over the first RECENT of them: few states are left
//           for up to WALKS of these, until there are no others: over the rest
//
// Most automata forget their initial state within some bytes. Others, of languages with comments and strings of several
// lines, are left with one state for each such construct. (Convergence of states: Mytkowicz, Musuvathi and Schulte,
// "Data-parallel finite-state machines", 2014.)
//
// Each lane has a copy of the automaton in a bank of its own, so that its steps have no bank conflicts. Only the next
// state of a step is stored: a byte, four of which are a word.
//
// A warp's tiles are far from each other, and a load of 16 bytes of each would take as many transactions as there are
// lanes. So four lanes load 64 bytes of one tile after the other, 16 bytes each, and exchange the parts of their own
// tiles.
//
// Memory ordering. After the barrier that follows the writes of the automaton, threads share read-only data; each has a
// column of its own of the states in shared memory.

#pragma once

#include "automaton/tile.cuh"
#include "tile/geometry.cuh"

constexpr u32 RECENT = 64, RECALLED = 512, AT_ONCE = 8, WALKS = 4;
constexpr u32 WALKED = 0x80;
static_assert(WAY_STATES <= WALKED, "a number of a state, and whether it has been walked from");
constexpr u32 STRETCH = 1024;  // bytes between checks whether all runs have converged
constexpr u32 QUARTERS = 4, QUARTER_BYTES = 16, STRIP = QUARTERS * QUARTER_BYTES;  // bytes of a tile per load
static_assert(TILE % STRIP == 0 && RECENT % STRIP == 0 && RECALLED % STRIP == 0 && STRETCH % STRIP == 0 && RECALLED < TILE, "text is read by strips");

// Layout of shared memory, which the host sizes. First, in COPIES copies, a word for each byte: the offset of its class
// among the steps of a state. Then the steps, in as many copies, and the columns (WayColumn).
constexpr u32 STEPS_AT = 4 * 256 * COPIES;
constexpr u32 WAY_STRIDE = STATE_BYTES / 4 * COPIES;  // bytes of all copies of a state's steps

// Returns the offset, among the steps of a state, of the first copy of the step by class `number` (bytes that all
// states treat alike).
__device__ __forceinline__ u32 place_of_class(u32 number) { return (number & ~3u) * COPIES + (number & 3); }

// Builds the copies of the automaton in shared memory. Called by all threads of a block; the caller adds a barrier.
__device__ __forceinline__ void fill_steps(u32 states, u32 classes, u32 steps_at) {
    for (u32 i = threadIdx.x; i < states * classes; i += blockDim.x) {
        const u8 next = (u8)(given_half(steps_at + 2 * i) >> 8);
        u8* const copies = dynamic_shared + STEPS_AT + i / classes * WAY_STRIDE + place_of_class(i % classes);
        for (u32 copy = 0; copy < COPIES; copy++) copies[4 * copy] = next;
    }
    for (u32 i = threadIdx.x; i < 256 * COPIES; i += blockDim.x) ((u32*)dynamic_shared)[i] = place_of_class(given_byte(i / COPIES)) + 4 * (i % COPIES);
}

// STRIP neighbouring bytes of a tile, which a lane loads at once.
struct Strip {
    uint4 quarters[QUARTERS];
};

// Text of the tiles of a warp's lanes, as this lane loads it: four lanes load a strip of each other's tiles together.
struct TileText {
    const u8* of_warp;    // text of the tile of the warp's first lane
    u32 offsets[QUARTERS];  // offset of this lane's quarter of the first strip in the tile of each of four lanes
    bool aligned;

    // Finds the text of the tile of each lane of a warp. Lanes without a tile have the last one. Called by whole warps,
    // as are all loads.
    static __device__ __forceinline__ TileText of(const u8* text, u64 tile_of_warp, u64 last) {
        const u64 first = min(tile_of_warp, last);
        TileText of = {text + first * TILE, {}, (u64)text % QUARTER_BYTES == 0};
#pragma unroll
        for (u32 i = 0; i < QUARTERS; i++) {
            const u64 tile = min(first + lane_index() / QUARTERS * QUARTERS + i, last);
            of.offsets[i] = (u32)(tile - first) * TILE + lane_index() % QUARTERS * QUARTER_BYTES;
        }
        return of;
    }

    __device__ __forceinline__ uint4 quarter(const u8* from) const {
        if (aligned) return *(const uint4*)from;
        u8 bytes[QUARTER_BYTES];
#pragma unroll
        for (u32 i = 0; i < QUARTER_BYTES; i++) bytes[i] = from[i];
        uint4 quarter;
        memcpy(&quarter, bytes, QUARTER_BYTES);
        return quarter;
    }
    // Loads a quarter of the strip at byte `at` of the tile of each of four neighbouring lanes.
    __device__ __forceinline__ Strip load(u32 at) const {
        Strip loaded;
#pragma unroll
        for (u32 i = 0; i < QUARTERS; i++) loaded.quarters[i] = quarter(of_warp + offsets[i] + at);
        return loaded;
    }
    // Transposes the loads of four neighbouring lanes into each lane's own strip, one bit of the lane's index after the
    // other.
    static __device__ __forceinline__ Strip own(Strip strip) {
        uint4(&x)[QUARTERS] = strip.quarters;
        exchange(x[0], x[1], 1), exchange(x[2], x[3], 1);
        exchange(x[0], x[2], 2), exchange(x[1], x[3], 2);
        return strip;
    }
    // Exchanges quarters with the lane whose index differs in `bit`: the lane without the bit gives its second for the
    // first of the lane with it.
    static __device__ __forceinline__ void exchange(uint4& first, uint4& second, u32 bit) {
        const bool upper = lane_index() & bit;
        const uint4 given = upper ? first : second;
        const u32 other = lane_index() ^ bit;
        const uint4 got = {__shfl_sync(~0u, given.x, other), __shfl_sync(~0u, given.y, other), __shfl_sync(~0u, given.z, other), __shfl_sync(~0u, given.w, other)};
        if (upper) first = got;
        else second = got;
    }

    // Runs from N states at once over this lane's tile, from byte `begin` to byte `end - 1`.
    template <u32 N>
    __device__ __forceinline__ void walk(u32 begin, u32 end, u32 (&states)[N]) const {
        const u32 copy = 4 * (lane_index() % COPIES);
        Strip next = load(begin);
#pragma unroll 1
        for (u32 at = begin; at < end; at += STRIP) {
            Strip now = own(next);
            if (at + STRIP < end) next = load(at + STRIP);
#pragma unroll 1
            for (u32 quarter = 0; quarter < QUARTERS; quarter++) {
                for_words(now.quarters[0], [&](u32 four) {
#pragma unroll
                    for (u32 j = 0; j < 4; j++) {
                        const u32 place = *(const u32*)(dynamic_shared + ((four >> 8 * j & 0xff) * (4 * COPIES) | copy));
#pragma unroll
                        for (u32 i = 0; i < N; i++) states[i] = dynamic_shared[STEPS_AT + states[i] * WAY_STRIDE + place];
                    }
                });
                now.quarters[0] = now.quarters[1], now.quarters[1] = now.quarters[2], now.quarters[2] = now.quarters[3];
            }
        }
    }
    // Runs from the first N of `states`; the others become as the first one. Once the N runs of each lane of the warp
    // have converged, a lane continues only one.
    template <u32 N>
    __device__ __forceinline__ void walk_some(u32 begin, u32 end, u32 (&states)[WALKS]) const {
        u32 some[N], one[1];
#pragma unroll
        for (u32 i = 0; i < N; i++) some[i] = states[i];
        bool met = N == 1;
#pragma unroll 1
        for (; begin < end && !met; begin += min(STRETCH, end - begin)) {
            walk(begin, min(begin + STRETCH, end), some);
            bool apart = false;
#pragma unroll
            for (u32 i = 1; i < N; i++) apart |= some[i] != some[0];
            met = !__any_sync(~0u, apart);
        }
        one[0] = some[0];
        if (begin < end) walk(begin, end, one);
#pragma unroll
        for (u32 i = 0; i < WALKS; i++) states[i] = i < N && !met ? some[i] : one[0];
    }
};

// Column of a thread in shared memory: for each state, the state that its tile leads to.
struct WayColumn {
    u32 states;

    __device__ __forceinline__ u8& operator[](u32 i) const { return dynamic_shared[STEPS_AT + states * WAY_STRIDE + i * blockDim.x + threadIdx.x]; }

    // Runs from all states over the bytes from `begin` to `end - 1`, and stores the ends in the column if `wanted`.
    __device__ __forceinline__ void walk_from_all(const TileText& text, u32 begin, u32 end, bool wanted) const {
#pragma unroll 1
        for (u32 first = 0; first < states; first += AT_ONCE) {
            u32 some[AT_ONCE];
#pragma unroll
            for (u32 i = 0; i < AT_ONCE; i++) some[i] = min(first + i, states - 1);
            text.walk(begin, end, some);
#pragma unroll
            for (u32 i = 0; i < AT_ONCE; i++) {
                if (wanted && first + i < states) (*this)[first + i] = (u8)some[i];
            }
        }
    }
    __device__ __forceinline__ bool forgets() const {
        bool same = true;
#pragma unroll 1
        for (u32 i = 1; i < states; i++) same &= (*this)[i] == (*this)[0];
        return same;
    }
    // Collects in `numbers` up to WALKS distinct states in the column from which no run has begun yet; returns how many
    // there are.
    __device__ __forceinline__ u32 find(u32 (&numbers)[WALKS]) const {
        u32 found = 0;
#pragma unroll 1
        for (u32 i = 0; i < states && found < WALKS; i++) {
            const u32 number = (*this)[i];
            bool known = number & WALKED;
#pragma unroll
            for (u32 j = 0; j < WALKS; j++) known |= j < found && numbers[j] == number;
            if (known) continue;
#pragma unroll
            for (u32 j = 0; j < WALKS; j++) numbers[j] = j == found ? number : numbers[j];
            found++;
        }
        return found;
    }
    __device__ __forceinline__ void replace(u32 found, const u32 (&numbers)[WALKS], const u32 (&ends)[WALKS]) const {
#pragma unroll 1
        for (u32 i = 0; i < states; i++) {
            const u32 number = (*this)[i];
#pragma unroll
            for (u32 j = 0; j < WALKS; j++) {
                if (j < found && numbers[j] == number) (*this)[i] = (u8)(ends[j] | WALKED);
            }
        }
    }
};

extern "C" __global__ void upsweep_automaton_ways(const __grid_constant__ AutomatonParams p) {
    fill_steps((u32)p.states, (u32)p.classes, (u32)p.steps_at);
    __syncthreads();
    // The last tile's end states are not needed.
    const u64 tiles = tile_number(p.n) - 1, tile = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    const TileText text = TileText::of(p.text, tile - lane_index(), tiles - 1);
    const WayColumn way = {(u32)p.states};
    bool remembers = true;
#pragma unroll 1
    for (u32 window = RECENT;; window = window == RECENT ? RECALLED : TILE) {
        const u32 begin = TILE - window + RECENT;
        way.walk_from_all(text, begin - RECENT, begin, remembers);
#pragma unroll 1
        while (window > RECENT) {
            u32 numbers[WALKS] = {};
            const u32 found = remembers ? way.find(numbers) : 0;
            if (!__any_sync(~0u, found > 0)) break;
            u32 ends[WALKS];
#pragma unroll
            for (u32 j = 0; j < WALKS; j++) ends[j] = numbers[j < found ? j : 0];
            if (__any_sync(~0u, found > 3)) text.walk_some<4>(begin, TILE, ends);
            else if (__any_sync(~0u, found > 2)) text.walk_some<3>(begin, TILE, ends);
            else if (__any_sync(~0u, found > 1)) text.walk_some<2>(begin, TILE, ends);
            else text.walk_some<1>(begin, TILE, ends);
            way.replace(found, numbers, ends);
        }
        remembers = remembers && !way.forgets();
        if (window == TILE || !__any_sync(~0u, remembers)) break;
    }
    if (tile >= tiles) return;
#pragma unroll 1
    for (u32 i = 0; i < WAY_STATES; i++) p.ways[tile * WAY_STATES + i] = (u8)(way[min(i, way.states - 1)] & ~WALKED);
}
