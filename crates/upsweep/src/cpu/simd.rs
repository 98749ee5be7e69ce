//! The same code compiled for several instruction sets, chosen when it runs.
//!
//! A kernel is generic code that LLVM vectorises, marked `#[inline(always)]` down to the loops; [`dispatch`] inlines it
//! into one function an instruction set. What LLVM does not find by itself, the shuffles in a register, is in
//! [`Lanes`]. No result depends on the choice: the grouping of the operator's applications is part of the generic code,
//! and there is no fused multiply-add that the code does not ask for.
//!
//! Builds with debug assertions have the baseline alone: three times the code would make them slow to compile, and tests
//! need neither the speed nor the choice. Tests of the vector code are run in release.

use super::lanes::{Lanes, Portable};

/// A kernel with its arguments.
pub(super) trait Work {
    type Result;
    /// Runs the kernel. Implementations are `#[inline(always)]`, and so is what they call.
    ///
    /// # Safety
    /// The processor has the instructions of `L`.
    unsafe fn run<L: Lanes>(self) -> Self::Result;
}

/// Runs `work` with the widest vectors that this processor has.
#[inline]
pub(super) fn dispatch<W: Work>(work: W) -> W::Result {
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    {
        if x86::has_avx512() {
            // SAFETY: the processor has all features that the function enables.
            return unsafe { x86::avx512(work) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { x86::avx2(work) };
        }
    }
    // SAFETY: these are the instructions that the whole program is compiled for; on aarch64 NEON is among them.
    unsafe { work.run::<Portable>() }
}

/// The results of `work` with each instruction set that this processor has, the portable one first.
#[cfg(test)]
pub(super) fn on_each<W: Work + Copy, R>(work: W, result: impl Fn(W::Result) -> R) -> Vec<R> {
    // SAFETY: as in `dispatch`, here and below.
    let portable = result(unsafe { work.run::<Portable>() });
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    {
        let mut results = vec![portable];
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            results.push(result(unsafe { x86::avx2(work) }));
        }
        if x86::has_avx512() {
            // SAFETY: as above.
            results.push(result(unsafe { x86::avx512(work) }));
        }
        results
    }
    #[cfg(not(all(target_arch = "x86_64", not(debug_assertions))))]
    vec![portable]
}

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
mod x86 {
    use super::Work;
    use crate::cpu::lanes::{Avx2, Avx512};

    /// Byte permutations are of Ice Lake and Zen 4. What came before slows down with 512-bit vectors.
    #[inline]
    pub(super) fn has_avx512() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
    pub(super) fn avx512<W: Work>(work: W) -> W::Result {
        // SAFETY: this function has the features of `Avx512`.
        unsafe { work.run::<Avx512>() }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn avx2<W: Work>(work: W) -> W::Result {
        // SAFETY: this function has the features of `Avx2`.
        unsafe { work.run::<Avx2>() }
    }
}
