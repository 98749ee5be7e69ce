//! The same code compiled for several instruction sets, chosen when it runs.
//!
//! A kernel is generic code that LLVM vectorises. What LLVM does not find by itself, the shuffles in a register, is in
//! [`Lanes`]. A kernel is compiled once for each instruction set, in a function of its own ([`Lanes::call`]); all else that it
//! calls is `#[inline(always)]`, so that it has these instructions, too. A job chooses once, and calls its kernels by
//! pointer. No result depends on the choice: the grouping of the operator's applications is part of the generic code, and
//! there is no fused multiply-add that the code does not ask for.
//!
//! Builds with debug assertions have the baseline alone: three times the code would make them slow to compile, and tests
//! need neither the speed nor the choice. Tests of the vector code are run in release.

use super::lanes::{Lanes, Portable, Work};
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
use super::x86::Avx512;
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
use super::x86_avx2::Avx2;
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
use std::sync::atomic::{AtomicU8, Ordering};

/// An instruction set that this processor has.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Set(Name);

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
    pub(in crate::cpu) fn widest() -> Self {
        #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
        {
            // `Relaxed`: whoever looks finds the same.
            match FOUND.load(Ordering::Relaxed) {
                AVX512 => Self(Name::Avx512),
                AVX2 => Self(Name::Avx2),
                PORTABLE => Self(Name::Portable),
                _ => find(),
            }
        }
        #[cfg(not(all(target_arch = "x86_64", not(debug_assertions))))]
        Self(Name::Portable)
    }

    /// Whether it is the one that every processor has.
    #[inline]
    pub(in crate::cpu) fn is_portable(self) -> bool {
        matches!(self.0, Name::Portable)
    }

    /// All that this processor has, the portable one first.
    #[cfg(test)]
    pub(in crate::cpu) fn all() -> Vec<Self> {
        let all = std::iter::once(Name::Portable);
        #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
        let all = all.chain(has_avx2().then_some(Name::Avx2)).chain(has_avx512().then_some(Name::Avx512));
        all.map(Self).collect()
    }

    /// The kernel, compiled for this set, whose instructions the processor therefore has.
    #[inline]
    pub(in crate::cpu) fn compiled<W: Work>(self) -> unsafe fn(W) -> W::Result {
        match self.0 {
            Name::Portable => Portable::call::<W>,
            #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
            Name::Avx2 => Avx2::call::<W>,
            #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
            Name::Avx512 => Avx512::call::<W>,
        }
    }
}

/// What has been found: to ask for ten features takes as long as to add up some numbers.
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
static FOUND: AtomicU8 = AtomicU8::new(0);
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
const PORTABLE: u8 = 1;
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
const AVX2: u8 = 2;
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
const AVX512: u8 = 3;

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
#[cold]
fn find() -> Set {
    let (code, name) = if has_avx512() {
        (AVX512, Name::Avx512)
    } else if has_avx2() {
        (AVX2, Name::Avx2)
    } else {
        (PORTABLE, Name::Portable)
    };
    FOUND.store(code, Ordering::Relaxed);
    Set(name)
}

/// With what every processor has that has AVX2; where code asks for a fused multiply-add, a call would take longer.
#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
}

/// Byte permutations are of Ice Lake and Zen 4. What came before slows down with 512-bit vectors.
#[cfg(target_arch = "x86_64")]
pub(super) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && has_avx2()
}
