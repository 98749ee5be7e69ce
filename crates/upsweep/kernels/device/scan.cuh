// Single-pass scan of an array of any length, and reduction by segment. Shorter arrays go to wave.cuh.
//
//   tiles are handed out by ticket; each block, for its tiles t0 < t1 < t2 < ...
//       stage t[k + 2]                              bring it to shared memory, asynchronously
//       reduce t[k + 1], publish its aggregate      as early as possible: others wait for it
//       look back from t[k]                         combine all that lies before it
//       rescan t[k], store
//
// What differs from Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016): blocks
// stay and overlap the stages of three tiles; aggregates are published one tile ahead of their use; the look-back has
// a fixed shape (lookback.cuh), so the result does not depend on timing; status words need no initialising launch
// (status.cuh). The operator is never given anything but elements and combinations of neighbours, in order: it needs
// no identity and need not commute.
//
// Memory ordering. Between blocks: status.cuh, workspace.cuh. Inside a block: a warp reads only elements that it staged
// itself (stage.cuh), and has read what lies in a slot, all its threads, before it stages into it again. The warps'
// totals, what lies before them and what threads keep are written before a barrier and read after it. Everything that
// belongs to a tile in the ring is written again only STAGES tiles later, after all main warps have passed the barrier
// that says what lies before the tile: by then its look-back warp has passed the tile's other barrier, too. Barriers are
// used again after RING tiles, by the same look-back warp, and not before the tile before is rescanned. Marks by flags
// and keys stay within a warp. A tile's marks by offsets are cleared and set by its finder: after the barrier where the
// main warps tell it that the tile's ticket is drawn, and before the one where they meet it, which is that of the tile
// before. When they tell it of tile k they have reduced all tiles before k - FINDERS, and have yet to rescan those from k
// - FINDERS - 1 - LAG on.
//
// In place: a tile is staged before it is stored, and nothing else reads its elements.

#include "tile/job.cuh"
#include "tile/lookback.cuh"

constexpr u32 STAGES = AHEAD + LAG + 1;  // tiles in shared memory
constexpr u32 RING = (LAG + LOOKERS) / LOOKERS * LOOKERS;  // at least as many as are reduced and not rescanned
constexpr u32 MARK_SLOTS = HEADS == Heads::OFFSETS ? 8 : STAGES;
#include "tile/pipeline.cuh"
static_assert(LAG + FINDERS + 2 <= MARK_SLOTS || FINDERS == 0, "from a tile that is rescanned to one that is searched for");

// What the blocks' warps share, beside the ring of STAGES tiles. Arrays of STAGES belong to the tiles in the ring.
struct Shared {
    State warp_totals[STAGES][WARPS];
    State before[STAGES][WARPS];
    Kept kept[STAGES];
    u32 tickets[TICKETS];
    Marks marks[MARKED ? MARK_SLOTS : 1];
    Offsets offsets[HEADS == Heads::OFFSETS ? MARK_SLOTS : 1];
};

// The look-back warps: warp w finds what lies before the main warps' parts of this block's tiles w, w + LOOKERS, ...
__device__ __forceinline__ void look_back_loop(const Params& p, Shared& shared, u64 tiles, u32 epoch) {
    for (u32 k = warp_index() - WARPS;; k += LOOKERS) {
        const u32 slot = k % STAGES;
        barrier_wait(reduced_barrier(k % RING), THREADS + WARP);
        const u64 tile = shared.tickets[k % TICKETS];
        if (tile >= tiles) break;
        const u32 lane = lane_index(), warps = warps_with_elements(tile_count(p.n, tile));
        const State lower = lower_warps(shared.warp_totals[slot], warps);
        State before;
        if (tile > 0) before = shuffle(look_back(p.workspace, tile, tiles, epoch), 0);
        if (lane < warps) {
            if (lane > 0) before = tile > 0 ? combine(before, lower) : lower;
            shared.before[slot][lane] = before;
        }
        barrier_arrive(before_barrier(k % RING), THREADS + WARP);
    }
}

// The main warps: stage AHEAD tiles ahead of the one they reduce, rescan LAG tiles behind it.
__device__ __forceinline__ void scan_loop(const Params& p, Shared& shared, Slot* ring, u64 tiles, u32 epoch) {
    const bool in_aligned = vectors_aligned(p.input, p.n, PIECE), out_aligned = vectors_aligned(p.output, p.n, STORE);
    bool more = tiles > 1;  // thread 0: whether to draw; one tile alone needs no ticket, as one block has it
    // The first tickets are drawn one after the other, so that blocks which start together share the first tiles.
    for (u32 k = 0; k < DRAWN; k++) {
        if (threadIdx.x == 0) {
            const u32 next = more ? next_tile(p, tiles, epoch) : tiles == 1 ? k : ~0u;
            more &= next < tiles;
            shared.tickets[k] = next;
        }
        main_sync();
        if (k < AHEAD) stage_tile(p, shared.tickets[k], tiles, ring + k * (ROWS * THREADS), in_aligned);
        if (k < FINDERS) barrier_arrive(ticket_barrier(k), THREADS + WARP);
    }
    if (main_sync_and_marks(p, shared.tickets, shared.marks, shared.offsets, tiles, 0)) release_finder(0);
    u32 reduced = 0, rescanned = 0;  // this block's tiles so far
    u32 told = 0;                    // look-back warps that know of the end
    while (true) {
        const u64 tile = shared.tickets[reduced % TICKETS];
        if (tile < tiles) {
            const u32 slot = reduced % STAGES, k = reduced;
            u32 next = ~0u;  // asked for here, needed after the reduction
            if (threadIdx.x == 0 && more) next = next_tile(p, tiles, epoch);
            stage_tile(p, shared.tickets[(k + AHEAD) % TICKETS], tiles, ring + (k + AHEAD) % STAGES * (ROWS * THREADS), in_aligned);
            wait_groups<AHEAD>();

            const u64 begin = tile * TILE;
            const u32 count = tile_count(p.n, tile);
            Slot* const slots = ring + slot * (ROWS * THREADS);
            Marks& marks = shared.marks[MARKED ? k % MARK_SLOTS : 0];
            mark_heads(p, begin, count, marks);
            if (ALL_FULL || count == TILE) reduce_tile<true>(p, begin, count, slots, marks, shared.warp_totals[slot], shared.kept[slot]);
            else reduce_tile<false>(p, begin, count, slots, marks, shared.warp_totals[slot], shared.kept[slot]);
            if (threadIdx.x == 0) {
                more &= next < tiles;
                shared.tickets[(k + DRAWN) % TICKETS] = next;
            }
            // The warps' totals, the ticket and the next tile's marks are there.
            const bool another = main_sync_and_marks(p, shared.tickets, shared.marks, shared.offsets, tiles, k + 1);
            if (another) release_finder(k + 1);
            if (warp_index() == 0 && tile + 1 < tiles) publish(p, shared.warp_totals[slot], tile, epoch);
            barrier_arrive(reduced_barrier(k % RING), THREADS + WARP);
            if constexpr (HEADS == Heads::OFFSETS) check_others(p, tile);
            reduced++;
            if (reduced - rescanned <= LAG) continue;
        } else {
            // Each is told at the barrier of its next tile, as soon as the tile before is done with that.
            for (; told < LOOKERS && reduced + told < rescanned + RING; told++) {
                barrier_arrive(reduced_barrier((reduced + told) % RING), THREADS + WARP);
            }
            if (rescanned == reduced) break;
        }
        const u32 slot = rescanned % STAGES;
        const u64 old = shared.tickets[rescanned % TICKETS];
        barrier_wait(before_barrier(rescanned % RING), THREADS + WARP);
        const u64 begin = old * TILE;
        const u32 count = tile_count(p.n, old);
        Slot* const slots = ring + slot * (ROWS * THREADS);
        const State before = shared.before[slot][warp_index()];
        const bool some = old > 0 || warp_index() > 0;
        const Marks& marks = shared.marks[MARKED ? rescanned % MARK_SLOTS : 0];
        if (ALL_FULL || count == TILE) rescan_tile<true>(p, begin, count, slots, marks, shared.kept[slot], some, before, out_aligned);
        else rescan_tile<false>(p, begin, count, slots, marks, shared.kept[slot], some, before, out_aligned);
        rescanned++;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS + HELPERS * WARP, BLOCKS) upsweep_scan(const __grid_constant__ Params params) {
    __shared__ Shared shared;
    const Params p = with_initial_value(params);
    const u64 tiles = tile_number(p.n);
    const u32 epoch = tiles == 1 ? 0 : current_epoch(p.workspace);
    __syncthreads();  // the epoch is read before a ticket is drawn
    if (warp_index() < WARPS) scan_loop(p, shared, (Slot*)dynamic_shared, tiles, epoch);
    else if (warp_index() < WARPS + LOOKERS) look_back_loop(p, shared, tiles, epoch);
    else if constexpr (FINDERS > 0) find_loop(p, shared.tickets, shared.marks, shared.offsets, tiles, warp_index() - WARPS - LOOKERS);
    if (tiles > 1) finish_launch(p.workspace, epoch);
}
