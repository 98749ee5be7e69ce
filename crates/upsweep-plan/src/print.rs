//! Plans as `upsweep explain` prints them.

use super::Plan;
use super::scan::{Pipeline, Runs, ScanPlan, Schedule};
use super::tile::{GROUP, TileShape, WARP};
use super::tuning::Tuning;
use std::fmt;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu(plan) => plan.fmt(f),
            Self::Scan(plan) => plan.fmt(f),
            Self::Reduce(plan) => plan.fmt(f),
            Self::Rows(plan) => plan.fmt(f),
            Self::RowTotals(plan) => plan.fmt(f),
            Self::ColumnTotals(plan) => plan.fmt(f),
            Self::Gathered(plan) => plan.fmt(f),
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
            Schedule::Runs(_) => "single-pass reduction by keys",
        };
        writeln!(f, "{what}, one kernel")?;
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
                long_look_back(f, tuning, words)?;
            }
            Schedule::Runs(runs) => {
                let Runs { blocks, ring, tuning, .. } = runs;
                let (threads, warps) = (runs.threads(), shape.warps());
                let storing = threads / WARP - warps;
                writeln!(
                    f,
                    "  block         {threads} threads: {warps} warps compute, {storing} look back and store; {blocks} blocks a multiprocessor"
                )?;
                writeln!(f, "  ring          {ring} bytes of keys and results that wait for their places")?;
                long_look_back(f, tuning, words)?;
            }
        }
        write!(f, "  shared memory {} bytes a block", self.shared_bytes())
    }
}

/// Writes the look-back of a scan's tiles, and the source of the plan's numbers.
fn long_look_back(f: &mut fmt::Formatter<'_>, tuning: &Tuning, words: usize) -> fmt::Result {
    let Tuning { capability: (major, minor), groups, source, .. } = tuning;
    writeln!(f, "  look-back     {groups} groups of {GROUP} tiles; {words} bytes of status words")?;
    writeln!(f, "  tuning row    compute capability {major}.{minor}: {source}")
}
