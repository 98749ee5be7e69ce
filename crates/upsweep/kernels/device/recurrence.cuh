// Linear recurrence: y[i] = b[0] x[i] + ... + b[k] x[i - k] - a[1] y[i - 1] - ... - a[k] y[i - k], and cascades of such of order 2.
//
// What a recurrence remembers are k states (the transposed direct form II):
//
//   y = b[0] x + z[0],   z[j] = b[j + 1] x - a[j + 1] y + z[j + 1]
//
// They are linear in the states before, and in x. So the pipeline (pipeline.cuh) of this task scans states, of which those that m
// elements leave of none are added to A^m times those before (linear.cuh):
//
//   reduce     each thread goes over its elements from no states on; a scan of what they leave in the warp, of which it keeps
//              what lies before it
//   look back  the states before each warp of the tile
//   finish     each thread adds what becomes of these, and goes over its elements once more
//
// A thread's second way over its elements is the sequential loop, so only the states that it begins with are grouped otherwise.
// Nothing of an element's neighbours is read: what they leave are states.
//
// Where segments begin, so do the states: of the segment's own initial states, or of none.
//
// In place: a tile is staged before it is stored, and nothing else reads its elements.

#pragma once

#include "tile/items.cuh"
#include "tile/linear.cuh"
#include "tile/offsets.cuh"
#include "tile/pipeline.cuh"
#include "tile/store.cuh"

// The line of logical element i among the lines in memory.
__device__ __forceinline__ u64 line_of(const Params& p, u64 i) {
    if constexpr (HEADS != Heads::ROWS) return 0;
    u64 place;
    return row_of(p, REVERSE ? p.n - 1 - i : i, place);
}

// The states that the line of element i begins with.
__device__ __forceinline__ States first_states(const Params& p, u64 i) {
    States states = States::none();
    if constexpr (HAS_INIT) {
        const Given* const from = p.init_from + line_of(p, i) * ORDER;
#pragma unroll
        for (u32 j = 0; j < ORDER; j++) states.z[j] = given_acc(from[j]);
    }
    return states;
}

// What the lanes' elements leave, each with what the `reach` lanes below it leave.
__device__ __forceinline__ States scan_lanes(States states, u32 reach) {
#pragma unroll LEVELS_AT_ONCE
    for (u32 level = 0; level < WARP_LEVEL; level++) {
        const States lower = shuffle_up(states, 1 << level);
        const States with = apply(level, lower, states);
        if (reach >= 1u << level) states = with;
    }
    return states;
}

// Shared memory behind the tiles and matrices: A^(ITEMS lane) for each lane (TABLE), and for each tile there what a thread keeps of it.
struct Beside {
    static __device__ __forceinline__ T* powers() { return (T*)(matrices() + MATRICES); }
    static __device__ __forceinline__ T* kept(u32 slot) { return powers() + (TABLE ? WARP * MATRIX : 0) + slot * ORDER * THREADS; }

    // Column by column: what becomes of one state.
    static __device__ __forceinline__ void fill() {
        for (u32 j = warp_index(); TABLE && j < ORDER; j += WARPS) {
            States states;
#pragma unroll
            for (u32 i = 0; i < ORDER; i++) states.z[i] = i == j ? 1 : 0;
            states = product(states);
#pragma unroll
            for (u32 i = 0; i < ORDER; i++) powers()[(i * ORDER + j) * WARP + lane_index()] = states.z[i];
        }
    }

    // A^(ITEMS lane) x, a bit of the lane after the other.
    static __device__ __forceinline__ States product(States x) {
#pragma unroll 1
        for (u32 level = 0; level < WARP_LEVEL; level++) {
            const States with = apply(level, x, States::none());
            if (lane_index() >> level & 1) x = with;
        }
        return x;
    }

    // A^(ITEMS lane) x + c.
    static __device__ __forceinline__ States after_lanes(const States& x, const States& c) {
        if constexpr (!TABLE) return add(product(x), c);
        States r = c;
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) {
#pragma unroll
            for (u32 j = 0; j < ORDER; j++) r.z[i] = add_term(powers()[(i * ORDER + j) * WARP + lane_index()], x.z[j], r.z[i]);
        }
        return r;
    }

    static __device__ __forceinline__ void keep(u32 slot, const States& states) {
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) kept(slot)[i * THREADS + threadIdx.x] = states.z[i];
    }
    static __device__ __forceinline__ States what_is_kept(u32 slot) {
        States states;
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) states.z[i] = kept(slot)[i * THREADS + threadIdx.x];
        return states;
    }
};

struct RecurrenceTask {
    using State = Carried;
    using Params = ::Params;
    static constexpr bool FINISHES = true;
    static constexpr u32 PREPARERS = HEADS == Heads::OFFSETS ? OFFSETS_WARPS : 0, DRAWER = 0, PUBLISHER = 0;
    static_assert(LAG + PREPARERS + 2 <= MARK_SLOTS || PREPARERS == 0, "from a tile that is finished to one that is prepared");

    // Arrays of STAGES belong to the tiles in shared memory.
    struct Shared {
        Carried warp_totals[STAGES][WARPS];
        States prefixes[STAGES][WARPS];  // before the warps
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
    __device__ __forceinline__ WarpTotals totals(u32 k) const { return WarpTotals{shared.warp_totals[k % STAGES]}; }

    __device__ __forceinline__ void stage(u32 k, u64 tile) const {
        input.stage_tile(tile, slots(k), [&](u64 i) {
            if (READ_MARKS) prefetch_sources(p, i);
        });
    }

    // Goes over this thread's elements, of which the first is i. What lies past the end of the input can only reach what lies
    // further behind.
    template <bool STORES>
    __device__ __forceinline__ void go_over(Slot* slots, u64 i, Mask heads, States& states) const {
        // Bit j: element i + j ends its line.
        const u64 tails = !CARRIES || !STORES ? 0 : HEADS == Heads::ROWS ? row_heads(p, i + 1) : p.n - i - 1 < 64 ? 1ull << (p.n - i - 1) : 0;
#pragma unroll MATRIX_ROWS
        for (u32 row = 0; row < ROWS; row++) {
            const Vector x(slots, threadIdx.x * ROWS + row);
            Out results[VECTOR];
#pragma unroll
            for (u32 j = 0; j < VECTOR; j++) {
                const u32 at = row * VECTOR + j;
                if (SEGMENTED && heads >> at & 1) states = first_states(p, i + at);
                const T y = step(states, map(x[j], 0, 0));
                if (!STORES) continue;
                results[j] = result(y);
                if (CARRIES && tails >> at & 1 && i + at < p.n) store_states(i + at, states);
            }
            if (STORES) put_in_slot(slots[threadIdx.x * ROWS + row], results);
        }
    }

    // The states after the last element of its line.
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
        States states = !SEGMENTED && i == 0 ? first_states(p, 0) : States::none();
        go_over<false>(slots(k), i, heads, states);
        const States scanned = scan_lanes(into_basis(states), lane_heads.reach());
        const States lower = shuffle_up(scanned, 1);
        Beside::keep(slot, lane_index() > 0 ? lower : States::none());
        if (lane_index() == WARP - 1) shared.warp_totals[slot][warp_index()] = Carried::of(scanned, lane_heads.lanes != 0);
    }
    __device__ __forceinline__ void store(u32, u64) const {}
    __device__ __forceinline__ void check(u64 tile) const {
        if constexpr (HEADS == Heads::OFFSETS) check_others(p, tile);
    }

    // What comes before the tile comes before its warps, too: lane 0 has that, the others have the warps but the last.
    __device__ __forceinline__ void look_back(u32 k, u64 tile, const Chain<Carried>& chain) const {
        const u32 slot = k % STAGES, lane = lane_index();
        Carried own = Carried::of(States::none(), false);
        if (lane > 0 && lane < WARPS) own = shared.warp_totals[slot][lane - 1];
        if (tile > 0) {
            const States prefix = ::look_back(chain, tile);
            if (lane == 0) own = Carried::of(prefix, false);
        }
        const Carried scanned = scan_carried<log2_of(WARPS)>(WARP_LEVEL, own);
        if (lane < WARPS) shared.prefixes[slot][lane] = scanned.states;
    }

    __device__ __forceinline__ void finish(u32 k, u64 tile) const {
        const u64 begin = tile * TILE, i = begin + threadIdx.x * ITEMS;
        const u32 count = tile_count(p.n, tile), slot = k % STAGES;
        const Mask heads = heads_of_thread(k, begin, count);
        States states = Beside::what_is_kept(slot);
        if (!LaneHeads::of<true>(heads).any_lower()) states = Beside::after_lanes(shared.prefixes[slot][warp_index()], states);
        states = back_from_basis(states);
        if (!SEGMENTED && i == 0) states = first_states(p, 0);
        go_over<true>(slots(k), i, heads, states);
        store_rows(p, begin, count, slots(k), out_aligned);
    }

    // Segments by offsets: where the heads are.
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
