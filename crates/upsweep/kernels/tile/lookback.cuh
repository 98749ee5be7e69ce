// The combination of everything before a tile, from what other tiles publish.
//
//   aggregate[t]     all elements of tile t           published by tile t, as soon as it is reduced
//   group[g]         all elements of group g          published by the group's last tile; a group is 32 tiles
//   before[g]        all elements before group g      published by the group's first tile
//
//   tile t of group g:  before[g - GROUPS] . group[g - GROUPS] . ... . group[g - 1]  .  aggregate[32 g] . ... . aggregate[t - 1]
//   (the first GROUPS groups begin with group[0] instead)
//
// What differs from the decoupled look-back of Merrill and Garland (2016): how far a tile looks back does not depend
// on what happens to be there. It always combines the same values in the same order, so floats give the same bits in
// every run; and GROUPS groups, more tiles than are under way at once, learn their prefixes side by side instead of one
// after the other. Few words are polled by many: a tile reads at most 31 + GROUPS + 1 of them, and those that every
// block wants lie in memory lines of their own, so that no slice of the L2 cache serves them all.
//
// Memory ordering: see status.cuh. A tile waits for lower tiles only, and publishes its aggregate before it waits.

constexpr u32 GROUP = WARP;
constexpr u32 SPREAD = 16;  // entries from one group's word to the next: a memory line of 8-byte words
static_assert(GROUPS < WARP, "a warp polls the groups of a window and what lies before them");

// Entries: the aggregates of all tiles, then for each group its combination and what lies before it.
__device__ __forceinline__ u64 group_entry(u64 tiles, u64 g) { return tiles + 2 * SPREAD * g; }
__device__ __forceinline__ u64 before_entry(u64 tiles, u64 g) { return tiles + 2 * SPREAD * g + SPREAD; }

// Lane 0 gets the combination of all elements before tile `t`, which is not tile 0. All lanes of one warp.
__device__ __forceinline__ State look_back(const Workspace& space, u64 t, u64 tiles, u32 epoch) {
    const u64 group = t / GROUP, first = group < GROUPS ? 0 : group - GROUPS;
    const u32 lane = lane_index(), in_group = t % GROUP, groups = (u32)(group - first);

    // Lanes 0 .. groups - 1 want the groups' words, the last lane what lies before them. Asked for once ahead.
    bool missing = lane < groups || (lane == WARP - 1 && first > 0);
    const u64 entry = lane == WARP - 1 ? before_entry(tiles, first) : group_entry(tiles, first + lane);
    typename TileStatus::Raw far, near;
    if (missing) far = TileStatus::load(space, entry);

    // The tiles of this group; its last tile publishes the group, and wants its own aggregate too.
    const bool last = in_group == GROUP - 1 && t + 1 < tiles;
    bool near_missing = lane < in_group + last;
    while (true) {
        if (near_missing) near = TileStatus::load(space, group * GROUP + lane);
        if (near_missing) near_missing = !near.is_of(epoch);
        if (!__any_sync(~0u, near_missing)) break;
        __nanosleep(POLL_NANOSECONDS);
    }
    if (last) {
        const State all = warp_reduce(near.value(), GROUP);
        if (lane == 0) TileStatus::put(space, group_entry(tiles, group), all, epoch);
    }
    const State tiles_before = warp_reduce(near.value(), in_group);
    if (group == 0) return tiles_before;

    // The groups before it.
    while (true) {
        if (missing) missing = !far.is_of(epoch);
        if (!__any_sync(~0u, missing)) break;
        __nanosleep(POLL_NANOSECONDS);
        if (missing) far = TileStatus::load(space, entry);
    }
    const State found = far.value();
    State before = warp_reduce(found, groups);
    const State base = shuffle(found, WARP - 1);
    if (first > 0) before = combine(base, before);
    if (in_group > 0) return combine(before, tiles_before);
    if (lane == 0 && (group + GROUPS) * GROUP < tiles) TileStatus::put(space, before_entry(tiles, group), before, epoch);
    return before;
}
