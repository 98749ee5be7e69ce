//! A buffer for results, which may be uninitialised.

use crate::buffer::ViewMut;
#[allow(unused_imports, reason = "without CUDA nothing can be in the wrong place")]
use crate::error::{Error, Result};
use crate::operator::Element;
use std::marker::PhantomData;

/// A buffer for the results of a call.
#[derive(Debug)]
pub struct Target<'a, O>(pub Memory<'a, O>);

/// Memory of a [`Target`].
#[derive(Debug)]
pub enum Memory<'a, O> {
    /// Host memory that may be uninitialised: `len` elements from `start`, which nothing else uses meanwhile. In place,
    /// it holds the input.
    Host { start: *mut O, len: usize, borrow: PhantomData<&'a mut [O]> },
    /// Memory of a CUDA device.
    #[cfg(feature = "cuda")]
    Cuda(cudarc::driver::CudaViewMut<'a, O>),
}

impl<'a, O: Element> Target<'a, O> {
    pub fn new(view: ViewMut<'a, O>) -> Self {
        match view {
            ViewMut::Host(x) => Self::on_the_host(x.as_mut_ptr(), x.len()),
            #[cfg(feature = "cuda")]
            ViewMut::Cuda(x) => Self(Memory::Cuda(x)),
        }
    }

    /// Creates a target in host memory, which may be uninitialised: `len` elements from `start`, which nothing else
    /// uses while the target lives.
    pub fn on_the_host(start: *mut O, len: usize) -> Self {
        Self(Memory::Host { start, len, borrow: PhantomData })
    }

    /// Fills the buffer with zeros, if it is in host memory.
    pub fn fill_with_zeros(self) {
        match self.0 {
            // SAFETY: there is room for `len` elements; zero bits are an element of every type.
            Memory::Host { start, len, .. } => unsafe { start.write_bytes(0, len) },
            #[cfg(feature = "cuda")]
            Memory::Cuda(_) => {}
        }
    }

    pub fn len(&self) -> usize {
        match &self.0 {
            Memory::Host { len, .. } => *len,
            #[cfg(feature = "cuda")]
            Memory::Cuda(x) => x.len(),
        }
    }

    /// Returns the results' memory, for the CPU backend.
    ///
    /// # Errors
    /// [`Error::Place`] when it is not host memory.
    #[cfg_attr(not(feature = "cuda"), allow(unused_variables, reason = "all memory is host memory without CUDA"))]
    pub fn on_host(&self, what: &'static str) -> Result<(*mut O, usize)> {
        match &self.0 {
            Memory::Host { start, len, .. } => Ok((*start, *len)),
            #[cfg(feature = "cuda")]
            Memory::Cuda(_) => Err(Error::Place { what, found: "CUDA", expected: "host" }),
        }
    }
}
