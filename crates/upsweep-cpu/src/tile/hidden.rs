//! A number that the compiler does not know.
//!
//! LLVM unrolls loops whose lengths it can compute, and makes vectors across their turns: where that takes more than it gains, a number that
//! leads on goes through [`hidden`].

/// The same number.
#[inline(always)]
pub(super) fn hidden(n: usize) -> usize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut n = n;
        // SAFETY: the statement is empty.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) n, options(pure, nomem, nostack, preserves_flags)) };
        n
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    n
}
