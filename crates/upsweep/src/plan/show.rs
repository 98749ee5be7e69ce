//! Plans as `upsweep explain` prints them.

use super::Plan;
use super::scan::{Pipeline, ScanPlan, Schedule};
use super::tile::{GROUP, TileShape};
use std::fmt;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu(plan) => plan.fmt(f),
            Self::Scan(plan) => plan.fmt(f),
            Self::Reduce(plan) => plan.fmt(f),
            Self::Rows(plan) => plan.fmt(f),
            Self::Apart(plan) => plan.fmt(f),
            Self::Columns(plan) => plan.fmt(f),
        }
    }
}

impl fmt::Display for ScanPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, sizes, shape, tiles) = (self.len, self.sizes, self.shape(), self.tiles());
        let TileShape { threads: scanning, vector, rows, .. } = shape;
        let (elements, words) = (shape.elements(), self.words().bytes());
        let what = match self.schedule {
            Schedule::Wave(_) | Schedule::Scan(_) => "single-pass scan",
            Schedule::Segments(_) => "single-pass reduction by segment",
        };
        writeln!(f, "{what}, one kernel ({})", self.kernel().0)?;
        writeln!(f, "  elements      {len} of {} bytes, results of {} bytes", sizes.input, sizes.output)?;
        writeln!(
            f,
            "  tiles         {tiles} of {elements} elements ({} KiB): {scanning} threads x {rows} x {vector}",
            (elements * sizes.input) >> 10
        )?;
        match self.schedule {
            Schedule::Wave(wave) => {
                let (grid, part) = (wave.grid(), wave.part);
                let each = if part == 1 { "one tile" } else { &format!("{part} tiles") };
                writeln!(f, "  wave          {grid} blocks of {scanning} threads, {each} each, all in shared memory")?;
                writeln!(f, "  look-back     over all blocks before; {words} bytes of status words")?;
            }
            Schedule::Scan(pipeline) | Schedule::Segments(pipeline) => {
                let Pipeline { ahead, lag, stages, look_back_warps, offsets_warps, blocks, tuning, .. } = pipeline;
                let offsets = if offsets_warps > 0 { format!(", {offsets_warps} find offsets") } else { String::new() };
                writeln!(
                    f,
                    "  block         {} threads: {} warps compute, {look_back_warps} look back{offsets}; {blocks} blocks a multiprocessor",
                    pipeline.threads(),
                    shape.warps(),
                )?;
                writeln!(f, "  pipeline      {stages} tiles in shared memory: {ahead} staged ahead, {lag} held back")?;
                writeln!(
                    f,
                    "  look-back     {} groups of {GROUP} tiles; {words} bytes of status words",
                    tuning.groups
                )?;
                writeln!(
                    f,
                    "  tuning row    compute capability {}.{}: {}",
                    tuning.capability.0, tuning.capability.1, tuning.source
                )?;
            }
        }
        write!(f, "  shared memory {} bytes a block", self.shared_bytes())
    }
}
