//! What every family does before it launches its kernel: borrow the buffers, take the initial value, find the kernel.

use super::text::{Features, Functions, Types};
use super::{Cuda, Kernel, KernelKey, KernelSource, Loan};
use crate::job::{InitSource, Source, Target};
use crate::operator::{Element, Operator};
use crate::segments::Segmentation;
use crate::{Error, Result, View};
use cudarc::driver::{CudaStream, DeviceSlice};
use std::any::TypeId;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// The input and the output of the kernel that is launched next. They are on loan for as long as this lives.
pub(super) struct Buffers<'a> {
    cuda: &'a Cuda,
    /// The input's address.
    pub(super) input: u64,
    /// The output's address.
    pub(super) output: u64,
    /// The stream that the output is of.
    pub(super) output_stream: Arc<CudaStream>,
    results: Extent,
    _loans: [Loan<'a>; 2],
}

impl<'a> Buffers<'a> {
    /// Borrows `elements` elements and as many results as the output has room for.
    ///
    /// # Errors
    /// [`Error::Place`], [`Error::Device`] when a buffer is not where the device computes; [`Error::Overlap`] when the
    /// two overlap, unless it is a scan in place, which stores each result where nothing is left to be read.
    pub(super) fn borrow<I, O>(
        cuda: &'a Cuda,
        input: &'a Source<'_, I>,
        output: &'a mut Target<'_, O>,
        elements: usize,
        reduces: bool,
    ) -> Result<Self> {
        let Target::Cuda(output) = output else {
            return Err(Error::Place { what: "output", found: "host", expected: "CUDA" });
        };
        let (outputs, output_stream) = (output.len(), output.stream().clone());
        let (output, output_loan) = cuda.write("output", output)?;
        let (input, input_loan) = match input {
            Source::Buffer(view) => cuda.read("input", view)?,
            Source::Output => (output, Loan::default()),
        };
        let results = Extent::new(output, outputs, size_of::<O>());
        if input != output || size_of::<I>() != size_of::<O>() || reduces {
            results.must_not_meet(Extent::new(input, elements, size_of::<I>()))?;
        }
        Ok(Self { cuda, input, output, output_stream, results, _loans: [input_loan, output_loan] })
    }

    /// The address of another input, of which `elements` elements are read. They must not overlap the results.
    pub(super) fn read<T>(
        &self,
        what: &'static str,
        view: &'a View<'_, T>,
        elements: usize,
    ) -> Result<(u64, Loan<'a>)> {
        let (address, loan) = self.cuda.read(what, view)?;
        self.results.must_not_meet(Extent::new(address, elements, size_of::<T>()))?;
        Ok((address, loan))
    }

    /// What results begin with.
    ///
    /// # Errors
    /// [`Error::Length`] when the initial value's buffer is empty, and those of [`read`](Self::read).
    pub(super) fn begin<T: Element>(
        &self,
        init: &'a InitSource<'_, T>,
        operator: &impl Operator<T>,
    ) -> Result<Begin<'a, T>> {
        let mut begin = Begin::nothing();
        match init {
            InitSource::None => {
                if let Some(identity) = operator.identity() {
                    begin.first.write(identity);
                }
            }
            InitSource::Value(value) => {
                begin.init.write(*value);
            }
            InitSource::Buffer(view) if view.is_empty() => {
                return Err(Error::Length { what: "initial value", found: 0, expected: 1 });
            }
            InitSource::Buffer(view) => (begin.init_from, begin._loan) = self.read("initial value", view, 1)?,
        }
        Ok(begin)
    }
}

/// What results begin with, as the kernels' parameters have it. A kernel reads only what was given.
pub(super) struct Begin<'a, T> {
    /// The initial value's address, or 0.
    pub(super) init_from: u64,
    /// The initial value, if the host knows it.
    pub(super) init: MaybeUninit<T>,
    /// The identity, if there is no initial value. With one, the kernel takes that instead.
    pub(super) first: MaybeUninit<T>,
    _loan: Loan<'a>,
}

impl<T> Begin<'_, T> {
    /// For what begins with its first element, and is not empty.
    pub(super) fn nothing() -> Self {
        Self { init_from: 0, init: MaybeUninit::zeroed(), first: MaybeUninit::zeroed(), _loan: Loan::default() }
    }
}

/// A family's kernel for a job; `source` is asked only when this process has not used it yet.
pub(super) fn kernel<J: Types>(
    cuda: &Cuda,
    family: &'static str,
    features: Features,
    functions: &Functions<'_, J>,
    source: impl FnOnce() -> KernelSource,
) -> Result<Arc<Kernel>> {
    type Of<S> = (<S as Segmentation>::Key, <S as Segmentation>::Offset, <S as Segmentation>::Same);
    let types = TypeId::of::<(J::In, J::Out, J::Op, J::Map, J::Finish, Of<J::Segments>)>();
    let options = features.bits() | functions.data_bits(features);
    cuda.kernel(KernelKey { types, family, options }, source)
}

/// A range of device memory.
#[derive(Clone, Copy, Debug)]
struct Extent {
    start: u64,
    bytes: u64,
}

impl Extent {
    fn new(start: u64, len: usize, size: usize) -> Self {
        Self { start, bytes: len as u64 * size as u64 }
    }

    /// # Errors
    /// [`Error::Overlap`] when the two have a byte in common.
    fn must_not_meet(self, other: Self) -> Result<()> {
        let apart = self.bytes == 0
            || other.bytes == 0
            || self.start + self.bytes <= other.start
            || other.start + other.bytes <= self.start;
        if apart { Ok(()) } else { Err(Error::Overlap) }
    }
}
