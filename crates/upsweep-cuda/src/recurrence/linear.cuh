// Scan of the states of a linear recurrence over threads, warps and tiles: only the number of elements between two
// positions matters.
//
//   states after m elements  =  A^m states before  +  the states that the elements yield from zero states
//
// A^(ITEMS 2^l) is precomputed for each level l. Warps, tiles and groups of tiles have ITEMS times a power of two
// elements each, so a scan of any of them takes these levels in turn.
//
//   level   0 .. 4              2^level threads
//           WARP_LEVEL ..       2^(level - WARP_LEVEL) warps
//           TILE_LEVEL ..       2^(level - TILE_LEVEL) tiles
//           GROUP_LEVEL ..      2^(level - GROUP_LEVEL) groups of tiles, up to GROUPS
//
// In contrast to lookback.cuh, states must be advanced from their position to the one that needs them, so the tile or
// group next to the end is in the last lane. If states are few, each lane advances its own to the end by the power for
// its distance (powers.cuh), and the lanes' states are added; many states go through teams (teams.cuh).

#pragma once

#include "tile/heads.cuh"
#include "tile/lookback.cuh"
#include "recurrence/powers.cuh"
#include "recurrence/teams.cuh"

static_assert(1 << log2_of(WARPS) == WARPS && 1 << log2_of(GROUPS) == GROUPS, "levels are powers of two");
static_assert(GROUP_LEVEL + log2_of(GROUPS) < LEVELS, "the powers that the look-back takes");

// Aggregate of a tile, or a warp: the states that its elements since the last head yield, and whether it has a head.
// LEAST_CARRIED is the host's lower bound of its bytes: status words of 16 bytes are faster here than those of 8.
constexpr u32 LEAST_CARRIED = 8;
template <bool HEADED>
struct CarriedOf {
    States states;
    u32 heads;
    static __device__ __forceinline__ CarriedOf of(const States& states, bool heads) { return CarriedOf{states, heads}; }
    __device__ __forceinline__ bool headed() const { return heads; }
};
template <>
struct alignas(sizeof(States) < LEAST_CARRIED ? LEAST_CARRIED : alignof(States)) CarriedOf<false> {
    States states;
    static __device__ __forceinline__ CarriedOf of(const States& states, bool) { return CarriedOf{states}; }
    __device__ __forceinline__ bool headed() const { return false; }
};
using Carried = CarriedOf<SEGMENTED>;
static_assert(sizeof(Carried) == CARRIED_BYTES, "the host sizes the workspace by it");

// Returns the aggregate of two neighbouring ranges of elements, `a` and then `b`. The second one has ITEMS 2^level
// elements.
__device__ __forceinline__ Carried join(u32 level, const Carried& a, const Carried& b) {
    return Carried::of(b.headed() ? b.states : apply(level, a.states, b.states), a.headed() || b.headed());
}

// Layout of shared memory after the matrices: the powers for lanes (TABLE); for each tile in shared memory the states
// that each thread keeps, or with many states an area for each warp (teams.cuh); and with many states an area for each
// look-back warp.
struct Beside {
    static constexpr u32 AREAS = TEAMED ? STAGES * WARPS + LOOK_BACK_WARPS : 0, TABLES = !TABLE ? 0 : TEAMED ? sizeof(Tables) : sizeof(Powers);
    static constexpr u32 BYTES = MATRICES * sizeof(Matrix) + TABLES + (TEAMED ? AREAS * sizeof(Area) : STAGES * ORDER * THREADS * sizeof(T));

    static __device__ __forceinline__ Tables& tables() { return *(Tables*)(matrices() + MATRICES); }
    static __device__ __forceinline__ Powers& powers() { return *(Powers*)(matrices() + MATRICES); }
    static __device__ __forceinline__ unsigned char* behind() { return (unsigned char*)(matrices() + MATRICES) + TABLES; }
    static __device__ __forceinline__ Area& area(u32 slot) { return ((Area*)behind())[slot * WARPS + warp_index()]; }
    static __device__ __forceinline__ Area& area_of_look_back() { return ((Area*)behind())[STAGES * WARPS + warp_index() - WARPS]; }

    // Fills the table of powers. Called by all compute warps.
    static __device__ __forceinline__ void fill() {
        if constexpr (TABLE && TEAMED) tables().fill();
        else if constexpr (TABLE) powers().fill();
    }

    // Returns a reference to state `i` that this thread keeps in shared memory for the tile in slot `slot`, if states
    // are few.
    static __device__ __forceinline__ T& kept(u32 slot, u32 i) { return ((T*)behind())[(slot * ORDER + i) * THREADS + threadIdx.x]; }
    static __device__ __forceinline__ void keep(u32 slot, const States& states) {
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) kept(slot, i) = states.z[i];
    }
    static __device__ __forceinline__ States what_is_kept(u32 slot) {
        States states;
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) states.z[i] = kept(slot, i);
        return states;
    }

    // Returns the states x advanced over `distance` lanes, tiles or groups of tiles (UNIT), plus c, if states are few.
    template <u32 UNIT>
    static __device__ __forceinline__ States after(u32 distance, const States& x, const States& c) {
        if constexpr (TABLE) return powers().times(UNIT, distance, x, c);
        else return add(apply_times(Powers::level_of(UNIT), Powers::bits_of(UNIT), distance, x), c);
    }
};

// Totals of the warps of a tile, and room for the exclusive prefixes of these warps.
struct WarpTotals {
    const Carried* totals;
    WideStates* before;
};

// Operations of a warp on states, if states are few: each lane has all of them.
template <bool MANY>
struct TogetherOf {
    using Share = States;
    static __device__ __forceinline__ Share none() { return States::none(); }
    static __device__ __forceinline__ States all(const Share& states) { return states; }

    // Returns the states at the end of the last lane, if each lane has the states that one tile, or group, yields. Bit
    // l of `heads`: lane l has a head, which stops the states of lower lanes.
    template <u32 UNIT>
    static __device__ __forceinline__ Share total(const States& own, u32 heads) {
        const u32 lane = lane_index();
        States sum = Beside::after<UNIT>(WARP - 1 - lane, own, States::none());
        if (SEGMENTED && heads >> 1 >> lane != 0) sum = States::none();
#pragma unroll
        for (u32 distance = 1; distance < WARP; distance *= 2) sum = add(sum, shuffle(sum, lane ^ distance));
        return sum;
    }

    // Returns x advanced over `tiles` tiles, plus c.
    static __device__ __forceinline__ Share after_tiles(u32 tiles, const Share& x, const Share& c) { return Beside::after<Powers::TILES>(tiles, x, c); }

    // Returns the inclusive scan over the first WARPS lanes, each of which has the aggregate of a warp.
    static __device__ __forceinline__ Carried scan_warps(Carried carried) {
#pragma unroll
        for (u32 step = 0; step < log2_of(WARPS); step++) {
            const Carried lower = shuffle_up(carried, 1 << step);
            const Carried with = join(WARP_LEVEL + step, lower, carried);
            if (lane_index() >= 1 << step) carried = with;
        }
        return carried;
    }

    static __device__ __forceinline__ Carried total_of_warps(const WarpTotals& of) {
        return shuffle(scan_warps(of.totals[min(lane_index(), WARPS - 1)]), WARPS - 1);
    }

    // Stores the exclusive prefix of each warp. `prefix` is that of the first warp.
    static __device__ __forceinline__ void leave_before_warps(const WarpTotals& of, const Share& prefix) {
        const u32 lane = lane_index();
        Carried own = Carried::of(prefix, false);
        if (lane > 0) own = of.totals[min(lane, WARPS) - 1];
        const Carried scanned = scan_warps(own);
        if (lane < WARPS) of.before[lane].put(scanned.states);
    }
};

// Operations of a warp on states, if states are many: each lane has its row of them, and the warps are scanned like
// teams (teams.cuh).
template <>
struct TogetherOf<true> {
    using Share = T;
    static __device__ __forceinline__ Share none() { return 0; }
    static __device__ __forceinline__ States all(Share row) { return of_rows(row); }

    template <u32 UNIT>
    static __device__ __forceinline__ Share total(const States& own, u32 heads) {
        Area& area = Beside::area_of_look_back();
        __syncwarp();
        area.lanes[team_index()][member_index()].put(own);
        return scan_teams(area, Powers::level_of(UNIT), heads);
    }

    static __device__ __forceinline__ Share after_tiles(u32 tiles, Share x, Share c) {
        return arith::add(rows_after(Beside::area_of_look_back(), TILE_LEVEL, log2_of(GROUP), tiles, x), c);
    }

    // Stores the exclusive prefixes of the warps from FIRST on; `prefix` is that of warp FIRST. Returns this lane's row
    // of the states after the last warp.
    template <u32 FIRST>
    static __device__ __forceinline__ Share go_through_warps(const WarpTotals& of, Share prefix) {
        const u32 row = row_index();
        const MatrixRow of_warp = MatrixRow::of_power(WARP_LEVEL);
#pragma unroll
        for (u32 warp = FIRST; warp < WARPS; warp++) {
            if (team_index() == 0 && has_row()) of.before[warp][row] = prefix;
            const T own = of.totals[warp].states.z[row];
            __syncwarp();
            prefix = of.totals[warp].headed() ? own : of_warp.times(of.before[warp], own);
        }
        return prefix;
    }

    static __device__ __forceinline__ Carried total_of_warps(const WarpTotals& of) {
        bool headed = false;
#pragma unroll
        for (u32 warp = 0; warp < WARPS; warp++) headed |= of.totals[warp].headed();
        return Carried::of(all(go_through_warps<1>(of, of.totals[0].states.z[row_index()])), headed);
    }
    static __device__ __forceinline__ void leave_before_warps(const WarpTotals& of, Share prefix) { go_through_warps<0>(of, prefix); }
};
using Together = TogetherOf<TEAMED>;

// Returns the aggregate of a tile, from those of its warps, for the warp that publishes it.
__device__ __forceinline__ Carried aggregate_of(const WarpTotals& of) { return Together::total_of_warps(of); }

// Returns the states of the published entry whose words are `raw`, in a lane that has an entry (`has`); in other lanes
// zero states. `heads` becomes the set of lanes whose entry has a head.
__device__ __forceinline__ States told(const Chain<Carried>::Entry::Raw& raw, bool has, u32& heads) {
    Carried found = Carried::of(States::none(), false);
    if (has) found = raw.value();
    heads = SEGMENTED ? __ballot_sync(~0u, found.headed()) : 0;
    return found.states;
}

// Returns the exclusive prefix of tile `t`, which is not tile 0. Called by all lanes of one warp.
__device__ __forceinline__ Together::Share look_back(const Chain<Carried>& chain, u64 t) {
    using Entry = Chain<Carried>::Entry;
    const u64 group = t / GROUP;
    const u32 lane = lane_index(), distance = WARP - 1 - lane, in_group = t % GROUP, groups = group < GROUPS ? (u32)group : GROUPS;

    // The groups before the tile's are polled by a lane each, and the prefix before these groups by the lane below
    // them. A first load is issued here, ahead of the polls.
    const bool is_base = distance == groups, has_far = group > 0 && (distance < groups || (is_base && group > GROUPS));
    const u64 far_entry = is_base ? chain.prefix_entry(group - groups) : chain.group_entry(group - 1 - distance);
    typename Entry::Raw far, near;
    if (has_far) far = Entry::load(chain.space, far_entry);

    // Waits for the tiles before `t` in its group. The group's last tile publishes the group, and needs its own
    // aggregate, too: in the free lane.
    const bool last = in_group == GROUP - 1 && t + 1 < chain.tiles, has_near = distance < in_group;
    const u64 near_entry = chain.first_entry + (has_near ? t - 1 - distance : t);
    bool missing = has_near || (last && lane == 0);
    while (true) {
        if (missing) near = Entry::load(chain.space, near_entry);
        if (missing) missing = !near.is_of(chain.epoch);
        if (!__any_sync(~0u, missing)) break;
        __nanosleep(POLL_NANOSECONDS);
    }
    u32 heads;
    const States tiles = told(near, has_near, heads);
    Together::Share total = Together::none();
    if (in_group > 0) total = Together::total<Powers::TILES>(tiles, heads);
    if (last) {
        const States before = Together::all(Together::after_tiles(1, total, Together::none()));
        if (lane == 0) {
            const Carried own = near.value();
            const Carried all = Carried::of(own.headed() ? own.states : add(before, own.states), own.headed() || heads != 0);
            Entry::put(chain.space, chain.group_entry(group), all, chain.epoch);
        }
    }
    if (group == 0) return total;

    // Waits for the groups before the tile's group.
    missing = has_far;
    while (true) {
        if (missing) missing = !far.is_of(chain.epoch);
        if (!__any_sync(~0u, missing)) break;
        __nanosleep(POLL_NANOSECONDS);
        if (missing) far = Entry::load(chain.space, far_entry);
    }
    u32 far_heads;
    const States of_groups = told(far, has_far, far_heads);
    const Together::Share prefix = Together::total<Powers::GROUPS_OF_TILES>(of_groups, far_heads);
    if (in_group > 0) return heads != 0 ? total : Together::after_tiles(in_group, prefix, total);
    if ((group + GROUPS) * GROUP < chain.tiles) {
        const States all = Together::all(prefix);
        if (lane == 0) Entry::put(chain.space, chain.prefix_entry(group), Carried::of(all, false), chain.epoch);
    }
    return prefix;
}
