//! Reduce on the CPU: the cases of a job.

use super::blocks::Tuning;
use super::columns;
use super::heads::{self, ByTest};
use super::results::Results;
use super::run::Memory;
use super::segments;
use super::totals;
use crate::buffer::ViewMut;
use crate::error::{Error, Result};
use crate::job::{Elements, Job};
use crate::segments::{Kind, SegmentKind, Segmentation};
use crate::steps::Steps;
use std::ops::Range;

// Inlined, so that the job stays in registers.
#[inline(always)]
pub(crate) fn run<S: Steps, G: Segmentation>(job: Job<'_, S, G>, count: Option<ViewMut<'_, u64>>) -> Result<()> {
    run_tuned(job, count, Tuning::of::<S>())
}

/// [`run`] with the sizes that tests change.
#[inline(always)]
pub(super) fn run_tuned<S: Steps, G: Segmentation>(
    job: Job<'_, S, G>,
    count: Option<ViewMut<'_, u64>>,
    tuning: Tuning,
) -> Result<()> {
    let Job { input, output, shape, init, segments, steps } = job;
    let (output, outputs) = output.on_host()?;
    let Elements::Buffer(input) = input else {
        let reason = "a reduction has fewer results than elements: give it an output of its own";
        return Err(Error::Options { options: "a reduction in place", reason });
    };
    let input = input.on_host("input")?;
    let count = count.map(|count| count.into_host("count")).transpose()?;
    let init = init.on_host()?.map(|value| steps.given(value));
    let empty = init.or(steps.identity());
    let len = input.len();
    let memory = Memory { input: input.as_ptr(), output, len, reverse: false };
    let results = Results { steps, memory, init, empty, results: outputs, tuning };
    // Each arm is compiled for its own segmentation alone: the compiler drops what a constant condition excludes.
    let segments = match segments {
        SegmentKind::Whole if const { Kind::may_be(G::KIND, Kind::Whole) } => {
            results.expect(shape.lines(), true)?;
            if shape.len == 0 && shape.lines() > 0 {
                results.store_empty(0..shape.lines())?;
            } else if shape.inner > 1 && shape.lines() > 0 {
                // SAFETY: the memory is the job's: the shape's product is the input's length, and the output has an
                // element a line.
                unsafe { columns::reduce(&results, shape)? };
            } else if shape.lines() > 0 {
                // SAFETY: as above.
                unsafe { totals::reduce(&results, shape.len)? };
            }
            shape.lines()
        }
        SegmentKind::Offsets(view) if const { Kind::may_be(G::KIND, Kind::Offsets) } => {
            let offsets = view.on_host("offsets")?;
            heads::check_offsets(offsets, len)?;
            let segments = offsets.len().saturating_sub(1);
            results.expect(segments, true)?;
            if segments > 0 {
                results.expect_empty()?;
            }
            // SAFETY: the memory is the job's, the offsets are checked, and the output has an element a segment.
            unsafe { segments::by_offsets(&results, offsets)? };
            segments
        }
        SegmentKind::HeadFlags(view) if const { Kind::may_be(G::KIND, Kind::HeadFlags) } => {
            by_test(&results, &heads::by_flags(view.on_host("head flags")?, false))?
        }
        SegmentKind::Keys(view, same) if const { Kind::may_be(G::KIND, Kind::Keys) } => {
            by_test(&results, &heads::by_keys(view.on_host("keys")?, same, false))?
        }
        _ => return Err(Kind::contradicts()),
    };
    if let Some([count, ..]) = count {
        *count = segments as u64;
    }
    Ok(())
}

fn by_test<S: Steps, F: Fn(Range<usize>) -> usize + Sync>(results: &Results<S>, heads: &ByTest<F>) -> Result<usize> {
    if results.memory.len == 0 {
        return Ok(0);
    }
    // SAFETY: the memory is the job's, and the flags or keys are as many as the elements.
    let segments = unsafe { segments::by_heads(results, heads)? };
    results.expect(segments, false)?;
    Ok(segments)
}
