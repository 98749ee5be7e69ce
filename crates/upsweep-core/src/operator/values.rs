//! Values that functions hold, in a kernel's parameters.
//!
//! The values of functions (`#[param]`) are parameters and not text, so that one compiled kernel serves all of them.
//! They are at the end of a kernel's parameters (`Params` in `upsweep-cuda/src/params.rs`), in the order in which the
//! functions of a job are visited. Both `JobSteps::values` and `JobSteps::code` keep to that order. It is an error if a
//! kernel's text requests a different number of bytes than was added.

use super::element::Element;
use super::source::{Source, place};
use std::mem::MaybeUninit;

/// Largest number of bytes of values that the functions of one call hold together.
pub const MAX_VALUES_BYTES: usize = 2048;

/// Values that the functions of one call hold, in the order in which their CUDA C++ requests them
/// ([`Source::value`](super::Source::value)).
pub struct Values {
    bytes: [MaybeUninit<u8>; MAX_VALUES_BYTES],
    /// Number of bytes needed, which may exceed the capacity.
    len: usize,
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Values").field("len", &self.len).finish_non_exhaustive()
    }
}

impl Values {
    #[inline(always)]
    pub const fn new() -> Self {
        Self { bytes: [MaybeUninit::uninit(); MAX_VALUES_BYTES], len: 0 }
    }

    /// Adds a value after the others.
    pub fn push<T: Element>(&mut self, value: T) {
        let at = place::<T>(&mut self.len);
        if let Some(to) = self.bytes.get_mut(at..at + size_of::<T>()) {
            // SAFETY: `to` has room for a `T`; the write may be unaligned.
            unsafe { to.as_mut_ptr().cast::<T>().write_unaligned(value) };
        }
    }

    /// Adds padding in place of a value of type `T` that the kernel does not read.
    #[cfg(feature = "cuda")]
    pub fn skip<T: Element>(&mut self) {
        let at = place::<T>(&mut self.len);
        if let Some(to) = self.bytes.get_mut(at..at + size_of::<T>()) {
            to.fill(MaybeUninit::new(0));
        }
    }

    /// Adds padding until the values have `len` bytes.
    #[cfg(feature = "cuda")]
    pub fn fill(&mut self, len: usize) {
        if let Some(to) = self.bytes.get_mut(self.len..len) {
            to.fill(MaybeUninit::new(0));
        }
        self.len = len;
    }

    /// Returns the number of bytes that the values need; more than [`MAX_VALUES_BYTES`] do not fit.
    pub fn len(&self) -> usize {
        self.len
    }

    #[cfg(feature = "cuda")]
    pub fn bytes(&self) -> &[MaybeUninit<u8>] {
        self.bytes.get(..self.len).unwrap_or(&self.bytes)
    }
}

impl Source {
    /// Returns a C++ expression of the next value that a function holds, a `T`. The function adds its values in
    /// [`Operator::values`](super::Operator::values), in the same order. A definition that uses the expression needs a
    /// key of its own for each value, as its text differs.
    pub fn value<T: Element>(&mut self) -> String {
        let (ty, at) = (T::cuda_type(self), self.next_value::<T>());
        format!("given_value<{ty}>({at})")
    }

    /// Returns an expression of an array whose elements are read one by one, as [`value`](Source::value) does: it
    /// supports `at(i, x)` and `x.at[i]`.
    #[doc(hidden)]
    pub fn array_value<T: Element, const N: usize>(&mut self) -> String {
        let (ty, at) = (T::cuda_type(self), self.next_value::<[T; N]>());
        format!("GivenArray<{ty}, {N}, {at}>()")
    }
}
