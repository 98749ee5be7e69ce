//! Linear recurrences as numbers: types to compute in, coefficients, and powers of the transition of states.

mod basis;
mod call;
mod exact;
mod system;
mod transition;

pub use call::Call;
pub use exact::Exact;
pub use system::{MOST_ORDER, System};
pub use transition::Transition;

use crate::operator::Element;
#[cfg(feature = "cuda")]
use crate::operator::{Function, Map, Operator, Same, Widen, builtin::Sum, function};
use crate::sealed::Sealed;
use exact::Double;
use std::num::Wrapping;

/// A number that a recurrence computes with: `f32`, `f64`, and the integers of 32 and 64 bits, modulo 2^32 and 2^64,
/// also as `Wrapping`.
///
/// It is implemented for these types alone.
pub trait Coefficient: Element + PartialEq + std::fmt::Display + Sealed {
    /// Type in which powers of the transition of states are computed.
    #[doc(hidden)]
    type Exact: Exact<Self>;
    /// The number 0.
    #[doc(hidden)]
    const ZERO: Self;
    /// The number 1.
    #[doc(hidden)]
    const ONE: Self;
    /// Whether numbers of the type have quotients: those of floats do, integers modulo 2^32 or 2^64 do not.
    #[doc(hidden)]
    const DIVIDES: bool;
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    #[doc(hidden)]
    fn times(self, other: Self) -> Self;
    #[doc(hidden)]
    fn negated(self) -> Self;
    /// Returns the quotient `self / other` of floats. Integers, which have none, are returned as they are.
    #[doc(hidden)]
    fn over(self, other: Self) -> Self;
    #[doc(hidden)]
    fn finite(self) -> bool;
    /// Returns the number, or 0 if it is so small beside the largest number of its table (`beside`) that products with
    /// it may be denormal. Denormal products take processors a hundred times as long.
    #[doc(hidden)]
    fn unless_negligible(self, beside: Self) -> Self;
    /// Returns the larger of the magnitudes of two floats; of two integers, the larger number.
    #[doc(hidden)]
    fn larger(self, other: Self) -> Self;
    /// Returns the matrix that converts states into a basis, and its inverse, for a transition in the direct form.
    /// Powers of the transition do not grow in the basis. `None` for integers, and if numbers are too large for a
    /// basis.
    #[doc(hidden)]
    fn basis(order: usize, transition: &[Self::Exact]) -> Option<[Vec<Self::Exact>; 2]>;
}

/// A number type in which a recurrence of elements `I` can compute: the elements' own type, and `f64` for `f32`. It is
/// implemented for these alone.
pub trait ComputesOn<I: Element>: Coefficient + Sealed<(I,)> {
    /// Converts an element to a number.
    #[doc(hidden)]
    fn number_of(element: I) -> Self;
    /// Converts a number to a result.
    #[doc(hidden)]
    fn result(self) -> I;
    #[cfg(feature = "cuda")]
    #[doc(hidden)]
    type Sum: Operator<Self>;
    #[cfg(feature = "cuda")]
    #[doc(hidden)]
    type Map: Map<I, Output = Self>;
    #[cfg(feature = "cuda")]
    #[doc(hidden)]
    type Finish: Function<(Self,), Output = I>;
    /// Returns the functions of a kernel: the sum of numbers, the conversion of elements to numbers, and that of
    /// numbers to results.
    #[cfg(feature = "cuda")]
    #[doc(hidden)]
    fn functions() -> (Self::Sum, Self::Map, Self::Finish);
}

macro_rules! floats {
    ($($t:ty: $smallest:expr),*) => { $(
        impl Coefficient for $t {
            type Exact = Double;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const DIVIDES: bool = true;
            #[inline(always)]
            fn plus(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn times(self, other: Self) -> Self { self * other }
            fn negated(self) -> Self { -self }
            fn over(self, other: Self) -> Self { self / other }
            fn finite(self) -> bool { self.is_finite() }
            fn unless_negligible(self, beside: Self) -> Self { if self.abs() < beside * $smallest { 0.0 } else { self } }
            fn larger(self, other: Self) -> Self { self.abs().max(other.abs()) }
            fn basis(order: usize, transition: &[Double]) -> Option<[Vec<Double>; 2]> {
                basis::of(order, transition).map(|basis| [basis.into, basis.back])
            }
        }
        computes_on_itself! { $t }
    )* };
}

macro_rules! integers {
    ($($t:ty),*) => { $(
        impl Coefficient for $t {
            type Exact = Self;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const DIVIDES: bool = false;
            #[inline(always)]
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn times(self, other: Self) -> Self { self.wrapping_mul(other) }
            fn negated(self) -> Self { self.wrapping_neg() }
            fn over(self, _: Self) -> Self { self }
            fn finite(self) -> bool { true }
            fn unless_negligible(self, _: Self) -> Self { self }
            fn larger(self, other: Self) -> Self { self.max(other) }
            fn basis(_: usize, _: &[Self]) -> Option<[Vec<Self>; 2]> { None }
        }
        impl Exact<Self> for $t {
            fn of(number: Self) -> Self { number }
            fn number(self) -> Self { self }
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            fn times(self, other: Self) -> Self { self.wrapping_mul(other) }
        }
        computes_on_itself! { $t }
    )* };
}

macro_rules! wrapping {
    ($($t:ty),*) => { $(
        impl Sealed for Wrapping<$t> {}
        impl Coefficient for Wrapping<$t> {
            type Exact = Self;
            const ZERO: Self = Wrapping(0);
            const ONE: Self = Wrapping(1);
            const DIVIDES: bool = false;
            #[inline(always)]
            fn plus(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn times(self, other: Self) -> Self { self * other }
            fn negated(self) -> Self { Wrapping(self.0.wrapping_neg()) }
            fn over(self, _: Self) -> Self { self }
            fn finite(self) -> bool { true }
            fn unless_negligible(self, _: Self) -> Self { self }
            fn larger(self, other: Self) -> Self { self.max(other) }
            fn basis(_: usize, _: &[Self]) -> Option<[Vec<Self>; 2]> { None }
        }
        impl Exact<Self> for Wrapping<$t> {
            fn of(number: Self) -> Self { number }
            fn number(self) -> Self { self }
            fn plus(self, other: Self) -> Self { self + other }
            fn times(self, other: Self) -> Self { self * other }
        }
        computes_on_itself! { Wrapping<$t> }
    )* };
}

macro_rules! computes_on_itself {
    ($t:ty) => {
        impl Sealed<($t,)> for $t {}
        impl ComputesOn<$t> for $t {
            #[inline(always)]
            fn number_of(element: $t) -> Self {
                element
            }
            #[inline(always)]
            fn result(self) -> $t {
                self
            }
            #[cfg(feature = "cuda")]
            type Sum = Sum;
            #[cfg(feature = "cuda")]
            type Map = Same;
            #[cfg(feature = "cuda")]
            type Finish = Same;
            #[cfg(feature = "cuda")]
            fn functions() -> (Sum, Same, Same) {
                (Sum, Same, Same)
            }
        }
    };
}

// Arguments: the fraction of a table's largest number below which a number is negligible, 2^-100 for f32 and 2^-967 for
// f64. The smallest normal numbers are 2^-126 and 2^-1022.
floats! { f32: f32::MIN_POSITIVE * (1u32 << 26) as f32, f64: f64::MIN_POSITIVE * (1u64 << 55) as f64 }
integers! { u32, i32, u64, i64 }
wrapping! { u32, i32, u64, i64 }

/// Rounds to the nearest f32.
#[cfg(feature = "cuda")]
#[allow(unreachable_pub, reason = "a public trait's implementation has its type")]
#[function]
pub fn rounded_to_f32(x: f64) -> f32 {
    x as f32
}

impl Sealed<(f32,)> for f64 {}
impl ComputesOn<f32> for f64 {
    #[inline(always)]
    fn number_of(element: f32) -> Self {
        element.into()
    }
    #[inline(always)]
    fn result(self) -> f32 {
        self as f32
    }
    #[cfg(feature = "cuda")]
    type Sum = Sum;
    #[cfg(feature = "cuda")]
    type Map = Widen<f64>;
    #[cfg(feature = "cuda")]
    type Finish = RoundedToF32;
    #[cfg(feature = "cuda")]
    fn functions() -> (Sum, Widen<f64>, RoundedToF32) {
        (Sum, Widen::new(), RoundedToF32)
    }
}
