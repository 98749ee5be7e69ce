//! Jobs without type parameters: sizes, addresses and text, whose code is compiled once for all jobs.
//! [`open`](super::open) makes a job.

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
use upsweep_core::lanes::lanes;
use upsweep_core::operator::{Element, Function, Source};
use upsweep_core::outputs::{Memory, Target, Write, WritingText};
use upsweep_core::segments::{SegmentKind, Segmentation};
use upsweep_core::shape::Shape;
use upsweep_core::steps::{Code, Held, In, JobSteps, Known, Out, Steps};
use upsweep_core::tree::row_len;

/// C++ text that a job contributes to its kernel.
pub(crate) struct Text {
    pub code: Code,
    /// Streams of the input (buffers that are read in order). For each: the C++ type of an element, and the expression
    /// for its address, which is empty for the first stream.
    pub streams: Vec<(String, String)>,
    /// C++ expression for the address of the number of elements, if this number lies in device memory.
    pub length: Option<String>,
    /// Bounds checks of the indices in the input. For each: the C++ condition that the index is right, and the
    /// statement that reports a wrong one.
    pub right: Option<Vec<(String, String)>>,
    /// C++ expression for the map's argument, from the elements `x` of all streams at position `at`.
    pub element: String,
    /// C++ statements that store results, unless the output is one buffer.
    pub storing: Option<StoringText>,
    /// `key` and `offset`: C++ types of keys and of offsets. `same`: name of the equality of keys, if keys delimit the
    /// segments.
    pub key: String,
    pub offset: String,
    pub same: Option<String>,
}

/// C++ statements that store one result and a vector of results, and a C++ condition that the output's buffers are
/// aligned.
pub(crate) struct StoringText {
    pub element: String,
    pub vector: String,
    pub aligned: String,
}

/// Functions of a job, with their layouts and captured values.
pub(crate) struct Functions<'a> {
    pub layouts: Layouts,
    pub known: Known,
    /// Layout of a key, if keys delimit the segments; otherwise the kernel does not read it.
    pub key: Layout,
    /// Whether the kernel may report a fault of its inputs or outputs.
    pub may_fault: bool,
    /// Identifier of a type that is different for jobs with different functions. The values that the functions capture
    /// do not count.
    pub types: TypeId,
    /// Values that the functions capture.
    pub held: &'a Held,
    /// Callback that returns the text of the functions. It is called when a kernel is compiled.
    pub text: &'a dyn Fn(&mut Source) -> Text,
}

impl<'a> Functions<'a> {
    /// Returns the functions of a job with the steps `S` and the segmentation `G`; `text` is their [`text_of`].
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
    let row = if S::TREE { row_len(size_of::<In<S>>(), output.size) } else { 0 };
    let lanes = if S::TREE { lanes(size_of::<In<S>>(), acc.size) } else { 0 };
    let (counted, apart, plain_output) = (S::In::COUNTED, S::In::APART, S::Out::PLAIN);
    Layouts { input, streams, counted, apart, acc, output, plain_output, row, lanes }
}

/// Functions of the job's input and of the job's output: what they add to the kernel's text.
pub(super) type BufferFunctions<S> = (<<S as Steps>::In as Read>::Functions, <<S as Steps>::Out as Write>::Functions);

/// Returns the functions of a job's input and output. None if the job is in place (the input is the output's memory)
/// but its input cannot be read in place.
pub(super) fn buffer_functions<S: JobSteps, G: Segmentation>(
    job: &Job<'_, '_, '_, S, G>,
) -> Option<BufferFunctions<S>> {
    let of_input = match &job.input {
        Elements::Given(given) => S::In::functions(given),
        Elements::OfOutput => S::In::functions_in_place()?,
    };
    Some((of_input, S::Out::functions(&job.output)))
}

/// Returns the text of the functions of a job: `steps`, the equality of keys `same`, and those of the input and output.
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

/// Callbacks, each of which adds one part of a job's text to a source.
struct TextParts<'a> {
    code: &'a dyn Fn(&mut Source) -> Code,
    /// Callbacks for the C++ types of keys and of offsets.
    segments: [fn(&mut Source) -> String; 2],
    same: Option<&'a dyn Fn(&mut Source) -> String>,
    /// Whether the input is a single buffer, read without anything else.
    plain: bool,
    element: &'a dyn Fn(&mut Reading<'_>) -> String,
    /// Callback for the stores of results, unless the output is one buffer.
    storing: Option<&'a dyn Fn(&mut WritingText<'_>)>,
}

impl TextParts<'_> {
    /// Returns the job's text. This function has no type parameters, so it is compiled once for all jobs.
    fn text(self, source: &mut Source) -> Text {
        let code = (self.code)(source);
        let [key, offset] = self.segments.map(|add| add(source));
        let same = self.same.map(|add| add(source));
        // The text reads captured values in the order in which `open` adds them.
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

/// Bytes of one value of any element type (at most 64 bytes).
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Value([MaybeUninit<u8>; upsweep_core::operator::MAX_ELEMENT_BYTES]);

impl Value {
    /// Zeros in place of a value that the job does not have; kernels do not read them.
    pub(crate) const NONE: Self = Self([MaybeUninit::zeroed(); upsweep_core::operator::MAX_ELEMENT_BYTES]);

    pub(super) fn of<T: Element>(value: T) -> Self {
        let mut bytes = Self::NONE;
        const { assert!(size_of::<T>() <= size_of::<Self>() && align_of::<T>() <= align_of::<Self>()) };
        // SAFETY: a `Value` is as large as the largest element, and aligned to 16 bytes.
        unsafe { bytes.0.as_mut_ptr().cast::<T>().write(value) };
        bytes
    }

    /// Returns the first `size` bytes, which may include padding.
    pub(crate) fn bytes(&self, size: usize) -> &[MaybeUninit<u8>] {
        self.0.get(..size).unwrap_or(&self.0)
    }
}

/// Beginning of a scan or a reduction: the initial value and the first result, as the kernel's parameters contain them.
/// A kernel reads the one that was given.
pub(crate) struct Begin {
    pub has_init: bool,
    /// Address of the initial value, or 0.
    pub init_from: u64,
    /// Initial value, if the host has it and it does not lie in device memory.
    pub init: Value,
    /// Identity of the operator, if it has one and there is no initial value. With an initial value the kernel takes
    /// that instead.
    pub first: Value,
    /// Layout of the initial value and of the first result.
    pub layout: Layout,
}

impl Begin {
    /// Returns a beginning with neither value: for an array that is not empty, whose first result is its first element.
    pub(crate) fn nothing(layout: Layout) -> Self {
        Self { has_init: false, init_from: 0, init: Value::NONE, first: Value::NONE, layout }
    }
}

/// Job whose buffers are borrowed, for the kernels that are launched while this lives.
pub(crate) struct CudaJob<'a> {
    pub functions: Functions<'a>,
    pub shape: Shape,
    /// Addresses of the input and of the output.
    pub input: u64,
    pub output: u64,
    /// Number of results that the output has room for.
    pub outputs: usize,
    /// Stream of the output.
    pub output_stream: Arc<CudaStream>,
    pub begin: Begin,
    /// Segment heads (the first elements of segments). `heads`: what they are found by. `head_source`: address of the
    /// flags, keys or offsets. `head_items`: number of these.
    pub heads: Heads,
    pub head_source: u64,
    pub head_items: usize,
    /// Address ranges of the buffers that are read, and of those that are written.
    pub(super) extents: [Few<Extent>; 2],
    pub(super) _loans: Few<Loan<'a>>,
}

impl CudaJob<'_> {
    /// Checks that `output`, the address range of a further output, does not overlap any of the job's buffers.
    ///
    /// # Errors
    /// [`Error::Overlap`] when `output` overlaps a buffer of the job.
    pub(super) fn must_not_meet(&self, output: Extent) -> Result<()> {
        self.extents.iter().flat_map(Few::iter).try_for_each(|extent| output.must_not_meet(*extent))
    }
}

/// Returns what the segment heads of `segments` are found by. Rows are not among the answers: they follow from the
/// shape of the array.
pub(crate) fn heads_of<K, I, E>(segments: &SegmentKind<'_, K, I, E>) -> Heads {
    match segments {
        SegmentKind::Whole => Heads::None,
        SegmentKind::HeadFlags(_) => Heads::Flags,
        SegmentKind::Keys(..) => Heads::Keys,
        SegmentKind::Offsets(_) => Heads::Offsets,
    }
}

/// Borrows a single value that a call stores besides its results, and returns its address; 0 if the caller wants none.
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

/// Borrows an output, and returns its address and the number of results that it has room for; 0 if there is no output.
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
