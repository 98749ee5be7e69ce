// Layout of the workspace in memory, the same as in src/runtime/workspace.rs.

#pragma once

#include "arith.cuh"

struct WorkspaceHeader {
    u32 epoch;     // tags this launch's status words; never 0
    u32 ticket;    // the next tile to hand out
    u32 finished;  // blocks that have ended, in the launch with the last epoch
    u32 fault;     // 0, or the code of a fault in the input: see report_fault
    u64 fault_index;
    i64 fault_value;
    u64 fault_bound;
};

struct Workspace {
    WorkspaceHeader* header;
    u64* words8;
    u64* words16;
    u32 capacity8;   // number of words of 8 bytes
    u32 capacity16;  // number of words of 16 bytes
};
