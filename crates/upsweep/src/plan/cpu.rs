//! What a scan or a reduction does on the CPU: its blocks, threads and stores. The backend runs this plan.

use super::Shape;
use std::fmt;
use std::ops::Range;

/// The larger of a block's input and its output, in bytes. A block is read twice, once from a core's second-level cache,
/// where the next block arrives meanwhile; these have 256 KiB or more.
const BLOCK_BYTES: usize = 128 << 10;
/// The bytes below which the calling thread does everything: waking another costs microseconds.
const PARALLEL_FROM_BYTES: usize = 2 << 20;
/// The bytes of output from which stores are non-temporal: what is smaller may be read again soon.
const NON_TEMPORAL_FROM_BYTES: usize = 32 << 20;
/// The bytes of a strip's row: a group of rows and its results fit into a first-level cache.
pub(crate) const STRIP_BYTES: usize = 4096;
/// The units from which on there is work for all threads without cutting units into blocks.
const MANY_UNITS: usize = 64;

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuKind {
    /// A result for each element.
    Scan,
    /// A result for each line or segment.
    Reduction,
}

/// How segments are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuSegments {
    /// There are none.
    None,
    /// By head flags or keys.
    Heads,
    /// By the offsets of so many segments.
    Offsets(usize),
}

/// Everything that decides a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuJob {
    /// What is computed.
    pub kind: CpuKind,
    /// The array, seen from the axis.
    pub shape: Shape,
    /// How segments are given.
    pub segments: CpuSegments,
    /// The bytes of an element, of what is combined, and of a result.
    pub bytes: [usize; 3],
    /// Whether the results replace the elements.
    pub in_place: bool,
}

/// Sizes that decide how a job is cut and run. Tests make them small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The elements of a block. They decide the grouping, so they depend on the types alone.
    pub(crate) block: usize,
    /// The elements below which the calling thread does everything.
    pub(crate) parallel_from: usize,
    /// The bytes of output from which stores are non-temporal.
    pub(crate) non_temporal_from: usize,
}

impl Limits {
    #[inline(always)]
    pub(crate) fn of([input, _, output]: [usize; 3]) -> Self {
        let size = input.max(output).max(1);
        Self {
            block: (BLOCK_BYTES / size).max(1),
            parallel_from: PARALLEL_FROM_BYTES / size,
            non_temporal_from: NON_TEMPORAL_FROM_BYTES,
        }
    }
}

/// A planned scan or reduction on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuPlan {
    /// What it was made for.
    pub job: CpuJob,
    /// What each ticket of the chain is (`src/cpu/chain.rs`).
    pub cut: Cut,
    /// The threads that share the work; with one, it is the calling one.
    pub threads: usize,
    /// Whether results are stored past the cache.
    pub non_temporal: bool,
}

/// How an array is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Into blocks of neighbouring elements.
    Blocks(Blocks),
    /// Into strips of columns, and these into blocks of rows: lines along another axis than the last.
    Strips(Strips),
}

impl CpuPlan {
    /// The plan of a job, where the threads are those of the current rayon pool.
    #[must_use]
    #[inline]
    pub fn new(job: CpuJob) -> Self {
        Self::within(job, Limits::of(job.bytes))
    }

    /// [`new`](Self::new) with the sizes that tests change.
    #[inline(always)]
    pub(crate) fn within(job: CpuJob, limits: Limits) -> Self {
        let CpuJob { kind, shape, segments, bytes: [.., output], in_place } = job;
        let len = shape.outer * shape.len * shape.inner;
        let (steps, line) = match (segments, kind) {
            (CpuSegments::None, _) => (len, shape.len),
            (CpuSegments::Offsets(segments), CpuKind::Reduction) => (len + segments, len + segments),
            _ => (len, len),
        };
        let (cut, tickets) = if segments == CpuSegments::None && shape.inner > 1 {
            let strips = Strips::new(shape, job.bytes, limits.block);
            (Cut::Strips(strips), strips.tickets())
        } else {
            let blocks = Blocks::new(steps, line, limits.block);
            (Cut::Blocks(blocks), blocks.count())
        };
        let threads = if steps < limits.parallel_from { 1 } else { rayon::current_num_threads().min(tickets).max(1) };
        Self {
            job,
            cut,
            threads,
            non_temporal: cfg!(target_arch = "x86_64")
                && kind == CpuKind::Scan
                // In place the lines are in the cache already.
                && !in_place
                && len.saturating_mul(output) >= limits.non_temporal_from,
        }
    }
}

/// Lines cut into blocks: several blocks a line, or several whole lines a block. In a reduction by offsets, the end of
/// each segment counts as an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// The elements of all lines.
    len: usize,
    /// The elements of a line, or of the lines of a block.
    line: usize,
    block: usize,
    per_line: usize,
    count: usize,
}

impl Blocks {
    /// The blocks of `len` elements in lines of `line`, which divides `len` and is not 0 unless `len` is.
    #[inline]
    pub(crate) fn new(len: usize, line: usize, block: usize) -> Self {
        if len <= block && len == line {
            // A division takes longer than a short scan.
            return Self { len, line, block, per_line: 1, count: usize::from(len > 0) };
        }
        let line = if line < block { (block / line.max(1)).saturating_mul(line) } else { line };
        let line = line.clamp(1, len.max(1));
        let per_line = line.div_ceil(block);
        let (whole, rest) = (len / line, len % line);
        Self { len, line, block, per_line, count: whole * per_line + rest.div_ceil(block) }
    }

    /// The number of blocks.
    #[must_use]
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of blocks of a line that is longer than a block; else 1.
    pub(crate) fn per_line(&self) -> usize {
        self.per_line
    }

    /// The elements of block `index`.
    #[inline]
    pub(crate) fn range(&self, index: usize) -> Range<usize> {
        if self.count == 1 {
            return 0..self.len;
        }
        let line = index / self.per_line * self.line;
        let start = line + index % self.per_line * self.block;
        start..(start + self.block).min(line + self.line).min(self.len)
    }
}

/// A shape cut into strips, units and blocks:
///
/// ```text
/// strip    neighbouring columns that fit into a first-level cache with their running values
/// unit     a strip of one of the `outer` matrices: its rows are combined one after the other
/// block    all rows of a unit where there are many units, else some rows; a block's prefix is a vector
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strips {
    pub(crate) shape: Shape,
    /// The columns of a strip.
    pub(crate) width: usize,
    strips: usize,
    pub(crate) units: usize,
    /// The rows of a block.
    rows: usize,
    pub(crate) blocks_per_unit: usize,
    /// The units that one ticket has, where a unit is one block.
    units_per_ticket: usize,
}

/// A strip of one of the `outer` matrices.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    /// Where its row 0 begins.
    pub(crate) start: usize,
    /// The number of its columns.
    pub(crate) width: usize,
    /// The number of its first result in a reduction.
    pub(crate) result: usize,
}

impl Strips {
    fn new(shape: Shape, bytes: [usize; 3], block: usize) -> Self {
        let size = bytes.into_iter().max().unwrap_or(1).max(1);
        let width = (STRIP_BYTES / size).clamp(1, shape.inner.max(1));
        let strips = shape.inner.div_ceil(width);
        let units = shape.outer * strips;
        let whole = units >= MANY_UNITS || shape.len.saturating_mul(width) <= block;
        let rows = if whole { shape.len } else { (block / width).max(1) }.max(1);
        let blocks_per_unit = shape.len.div_ceil(rows);
        let units_per_ticket =
            if blocks_per_unit == 1 { (block / (rows.saturating_mul(width)).max(1)).max(1) } else { 1 };
        Self { shape, width, strips, units, rows, blocks_per_unit, units_per_ticket }
    }

    /// The tickets a row of blocks has.
    pub(crate) fn tickets_across(&self) -> usize {
        self.units.div_ceil(self.units_per_ticket)
    }

    /// The number of tickets: blocks, or groups of units.
    #[must_use]
    pub fn tickets(&self) -> usize {
        self.tickets_across() * self.blocks_per_unit
    }

    /// The units of a ticket, and its block of them. The tickets of a row of blocks are neighbours.
    pub(crate) fn ticket(&self, ticket: usize) -> (Range<usize>, usize) {
        let across = self.tickets_across();
        let first = ticket % across * self.units_per_ticket;
        (first..(first + self.units_per_ticket).min(self.units), ticket / across)
    }

    pub(crate) fn rows(&self, block: usize) -> Range<usize> {
        block * self.rows..((block + 1) * self.rows).min(self.shape.len)
    }

    pub(crate) fn unit(&self, unit: usize) -> Unit {
        let (outer, column) = (unit / self.strips, unit % self.strips * self.width);
        Unit {
            start: outer * self.shape.len * self.shape.inner + column,
            width: self.width.min(self.shape.inner - column),
            result: outer * self.shape.inner + column,
        }
    }
}

impl fmt::Display for CpuPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job: CpuJob { kind, shape, segments, bytes, .. }, cut, threads, non_temporal } = self;
        let [input, combined, output] = bytes;
        let what = match kind {
            CpuKind::Scan => "scan",
            CpuKind::Reduction => "reduction",
        };
        let by = match (segments, cut) {
            (CpuSegments::None, Cut::Blocks(_)) => String::new(),
            (CpuSegments::None, Cut::Strips(_)) => " of interleaved lines".to_owned(),
            (CpuSegments::Heads, _) => " of segments by heads".to_owned(),
            (CpuSegments::Offsets(segments), _) => format!(" of {segments} segments"),
        };
        let file = match (kind, segments, cut) {
            (_, _, Cut::Strips(_)) => "columns",
            (CpuKind::Scan, ..) => "chain",
            (CpuKind::Reduction, CpuSegments::None, _) => "totals",
            (CpuKind::Reduction, ..) => "segments",
        };
        writeln!(f, "{what}{by} in one pass over memory (src/cpu/{file}.rs)")?;
        write!(f, "  elements      {} of {input} bytes", shape.outer * shape.len * shape.inner)?;
        if combined != input || output != input {
            write!(f, ", combined as {combined}, stored as {output}")?;
        }
        writeln!(f)?;
        if shape.outer * shape.inner != 1 && *segments == CpuSegments::None {
            writeln!(f, "  lines         {} of {} elements", shape.outer * shape.inner, shape.len)?;
        }
        let done = match (kind, cut) {
            (CpuKind::Reduction, _) => "each reduced",
            (CpuKind::Scan, Cut::Blocks(_)) if *threads == 1 => "each scanned after the one before",
            (CpuKind::Scan, Cut::Strips(strips)) if strips.blocks_per_unit == 1 => "each scanned",
            (CpuKind::Scan, _) => "each reduced, then scanned from the cache",
        };
        match cut {
            Cut::Blocks(blocks) if *kind == CpuKind::Reduction && matches!(segments, CpuSegments::Offsets(_)) => {
                let (count, block) = (blocks.count, blocks.block);
                writeln!(f, "  blocks        {count} of {block} elements and ends of segments, {done}")?;
            }
            Cut::Blocks(blocks) => {
                writeln!(f, "  blocks        {} of {} elements, {done}", blocks.count, blocks.block.min(blocks.line))?;
            }
            Cut::Strips(strips) => {
                let Strips { width, strips, units, rows, blocks_per_unit, units_per_ticket, .. } = strips;
                writeln!(f, "  strips        {strips} of {width} columns, in {} matrices", shape.outer)?;
                writeln!(f, "  blocks        {} of {rows} rows of a strip, {done}", units * blocks_per_unit)?;
                if *units_per_ticket > 1 {
                    writeln!(f, "  together      {units_per_ticket} strips are one thread's turn")?;
                }
            }
        }
        match threads {
            1 => write!(f, "  threads       the calling one")?,
            _ => write!(f, "  threads       {threads} of the pool")?,
        }
        if *kind == CpuKind::Scan {
            write!(f, "\n  stores        {}", if *non_temporal { "non-temporal" } else { "plain" })?;
        }
        Ok(())
    }
}
