//! A scan or reduction whose options fit its buffers: what the public builders hand to a backend.

use crate::operator::Element;
use crate::plan::Shape;
use crate::segments::{SegmentKind, Segmentation};
use crate::{Error, Result, View, ViewMut};
use std::marker::PhantomData;

/// Everything a backend needs to know. `T` is what the operator combines, between `map` and `finish`.
pub(crate) struct Job<'a, I, T, O, Op, M, F, S: Segmentation> {
    pub(crate) input: Source<'a, I>,
    pub(crate) output: Target<'a, O>,
    pub(crate) shape: Shape,
    pub(crate) init: InitSource<'a, T>,
    pub(crate) segments: SegmentKind<'a, S::Key, S::Offset, S::Same>,
    pub(crate) operator: Op,
    pub(crate) map: M,
    pub(crate) finish: F,
}

/// What a scan has and a reduction has not. The default is forward and inclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Direction {
    pub(crate) exclusive: bool,
    pub(crate) reverse: bool,
}

/// Where the elements come from.
pub(crate) enum Source<'a, I> {
    /// A buffer of their own.
    Buffer(View<'a, I>),
    /// The output's own memory: a scan in place.
    Output,
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

/// Where the initial value comes from; see [`Init`].
#[derive(Debug)]
pub enum InitSource<'a, T> {
    /// There is none.
    None,
    /// It is known on the host.
    Value(T),
    /// It is element 0 of a buffer.
    Buffer(View<'a, T>),
}

/// An initial value, or none. Implemented by [`NoInit`], [`InitValue`] and [`InitFrom`].
pub trait Init<T: Element> {
    /// The initial value or where it lies.
    fn source(&self) -> InitSource<'_, T>;
}

/// No initial value.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoInit;

/// An initial value that the host knows.
#[derive(Clone, Copy, Debug)]
pub struct InitValue<T>(pub(crate) T);

/// An initial value that lies in a buffer of one element, where the device computes.
#[derive(Debug)]
pub struct InitFrom<'a, B: ?Sized>(pub(crate) &'a B);

impl<T: Element> Init<T> for NoInit {
    fn source(&self) -> InitSource<'_, T> {
        InitSource::None
    }
}

impl<T: Element> Init<T> for InitValue<T> {
    fn source(&self) -> InitSource<'_, T> {
        InitSource::Value(self.0)
    }
}

impl<T: Element, B: crate::Input<Item = T> + ?Sized> Init<T> for InitFrom<'_, B> {
    fn source(&self) -> InitSource<'_, T> {
        InitSource::Buffer(self.0.view())
    }
}

impl<T: Element> InitSource<'_, T> {
    /// The initial value of a job on the CPU.
    ///
    /// # Errors
    /// [`Error::Length`] when the buffer is empty, [`Error::Place`] when it is not in host memory.
    pub(crate) fn on_host(&self) -> Result<Option<T>> {
        match self {
            Self::None => Ok(None),
            Self::Value(value) => Ok(Some(*value)),
            Self::Buffer(view) => match view.on_host("initial value")? {
                [first, ..] => Ok(Some(*first)),
                [] => Err(Error::Length { what: "initial value", found: 0, expected: 1 }),
            },
        }
    }

    /// Whether there is no initial value.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

impl<'a, T> View<'a, T> {
    /// The elements, for the CPU backend.
    ///
    /// # Errors
    /// [`Error::Place`] when they are not in host memory.
    #[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "all memory is host memory without CUDA"))]
    pub(crate) fn on_host(&self, what: &'static str) -> Result<&'a [T]> {
        match self {
            Self::Host(x) => Ok(x),
            #[cfg(feature = "cuda")]
            Self::Cuda(_) => Err(Error::Place { what, found: "CUDA", expected: "host" }),
        }
    }
}
