//! Recurrences whose coefficients vary along the array: of first and second order, and by quotients. They are scans, with all options of a
//! [`Scan`]: along an axis, by segments, reverse, from an initial value, in chunks.
//!
//! ```text
//! first_order     y[i] = a[i] y[i-1] + x[i]
//! second_order    y[i] = a[i] y[i-1] + b[i] y[i-2] + x[i]
//! moebius         y[i] = (p[i] y[i-1] + q[i]) / (r[i] y[i-1] + s[i])
//! ```
//!
//! What lies before the first element of a line or segment is 0, unless it is given.
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
//! **Order.** A step is a function of what was before; the scan composes steps, which is associative but for rounding, and begins with all
//! of them at once. Integers are exact, modulo their number of values. Of floats the coefficients are multiplied with each other, so where their
//! product leaves the type's range, results are infinite or NaN though the loop's are not; products that vanish are right.
//!
//! **Cost.** One pass over memory: all coefficients are read once. A step is a value of two, six or four numbers, and two of them are composed by
//! 2, 12 or 12 multiplications, those of quotients by a division more. Where coefficients are the same everywhere, a [`Recurrence`](crate::Recurrence) needs none of that.
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4 (recurrence equations).

use crate::operator::{Float, MapWith, Number};
use crate::scan::Scan;

#[allow(unreachable_pub, reason = "the functions stay here; the operators are exported")]
mod definitions {
    use crate::operator::{Element, Float, Number, function, operator};

    /// A function of one number: `y -> m y + k`.
    #[derive(Element, Clone, Copy, Debug, Default, PartialEq)]
    #[repr(C)]
    pub struct Affine<T> {
        /// The factor.
        pub m: T,
        /// What is added.
        pub k: T,
    }

    /// A function of two numbers, the last result `y` and the one before it, `z`: `y -> a y + b z + k`, `z -> c y + d z + l`.
    #[derive(Element, Clone, Copy, Debug, Default, PartialEq)]
    #[repr(C)]
    #[allow(missing_docs, reason = "the formulas above name them")]
    pub struct AffinePair<T> {
        pub a: T,
        pub b: T,
        pub k: T,
        pub c: T,
        pub d: T,
        pub l: T,
    }

    /// A quotient of two functions of one number: `y -> (p y + q) / (r y + s)`.
    #[derive(Element, Clone, Copy, Debug, Default, PartialEq)]
    #[repr(C)]
    #[allow(missing_docs, reason = "the formula above names them")]
    pub struct Moebius<T> {
        pub p: T,
        pub q: T,
        pub r: T,
        pub s: T,
    }

    /// First `f`, then `g`: `y -> g(f(y))`. Identity `y -> y`.
    #[operator(identity = Affine { m: T::ONE, k: T::ZERO })]
    pub fn compose_affine<T: Number>(f: Affine<T>, g: Affine<T>) -> Affine<T> {
        Affine { m: g.m * f.m, k: g.m * f.k + g.k }
    }

    /// First `f`, then `g`. Identity: both numbers as they are.
    #[operator(identity = AffinePair { a: T::ONE, b: T::ZERO, k: T::ZERO, c: T::ZERO, d: T::ONE, l: T::ZERO })]
    pub fn compose_affine_pair<T: Number>(f: AffinePair<T>, g: AffinePair<T>) -> AffinePair<T> {
        AffinePair {
            a: g.a * f.a + g.b * f.c,
            b: g.a * f.b + g.b * f.d,
            k: g.a * f.k + g.b * f.l + g.k,
            c: g.c * f.a + g.d * f.c,
            d: g.c * f.b + g.d * f.d,
            l: g.c * f.k + g.d * f.l + g.l,
        }
    }

    /// First `f`, then `g`: `y -> g(f(y))`. Identity `y -> y`. All four numbers are divided by the largest of them, which changes nothing of the
    /// function and keeps them in the type's range.
    #[operator(identity = Moebius { p: T::ONE, q: T::ZERO, r: T::ZERO, s: T::ONE })]
    pub fn compose_moebius<T: Float>(f: Moebius<T>, g: Moebius<T>) -> Moebius<T> {
        let (p, q) = (g.p * f.p + g.q * f.r, g.p * f.q + g.q * f.s);
        let (r, s) = (g.r * f.p + g.s * f.r, g.r * f.q + g.s * f.s);
        let scale = T::ONE / p.abs().maximum(q.abs()).maximum(r.abs().maximum(s.abs()));
        Moebius { p: p * scale, q: q * scale, r: r * scale, s: s * scale }
    }

    /// `y -> a y + x`
    #[function]
    pub fn first_order_step<T: Number>(a: T, x: T) -> Affine<T> {
        Affine { m: a, k: x }
    }

    /// `y -> a y + b z + x`, `z -> y`
    #[function]
    pub fn second_order_step<T: Number>(a: T, b: T, x: T) -> AffinePair<T> {
        AffinePair { a: a, b: b, k: x, c: T::ONE, d: T::ZERO, l: T::ZERO }
    }

    /// `y -> (p y + q) / (r y + s)`
    #[function]
    pub fn moebius_step<T: Float>(p: T, q: T, r: T, s: T) -> Moebius<T> {
        Moebius { p: p, q: q, r: r, s: s }
    }

    /// What a function makes of 0.
    #[function]
    pub fn of_zero<T: Number>(f: Affine<T>) -> T {
        f.k
    }

    /// The last result that a function makes of two zeros.
    #[function]
    pub fn of_zeros<T: Number>(f: AffinePair<T>) -> T {
        f.k
    }

    /// What a quotient makes of `before`.
    #[function]
    pub fn quotient_of<T: Float>(#[param] before: T, f: Moebius<T>) -> T {
        (f.p * before + f.q) / (f.r * before + f.s)
    }
}
pub use definitions::{
    Affine, AffinePair, ComposeAffine, ComposeAffinePair, ComposeMoebius, FirstOrderStep, Moebius, MoebiusStep, OfZero,
    OfZeros, QuotientOf, SecondOrderStep,
};

impl<T: Number> Affine<T> {
    /// The function that is `y` everywhere. As a scan's `init` it says that `y` lies before the first element.
    pub fn constant(y: T) -> Self {
        Self { m: T::ZERO, k: y }
    }
}

impl<T: Number> AffinePair<T> {
    /// The function that is `y` and `z` everywhere. As a scan's `init` it says that `y` lies before the first element, and `z` before that.
    pub fn constant(y: T, z: T) -> Self {
        Self { a: T::ZERO, b: T::ZERO, k: y, c: T::ZERO, d: T::ZERO, l: z }
    }
}

/// `y[i] = a[i] y[i-1] + x[i]`, of the inputs `(&a, &x)`. With `.init(Affine::constant(y))` there is `y` before the first element.
pub fn first_order<'a>() -> Scan<'a, ComposeAffine, MapWith<FirstOrderStep>, OfZero> {
    Scan::new(ComposeAffine).map(FirstOrderStep).finish(OfZero)
}

/// `y[i] = a[i] y[i-1] + b[i] y[i-2] + x[i]`, of the inputs `(&a, &b, &x)`. With `.init(AffinePair::constant(y, z))` there is `y` before the first
/// element, and `z` before that.
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

/// `y[i] = (p[i] y[i-1] + q[i]) / (r[i] y[i-1] + s[i])`, of the inputs `(&p, &q, &r, &s)`; `before` lies before the first element.
///
/// Where a denominator is 0 the result is infinite, and the next one `p / r`, as it should be: functions are composed before they are applied.
pub fn moebius<'a, T: Float>(before: T) -> Scan<'a, ComposeMoebius, MapWith<MoebiusStep>, QuotientOf<T>> {
    Scan::new(ComposeMoebius).map(MoebiusStep).finish(QuotientOf { before })
}
