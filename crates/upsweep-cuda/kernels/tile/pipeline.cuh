// Pipeline of the single-pass kernels: persistent blocks take tiles by ticket and overlap the stages of several of
// them. A task defines the work on a tile.
//
//   tickets ascend; each block, for its tiles t[0] < t[1] < t[2] < ...
//   compute warps     stage t[k + AHEAD]                     to shared memory, asynchronously
//                     reduce t[k], publish its aggregate     as early as possible: others wait for it
//                     finish t[k - LAG]                      with its exclusive prefix
//   look-back warps   look back from t[k]                    combine the aggregates of everything before it
//   preparing warps   prepare t[k + PREPARERS]               the inputs of the compute warps besides the elements
//
// In contrast to Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016), blocks are
// persistent and overlap the stages of several tiles; aggregates are published LAG tiles ahead of their use, which
// absorbs the jitter of the loads; the look-back has a fixed shape (lookback.cuh), so the result does not depend on
// timing; status words need no initialising launch (status.cuh).
//
// A task (CUB calls it an agent) has
//
//   State                    the aggregate of tiles; `combine` joins two of them
//   Params, Shared           the kernel's parameters; shared memory of the task's warps
//   FINISHES                 whether compute warps process a tile again, LAG tiles later. Else the look-back warp
//                            completes it
//   PREPARERS                number of preparing warps
//   DRAWER, PUBLISHER        the thread that draws tickets, the warp that publishes aggregates; WARPS if look_back does
//   ASKS                     when a ticket is requested, and whether the thread waits for it: see Asks
//   Task(p, shared)          made by each warp for itself: its fields are registers of the warp's role
//   stage(k, tile)           compute warps: issue the copies of this block's k-th tile
//   reduce(k, tile)          compute warps: leave the warps' totals in shared memory
//   totals(k)                the totals that reduce has left
//   store(k, tile)           compute warps, after the barrier: store the results that need no prefix
//   check(tile)              compute warps: work for which no other waits
//   look_back(k, tile, chain)  a look-back warp: leave the tile's prefix for finish, or keep it for complete
//   complete(k)              a look-back warp, unless FINISHES: store the results that needed the prefix
//   finish(k, tile)          compute warps, if FINISHES: the second pass
//   preparer(tiles)          the state of a preparing warp from tile to tile
//   prepare(preparer, k, tile), after_prepare(preparer, tile)   a preparing warp: for reduce; while no other waits for
//                                                               it
//   left_over(k), prepare_together(k, tile)   whether compute warps prepare the part that one warp would take too long
//                                             for; that work
//
// Memory ordering. Between blocks: status.cuh, workspace.cuh. Inside a block, each line's writer comes before the
// barrier and its reader after it:
//
//   shared memory          written by         barrier                    read by            written again after
//   slots                  a warp's copies    none: its own, wait_groups the same warp      the same warp has read them
//   tickets[k]             DRAWER             the next main_sync         all warps          TICKETS tiles: compute warps read that
//                                                                                           of tile k before its prefix_barrier
//   totals(k)              compute warps      main_sync of tile k        PUBLISHER          see the next two
//                                             reduced_barrier(k)         look-back warp     prefix_barrier(k), STAGES tiles
//   the prefix of tile k   look-back warp     prefix_barrier(k)          compute warps      STAGES tiles
//   what is prepared of k  preparing warp     prepared_barrier(k)        compute warps      ticket_barrier of a tile that
//                                                                                           follows finish(k), store(k)
//
// A look-back or preparing warp meets the compute warps at barriers of the entry k % RING or of its own number. A barrier is
// used again RING tiles later, by the same look-back warp (RING is a multiple of their number), after the tile before has
// passed it. When the compute warps release a preparing warp for tile k, they have reduced all tiles before k - PREPARERS
// and have yet to finish those from k - PREPARERS - 1 - LAG on.

#pragma once

#include "block/barrier.cuh"
#include "memory/instructions.cuh"
#include "memory/workspace.cuh"
#include "tile/lookback.cuh"
#include "tile/stage.cuh"

static_assert(RING % LOOK_BACK_WARPS == 0, "two look-back warps that met at one barrier in turn could come in each other's place");

// When the thread DRAWER requests the ticket of a later tile, and whether it waits for the ticket there.
enum class Asks {
    AND_WAITS,  // when a tile begins, before another is staged: saves 1 to 3 % (benches/notes/scan.md), cause unknown
    AND_GOES_ON,  // when a tile begins; it has arrived when the tile is reduced
    EARLY,        // when the ticket before arrives: to reduce a small tile takes less time than an atomic addition
};

// Ids of barriers. Those of a ring entry: its tile is reduced; its look-back warp has finished the tile. Those of a
// preparing warp: the ticket of its next tile is drawn; the tile is prepared.
__device__ __forceinline__ u32 reduced_barrier(u32 k) { return 2 + k % RING; }
__device__ __forceinline__ u32 prefix_barrier(u32 k) { return 2 + RING + k % RING; }
__device__ __forceinline__ u32 ticket_barrier(u32 preparer) { return 2 + 2 * RING + 2 * preparer; }
__device__ __forceinline__ u32 prepared_barrier(u32 preparer) { return 3 + 2 * RING + 2 * preparer; }

// Chain of prefixes of a task's tiles. A task may have another than this.
template <class Task> struct ChainOf {
    using type = Chain<typename Task::State>;
    static __device__ __forceinline__ type of(const typename Task::Params& p, u64 tiles, u32 epoch) { return type{p.workspace, tiles, epoch}; }
};

template <class Task>
class Pipeline {
    using State = typename Task::State;
    using Params = typename Task::Params;
    static constexpr u32 PREPARERS = Task::PREPARERS;
    // Number of tickets drawn ahead: those of the tiles that are staged or prepared.
    static constexpr u32 DRAWN = PREPARERS > AHEAD ? PREPARERS + 1 : AHEAD + 1;
    static constexpr u32 TICKETS = RING + DRAWN;        // tickets remembered: from the oldest that is not finished
    static constexpr u32 MEETING = THREADS + WARP;      // threads at a barrier: the compute warps and one other
    static_assert(LOOK_BACK_WARPS <= DRAWN, "the look-back warps are told of the end by tickets that are drawn");
    static_assert(2 + 2 * RING + 2 * PREPARERS <= 16, "a block has 16 barriers");
    static_assert(Task::FINISHES ? STAGES > AHEAD + LAG && RING > LAG : STAGES > AHEAD + 1, "tiles in shared memory");

public:
    static constexpr u32 HELPERS = LOOK_BACK_WARPS + PREPARERS;
    struct Shared {
        u32 tickets[TICKETS];
        typename Task::Shared task;
    };

private:
    const Params& p;
    Shared& shared;
    const u64 tiles;
    const u32 epoch;
    const bool alone;  // one block and one tile: no ticket, no other block

    __device__ __forceinline__ u64 tile_of(u32 k) const { return shared.tickets[k % TICKETS]; }

    // Stores ticket k and returns whether there are more. Called by the thread DRAWER. A ticket of `tiles` or more
    // belongs to no tile: each block draws one such ticket and no more, so the last of all is known.
    __device__ __forceinline__ bool remember(u32 k, u32 ticket) const {
        if (ticket == tiles + gridDim.x - 1) prepare_next_launch(p.workspace, epoch);
        shared.tickets[k % TICKETS] = ticket;
        return ticket < tiles;
    }

    __device__ __forceinline__ void stage(Task& task, u32 k) const {
        const u64 tile = tile_of(k);
        if (tile < tiles) task.stage(k, tile);
        close_group();  // also an empty one, so that the number of groups identifies the tile
    }

    // Barrier of the compute warps; if tile k is prepared, with its preparing warp, which then continues with its next
    // tile.
    __device__ __forceinline__ void meet(Task& task, u32 k) const {
        if constexpr (PREPARERS > 0) {
            const u64 tile = tile_of(k);
            if (tile < tiles) {
                barrier_wait(prepared_barrier(k % PREPARERS), MEETING);
                if (task.left_over(k)) {
                    task.prepare_together(k, tile);
                    main_sync();
                }
                barrier_arrive(ticket_barrier(k % PREPARERS), MEETING);
                return;
            }
        }
        main_sync();
    }

    __device__ __forceinline__ void compute_warps() const {
        Task task(p, shared.task);
        bool more = !alone;  // of the DRAWER: whether to draw more tickets
        // The first tickets are drawn one after the other, so that blocks which start together share the first tiles.
        for (u32 k = 0; k < DRAWN; k++) {
            if (threadIdx.x == Task::DRAWER) more &= remember(k, more ? take_ticket(p.workspace) : alone && k == 0 ? 0 : ~0u);
            main_sync();
            if (k < AHEAD) stage(task, k);
            if (k < PREPARERS) barrier_arrive(ticket_barrier(k), MEETING);
        }
        u32 next = ~0u;  // of the DRAWER: a ticket that is requested long before it is stored
        const auto ask = [&] { return more ? take_ticket(p.workspace) : ~0u; };
        if (Task::ASKS == Asks::EARLY && threadIdx.x == Task::DRAWER) next = ask();
        meet(task, 0);
        u32 reduced = 0, finished = 0;  // number of this block's tiles so far
        u32 told = 0;                   // number of look-back warps that have been notified of the end
        while (true) {
            const u64 tile = tile_of(reduced);
            if (tile < tiles) {
                const u32 k = reduced;
                if (Task::ASKS != Asks::EARLY && threadIdx.x == Task::DRAWER) next = ask();
                if (Task::ASKS == Asks::AND_WAITS && threadIdx.x == Task::DRAWER) more &= remember(k + DRAWN, next);
                stage(task, k + AHEAD);
                if constexpr (!Task::FINISHES) {
                    if (k >= RING) barrier_wait(prefix_barrier(k), MEETING);  // until the ring entry is free
                }
                wait_groups<AHEAD>();
                task.reduce(k, tile);
                if (Task::ASKS != Asks::AND_WAITS && threadIdx.x == Task::DRAWER) more &= remember(k + DRAWN, next);
                meet(task, k + 1);  // the warps' totals, the ticket and the next tile's preparation are there
                if (warp_index() == Task::PUBLISHER && tile + 1 < tiles) {
                    const State total = aggregate_of(task.totals(k));
                    if (lane_index() == 0) chain().publish(tile, total);
                }
                if (Task::ASKS == Asks::EARLY && threadIdx.x == Task::DRAWER) next = ask();
                task.store(k, tile);
                barrier_arrive(reduced_barrier(k), MEETING);
                task.check(tile);
                reduced++;
                if (!Task::FINISHES || reduced - finished <= LAG) continue;
            } else if constexpr (Task::FINISHES) {
                // A look-back warp is notified of the end at its next tile's barrier, once that ring entry is free.
                for (; told < LOOK_BACK_WARPS && reduced + told < finished + RING; told++) {
                    barrier_arrive(reduced_barrier(reduced + told), MEETING);
                }
                if (finished == reduced) break;
            } else {
                break;
            }
            if constexpr (Task::FINISHES) {
                const u64 old = tile_of(finished);  // read before the barrier: afterwards the ticket may be overwritten
                barrier_wait(prefix_barrier(finished), MEETING);
                task.finish(finished, old);
                finished++;
            }
        }
        if constexpr (!Task::FINISHES) {
            main_sync();  // for the last stores of the compute warps
            for (u32 i = 0; i < RING; i++) {
                const u32 k = reduced + i;
                if (k >= RING) barrier_wait(prefix_barrier(k), MEETING);
                if (i < LOOK_BACK_WARPS) barrier_arrive(reduced_barrier(k), MEETING);
            }
        }
    }

    // Runs a look-back warp: warp w of these has this block's tiles w, w + LOOK_BACK_WARPS, ... It completes a tile
    // when it is notified of its next one: the data that the compute warps leave in `store` is there by then.
    __device__ __forceinline__ void look_back_warp() const {
        Task task(p, shared.task);
        for (u32 k = warp_index() - WARPS;; k += LOOK_BACK_WARPS) {
            barrier_wait(reduced_barrier(k), MEETING);
            if constexpr (!Task::FINISHES) {
                if (k >= LOOK_BACK_WARPS) {
                    task.complete(k - LOOK_BACK_WARPS);
                    barrier_arrive(prefix_barrier(k - LOOK_BACK_WARPS), MEETING);
                }
            }
            const u64 tile = tile_of(k);
            if (tile >= tiles) break;
            task.look_back(k, tile, chain());
            if constexpr (Task::FINISHES) barrier_arrive(prefix_barrier(k), MEETING);
        }
    }

    // Runs preparing warp f: it has this block's tiles f, f + PREPARERS, ...
    __device__ __forceinline__ void preparing_warp(u32 f) const {
        const Task task(p, shared.task);
        auto preparer = task.preparer(tiles);
        for (u32 k = f;; k += PREPARERS) {
            barrier_wait(ticket_barrier(f), MEETING);
            const u64 tile = tile_of(k);
            if (tile >= tiles) break;
            task.prepare(preparer, k, tile);
            barrier_arrive(prepared_barrier(f), MEETING);
            task.after_prepare(preparer, tile);
        }
    }

    using TaskChain = typename ChainOf<Task>::type;
    __device__ __forceinline__ TaskChain chain() const { return ChainOf<Task>::of(p, tiles, epoch); }

    __device__ __forceinline__ Pipeline(const Params& p, Shared& shared, u64 tiles, u32 epoch, bool alone)
        : p(p), shared(shared), tiles(tiles), epoch(epoch), alone(alone) {}

public:
    // Runs all tiles. Called by all threads of each block. `tiles`, at least one, may be less than the grid is sized
    // for.
    static __device__ __forceinline__ void run(const Params& p, u64 tiles) {
        __shared__ Shared shared;
        const bool alone = tiles == 1 && gridDim.x == 1;
        const u32 epoch = alone ? 0 : current_epoch(p.workspace);
        __syncthreads();  // the epoch is read before a ticket is drawn
        const Pipeline pipeline(p, shared, tiles, epoch, alone);
        if (warp_index() < WARPS) pipeline.compute_warps();
        else if (warp_index() < WARPS + LOOK_BACK_WARPS) pipeline.look_back_warp();
        else if constexpr (PREPARERS > 0) pipeline.preparing_warp(warp_index() - WARPS - LOOK_BACK_WARPS);
        if (!alone) finish_launch(p.workspace, epoch, gridDim.x);
    }
};
