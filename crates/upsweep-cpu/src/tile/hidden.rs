//! Optimisation barrier for a loop counter.
//!
//! LLVM unrolls loops whose lengths it can compute, and makes vectors across iterations. If that costs more than it
//! gains, the loop counter goes through [`hidden`].

/// Returns `n`, of which the compiler then knows nothing.
#[inline(always)]
pub(super) fn hidden(n: usize) -> usize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut n = n;
        // SAFETY: the assembly is a comment: it has no instructions.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) n, options(pure, nomem, nostack, preserves_flags)) };
        n
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    n
}
