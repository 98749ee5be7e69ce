//! Scan on the CPU: dispatch of a job by its segments and its plan.

use super::columns;
use super::engine::heads::EqualLines;
use super::engine::lines::Contiguous;
use super::engine::placed::{Placed, placed};
use super::engine::segment_heads::{self, ByOffsets, first};
use super::tile::body::{Body, bits};
#[cfg(feature = "small-loops")]
use super::tile::erased;
use super::tile::run::{Memory, NextBlock, Storing};
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::{Direction, Job};
use upsweep_core::error::Result;
use upsweep_core::inputs::Faults;
use upsweep_core::outputs::Write;
use upsweep_core::segments::{Kind, SegmentKind, Segmentation};
use upsweep_core::steps::{Held, JobSteps, Steps};
use upsweep_core::tree;
use upsweep_plan::cpu::{CpuJob, CpuKind, CpuPlan, Cut, Limits};

pub fn run<S: JobSteps, G: Segmentation>(
    job: Job<'_, '_, '_, S, G>,
    direction: Direction,
    carry: Option<ViewMut<'_, S::Given>>,
) -> Result<()> {
    run_within(job, direction, carry, Limits::of(S::BYTES))
}

/// [`run`] with explicit limits, which tests change.
pub(super) fn run_within<S: JobSteps, G: Segmentation>(
    job: Job<'_, '_, '_, S, G>,
    direction: Direction,
    carry: Option<ViewMut<'_, S::Given>>,
    limits: Limits,
) -> Result<()> {
    Held::nothing().add_all::<S, G>(&job.steps, job.segments.same().as_ref())?;
    let Job { input, output, shape, init, segments, steps } = job;
    let faults = Faults::default();
    let Placed { memory, shape, init } =
        placed::<S::In, S::Out, S::Given>(&input, &output, shape, &init, direction.reverse, &faults)?;
    let carry = carry.map(|carry| carry.into_host("carry")).transpose()?;
    let (len, sink) = (memory.len, memory.sink);
    let init = init.map(|value| steps.given(value));
    let identity = steps.identity();
    let in_place = memory.in_place();
    let segments_by = segments.untyped().planned();
    let job = CpuJob {
        kind: CpuKind::Scan,
        shape,
        segments: segments_by,
        bytes: S::BYTES,
        tile: tree::tile_len(S::TREE, S::BYTES),
        in_place,
    };
    let plan = CpuPlan::within(job, limits);
    let storing = Storing {
        exclusive: direction.exclusive,
        identity,
        non_temporal: plan.non_temporal,
        block: 0,
        next: NextBlock::NONE,
    };
    let wanted = carry.is_some() || direction.total;
    let scan = ScanMemory::<S, G> { init, storing, segments, plan: &plan, line: shape.len, in_place, wanted };
    // SAFETY: the job borrows its memory for this call; the plan was made for its shape.
    #[cfg(not(feature = "small-loops"))]
    let state = unsafe { scan.run(steps, memory)? };
    // Type-erased loops, compiled once for many jobs.
    #[cfg(feature = "small-loops")]
    // SAFETY: the job borrows its memory for this call; the plan was made for its shape.
    let state = unsafe { erased::call(steps, memory, scan)? };
    if let Some(state) = state {
        if let Some([carry, ..]) = carry {
            *carry = steps.carried(state);
        }
        if direction.total {
            // SAFETY: the builder has checked that the output has one result more than there are elements.
            unsafe { S::Out::write(&sink, len, steps.store(state)) };
        }
    }
    faults.check()
}

/// Scan of a job's memory. Returns the state after the last element of a whole array, if it is `wanted`.
///
/// # Safety
/// The memory is valid and used by nothing else; the plan was made for its shape.
struct ScanMemory<'a, 'b, S: Steps, G: Segmentation> {
    init: Option<S::Acc>,
    storing: Storing<S::Acc>,
    segments: SegmentKind<'a, G::Key, G::Offset, G::Same>,
    plan: &'b CpuPlan,
    /// Number of elements of a line.
    line: usize,
    in_place: bool,
    wanted: bool,
}

impl<S: Steps, G: Segmentation> Body<S> for ScanMemory<'_, '_, S, G> {
    type Result = Result<Option<S::Acc>>;

    unsafe fn run<E: Steps>(self, steps: E, memory: Memory<E::In, E::Out>) -> Result<Option<S::Acc>> {
        let Self { init, storing, segments, plan, line, in_place, wanted } = self;
        let (len, reverse) = (memory.len, memory.reverse);
        // SAFETY: values of `E` have the bits of values of `S`, a condition of [`Body::run`].
        let [init, identity] = [init, storing.identity].map(|value| value.map(|value| unsafe { bits(value) }));
        let Storing { exclusive, non_temporal, block, next, .. } = storing;
        let storing = Storing { exclusive, identity, non_temporal, block, next };
        let (steps, memory) = (&steps, &memory);
        let scan = Contiguous { steps, memory, init, storing, threads: plan.threads, in_place };
        // Each arm is compiled for its own segmentation alone: the compiler drops what a constant condition excludes.
        // SAFETY: the memory is valid and used by nothing else, and the plan was made for its shape.
        let state: Result<Option<E::Acc>> = unsafe {
            match (segments, &plan.cut) {
                (SegmentKind::Whole, _) if len == 0 => Ok(init.or(identity)),
                (SegmentKind::Whole, Cut::Strips(strips)) if const { Kind::may_be(G::KIND, Kind::Whole) } => {
                    columns::scan(steps, memory, init, storing, strips, plan.threads)?;
                    Ok(None)
                }
                (SegmentKind::Whole, Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Whole) } => {
                    let state = scan.run(&EqualLines { len: line }, blocks, wanted)?;
                    Ok(state.filter(|_| wanted))
                }
                (SegmentKind::Offsets(view), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Offsets) } => {
                    let offsets = view.on_host("offsets")?;
                    segment_heads::check_offsets(offsets, len)?;
                    scan.run(&ByOffsets { offsets, len, reverse }, blocks, false)?;
                    Ok(None)
                }
                (SegmentKind::HeadFlags(view), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::HeadFlags) } =>
                {
                    let flags = first(view.on_host("head flags")?, len);
                    scan.run(&segment_heads::by_flags(flags, reverse), blocks, false)?;
                    Ok(None)
                }
                (SegmentKind::Keys(view, same), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Keys) } => {
                    let keys = first(view.on_host("keys")?, len);
                    scan.run(&segment_heads::by_keys(keys, same, reverse), blocks, false)?;
                    Ok(None)
                }
                _ => Err(Kind::contradicts()),
            }
        };
        // SAFETY: values of `E` have the bits of values of `S`, a condition of [`Body::run`].
        Ok(state?.map(|state| unsafe { bits(state) }))
    }
}
