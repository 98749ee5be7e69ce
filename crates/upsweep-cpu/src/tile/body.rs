//! What is done with a job's memory, apart from how its functions are called.

use super::run::Memory;
use upsweep_core::steps::Steps;

/// What is done with the memory of a job whose steps are `S`.
pub(crate) trait Body<S: Steps> {
    type Result;

    /// Does it with the steps `E`: these are the job's, or, with the feature `small-loops`, [erased](super::erased) ones.
    ///
    /// # Safety
    /// Values of `E` are the bits of values of `S`; and what the type says.
    unsafe fn run<E: Steps>(self, steps: E, memory: Memory<E::In, E::Out>) -> Self::Result;
}

/// The same bits as another type of the same size.
///
/// # Safety
/// They are a value of `U`.
#[inline(always)]
pub(crate) unsafe fn bits<T: Copy, U: Copy>(value: T) -> U {
    const { assert!(size_of::<T>() == size_of::<U>(), "the same bits") };
    // SAFETY: the bits are a value of `U`; the sizes are equal.
    unsafe { std::mem::transmute_copy(&value) }
}
