//! Reduce on the CPU: the cases of a job.

use super::blocks::Tuning;
use super::columns;
use super::heads::{self, ByTest};
use super::segments;
use super::steps::{Memory, Parts, Steps};
use super::totals;
use crate::job::{Job, Source};
use crate::operator::{Element, Function, Map, Operator};
use crate::segments::{Kind, SegmentKind, Segmentation};
use crate::{Error, Result, ViewMut};
use std::marker::PhantomData;
use std::ops::Range;

// Inlined, so that the job stays in registers.
#[inline(always)]
pub(crate) fn run<I, O, Op, M, F, S>(
    job: Job<'_, I, M::Output, O, Op, M, F, S>,
    count: Option<ViewMut<'_, u64>>,
) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    run_tuned(job, count, Tuning::of::<Parts<I, O, Op, M, F>>())
}

/// [`run`] with the sizes that tests change.
#[inline(always)]
pub(super) fn run_tuned<I, O, Op, M, F, S>(
    job: Job<'_, I, M::Output, O, Op, M, F, S>,
    count: Option<ViewMut<'_, u64>>,
    tuning: Tuning,
) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    let Job { input, output, shape, init, segments, operator, map, finish } = job;
    let (output, results) = output.on_host()?;
    let Source::Buffer(input) = input else {
        let reason = "a reduction has fewer results than elements: give it an output of its own";
        return Err(Error::Options { options: "a reduction in place", reason });
    };
    let input = input.on_host("input")?;
    let count = match count {
        None => None,
        Some(ViewMut::Host([first, ..])) => Some(first),
        Some(ViewMut::Host([])) => return Err(Error::Length { what: "count", found: 0, expected: 1 }),
        #[cfg(feature = "cuda")]
        Some(ViewMut::Cuda(_)) => return Err(Error::Place { what: "count", found: "CUDA", expected: "host" }),
    };
    let init = init.on_host()?;
    let empty = init.or(operator.identity());
    let len = input.len();
    let steps = Parts { operator, map, finish, types: PhantomData };
    let memory = Memory { input: input.as_ptr(), output, len, reverse: false };
    let reduce = Reduce { steps, memory, init, empty, results, tuning };
    // Each arm is compiled for its own segmentation alone: the compiler drops what a constant condition excludes.
    let segments = match segments {
        SegmentKind::Whole if const { Kind::may_be(S::KIND, Kind::Whole) } => {
            reduce.expect(shape.lines(), true)?;
            if shape.len == 0 && shape.lines() > 0 {
                reduce.store_empty(0..shape.lines())?;
            } else if shape.inner > 1 && shape.lines() > 0 {
                // SAFETY: the memory is the job's: the shape's product is the input's length, and the output has an
                // element a line.
                unsafe { columns::reduce(&reduce, shape)? };
            } else if shape.lines() > 0 {
                // SAFETY: as above.
                unsafe { totals::reduce(&reduce, shape.len)? };
            }
            shape.lines()
        }
        SegmentKind::Offsets(view) if const { Kind::may_be(S::KIND, Kind::Offsets) } => {
            let offsets = view.on_host("offsets")?;
            heads::check_offsets(offsets, len)?;
            let segments = offsets.len().saturating_sub(1);
            reduce.expect(segments, true)?;
            if segments > 0 {
                reduce.expect_empty()?;
            }
            // SAFETY: the memory is the job's, the offsets are checked, and the output has an element a segment.
            unsafe { segments::by_offsets(&reduce, offsets)? };
            segments
        }
        SegmentKind::HeadFlags(view) if const { Kind::may_be(S::KIND, Kind::HeadFlags) } => {
            reduce.by_test(&heads::by_flags(view.on_host("head flags")?, false))?
        }
        SegmentKind::Keys(view, same) if const { Kind::may_be(S::KIND, Kind::Keys) } => {
            reduce.by_test(&heads::by_keys(view.on_host("keys")?, same, false))?
        }
        _ => return Err(Kind::contradicts()),
    };
    if let Some(count) = count {
        *count = segments as u64;
    }
    Ok(())
}

/// A reduction without its cases.
pub(super) struct Reduce<S: Steps> {
    pub(super) steps: S,
    /// `output` has `results` elements.
    pub(super) memory: Memory<S::In, S::Out>,
    pub(super) init: Option<S::Acc>,
    /// What nothing reduces to.
    empty: Option<S::Acc>,
    pub(super) results: usize,
    pub(super) tuning: Tuning,
}

impl<S: Steps> Reduce<S> {
    /// Checks that there is room for `expected` results, or exactly that.
    pub(super) fn expect(&self, expected: usize, exact: bool) -> Result<()> {
        let found = self.results;
        if found < expected || (exact && found != expected) {
            return Err(Error::Length { what: "output", found, expected });
        }
        Ok(())
    }

    /// Stores the result `value`, after the initial value, as number `index`. Without a value it is that of nothing.
    ///
    /// # Safety
    /// `index` is less than the number of results, and nothing else accesses that result meanwhile.
    #[inline(always)]
    pub(super) unsafe fn store(&self, index: usize, value: Option<S::Acc>) {
        let value = match value {
            Some(value) => Some(self.init.map_or(value, |init| self.steps.combine(init, value))),
            None => self.empty,
        };
        if let Some(value) = value {
            // SAFETY: the caller's promise.
            unsafe { self.memory.output.add(index).write(self.steps.store(value)) };
        }
    }

    /// Checks that nothing reduces to something.
    fn expect_empty(&self) -> Result<()> {
        if self.empty.is_none() {
            let operator = std::any::type_name::<S>();
            return Err(Error::NoIdentity { operator, needed_by: "a reduction of what may be empty" });
        }
        Ok(())
    }

    fn store_empty(&self, indices: Range<usize>) -> Result<()> {
        self.expect_empty()?;
        for index in indices {
            // SAFETY: the indices are those of results, and this thread alone works.
            unsafe { self.store(index, None) };
        }
        Ok(())
    }

    fn by_test<F: Fn(Range<usize>) -> usize + Sync>(&self, heads: &ByTest<F>) -> Result<usize> {
        if self.memory.len == 0 {
            return Ok(0);
        }
        // SAFETY: the memory is the job's, and the flags or keys are as many as the elements.
        let segments = unsafe { segments::by_heads(self, heads)? };
        self.expect(segments, false)?;
        Ok(segments)
    }
}
