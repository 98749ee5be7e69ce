// States of a linear recurrence between threads, warps and tiles: of whatever lies between two places only its length matters.
//
//   states after m elements  =  A^m states before  +  what the elements make of no states
//
// A^(ITEMS 2^l) is known for each level l, so A^(ITEMS e) takes a product for each bit of e. Warps, tiles and groups of tiles
// have ITEMS times a power of two elements each, so all of them go by these levels.
//
//   level   0 .. 4              so many threads
//           WARP_LEVEL ..       so many warps
//           TILE_LEVEL ..       so many tiles
//           GROUP_LEVEL ..      so many groups of tiles
//
// The look-back has the shape of lookback.cuh, so that the result does not depend on timing. But each lane first takes what it has
// found to the place that is asked for; then all of it is added up.
//
// Powers of an unstable recurrence may be infinite, and those of one without feedback are mostly 0. CAREFUL: such a factor, or
// a state of 0, contributes nothing, whatever the other one is.

#pragma once

#include "tile/heads.cuh"
#include "tile/lookback.cuh"
#include "tile/states.cuh"

__device__ constexpr u32 log2_of(u32 x) { return x <= 1 ? 0 : 1 + log2_of(x / 2); }
constexpr u32 WARP_LEVEL = log2_of(WARP), TILE_LEVEL = WARP_LEVEL + log2_of(WARPS), GROUP_LEVEL = TILE_LEVEL + log2_of(GROUP);
static_assert(1 << log2_of(WARPS) == WARPS, "a tile has a power of two of warps");

// A^(ITEMS 2^level) x + c.
__device__ __forceinline__ States apply(u32 level, const States& x, const States& c) {
    States r = c;
#pragma unroll
    for (u32 j = 0; j < ORDER; j++) {
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) {
            const T a = given_number(COEFFICIENTS + (level * ORDER + i) * ORDER + j);
            const T with = multiply_add(a, x.z[j], r.z[i]);
            r.z[i] = CAREFUL && (a == 0 || x.z[j] == 0) ? r.z[i] : with;
        }
    }
    return r;
}

// A^(ITEMS 2^level e) x, where each lane has an `e` of its own. All lanes of a warp. The last level is applied as often as
// it takes.
__device__ __forceinline__ States advance(u32 level, u32 e, States x) {
#pragma unroll 1
    while (__any_sync(~0u, e != 0)) {
        const bool top = level == LEVELS - 1;
        const States moved = apply(level, x, States::none());
        if (e & 1 || (top && e)) x = moved;
        if (top) e -= e != 0;
        else e /= 2, level++;
    }
    return x;
}

// What a tile, or a warp, tells others: the states that its elements since the last head leave, and whether it has a head.
template <bool HEADED>
struct CarriedOf {
    States states;
    u32 heads;
    static __device__ __forceinline__ CarriedOf of(const States& states, bool heads) { return CarriedOf{states, heads}; }
    __device__ __forceinline__ bool headed() const { return heads; }
};
template <>
struct CarriedOf<false> {
    States states;
    static __device__ __forceinline__ CarriedOf of(const States& states, bool) { return CarriedOf{states}; }
    __device__ __forceinline__ bool headed() const { return false; }
};
using Carried = CarriedOf<SEGMENTED>;
static_assert(sizeof(Carried) == CARRIED_BYTES, "the host sizes the workspace by it");

// Of two neighbours whose states have been taken to one place.
__device__ __forceinline__ Carried combine(const Carried& a, const Carried& b) {
    return Carried::of(b.headed() ? b.states : add(a.states, b.states), a.headed() || b.headed());
}

// The sum of all lanes' states, for every lane.
__device__ __forceinline__ States sum_of_lanes(States states) {
#pragma unroll
    for (u32 distance = 1; distance < WARP; distance *= 2) {
        const States other = shuffle(states, lane_index() ^ distance);
        states = lane_index() & distance ? add(other, states) : add(states, other);
    }
    return states;
}

// The carried states of the first `count` lanes, whose elements follow each other, each 2^level times ITEMS of them.
__device__ __forceinline__ Carried sum_in_order(u32 level, const Carried& own, u32 count) {
    const u32 lane = lane_index();
    const u32 headed = __ballot_sync(~0u, lane < count && own.headed());
    const bool part = lane < count && headed >> lane <= 1;  // no lane above has a head
    const States moved = advance(level, part ? count - 1 - lane : 0, part ? own.states : States::none());
    return Carried::of(sum_of_lanes(moved), headed != 0);
}

// What the elements before tile `t` leave, which is not tile 0, for every lane of a warp.
__device__ __forceinline__ States look_back(const Chain<Carried>& chain, u64 t) {
    using Entry = Chain<Carried>::Entry;
    const u64 group = t / GROUP, first = group < GROUPS ? 0 : group - GROUPS;
    const u32 lane = lane_index(), in_group = t % GROUP, groups = (u32)(group - first);
    const bool last = in_group == GROUP - 1 && t + 1 < chain.tiles;

    // The tiles of this group; its last tile publishes the group.
    const u32 needed = in_group + last;
    Carried near, far;
    if (lane < needed) near = Entry::wait(chain.space, chain.first_entry + group * GROUP + lane, chain.epoch);
    __syncwarp();
    const Carried before = sum_in_order(TILE_LEVEL, near, in_group);
    if (last) {
        const States moved = apply(TILE_LEVEL, before.states, States::none());
        const Carried own = shuffle(near, in_group);
        const Carried all = combine(Carried::of(moved, before.headed()), own);
        if (lane == 0) Entry::put(chain.space, chain.group_entry(group), all, chain.epoch);
    }
    if (group == 0) return before.states;

    // The groups before it, and the prefix before them.
    const bool base = lane == WARP - 1 && first > 0;
    if (lane < groups || base) {
        far = Entry::wait(chain.space, base ? chain.prefix_entry(first) : chain.group_entry(first + lane), chain.epoch);
    }
    __syncwarp();
    const Carried of_groups = sum_in_order(GROUP_LEVEL, far, groups);
    States prefix = of_groups.states;
    if (first > 0 && !of_groups.headed()) prefix = add(advance(GROUP_LEVEL, groups, shuffle(far, WARP - 1).states), prefix);
    if (in_group == 0) {
        if (lane == 0 && (group + GROUPS) * GROUP < chain.tiles) {
            Entry::put(chain.space, chain.prefix_entry(group), Carried::of(prefix, false), chain.epoch);
        }
        return prefix;
    }
    return before.headed() ? before.states : add(advance(TILE_LEVEL, in_group, prefix), before.states);
}
