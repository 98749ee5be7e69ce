//! Scan on the CPU: the cases of a job.

use super::blocks::{Blocks, Tuning};
use super::columns;
use super::heads::{self, ByOffsets, Heads};
use super::lines::Lines;
use super::steps::{Memory, Parts, Steps};
use super::store;
use super::tile::Storing;
use crate::job::{Direction, Job, Source};
use crate::operator::{Element, Function, Map, Operator};
use crate::segments::{Kind, SegmentKind, Segmentation};
use crate::{Error, Result};
use std::marker::PhantomData;

pub(crate) fn run<I, O, Op, M, F, S>(job: Job<'_, I, M::Output, O, Op, M, F, S>, direction: Direction) -> Result<()>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    S: Segmentation,
{
    run_tuned(job, direction, Tuning::of::<Parts<I, O, Op, M, F>>())
}

/// [`run`] with the sizes that tests change.
pub(super) fn run_tuned<I, O, Op, M, F, S>(
    job: Job<'_, I, M::Output, O, Op, M, F, S>,
    direction: Direction,
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
    let (output, len) = output.on_host()?;
    let input = match input {
        Source::Buffer(view) => {
            let input = view.on_host("input")?;
            if input.len() != len {
                return Err(Error::Length { what: "output", found: len, expected: input.len() });
            }
            input.as_ptr()
        }
        // In place, `I` and `O` are the same type.
        Source::Output => output.cast_const().cast::<I>(),
    };
    let init = init.on_host()?;
    let identity = operator.identity();
    if direction.exclusive && init.is_none() && identity.is_none() {
        let operator = std::any::type_name::<Op>();
        return Err(Error::NoIdentity { operator, needed_by: "an exclusive scan" });
    }
    let steps = Parts { operator, map, finish, types: PhantomData };
    let memory = Memory { input, output, len, reverse: direction.reverse };
    let storing = Storing {
        exclusive: direction.exclusive,
        identity,
        // In place the lines are in the cache already.
        around_cache: store::AROUND_CACHE
            && !memory.in_place()
            && len.saturating_mul(size_of::<O>()) >= tuning.around_cache_from,
        ahead: 0,
    };
    let scan = Scan { steps, memory, init, storing, tuning };
    let reverse = direction.reverse;
    // Each arm is compiled for its own segmentation alone: the compiler drops what a constant condition excludes.
    match segments {
        SegmentKind::Whole if len == 0 => Ok(()),
        SegmentKind::Whole if const { Kind::may_be(S::KIND, Kind::Whole) } => {
            if shape.inner > 1 {
                // SAFETY: the memory is the job's, and the shape's product is its length.
                return unsafe { columns::scan(scan.steps, memory, shape, init, storing, tuning) };
            }
            scan.lines(&heads::Lines { len: shape.len }, shape.len)
        }
        SegmentKind::Offsets(view) if const { Kind::may_be(S::KIND, Kind::Offsets) } => {
            let offsets = view.on_host("offsets")?;
            heads::check_offsets(offsets, len)?;
            scan.lines(&ByOffsets { offsets, len, reverse }, len)
        }
        SegmentKind::HeadFlags(view) if const { Kind::may_be(S::KIND, Kind::HeadFlags) } => {
            scan.lines(&heads::by_flags(view.on_host("head flags")?, reverse), len)
        }
        SegmentKind::Keys(view, same) if const { Kind::may_be(S::KIND, Kind::Keys) } => {
            scan.lines(&heads::by_keys(view.on_host("keys")?, same, reverse), len)
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
    fn lines<H: Heads>(self, heads: &H, line: usize) -> Result<()> {
        let Self { steps, memory, init, storing, tuning } = self;
        let blocks = Blocks::new(memory.len, line, tuning.block);
        // SAFETY: the memory is the job's, which borrows it for this call; the blocks are those of its length.
        unsafe { Lines { steps, memory, heads, init, storing }.scan(blocks, tuning) }
    }
}
