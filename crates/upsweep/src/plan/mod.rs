//! What will run: tile shapes, kernels and workspace, computed from sizes alone.

pub mod along;
pub mod apart;
pub mod automaton;
pub mod columns;
pub mod constants;
pub mod cpu;
pub mod expand;
pub mod histogram;
pub mod memory;
pub mod merge;
pub mod moving_sum;
mod partition;
mod pipeline;
pub mod pyramid;
pub mod recurrence;
pub mod reduce;
pub mod reduce_runs;
pub mod rows;
pub mod scan;
pub mod scan_axes;
pub mod search;
pub mod select;
mod shape;
mod show;
pub mod sort;
pub mod tile;
pub mod topk;
pub mod transform;
pub mod tuning;
pub mod up_sweep;
mod wave;

pub use shape::Shape;
pub(crate) use shape::product;

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
    Apart(apart::ApartPlan),
    /// Interleaved lines on a CUDA device.
    Columns(columns::LinesPlan),
}
