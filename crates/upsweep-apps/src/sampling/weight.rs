//! Types of weights and of their sums.

use super::random::{EvenPoint, EvenWholePoint, Point, WholePoint, fraction, random, whole};
use crate::part::map;
use std::fmt::{Debug, Display};
use upsweep::Ordered;
use upsweep::operator::{Cast, Number};
use upsweep::prelude::*;

/// Weight of a [`Sampler`](super::Sampler): `f32`, `f64`, or an integer of up to 64 bits.
///
/// It is implemented for these types alone.
pub trait Weight: Number + Display + Cast<Self::Sum> {
    /// Type of the sums: `f64` of floats, `u64` of integers.
    type Sum: Total;
}

/// Sum of weights: `f64` or `u64`.
///
/// It is implemented for these types alone.
pub trait Total: sealed::Points {}

impl Total for f64 {}
impl Total for u64 {}

macro_rules! weights {
    ($($t:ident)* => $sum:ident) => { $(impl Weight for $t {
        type Sum = $sum;
    })* };
}
weights! { f32 f64 => f64 }
weights! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize => u64 }

#[allow(unreachable_pub, reason = "what the public traits stand on is public, but has no name outside")]
pub(super) mod sealed {
    use super::*;

    /// Sum that stays at the largest number, where it would be larger.
    #[operator(identity = 0)]
    pub fn saturated(a: u64, b: u64) -> u64 {
        a.saturating_add(b)
    }

    /// Points from 0 up to a total, and the arithmetic of totals.
    pub trait Points: Number + Ordered + PartialEq + Debug {
        /// Addition of two sums.
        type Add: Operator<Self>;
        const ADD: Self::Add;
        /// Number that stands for a wrong weight in a sum. The total is then none.
        const WRONG: Self;

        /// Whether a sum is a total: it has not overflowed, and has no wrong weight.
        fn is_total(self) -> bool;

        /// `n` independent points less than `total`, each with the same distribution.
        fn independent(self, device: &Device, n: usize, seed: u64) -> upsweep::Result<Array<Self>>;

        /// `n` points less than `total` at equal distances, after one random offset.
        fn even(self, device: &Device, n: usize, seed: u64) -> upsweep::Result<Array<Self>>;
    }

    impl Points for f64 {
        type Add = Sum;
        const ADD: Sum = Sum;
        const WRONG: f64 = f64::NAN;

        fn is_total(self) -> bool {
            self.is_finite()
        }

        fn independent(self, device: &Device, n: usize, seed: u64) -> upsweep::Result<Array<f64>> {
            map(device, Point { seed, total: self, most: self.next_down() }, 0..n as u64)
        }

        fn even(self, device: &Device, n: usize, seed: u64) -> upsweep::Result<Array<f64>> {
            let shift = fraction(random(seed, 0));
            map(device, EvenPoint { shift, n: n as f64, total: self, most: self.next_down() }, 0..n as u64)
        }
    }

    impl Points for u64 {
        type Add = Saturated;
        const ADD: Saturated = Saturated;
        const WRONG: u64 = u64::MAX;

        fn is_total(self) -> bool {
            self < u64::MAX
        }

        fn independent(self, device: &Device, n: usize, seed: u64) -> upsweep::Result<Array<u64>> {
            map(device, WholePoint { seed, total: self }, 0..n as u64)
        }

        fn even(self, device: &Device, n: usize, seed: u64) -> upsweep::Result<Array<u64>> {
            let shift = whole(random(seed, 0), self);
            map(device, EvenWholePoint { shift, n: n as u64, total: self }, 0..n as u64)
        }
    }
}
