//! Plans of scans and reductions on the CPU: blocks, threads and stores. The backend runs them.

mod blocks;
mod print;
mod strips;

pub use self::blocks::Blocks;
pub use self::strips::Strips;
pub use self::strips::{STRIP_BYTES, Unit};
use upsweep_core::segments::CpuSegments;
use upsweep_core::shape::{Pitch, Shape};

/// Bytes of a block (the elements that a thread processes at once): of its input or its output, whichever is larger. A
/// block is read twice, the second time from a core's second-level cache, into which the next block is fetched
/// meanwhile; such caches have 256 KiB or more.
const BLOCK_BYTES: usize = 128 << 10;
/// Bytes of the input or output, whichever is larger, below which the calling thread does everything: waking another
/// thread costs microseconds.
pub const PARALLEL_FROM_BYTES: usize = 2 << 20;
/// Bytes of output from which stores are non-temporal: smaller outputs may be read again soon.
pub const NON_TEMPORAL_FROM_BYTES: usize = 32 << 20;

/// Largest number of tiles of a block, if it consists of tiles: of 96 KiB of elements, which are whole windows of
/// prefetched pages.
pub const MOST_TILES: usize = 8;

/// Kind of computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuKind {
    /// A result for each element.
    Scan,
    /// A result for each line or segment.
    Reduction,
}

/// Parameters of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuJob {
    /// Kind of computation.
    pub kind: CpuKind,
    /// Shape of the array along the axis.
    pub shape: Shape,
    /// Kind of segments.
    pub segments: CpuSegments,
    /// Bytes of an element, of a combined value, and of a result.
    pub bytes: [usize; 3],
    /// Number of elements of a tile of a scan, or of a chunk of a reduction, if the blocks of an array or line consist of
    /// whole ones; else 1. Blocks of a reduction are subtrees: a power of two of chunks.
    pub tile: usize,
    /// Whether the results replace the elements.
    pub in_place: bool,
    /// Gaps behind the rows of the last axis, which is not the one of the shape. The shape's `inner` counts them.
    pub pitch: Option<Pitch>,
}

/// Sizes that decide how a job is cut and run. Tests make them small.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of elements of a block. It decides the grouping of elements, so it depends on the types alone.
    pub block: usize,
    /// Number of tiles of a block, if it consists of tiles ([`CpuJob::tile`]): at most [`MOST_TILES`]. The grouping of
    /// elements does not depend on it.
    pub tiles: usize,
    /// Number of elements below which the calling thread does everything.
    pub parallel_from: usize,
    /// Bytes of output from which stores are non-temporal.
    pub non_temporal_from: usize,
}

impl Limits {
    #[inline(always)]
    pub fn of([input, _, output]: [usize; 3]) -> Self {
        let size = input.max(output).max(1);
        Self {
            block: (BLOCK_BYTES / size).max(1),
            tiles: MOST_TILES,
            parallel_from: PARALLEL_FROM_BYTES / size,
            non_temporal_from: NON_TEMPORAL_FROM_BYTES,
        }
    }
}

/// Sizes that decide how an array is sorted. Tests make them small.
#[derive(Clone, Copy, Debug)]
pub struct SortLimits {
    /// Number of elements below which an array is sorted by comparisons.
    pub compare_below: usize,
    /// Largest number of elements of a part of an array (such as a row or segment) that a sorting network sorts, side
    /// by side with other parts.
    pub network: usize,
    /// Bytes of keys and values that one thread sorts in its core's second-level cache, together with as much scratch
    /// memory.
    pub cached: usize,
    /// Bytes of keys and values below which the calling thread does everything.
    pub parallel_from: usize,
    /// Bytes of output from which stores are non-temporal.
    pub non_temporal_from: usize,
    /// Number of threads that share the work of an array that is not below `parallel_from`.
    pub threads: usize,
}

impl SortLimits {
    /// Returns the limits for the current rayon pool.
    pub fn new() -> Self {
        Self {
            compare_below: 200,
            network: 256,
            cached: 256 << 10,
            parallel_from: PARALLEL_FROM_BYTES,
            non_temporal_from: NON_TEMPORAL_FROM_BYTES,
            threads: rayon::current_num_threads(),
        }
    }
}

/// A planned scan or reduction on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuPlan {
    /// Parameters that the plan was made for.
    pub job: CpuJob,
    /// Cut of the array into tickets, the pieces of work that threads take in order
    /// (`upsweep-cpu/src/engine/chain.rs`).
    pub cut: Cut,
    /// Number of threads that share the work; a single thread is the calling one.
    pub threads: usize,
    /// Whether stores are non-temporal, past the cache.
    pub non_temporal: bool,
}

/// Returns the number of threads of the current rayon pool that have work, for a number of tickets (the pieces of work
/// that threads take). Compiled once, not for each job.
#[inline(never)]
fn threads_for(tickets: usize) -> usize {
    rayon::current_num_threads().min(tickets).max(1)
}

/// Cut of an array into pieces of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Blocks of neighbouring elements.
    Blocks(Blocks),
    /// Strips of columns, cut into blocks of rows, for lines along another axis than the last.
    Strips(Strips),
}

impl CpuPlan {
    /// Plans a job for the threads of the current rayon pool.
    #[must_use]
    #[inline]
    pub fn new(job: CpuJob) -> Self {
        Self::within(job, Limits::of(job.bytes))
    }

    /// Plans a job as [`new`](Self::new) does, with limits that tests change.
    #[cfg_attr(not(feature = "small-loops"), inline(always))]
    #[cfg_attr(feature = "small-loops", inline(never))]
    pub fn within(job: CpuJob, limits: Limits) -> Self {
        let CpuJob { kind, shape, segments, bytes: [.., output], tile, in_place, .. } = job;
        let len = shape.elements();
        let (steps, line) = match (segments, kind) {
            (CpuSegments::None, _) => (len, shape.len),
            (CpuSegments::Offsets(segments), CpuKind::Reduction) => {
                (len.saturating_add(segments), len.saturating_add(segments))
            }
            _ => (len, len),
        };
        let (cut, tickets) = if segments == CpuSegments::None && shape.inner > 1 {
            let strips = Strips::new(shape, job.bytes, limits.block, kind == CpuKind::Reduction, job.pitch);
            (Cut::Strips(strips), strips.tickets())
        } else {
            let block = match (kind, segments) {
                _ if tile <= 1 => limits.block,
                (CpuKind::Scan, _) => limits.tiles * tile,
                (CpuKind::Reduction, CpuSegments::None) => tile << (limits.block / tile).max(1).ilog2(),
                (CpuKind::Reduction, _) => limits.block,
            };
            let blocks = Blocks::new(steps, line, block);
            (Cut::Blocks(blocks), blocks.count())
        };
        let threads = if steps < limits.parallel_from { 1 } else { threads_for(tickets) };
        Self {
            job,
            cut,
            threads,
            non_temporal: cfg!(target_arch = "x86_64")
                && kind == CpuKind::Scan
                // In place, the cache lines that are written are in the cache already.
                && !in_place
                && len.saturating_mul(output) >= limits.non_temporal_from,
        }
    }
}
