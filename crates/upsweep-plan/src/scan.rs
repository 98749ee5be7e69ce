//! Plans of single-pass scans, and of reductions by segment, on a CUDA device: the schedule.

use super::constants::{Constants, constants};
use super::line_tiles::LineTiles;
use super::memory::StatusWords;
pub use super::pipeline::Pipeline;
pub use super::reduce_runs::RunSizes;
pub use super::reduce_runs::Runs;
use super::tile::{GROUP, TileShape};
pub use super::tile::{Marks, Sizes};
use super::tuning::Tuning;
pub use super::wave::Wave;
use upsweep_core::tree::{GROUPS, ROWS};

/// Schedule of tiles on blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Each block has some neighbouring tiles for the whole launch, all of them in shared memory.
    Wave(Wave),
    /// Persistent blocks take tiles by ticket and overlap the stages of several tiles.
    Scan(Pipeline),
    /// Persistent blocks take tiles by ticket, for reductions by segment, which read each element once.
    Segments(Pipeline),
    /// Persistent blocks take tiles by ticket, and store the results of a tile when their positions are known:
    /// reductions by keys.
    Runs(Runs),
}

/// A planned single-pass scan, or reduction by segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanPlan {
    /// Number of elements.
    pub len: usize,
    /// Sizes of the types.
    pub sizes: Sizes,
    /// Schedule of tiles on blocks.
    pub schedule: Schedule,
    /// How lines lie in tiles, if each has a tree of its own.
    pub lines: Option<LineTiles>,
}

impl ScanPlan {
    /// Plans a scan of `len` elements on a device of this compute capability.
    #[must_use]
    pub fn new(len: usize, sizes: Sizes, capability: (u32, u32)) -> Self {
        Self::with_waves(len, sizes, capability, usize::MAX)
    }

    /// Plans a scan as [`new`](ScanPlan::new) does. Arrays that blocks of up to `longest_wave` tiles hold in shared
    /// memory at once get the plan of a wave; 0 excludes it.
    pub fn with_waves(len: usize, sizes: Sizes, capability: (u32, u32), longest_wave: usize) -> Self {
        let tuning = Tuning::of(capability);
        let schedule = match Wave::new(len, sizes, tuning, longest_wave) {
            Some(wave) => Schedule::Wave(wave),
            None => Schedule::Scan(Pipeline::of_scan(len, sizes, tuning)),
        };
        Self { len, sizes, schedule, lines: None }
    }

    /// Plans a scan of `count` lines of `len` elements, each with a tree of its own, as [`with_waves`](Self::with_waves)
    /// does. There are elements, and `sizes` has a row.
    #[must_use]
    pub fn of_lines(count: usize, len: usize, sizes: Sizes, capability: (u32, u32), longest_wave: usize) -> Self {
        let lines = LineTiles::new(count, len, sizes.row);
        let plan = Self::with_waves(lines.tiles * lines.tile, sizes, capability, longest_wave);
        Self { len: count * len, lines: Some(lines), ..plan }
    }

    /// Plans a reduction of `len` elements by rows or offsets, on a device of this compute capability.
    #[must_use]
    pub fn of_segments(len: usize, sizes: Sizes, capability: (u32, u32)) -> Self {
        let schedule = Schedule::Segments(Pipeline::of_segments(len, sizes, Tuning::of(capability)));
        Self { len, sizes, schedule, lines: None }
    }

    /// Plans a reduction of `len` elements by keys, with tiles whose results wait for their positions. `None` if the
    /// array is short and may be reduced by a wave (blocks that hold it in shared memory at once, of up to
    /// `longest_wave` tiles each), or if the types are too large.
    pub fn of_runs(
        len: usize,
        sizes: Sizes,
        runs: RunSizes,
        capability: (u32, u32),
        longest_wave: usize,
    ) -> Option<Self> {
        if len < super::reduce_runs::FROM && longest_wave > 0 {
            return None;
        }
        let sizes = Sizes { state: runs.state, ..sizes };
        let schedule = Schedule::Runs(Runs::new(len, sizes, runs, Tuning::of(capability))?);
        Some(Self { len, sizes, schedule, lines: None })
    }

    /// Returns the shape of the tiles.
    #[must_use]
    pub fn shape(&self) -> TileShape {
        match self.schedule {
            Schedule::Wave(wave) => wave.shape,
            Schedule::Runs(runs) => runs.shape,
            Schedule::Scan(pipeline) | Schedule::Segments(pipeline) => pipeline.shape,
        }
    }

    /// Returns the number of tiles.
    #[must_use]
    pub fn tiles(&self) -> usize {
        match self.schedule {
            Schedule::Wave(wave) => wave.tiles,
            Schedule::Runs(runs) => runs.tiles,
            Schedule::Scan(pipeline) | Schedule::Segments(pipeline) => pipeline.tiles,
        }
    }

    /// Returns the number of threads per block.
    #[must_use]
    pub fn threads(&self) -> usize {
        match self.schedule {
            Schedule::Wave(wave) => wave.shape.threads,
            Schedule::Runs(runs) => runs.threads(),
            Schedule::Scan(pipeline) | Schedule::Segments(pipeline) => pipeline.threads(),
        }
    }

    /// Returns the number of bytes of dynamic shared memory per block.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        match self.schedule {
            Schedule::Wave(wave) => wave.shared_bytes(),
            Schedule::Runs(runs) => runs.shared_bytes(),
            Schedule::Scan(pipeline) | Schedule::Segments(pipeline) => pipeline.shared_bytes(),
        }
    }

    /// Returns the number of status words through which blocks communicate.
    #[must_use]
    pub fn words(&self) -> StatusWords {
        match self.schedule {
            Schedule::Wave(wave) => wave.words,
            Schedule::Runs(runs) => runs.words,
            Schedule::Scan(pipeline) | Schedule::Segments(pipeline) => {
                self.lines.map_or(pipeline.words, |lines| lines.words(self.sizes.state))
            }
        }
    }

    /// Returns the number of status words of a scan that goes on where another ended: its first group of tiles then has
    /// some before the first.
    #[must_use]
    pub fn words_of_a_part(&self) -> StatusWords {
        match self.schedule {
            Schedule::Scan(pipeline) => pipeline.words_after(GROUP, self.sizes),
            _ => self.words(),
        }
    }

    /// Returns the file of the kernel, as it is included, and the kernel's name.
    #[must_use]
    pub fn kernel(&self) -> (&'static str, &'static str) {
        match self.schedule {
            Schedule::Wave(_) => ("scan/wave.cuh", "upsweep_wave"),
            Schedule::Scan(_) => ("scan/scan.cuh", "upsweep_scan"),
            Schedule::Segments(_) => ("scan/segments.cuh", "upsweep_segments"),
            Schedule::Runs(_) => ("reduce/runs.cuh", "upsweep_reduce_runs"),
        }
    }

    /// Returns the number of blocks to launch on a device that can run `resident` blocks at once.
    #[must_use]
    pub fn grid(&self, resident: usize) -> usize {
        match self.schedule {
            Schedule::Wave(wave) => wave.grid(),
            Schedule::Runs(runs) => runs.tiles.min(resident),
            Schedule::Scan(pipeline) | Schedule::Segments(pipeline) => pipeline.tiles.min(resident),
        }
    }

    /// Constants that the kernel is compiled with. They depend on the types, the device and the schedule alone.
    #[must_use]
    pub fn constants(&self) -> Constants {
        match self.schedule {
            Schedule::Wave(wave) => wave.constants(self.sizes),
            Schedule::Runs(runs) => runs.constants(self.sizes),
            Schedule::Scan(pipeline) | Schedule::Segments(pipeline) => pipeline.constants(self.sizes),
        }
    }
}

/// Constants of the kernel that scans a part of an array by one block, a thread for each row of the tree of `row`
/// elements.
#[must_use]
pub fn open_constants(row: usize) -> Constants {
    let mut constants = Constants::default();
    constants!(constants; "THREADS" = ROWS * GROUPS, "VECTOR" = 1, "DEPTH" = 1, "OPEN_ROW" = row);
    constants
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
