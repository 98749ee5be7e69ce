//! A scan or reduction whose options fit its buffers: what the public builders hand to a backend.

use crate::buffer::{View, ViewMut};
#[allow(unused_imports, reason = "without CUDA nothing can be in the wrong place")]
use crate::error::{Error, Result};
use crate::init::InitSource;
use crate::operator::Element;
use crate::plan::Shape;
use crate::segments::{SegmentKind, Segmentation};
use crate::steps::Steps;
use std::marker::PhantomData;

/// Everything a backend needs to know.
pub(crate) struct Job<'a, S: Steps, G: Segmentation> {
    pub(crate) input: Elements<'a, S::In>,
    pub(crate) output: Target<'a, S::Out>,
    pub(crate) shape: Shape,
    pub(crate) init: InitSource<'a, S::Given>,
    pub(crate) segments: SegmentKind<'a, G::Key, G::Offset, G::Same>,
    pub(crate) steps: S,
}

/// Options that only scans have. The default is forward and inclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Direction {
    pub(crate) exclusive: bool,
    pub(crate) reverse: bool,
}

/// Where the elements come from.
pub(crate) enum Elements<'a, I> {
    /// A buffer of their own.
    Buffer(View<'a, I>),
    /// The output's own memory: a scan in place.
    OfOutput,
}

/// Where the results go.
pub(crate) enum Target<'a, O> {
    /// Host memory that may be uninitialised: `len` elements from `start`, which nothing else uses meanwhile. In
    /// place it holds the input.
    Host { start: *mut O, len: usize, borrow: PhantomData<&'a mut [O]> },
    /// CUDA memory.
    #[cfg(feature = "cuda")]
    Cuda(cudarc::driver::CudaViewMut<'a, O>),
}

impl<'a, O: Element> Target<'a, O> {
    pub(crate) fn new(view: ViewMut<'a, O>) -> Self {
        match view {
            ViewMut::Host(x) => Self::Host { start: x.as_mut_ptr(), len: x.len(), borrow: PhantomData },
            #[cfg(feature = "cuda")]
            ViewMut::Cuda(x) => Self::Cuda(x),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Host { len, .. } => *len,
            #[cfg(feature = "cuda")]
            Self::Cuda(x) => x.len(),
        }
    }

    /// The results' memory, for the CPU backend.
    ///
    /// # Errors
    /// [`Error::Place`] when it is not host memory.
    pub(crate) fn on_host(&self) -> Result<(*mut O, usize)> {
        match self {
            Self::Host { start, len, .. } => Ok((*start, *len)),
            #[cfg(feature = "cuda")]
            Self::Cuda(_) => Err(Error::Place { what: "output", found: "CUDA", expected: "host" }),
        }
    }
}
