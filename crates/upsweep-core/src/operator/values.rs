//! The values that functions hold, on their way to a kernel's parameters.
//!
//! The values of functions (`#[param]`) are parameters and not text, so one compiled kernel serves all of them. They
//! lie at the end of a kernel's parameters (`Params` in `upsweep-cuda/src/params.rs`), in the order in which the
//! functions of a job are visited. Both `JobSteps::values` and `JobSteps::code` keep to that order. A kernel whose text
//! asks for other bytes than were added is an error.

use super::element::Element;
use super::source::{Source, place};
use std::mem::MaybeUninit;

/// The most bytes of values that the functions of one call hold together.
pub const MAX_VALUES_BYTES: usize = 2048;

/// The values that the functions of one call hold, in the order in which their CUDA C++ asks for them
/// ([`Source::value`](super::Source::value)).
pub struct Values {
    bytes: [MaybeUninit<u8>; MAX_VALUES_BYTES],
    /// How many bytes there would be, if all fitted.
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
            // SAFETY: there is room for it; the address may be any.
            unsafe { to.as_mut_ptr().cast::<T>().write_unaligned(value) };
        }
    }

    /// Adds the place of a value that nobody reads.
    #[cfg(feature = "cuda")]
    pub fn skip<T: Element>(&mut self) {
        let at = place::<T>(&mut self.len);
        if let Some(to) = self.bytes.get_mut(at..at + size_of::<T>()) {
            to.fill(MaybeUninit::new(0));
        }
    }

    /// Adds places for values that nobody reads, so that there are `len` bytes.
    #[cfg(feature = "cuda")]
    pub fn fill(&mut self, len: usize) {
        if let Some(to) = self.bytes.get_mut(self.len..len) {
            to.fill(MaybeUninit::new(0));
        }
        self.len = len;
    }

    /// Their bytes; more than [`MAX_VALUES_BYTES`] do not fit.
    pub fn len(&self) -> usize {
        self.len
    }

    #[cfg(feature = "cuda")]
    pub fn bytes(&self) -> &[MaybeUninit<u8>] {
        self.bytes.get(..self.len).unwrap_or(&self.bytes)
    }
}

impl Source {
    /// A C++ expression of the next value that a function holds, a `T`: the values are those that the function adds in
    /// [`Operator::values`](super::Operator::values), in the same order. What is defined with it has a key of its own for
    /// each value, as its text is another one.
    pub fn value<T: Element>(&mut self) -> String {
        let (ty, at) = (T::cuda_type(self), self.next_value::<T>());
        format!("given_value<{ty}>({at})")
    }

    /// As [`value`](Source::value), of an array whose elements are read one by one: `at(i, x)` and `x.at[i]` are what it knows.
    #[doc(hidden)]
    pub fn array_value<T: Element, const N: usize>(&mut self) -> String {
        let (ty, at) = (T::cuda_type(self), self.next_value::<[T; N]>());
        format!("GivenArray<{ty}, {N}, {at}>()")
    }
}
