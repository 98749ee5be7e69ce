//! A job without its types: here they end. What follows is sizes, addresses and text, compiled once.

use super::features::{Heads, Layout, Layouts};
use super::{Cuda, Loan};
use crate::buffer::{View, ViewMut};
use crate::error::{Error, Result};
use crate::init::InitSource;
use crate::job::{Elements, Job, Target};
use crate::operator::{Element, Function, Source};
use crate::plan::Shape;
use crate::segments::{SegmentKind, Segmentation};
use crate::steps::{Code, Held, Known, Steps};
use cudarc::driver::{CudaStream, DeviceSlice};
use std::any::TypeId;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// What a job contributes to its kernel's text.
pub(crate) struct Text {
    pub(crate) code: Code,
    /// The type of keys, that of offsets, and the equality of keys, if there are keys.
    pub(crate) key: String,
    pub(crate) offset: String,
    pub(crate) same: Option<String>,
}

/// What a job computes.
pub(crate) struct Functions<'a> {
    pub(crate) layouts: Layouts,
    pub(crate) known: Known,
    /// What tells it from the functions of other jobs, but for values that the functions hold.
    pub(crate) types: TypeId,
    /// The values that the functions hold.
    pub(crate) held: &'a Held,
    /// Its text. Made when a kernel is compiled.
    pub(crate) text: &'a dyn Fn(&mut Source) -> Text,
}

impl<'a> Functions<'a> {
    /// Of a job with the steps `S` and the segmentation `G`; `text` is [`text_of`] them.
    pub(crate) fn of<S: Steps, G: Segmentation>(text: &'a dyn Fn(&mut Source) -> Text, held: &'a Held) -> Self {
        Self {
            layouts: layouts_of::<S>(),
            known: S::known(),
            types: TypeId::of::<(S, G::Key, G::Offset, G::Same)>(),
            held,
            text,
        }
    }
}

pub(crate) fn layouts_of<S: Steps>() -> Layouts {
    Layouts { input: Layout::of::<S::In>(), acc: Layout::of::<S::Acc>(), output: Layout::of::<S::Out>() }
}

/// The text of a job's functions.
pub(crate) fn text_of<S: Steps, G: Segmentation>(source: &mut Source, steps: &S, same: Option<&G::Same>) -> Text {
    let code = steps.code(source);
    let (key, offset) = (G::Key::cuda_type(source), G::Offset::cuda_type(source));
    Text { code, key, offset, same: same.map(|same| same.cuda_function(source)) }
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
    _loans: [Loan<'a>; 4],
}

impl<'a> CudaJob<'a> {
    /// Borrows a job's buffers. A scan may be in place: it stores each result where nothing is left to be read.
    ///
    /// # Errors
    /// [`Error::Place`], [`Error::Device`] when a buffer is not where the device computes; [`Error::Overlap`] when one
    /// overlaps the results; [`Error::Length`] when the initial value's buffer is empty.
    pub(crate) fn open<S: Steps, G: Segmentation>(
        cuda: &'a Cuda,
        job: &'a mut Job<'_, S, G>,
        functions: Functions<'a>,
        in_place: bool,
    ) -> Result<Self> {
        let Job { input, output, shape, init, segments, steps } = job;
        let Target::Cuda(output) = output else {
            return Err(Error::Place { what: "output", found: "host", expected: "CUDA" });
        };
        let (outputs, output_stream) = (output.len(), output.stream().clone());
        let (output, output_loan) = cuda.write("output", output)?;
        let results = Extent::new::<S::Out>(output, outputs);
        let read = Reader { cuda, results };
        let (input, input_loan) = match input {
            Elements::Buffer(view) => cuda.read("input", view)?,
            Elements::OfOutput => (output, Loan::default()),
        };
        if !in_place || input != output || size_of::<S::In>() != size_of::<S::Out>() {
            results.must_not_meet(Extent::new::<S::In>(input, shape.lines() * shape.len))?;
        }
        let mut begin = Begin { has_init: !init.is_none(), ..Begin::nothing(Layout::of::<S::Acc>()) };
        let mut init_loan = Loan::default();
        match init {
            InitSource::None => begin.first = steps.identity().map_or(Value::NONE, Value::of),
            InitSource::Value(value) => begin.init = Value::of(steps.given(*value)),
            InitSource::Buffer(view) if view.is_empty() => {
                return Err(Error::Length { what: "initial value", found: 0, expected: 1 });
            }
            InitSource::Buffer(view) => (begin.init_from, init_loan) = read.view("initial value", view, 1)?,
        }
        let heads = heads_of(segments);
        let ((head_source, heads_loan), head_items) = match segments {
            SegmentKind::Whole => (Default::default(), 0),
            SegmentKind::HeadFlags(view) => (read.view("head flags", view, view.len())?, view.len()),
            SegmentKind::Keys(view, _) => (read.view("keys", view, view.len())?, view.len()),
            SegmentKind::Offsets(view) => (read.view("offsets", view, view.len())?, view.len()),
        };
        Ok(Self {
            functions,
            shape: *shape,
            input,
            output,
            outputs,
            output_stream,
            begin,
            heads,
            head_source,
            head_items,
            _loans: [input_loan, output_loan, init_loan, heads_loan],
        })
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

/// Lends inputs, which must not overlap the results.
struct Reader<'a> {
    cuda: &'a Cuda,
    results: Extent,
}

impl<'a> Reader<'a> {
    fn view<T>(&self, what: &'static str, view: &'a View<'_, T>, elements: usize) -> Result<(u64, Loan<'a>)> {
        let (address, loan) = self.cuda.read(what, view)?;
        self.results.must_not_meet(Extent::new::<T>(address, elements))?;
        Ok((address, loan))
    }
}

/// A range of device memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    start: u64,
    bytes: u64,
}

impl Extent {
    pub(super) fn new<T>(start: u64, len: usize) -> Self {
        Self { start, bytes: len as u64 * size_of::<T>() as u64 }
    }

    /// # Errors
    /// [`Error::Overlap`] when the two have a byte in common.
    pub(super) fn must_not_meet(self, other: Self) -> Result<()> {
        let apart = self.bytes == 0
            || other.bytes == 0
            || self.start + self.bytes <= other.start
            || other.start + other.bytes <= self.start;
        if apart { Ok(()) } else { Err(Error::Overlap) }
    }
}
