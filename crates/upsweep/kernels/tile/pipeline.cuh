// What the kernels have in common whose blocks stay, draw tiles by ticket and overlap the stages of several of them.
//
// A kernel names what its blocks have under way: AHEAD tiles staged before they are reduced, RING entries for what belongs
// to a tile until it is done. Its main warps meet in main_sync once a tile; a look-back warp and they meet at two barriers
// of each entry.

// Warps that find the segment offsets of tiles, and tickets that are drawn ahead: those of the tiles that are staged or
// searched for.
constexpr u32 FINDERS = HEADS == Heads::OFFSETS ? SEARCHERS : 0;
constexpr u32 DRAWN = HEADS == Heads::OFFSETS && FINDERS + 2 > AHEAD + 1 ? FINDERS + 2 : AHEAD + 1;
constexpr u32 TICKETS = RING + DRAWN;  // tickets remembered, by tile: from the oldest that is not done
constexpr u32 HELPERS = LOOKERS + FINDERS;
constexpr u32 FOUND = FINDERS > 0 ? FINDERS + 2 : 1;  // tiles whose offsets are remembered: of the two in use and those to come
static_assert(LOOKERS <= DRAWN, "the look-back warps are told of the end by tickets that are drawn");

// The tile with this ring entry is reduced; its look-back warp is done with it. The ticket of a tile of this finder is
// drawn; its offsets are found.
__device__ __forceinline__ u32 reduced_barrier(u32 entry) { return 2 + entry; }
__device__ __forceinline__ u32 before_barrier(u32 entry) { return 2 + RING + entry; }
__device__ __forceinline__ u32 ticket_barrier(u32 finder) { return 2 + 2 * RING + 2 * finder; }
__device__ __forceinline__ u32 found_barrier(u32 finder) { return 3 + 2 * RING + 2 * finder; }
static_assert(2 + 2 * RING + 2 * FINDERS <= 16, "a block has 16 barriers");

// The next tile for this block, `tiles` or more when there is none: each block draws one such ticket and no more, so the
// last of all is known.
__device__ __forceinline__ u32 next_tile(const Params& p, u64 tiles, u32 epoch) {
    const u32 ticket = take_ticket(p.workspace);
    if (ticket == tiles + gridDim.x - 1) prepare_next_launch(p.workspace, epoch);
    return ticket;
}

// One warp publishes the tile's aggregate.
__device__ __forceinline__ void publish(const Params& p, const State* warp_totals, u64 tile, u32 epoch) {
    const State total = warp_reduce(warp_totals[min(lane_index(), WARPS - 1)], WARPS);
    if (lane_index() == 0) TileStatus::put(p.workspace, tile, total, epoch);
}

// Finder f finds where the offsets of this block's tiles f, f + FINDERS, ... begin.
__device__ __forceinline__ void find_loop(const Params& p, const u32* tickets, OffsetRange* found, u64 tiles, u32 f) {
    Finder finder(p, tiles);
    for (u32 k = f;; k += FINDERS) {
        barrier_wait(ticket_barrier(f), THREADS + WARP);
        const u64 tile = tickets[k % TICKETS];
        if (tile >= tiles) break;
        const OffsetRange range = finder.find(p, tile);
        if (lane_index() == 0) found[k % FOUND] = range;
        barrier_arrive(found_barrier(f), THREADS + WARP);
    }
}

// The main warps ask for the offsets of this block's tile k, if there is one, and let its finder go on to the next tile
// but FINDERS - 1.
__device__ __forceinline__ bool take_offsets(const Params& p, const u32* tickets, const OffsetRange* found, u64 tiles, u32 k, TileOffsets& offsets) {
    const u64 tile = tickets[k % TICKETS];
    if (tile >= tiles) return false;
    const u32 finder = k % FINDERS;
    barrier_wait(found_barrier(finder), THREADS + WARP);
    barrier_arrive(ticket_barrier(finder), THREADS + WARP);
    offsets.ask(p, found[k % FOUND]);
    return true;
}
