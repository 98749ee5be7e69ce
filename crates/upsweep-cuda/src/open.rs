//! Type erasure of jobs: a job's buffers are borrowed, and the rest of its launch has no type parameters.
//!
//! The types are reached through trait objects ([`LendInput`], [`LendOutput`], [`LendBeside`]), one for each group of
//! types that a step depends on. So the steps in between are compiled once for all jobs.

use super::Cuda;
use super::borrow::Lender;
use super::features::{Heads, Layout};
use super::job::{Begin, CudaJob, Functions, Text, Value, buffer_functions, heads_of, text_of};
use upsweep_core::call::{Elements, Job, NOT_IN_PLACE};
use upsweep_core::error::{Error, Result};
use upsweep_core::init::InitSource;
use upsweep_core::inputs::{Opening, Read};
use upsweep_core::operator::{Element, Source};
use upsweep_core::outputs::{Storing, Write};
use upsweep_core::segments::{SegmentKind, Segmentation};
use upsweep_core::shape::Shape;
use upsweep_core::steps::{Held, In, JobSteps, Out};

/// Borrows a job's buffers and calls `launch` with them. With `in_place` a scan's output may be its input's memory: the
/// caller's kernels store each result only where no element is left to be read.
///
/// # Errors
/// [`Error::Place`], [`Error::Device`] when a buffer is not where the device computes; [`Error::Overlap`] when one
/// overlaps the results; [`Error::Length`] when the initial value's buffer is empty; [`Error::Options`] when the input
/// is the output's memory, but the input cannot be read in place.
pub(super) fn open<S: JobSteps, G: Segmentation>(
    cuda: &Cuda,
    job: &mut Job<'_, '_, '_, S, G>,
    in_place: bool,
    launch: &mut dyn FnMut(&CudaJob<'_>) -> Result<()>,
) -> Result<()> {
    let functions = buffer_functions(job).ok_or(NOT_IN_PLACE)?;
    let Job { input, output, shape, init, segments, steps } = job;
    let same = segments.same();
    let text = |source: &mut Source| text_of::<S, G>(source, steps, same.as_ref(), &functions);
    let mut held = Held::nothing();
    held.add_all::<S, G>(steps, same.as_ref())?;
    let nothing = Begin::nothing(Layout::of::<S::Acc>());
    let begin = match init {
        InitSource::None => Begin { first: steps.identity().map_or(Value::NONE, Value::of), ..nothing },
        InitSource::Value(value) => Begin { has_init: true, init: Value::of(steps.given(*value)), ..nothing },
        InitSource::Buffer(_) => Begin { has_init: true, ..nothing },
    };
    let job = Untyped {
        functions: Functions::of::<S, G>,
        text: &text,
        held: &mut held,
        shape: *shape,
        input,
        output: &mut Output::<S::Out>(output),
        plain_output: S::Out::PLAIN,
        // A scan's output may be its input's memory if both are one buffer, of elements of the same size.
        in_place: in_place && S::In::PLAIN && S::Out::PLAIN && size_of::<In<S>>() == size_of::<Out<S>>(),
        begin,
        init,
        heads: heads_of(segments),
        segments,
    };
    job.open(cuda, launch)
}

/// Job without type parameters. It calls its buffers through trait objects, so that the code is compiled once for all
/// jobs.
struct Untyped<'a> {
    functions: fn(&'a dyn Fn(&mut Source) -> Text, &'a Held) -> Functions<'a>,
    text: &'a dyn Fn(&mut Source) -> Text,
    held: &'a mut Held,
    shape: Shape,
    input: &'a dyn LendInput,
    output: &'a mut dyn LendOutput,
    plain_output: bool,
    in_place: bool,
    begin: Begin,
    init: &'a dyn LendBeside,
    heads: Heads,
    segments: &'a dyn LendBeside,
}

impl<'a> Untyped<'a> {
    fn open(self, cuda: &'a Cuda, launch: &mut dyn FnMut(&CudaJob<'_>) -> Result<()>) -> Result<()> {
        let Self {
            functions,
            text,
            held,
            shape,
            input,
            output,
            plain_output,
            in_place,
            mut begin,
            init,
            heads,
            segments,
        } = self;
        let outputs = output.len()?;
        let mut opening = Opening::new(&mut held.values, Lender::new(cuda));
        let of_output = input.lend(&mut opening)?;
        let (address, lender, in_text) = opening.finish();
        held.in_text |= in_text;
        let mut storing = Storing::new(&mut held.values, lender, plain_output);
        output.lend(&mut storing)?;
        let (output, mut lender, in_text) = storing.finish();
        held.in_text |= in_text;
        let input = if of_output { output } else { address };
        lender.check(in_place)?;
        held.check()?;
        (begin.init_from, _) = init.lend(&mut lender)?;
        let (head_source, head_items) = segments.lend(&mut lender)?;
        let outputs = outputs.unwrap_or(match heads {
            Heads::None | Heads::Rows | Heads::Lines => shape.lines(),
            Heads::Offsets => head_items.saturating_sub(1),
            Heads::Flags | Heads::Keys => head_items,
        });
        let extents = lender.take_extents();
        let (output_stream, loans) = lender.into_loans();
        launch(&CudaJob {
            functions: functions(text, held),
            shape,
            input,
            output,
            outputs,
            output_stream: output_stream.unwrap_or_else(|| cuda.stream().clone()),
            begin,
            heads,
            head_source,
            head_items,
            extents,
            _loans: loans,
        })
    }
}

/// Input of elements of any type, whose buffers can be borrowed.
trait LendInput {
    /// Borrows the input's buffers, unless the job is in place (the input is the output's memory). Returns whether it
    /// is.
    fn lend<'a>(&'a self, opening: &mut Opening<'_, Lender<'a>>) -> Result<bool>;
}

impl<I: Read> LendInput for Elements<'_, I> {
    fn lend<'a>(&'a self, opening: &mut Opening<'_, Lender<'a>>) -> Result<bool> {
        match self {
            Self::Given(given) => I::open(given, "input", opening).map(|()| false),
            Self::OfOutput => Ok(true),
        }
    }
}

/// Output of results of any type, whose buffers can be borrowed.
trait LendOutput {
    /// Returns the number of results that the output has room for, as [`Write::len`] does.
    fn len(&self) -> Result<Option<usize>>;
    fn lend<'a>(&'a mut self, storing: &mut Storing<'_, Lender<'a>>) -> Result<()>;
}

struct Output<'g, 'y, O: Write>(&'g mut O::Given<'y>);

impl<O: Write> LendOutput for Output<'_, '_, O> {
    fn len(&self) -> Result<Option<usize>> {
        O::len(self.0, "output")
    }

    fn lend<'a>(&'a mut self, storing: &mut Storing<'_, Lender<'a>>) -> Result<()> {
        O::open(self.0, "output", storing)
    }
}

/// Companion buffer, which is read besides the input: the initial value, or flags, keys or offsets. There may be none.
trait LendBeside {
    /// Borrows the companion buffer, and returns its address and its number of elements; zeros if there is none.
    fn lend<'a>(&'a self, lender: &mut Lender<'a>) -> Result<(u64, usize)>;
}

impl<T: Element> LendBeside for InitSource<'_, T> {
    fn lend<'a>(&'a self, lender: &mut Lender<'a>) -> Result<(u64, usize)> {
        match self {
            Self::None | Self::Value(_) => Ok((0, 0)),
            Self::Buffer(view) if view.is_empty() => {
                Err(Error::Length { what: "initial value", found: 0, expected: 1 })
            }
            Self::Buffer(view) => Ok((lender.beside("initial value", view, 1)?, 1)),
        }
    }
}

impl<K: Element, I: Element, E> LendBeside for SegmentKind<'_, K, I, E> {
    fn lend<'a>(&'a self, lender: &mut Lender<'a>) -> Result<(u64, usize)> {
        Ok(match self {
            Self::Whole => (0, 0),
            Self::HeadFlags(view) => (lender.beside("head flags", view, view.len())?, view.len()),
            Self::Keys(view, _) => (lender.beside("keys", view, view.len())?, view.len()),
            Self::Offsets(view) => (lender.beside("offsets", view, view.len())?, view.len()),
        })
    }
}
