//! Plans of calls: tile shapes, kernels and workspace, computed from sizes alone.
//!
//! A plan is a value: it has no device, no buffer and no `unsafe`, and a test of it needs no GPU. The backends run
//! plans, and `upsweep explain` prints them.
//!
//! | file | what |
//! |---|---|
//! | `cpu` | blocks, threads and stores of scans and reductions on the CPU |
//! | `scan`, `sort`, .. | one family of calls each: tiles, kernels and scratch memory on a CUDA device |
//! | `pipeline`, `wave` | schedules of a scan: tiles by ticket, or blocks that hold the whole array |
//! | `rows`, `gathered`, `reduce_runs` | reductions of rows, by offsets of gathered elements, and by keys |
//! | `columns` | scans and reductions of interleaved lines |
//! | `compaction`, `partition` | common parts of stream compactions and partitions; partitions |
//! | `tile` | shape of a tile, and its shared memory |
//! | `line_tiles` | how lines whose float sums have trees of their own lie in tiles |
//! | `memory` | status words, through which the blocks of a kernel communicate |
//! | `tuning` | parameters of each GPU architecture |
//! | `constants` | constants that a kernel is compiled with |
//! | `print` | plans as text |
//!
//! The `.cuh` files named here are those of `upsweep-cuda`, under the names by which kernels include them:
//! `sort/radix.cuh` is in its `src/`, `tile/stage.cuh` in its `kernels/`.

#![allow(missing_docs, reason = "what only parts of upsweep see is named by its types")]
#![allow(clippy::len_without_is_empty, clippy::new_without_default, reason = "likewise, none of them needs these")]

pub mod automaton;
pub mod column_totals;
pub mod columns;
mod compaction;
pub mod constants;
pub mod cpu;
pub mod expand;
mod explain;
pub mod gathered;
pub mod histogram;
pub mod line_tiles;
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
pub mod row_totals;
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

/// Plan of a scan or a reduction, as `upsweep explain` prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Plan {
    /// A call on the CPU.
    Cpu(cpu::CpuPlan),
    /// A single-pass scan, or reduction by segment, on a CUDA device.
    Scan(scan::ScanPlan),
    /// The reduction of a whole array on a CUDA device.
    Reduce(reduce::ReducePlan),
    /// The reduction of rows, each by a warp, on a CUDA device.
    Rows(rows::RowsPlan),
    /// Float sums or products of rows, on a CUDA device.
    RowTotals(row_totals::RowTotalsPlan),
    /// Float sums or products of columns, on a CUDA device.
    ColumnTotals(column_totals::ColumnTotalsPlan),
    /// A reduction by offsets of gathered elements, on a CUDA device.
    Gathered(gathered::GatheredPlan),
    /// A call on interleaved lines, on a CUDA device.
    Columns(columns::LinesPlan),
}
