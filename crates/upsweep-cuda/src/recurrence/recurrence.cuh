// Linear recurrence (IIR filter): y[i] = b[0] x[i] + ... + b[k] x[i - k] - a[1] y[i - 1] - ... - a[k] y[i - k], and
// cascades of sections of order 2.
//
// The recurrence has k states (the transposed direct form II):
//
//   y = b[0] x + z[0],   z[j] = b[j + 1] x - a[j + 1] y + z[j + 1]
//
// They are linear in the states before, and in x. So the pipeline (pipeline.cuh) of this task scans states: the states
// after m elements are A^m times the states before, plus the states that the elements yield from zero states
// (linear.cuh):
//
//   reduce     the states that each thread's elements yield from zero states: a weighted sum of the elements (WEIGHED),
//              else the loop; a scan of them in the warp, whose exclusive prefix the thread keeps
//   look back  the states before each warp of the tile
//   finish     each thread adds its share of these, and runs the loop over its elements once more
//
// A thread's loop over its elements is the sequential one, so only its initial states are grouped otherwise. No
// neighbouring element is read: its effect is in the states.
//
// At the begin of a segment the states are set to the segment's own initial states, or to 0.
//
// In place: a tile is staged before it is stored, and nothing else reads its elements.

#pragma once

#include "tile/items.cuh"
#include "recurrence/linear.cuh"
#include "tile/offsets.cuh"
#include "tile/pipeline.cuh"
#include "tile/store.cuh"

// Returns the index, in memory order, of the line that logical element i is in.
__device__ __forceinline__ u64 line_of(const Params& p, u64 i) {
    if constexpr (HEADS != Heads::ROWS) return 0;
    u64 place;
    return row_of(p, REVERSE ? p.n - 1 - i : i, place);
}

// Returns the initial states of the line that logical element i is in.
__device__ __forceinline__ States first_states(const Params& p, u64 i) {
    States states = States::none();
    if constexpr (HAS_INIT) {
        const Given* const from = p.init_from + line_of(p, i) * ORDER;
#pragma unroll
        for (u32 j = 0; j < ORDER; j++) states.z[j] = given_acc(from[j]);
    }
    return states;
}

// Number of rows (vectors of a thread) that the loop over a thread's elements is unrolled for. Unrolled code of all
// rows is too long for the caches if states are many, and no slower if they are few.
constexpr u32 UNROLLED_ROWS = TEAMED ? 3 : ROWS;

// Whether a thread tests once, after its loop, for NaN among its results (NAN_STAYS), instead of at each result: stored
// results have canonical NaN. With feedback all results after a NaN are NaN, so a thread's last one shows whether there
// is work; if lines begin between, a sum of the results times 0 shows it, which only non-finite results change.
constexpr bool FLOATS = arith::same_type<T, f32> || arith::same_type<T, f64>, NAN_STAYS = FLOATS && FEEDBACK;

// Returns the states that the elements of this lane and of the `reach` lanes directly below it yield from zero states;
// `states` are those that this lane's elements yield.
__device__ __forceinline__ States scan_lanes(States states, u32 reach) {
#pragma unroll
    for (u32 level = 0; level < WARP_LEVEL; level++) {
        const States lower = shuffle_up(states, 1 << level);
        const States with = apply(level, lower, states);
        if (reach >= 1u << level) states = with;
    }
    return states;
}

// Whether the first pass over a thread's elements is a weighted sum. Initial states of lines would enter it elsewhere.
constexpr bool WEIGHED = WEIGHTS_GIVEN && !(SEGMENTED && HAS_INIT);

struct RecurrenceTask {
    using State = Carried;
    using Params = ::Params;
    static constexpr bool FINISHES = true;
    static constexpr u32 PREPARERS = HEADS == Heads::OFFSETS ? OFFSETS_WARPS : 0, DRAWER = 0, PUBLISHER = TEAMED ? WARPS : 0;
    static constexpr Asks ASKS = Asks::AND_GOES_ON;
    static_assert(LAG + PREPARERS + 2 <= MARK_SLOTS || PREPARERS == 0, "from a tile that is finished to one that is prepared");

    // Shared memory. Arrays of STAGES are indexed by the block's tiles that are in shared memory, modulo STAGES.
    struct Shared {
        Carried warp_totals[STAGES][WARPS];
        WideStates prefixes[STAGES][WARPS];  // exclusive prefixes of the warps
        Marks marks[MARKED ? MARK_SLOTS : 1];
        Found found[PREPARERS > 0 ? MARK_SLOTS : 1];
    };

    const Params& p;
    Shared& shared;
    const Input input;
    const bool out_aligned;

    __device__ __forceinline__ RecurrenceTask(const Params& p, Shared& shared)
        : p(p), shared(shared), input(p.input, p.n), out_aligned(results_aligned(output_of(p), p.n)) {
        if (warp_index() >= WARPS) return;
        fill_matrices();
        main_sync();
        Beside::fill();
    }

    __device__ __forceinline__ Slot* slots(u32 k) const { return tile_slots(dynamic_shared, k % STAGES); }
    __device__ __forceinline__ Marks& marks(u32 k) const { return shared.marks[MARKED ? k % MARK_SLOTS : 0]; }
    __device__ __forceinline__ Found& found(u32 k) const { return shared.found[PREPARERS > 0 ? k % MARK_SLOTS : 0]; }
    __device__ __forceinline__ WarpTotals totals(u32 k) const { return WarpTotals{shared.warp_totals[k % STAGES], shared.prefixes[k % STAGES]}; }

    __device__ __forceinline__ void stage(u32 k, u64 tile) const {
        input.stage_tile(tile, slots(k), [&](u64 i) {
            if (READ_MARKS) prefetch_sources(p, i);
        });
    }

    // Returns the states that this thread's elements, from its last head on, yield from zero states, in the basis of
    // the states (matrices.cuh).
    __device__ __forceinline__ States weigh(const Slot* slots, Mask heads) const {
        const u32 from = heads == 0 ? 0 : highest_bit(heads);
        States states = States::none();
#pragma unroll
        for (u32 row = 0; row < ROWS; row++) {
            const Vector x(slots, threadIdx.x * ROWS + row);
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                const u32 at = row * VECTOR + j;
                T element = map(x[j], 0, 0);
                if (SEGMENTED && at < from) element = 0;
#pragma unroll
                for (u32 i = 0; i < ORDER; i++) states.z[i] = multiply_add(given_number(FIRST_WEIGHT + i * ITEMS + at), element, states.z[i]);
            }
        }
        return states;
    }

    // Runs the loop over this thread's elements, the first of which is logical element i, and advances `states` over
    // them. STORES: the results replace the elements in the slots. Elements past the end of the input can affect only
    // elements after them.
    template <bool STORES>
    __device__ __forceinline__ void go_over(Slot* slots, u64 i, Mask heads, States& states) const {
        // Bit j is set if element i + j ends its line.
        const u64 tails = !CARRIES || !STORES ? 0 : HEADS == Heads::ROWS ? row_heads(p, i + 1) : p.n - i - 1 < 64 ? 1ull << (p.n - i - 1) : 0;
        T last = 0;
#pragma unroll UNROLLED_ROWS
        for (u32 row = 0; row < ROWS; row++) {
            const Vector x(slots, threadIdx.x * ROWS + row);
            Out results[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                const u32 at = row * VECTOR + j;
                if (SEGMENTED && heads >> at & 1) states = first_states(p, i + at);
                const T y = step(states, map(x[j], 0, 0));
                if (!STORES) continue;
                results[j] = NAN_STAYS ? ::finish(y) : result(y);
                if (NAN_STAYS) last = SEGMENTED ? multiply_add(y, 0, last) : y;
                if (CARRIES && tails >> at & 1 && i + at < p.n) store_states(i + at, states);
            }
            if (STORES) put_in_slot(slots[threadIdx.x * ROWS + row], results);
        }
        if (STORES && NAN_STAYS && last != last) make_canonical(slots);
    }

    // Makes every NaN among this thread's results canonical.
    __device__ __forceinline__ void make_canonical(Slot* slots) const {
#pragma unroll 1
        for (u32 i = 0; i < ITEMS; i++) {
            Out& result = ((Out*)slots[threadIdx.x * ROWS + i / VECTOR].bytes)[i % VECTOR];
            result = canonical(result);
        }
    }

    // Stores the states after logical element i, the last of its line.
    __device__ __forceinline__ void store_states(u64 i, const States& states) const {
        Given* const to = p.carry + line_of(p, i) * ORDER;
#pragma unroll
        for (u32 j = 0; j < ORDER; j++) store_carry(to + j, states.z[j]);
    }

    __device__ __forceinline__ Mask heads_of_thread(u32 k, u64 begin, u32 count) const {
        return count == TILE ? thread_heads<true>(p, begin, count, marks(k)) : thread_heads<false>(p, begin, count, marks(k));
    }

    __device__ __forceinline__ void reduce(u32 k, u64 tile) const {
        const u64 begin = tile * TILE, i = begin + threadIdx.x * ITEMS;
        const u32 count = tile_count(p.n, tile), slot = k % STAGES;
        mark_heads(p, begin, count, marks(k));
        const Mask heads = heads_of_thread(k, begin, count);
        const LaneHeads lane_heads = LaneHeads::of<true>(heads);
        const States first = !SEGMENTED && i == 0 ? first_states(p, 0) : States::none();
        States states;
        if constexpr (WEIGHED) {
            states = weigh(slots(k), heads);
            if (HAS_INIT && i == 0) states = apply(0, into_basis(first), states);
        } else {
            states = first;
            go_over<false>(slots(k), i, heads, states);
            states = into_basis(states);
        }
        if constexpr (TEAMED) {
            Area& area = Beside::area(slot);
            area.lanes[team_index()][member_index()].put(states);
            const States total = of_rows(scan_teams(area, 0, lane_heads.lanes));
            if (lane_index() == 0) shared.warp_totals[slot][warp_index()] = Carried::of(total, lane_heads.lanes != 0);
        } else {
            const States scanned = scan_lanes(states, lane_heads.reach());
            const States lower = shuffle_up(scanned, 1);
            Beside::keep(slot, lane_index() > 0 ? lower : States::none());
            if (lane_index() == WARP - 1) shared.warp_totals[slot][warp_index()] = Carried::of(scanned, lane_heads.lanes != 0);
        }
    }
    __device__ __forceinline__ void store(u32, u64) const {}
    __device__ __forceinline__ void check(u64 tile) const {
        if constexpr (HEADS == Heads::OFFSETS) check_others(p, tile);
    }

    // Computes the states before each warp of the tile: those before the tile affect all of its warps.
    __device__ __forceinline__ void look_back(u32 k, u64 tile, const Chain<Carried>& chain) const {
        // With many states the combination of the warps' totals takes a warp long, and the compute warps would wait for
        // each other.
        if (PUBLISHER == WARPS && tile + 1 < chain.tiles) {
            const Carried total = aggregate_of(totals(k));
            if (lane_index() == 0) chain.publish(tile, total);
        }
        Together::leave_before_warps(totals(k), tile > 0 ? ::look_back(chain, tile) : Together::none());
    }

    __device__ __forceinline__ void finish(u32 k, u64 tile) const {
        const u64 begin = tile * TILE, i = begin + threadIdx.x * ITEMS;
        const u32 count = tile_count(p.n, tile), slot = k % STAGES;
        const Mask heads = heads_of_thread(k, begin, count);
        const u32 lane_heads = LaneHeads::of<true>(heads).lanes;
        const WideStates& before = shared.prefixes[slot][warp_index()];
        States states;
        if constexpr (TEAMED && TABLE) states = Beside::tables().at_lane(Beside::area(slot), before, lane_heads);
        else if constexpr (TEAMED) states = at_lane(Beside::area(slot), before, lane_heads);
        else {
            states = Beside::what_is_kept(slot);
            if (!LaneHeads{lane_heads}.any_lower()) states = Beside::after<Powers::LANES>(lane_index(), before.states(), states);
        }
        states = back_from_basis(states);
        if (!SEGMENTED && i == 0) states = first_states(p, 0);
        go_over<true>(slots(k), i, heads, states);
        store_rows(p, begin, count, slots(k), out_aligned);
    }

    // Returns the state of a preparing warp, for segments by offsets: it marks the heads of a tile before the tile is
    // reduced.
    __device__ __forceinline__ OffsetsWarp preparer(u64 tiles) const { return OffsetsWarp(p, tiles); }
    __device__ __forceinline__ void prepare(OffsetsWarp& warp, u32 k, u64 tile) const { warp.prepare(p, tile, marks(k), found(k)); }
    __device__ __forceinline__ void after_prepare(const OffsetsWarp& warp, u64 tile) const { warp.check(p, tile); }
    __device__ __forceinline__ bool left_over(u32 k) const { return found(k).range.has_more(); }
    __device__ __forceinline__ void prepare_together(u32 k, u64 tile) const { mark_others(p, tile, found(k).range, marks(k)); }
};

extern "C" __global__ void __launch_bounds__(THREADS + Pipeline<RecurrenceTask>::HELPERS * WARP, BLOCKS) upsweep_recurrence(const __grid_constant__ ScanParams given) {
    const Params p(given);
    Pipeline<RecurrenceTask>::run(p, tile_number(p.n));
}
