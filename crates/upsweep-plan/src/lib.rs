//! What will run: tile shapes, kernels and workspace, computed from sizes alone.
//!
//! A plan is a value: it has no device, no buffer and no `unsafe`, and a test of it needs no GPU. The backends run
//! plans, and `upsweep explain` prints them.
//!
//! | file | what |
//! |---|---|
//! | `cpu` | blocks, threads and stores of scans and reductions on the CPU |
//! | `scan`, `sort`, .. | a family: tiles, kernels and scratch on a CUDA device |
//! | `pipeline`, `wave` | the schedules of a scan: tiles by ticket, or blocks that hold the whole array |
//! | `rows`, `gathered`, `reduce_runs` | reductions of rows, by offsets of what is read apart, and by keys |
//! | `columns` | scans and reductions of interleaved lines |
//! | `compaction`, `partition` | what selections and partitions share; partitions |
//! | `tile` | the shape of a tile, and what a block holds of it in shared memory |
//! | `memory` | the memory through which the blocks of a kernel talk to each other |
//! | `tuning` | what differs from one GPU architecture to the next |
//! | `constants` | the numbers that a kernel is compiled with |
//! | `print` | plans as text |
//!
//! Files that end in `.cuh` are those of `upsweep-cuda`, by the names under which kernels include them:
//! `sort/radix.cuh` is in its `src/`, `tile/stage.cuh` in its `kernels/`.

#![allow(missing_docs, reason = "what only parts of upsweep see is named by its types")]
#![allow(clippy::len_without_is_empty, clippy::new_without_default, reason = "likewise, none of them needs these")]

pub mod automaton;
pub mod columns;
mod compaction;
pub mod constants;
pub mod cpu;
pub mod expand;
mod explain;
pub mod gathered;
pub mod histogram;
pub mod list_scan;
pub mod memory;
pub mod merge;
pub mod moving_sum;
mod partition;
mod pipeline;
mod print;
pub mod pyramid;
pub mod recurrence;
pub mod reduce;
pub mod reduce_runs;
pub mod rows;
pub mod scan;
pub mod scan_axes;
pub mod search;
pub mod select;
pub mod sort;
pub mod tile;
pub mod topk;
pub mod transform;
pub mod tuning;
pub mod up_sweep;
mod wave;

pub use explain::Question;

/// What a scan or a reduction would do: printed by `upsweep explain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Plan {
    /// On the CPU.
    Cpu(cpu::CpuPlan),
    /// A single-pass scan, or reduction by segment, on a CUDA device.
    Scan(scan::ScanPlan),
    /// The reduction of a whole array on a CUDA device.
    Reduce(reduce::ReducePlan),
    /// The reduction of rows, each by a warp, on a CUDA device.
    Rows(rows::RowsPlan),
    /// The reduction by offsets of what is read apart, on a CUDA device.
    Gathered(gathered::GatheredPlan),
    /// Interleaved lines on a CUDA device.
    Columns(columns::LinesPlan),
}
