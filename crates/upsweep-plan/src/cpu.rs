//! What a scan or a reduction does on the CPU: its blocks, threads and stores. The backend runs this plan.

mod blocks;
mod print;
mod strips;

pub use self::blocks::Blocks;
pub use self::strips::Strips;
pub use self::strips::{STRIP_BYTES, Unit};
use upsweep_core::segments::CpuSegments;
use upsweep_core::shape::Shape;

/// The larger of a block's input and its output, in bytes. A block is read twice, once from a core's second-level cache,
/// where the next block arrives meanwhile; these have 256 KiB or more.
const BLOCK_BYTES: usize = 128 << 10;
/// The bytes below which the calling thread does everything: waking another costs microseconds.
pub const PARALLEL_FROM_BYTES: usize = 2 << 20;
/// The bytes of output from which stores are non-temporal: what is smaller may be read again soon.
pub const NON_TEMPORAL_FROM_BYTES: usize = 32 << 20;

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuKind {
    /// A result for each element.
    Scan,
    /// A result for each line or segment.
    Reduction,
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
pub struct Limits {
    /// The elements of a block. They decide the grouping, so they depend on the types alone.
    pub block: usize,
    /// The elements below which the calling thread does everything.
    pub parallel_from: usize,
    /// The bytes of output from which stores are non-temporal.
    pub non_temporal_from: usize,
}

impl Limits {
    #[inline(always)]
    pub fn of([input, _, output]: [usize; 3]) -> Self {
        let size = input.max(output).max(1);
        Self {
            block: (BLOCK_BYTES / size).max(1),
            parallel_from: PARALLEL_FROM_BYTES / size,
            non_temporal_from: NON_TEMPORAL_FROM_BYTES,
        }
    }
}

/// Sizes that decide how an array is sorted. Tests make them small.
#[derive(Clone, Copy, Debug)]
pub struct SortLimits {
    /// The elements below which comparisons sort.
    pub compare_below: usize,
    /// The elements of the longest parts that a network sorts, beside others.
    pub network: usize,
    /// The bytes of keys and values that one thread sorts in its core's second-level cache, with memory for as many beside them.
    pub cached: usize,
    /// The bytes below which the calling thread does everything.
    pub parallel_from: usize,
    /// The bytes of output from which stores are non-temporal.
    pub non_temporal_from: usize,
    /// Threads that share the work otherwise.
    pub threads: usize,
}

impl SortLimits {
    /// Those of the current rayon pool.
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
    /// What it was made for.
    pub job: CpuJob,
    /// What each ticket of the chain is (`upsweep-cpu/src/engine/chain.rs`).
    pub cut: Cut,
    /// The threads that share the work; with one, it is the calling one.
    pub threads: usize,
    /// Whether results are stored past the cache.
    pub non_temporal: bool,
}

/// The threads of the current rayon pool that have something to do. Compiled once, not for each job.
#[inline(never)]
fn threads_for(tickets: usize) -> usize {
    rayon::current_num_threads().min(tickets).max(1)
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
    #[cfg_attr(not(feature = "small-loops"), inline(always))]
    #[cfg_attr(feature = "small-loops", inline(never))]
    pub fn within(job: CpuJob, limits: Limits) -> Self {
        let CpuJob { kind, shape, segments, bytes: [.., output], in_place } = job;
        let len = shape.elements();
        let (steps, line) = match (segments, kind) {
            (CpuSegments::None, _) => (len, shape.len),
            (CpuSegments::Offsets(segments), CpuKind::Reduction) => {
                (len.saturating_add(segments), len.saturating_add(segments))
            }
            _ => (len, len),
        };
        let (cut, tickets) = if segments == CpuSegments::None && shape.inner > 1 {
            let strips = Strips::new(shape, job.bytes, limits.block);
            (Cut::Strips(strips), strips.tickets())
        } else {
            let blocks = Blocks::new(steps, line, limits.block);
            (Cut::Blocks(blocks), blocks.count())
        };
        let threads = if steps < limits.parallel_from { 1 } else { threads_for(tickets) };
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
