// Schedule of single-pass kernels whose results are not their elements: compute warps leave the results of a tile
// contiguous in shared memory, and a storing warp looks back and stores them.
//
//   tickets ascend; each block, for its tiles t[0] < t[1] < t[2] < ...
//   compute warps     take t[k] to registers               and find each warp's share of the results
//                     stage t[k + AHEAD]                   in place of t[k], asynchronously: once a warp has taken t[k]
//                                                          or, if results are many, once all have
//                     publish the aggregate of t[k]
//                     leave the results of t[k]            in a ring of RING_BYTES, as soon as there is room
//   a storing warp    look back from t[k], store its results, free their room
//
// In contrast to pipeline.cuh, results wait for their prefix, not elements. So few results wait long, and an element is
// read from shared memory once. Compute warps synchronise once a tile, and when there is no room; otherwise they never
// wait for a prefix.
//
// A task has
//
//   State, Params, Shared    as in pipeline.cuh
//   Part                     a warp's aggregate of a tile
//   Items                    a thread's elements of a tile
//   FEW                      results are few if those of FEW tiles fit in the ring. The ticket of the tile that is
//                            staged next is then drawn a tile ahead, so that its copy begins early. Else it is drawn as
//                            late as possible: a block that waits for room holds tickets of tiles that it cannot
//                            publish, for which all others wait
//   stage(k, tile)           issue the copies of this block's k-th tile
//   take(k, tile, items, loaded)   the thread's elements to registers, then loaded(); returns the warp's Part, valid in
//                                  the last lane
//   join(tile, part, total)  the State of a tile, each lane having the part of a warp; returns the exclusive prefix of
//                            the warp
//   bytes(total)             the bytes of the tile's results, a multiple of 16, at most RING_BYTES
//   leave(items, before, total, at)   results into the ring from byte `at` on; `before` is the return value of join
//   finish(tile, at, total, chain)          a storing warp: look back and store
//
// Memory ordering. Between blocks: status.cuh, workspace.cuh. Inside a block, each line's writer comes before the barrier and its
// reader after it:
//
//   shared memory          written by        barrier                    read by           written again after
//   slots                  a warp's copies   none: its own, wait_groups the same warp     the same warp has read them (__syncwarp)
//   tickets[k]             thread 0          main_sync of tile          compute warps     main_sync of tile k + 1
//                                            k - AHEAD or earlier
//   parts[k % 2]           compute warps     main_sync of tile k        compute warps     main_sync of tile k + 1
//   the entry of tile k    thread 0          full_barrier               a storing warp    free_barrier of the entry
//                                            free_barrier of the tile   compute warps
//                                            before
//   the results of tile k  compute warps     full_barrier               a storing warp    free_barrier of the entry
//
// The barriers of an entry are used again after compute warps have waited until it is free, by the same storing warp (RING is a
// multiple of their number).

#pragma once

#include "block/barrier.cuh"
#include "memory/instructions.cuh"
#include "memory/workspace.cuh"
#include "tile/lookback.cuh"
#include "tile/stage.cuh"

static_assert(RING % STORING_WARPS == 0, "two storing warps that met at one barrier in turn could come in each other's place");
static_assert(2 + 2 * RING <= 16, "a block has 16 barriers");

// Ids of the barriers of an entry of the ring: at the first the results of its tile are there, at the second they are
// stored.
__device__ __forceinline__ u32 full_barrier(u32 entry) { return 2 + entry; }
__device__ __forceinline__ u32 free_barrier(u32 entry) { return 2 + RING + entry; }
__device__ __forceinline__ u32 next_entry(u32 entry, u32 step = 1) { return entry + step < RING ? entry + step : entry + step - RING; }

template <class Task>
class Relay {
    using State = typename Task::State;
    using Params = typename Task::Params;
    using Part = typename Task::Part;
    static constexpr u32 TICKETS = 4;  // number of tickets stored
    static_assert(AHEAD + 1 < TICKETS, "a ticket is drawn into the place of one that is done with");
    static constexpr u32 MEETING = THREADS + WARP;  // threads at a barrier: the compute warps and a storing warp

public:
    struct Entry {
        u32 tile, at;
        State total;
    };
    struct Shared {
        u32 tickets[TICKETS];
        Part parts[2][WARPS];
        Entry entries[RING];
        typename Task::Shared task;
    };

private:
    const Params& p;
    Shared& shared;
    const u64 tiles;
    const u32 epoch;
    const bool alone;  // one block and one tile: no ticket, no other block

    __device__ __forceinline__ u64 tile_of(u32 k) const { return shared.tickets[k % TICKETS]; }

    // Returns the number of bytes of the ring that `bytes` of results occupy. If the results of only two or three tiles
    // fit, each tile has a half or a third of the ring. If they were contiguous, a tile with a few more results than
    // the one that lay there before would wait for the next one, too.
    static __device__ __forceinline__ u32 room_for(u32 bytes) {
        constexpr u32 HALF = RING_BYTES / 32 * 16, THIRD = RING_BYTES / 48 * 16;
        return bytes > HALF || bytes <= RING_BYTES / 4 ? bytes : bytes > THIRD ? HALF : THIRD;
    }

    // Stores ticket k and returns whether there are more. Called by thread 0. A ticket of `tiles` or more belongs to no
    // tile: each block draws one such ticket and no more, so the last of all is known.
    __device__ __forceinline__ bool remember(u32 k, u32 ticket) const {
        if (ticket == tiles + gridDim.x - 1) prepare_next_launch(p.workspace, epoch);
        shared.tickets[k % TICKETS] = ticket;
        return ticket < tiles;
    }

    __device__ __forceinline__ void stage(const Task& task, u32 k) const {
        const u64 tile = tile_of(k);
        if (tile < tiles) task.stage(k, tile);
        close_group();  // also an empty one, so that the number of groups identifies the tile
    }

    __device__ __forceinline__ void compute_warps() const {
        const Task task(p, shared.task);
        bool more = !alone;  // of thread 0: whether to draw more tickets
        u32 drawn = 0;       // number of tickets so far
        // The first tickets are drawn one after the other, so that blocks which start together share the first tiles.
        for (; drawn < AHEAD; drawn++) {
            if (threadIdx.x == 0) more &= remember(drawn, more ? take_ticket(p.workspace) : alone && drawn == 0 ? 0 : ~0u);
            main_sync();
            stage(task, drawn);
        }
        u32 left = 0, waiting = 0;      // number of tiles whose results have been left; of those not yet stored
        u32 entry = 0, oldest = 0;      // entry of the next tile; entry of the oldest one not stored
        u32 head = 0, tail = 0;         // bytes in the ring: unstored results lie from tail to head
        bool around = false;            // or, past the ring's end, from tail to the end and from 0 to head
        bool few = false;               // whether the results of the last tile are few
        const auto free_oldest = [&] {
            barrier_wait(free_barrier(oldest), MEETING);
            oldest = next_entry(oldest);
            waiting--;
            const u32 next = waiting > 0 ? shared.entries[oldest].at : head;
            if (next < tail) around = false;
            tail = next;
        };
        while (true) {
            const u32 k = left;
            const u64 tile = tile_of(k);
            if (tile >= tiles) break;
            const bool known = drawn > k + AHEAD;  // whether the ticket of the next tile to stage is drawn
            const u32 wanted = k + AHEAD + 1 + few;
            u32 next = ~0u;  // requested here, needed at the end of this tile
            if (threadIdx.x == 0 && more && drawn < wanted) next = take_ticket(p.workspace);
            wait_groups<AHEAD - 1>();
            typename Task::Items items;
            const Part own = task.take(k, tile, items, [&] {
                __syncwarp();
                if (known) stage(task, k + AHEAD);
            });
            if (lane_index() == WARP - 1) shared.parts[k % 2][warp_index()] = own;
            if (threadIdx.x == 0) {
                if (drawn < wanted) more &= remember(drawn, next);
                if (drawn + 1 < wanted) more &= remember(drawn + 1, more ? take_ticket(p.workspace) : ~0u);
            }
            drawn = max(drawn, wanted);
            main_sync();
            if (!known) stage(task, k + AHEAD);

            // The total of the tile, and this warp's exclusive prefix in it.
            const u32 lane = lane_index();
            Part part = {};
            if (lane < WARPS) part = shared.parts[k % 2][lane];
            State total;
            const auto before = task.join(tile, part, total);
            if (threadIdx.x == 0 && tile + 1 < tiles) Chain<State>{p.workspace, tiles, epoch}.publish(tile, total);

            // Contiguous room for the results, after those of the tile before or at the begin of the ring. If the ring
            // is empty, it starts again at its begin.
            const u32 bytes = task.bytes(total), room = room_for(bytes);
            few = bytes * Task::FEW <= RING_BYTES;
            u32 at = head;
            while (true) {
                if (waiting < RING) {
                    if (waiting == 0) { at = 0, tail = 0, around = false; break; }
                    if (head + room <= (around ? tail : RING_BYTES)) break;
                    if (!around && room <= tail) { at = 0, around = true; break; }
                }
                free_oldest();
            }
            head = at + room;
            if (threadIdx.x == 0) shared.entries[entry] = {(u32)tile, at, total};
            task.leave(items, before, total, at);
            barrier_arrive(full_barrier(entry), MEETING);
            left++, waiting++;
            entry = next_entry(entry);
        }
        // Notifies the storing warps of the end.
        for (u32 i = 0; i < STORING_WARPS; i++) {
            while (waiting + i >= RING) free_oldest();
            if (threadIdx.x == 0) shared.entries[entry].tile = ~0u;
            barrier_arrive(full_barrier(entry), MEETING);
            entry = next_entry(entry);
        }
        while (waiting > 0) free_oldest();
    }

    // Runs a storing warp: warp w of these has this block's tiles w, w + STORING_WARPS, ...
    __device__ __forceinline__ void storing_warp() const {
        const Task task(p, shared.task);
        for (u32 entry = warp_index() - WARPS;; entry = next_entry(entry, STORING_WARPS)) {
            barrier_wait(full_barrier(entry), MEETING);
            const Entry of = shared.entries[entry];
            if (of.tile == ~0u) break;
            task.finish(of.tile, of.at, of.total, Chain<State>{p.workspace, tiles, epoch});
            barrier_arrive(free_barrier(entry), MEETING);
        }
    }

    __device__ __forceinline__ Relay(const Params& p, Shared& shared, u64 tiles, u32 epoch, bool alone)
        : p(p), shared(shared), tiles(tiles), epoch(epoch), alone(alone) {}

public:
    // Runs all tiles. Called by all threads of each block. `tiles`, at least one, may be less than the grid is sized
    // for.
    static __device__ __forceinline__ void run(const Params& p, u64 tiles) {
        __shared__ Shared shared;
        const bool alone = tiles == 1 && gridDim.x == 1;
        const u32 epoch = alone ? 0 : current_epoch(p.workspace);
        __syncthreads();  // the epoch is read before a ticket is drawn
        const Relay relay(p, shared, tiles, epoch, alone);
        if (warp_index() < WARPS) relay.compute_warps();
        else relay.storing_warp();
        if (!alone) finish_launch(p.workspace, epoch, gridDim.x);
    }
};
