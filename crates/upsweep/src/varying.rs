//! Recurrences with varying coefficients: of first and second order, and by quotients. They are scans, with all options
//! of a [`Scan`]: along an axis, by segments, reverse, from an initial value, in chunks.
//!
//! ```text
//! first_order     y[i] = a[i] y[i-1] + x[i]
//! second_order    y[i] = a[i] y[i-1] + b[i] y[i-2] + x[i]
//! moebius         y[i] = (p[i] y[i-1] + q[i]) / (r[i] y[i-1] + s[i])
//! ```
//!
//! The values before the first element of a line or segment are 0, unless they are given.
//!
//! ```
//! use upsweep::prelude::*;
//! use upsweep::varying;
//!
//! let device = Device::cpu();
//! // An account: interest, which changes, and payments.
//! let (rates, payments) = ([1.0, 1.5, 2.0, 0.5], [100.0, 10.0, -20.0, 0.0]);
//! let balances: Vec<f64> = varying::first_order().run_to_vec(&device, (&rates, &payments))?;
//! assert_eq!(balances, [100.0, 160.0, 300.0, 150.0]);
//!
//! // Two accounts, side by side: payments by segments.
//! let by_account = varying::first_order().segments(Segments::Offsets(&[0u32, 2, 4]));
//! assert_eq!(by_account.run_to_vec::<_, f64>(&device, (&rates, &payments))?, [100.0, 160.0, -20.0, -10.0]);
//!
//! // The continued fraction 1 + 1 / (1 + 1 / (1 + ...)), from 1 on: y[i] = (y[i-1] + 1) / y[i-1].
//! let steps = varying::moebius(1.0f64);
//! let golden: Vec<f64> = steps.run_to_vec(&device, (Repeat(1.0), Repeat(1.0), Repeat(1.0), &[0.0; 40]))?;
//! assert!((golden[39] - 1.618033988749895).abs() < 1e-15);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Order.** Each step is a function of the values before. The scan composes the steps, which is associative except
//! for rounding, and then applies the composed functions. Integers are exact, modulo their number of values. The
//! coefficients of floats are multiplied with each other, so where their product leaves the type's range, results are
//! infinite or NaN though the loop's are not; products that vanish are right.
//!
//! **Cost.** One pass over memory: all coefficients are read once. A step is a value of two, six or four numbers.
//! Composing two steps takes 2, 12 or 12 multiplications, and for quotients one division more. For constant
//! coefficients a [`Recurrence`](crate::Recurrence) is cheaper.
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4 (recurrence equations).

use crate::scan::Scan;
use upsweep_core::operator::{Float, MapWith};

use upsweep_core::varying::{FirstOrderStep, MoebiusStep, OfZeros, QuotientOf, SecondOrderStep};

pub use upsweep_core::varying::{
    Affine, AffinePair, ComposeAffine, ComposeAffinePair, ComposeMoebius, Moebius, OfZero,
};

/// Makes the recurrence `y[i] = a[i] y[i-1] + x[i]` of the inputs `(&a, &x)`. With `.init(Affine::constant(y))`, `y`
/// comes before the first element.
pub fn first_order<'a>() -> Scan<'a, ComposeAffine, MapWith<FirstOrderStep>, OfZero> {
    Scan::new(ComposeAffine).map(FirstOrderStep).finish(OfZero)
}

/// Makes the recurrence `y[i] = a[i] y[i-1] + b[i] y[i-2] + x[i]` of the inputs `(&a, &b, &x)`. With
/// `.init(AffinePair::constant(y, z))`, `y` comes before the first element, and `z` before `y`.
///
/// ```
/// use upsweep::prelude::*;
/// use upsweep::varying::{self, AffinePair};
///
/// // The denominators of the continued fraction of pi, 3; 7, 15, 1, 292: h[i] = c[i] h[i-1] + h[i-2].
/// let denominators = varying::second_order().init(AffinePair::constant(1u64, 0));
/// let found: Vec<u64> = denominators.run_to_vec(&Device::cpu(), (&[7, 15, 1, 292], Repeat(1), Repeat(0)))?;
/// assert_eq!(found, [7, 106, 113, 33102]);
/// # Ok::<(), upsweep::Error>(())
/// ```
pub fn second_order<'a>() -> Scan<'a, ComposeAffinePair, MapWith<SecondOrderStep>, OfZeros> {
    Scan::new(ComposeAffinePair).map(SecondOrderStep).finish(OfZeros)
}

/// Makes the recurrence `y[i] = (p[i] y[i-1] + q[i]) / (r[i] y[i-1] + s[i])` of the inputs `(&p, &q, &r, &s)`. The
/// value `before` comes before the first element.
///
/// Where a denominator is 0 the result is infinite, and the next one `p / r`, as it should be: functions are composed
/// before they are applied.
pub fn moebius<'a, T: Float>(before: T) -> Scan<'a, ComposeMoebius, MapWith<MoebiusStep>, QuotientOf<T>> {
    Scan::new(ComposeMoebius).map(MoebiusStep).finish(QuotientOf { before })
}
