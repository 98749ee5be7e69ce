//! Operators of recurrences with varying coefficients: steps as functions, combined by composition.

#![allow(missing_docs, reason = "the formulas name the fields")]

use crate::operator::{Element, Float, Number, function, operator};

/// A function of one number: `y -> m y + k`.
#[derive(Element, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Affine<T> {
    /// Factor of the argument.
    pub m: T,
    /// Constant that the function adds.
    pub k: T,
}

/// A function of two numbers, the last result `y` and the one before it, `z`:
/// `y -> a y + b z + k`, `z -> c y + d z + l`.
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

/// Composition, first `f`, then `g`: `y -> g(f(y))`. Identity `y -> y`.
#[operator(identity = Affine { m: T::ONE, k: T::ZERO })]
pub fn compose_affine<T: Number>(f: Affine<T>, g: Affine<T>) -> Affine<T> {
    Affine { m: g.m * f.m, k: g.m * f.k + g.k }
}

/// Composition, first `f`, then `g`. Identity: both numbers unchanged.
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

/// Composition, first `f`, then `g`: `y -> g(f(y))`. Identity `y -> y`. All four numbers are divided by the largest of
/// them, which leaves the function unchanged and keeps them in the type's range.
#[operator(identity = Moebius { p: T::ONE, q: T::ZERO, r: T::ZERO, s: T::ONE })]
pub fn compose_moebius<T: Float>(f: Moebius<T>, g: Moebius<T>) -> Moebius<T> {
    let (p, q) = (g.p * f.p + g.q * f.r, g.p * f.q + g.q * f.s);
    let (r, s) = (g.r * f.p + g.s * f.r, g.r * f.q + g.s * f.s);
    let scale = T::ONE / p.abs().maximum(q.abs()).maximum(r.abs().maximum(s.abs()));
    Moebius { p: p * scale, q: q * scale, r: r * scale, s: s * scale }
}

/// Step `y -> a y + x`.
#[function]
pub fn first_order_step<T: Number>(a: T, x: T) -> Affine<T> {
    Affine { m: a, k: x }
}

/// Step `y -> a y + b z + x`, `z -> y`.
#[function]
pub fn second_order_step<T: Number>(a: T, b: T, x: T) -> AffinePair<T> {
    AffinePair { a: a, b: b, k: x, c: T::ONE, d: T::ZERO, l: T::ZERO }
}

/// Step `y -> (p y + q) / (r y + s)`.
#[function]
pub fn moebius_step<T: Float>(p: T, q: T, r: T, s: T) -> Moebius<T> {
    Moebius { p: p, q: q, r: r, s: s }
}

/// Value of a function at 0.
#[function]
pub fn of_zero<T: Number>(f: Affine<T>) -> T {
    f.k
}

/// Last result `y` of a function whose two numbers are 0.
#[function]
pub fn of_zeros<T: Number>(f: AffinePair<T>) -> T {
    f.k
}

/// Value of the function `f` at `before`, the result before the first element.
#[function]
pub fn quotient_of<T: Float>(#[param] before: T, f: Moebius<T>) -> T {
    (f.p * before + f.q) / (f.r * before + f.s)
}

impl<T: Number> Affine<T> {
    /// Constant function `y`. As a scan's `init` it makes `y` the result before the first element.
    pub fn constant(y: T) -> Self {
        Self { m: T::ZERO, k: y }
    }
}

impl<T: Number> AffinePair<T> {
    /// Constant function `y`, `z`. As a scan's `init` it makes `y` the result before the first element, and `z` the one
    /// before that.
    pub fn constant(y: T, z: T) -> Self {
        Self { a: T::ZERO, b: T::ZERO, k: y, c: T::ZERO, d: T::ZERO, l: z }
    }
}
