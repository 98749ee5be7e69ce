//! Reduce on the CPU: the cases of a job.

use super::columns;
use super::engine::results::Results;
use super::engine::segment_heads::{self, ByTest, first};
use super::engine::segments;
use super::engine::totals;
use super::tile::run::Memory;
use crate::buffer::ViewMut;
use crate::error::{Error, Result};
use crate::inputs::{Faults, Read, len_on_host};
use crate::job::{Elements, Job};
use crate::outputs::Write;
use crate::plan::cpu::{Blocks, CpuJob, CpuKind, CpuPlan, CpuSegments, Cut, Limits};
use crate::segments::{Kind, SegmentKind, Segmentation};
use crate::steps::{Held, Steps};
use std::ops::Range;

// Inlined, so that the job stays in registers; but a function of its own, compiled once for several inputs, in builds with debug assertions.
#[cfg_attr(not(debug_assertions), inline(always))]
#[cfg_attr(debug_assertions, inline(never))]
pub(crate) fn run<S: Steps, G: Segmentation>(
    job: Job<'_, '_, '_, S, G>,
    count: Option<ViewMut<'_, u64>>,
) -> Result<()> {
    run_within(job, count, Limits::of(S::BYTES))
}

/// [`run`] with the sizes that tests change.
#[inline(always)]
pub(super) fn run_within<S: Steps, G: Segmentation>(
    job: Job<'_, '_, '_, S, G>,
    count: Option<ViewMut<'_, u64>>,
    limits: Limits,
) -> Result<()> {
    Held::nothing().add_all::<S, G>(&job.steps, job.segments.same().as_ref())?;
    let Job { input, output, shape, init, segments, steps } = job;
    let faults = Faults::default();
    let outputs = S::Out::len(&output, "output")?.unwrap_or(usize::MAX);
    let sink = S::Out::place(&output, "output", &faults)?;
    let Elements::Given(input) = input else {
        let reason = "a reduction has fewer results than elements: give it an output of its own";
        return Err(Error::Options { options: "a reduction in place", reason });
    };
    let mut shape = shape;
    if S::In::COUNTED {
        shape.len = len_on_host::<S::In>(&input, shape.len)?;
    }
    let input = S::In::place(&input, "input", &faults)?;
    let count = count.map(|count| count.into_host("count")).transpose()?;
    let init = init.on_host()?.map(|value| steps.given(value));
    let empty = init.or(steps.identity());
    let len = shape.lines() * shape.len;
    let memory = Memory { input, sink, output: S::Out::start(&sink), len, reverse: false };
    let planned = match &segments {
        SegmentKind::Whole => CpuSegments::None,
        SegmentKind::Offsets(offsets) => CpuSegments::Offsets(offsets.len().saturating_sub(1)),
        SegmentKind::HeadFlags(_) | SegmentKind::Keys(..) => CpuSegments::Heads,
    };
    let job = CpuJob { kind: CpuKind::Reduction, shape, segments: planned, bytes: S::BYTES, in_place: false };
    let plan = CpuPlan::within(job, limits);
    let results = Results { steps, memory, init, empty, results: outputs, threads: plan.threads };
    // Each arm is compiled for its own segmentation alone: the compiler drops what a constant condition excludes.
    // SAFETY: the memory is the job's, which borrows it for this call; the plan is of its shape. The builder has checked
    // that there is a result for each line or offset.
    let segments = unsafe {
        match (segments, &plan.cut) {
            (SegmentKind::Whole, _) if len == 0 => {
                results.store_empty(0..shape.lines());
                shape.lines()
            }
            (SegmentKind::Whole, Cut::Strips(strips)) if const { Kind::may_be(G::KIND, Kind::Whole) } => {
                columns::reduce(&results, strips)?;
                shape.lines()
            }
            (SegmentKind::Whole, Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Whole) } => {
                totals::reduce(&results, shape.len, blocks)?;
                shape.lines()
            }
            (SegmentKind::Offsets(view), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Offsets) } => {
                let offsets = view.on_host("offsets")?;
                segment_heads::check_offsets(offsets, len)?;
                segments::by_offsets(&results, offsets, blocks)?;
                offsets.len().saturating_sub(1)
            }
            (SegmentKind::HeadFlags(view), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::HeadFlags) } => {
                by_test(&results, &segment_heads::by_flags(first(view.on_host("head flags")?, len), false), blocks)?
            }
            (SegmentKind::Keys(view, same), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Keys) } => {
                by_test(&results, &segment_heads::by_keys(first(view.on_host("keys")?, len), same, false), blocks)?
            }
            _ => return Err(Kind::contradicts()),
        }
    };
    faults.check()?;
    if let Some([count, ..]) = count {
        *count = segments as u64;
    }
    Ok(())
}

/// # Safety
/// The memory is valid and used by nothing else, as long as `heads`, and cut into `blocks`.
unsafe fn by_test<S, F>(results: &Results<S>, heads: &ByTest<F>, blocks: &Blocks) -> Result<usize>
where
    S: Steps,
    F: Fn(Range<usize>) -> usize + Sync,
{
    // SAFETY: the caller's promise.
    let segments = unsafe { segments::by_heads(results, heads, blocks)? };
    results.expect_room(segments)?;
    Ok(segments)
}
