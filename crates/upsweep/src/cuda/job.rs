//! A job without its types, which end here: what follows is sizes, addresses and text, compiled once. [`open`](super::open) makes one.

use super::features::{Heads, Layout, Layouts};
use super::lender::{Extent, Few};
use super::{Cuda, Loan};
use crate::buffer::ViewMut;
use crate::error::{Error, Result};
use crate::inputs::{Read, Reading};
use crate::job::{Elements, Job};
use crate::operator::{Element, Function, Source};
use crate::outputs::{Memory, Target, Write, WritingText};
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
pub(super) type BufferFunctions<S> = (<<S as Steps>::In as Read>::Functions, <<S as Steps>::Out as Write>::Functions);

/// Those of a job; without an input of its own it has none.
pub(super) fn buffer_functions<S: JobSteps, G: Segmentation>(
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
    let same = same.map(|same| |to: &mut Source| same.cuda_function(to));
    let element = |reading: &mut Reading<'_>| S::In::text(of_input, reading, "at");
    let storing = |writing: &mut WritingText<'_>| S::Out::text(of_output, writing, "value");
    let parts = TextParts {
        code: &|to| steps.code(to),
        segments: [G::Key::cuda_type, G::Offset::cuda_type],
        same: same.as_ref().map(|same| same as _),
        plain: S::In::PLAIN,
        element: &element,
        storing: if S::Out::PLAIN { None } else { Some(&storing) },
    };
    parts.text(source)
}

/// What adds the parts of a job's text to a source.
struct TextParts<'a> {
    code: &'a dyn Fn(&mut Source) -> Code,
    /// The types of keys and of offsets.
    segments: [fn(&mut Source) -> String; 2],
    same: Option<&'a dyn Fn(&mut Source) -> String>,
    /// Whether the input is one stream and nothing else.
    plain: bool,
    element: &'a dyn Fn(&mut Reading<'_>) -> String,
    /// Of outputs that are not one buffer.
    storing: Option<&'a dyn Fn(&mut WritingText<'_>)>,
}

impl TextParts<'_> {
    /// The text: compiled once for all jobs.
    fn text(self, source: &mut Source) -> Text {
        let code = (self.code)(source);
        let [key, offset] = self.segments.map(|add| add(source));
        let same = self.same.map(|add| add(source));
        // Values are asked for in the order in which `open` adds them.
        let mut reading = Reading::new(source, self.plain);
        let element = (self.element)(&mut reading);
        let (streams, length, right) = (reading.streams, reading.length, Some(reading.indices));
        let storing = self.storing.map(|add| {
            let mut writing = WritingText::new(source);
            add(&mut writing);
            let WritingText { element, vector, aligned, .. } = writing;
            StoringText { element, vector, aligned }
        });
        Text { code, key, offset, same, streams, length, right, element, storing }
    }
}

/// A value of at most 64 bytes, whatever its type.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Value([MaybeUninit<u8>; crate::operator::MAX_ELEMENT_BYTES]);

impl Value {
    /// No value: kernels do not look at it.
    pub(crate) const NONE: Self = Self([MaybeUninit::zeroed(); crate::operator::MAX_ELEMENT_BYTES]);

    pub(super) fn of<T: Element>(value: T) -> Self {
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
    pub(super) extents: [Few<Extent>; 2],
    pub(super) _loans: Few<Loan<'a>>,
}

impl CudaJob<'_> {
    /// # Errors
    /// [`Error::Overlap`] when one more output overlaps a buffer of the job.
    pub(super) fn must_not_meet(&self, output: Extent) -> Result<()> {
        self.extents.iter().flat_map(Few::iter).try_for_each(|extent| output.must_not_meet(*extent))
    }
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
