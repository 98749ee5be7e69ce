//! The values that functions hold, on their way to a kernel's parameters.

use super::Element;
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
    pub(crate) const fn new() -> Self {
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

    /// Their bytes; more than [`MAX_VALUES_BYTES`] do not fit.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[cfg(feature = "cuda")]
    pub(crate) fn bytes(&self) -> &[MaybeUninit<u8>] {
        self.bytes.get(..self.len).unwrap_or(&self.bytes)
    }
}

/// Where a `T` comes to lie after `len` bytes of others, and after that `len` with it.
pub(super) fn place<T>(len: &mut usize) -> usize {
    let at = len.next_multiple_of(align_of::<T>());
    *len = at + size_of::<T>();
    at
}
