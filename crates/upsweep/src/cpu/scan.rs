//! Scan on the CPU: the cases of a job.

use super::blocks::{Blocks, Tuning};
use super::columns;
use super::heads::{self, ByOffsets, Heads};
use super::lines::Lines;
use super::run::{Memory, Storing};
use super::store;
use crate::buffer::ViewMut;
use crate::error::Result;
use crate::job::{Direction, Elements, Job};
use crate::segments::{Kind, SegmentKind, Segmentation};
use crate::steps::Steps;

pub(crate) fn run<S: Steps, G: Segmentation>(
    job: Job<'_, S, G>,
    direction: Direction,
    carry: Option<ViewMut<'_, S::Given>>,
) -> Result<()> {
    run_tuned(job, direction, carry, Tuning::of::<S>())
}

/// [`run`] with the sizes that tests change.
pub(super) fn run_tuned<S: Steps, G: Segmentation>(
    job: Job<'_, S, G>,
    direction: Direction,
    carry: Option<ViewMut<'_, S::Given>>,
    tuning: Tuning,
) -> Result<()> {
    let Job { input, output, shape, init, segments, steps } = job;
    let (output, len) = output.on_host()?;
    let input = match input {
        Elements::Buffer(view) => view.on_host("input")?.as_ptr(),
        // In place, `I` and `O` are the same type.
        Elements::OfOutput => output.cast_const().cast::<S::In>(),
    };
    let carry = carry.map(|carry| carry.into_host("carry")).transpose()?;
    let init = init.on_host()?.map(|value| steps.given(value));
    let identity = steps.identity();
    let memory = Memory { input, output, len, reverse: direction.reverse };
    let storing = Storing {
        exclusive: direction.exclusive,
        identity,
        // In place the lines are in the cache already.
        around_cache: store::AROUND_CACHE
            && !memory.in_place()
            && len.saturating_mul(size_of::<S::Out>()) >= tuning.around_cache_from,
        ahead: 0,
    };
    let scan = Scan { steps, memory, init, storing, tuning };
    let reverse = direction.reverse;
    // Each arm is compiled for its own segmentation alone: the compiler drops what a constant condition excludes.
    match segments {
        SegmentKind::Whole if len == 0 => {
            if let (Some([carry, ..]), Some(value)) = (carry, init.or(identity)) {
                *carry = steps.carried(value);
            }
            Ok(())
        }
        SegmentKind::Whole if const { Kind::may_be(G::KIND, Kind::Whole) } => {
            if shape.inner > 1 {
                // SAFETY: the memory is the job's, and the shape's product is its length.
                return unsafe { columns::scan(scan.steps, memory, shape, init, storing, tuning) };
            }
            let state = scan.lines(&heads::Lines { len: shape.len }, shape.len, carry.is_some())?;
            if let (Some([carry, ..]), Some(state)) = (carry, state) {
                *carry = steps.carried(state);
            }
            Ok(())
        }
        SegmentKind::Offsets(view) if const { Kind::may_be(G::KIND, Kind::Offsets) } => {
            let offsets = view.on_host("offsets")?;
            heads::check_offsets(offsets, len)?;
            scan.lines(&ByOffsets { offsets, len, reverse }, len, false).map(drop)
        }
        SegmentKind::HeadFlags(view) if const { Kind::may_be(G::KIND, Kind::HeadFlags) } => {
            scan.lines(&heads::by_flags(view.on_host("head flags")?, reverse), len, false).map(drop)
        }
        SegmentKind::Keys(view, same) if const { Kind::may_be(G::KIND, Kind::Keys) } => {
            scan.lines(&heads::by_keys(view.on_host("keys")?, same, reverse), len, false).map(drop)
        }
        _ => Err(Kind::contradicts()),
    }
}

struct Scan<S: Steps> {
    steps: S,
    memory: Memory<S::In, S::Out>,
    init: Option<S::Acc>,
    storing: Storing<S::Acc>,
    tuning: Tuning,
}

impl<S: Steps> Scan<S> {
    fn lines<H: Heads>(self, heads: &H, line: usize, wanted: bool) -> Result<Option<S::Acc>> {
        let Self { steps, memory, init, storing, tuning } = self;
        let blocks = Blocks::new(memory.len, line, tuning.block);
        // SAFETY: the memory is the job's, which borrows it for this call; the blocks are those of its length.
        unsafe { Lines { steps, memory, heads, init, storing }.scan(blocks, tuning, wanted) }
    }
}
