//! Scan of whole groups of the [tree](upsweep_core::tree), in registers.
//!
//! The rows of a group are scanned together with the last steps of the group before: see [`group`](super::group). Results
//! of large arrays are staged in the first-level cache, and go to memory by non-temporal stores.

use super::group::{Bases, Columns, Entered, Enters, Head, Kernel, Leaves};
use super::lanes::{Lanes, ROW_BYTES, Work};
use super::run::{Memory, Run, Storing};
use super::store::{Ahead, StreamingCopy};
use super::sweep::Buffer;
use super::windows::fetch_near;
use upsweep_core::inputs::Read;
use upsweep_core::steps::{Out, Steps};
use upsweep_core::tree::{GROUPS, ROWS};

/// Bytes of the results that are staged before they go to memory by non-temporal stores.
const STAGE_BYTES: usize = 12 << 10;
/// Number of groups between the one that is scanned and the one whose lines are prefetched.
const GROUPS_AHEAD: usize = 4;
/// Bytes of the results from which they are not in a cache.
const FETCHED_FROM_BYTES: usize = 1 << 20;

/// Scan of `run`, whole groups of one tile, of which the first begins at a multiple of a group's elements. Returns the
/// chain of the groups after it. Without `STORES` there are no results, and only `bases.groups` counts.
///
/// # Safety
/// The run is in `memory` and not empty. Nothing else writes its input, or uses its output if there are results, until
/// `store::fence`.
pub(super) struct ScanGroups<'a, S: Steps, const STORES: bool> {
    pub(super) steps: &'a S,
    pub(super) memory: &'a Memory<S::In, S::Out>,
    pub(super) run: Run,
    pub(super) bases: Bases<S::Acc>,
    pub(super) head: Option<Head<S::Acc>>,
    pub(super) storing: &'a Storing<S::Acc>,
}

impl<S: Steps, const STORES: bool> Work for ScanGroups<'_, S, STORES> {
    type Result = S::Acc;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> S::Acc {
        // SAFETY: the run is in the memory, and the processor has the instructions of `L`.
        unsafe { if STORES { self.scan::<L>() } else { self.total::<L>() } }
    }
}

impl<S: Steps, const STORES: bool> ScanGroups<'_, S, STORES> {
    /// Returns the chain of the groups after the run.
    ///
    /// # Safety
    /// The conditions of the type hold, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn total<L: Lanes>(self) -> S::Acc {
        let Self { steps, memory, run, bases, mut head, .. } = self;
        let len = ROWS * steps.tree().0;
        let mut groups = bases.groups;
        let kernel = Kernel { steps, memory, origin: run.origin, exclusive: false };
        for k in (run.start..run.start + run.len).step_by(len) {
            let at = memory.lowest(&(k..k + len));
            // The rows of a group are read at once: each would wait for the second-level cache.
            let (this, size) = S::In::address(&memory.input, at);
            let ahead =
                if memory.reverse { this.wrapping_sub(2 * len * size) } else { this.wrapping_add(2 * len * size) };
            for line in (0..len * size).step_by(ROW_BYTES) {
                fetch_near(ahead.wrapping_add(line));
            }
            // SAFETY: the group is in the run.
            unsafe {
                let enters = Enters { at, head: head.take(), columns: None };
                groups = steps.combine(groups, kernel.columns::<L>(Some(enters), None).total);
            }
        }
        groups
    }

    /// Scans the run in parts whose results fit the stage.
    ///
    /// # Safety
    /// The conditions of the type hold, and the processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn scan<L: Lanes>(self) -> S::Acc {
        let Self { steps, memory, run, mut bases, mut head, storing } = self;
        // Local copies, which no store of a result can change.
        let (steps, memory) = (&{ *steps }, &{ *memory });
        let mut stage = Buffer::<STAGE_BYTES>::new();
        let len = ROWS * steps.tree().0;
        let staged = (STAGE_BYTES / (len * size_of::<Out<S>>()).max(1)).min(GROUPS);
        let streams = storing.non_temporal && staged > 0;
        let part = len * if streams { staged } else { GROUPS };
        let mut ahead = Ahead::of_scan(memory, run, storing);
        let end = run.start + run.len;
        for start in (run.start..end).step_by(part) {
            let run = Run { start, len: part.min(end - start), origin: run.origin };
            let first = memory.lowest(&(start..start + run.len));
            // SAFETY: the part is in the run, and the stage has room for its results.
            unsafe {
                let output = memory.output.add(first);
                let kernel = Kernel { steps, memory, origin: run.origin, exclusive: storing.exclusive };
                let part = Part { kernel, first, count: run.len / len, head: head.take() };
                if streams {
                    let stage = stage.start::<Out<S>>();
                    let bytes = run.len * size_of::<Out<S>>();
                    let mut copy = StreamingCopy::<L>::new(stage.cast_const().cast(), output.cast(), bytes);
                    // Copies earlier groups only: results of this group have not reached the cache yet.
                    let copied = |done| copy.copy(done * size_of::<Out<S>>(), memory.reverse);
                    bases.groups = part.scan::<false, L>(bases, stage, &mut ahead, copied);
                    copy.finish(memory.reverse);
                } else {
                    bases.groups = part.scan::<true, L>(bases, output, &mut ahead, |_| {});
                }
            }
        }
        bases.groups
    }
}

/// Neighbouring groups.
struct Part<'a, S: Steps> {
    kernel: Kernel<'a, S>,
    /// Lowest index in memory.
    first: usize,
    /// Number of groups.
    count: usize,
    head: Option<Head<S::Acc>>,
}

impl<S: Steps> Part<'_, S> {
    /// Scans the groups, stores the results to `to`, and returns the chain of the groups after them. `stored` is called
    /// after each group, with the number of results that earlier groups have stored. `DIRECT`: whether `to` is in the
    /// output, not in a stage.
    ///
    /// # Safety
    /// The groups are in the memory, there is one at least, and `to` has room for their results. Nothing else writes
    /// their elements. The processor has the instructions of `L`.
    #[inline(always)]
    unsafe fn scan<const DIRECT: bool, L: Lanes>(
        self,
        mut bases: Bases<S::Acc>,
        to: *mut Out<S>,
        ahead: &mut Ahead,
        mut stored: impl FnMut(usize),
    ) -> S::Acc {
        let Self { kernel, first, count, head } = self;
        let Kernel { steps, memory, exclusive, .. } = kernel;
        let len = ROWS * steps.tree().0;
        let (input, size) = S::In::address(&memory.input, first);
        // The hardware prefetcher does not see a descending stream in lines that are read and written eight at a time.
        let fetches = const { DIRECT } && memory.reverse && memory.len * size_of::<Out<S>>() >= FETCHED_FROM_BYTES;
        let mut columns = [Columns::<L>::new(), Columns::<L>::new()];
        let [even, odd] = &mut columns;
        let [mut this, mut next] = [even.start(), odd.start()];
        // Offset of a group from `first`.
        let at = |group: usize| len * if memory.reverse { count - 1 - group } else { group };
        // SAFETY: the groups are in the part, and `to` has room for their results.
        unsafe {
            let enters = Enters { at: first + at(0), head, columns: Some(this) };
            let mut entered = kernel.columns::<L>(Some(enters), None);
            for group in 0..count {
                let Entered { rows, total } = entered;
                if fetches {
                    let far = (GROUPS_AHEAD * len).wrapping_sub(at(group));
                    let input = input.wrapping_sub(far.wrapping_mul(size));
                    let output = to.cast_const().wrapping_sub(far).cast::<u8>();
                    for line in (0..len * size).step_by(ROW_BYTES) {
                        fetch_near(input.wrapping_add(line));
                    }
                    for line in (0..len * size_of::<Out<S>>()).step_by(ROW_BYTES) {
                        fetch_near(output.wrapping_add(line));
                    }
                }
                let leaves = Leaves { columns: this, rows, bases, to: to.add(at(group)) };
                if group + 1 < count {
                    let enters = Enters { at: first + at(group + 1), head: None, columns: Some(next) };
                    entered = kernel.columns::<L>(Some(enters), Some(leaves));
                } else {
                    kernel.columns::<L>(None, Some(leaves));
                }
                if group == 0
                    && exclusive
                    && let Some(head) = head
                {
                    let last = if memory.reverse { len - 1 } else { 0 };
                    to.add(at(0) + last).write(steps.store(head.before));
                }
                bases.groups = steps.combine(bases.groups, total);
                (this, next) = (next, this);
                ahead.fetch(len * size);
                stored(group * len);
            }
        }
        bases.groups
    }
}
