//! A job without its types: here they end. What follows is sizes, addresses and text, compiled once.

use super::features::{Heads, Layout, Layouts};
use super::lender::{Extent, Few, Lender};
use super::{Cuda, Loan};
use crate::buffer::{View, ViewMut};
use crate::error::{Error, Result};
use crate::init::InitSource;
use crate::inputs::{Opening, Read, Reading};
use crate::job::{Elements, Job};
use crate::operator::{Element, Function, Source};
use crate::outputs::{Memory, Storing, Target, Write, WritingText};
use crate::plan::Shape;
use crate::segments::{SegmentKind, Segmentation};
use crate::steps::{Code, Held, In, JobSteps, Known, Out, Steps};
use cudarc::driver::CudaStream;
use std::any::TypeId;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// What a job contributes to its kernel's text.
pub(crate) struct Text {
    pub(crate) code: Code,
    /// The streams of the input: the C++ type of an element, and where they begin, but for the first one.
    pub(crate) streams: Vec<(String, String)>,
    /// A C++ expression for the address of the number of elements, where the device knows it.
    pub(crate) length: Option<String>,
    /// Conditions that the indices of the input name elements, each with a statement that reports it.
    pub(crate) right: Option<Vec<(String, String)>>,
    /// A C++ expression for what the map is given, of the streams' elements `x` at position `at`.
    pub(crate) element: String,
    /// How results are stored, where the output is not one buffer.
    pub(crate) storing: Option<StoringText>,
    /// The type of keys, that of offsets, and the equality of keys, if there are keys.
    pub(crate) key: String,
    pub(crate) offset: String,
    pub(crate) same: Option<String>,
}

/// Statements that store a result, and a vector of results; and a condition, that its buffers are aligned.
pub(crate) struct StoringText {
    pub(crate) element: String,
    pub(crate) vector: String,
    pub(crate) aligned: String,
}

/// What a job computes.
pub(crate) struct Functions<'a> {
    pub(crate) layouts: Layouts,
    pub(crate) known: Known,
    /// Of keys, where segments are told by them.
    pub(crate) key: Layout,
    /// Whether the kernel may find something wrong with its inputs and outputs.
    pub(crate) may_fault: bool,
    /// What tells it from the functions of other jobs, but for values that the functions hold.
    pub(crate) types: TypeId,
    /// The values that the functions hold.
    pub(crate) held: &'a Held,
    /// Its text. Made when a kernel is compiled.
    pub(crate) text: &'a dyn Fn(&mut Source) -> Text,
}

impl<'a> Functions<'a> {
    /// Of a job with the steps `S` and the segmentation `G`; `text` is [`text_of`] them.
    pub(crate) fn of<S: JobSteps, G: Segmentation>(text: &'a dyn Fn(&mut Source) -> Text, held: &'a Held) -> Self {
        Self {
            layouts: layouts_of::<S>(),
            known: S::known(),
            key: Layout::of::<G::Key>(),
            may_fault: S::In::MAY_FAULT || S::Out::MAY_FAULT,
            types: TypeId::of::<(S, G::Key, G::Offset, G::Same)>(),
            held,
            text,
        }
    }
}

pub(crate) fn layouts_of<S: JobSteps>() -> Layouts {
    let (streams, input) = if S::In::PLAIN {
        (None, Layout::of::<In<S>>())
    } else {
        let streams = S::In::STREAMS;
        (Some(streams), Layout { size: streams.bytes().max(1), align: 1 })
    };
    let (acc, output) = (Layout::of::<S::Acc>(), Layout::of::<Out<S>>());
    Layouts { input, streams, counted: S::In::COUNTED, apart: S::In::APART, acc, output, plain_output: S::Out::PLAIN }
}

/// The functions of a job's inputs and outputs.
pub(crate) type BufferFunctions<S> = (<<S as Steps>::In as Read>::Functions, <<S as Steps>::Out as Write>::Functions);

/// Those of a job; without an input of its own it has none.
pub(crate) fn buffer_functions<S: JobSteps, G: Segmentation>(
    job: &Job<'_, '_, '_, S, G>,
) -> Option<BufferFunctions<S>> {
    let of_input = match &job.input {
        Elements::Given(given) => S::In::functions(given),
        Elements::OfOutput => S::In::functions_in_place()?,
    };
    Some((of_input, S::Out::functions(&job.output)))
}

/// The text of a job's functions.
pub(crate) fn text_of<S: JobSteps, G: Segmentation>(
    source: &mut Source,
    steps: &S,
    same: Option<&G::Same>,
    (of_input, of_output): &BufferFunctions<S>,
) -> Text {
    let code = steps.code(source);
    let (key, offset) = (G::Key::cuda_type(source), G::Offset::cuda_type(source));
    let same = same.map(|same| same.cuda_function(source));
    // Values are asked for in the order in which `CudaJob::open` adds them.
    let mut reading = Reading::new(source, S::In::PLAIN);
    let element = S::In::text(of_input, &mut reading, "at");
    let (streams, length, right) = (reading.streams, reading.length, Some(reading.indices));
    let storing = (!S::Out::PLAIN).then(|| {
        let mut writing = WritingText::new(source);
        S::Out::text(of_output, &mut writing, "value");
        let WritingText { element, vector, aligned, .. } = writing;
        StoringText { element, vector, aligned }
    });
    Text { code, key, offset, same, streams, length, right, element, storing }
}

/// A value of at most 64 bytes, whatever its type.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Value([MaybeUninit<u8>; crate::operator::MAX_ELEMENT_BYTES]);

impl Value {
    /// No value: kernels do not look at it.
    pub(crate) const NONE: Self = Self([MaybeUninit::zeroed(); crate::operator::MAX_ELEMENT_BYTES]);

    fn of<T: Element>(value: T) -> Self {
        let mut bytes = Self::NONE;
        const { assert!(size_of::<T>() <= size_of::<Self>() && align_of::<T>() <= align_of::<Self>()) };
        // SAFETY: there is room for it, aligned.
        unsafe { bytes.0.as_mut_ptr().cast::<T>().write(value) };
        bytes
    }

    /// Its first `size` bytes, between which there may be padding.
    pub(crate) fn bytes(&self, size: usize) -> &[MaybeUninit<u8>] {
        self.0.get(..size).unwrap_or(&self.0)
    }
}

/// What results begin with, as the kernels' parameters have it. A kernel reads only what was given.
pub(crate) struct Begin {
    pub(crate) has_init: bool,
    /// The initial value's address, or 0.
    pub(crate) init_from: u64,
    /// The initial value, if the host knows it.
    pub(crate) init: Value,
    /// The identity, if there is no initial value. With one, the kernel takes that instead.
    pub(crate) first: Value,
    /// Of both.
    pub(crate) layout: Layout,
}

impl Begin {
    /// For what begins with its first element, and is not empty.
    pub(crate) fn nothing(layout: Layout) -> Self {
        Self { has_init: false, init_from: 0, init: Value::NONE, first: Value::NONE, layout }
    }
}

/// A job whose buffers are on loan, for the kernels that are launched next, for as long as this lives.
pub(crate) struct CudaJob<'a> {
    pub(crate) functions: Functions<'a>,
    pub(crate) shape: Shape,
    /// The input's address, and the output's.
    pub(crate) input: u64,
    pub(crate) output: u64,
    /// Results that the output has room for.
    pub(crate) outputs: usize,
    /// The stream that the output is of.
    pub(crate) output_stream: Arc<CudaStream>,
    pub(crate) begin: Begin,
    /// Where segments begin: the address of flags, keys or offsets, and how many of these there are.
    pub(crate) heads: Heads,
    pub(crate) head_source: u64,
    pub(crate) head_items: usize,
    /// Where the buffers lie.
    extents: [Few<Extent>; 2],
    _loans: Few<Loan<'a>>,
}

impl<'a> CudaJob<'a> {
    /// Borrows a job's buffers. A scan may be in place: it stores each result where nothing is left to be read.
    ///
    /// # Errors
    /// [`Error::Place`], [`Error::Device`] when a buffer is not where the device computes; [`Error::Overlap`] when one
    /// overlaps the results; [`Error::Length`] when the initial value's buffer is empty.
    pub(crate) fn open<S: JobSteps, G: Segmentation>(
        cuda: &'a Cuda,
        job: &'a mut Job<'_, '_, '_, S, G>,
        text: &'a dyn Fn(&mut Source) -> Text,
        held: &'a mut Held,
        in_place: bool,
    ) -> Result<Self> {
        let Job { input, output, shape, init, segments, steps } = job;
        // A scan may have its input's memory for its output.
        let in_place = in_place && S::In::PLAIN && S::Out::PLAIN && size_of::<In<S>>() == size_of::<Out<S>>();
        let outputs = S::Out::len(output, "output")?.unwrap_or(match segments {
            SegmentKind::Whole => shape.lines(),
            SegmentKind::Offsets(offsets) => offsets.len().saturating_sub(1),
            SegmentKind::HeadFlags(flags) => flags.len(),
            SegmentKind::Keys(keys, _) => keys.len(),
        });
        let mut opening = Opening::new(&mut held.values, Lender::new(cuda));
        let of_output = matches!(input, Elements::OfOutput);
        if let Elements::Given(given) = input {
            S::In::open(given, "input", &mut opening)?;
        }
        let (address, lender, in_text) = opening.finish();
        held.in_text |= in_text;
        let mut storing = Storing::new(&mut held.values, lender, S::Out::PLAIN);
        S::Out::open(output, "output", &mut storing)?;
        let (output, mut lender, in_text) = storing.finish();
        held.in_text |= in_text;
        let input = if of_output { output } else { address };
        lender.check(in_place)?;
        held.check()?;
        let acc = Layout::of::<S::Acc>();
        let begin = match init {
            InitSource::None => Begin { first: steps.identity().map_or(Value::NONE, Value::of), ..Begin::nothing(acc) },
            InitSource::Value(value) => {
                Begin { has_init: true, init: Value::of(steps.given(*value)), ..Begin::nothing(acc) }
            }
            InitSource::Buffer(view) => {
                Begin { has_init: true, init_from: lend_init(&mut lender, view)?, ..Begin::nothing(acc) }
            }
        };
        let (head_source, head_items) = lend_heads(&mut lender, segments)?;
        let extents = lender.take_extents();
        let (output_stream, loans) = lender.into_loans();
        let output_stream = output_stream.unwrap_or_else(|| cuda.stream().clone());
        let functions = Functions::of::<S, G>(text, held);
        Ok(Self {
            functions,
            shape: *shape,
            input,
            output,
            outputs,
            output_stream,
            begin,
            heads: heads_of(segments),
            head_source,
            head_items,
            extents,
            _loans: loans,
        })
    }

    /// # Errors
    /// [`Error::Overlap`] when one more output overlaps a buffer of the job.
    pub(super) fn must_not_meet(&self, output: Extent) -> Result<()> {
        self.extents.iter().flat_map(Few::iter).try_for_each(|extent| output.must_not_meet(*extent))
    }
}

/// The address of an initial value on the device.
#[inline(never)]
fn lend_init<'a, T: Element>(lender: &mut Lender<'a>, view: &'a View<'_, T>) -> Result<u64> {
    if view.is_empty() {
        return Err(Error::Length { what: "initial value", found: 0, expected: 1 });
    }
    lender.beside("initial value", view, 1)
}

/// The address of what tells where segments begin, and how many of these there are. Compiled once for all jobs of such segments.
#[inline(never)]
fn lend_heads<'a, K: Element, I: Element, E>(
    lender: &mut Lender<'a>,
    segments: &'a SegmentKind<'_, K, I, E>,
) -> Result<(u64, usize)> {
    Ok(match segments {
        SegmentKind::Whole => (0, 0),
        SegmentKind::HeadFlags(view) => (lender.beside("head flags", view, view.len())?, view.len()),
        SegmentKind::Keys(view, _) => (lender.beside("keys", view, view.len())?, view.len()),
        SegmentKind::Offsets(view) => (lender.beside("offsets", view, view.len())?, view.len()),
    })
}

/// How kernels find the segment heads, but for rows, which are a shape's.
pub(crate) fn heads_of<K, I, E>(segments: &SegmentKind<'_, K, I, E>) -> Heads {
    match segments {
        SegmentKind::Whole => Heads::None,
        SegmentKind::HeadFlags(_) => Heads::Flags,
        SegmentKind::Keys(..) => Heads::Keys,
        SegmentKind::Offsets(_) => Heads::Offsets,
    }
}

/// The address of a single value that a call writes beside its results, on loan; 0 if there is none.
pub(crate) fn write_one<'a, T>(
    cuda: &'a Cuda,
    what: &'static str,
    view: &'a mut Option<ViewMut<'_, T>>,
) -> Result<(u64, Loan<'a>)> {
    match view {
        None => Ok((0, Loan::default())),
        Some(ViewMut::Cuda(view)) => cuda.write(what, view),
        Some(ViewMut::Host(_)) => Err(Error::Place { what, found: "host", expected: "CUDA" }),
    }
}

/// The address of an output, and the results that it has room for; 0 where there is none.
pub(super) fn write<'a, O>(
    cuda: &'a Cuda,
    what: &'static str,
    target: Option<&'a mut Target<'_, O>>,
) -> Result<(u64, usize, Loan<'a>)> {
    match target {
        None => Ok((0, 0, Loan::default())),
        Some(Target(Memory::Cuda(view))) => {
            let room = view.len();
            let (address, loan) = cuda.write(what, view)?;
            Ok((address, room, loan))
        }
        Some(Target(Memory::Host { .. })) => Err(Error::Place { what, found: "host", expected: "CUDA" }),
    }
}
