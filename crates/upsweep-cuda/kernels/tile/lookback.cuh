// Look-back along one chain of prefixes: the combination of everything before a tile, from the values that other tiles
// publish.
//
//   aggregate[t]     all elements of tile t           published by tile t, as soon as it is reduced
//   group[g]         all elements of group g          published by the group's last tile; a group is GROUP tiles
//   prefix[g]        all elements before group g      published by the group's first tile
//
//   tile t of group g:  prefix[g - GROUPS] . group[g - GROUPS] . ... . group[g - 1]  .  aggregate[GROUP g] . ... . aggregate[t - 1]
//   (the first GROUPS groups begin with group[0] instead)
//
// In contrast to the decoupled look-back of Merrill and Garland (2016), the distance of the look-back does not depend
// on the words that happen to be there. It always combines the same values in the same order, so floats give the same
// bits in every run; and GROUPS groups, more tiles than are in flight at once, find their prefixes concurrently instead
// of one after the other. Few words are polled by many: a tile reads at most GROUP + GROUPS + 1 of them, and the words
// that every block polls lie in memory lines of their own, so that no single slice of the L2 cache serves them all.
//
// `State` is any type with a `combine`; it need not fit in a status word. Combinations of tiles and of groups are trees,
// unless there are `Chains` (tree.cuh): these combine strictly from left to right, so that the prefix of a group is the
// same from whichever prefix before it the look-back begins.
//
// If the scan CONTINUES one that ended at a tile's end, chains count the tiles before in the open group, too: `shift` of
// them. `base` has the chain of these tiles, and that of the groups before.
//
// Memory ordering: see status.cuh. A tile waits for lower tiles only, and publishes its aggregate before it waits.

#pragma once

#include "memory/status.cuh"
#include "warp/scan.cuh"

static_assert(GROUP == WARP, "a lane polls each tile of a group");
static_assert(GROUPS < WARP, "a warp polls the groups of a window and the prefix before them");

struct NoChains {};

template <class State, class Chains = NoChains>
struct Chain {
    static constexpr bool CHAINS = !arith::same_type<Chains, NoChains>;
    using Entry = Status<State>;
    const Workspace& space;
    u64 tiles;
    u32 epoch;
    u64 first_entry = 0;  // index of this chain's first entry; a workspace may have several chains
    u32 shift = 0;
    const Acc* base = nullptr;

    // Returns the number of a chain's entries. They are the aggregates of all tiles, then for each group its
    // combination and its prefix, SPREAD entries apart.
    static __device__ __forceinline__ u64 entries(u64 tiles) { return tiles + 2 * SPREAD * (tiles / GROUP + 1); }
    __device__ __forceinline__ u64 group_entry(u64 g) const { return first_entry + tiles + 2 * SPREAD * g; }
    __device__ __forceinline__ u64 prefix_entry(u64 g) const { return first_entry + tiles + 2 * SPREAD * g + SPREAD; }

    // Publishes the aggregate of tile `t`. Called by one thread. The last tile's aggregate is never read.
    __device__ __forceinline__ void publish(u64 t, const State& aggregate) const {
        Entry::put(space, first_entry + t + shift, aggregate, epoch);
    }

    // Combination of everything before a tile: of the groups before its own (`groups`, unless it is of the first
    // group), and of the tiles before it in its group (`tiles`, unless it is the group's first).
    struct Before {
        State groups, tiles;
    };

    // Returns the combination of the groups `first` to `first + groups - 1`, whose values the first lanes have, after the
    // prefix of group `first`, which the last lane has unless that is group 0; in lane 0. `first`: what comes before group 0
    // in a chain.
    static __device__ __forceinline__ State after_prefix(const State& found, u32 groups, bool prefix, const State& first) {
        const State before = shuffle(found, WARP - 1);
        if constexpr (CHAINS) {
            return Chains::template chain_of<GROUPS>(prefix ? before : first, found, groups);
        } else {
            const State all = warp_reduce(found, groups);
            return prefix ? combine(before, all) : all;
        }
    }

    // Returns what is before tile `t`, which is not tile 0, in lane 0. Calls `meanwhile` when the tile has published what
    // others wait for, but for a prefix. Called by all lanes of one warp.
    template <class F>
    __device__ __forceinline__ Before before(u64 t, const F& meanwhile) const {
        t += shift;
        const u64 group = t / GROUP, first = group < GROUPS ? 0 : group - GROUPS;
        const u32 lane = lane_index(), in_group = t % GROUP, groups = (u32)(group - first);

        // Lanes 0 .. groups - 1 poll the groups' words, the last lane the prefix before them. A first load is issued
        // here, ahead of the polls.
        bool missing = lane < groups || (lane == WARP - 1 && first > 0);
        const u64 entry = lane == WARP - 1 ? prefix_entry(first) : group_entry(first + lane);
        typename Entry::Raw far, near;
        if (missing) far = Entry::load(space, entry);

        // Waits for the tiles before `t` in its group. The group's last tile publishes the group, and needs its own
        // aggregate, too.
        const bool last = in_group == GROUP - 1 && t + 1 < tiles;
        bool near_missing = lane < in_group + last;
        if constexpr (CHAINS && CONTINUES) near_missing &= group > 0 || lane >= shift;
        while (true) {
            if (near_missing) near = Entry::load(space, first_entry + group * GROUP + lane);
            if (near_missing) near_missing = !near.is_of(epoch);
            if (!__any_sync(~0u, near_missing)) break;
            __nanosleep(POLL_NANOSECONDS);
        }
        Before found;
        State own = near.value(), outer = own;
        if constexpr (CHAINS && CONTINUES) {
            if (group == 0 && lane < shift) own = lane + 1 == shift ? Chains::of(base[0]) : Chains::none();
            outer = Chains::of(base[1]);
        } else if constexpr (CHAINS) {
            outer = Chains::none();
        }
        if constexpr (CHAINS) found.tiles = Chains::template chain_of<WARP>(Chains::none(), own, in_group);
        if (last) {
            State all;
            if constexpr (CHAINS) all = combine(found.tiles, shuffle(own, GROUP - 1));
            else all = warp_reduce(own, GROUP);
            if (lane == 0) Entry::put(space, group_entry(group), all, epoch);
        }
        if constexpr (!CHAINS) found.tiles = warp_reduce(own, in_group);
        meanwhile();
        found.groups = outer;
        if (group == 0) return found;

        // Waits for the groups before the tile's group.
        while (true) {
            if (missing) missing = !far.is_of(epoch);
            if (!__any_sync(~0u, missing)) break;
            __nanosleep(POLL_NANOSECONDS);
            if (missing) far = Entry::load(space, entry);
        }
        found.groups = after_prefix(far.value(), groups, first > 0, outer);
        if (in_group == 0 && lane == 0 && (group + GROUPS) * GROUP < tiles) {
            Entry::put(space, prefix_entry(group), found.groups, epoch);
        }
        return found;
    }

    // Returns the exclusive prefix of tile `t`, which is not tile 0, in lane 0. Called by all lanes of one warp.
    __device__ __forceinline__ State look_back(u64 t) const {
        const Before found = before(t, [] {});
        if (t < GROUP) return found.tiles;
        return t % GROUP > 0 ? combine(found.groups, found.tiles) : found.groups;
    }

    // Returns the exclusive prefix of tile `t`, which is not tile 0, in every lane of the warp.
    __device__ __forceinline__ State prefix(u64 t) const { return shuffle(look_back(t), 0); }
};
