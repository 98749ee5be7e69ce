//! The same code compiled for several instruction sets, chosen when it runs.
//!
//! A kernel is generic code that LLVM vectorises. What LLVM does not find by itself, the shuffles in a register, is in
//! [`Lanes`]. A kernel is compiled once for each instruction set, in a function of its own ([`Lanes::call`]); all else that it
//! calls is `#[inline(always)]`, so that it has these instructions, too. A job chooses once, and calls its kernels by
//! pointer. No result depends on the choice: the grouping of the operator's applications is part of the generic code, and
//! there is no fused multiply-add that the code does not ask for.
//!
//! The feature `small-loops` leaves the portable set alone: three times the code is slow to compile. No build profile chooses.
//!
//! Tests cap the choice: with `UPSWEEP_TEST_INSTRUCTIONS=portable` or `avx2` in the environment no wider set is taken, so that one machine
//! tests all that it has.

use super::lanes::{Lanes, Portable, Work};
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
use super::x86_avx2::Avx2;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
use super::x86_avx512::Avx512;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
use std::sync::atomic::{AtomicU8, Ordering};

/// An instruction set that this processor has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Set(Name);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Name {
    Portable,
    #[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
    Avx2,
    #[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
    Avx512,
}

impl Set {
    /// The one with the widest vectors.
    #[inline]
    pub(crate) fn widest() -> Self {
        #[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
        {
            // `Relaxed`: whoever looks finds the same.
            match FOUND.load(Ordering::Relaxed) {
                AVX512 => Self(Name::Avx512),
                AVX2 => Self(Name::Avx2),
                PORTABLE => Self(Name::Portable),
                _ => find(),
            }
        }
        #[cfg(not(all(target_arch = "x86_64", not(feature = "small-loops"))))]
        Self(Name::Portable)
    }

    /// Whether it is the one that every processor has.
    #[inline]
    pub(crate) fn is_portable(self) -> bool {
        matches!(self.0, Name::Portable)
    }

    /// Whether it is the one of 64-byte vectors.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(super) fn is_avx512(self) -> bool {
        #[cfg(not(feature = "small-loops"))]
        return matches!(self.0, Name::Avx512);
        #[cfg(feature = "small-loops")]
        false
    }

    /// All that this processor has, the portable one first.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        let all = std::iter::once(Name::Portable);
        #[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
        let all = all.chain(has_avx2().then_some(Name::Avx2)).chain(has_avx512().then_some(Name::Avx512));
        all.map(Self).collect()
    }

    /// The kernel, compiled for this set, whose instructions the processor therefore has.
    #[inline]
    pub(crate) fn compiled<W: Work>(self) -> unsafe fn(W) -> W::Result {
        match self.0 {
            Name::Portable => Portable::call::<W>,
            #[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
            Name::Avx2 => Avx2::call::<W>,
            #[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
            Name::Avx512 => Avx512::call::<W>,
        }
    }
}

/// What has been found: to ask for ten features takes as long as to add up some numbers.
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
static FOUND: AtomicU8 = AtomicU8::new(0);
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
const PORTABLE: u8 = 1;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
const AVX2: u8 = 2;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
const AVX512: u8 = 3;

#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
#[cold]
fn find() -> Set {
    let cap = std::env::var_os("UPSWEEP_TEST_INSTRUCTIONS");
    let capped = |most: &str| cap.as_ref().is_some_and(|cap| cap == most);
    let (code, name) = if has_avx512() && !capped("avx2") && !capped("portable") {
        (AVX512, Name::Avx512)
    } else if has_avx2() && !capped("portable") {
        (AVX2, Name::Avx2)
    } else {
        (PORTABLE, Name::Portable)
    };
    FOUND.store(code, Ordering::Relaxed);
    Set(name)
}

/// With what every processor has that has AVX2; where code asks for a fused multiply-add, a call would take longer.
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
}

/// Byte permutations are of Ice Lake and Zen 4. What came before slows down with 512-bit vectors.
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && has_avx2()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The set that a run's tests are of is the one that was asked for, where the processor has it.
    #[test]
    fn the_cap_holds() {
        let widest = Set::widest();
        let all = Set::all();
        match std::env::var("UPSWEEP_TEST_INSTRUCTIONS").as_deref() {
            Err(_) | Ok("avx512") => assert_eq!(Some(&widest), all.last()),
            Ok("avx2") => assert_eq!(Some(&widest), all[..all.len().min(2)].last()),
            Ok("portable") => assert!(widest.is_portable()),
            Ok(other) => panic!("UPSWEEP_TEST_INSTRUCTIONS={other}: take portable, avx2 or avx512"),
        }
        println!("instruction set: {widest:?}");
    }
}
