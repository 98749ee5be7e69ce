// What the kernels have in common whose blocks stay, draw tiles by ticket and overlap the stages of several of them.
//
// A kernel names what its blocks have under way: AHEAD tiles staged before they are reduced, RING entries for tiles that are
// not done, MARK_SLOTS entries for marks. Its main warps meet in main_sync once a tile; a look-back warp and they meet at two
// barriers of each entry. A finder of offsets and they meet in the place of main_sync.

// Warps that find the segment offsets of tiles, and tickets that are drawn ahead: those of the tiles that are staged or
// searched for.
constexpr u32 FINDERS = HEADS == Heads::OFFSETS ? SEARCHERS : 0;
constexpr u32 DRAWN = FINDERS > AHEAD ? FINDERS + 1 : AHEAD + 1;
constexpr u32 TICKETS = RING + DRAWN;  // tickets remembered, by tile: from the oldest that is not done
constexpr u32 HELPERS = LOOKERS + FINDERS;
static_assert(RING % LOOKERS == 0, "two look-back warps that met at one barrier in turn could come in each other's place");
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
    const State total = warp_reduce<WARPS>(warp_totals[min(lane_index(), WARPS - 1)], WARPS);
    if (lane_index() == 0) TileStatus::put(p.workspace, tile, total, epoch);
}

// What finders leave of a tile, beside its marks. Entries as those of the marks.
struct Offsets {
    OffsetRange range;
    Ends ends[BY_SEGMENT && HEADS == Heads::OFFSETS ? FIRST / QUAD : 1];

    __device__ __forceinline__ u32 end(u32 k) const { return ends[k / QUAD].of[k % QUAD]; }
};

// Finder f finds and marks the offsets of this block's tiles f, f + FINDERS, ... It checks the tiles' shares while nobody
// waits for it.
__device__ __forceinline__ void find_loop(const Params& p, const u32* tickets, Marks* marks, Offsets* offsets, u64 tiles, u32 f) {
    Finder finder(p, tiles);
    for (u32 k = f;; k += FINDERS) {
        barrier_wait(ticket_barrier(f), THREADS + WARP);
        const u32 tile = tickets[k % TICKETS];
        if (tile >= tiles) break;
        const OffsetRange range = finder.find(p, tile);
        const u32 slot = k % MARK_SLOTS;
        if (lane_index() == 0) offsets[slot].range = range;
        mark_first(p, tile, range, marks[slot], offsets[slot].ends);
        barrier_arrive(found_barrier(f), THREADS + WARP);
        check_first(p, tile);
        if (tile == 0 && lane_index() == 0) check_ends(p);
    }
}

// The main warps meet, by offsets together with the finder of this block's tile k, if there is one: then its marks are there.
// Returns whether there is.
__device__ __forceinline__ bool main_sync_and_marks(const Params& p, const u32* tickets, Marks* marks, const Offsets* offsets, u64 tiles, u32 k) {
    if constexpr (HEADS == Heads::OFFSETS) {
        const u64 tile = tickets[k % TICKETS];
        if (tile < tiles) {
            barrier_wait(found_barrier(k % SEARCHERS), THREADS + WARP);
            const u32 slot = k % MARK_SLOTS;
            if (offsets[slot].range.has_more()) {
                mark_others(p, tile, offsets[slot].range, marks[slot]);
                main_sync();
            }
            return true;
        }
    }
    main_sync();
    return false;
}

// The main warps let the finder of tile k go on to its next one, k + FINDERS.
__device__ __forceinline__ void release_finder(u32 k) {
    if constexpr (FINDERS > 0) barrier_arrive(ticket_barrier(k % SEARCHERS), THREADS + WARP);
}
