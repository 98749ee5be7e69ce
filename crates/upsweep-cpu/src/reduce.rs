//! Reduction on the CPU: dispatch of a job by its segments and its plan.

use super::columns;
use super::engine::part::Part;
use super::engine::placed::{Placed, placed};
use super::engine::results::Results;
use super::engine::segment_heads::{self, ByTest, first};
use super::engine::segments;
use super::engine::totals;
use super::tile::body::{Body, bits};
#[cfg(feature = "small-loops")]
use super::tile::erased;
use super::tile::run::Memory;
use std::ops::Range;
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::carry::Carried;
use upsweep_core::call::{Elements, Job};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Faults;
use upsweep_core::lanes;
use upsweep_core::outputs::Write;
use upsweep_core::segments::{CpuSegments, Kind, SegmentKind, Segmentation, Whole, check_offsets};
use upsweep_core::shape::{Pitch, Shape};
use upsweep_core::steps::{Held, JobSteps, Steps};
use upsweep_plan::cpu::{Blocks, CpuJob, CpuKind, CpuPlan, Cut, Limits};

// Inlined, so that the job stays in registers. With `small-loops` it is a function of its own, compiled once for
// several inputs.
#[cfg_attr(not(feature = "small-loops"), inline(always))]
#[cfg_attr(feature = "small-loops", inline(never))]
pub fn run<S: JobSteps, G: Segmentation>(job: Job<'_, '_, '_, S, G>, count: Option<ViewMut<'_, u64>>) -> Result<()> {
    run_within(job, count, Limits::of(S::BYTES))
}

/// Reduces along an axis that is not the last one of an array whose rows have a `pitch`, which the `inner` of the shape
/// counts.
pub fn run_with_pitch<S: JobSteps>(job: Job<'_, '_, '_, S, Whole>, pitch: Pitch) -> Result<()> {
    run_as(job, None, Limits::of(S::BYTES), Some(pitch))
}

/// [`run`] with explicit limits, which tests change.
#[inline(always)]
pub(super) fn run_within<S: JobSteps, G: Segmentation>(
    job: Job<'_, '_, '_, S, G>,
    count: Option<ViewMut<'_, u64>>,
    limits: Limits,
) -> Result<()> {
    run_as(job, count, limits, None)
}

/// Runs with explicit limits, and with gaps behind the rows of the last axis.
#[inline(always)]
fn run_as<S: JobSteps, G: Segmentation>(
    job: Job<'_, '_, '_, S, G>,
    count: Option<ViewMut<'_, u64>>,
    limits: Limits,
    pitch: Option<Pitch>,
) -> Result<()> {
    Held::nothing().add_all::<S, G>(&job.steps, job.segments.same().as_ref())?;
    let Job { input, output, shape, init, segments, steps } = job;
    let faults = Faults::default();
    if matches!(input, Elements::OfOutput) {
        let reason = "a reduction has fewer results than elements: give it an output of its own";
        return Err(Error::Options { options: "a reduction in place", reason });
    }
    let outputs = S::Out::len(&output, "output")?.unwrap_or(usize::MAX);
    let Placed { memory, shape, init } =
        placed::<S::In, S::Out, S::Given>(&input, &output, shape, &init, false, &faults)?;
    let count = count.map(|count| count.into_host("count")).transpose()?;
    let init = init.map(|value| steps.given(value));
    let empty = init.or(steps.identity());
    let segments_by = segments.untyped().planned();
    let job = CpuJob {
        kind: CpuKind::Reduction,
        shape,
        segments: segments_by,
        bytes: S::BYTES,
        tile: const { lanes::chunk_len(S::TREE, S::BYTES) },
        in_place: false,
        pitch,
    };
    let plan = CpuPlan::within(job, limits);
    let reduce = ReduceMemory::<S, G> { init, empty, results: outputs, segments, plan: &plan, shape };
    // SAFETY: the job borrows its memory for this call; the plan was made for its shape. The builder has checked that
    // there is a result for each line or offset.
    #[cfg(not(feature = "small-loops"))]
    let segments = unsafe { reduce.run(steps, memory)? };
    // Type-erased loops, compiled once for many jobs.
    #[cfg(feature = "small-loops")]
    // SAFETY: the job borrows its memory for this call; the plan was made for its shape. The builder has checked that
    // there is a result for each line or offset.
    let segments = unsafe { erased::call(steps, memory, reduce)? };
    faults.check()?;
    if let Some([count, ..]) = count {
        *count = segments as u64;
    }
    Ok(())
}

/// Reduction of a job's memory. Returns the number of segments or lines.
///
/// # Safety
/// The memory is valid and used by nothing else; the plan was made for its shape; there is a result for each line or
/// offset.
struct ReduceMemory<'a, 'b, S: Steps, G: Segmentation> {
    init: Option<S::Acc>,
    empty: Option<S::Acc>,
    results: usize,
    segments: SegmentKind<'a, G::Key, G::Offset, G::Same>,
    plan: &'b CpuPlan,
    shape: Shape,
}

impl<S: Steps, G: Segmentation> Body<S> for ReduceMemory<'_, '_, S, G> {
    type Result = Result<usize>;

    #[inline(always)]
    unsafe fn run<E: Steps>(self, steps: E, memory: Memory<E::In, E::Out>) -> Result<usize> {
        let Self { init, empty, results, segments, plan, shape } = self;
        let len = memory.len;
        // SAFETY: values of `E` have the bits of values of `S`, a condition of [`Body::run`].
        let [init, empty] = [init, empty].map(|value| value.map(|value| unsafe { bits(value) }));
        let results = Results { steps, memory, init, empty, results, threads: plan.threads };
        // Each arm is compiled for its own segmentation alone: the compiler drops what a constant condition excludes.
        // SAFETY: the memory is valid and used by nothing else, the plan was made for its shape, and there is a result
        // for each line or offset.
        unsafe {
            match (segments, &plan.cut) {
                (SegmentKind::Whole, _) if len == 0 => {
                    results.store_empty(0..shape.lines());
                    Ok(shape.lines())
                }
                (SegmentKind::Whole, Cut::Strips(strips)) if const { G::LINES && Kind::may_be(G::KIND, Kind::Whole) } =>
                {
                    columns::reduce(&results, strips)?;
                    Ok(shape.lines())
                }
                (SegmentKind::Whole, Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Whole) } => {
                    totals::reduce(&results, shape.len, blocks)?;
                    Ok(shape.lines())
                }
                (SegmentKind::Offsets(view), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Offsets) } => {
                    let offsets = view.on_host("offsets")?;
                    check_offsets(offsets, len)?;
                    segments::by_offsets(&results, offsets, blocks)?;
                    Ok(offsets.len().saturating_sub(1))
                }
                (SegmentKind::HeadFlags(view), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::HeadFlags) } =>
                {
                    let flags = first(view.on_host("head flags")?, len);
                    by_test(&results, &segment_heads::by_flags(flags, false), blocks)
                }
                (SegmentKind::Keys(view, same), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Keys) } => {
                    let keys = first(view.on_host("keys")?, len);
                    by_test(&results, &segment_heads::by_keys(keys, same, false), blocks)
                }
                _ => Err(Kind::contradicts()),
            }
        }
    }
}

/// Reduces the elements of a job after those that `carried` has the state of, to the total of all. The job has a whole
/// array.
pub fn run_part<S: JobSteps>(job: Job<'_, '_, '_, S, Whole>, carried: Carried<'_>) -> Result<()> {
    run_part_within(job, carried, Limits::of(S::BYTES))
}

/// [`run_part`] with explicit limits, which tests change.
pub(super) fn run_part_within<S: JobSteps>(
    job: Job<'_, '_, '_, S, Whole>,
    carried: Carried<'_>,
    limits: Limits,
) -> Result<()> {
    Held::nothing().add_all::<S, Whole>(&job.steps, None)?;
    let Job { input, output, shape, init, steps, .. } = job;
    let faults = Faults::default();
    let Placed { memory, shape, init } =
        placed::<S::In, S::Out, S::Given>(&input, &output, shape, &init, false, &faults)?;
    let init = init.map(|value| steps.given(value));
    let empty = init.or(steps.identity());
    let Carried { position, before, after } = carried;
    let (before, state) = (before.on_host("carry")?, after.into_host("carry")?);
    let position = usize::try_from(position).map_err(|_| Error::OutOfMemory { bytes: usize::MAX })?;
    state.copy_from_slice(before);
    let job = CpuJob {
        kind: CpuKind::Reduction,
        shape,
        segments: CpuSegments::None,
        bytes: S::BYTES,
        tile: const { lanes::chunk_len(S::TREE, S::BYTES) },
        in_place: false,
        pitch: None,
    };
    let plan = CpuPlan::within(job, limits);
    let part = PartMemory::<S> { init, empty, position, state, plan: &plan };
    // SAFETY: the job borrows its memory for this call; the plan was made for its shape. The builder has checked that
    // there is one result, and that the state is one of a reduction by these steps.
    #[cfg(not(feature = "small-loops"))]
    unsafe {
        part.run(steps, memory)?;
    }
    // Type-erased loops, compiled once for many jobs.
    #[cfg(feature = "small-loops")]
    // SAFETY: as above.
    unsafe {
        erased::call(steps, memory, part)?;
    }
    faults.check()
}

/// Reduction of a part of an array.
///
/// # Safety
/// The memory is valid and used by nothing else; the plan was made for its length; there is one result; the state is one
/// of a reduction by these steps.
struct PartMemory<'a, S: Steps> {
    init: Option<S::Acc>,
    empty: Option<S::Acc>,
    position: usize,
    state: &'a mut [u64],
    plan: &'a CpuPlan,
}

impl<S: Steps> Body<S> for PartMemory<'_, S> {
    type Result = Result<()>;

    unsafe fn run<E: Steps>(self, steps: E, memory: Memory<E::In, E::Out>) -> Result<()> {
        let Self { init, empty, position, state, plan } = self;
        // SAFETY: values of `E` have the bits of values of `S`, a condition of [`Body::run`].
        let [init, empty] = [init, empty].map(|value| value.map(|value| unsafe { bits(value) }));
        let job = Results { steps, memory, init, empty, results: 1, threads: plan.threads };
        let Cut::Blocks(blocks) = &plan.cut else { return Err(Kind::contradicts()) };
        // SAFETY: the memory is valid and used by nothing else, there is one result, the state is one of a reduction by
        // these steps, and the blocks are those of the memory.
        unsafe { Part { job: &job, position, state }.reduce(blocks) }
    }
}

/// Reduces the segments that begin at `heads`, and returns their number.
///
/// # Safety
/// The memory is valid and used by nothing else; `heads` and `blocks` have its length.
unsafe fn by_test<S, F>(results: &Results<S>, heads: &ByTest<F>, blocks: &Blocks) -> Result<usize>
where
    S: Steps,
    F: Fn(Range<usize>) -> usize + Sync,
{
    // SAFETY: the memory is valid and used by nothing else; `heads` and `blocks` have its length.
    let segments = unsafe { segments::by_heads(results, heads, blocks)? };
    results.expect_room(segments)?;
    Ok(segments)
}
