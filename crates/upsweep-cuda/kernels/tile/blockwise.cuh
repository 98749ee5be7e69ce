// Schedule of kernels whose tiles are so large that a block has few of them at a time, or whose tiles exchange data in
// which all threads take part: no helper warps, one tile after the other.
//
//   tickets ascend; each block, for its tiles t[0] < t[1] < t[2] < ...
//       stage t[k + AHEAD]       to shared memory, asynchronously
//       task.process(t[k])       reduce, exchange data with other tiles as often as the task needs, store
//
// A task has Params, Shared, Task(p, shared), stage(k, tile), process(k, tile, epoch). In `process` it publishes before it waits,
// and waits for lower tiles only: so the grid makes progress however few of its blocks are resident.
//
// Memory ordering. Between blocks: status.cuh, workspace.cuh. The ticket of tile k + AHEAD + 1 is written by thread 0
// between the barriers before and after `process` of tile k. A task that shares data through shared memory between
// warps has its own barriers; before `process` of the next tile there is one.

#pragma once

#include "block/barrier.cuh"
#include "memory/instructions.cuh"
#include "memory/workspace.cuh"
#include "tile/stage.cuh"

template <class Task>
struct Blockwise {
    static constexpr u32 TICKETS = AHEAD + 2;
    struct Shared {
        u32 tickets[TICKETS];
        typename Task::Shared task;
    };

    // Runs all tiles. Called by all threads of each block. `tiles`, at least one, may be less than the grid is sized
    // for.
    template <class Params>
    static __device__ __forceinline__ void run(const Params& p, u64 tiles) {
        __shared__ Shared shared;
        const bool alone = tiles == 1 && gridDim.x == 1;
        const u32 epoch = alone ? 0 : current_epoch(p.workspace);
        __syncthreads();  // the epoch is read before a ticket is drawn
        bool more = !alone;  // of thread 0 alone: whether it draws more tickets
        const auto draw = [&](u32 k) {
            u32 ticket = alone ? k : ~0u;
            if (more) {
                ticket = take_ticket(p.workspace);
                // Each block draws one ticket beyond the last tile, so the last ticket of all is known.
                if (ticket == tiles + gridDim.x - 1) prepare_next_launch(p.workspace, epoch);
                more = ticket < tiles;
            }
            shared.tickets[k % TICKETS] = ticket;
        };
        Task task(p, shared.task);
        const auto stage = [&](u32 k) {
            const u64 tile = shared.tickets[k % TICKETS];
            if (tile < tiles) task.stage(k, tile);
            close_group();  // also an empty one, so that the number of groups identifies the tile
        };
        for (u32 k = 0; k <= AHEAD; k++) {
            if (threadIdx.x == 0) draw(k);
            __syncthreads();
            if (k < AHEAD) stage(k);
        }
        for (u32 k = 0;; k++) {
            const u64 tile = shared.tickets[k % TICKETS];
            if (tile >= tiles) break;
            if (threadIdx.x == 0) draw(k + AHEAD + 1);
            stage(k + AHEAD);
            wait_groups<AHEAD>();
            task.process(k, tile, epoch);
            __syncthreads();
        }
        if (!alone) finish_launch(p.workspace, epoch, gridDim.x);
    }
};
