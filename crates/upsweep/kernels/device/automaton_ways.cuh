// Ways: for each tile of a text that has another behind it, and for each state, the state that the tile leads to from there.
//
//   for each tile:                                                                         in parallel, a thread each
//       for its last RECENT bytes, its last RECALLED bytes and all of it, until all states come to one:
//           from all states along the first RECENT of them: few states are left
//           for up to WALKS of these, until there are no others: along the rest
//
// Most automata forget within some bytes where they began. Those that do not, of languages with comments and strings of several lines, are
// left with as many states as there are such things. (What is left after some bytes: Mytkowicz, Musuvathi and Schulte, "Data-parallel
// finite-state machines", 2014.)
//
// Each lane has a copy of the automaton in a bank of its own, so that its steps wait for nobody's. Of a step only the next state is kept: a
// byte, four of which are a word.
//
// Memory ordering. Behind the barrier that the automaton is written before, threads share nothing but what is read; each has a column of its
// own of the states in shared memory.

#pragma once

#include "tile/automaton.cuh"
#include "tile/geometry.cuh"

constexpr u32 RECENT = 64, RECALLED = 512, AT_ONCE = 8, WALKS = 4;
constexpr u32 WALKED = 0x80;
static_assert(WAY_STATES <= WALKED, "a number of a state, and whether it has been walked from");
constexpr u32 STRETCH = 1024;  // bytes after which it is seen whether all walks have met
constexpr u32 SECTOR = 32;     // bytes that are read at once
static_assert(TILE % SECTOR == 0 && RECENT % SECTOR == 0 && RECALLED % SECTOR == 0 && RECALLED < TILE, "text is read by sectors");

// Shared memory: in copies, where the step of each byte's class lies among those of a state, a word a byte, and the steps; the columns. The
// host sizes it.
constexpr u32 STEPS_AT = 4 * 256 * COPIES;
constexpr u32 WAY_STRIDE = STATE_BYTES / 4 * COPIES;  // of the steps of a state

// Where the first copy of a class's step lies among those of a state.
__device__ __forceinline__ u32 place_of_class(u32 number) { return (number & ~3u) * COPIES + (number & 3); }

// By all threads of a block; a barrier comes behind it.
__device__ __forceinline__ void fill_steps(u32 states, u32 classes, u32 steps_at) {
    for (u32 i = threadIdx.x; i < states * classes; i += blockDim.x) {
        const u8 next = (u8)(given_half(steps_at + 2 * i) >> 8);
        u8* const copies = dynamic_shared + STEPS_AT + i / classes * WAY_STRIDE + place_of_class(i % classes);
        for (u32 copy = 0; copy < COPIES; copy++) copies[4 * copy] = next;
    }
    for (u32 i = threadIdx.x; i < 256 * COPIES; i += blockDim.x) ((u32*)dynamic_shared)[i] = place_of_class(given_byte(i / COPIES)) + 4 * (i % COPIES);
}

// The text of a tile, from its first byte on.
struct TileText {
    const u8* first;
    bool aligned;

    struct Sector { uint4 halves[SECTOR / 16]; };
    __device__ __forceinline__ Sector sector(u32 at) const {
        Sector sector;
        if (aligned) {
#pragma unroll
            for (u32 i = 0; i < SECTOR / 16; i++) sector.halves[i] = ((const uint4*)(first + at))[i];
            return sector;
        }
        u8 bytes[SECTOR];
#pragma unroll
        for (u32 i = 0; i < SECTOR; i++) bytes[i] = first[at + i];
        memcpy(&sector, bytes, SECTOR);
        return sector;
    }

    // Goes along the bytes from `begin` to `end`, from some states at once.
    template <u32 N>
    __device__ __forceinline__ void walk(u32 begin, u32 end, u32 (&states)[N]) const {
        const u32 copy = 4 * (lane_index() % COPIES);
        Sector next = sector(begin);
#pragma unroll 1
        for (u32 at = begin; at < end; at += SECTOR) {
            const Sector now = next;
            if (at + SECTOR < end) next = sector(at + SECTOR);
#pragma unroll
            for (u32 half = 0; half < SECTOR / 16; half++) {
                for_words(now.halves[half], [&](u32 four) {
#pragma unroll
                    for (u32 j = 0; j < 4; j++) {
                        const u32 place = *(const u32*)(dynamic_shared + ((four >> 8 * j & 0xff) * (4 * COPIES) | copy));
#pragma unroll
                        for (u32 i = 0; i < N; i++) states[i] = dynamic_shared[STEPS_AT + states[i] * WAY_STRIDE + place];
                    }
                });
            }
        }
    }
    // From the first N of some states; the others are as the first one. Where all walks of the warp's lanes have met, one goes on.
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

// A thread's column: for each state, where it leads to.
struct WayColumn {
    u32 states;

    __device__ __forceinline__ u8& operator[](u32 i) const { return dynamic_shared[STEPS_AT + states * WAY_STRIDE + i * blockDim.x + threadIdx.x]; }

    // From all states.
    __device__ __forceinline__ void walk_from_all(const TileText& text, u32 begin, u32 end) const {
#pragma unroll 1
        for (u32 first = 0; first < states; first += AT_ONCE) {
            u32 some[AT_ONCE];
#pragma unroll
            for (u32 i = 0; i < AT_ONCE; i++) some[i] = min(first + i, states - 1);
            text.walk(begin, end, some);
#pragma unroll
            for (u32 i = 0; i < AT_ONCE; i++) {
                if (first + i < states) (*this)[first + i] = (u8)some[i];
            }
        }
    }
    __device__ __forceinline__ bool forgets() const {
        bool same = true;
#pragma unroll 1
        for (u32 i = 1; i < states; i++) same &= (*this)[i] == (*this)[0];
        return same;
    }
    // Some states, each different, from which nobody has walked yet.
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
    // What the last tile leads to, nobody asks. Lanes without a tile walk along another's, so that warps stay together.
    const u64 tiles = tile_number(p.n) - 1, own = (u64)blockIdx.x * blockDim.x + threadIdx.x, tile = min(own, tiles - 1);
    const TileText text = {p.text + tile * TILE, (u64)p.text % 16 == 0};
    const WayColumn way = {(u32)p.states};
    bool remembers = true;
#pragma unroll 1
    for (u32 window = RECENT;; window = window == RECENT ? RECALLED : TILE) {
        const u32 begin = TILE - window + RECENT;
        if (remembers) way.walk_from_all(text, begin - RECENT, begin);
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
    if (own >= tiles) return;
#pragma unroll 1
    for (u32 i = 0; i < WAY_STATES; i++) p.ways[tile * WAY_STATES + i] = (u8)(way[min(i, way.states - 1)] & ~WALKED);
}
