// Speculative DFA over a text: the events that a deterministic automaton emits, in order: kind and position of each. Or
// their number.
//
// The pipeline (pipeline.cuh) of this task:
//
//   reduce      bytes become codes (automaton/tile.cuh). Each thread runs the DFA over its ITEMS bytes from three
//               states: that to which the 16 bytes before lead from the first state, and those from two lasting states
//               (`find_lasting`). Then the right run is found, from the tile's own entry state on
//               (automaton/entries.cuh):
//
//                 a thread's choice of a run is a function of the choice of the thread before: the run that begins where
//                 the other's ends
//                 a scan of these functions by composition, in each warp; if no run begins there, it stops
//                 all threads from there on without a run from an end of the thread before make another run, from that
//                 end
//                 and again, until it stops nowhere: as often as such threads follow each other
//                 warps assume their first thread's guess, and resume from the right state if it was wrong
//
//               With the ends, the numbers of events are known.
//   look back   the number of events before the tile
//   finish      each thread runs over its bytes once more, from the right state, and puts its events into a buffer in
//               shared memory, in order; from there they are stored contiguously
//
// In contrast to scans of functions of states (Hillis and Steele, "Data parallel algorithms", 1986; Mytkowicz,
// Musuvathi and Schulte, "Data-parallel finite-state machines", 2014), functions of all states are composed only from
// tile to tile. In a tile three guesses nearly always suffice, and a wrong one costs a run and changes nothing else:
// bits and order of the results do not depend on it.
//
// Memory ordering: pipeline.cuh. A tile's slots hold bytes until `reduce`, then codes; a thread reads the codes of the
// thread before, which is in the same warp, after a __syncwarp. Inside a block, each line's writer comes before the
// barrier and its reader after it:
//
//   shared memory   written by                    barrier                  read by         written again after
//   warps[turn]     the last lane of each warp    main_sync of the turn    compute warps   the main_sync of the next turn
//   threads[k]      a thread                      none: its own            the same        STAGES tiles
//   the buffer      compute warps in `finish`     main_sync                compute warps   the next main_sync, or prefix_barrier

#pragma once

#include "memory/access.cuh"
#include "automaton/tile.cuh"
#include "tile/pipeline.cuh"
#include "warp/sum.cuh"

template <u32 BYTES> struct NumberOf { using type = u64; };
template <> struct NumberOf<4> { using type = u32; };

// Number of events, of a tile or before it; the positions of events have the type EventPlace.
struct Number {
    NumberOf<HOST_STATE_BYTES>::type value;
};
__device__ __forceinline__ Number combine(const Number& a, const Number& b) { return {a.value + b.value}; }
using EventPlace = NumberOf<INDEX_BYTES>::type;

struct AutomatonTask {
    using State = Number;
    using Params = AutomatonParams;
    static constexpr bool FINISHES = true;
    static constexpr u32 PREPARERS = 0, DRAWER = 0, PUBLISHER = 0;
    static constexpr Asks ASKS = Asks::AND_GOES_ON;
    using Input = Stream<u8>;
    using Slot = Input::Slot;
    static_assert(sizeof(Slot) == SLOT_BYTES && SLOT_BYTES == 16, "a row of a thread is 16 codes");

    // Dynamic shared memory: the automaton, the tiles, and EVENTS_AT_ONCE events.
    static constexpr u32 TILES_AT = (AUTOMATON_BYTES + 127) / 128 * 128, BUFFER_AT = TILES_AT + STAGES * TILE;
    static constexpr u32 MOST_EVENTS = 24;  // largest number of events of one byte
    static_assert(TILE < 1 << 16 && (WARP * ITEMS + 1) * MOST_EVENTS < 1 << 16, "a place in a tile has 16 bits, and the events of a warp");

    struct Ends { u32 begin, end; };  // the states at the ends of a run
    struct Shared {
        Number warp_totals[STAGES][WARPS], before_tile[STAGES];
        u32 before_warp[STAGES][WARPS], number[STAGES];
        u32 threads[STAGES][THREADS];  // state at a thread's first byte; upper half: number of events of lower lanes
        Ends warps[2][WARPS];
        Slot edges[AHEAD + 1][WARPS];  // for each warp, the 16 bytes before its first one
    };
    const Params& p;
    Shared& shared;
    const Input input;

    __device__ __forceinline__ AutomatonTask(const Params& p, Shared& shared) : p(p), shared(shared), input(p.text, p.n) {}

    __device__ __forceinline__ Slot* slots(u32 k) const { return (Slot*)(dynamic_shared + TILES_AT + k % STAGES * TILE); }
    __device__ __forceinline__ Slot* own_slots(u32 k) const { return slots(k) + threadIdx.x * ROWS; }
    __device__ __forceinline__ Slot& edge(u32 k) const { return shared.edges[k % (AHEAD + 1)][warp_index()]; }
    __device__ __forceinline__ const Number* totals(u32 k) const { return shared.warp_totals[k % STAGES]; }
    static __device__ __forceinline__ u32* buffer() { return (u32*)(dynamic_shared + BUFFER_AT); }

    __device__ __forceinline__ void stage(u32 k, u64 tile) const {
        input.stage_tile(tile, slots(k));
        const u64 first = tile * TILE + warp_index() * WARP * ITEMS;
        if (lane_index() == 0 && first > 0 && first < p.n) input.stage_vector(edge(k), p.text + first - VECTOR, VECTOR);
    }

    // Replaces the bytes in a slot by their codes. It serves the slots of a thread, and a warp's edge: the 16 bytes
    // before its first.
    static __device__ __forceinline__ void encode(Slot& slot) { *(uint4*)slot.bytes = codes_of(*(const uint4*)slot.bytes); }

    // Calls `four(codes, at)` for the codes of this thread's `mine` bytes, four at a time, and `one(code, at)` for the
    // rest. WORDS is the number of fours that the loop is unrolled for.
    template <u32 WORDS, class Four, class One>
    __device__ __forceinline__ void for_codes(u32 k, u32 mine, Four four, One one) const {
        const Slot* const own = own_slots(k);
#pragma unroll 1
        for (u32 row = 0; row < ROWS; row++) {
            const u32 begin = row * VECTOR;
            if (begin + VECTOR <= mine) {
                uint4 codes = *(const uint4*)own[row].bytes;
#pragma unroll WORDS
                for (u32 at = begin; at < begin + VECTOR; at += 4) {
                    four(codes.x, at);
                    codes.x = codes.y, codes.y = codes.z, codes.z = codes.w;
                }
            } else {
#pragma unroll 1
                for (u32 at = begin; at < mine; at++) one((u32)own[row].bytes[at - begin], at);
            }
        }
    }
    template <u32 WORDS, class One>
    __device__ __forceinline__ void for_codes(u32 k, u32 mine, One one) const {
        const auto four = [&](u32 codes, u32 at) {
#pragma unroll
            for (u32 j = 0; j < 4; j++) one(codes >> 8 * j & 0xff, at + j);
        };
        for_codes<WORDS>(k, mine, four, one);
    }

    // A run of the DFA: the states at its begin and end, and the number of its events.
    struct Walk {
        u32 begin, end, events;
        __device__ __forceinline__ void from(u32 state) { begin = end = state & 0xffff, events = 0; }
        __device__ __forceinline__ void step(u32 code) { end = step_by(end, code), events += events_of(end); }
    };

    // Begins runs from guesses of the state at this thread's first byte. The guesses are the ends of short runs over
    // the 16 bytes before, from the first state and the lasting states.
    __device__ __forceinline__ void guess(u32 k, Walk (&of)[1 + LASTING]) const {
        const Slot& before = lane_index() == 0 ? edge(k) : own_slots(k)[-1];
        u32 states[1 + LASTING] = {state_of(0), lasting_state(0), lasting_state(1)};
        for_words(*(const uint4*)before.bytes, [&](u32 four) {
#pragma unroll
            for (u32 j = 0; j < 4; j++) {
#pragma unroll
                for (u32 i = 0; i <= LASTING; i++) states[i] = step_by(states[i], four >> 8 * j & 0xff);
            }
        });
#pragma unroll
        for (u32 i = 0; i <= LASTING; i++) of[i].from(states[i]);
    }

    // Runs of a thread over its bytes, from its guesses of the initial state. The last one is replaced by a run from a
    // state that is needed and in which no run begins.
    static constexpr u32 WALKS = 1 + LASTING, NONE = 3;
    struct Walks {
        Walk of[WALKS];

        // Returns the index of this thread's run that begins in `state`, or NONE.
        __device__ __forceinline__ u32 from(u32 state) const {
            u32 which = NONE;
#pragma unroll
            for (u32 i = WALKS; i-- > 0;) which = of[i].begin == (state & 0xffff) ? i : which;
            return which;
        }
        __device__ __forceinline__ Walk at(u32 which) const { return which == 0 ? of[0] : which == 1 ? of[1] : of[2]; }
    };

    // Choice of a thread (the index of its right run) as a function of the choice of the thread before: two bits for
    // each argument. NONE maps to NONE. `then` composes two such functions.
    static constexpr u32 STOPPED = NONE << 2 * NONE;
    static __device__ __forceinline__ u32 then(u32 first, u32 second) {
        u32 both = STOPPED;
#pragma unroll
        for (u32 i = 0; i < WALKS; i++) both |= (second >> 2 * (first >> 2 * i & 3) & 3) << 2 * i;
        return both;
    }

    // Makes runs until each lane has one from the end of the right run of the lane before; the first lane's begins in
    // state `entry`. Returns the lane's right run.
    __device__ __forceinline__ Walk resolve(u32 k, u32 mine, u32 entry, Walks& walks) const {
        const u32 lane = lane_index();
#pragma unroll 1
        while (true) {
            u32 choices = STOPPED, wanted = 0;
            bool lacks = false;
#pragma unroll
            for (u32 i = WALKS; i-- > 0;) {
                const u32 end = __shfl_up_sync(~0u, walks.of[i].end, 1), which = walks.from(end);
                choices |= which << 2 * i;
                if (which == NONE) wanted = end, lacks = true;
            }
            if (lane == 0) choices = walks.from(entry) * 0b010101 | STOPPED;
#pragma unroll
            for (u32 distance = 1; distance < WARP; distance *= 2) {
                const u32 lower = __shfl_up_sync(~0u, choices, distance);
                if (lane >= distance) choices = then(lower, choices);
            }
            const u32 choice = choices & 3, stopped = __ballot_sync(~0u, choice == NONE);
            const Walk right = walks.at(choice);
            if (stopped == 0) return right;
            const u32 stop = __ffs(stopped) - 1, before = __shfl_sync(~0u, right.end, stop == 0 ? 0 : stop - 1);
            if (lane == stop) wanted = stop == 0 ? entry : before, lacks = true;
            if (lane >= stop && lacks) {
                Walk walk;
                walk.from(wanted);
                for_codes<1>(k, mine, [&](u32 code, u32) { walk.step(code); });
                walks.of[2] = walk;
            }
        }
    }

    // Whether this thread emits the events of the end of the text: if that is in this tile, the thread with the last
    // byte.
    __device__ __forceinline__ bool is_at_end(u64 tile) const {
        const u64 begin = tile * TILE, left = p.n - begin;
        return tile + 1 == tile_number(p.n) && threadIdx.x == (left == 0 ? 0 : (u32)(left - 1) / ITEMS);
    }
    __device__ __forceinline__ u32 told_at_end(u32 state) const { return given_half(ENDS_AT + 2 * number_of_state(state)) << 16; }

    __device__ __forceinline__ void reduce(u32 k, u64 tile) const {
        const u32 slot = k % STAGES, warp = warp_index(), lane = lane_index();
        const u32 count = tile_count(p.n, tile), mine = existing<false>(threadIdx.x * ITEMS, ITEMS, count);
        const u32 of_tile = tile > 0 ? p.entries[tile] : p.before ? (u32)min(*p.before, p.states - 1) : 0;
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) encode(own_slots(k)[row]);
        if (lane == 0) encode(edge(k));
        __syncwarp();

        Walks walks;
        Walk &a = walks.of[0], &b = walks.of[1], &c = walks.of[2];
        guess(k, walks.of);
        if (threadIdx.x == 0) a.from(state_of(of_tile));
        // If in every lane c begins in the state of a or of b, it is not run, but becomes a copy of b. Nor is b run if
        // in every lane it begins in the state of a.
        if (__any_sync(~0u, a.begin != c.begin && b.begin != c.begin)) {
            for_codes<2>(k, mine, [&](u32 code, u32) { a.step(code), b.step(code), c.step(code); });
        } else if (__any_sync(~0u, a.begin != b.begin)) {
            for_codes<4>(k, mine, [&](u32 code, u32) { a.step(code), b.step(code); });
            c = b;
        } else {
            for_codes<1>(k, mine, [&](u32 code, u32) { a.step(code); });
            c = b = a;
        }

        // Assumes that the first thread of a warp is right, until the warp before contradicts.
        u32 entry = __shfl_sync(~0u, a.begin, 0);
        Walk right;
        bool again = true;
#pragma unroll 1
        for (u32 turn = 0;; turn ^= 1) {
            if (again) right = resolve(k, mine, entry, walks);
            if (lane == WARP - 1) shared.warps[turn][warp] = {entry, right.end & 0xffff};
            main_sync();
            const u32 before = lane > 0 && lane < WARPS ? shared.warps[turn][lane - 1].end : 0;
            const u32 wrong = __ballot_sync(~0u, lane > 0 && lane < WARPS && before != shared.warps[turn][lane < WARPS ? lane : 0].begin);
            if (wrong == 0) break;
            again = wrong >> warp & 1;
            if (again) entry = shared.warps[turn][warp - 1].end;
        }

        const u32 own = right.events + (is_at_end(tile) ? events_of(told_at_end(right.end)) : 0), up_to = warp_inclusive_sum(own);
        shared.threads[slot][threadIdx.x] = right.begin | (up_to - own) << 16;
        if (lane == WARP - 1) shared.warp_totals[slot][warp] = {up_to};
        if (p.after && is_at_end(tile)) p.after[0] = number_of_state(right.end), p.after[1] = events_of(told_at_end(right.end));
    }
    __device__ __forceinline__ void store(u32, u64) const {}
    __device__ __forceinline__ void check(u64) const {}

    __device__ __forceinline__ void look_back(u32 k, u64 tile, const Chain<Number>& chain) const {
        const u32 slot = k % STAGES, lane = lane_index();
        const u32 own = lane < WARPS ? (u32)shared.warp_totals[slot][lane].value : 0, up_to = warp_inclusive_sum(own);
        if (lane < WARPS) shared.before_warp[slot][lane] = up_to - own;
        const u32 number = __shfl_sync(~0u, up_to, WARP - 1);
        Number before = {0};
        if (tile > 0) before = chain.look_back(tile);
        if (lane != 0) return;
        shared.before_tile[slot] = before;
        shared.number[slot] = number;
        if (tile + 1 == chain.tiles) {
            const u64 all = (u64)before.value + number;
            *p.count = all;
            if (all > p.capacity) report_fault(p.workspace, FAULT_CAPACITY, all, (i64)p.capacity);
        }
    }

    // Event in the buffer. Lower half: index of the byte in its tile; upper half: the event bits of the step.
    static __device__ __forceinline__ u32 place_of(u32 event) { return (event & 0xffff) - (event >> 24 & 7); }
    static __device__ __forceinline__ u8 kind_of(u32 event) { return (u8)(event >> 16); }

    // Puts the events of a step, of the byte at index `place` of the tile, into the buffer from `at` on, as far as
    // there is room. Advances `at` by their number.
    static __device__ __forceinline__ void put(u32 step, u32 place, u32& at) {
        const u32 number = events_of(step);
        if (number > 1) {
#pragma unroll 1
            for (u32 i = 0; i < number; i++) {
                const u32 event = given_half(EVENTS_AT + 2 * ((step >> 16 & 0x7ff) + i)) << 16 | place;
                if (at + i < EVENTS_AT_ONCE) buffer()[at + i] = event;
            }
        } else if (number == 1 && at < EVENTS_AT_ONCE) {
            buffer()[at] = (step & 0xffff0000) | place;
        }
        at += number;
    }

    __device__ __forceinline__ void finish(u32 k, u64 tile) const {
        if (!p.kinds) return;  // only the number is requested
        const u32 slot = k % STAGES, number = shared.number[slot];
        const u32 mine = existing<false>(threadIdx.x * ITEMS, ITEMS, tile_count(p.n, tile));
        const u32 word = shared.threads[slot][threadIdx.x], first = shared.before_warp[slot][warp_index()];
        const u32 behind = warp_index() + 1 < WARPS ? shared.before_warp[slot][warp_index() + 1] : number;
        const u64 before = shared.before_tile[slot].value, begin = tile * TILE;
        for (u32 window = 0; window < number; window += EVENTS_AT_ONCE) {
            if (window > 0) main_sync();
            if (first < window + EVENTS_AT_ONCE && behind > window) {
                u32 state = word & 0xffff, at = first + (word >> 16) - window;
                const auto one = [&](u32 code, u32 j) {
                    state = step_by(state, code);
                    put(state, threadIdx.x * ITEMS + j, at);
                };
                const auto four = [&](u32 codes, u32 j) {
                    u32 steps[4], all = 0;
#pragma unroll
                    for (u32 i = 0; i < 4; i++) all |= steps[i] = state = step_by(state, codes >> 8 * i & 0xff);
                    if (events_of(all) <= 1 && at <= EVENTS_AT_ONCE - 4) {
                        // No step has several events, and there is room.
#pragma unroll
                        for (u32 i = 0; i < 4; i++) {
                            if (events_of(steps[i]) > 0) buffer()[at] = (steps[i] & 0xffff0000) | (threadIdx.x * ITEMS + j + i);
                            at += events_of(steps[i]);
                        }
                    } else {
#pragma unroll 1
                        for (u32 i = 0; i < 4; i++) {
                            put(steps[0], threadIdx.x * ITEMS + j + i, at);
                            steps[0] = steps[1], steps[1] = steps[2], steps[2] = steps[3];
                        }
                    }
                };
                for_codes<1>(k, mine, four, one);
                if (is_at_end(tile)) put(told_at_end(state), (u32)(p.n - begin), at);
            }
            main_sync();
            const u64 from = before + window;
            const u64 room = from < p.capacity ? p.capacity - from : 0;
            const u32 stored = (u32)min((u64)min(number - window, EVENTS_AT_ONCE), room);
            for (u32 i = threadIdx.x; i < stored; i += THREADS) {
                const u32 event = buffer()[i];
                p.kinds[from + i] = kind_of(event);
                ((EventPlace*)p.places)[from + i] = (EventPlace)(p.position + begin + (i64)(i32)place_of(event));
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS + Pipeline<AutomatonTask>::HELPERS * WARP, BLOCKS) upsweep_automaton(const __grid_constant__ AutomatonParams p) {
    fill_automaton((u32)p.states, (u32)p.classes, (u32)p.steps_at, blockDim.x);
    __syncthreads();
    find_lasting(p.text, p.entries, tile_number(p.n), TILE, p.lasting);
    __syncthreads();
    Pipeline<AutomatonTask>::run(p, tile_number(p.n));
}
