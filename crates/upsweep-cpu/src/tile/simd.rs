//! Runtime dispatch: kernels are compiled for several instruction sets, and one is chosen at run time.
//!
//! A kernel is generic code that LLVM vectorises. LLVM does not find the shuffles in a register by itself: these are in
//! [`Lanes`]. A kernel is compiled once for each instruction set, in a function of its own ([`Lanes::call`]). All
//! functions that it calls are `#[inline(always)]`, so that they have these instructions, too. A job chooses once, and
//! calls its kernels by pointer. No result depends on the choice: the grouping of the operator's applications is part
//! of the generic code, and there is no fused multiply-add that the code does not ask for.
//!
//! With the feature `small-loops` only the portable set is compiled, as three times the code is slow to compile. No
//! build profile enables it.
//!
//! Tests cap the choice: with `UPSWEEP_TEST_INSTRUCTIONS=portable` or `avx2` in the environment no wider set is taken,
//! so that one machine tests all of its sets.

use super::lanes::{Lanes, Portable, Work};
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
use super::x86_avx2::Avx2;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
use super::x86_avx512::Avx512;
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
use std::sync::atomic::{AtomicU8, Ordering};

/// Instruction set of this processor.
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
    /// Returns the instruction set of this processor that has the widest vectors.
    #[inline]
    pub(crate) fn widest() -> Self {
        #[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
        {
            // `Relaxed`: all threads store the same value.
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

    /// Whether this is the portable set, which every processor has.
    #[inline]
    pub(crate) fn is_portable(self) -> bool {
        matches!(self.0, Name::Portable)
    }

    /// Whether this is AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(super) fn is_avx512(self) -> bool {
        #[cfg(not(feature = "small-loops"))]
        return matches!(self.0, Name::Avx512);
        #[cfg(feature = "small-loops")]
        false
    }

    /// Returns all sets of this processor, the portable one first.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        let all = std::iter::once(Name::Portable);
        #[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
        let all = all.chain(has_avx2().then_some(Name::Avx2)).chain(has_avx512().then_some(Name::Avx512));
        all.map(Self).collect()
    }

    /// Returns the kernel compiled for this set. A `Set` exists only if the processor has its instructions.
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

/// Cache of the detected set, or 0 before the detection: to test ten features takes as long as a short sum.
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

/// Whether the processor has AVX2 and the extensions that every such processor has. Without FMA, a fused multiply-add
/// in the code would be a slow call.
#[cfg(all(target_arch = "x86_64", not(feature = "small-loops")))]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
}

/// Whether the processor has AVX-512 with byte permutations, as Ice Lake and Zen 4 do. Earlier processors slow down
/// with 512-bit vectors.
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

    /// Checks that tests run with the set that the environment asks for, if the processor has it.
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
