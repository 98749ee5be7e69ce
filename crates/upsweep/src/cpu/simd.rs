//! The same code compiled for several instruction sets, chosen when it runs.
//!
//! A kernel is generic code that LLVM vectorises, marked `#[inline(always)]` down to the loops; [`dispatch`] inlines it
//! into one function an instruction set. No result depends on the choice: the grouping of the operator's applications
//! is part of the generic code, and there is no fused multiply-add that the code does not ask for.
//!
//! Builds with debug assertions have the baseline alone: three times the code would make them slow to compile, and tests
//! need neither the speed nor the choice. Tests of the vector code are run in release.

/// A kernel with its arguments.
pub(super) trait Work {
    type Result;
    /// Runs the kernel. Implementations are `#[inline(always)]`, and so is what they call.
    fn run(self) -> Self::Result;
}

/// Runs `work` with the widest vectors that this processor has.
#[inline]
pub(super) fn dispatch<W: Work>(work: W) -> W::Result {
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
        {
            // SAFETY: the processor has all features that the function enables.
            return unsafe { avx512(work) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { avx2(work) };
        }
    }
    // On aarch64 this is NEON, which is part of its baseline.
    work.run()
}

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<W: Work>(work: W) -> W::Result {
    work.run()
}

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
#[target_feature(enable = "avx2")]
fn avx2<W: Work>(work: W) -> W::Result {
    work.run()
}
