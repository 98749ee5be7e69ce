//! What a single-pass scan does on a CUDA device: the tile's shape, its pipeline and its workspace.
//!
//! The shape of a tile depends on the types alone, so that a scan of floats groups its additions in the same way on
//! every GPU of an architecture. How many tiles are under way at once, which changes nothing in the result, is chosen
//! by the [tuning rows](super::tuning).

use super::tuning::Tuning;
use std::fmt;

/// Lanes of a warp.
const WARP: usize = 32;
/// Threads that scan (the look-back warps of a pipeline come on top), and bytes of input that each holds of one tile: three
/// loads of 16 bytes.
const LARGE: (usize, usize) = (256, 48);
/// The same where every block of a wave has one such tile: many threads with little each, because what counts is how long
/// one of them takes. Much of that is the wait for its instructions, which lie outside every cache when a kernel begins.
const SMALL: (usize, usize) = (512, 16);
/// Shared memory for what a block's warps share beside the ring of tiles: the most that any kernel takes.
const RESERVED: usize = 14 << 10;
/// Shared memory that the driver takes of each block, which the most that one block may have leaves out.
const PER_BLOCK: usize = 1 << 10;
/// What a pipeline needs beside its tiles' shares.
const FEW: usize = 512;
/// The same of a reduction by segment, which needs tiles no longer than it looks at them: so they may be larger, and what
/// has to be done once a tile is done less often.
const SEGMENTS: (usize, usize) = (256, 80);
/// Of a reduction by segment: the most tiles that a block stages ahead, and those that are not done.
const STAGED: usize = 3;
const UNDONE: usize = 4;
/// Tiles that a scan by offsets has marks of, and segment ends of a tile that a reduction lists: as in `device/scan.cuh` and
/// `tile/offsets.cuh`.
const MARK_SLOTS: usize = 8;
const ENDS: usize = 768;
/// Warps of a block that find segment offsets, of a scan and of a reduction. Where segments are short, a reduction waits for
/// them; a scan has more to do by itself.
const SEARCHERS: (usize, usize) = (2, 3);
/// Tiles of a look-back group, and entries from one group's status word to the next: as in `tile/lookback.cuh`.
const GROUP: usize = WARP;
const SPREAD: usize = 16;

/// The most blocks of a wave, and the most tiles that one of them has: a block's share of shared memory, up to this.
const MOST_PARTS: usize = 384;
const MOST_TILES: usize = 5;
/// So many small tiles are one block's: by itself it has done them before several blocks have heard from each other.
const ALONE: usize = 2;

/// The sizes in bytes that a plan depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Of an element.
    pub input: usize,
    /// Of what one tile tells another: what the operator combines, with its segment heads.
    pub state: usize,
    /// Of a result.
    pub output: usize,
    /// Of an element's place in shared memory: of the element, or of a result that may take its place.
    pub place: usize,
    /// Of what a thread keeps of a tile from the first pass over it to the second.
    pub kept: usize,
    /// How segment heads are marked in shared memory.
    pub marks: Marks,
}

/// How segment heads are marked in shared memory: see `tile/heads.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// They are not.
    None,
    /// In bytes, one or two for each vector of each tile there.
    Vectors,
    /// In bits, one for each element, of more tiles than are there: those whose offsets are searched for, too.
    Offsets,
}

impl Sizes {
    /// Of a scan that has no segments.
    #[must_use]
    pub fn plain(input: usize, state: usize, output: usize) -> Self {
        Self { input, state, output, place: input, kept: 0, marks: Marks::None }
    }
}

/// How tiles come to blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Each block has `part` neighbouring tiles from first to last, all of them in shared memory.
    Wave {
        /// Tiles a block; the last one may have fewer.
        part: usize,
    },
    /// Blocks stay, draw tiles and overlap what they do with several of them.
    Pipeline,
    /// The same for reductions by segment, which look at each element once.
    OnePass,
}

/// A tile's shape. It depends on the types alone.
#[derive(Clone, Copy)]
struct Shape {
    threads: usize,
    vector: usize,
    rows: usize,
    tile: usize,
    /// In shared memory.
    bytes: usize,
}

impl Shape {
    fn new(sizes: Sizes, (threads, thread_bytes): (usize, usize)) -> Self {
        let widest = sizes.state.max(sizes.output);
        // The fewest elements that are whole loads of 16 bytes, unless that is more than a thread holds or, of odd sizes, more
        // values than there are registers for.
        let whole = [1, 2, 4, 8, 16].into_iter().find(|elements| (elements * sizes.input).is_multiple_of(16));
        let few = |&elements: &usize| {
            elements * sizes.input <= 16 || (elements <= 4 && elements * sizes.input <= thread_bytes)
        };
        let vector = whole.filter(few).unwrap_or(1);
        let vector = vector.min(1 << (64 / widest).max(1).ilog2());
        let slot = (vector * sizes.place).next_multiple_of(16);
        // An odd number, against bank conflicts; a thread's heads have a bit each in a word of 64, and one to spare.
        let rows = ((thread_bytes / slot).min(63 / vector).max(1) - 1) | 1;
        Self { threads, vector, rows, tile: threads * vector * rows, bytes: threads * rows * slot }
    }

    /// A tile's share of shared memory beside its elements: the totals of its warps, what lies before them, what its threads
    /// keep, its marks.
    fn beside(&self, sizes: Sizes) -> usize {
        let warps = self.threads / WARP;
        let marks = self.threads * self.rows * self.vector.div_ceil(8) + warps * size_of::<u64>();
        2 * sizes.state * warps + sizes.kept * self.threads + if sizes.marks == Marks::Vectors { marks } else { 0 }
    }

    /// What finders of offsets leave of a tile: its marks, the range of its offsets and its first `ends`.
    fn found(&self, sizes: Sizes, ends: usize) -> usize {
        if sizes.marks == Marks::Offsets { self.tile / 8 + 48 + ends * size_of::<u16>() } else { 0 }
    }
}

/// Status words of 8 and of 16 bytes for so many values of `state` bytes.
fn words(values: usize, state: usize) -> (usize, usize) {
    if state <= 4 { (values, 0) } else { (0, values * state.div_ceil(12)) }
}

/// Blocks a multiprocessor for states of a size.
fn blocks_for(sizes: Sizes, tuning: &Tuning) -> usize {
    match sizes.state {
        0..=8 => tuning.blocks,
        9..=24 => tuning.blocks.min(2),
        _ => 1,
    }
}

/// A planned single-pass scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanPlan {
    /// Elements.
    pub len: usize,
    /// The sizes of the types.
    pub sizes: Sizes,
    /// Neighbouring elements that a thread loads at once.
    pub vector: usize,
    /// Vectors that a thread has in a tile.
    pub rows: usize,
    /// Elements a tile.
    pub tile: usize,
    /// Tiles.
    pub tiles: usize,
    /// How they come to blocks.
    pub schedule: Schedule,
    /// Threads a block that scan.
    pub scanning: usize,
    /// Threads a block, the look-back warps included.
    pub threads: usize,
    /// Blocks that a multiprocessor should run.
    pub blocks: usize,
    /// Of a pipeline: see [`Tuning`].
    pub ahead: usize,
    /// Of a pipeline: see [`Tuning`].
    pub lag: usize,
    /// See [`Tuning`].
    pub tuning: &'static Tuning,
    /// Dynamic shared memory a block: its tiles.
    pub shared_bytes: usize,
    /// Status words of 8 bytes.
    pub words8: usize,
    /// Status words of 16 bytes.
    pub words16: usize,
}

impl ScanPlan {
    /// The plan for `len` elements on a device of this compute capability.
    #[must_use]
    pub fn new(len: usize, sizes: Sizes, capability: (u32, u32)) -> Self {
        Self::with_waves(len, sizes, capability, usize::MAX)
    }

    /// [`new`](ScanPlan::new) with waves of up to `longest_wave` tiles a block.
    pub(crate) fn with_waves(len: usize, sizes: Sizes, capability: (u32, u32), longest_wave: usize) -> Self {
        let tuning = Tuning::of(capability);
        let blocks = blocks_for(sizes, tuning);
        let small = Shape::new(sizes, SMALL);
        let large = Shape::new(sizes, LARGE);
        let fit = |blocks: usize, shape: Shape| (tuning.shared_bytes / blocks).saturating_sub(RESERVED) / shape.bytes;
        let alone = fit(1, small).min(ALONE);
        for (shape, alone, most) in [(small, alone, 1), (large, 0, fit(blocks, large).clamp(1, MOST_TILES))] {
            let tiles = len.div_ceil(shape.tile).max(1);
            let (part, most) = if tiles <= alone { (tiles, alone) } else { (tiles.div_ceil(MOST_PARTS), most) };
            if part <= most.min(longest_wave) {
                let schedule = Schedule::Wave { part };
                let (words8, words16) = words(tiles.div_ceil(part), sizes.state);
                let plan = Self::of(len, sizes, tuning, shape, blocks);
                return Self { schedule, shared_bytes: part * shape.bytes, words8, words16, ..plan };
            }
        }
        Self::pipeline(len, sizes, tuning, large, blocks)
    }

    /// A pipeline.
    fn pipeline(len: usize, sizes: Sizes, tuning: &'static Tuning, shape: Shape, blocks: usize) -> Self {
        let plan = Self::of(len, sizes, tuning, shape, blocks);
        let (words8, words16) = words(plan.tiles + 2 * SPREAD * (plan.tiles / GROUP + 1), sizes.state);
        Self { words8, words16, threads: plan.threads + tuning.lookers * WARP, ..plan }
    }

    /// A pipeline without its look-back.
    fn of(len: usize, sizes: Sizes, tuning: &'static Tuning, shape: Shape, blocks: usize) -> Self {
        let Shape { threads, vector, rows, tile, bytes } = shape;
        let fit = (tuning.shared_bytes + PER_BLOCK) / blocks - PER_BLOCK - FEW - shape.found(sizes, 0) * MARK_SLOTS;
        let fit = fit / (bytes + shape.beside(sizes));
        // A block's 16 barriers do for one tile less where there are warps that find offsets.
        let most = if sizes.marks != Marks::None { tuning.lag.min(3) } else { tuning.lag };
        let lag = most.min(fit.saturating_sub(tuning.ahead + 1)).max(1);
        Self {
            len,
            sizes,
            vector,
            rows,
            tile,
            tiles: len.div_ceil(tile).max(1),
            schedule: Schedule::Pipeline,
            scanning: threads,
            threads,
            blocks,
            ahead: tuning.ahead,
            lag,
            tuning,
            shared_bytes: (tuning.ahead + lag + 1) * bytes,
            words8: 0,
            words16: 0,
        }
    }

    /// The plan for a reduction of `len` elements by rows or offsets, on a device of this compute capability.
    #[must_use]
    pub fn of_segments(len: usize, sizes: Sizes, capability: (u32, u32)) -> Self {
        let tuning = Tuning::of(capability);
        // The larger tiles, where a block can have three of them.
        let large = Self::one_pass(len, sizes, tuning, Shape::new(sizes, SEGMENTS));
        large.unwrap_or_else(|| {
            let shape = Shape::new(sizes, LARGE);
            let fewest = Self::pipeline(len, sizes, tuning, shape, blocks_for(sizes, tuning));
            let fewest =
                Self { schedule: Schedule::OnePass, ahead: 1, lag: 0, shared_bytes: 3 * shape.bytes, ..fewest };
            Self::one_pass(len, sizes, tuning, shape).unwrap_or(fewest)
        })
    }

    /// A reduction by segment in tiles of this shape, if at least three of them fit.
    fn one_pass(len: usize, sizes: Sizes, tuning: &'static Tuning, shape: Shape) -> Option<Self> {
        let plan = Self::pipeline(len, sizes, tuning, shape, blocks_for(sizes, tuning));
        let fit = plan.shared_of_block().checked_sub(Self::beside_one_pass(sizes, shape))? / shape.bytes;
        let ahead = STAGED.min(fit.checked_sub(2)?);
        let shared_bytes = (ahead + 2) * shape.bytes;
        (ahead > 0).then_some(Self { schedule: Schedule::OnePass, ahead, lag: 0, shared_bytes, ..plan })
    }

    /// Shared memory of a reduction by segment beside its tiles: of the tiles that are not done, and of what is found of those
    /// whose results are being stored, that are reduced, and that are searched for.
    fn beside_one_pass(sizes: Sizes, shape: Shape) -> usize {
        let warps = shape.threads / WARP;
        UNDONE * (2 * sizes.state + 16) * warps + shape.found(sizes, ENDS) * (SEARCHERS.1 + 2)
    }

    /// The same with the warps that find the tiles' segment offsets, where blocks draw tiles.
    #[must_use]
    pub fn with_offsets(self) -> Self {
        Self { threads: self.threads + self.searchers() * WARP, ..self }
    }

    /// Warps of a block that find segment offsets.
    fn searchers(&self) -> usize {
        match self.schedule {
            Schedule::Wave { .. } => 0,
            Schedule::Pipeline => SEARCHERS.0,
            Schedule::OnePass => SEARCHERS.1,
        }
    }

    /// The shared memory of a block, all of them sharing alike, that is not the driver's or needed in any case.
    fn shared_of_block(&self) -> usize {
        (self.tuning.shared_bytes + PER_BLOCK) / self.blocks - PER_BLOCK - FEW
    }

    /// The kernel's file under `kernels/`.
    #[must_use]
    pub fn root(&self) -> &'static str {
        match self.schedule {
            Schedule::Wave { .. } => "device/wave.cuh",
            Schedule::Pipeline => "device/scan.cuh",
            Schedule::OnePass => "device/segments.cuh",
        }
    }

    /// What tells this plan's kernel from those of the same job with other constants.
    #[must_use]
    pub fn family(&self) -> &'static str {
        match self.schedule {
            Schedule::Wave { .. } if self.scanning == SMALL.0 => "wave of small tiles",
            Schedule::Wave { .. } => "wave",
            Schedule::Pipeline => "pipeline",
            Schedule::OnePass => "segments",
        }
    }

    /// The blocks to launch on a device that can run `resident` blocks at once.
    #[must_use]
    pub fn grid(&self, resident: usize) -> usize {
        match self.schedule {
            Schedule::Wave { part } => self.tiles.div_ceil(part),
            Schedule::Pipeline | Schedule::OnePass => self.tiles.min(resident),
        }
    }

    /// The constants that the kernel is compiled with. They depend on the types, the device and the schedule alone.
    #[must_use]
    pub fn constants(&self) -> String {
        let Self { vector, rows, ahead, lag, tuning, blocks, scanning, .. } = self;
        let constants = match self.schedule {
            Schedule::Wave { .. } => format!("MOST_PARTS = {MOST_PARTS}, MOST_TILES = {MOST_TILES}"),
            Schedule::Pipeline => format!("LAG = {lag}"),
            Schedule::OnePass => format!("RING = {UNDONE}"),
        };
        format!(
            "constexpr u32 THREADS = {scanning}, VECTOR = {vector}, ROWS = {rows}, BLOCKS = {blocks}, \
             POLL_NANOSECONDS = 40, AHEAD = {ahead}, LOOKERS = {}, GROUPS = {}, SEARCHERS = {}, {constants};\n",
            tuning.lookers,
            tuning.groups,
            self.searchers()
        )
    }
}

impl fmt::Display for ScanPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { len, vector, rows, tile, tiles, scanning, threads, blocks, ahead, lag, tuning, .. } = self;
        let bytes = self.words8 * 8 + self.words16 * 16;
        writeln!(f, "single-pass scan, one kernel ({})", self.root())?;
        writeln!(f, "  elements      {len} of {} bytes, results of {} bytes", self.sizes.input, self.sizes.output)?;
        writeln!(
            f,
            "  tiles         {tiles} of {tile} elements ({} KiB): {scanning} threads x {rows} x {vector}",
            (tile * self.sizes.input) >> 10
        )?;
        match self.schedule {
            Schedule::Wave { part } => {
                let parts = tiles.div_ceil(part);
                writeln!(
                    f,
                    "  wave          {parts} blocks of {threads} threads, {part} tiles each, all in shared memory"
                )?;
                writeln!(f, "  look-back     over all blocks before; {bytes} bytes of status words")?;
            }
            Schedule::Pipeline | Schedule::OnePass => {
                writeln!(
                    f,
                    "  block         {threads} threads, {} of them look back; {blocks} blocks a multiprocessor",
                    threads - scanning
                )?;
                writeln!(f, "  pipeline      {ahead} tile staged ahead, {lag} held back")?;
                writeln!(
                    f,
                    "  look-back     {} groups of {GROUP} tiles; {bytes} bytes of status words",
                    tuning.groups
                )?;
            }
        }
        writeln!(f, "  shared memory {} bytes a block", self.shared_bytes)?;
        write!(
            f,
            "  tuning row    compute capability {}.{}: {}",
            tuning.capability.0, tuning.capability.1, tuning.source
        )
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
