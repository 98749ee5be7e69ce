//! The operators in families, one type each, chosen when the program runs.
//!
//! The library compiles each pair of an element type and an operator for every instruction set, with every option:
//! seconds a pair. Two things keep the number of pairs at 30 instead of 75. Operators that differ by a mask are one
//! type here, [`Bits`] and [`Extreme`], with straight-line code that vectorises like the built-in operators'. And where
//! signed and unsigned integers have the same bits (all but minima and maxima), signed arrays are computed as unsigned
//! ones: see `compute`. On CUDA each of them is the built-in operator that it stands for.

use crate::args::Op;
use half::f16;
use std::ops::{BitAnd, BitOr, BitXor};
use upsweep::operator::Source;
use upsweep::operator::builtin::{And, Max, Min, Or, Xor};
use upsweep::{Element, Operator};

/// And, or and xor: `(a & b & both) | ((a ^ b) & either)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits<T> {
    both: T,
    either: T,
    identity: T,
    op: Op,
}

impl<T: Copy> Bits<T> {
    /// `none` has every bit 0, `all` every bit 1.
    pub(crate) fn new(op: Op, none: T, all: T) -> Self {
        let (both, either, identity) = match op {
            Op::And => (all, none, all),
            Op::Or => (all, all, none),
            _ => (none, all, none),
        };
        Self { both, either, identity, op }
    }
}

impl<T> Operator<T> for Bits<T>
where
    T: Element + BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T>,
    And: Operator<T>,
    Or: Operator<T>,
    Xor: Operator<T>,
{
    #[inline(always)]
    fn combine(&self, a: T, b: T) -> T {
        (a & b & self.both) | ((a ^ b) & self.either)
    }

    fn identity(&self) -> Option<T> {
        Some(self.identity)
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        match self.op {
            Op::And => And.cuda_function(source),
            Op::Or => Or.cuda_function(source),
            _ => Xor.cuda_function(source),
        }
    }
}

/// Min and max: `max(a, b) = flip(min(flip(a), flip(b)))`, where `flip` turns the order round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extreme<M> {
    mask: M,
    max: bool,
}

impl<M> Extreme<M> {
    pub(crate) fn new<T: Flip<Mask = M>>(op: Op) -> Self {
        let max = op == Op::Max;
        Self { mask: if max { T::TURN } else { T::KEEP }, max }
    }
}

/// A type whose order some bits turn round.
pub(crate) trait Flip: Copy {
    type Mask: Copy + Send + Sync + 'static;
    /// The mask that changes nothing.
    const KEEP: Self::Mask;
    /// The mask that turns the order round.
    const TURN: Self::Mask;

    fn flip(self, mask: Self::Mask) -> Self;
}

impl<T: Element + Flip> Operator<T> for Extreme<T::Mask>
where
    Min: Operator<T>,
    Max: Operator<T>,
{
    #[inline(always)]
    fn combine(&self, a: T, b: T) -> T {
        Min.combine(a.flip(self.mask), b.flip(self.mask)).flip(self.mask)
    }

    fn identity(&self) -> Option<T> {
        if self.max { Max.identity() } else { Min.identity() }
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        if self.max { Operator::<T>::cuda_function(&Max, source) } else { Operator::<T>::cuda_function(&Min, source) }
    }
}

macro_rules! flip_integers {
    ($($t:ident)*) => { $(impl Flip for $t {
        type Mask = $t;
        const KEEP: $t = 0;
        const TURN: $t = !0;
        #[inline(always)]
        fn flip(self, mask: $t) -> Self { self ^ mask }
    })* };
}
flip_integers! { i8 i16 i32 i64 u8 u16 u32 u64 }

macro_rules! flip_floats {
    ($($t:ident $bits:ident),*) => { $(impl Flip for $t {
        type Mask = $bits;
        const KEEP: $bits = 0;
        const TURN: $bits = 1 << ($bits::BITS - 1);
        #[inline(always)]
        fn flip(self, mask: $bits) -> Self { Self::from_bits(self.to_bits() ^ mask) }
    })* };
}
flip_floats! { f16 u16, f32 u32, f64 u64 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_families_are_the_built_in_operators() {
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                let bits = |op| Bits::new(op, 0u8, !0).combine(a, b);
                assert_eq!((bits(Op::And), bits(Op::Or), bits(Op::Xor)), (a & b, a | b, a ^ b));
                let (min, max) = (Extreme::new::<u8>(Op::Min), Extreme::new::<u8>(Op::Max));
                assert_eq!((min.combine(a, b), max.combine(a, b)), (a.min(b), a.max(b)));
                let (x, y) = (a as i8, b as i8);
                let (min, max) = (Extreme::new::<i8>(Op::Min), Extreme::new::<i8>(Op::Max));
                assert_eq!((min.combine(x, y), max.combine(x, y)), (x.min(y), x.max(y)));
            }
        }
        let samples = [0.0f32, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE, 1e-40];
        for a in samples {
            for b in samples {
                for (op, expected) in [(Op::Min, Min.combine(a, b)), (Op::Max, Max.combine(a, b))] {
                    let found = Extreme::new::<f32>(op).combine(a, b);
                    assert_eq!(found.canonical().to_bits(), expected.canonical().to_bits(), "{op:?} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn identities_are_the_built_in_ones() {
        for (op, expected) in [(Op::And, 255u8), (Op::Or, 0), (Op::Xor, 0)] {
            assert_eq!(Bits::new(op, 0u8, !0).identity(), Some(expected));
        }
        assert_eq!(Bits::new(Op::And, false, true).identity(), Some(true));
        assert_eq!(Operator::<i8>::identity(&Extreme::new::<i8>(Op::Max)), Some(i8::MIN));
        assert_eq!(Operator::<f64>::identity(&Extreme::new::<f64>(Op::Min)), Some(f64::INFINITY));
    }
}
