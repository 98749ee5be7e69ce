//! Scan on the CPU: the cases of a job.

use super::columns;
use super::engine::heads::EqualLines;
use super::engine::lines::Contiguous;
use super::engine::segment_heads::{self, ByOffsets, first};
use super::tile::run::{Memory, NextBlock, Storing};
use crate::buffer::ViewMut;
use crate::error::Result;
use crate::inputs::{Faults, Read, len_on_host};
use crate::job::{Direction, Elements, Job, NOT_IN_PLACE};
use crate::outputs::Write;
use crate::plan::cpu::{CpuJob, CpuKind, CpuPlan, CpuSegments, Cut, Limits};
use crate::segments::{Kind, SegmentKind, Segmentation};
use crate::steps::{Held, Steps};

pub(crate) fn run<S: Steps, G: Segmentation>(
    job: Job<'_, '_, '_, S, G>,
    direction: Direction,
    carry: Option<ViewMut<'_, S::Given>>,
) -> Result<()> {
    run_within(job, direction, carry, Limits::of(S::BYTES))
}

/// [`run`] with the sizes that tests change.
pub(super) fn run_within<S: Steps, G: Segmentation>(
    job: Job<'_, '_, '_, S, G>,
    direction: Direction,
    carry: Option<ViewMut<'_, S::Given>>,
    limits: Limits,
) -> Result<()> {
    Held::nothing().add_all::<S, G>(&job.steps, job.segments.same().as_ref())?;
    let Job { input, output, shape, init, segments, steps } = job;
    let (faults, mut shape) = (Faults::default(), shape);
    if S::In::COUNTED
        && let Elements::Given(given) = &input
    {
        shape.len = len_on_host::<S::In>(given, shape.len)?;
    }
    let len = shape.lines() * shape.len;
    let sink = S::Out::place(&output, "output", &faults)?;
    let output = S::Out::start(&sink);
    let input = match input {
        Elements::Given(given) => S::In::place(&given, "input", &faults)?,
        Elements::OfOutput => S::In::in_place(output.cast_const().cast()).ok_or(NOT_IN_PLACE)?,
    };
    let mut carry = carry.map(|carry| carry.into_host("carry")).transpose()?;
    let init = init.on_host()?.map(|value| steps.given(value));
    let identity = steps.identity();
    let memory = Memory { input, sink, output, len, reverse: direction.reverse };
    let plan = CpuPlan::within(
        CpuJob {
            kind: CpuKind::Scan,
            shape,
            segments: match &segments {
                SegmentKind::Whole => CpuSegments::None,
                SegmentKind::Offsets(offsets) => CpuSegments::Offsets(offsets.len().saturating_sub(1)),
                SegmentKind::HeadFlags(_) | SegmentKind::Keys(..) => CpuSegments::Heads,
            },
            bytes: S::BYTES,
            in_place: memory.in_place(),
        },
        limits,
    );
    let storing = Storing {
        exclusive: direction.exclusive,
        identity,
        non_temporal: plan.non_temporal,
        block: 0,
        next: NextBlock::NONE,
    };
    let (steps, memory, reverse) = (&steps, &memory, direction.reverse);
    let scan = Contiguous { steps, memory, init, storing, threads: plan.threads };
    let has_carry = carry.is_some();
    // Stores what a scan of the whole array ends with.
    let mut whole = |state: Option<S::Acc>| {
        let Some(state) = state else { return };
        if let Some([carry, ..]) = carry.as_deref_mut() {
            *carry = steps.carried(state);
        }
        if direction.total {
            // SAFETY: the builder has checked that there is a result more than elements.
            unsafe { S::Out::write(&sink, len, steps.store(state)) };
        }
    };
    // Each arm is compiled for its own segmentation alone: the compiler drops what a constant condition excludes.
    // SAFETY: the memory is the job's, which borrows it for this call; the plan is of its shape.
    let done: Result<()> = unsafe {
        match (segments, &plan.cut) {
            (SegmentKind::Whole, _) if len == 0 => {
                whole(init.or(identity));
                Ok(())
            }
            (SegmentKind::Whole, Cut::Strips(strips)) if const { Kind::may_be(G::KIND, Kind::Whole) } => {
                columns::scan(steps, memory, init, storing, strips, plan.threads)
            }
            (SegmentKind::Whole, Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Whole) } => {
                let wanted = has_carry || direction.total;
                whole(scan.run(&EqualLines { len: shape.len }, blocks, wanted)?);
                Ok(())
            }
            (SegmentKind::Offsets(view), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Offsets) } => {
                let offsets = view.on_host("offsets")?;
                segment_heads::check_offsets(offsets, len)?;
                scan.run(&ByOffsets { offsets, len, reverse }, blocks, false).map(drop)
            }
            (SegmentKind::HeadFlags(view), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::HeadFlags) } => {
                scan.run(&segment_heads::by_flags(first(view.on_host("head flags")?, len), reverse), blocks, false)
                    .map(drop)
            }
            (SegmentKind::Keys(view, same), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Keys) } => scan
                .run(&segment_heads::by_keys(first(view.on_host("keys")?, len), same, reverse), blocks, false)
                .map(drop),
            _ => Err(Kind::contradicts()),
        }
    };
    done?;
    faults.check()
}
