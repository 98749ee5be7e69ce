//! A job without its types, which end here: what follows is sizes, addresses and text, compiled once. [`open`](super::open) makes one.

use super::borrow::{Extent, Few};
use super::features::{Heads, Layout, Layouts};
use super::{Cuda, Loan};
use cudarc::driver::CudaStream;
use std::any::TypeId;
use std::mem::MaybeUninit;
use std::sync::Arc;
use upsweep_core::buffer::ViewMut;
use upsweep_core::call::{Elements, Job};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::{Read, Reading};
use upsweep_core::operator::{Element, Function, Source};
use upsweep_core::outputs::{Memory, Target, Write, WritingText};
use upsweep_core::segments::{SegmentKind, Segmentation};
use upsweep_core::shape::Shape;
use upsweep_core::steps::{Code, Held, In, JobSteps, Known, Out, Steps};

/// What a job contributes to its kernel's text.
pub(crate) struct Text {
    pub code: Code,
    /// The streams of the input: the C++ type of an element, and where they begin, but for the first one.
    pub streams: Vec<(String, String)>,
    /// A C++ expression for the address of the number of elements, where the device knows it.
    pub length: Option<String>,
    /// Conditions that the indices of the input name elements, each with a statement that reports it.
    pub right: Option<Vec<(String, String)>>,
    /// A C++ expression for what the map is given, of the streams' elements `x` at position `at`.
    pub element: String,
    /// How results are stored, where the output is not one buffer.
    pub storing: Option<StoringText>,
    /// The type of keys, that of offsets, and the equality of keys, if there are keys.
    pub key: String,
    pub offset: String,
    pub same: Option<String>,
}

/// Statements that store a result, and a vector of results; and a condition, that its buffers are aligned.
pub(crate) struct StoringText {
    pub element: String,
    pub vector: String,
    pub aligned: String,
}

/// What a job computes.
pub(crate) struct Functions<'a> {
    pub layouts: Layouts,
    pub known: Known,
    /// Of keys, where segments are told by them.
    pub key: Layout,
    /// Whether the kernel may find something wrong with its inputs and outputs.
    pub may_fault: bool,
    /// What tells it from the functions of other jobs, but for values that the functions hold.
    pub types: TypeId,
    /// The values that the functions hold.
    pub held: &'a Held,
    /// Its text. Made when a kernel is compiled.
    pub text: &'a dyn Fn(&mut Source) -> Text,
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
pub(crate) struct Value([MaybeUninit<u8>; upsweep_core::operator::MAX_ELEMENT_BYTES]);

impl Value {
    /// No value: kernels do not look at it.
    pub(crate) const NONE: Self = Self([MaybeUninit::zeroed(); upsweep_core::operator::MAX_ELEMENT_BYTES]);

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
    pub has_init: bool,
    /// The initial value's address, or 0.
    pub init_from: u64,
    /// The initial value, if the host knows it.
    pub init: Value,
    /// The identity, if there is no initial value. With one, the kernel takes that instead.
    pub first: Value,
    /// Of both.
    pub layout: Layout,
}

impl Begin {
    /// For what begins with its first element, and is not empty.
    pub(crate) fn nothing(layout: Layout) -> Self {
        Self { has_init: false, init_from: 0, init: Value::NONE, first: Value::NONE, layout }
    }
}

/// A job whose buffers are on loan, for the kernels that are launched next, for as long as this lives.
pub(crate) struct CudaJob<'a> {
    pub functions: Functions<'a>,
    pub shape: Shape,
    /// The input's address, and the output's.
    pub input: u64,
    pub output: u64,
    /// Results that the output has room for.
    pub outputs: usize,
    /// The stream that the output is of.
    pub output_stream: Arc<CudaStream>,
    pub begin: Begin,
    /// Where segments begin: the address of flags, keys or offsets, and how many of these there are.
    pub heads: Heads,
    pub head_source: u64,
    pub head_items: usize,
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
