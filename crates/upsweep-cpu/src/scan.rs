//! Scan on the CPU: dispatch of a job by its segments and its plan.

use super::columns;
use super::engine::heads::EqualLines;
use super::engine::lines::{After, Begin, Contiguous};
use super::engine::placed::{Placed, placed};
use super::engine::segment_heads::{self, ByOffsets, first};
use super::tile::body::{Body, bits};
#[cfg(feature = "small-loops")]
use super::tile::erased;
use super::tile::run::{Memory, NextBlock, Storing};
use super::tile::tree::State;
use upsweep_core::call::carry::{self, Carried};
use upsweep_core::call::{Direction, Job};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Faults;
use upsweep_core::operator::{Element, Function};
use upsweep_core::outputs::Write;
use upsweep_core::segments::{Kind, SegmentKind, Segmentation, Whole, check_offsets};
use upsweep_core::shape::{Pitch, Shape};
use upsweep_core::steps::{Held, JobSteps, Steps};
use upsweep_core::tree::{self, LEVELS};
use upsweep_plan::cpu::{CpuJob, CpuKind, CpuPlan, Cut, Limits};

pub fn run<S: JobSteps, G: Segmentation>(
    job: Job<'_, '_, '_, S, G>,
    direction: Direction,
    carried: Option<Carried<'_>>,
) -> Result<()> {
    run_within(job, direction, carried, Limits::of(S::BYTES))
}

/// Scans along an axis that is not the last one of an array whose rows have a `pitch`, which the `inner` of the shape
/// counts.
pub fn run_with_pitch<S: JobSteps>(job: Job<'_, '_, '_, S, Whole>, direction: Direction, pitch: Pitch) -> Result<()> {
    run_as(job, direction, None, Limits::of(S::BYTES), Some(pitch))
}

/// [`run`] with explicit limits, which tests change.
pub(super) fn run_within<S: JobSteps, G: Segmentation>(
    job: Job<'_, '_, '_, S, G>,
    direction: Direction,
    carried: Option<Carried<'_>>,
    limits: Limits,
) -> Result<()> {
    run_as(job, direction, carried, limits, None)
}

/// Runs with explicit limits, and with gaps behind the rows of the last axis.
fn run_as<S: JobSteps, G: Segmentation>(
    job: Job<'_, '_, '_, S, G>,
    direction: Direction,
    carried: Option<Carried<'_>>,
    limits: Limits,
    pitch: Option<Pitch>,
) -> Result<()> {
    Held::nothing().add_all::<S, G>(&job.steps, job.segments.same().as_ref())?;
    let Job { input, output, shape, init, segments, steps } = job;
    let faults = Faults::default();
    let Placed { memory, shape, init } =
        placed::<S::In, S::Out, S::Given>(&input, &output, shape, &init, direction.reverse, &faults)?;
    let mut carried = carried.map(Handed::of).transpose()?;
    let (len, sink) = (memory.len, memory.sink);
    let tile = tree::tile_len(S::TREE, S::BYTES);
    // SAFETY: the state is one of a scan by these steps.
    let begin = unsafe { carried.as_ref().map_or(Ok(Begin::NOTHING), |carried| carried.begin::<S>(len, tile))? };
    let init = init.map(|value| steps.given(value));
    let identity = steps.identity();
    let in_place = memory.in_place();
    let segments_by = segments.untyped().planned();
    let job = CpuJob {
        kind: CpuKind::Scan,
        shape: Shape { len: shape.len - begin.lead, ..shape },
        segments: segments_by,
        bytes: S::BYTES,
        tile,
        in_place,
        pitch,
    };
    let plan = CpuPlan::within(job, limits);
    let storing = Storing {
        exclusive: direction.exclusive,
        identity,
        non_temporal: plan.non_temporal,
        block: 0,
        next: NextBlock::NONE,
    };
    let wanted = carried.is_some() || direction.total;
    let (line, handed) = (shape.len, carried.as_mut());
    let scan = ScanMemory::<S, G> { init, storing, segments, plan: &plan, line, in_place, wanted, begin, handed };
    // SAFETY: the job borrows its memory for this call; the plan was made for its shape.
    #[cfg(not(feature = "small-loops"))]
    let state = unsafe { scan.run(steps, memory)? };
    // Type-erased loops, compiled once for many jobs.
    #[cfg(feature = "small-loops")]
    // SAFETY: the job borrows its memory for this call; the plan was made for its shape.
    let state = unsafe { erased::call(steps, memory, scan)? };
    if let Some(After { value, levels }) = state {
        if let Some(carried) = carried.filter(|_| len > 0) {
            for (i, level) in levels[..carry::levels::<S>()].iter().enumerate() {
                carry::write(carried.after, i * size_of::<S::Acc>(), level.canonical());
            }
        }
        if direction.total {
            // SAFETY: the builder has checked that the output has one result more than there are elements.
            unsafe { S::Out::write(&sink, len, steps.store(value)) };
        }
    }
    faults.check()
}

/// [`Carried`] in host memory.
struct Handed<'a> {
    position: u64,
    before: &'a [u64],
    after: &'a mut [u64],
}

impl<'a> Handed<'a> {
    fn of(Carried { position, before, after }: Carried<'a>) -> Result<Self> {
        Ok(Self { position, before: before.on_host("carry")?, after: after.into_host("carry")? })
    }

    /// Returns how a scan of `len` elements in tiles of `tile` begins.
    ///
    /// # Safety
    /// The state before is one of a scan by these steps.
    unsafe fn begin<S: Steps>(&self, len: usize, tile: usize) -> Result<Begin<S::Acc>> {
        let position = usize::try_from(self.position).map_err(|_| Error::OutOfMemory { bytes: usize::MAX })?;
        // SAFETY: there are as many levels.
        let level = |i: usize| unsafe { carry::read(self.before, i % carry::levels::<S>() * size_of::<S::Acc>()) };
        let [Some(y), Some(rows), Some(groups), Some(tiles), Some(spans)] = std::array::from_fn(level) else {
            return Err(Error::Length {
                what: "carry",
                found: self.before.len(),
                expected: carry::words::<S, Whole>(),
            });
        };
        let levels = (position > 0).then_some([y, rows, groups, tiles, spans]);
        Ok(Begin { position, lead: (position.next_multiple_of(tile) - position).min(len), levels })
    }
}

/// Scan of a job's memory. Returns the state after the last element of a whole array, or of segments that go on in
/// another call, if it is `wanted`.
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
    begin: Begin<S::Acc>,
    /// State before, for the key before the first, and after, for the last key.
    handed: Option<&'b mut Handed<'a>>,
}

impl<S: Steps, G: Segmentation> Body<S> for ScanMemory<'_, '_, S, G> {
    type Result = Result<Option<After<S::Acc>>>;

    unsafe fn run<E: Steps>(self, steps: E, memory: Memory<E::In, E::Out>) -> Result<Option<After<S::Acc>>> {
        let Self { init, storing, segments, plan, line, in_place, wanted, begin, handed } = self;
        let (len, reverse) = (memory.len, memory.reverse);
        // SAFETY: values of `E` have the bits of values of `S`, a condition of [`Body::run`].
        let [init, identity] = [init, storing.identity].map(|value| value.map(|value| unsafe { bits(value) }));
        let Storing { exclusive, non_temporal, block, next, .. } = storing;
        let storing = Storing { exclusive, identity, non_temporal, block, next };
        let (steps, memory) = (&steps, &memory);
        let Begin { position, lead, levels } = begin;
        // SAFETY: values of `E` have the bits of values of `S`, a condition of [`Body::run`].
        let levels = levels.map(|levels| levels.map(|level| unsafe { bits(level) }));
        let mut begin = Begin { position, lead, levels };
        let from = |begin| Contiguous { steps, memory, init, storing, threads: plan.threads, in_place, begin };
        // Each arm is compiled for its own segmentation alone: the compiler drops what a constant condition excludes.
        // SAFETY: the memory is valid and used by nothing else, and the plan was made for its shape.
        let after: Result<Option<After<E::Acc>>> = unsafe {
            match (segments, &plan.cut) {
                (SegmentKind::Whole, _) if len == 0 => Ok(nothing_more(steps, levels, init.or(identity))),
                (SegmentKind::Whole, Cut::Strips(strips)) if const { Kind::may_be(G::KIND, Kind::Whole) } => {
                    columns::scan(steps, memory, init, storing, strips, plan.threads)?;
                    Ok(None)
                }
                (SegmentKind::Whole, Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Whole) } => {
                    from(begin).run(&EqualLines { len: line }, blocks, wanted)
                }
                (SegmentKind::Offsets(view), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Offsets) } => {
                    let offsets = view.on_host("offsets")?;
                    check_offsets(offsets, len)?;
                    from(begin).run(&ByOffsets { offsets, len, reverse }, blocks, wanted)
                }
                (SegmentKind::HeadFlags(view), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::HeadFlags) } =>
                {
                    let flags = first(view.on_host("head flags")?, len);
                    begin.levels = levels.filter(|_| flags.first() == Some(&false));
                    from(begin).run(&segment_heads::by_flags(flags, reverse), blocks, wanted)
                }
                (SegmentKind::Keys(view, same), Cut::Blocks(blocks)) if const { Kind::may_be(G::KIND, Kind::Keys) } => {
                    let keys = first(view.on_host("keys")?, len);
                    if let (Some(handed), Some((&first, &last))) = (handed, keys.first().zip(keys.last())) {
                        let before: Option<G::Key> = carry::read(handed.before, carry::key_at::<S>());
                        begin.levels = levels.filter(|_| before.is_some_and(|before| same.call((before, first))));
                        carry::write(handed.after, carry::key_at::<S>(), last);
                    }
                    from(begin).run(&segment_heads::by_keys(keys, same, reverse), blocks, wanted)
                }
                _ => Err(Kind::contradicts()),
            }
        };
        // SAFETY: values of `E` have the bits of values of `S`, a condition of [`Body::run`].
        let given = |value| unsafe { bits(value) };
        Ok(after?
            .filter(|_| wanted)
            .map(|After { value, levels }| After { value: given(value), levels: levels.map(given) }))
    }
}

/// Returns the state of a scan of no elements after these `levels`; after nothing, its value is `empty`.
fn nothing_more<S: Steps>(steps: &S, levels: Option<[S::Acc; LEVELS]>, empty: Option<S::Acc>) -> Option<After<S::Acc>> {
    match levels {
        None => empty.map(|value| After { value, levels: [value; LEVELS] }),
        Some(levels) if S::TREE => Some(After { value: State::of_levels(steps, levels).before, levels }),
        Some(levels) => Some(After { value: levels[0], levels }),
    }
}
