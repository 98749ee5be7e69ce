//! Sums in the bins of a histogram: of ones, or of weights. Float weights are added as integers, so that the sum does
//! not depend on the order. `upsweep-cuda/kernels/word/tally.cuh` computes the same bits.

use crate::operator::Element;
use crate::sealed::Sealed;

/// Kind of quantity that is added up in each bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Ones: the sum is the number of elements.
    One,
    /// Integers, with their number of bytes.
    Whole(usize),
    /// Floats.
    Float,
    /// Exponents of floats: the largest of each bin, which is needed before the floats are added.
    Exponent,
}

impl Amount {
    /// Returns the number of bytes of the counter in which a bin adds up this kind of quantity.
    #[must_use]
    pub fn counter_bytes(self) -> usize {
        match self {
            Self::One | Self::Exponent => 4,
            Self::Whole(bytes) => bytes,
            Self::Float => 16,
        }
    }

    /// Returns the number of the kind in the CUDA text of kernels.
    #[must_use]
    pub fn code(self) -> usize {
        match self {
            Self::One => 0,
            Self::Whole(_) => 1,
            Self::Float => 2,
            Self::Exponent => 3,
        }
    }
}

/// An integer type of counts: `u32` or `u64`. It is implemented for these types alone.
#[diagnostic::on_unimplemented(message = "`{Self}` is not what elements are counted in", label = "not `u32` or `u64`")]
pub trait Count: Element + Sealed {
    /// Largest count that the type holds.
    #[doc(hidden)]
    const MOST: u64;
    #[doc(hidden)]
    const ZERO: Self;
    /// Adds `count`; the type holds the sum.
    #[doc(hidden)]
    fn add(&mut self, count: u32);
}
macro_rules! counts {
    ($($t:ident)*) => { $(impl Count for $t {
        const MOST: u64 = $t::MAX as u64;
        const ZERO: Self = 0;
        #[inline(always)]
        fn add(&mut self, count: u32) {
            *self = self.wrapping_add($t::from(count));
        }
    })* };
}
counts! { u32 u64 }

/// A weight type: `i32`, `u32`, `i64`, `u64`, whose sums wrap, `f32` and `f64`. It is implemented for these types
/// alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a weight",
    label = "not `i32`, `u32`, `i64`, `u64`, `f32` or `f64`"
)]
pub trait Weight: Element + Sealed {
    #[doc(hidden)]
    const AMOUNT: Amount;
    /// Type of the sum in a bin.
    #[doc(hidden)]
    type Sum: Copy + Default + Send + Sync;
    /// Returns the weight's exponent, as [`Scale::exponent`]; 0 for integers and for values that are not finite.
    #[doc(hidden)]
    fn exponent(self) -> u32;
    #[doc(hidden)]
    fn add(self, to: &mut Self::Sum, scale: Scale);
    #[doc(hidden)]
    fn join(to: &mut Self::Sum, sum: Self::Sum);
    #[doc(hidden)]
    fn finish(sum: Self::Sum, scale: Scale) -> Self;
}

macro_rules! whole_weights {
    ($($t:ty)*) => { $(impl Weight for $t {
        const AMOUNT: Amount = Amount::Whole(size_of::<$t>());
        type Sum = $t;
        #[inline(always)]
        fn exponent(self) -> u32 { 0 }
        #[inline(always)]
        fn add(self, to: &mut $t, _: Scale) { *to = to.wrapping_add(self); }
        #[inline(always)]
        fn join(to: &mut $t, sum: $t) { *to = to.wrapping_add(sum); }
        #[inline(always)]
        fn finish(sum: $t, _: Scale) -> $t { sum }
    })* };
}
whole_weights! { i32 u32 i64 u64 }

macro_rules! float_weights {
    ($($t:ty)*) => { $(impl Weight for $t {
        const AMOUNT: Amount = Amount::Float;
        type Sum = FloatSum;
        #[inline(always)]
        fn exponent(self) -> u32 { Scale::exponent(f64::from(self)) }
        #[inline(always)]
        fn add(self, to: &mut FloatSum, scale: Scale) { to.add(f64::from(self), scale); }
        #[inline(always)]
        fn join(to: &mut FloatSum, sum: FloatSum) { to.join(sum); }
        #[inline(always)]
        fn finish(sum: FloatSum, scale: Scale) -> $t { sum.value(scale) as $t }
    })* };
}
float_weights! { f32 f64 }

/// Scale by which float weights become integers of 128 bits, so that their sum does not overflow.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Largest [`exponent`](Self::exponent) of a finite weight; 1 if all are less.
    largest: u32,
    /// Bits to spare: `2^spare` is more than the number of weights.
    spare: u32,
}

const NOT_FINITE: u32 = 0x7ff;

impl Scale {
    /// Computes the scale of `weights` weights whose largest [`exponent`](Self::exponent) is `largest`.
    pub fn new(largest: u32, weights: usize) -> Self {
        Self { largest: largest.max(1), spare: usize::BITS - weights.leading_zeros() }
    }

    /// Returns the exponent field of the bits of `x`, but 0 for values that are not finite.
    pub fn exponent(x: f64) -> u32 {
        let exponent = bits_of_exponent(x);
        if exponent == NOT_FINITE { 0 } else { exponent }
    }
}

fn bits_of_exponent(x: f64) -> u32 {
    (x.to_bits() >> 52) as u32 & NOT_FINITE
}

/// Sum of float weights in units of the [`Scale`], and marks of values that are not finite.
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatSum {
    units: i128,
    /// Set of the values found that are not finite, as bits: 1 for infinity, 2 for minus infinity, 4 for NaN.
    marks: u32,
}

impl FloatSum {
    fn add(&mut self, x: f64, scale: Scale) {
        let e = bits_of_exponent(x);
        if e == NOT_FINITE {
            self.marks |= if x.is_nan() {
                4
            } else if x > 0.0 {
                1
            } else {
                2
            };
            return;
        }
        let digits = x.to_bits() & ((1 << 52) - 1) | u64::from(e > 0) << 52;
        let by = 73 - scale.spare as i32 - (scale.largest - e.max(1)) as i32;
        let units = match by {
            0.. => i128::from(digits) << by,
            -63..=-1 => i128::from(digits >> -by),
            _ => 0,
        };
        self.units = self.units.wrapping_add(if x.is_sign_negative() { -units } else { units });
    }

    fn join(&mut self, other: Self) {
        self.units = self.units.wrapping_add(other.units);
        self.marks |= other.marks;
    }

    fn value(self, scale: Scale) -> f64 {
        match self.marks {
            0 => {}
            1 => return f64::INFINITY,
            2 => return f64::NEG_INFINITY,
            _ => return f64::NAN,
        }
        let size = self.units.unsigned_abs();
        // The sum is rounded from its highest 64 bits. The lowest of them is set if any dropped bit is, which gives the
        // same result as all bits would.
        let over = u128::BITS - 64.min(size.leading_zeros()) - 64;
        let dropped = size & ((1 << over) - 1);
        let whole = ((size >> over) as u64 | u64::from(dropped != 0)) as f64;
        let k = scale.largest as i32 - 1148 + scale.spare as i32 + over as i32;
        let half = k / 2;
        let scaled = whole * power(half) * power(k - half);
        if self.units < 0 { -scaled } else { scaled }
    }
}

/// Returns `2^k`. It must be a normal number.
fn power(k: i32) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(weights: &[f64]) -> f64 {
        let largest = weights.iter().map(|&w| Scale::exponent(w)).max().unwrap_or(0);
        let scale = Scale::new(largest, weights.len());
        let mut sum = FloatSum::default();
        weights.iter().for_each(|&w| sum.add(w, scale));
        sum.value(scale)
    }

    #[test]
    fn sums_are_rounded_once() {
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[0.1, 0.2, 0.3]), 0.6);
        assert_eq!(sum(&[1e16, 1.0, -1e16, 1.0]), 2.0);
        assert_eq!(sum(&[-1.0, 2f64.powi(-60)]), -1.0);
        // Half way between two floats goes to the even one, and a little more goes up.
        assert_eq!(sum(&[1.0, f64::EPSILON / 2.0]), 1.0);
        assert_eq!(sum(&[1.0, f64::EPSILON / 2.0, f64::EPSILON / 1024.0]), 1.0 + f64::EPSILON);
    }

    #[test]
    fn extremes_and_what_is_not_finite() {
        let tiny = f64::from_bits(1);
        assert_eq!(sum(&[tiny, tiny, tiny]), 3.0 * tiny);
        assert_eq!(sum(&[-tiny]), -tiny);
        assert_eq!(sum(&[f64::MAX]), f64::MAX);
        assert_eq!(sum(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
        assert_eq!(sum(&[f64::INFINITY, 1.0]), f64::INFINITY);
        assert_eq!(sum(&[f64::NEG_INFINITY, f64::MAX]), f64::NEG_INFINITY);
        assert!(sum(&[f64::NEG_INFINITY, f64::INFINITY]).is_nan() && sum(&[f64::NAN]).is_nan());
    }
}
