//! The same code compiled for several instruction sets, chosen when it runs.
//!
//! A kernel is generic code that LLVM vectorises. What LLVM does not find by itself, the shuffles in a register, is in
//! [`Lanes`]. A kernel is compiled once for each instruction set, in a function of its own ([`Set::compiled`]); all that
//! the kernel calls is `#[inline(always)]`, so that it has these instructions, too. A job chooses once, and calls its
//! kernels by pointer. No result depends on the choice: the grouping of the operator's applications is part of the generic
//! code, and there is no fused multiply-add that the code does not ask for.
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

/// An instruction set that this processor has.
#[derive(Clone, Copy)]
pub(super) struct Set(Name);

#[derive(Clone, Copy)]
enum Name {
    Portable,
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    Avx2,
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    Avx512,
}

impl Set {
    /// The one with the widest vectors.
    #[inline]
    pub(super) fn widest() -> Self {
        #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
        {
            if x86::has_avx512() {
                return Self(Name::Avx512);
            }
            if is_x86_feature_detected!("avx2") {
                return Self(Name::Avx2);
            }
        }
        Self(Name::Portable)
    }

    /// All that this processor has, the portable one first.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Self> {
        let all = std::iter::once(Name::Portable);
        #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
        let all = all
            .chain(is_x86_feature_detected!("avx2").then_some(Name::Avx2))
            .chain(x86::has_avx512().then_some(Name::Avx512));
        all.map(Self).collect()
    }

    /// The kernel, compiled for this set.
    #[inline]
    pub(super) fn compiled<W: Work>(self) -> fn(W) -> W::Result {
        match self.0 {
            // SAFETY: these are the instructions that the whole program is compiled for; on aarch64 NEON is among them.
            Name::Portable => |work| unsafe { work.run::<Portable>() },
            // SAFETY: whoever made this value has found all features that the function enables.
            #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
            Name::Avx2 => |work| unsafe { x86::avx2(work) },
            // SAFETY: as above.
            #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
            Name::Avx512 => |work| unsafe { x86::avx512(work) },
        }
    }
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
