//! Kernel body of a job: the work on its memory, generic over typed or type-erased steps.

use super::run::Memory;
use upsweep_core::steps::Steps;

/// Kernel body of a job whose steps are `S`.
pub(crate) trait Body<S: Steps> {
    type Result;

    /// Runs the body with the steps `E`: the job's, or, with the feature `small-loops`, [erased](super::erased) ones.
    ///
    /// # Safety
    /// The element types of `E` have the bits of those of `S`. The type that implements this may add conditions.
    unsafe fn run<E: Steps>(self, steps: E, memory: Memory<E::In, E::Out>) -> Self::Result;
}

/// Reinterprets the bits of a value as another type of the same size.
///
/// # Safety
/// The bits are a value of `U`.
#[inline(always)]
pub(crate) unsafe fn bits<T: Copy, U: Copy>(value: T) -> U {
    const { assert!(size_of::<T>() == size_of::<U>(), "the same bits") };
    // SAFETY: the bits are a value of `U`, and the sizes are equal.
    unsafe { std::mem::transmute_copy(&value) }
}
