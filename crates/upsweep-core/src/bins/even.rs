//! Even bins: bins of equal width.
//!
//! **Even bins** follow NumPy's rule to the bit. The edges are those of `numpy.linspace`, computed in `f64` and rounded
//! to the elements' type (integers keep `f64`):
//!
//! ```text
//! edge(k) = k * step + low,  step = (high - low) / bins       each operation rounded
//! bin(x)  = the largest k with edge(k) <= x; the last bin also has its upper edge
//! ```
//!
//! No table of edges is read. An estimate of `(x - low) / step`, in the type of the elements, is off by less than
//! `near`. An estimate further than `near` from a whole number has the bin as its whole part. Other elements are
//! compared with the edges around the estimate, which are computed.
//!
//! Integers lie on edges often, where edges are whole numbers. If every edge is an exact multiple of `2^-k`, half of
//! `2^-k` is added to each element in its estimate: then no element lies near an edge, and none changes sides.

#![allow(unreachable_pub, reason = "the trait `Even` is public and names the functions")]

use super::floor::{Floor, FloorSingle};
use super::{OUTSIDE, UNSURE, check_bins};
use crate::error::{Error, Result};
use crate::operator::arith::math::intrinsics::{bits, bits_f32};
use crate::operator::{Cast, Element, Function, Map, MapWith, Number, Source, Values, function};

/// Rounding constants of f32 and f64. Added to a number below 2^20 in magnitude, each rounds it to the nearest whole
/// number and leaves that number in the low bits of the sum.
const NEAREST_F32: f32 = 12582912.0; // 1.5 * 2^23
const NEAREST_F32_BITS: u32 = 0x4b40_0000;
const NEAREST_F64: f64 = 6755399441055744.0; // 1.5 * 2^52
const NEAREST_F64_BITS: u64 = 0x4338_0000_0000_0000;

/// Parameters of the quick look (the cheap first rule of even bins): `x * scale + offset` is the distance of `x` from
/// the middle of bin 0, in units of a bin's width.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Quick<F> {
    offset: F,
    scale: F,
    /// Part of `offset` that is a multiple of 1/2; `offset_rest` is the remainder.
    halves: F,
    offset_rest: F,
    /// Rounding error of `scale`: the exact scale minus `scale`.
    scale_rest: F,
    /// Largest distance from the middle of a bin, in bins, for which the estimate is certain. Further out, the element
    /// may be in the next bin.
    limit: F,
    /// Number of bins. An estimate that equals it is unsure: an integer at the upper end of the last bin belongs to
    /// that bin.
    bins: u32,
}

/// Returns the bin of an element that is not near an edge, [`UNSURE`] near an edge, and a number of at least
/// `quick.bins` outside the range.
#[function]
pub fn quick_single(#[param] quick: Quick<f32>, x: f32) -> u32 {
    let shifted = x.mul_add(quick.scale, quick.offset) + NEAREST_F32;
    // Distance from the middle of the estimated bin, exact to the last bit: the large numbers cancel out.
    let rest = x.mul_add(quick.scale_rest, quick.offset_rest);
    let distance = x.mul_add(quick.scale, quick.halves - (shifted - NEAREST_F32)) + rest;
    if distance.abs() > quick.limit { UNSURE } else { bits_f32(shifted) - NEAREST_F32_BITS }
}

#[function]
pub fn quick_short<T: Cast<f32>>(#[param] quick: Quick<f32>, x: T) -> u32 {
    let bin = quick_single(quick, x as f32);
    if bin == quick.bins { UNSURE } else { bin }
}

#[function]
pub fn quick_double<T: Cast<f64>>(#[param] quick: Quick<f64>, x: T) -> u32 {
    let t = (x as f64).mul_add(quick.scale, quick.offset);
    let shifted = t + NEAREST_F64;
    let distance = t - (shifted - NEAREST_F64);
    let bin = bits(shifted) - NEAREST_F64_BITS;
    if distance.abs() > quick.limit || bin == quick.bins as u64 {
        UNSURE
    } else if bin < OUTSIDE as u64 {
        bin as u32
    } else {
        OUTSIDE
    }
}

/// Rule of even bins: the quick look (a cheap first rule), and the exact rule for elements of which the quick look is
/// unsure.
#[derive(Clone, Copy, Debug)]
pub struct EvenRule<Q, E, L> {
    quick: MapWith<Q>,
    exact: MapWith<E>,
    floor: L,
}

impl<T, Q, E, L> Map<T> for EvenRule<Q, E, L>
where
    T: Element,
    Q: Function<(T,), Output = u32>,
    E: Function<(T,), Output = u32>,
    L: Floor,
{
    type Output = u32;

    #[inline(always)]
    fn apply(&self, x: T, index: u64) -> u32 {
        self.exact.apply(x, index)
    }

    fn values(&self, values: &mut Values) {
        Map::<T>::values(&self.exact, values);
        Map::<T>::values(&self.quick, values);
        self.floor.values(values);
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let exact = Map::<T>::cuda_function(&self.exact, source);
        let quick = Map::<T>::cuda_function(&self.quick, source);
        // The kernel finds the quick look by this macro's name.
        source.define(&format!("quick look {quick}"), "quick_look", |_, _| format!("#define QUICK_BIN {quick}"));
        L::define(source);
        exact
    }
}

/// Parameters of the exact rule of even bins, whose estimates are computed in `F`.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Ruler<F> {
    low: f64,
    step: f64,
    /// Element for which the estimate of the bin, `(x - base) * scale`, is 0.
    base: F,
    /// Elements less than `first` or greater than `last` are in no bin.
    first: F,
    last: F,
    /// Number of bins per unit of `x`: the reciprocal of a bin's width.
    scale: F,
    /// Bound on the error of an estimate, in units of a bin's width.
    near: F,
    bins: u32,
    /// Number of halvings by which a binary search finds the bin of an element near an edge, among the `2^rounds` bins
    /// around the estimate.
    rounds: u32,
}

#[function]
fn edge_f64<F: Element>(ruler: Ruler<F>, k: u32) -> f64 {
    k as f64 * ruler.step + ruler.low
}

/// Returns the first of the `2^rounds` bins around the estimate `k`.
#[function]
fn around(rounds: u32, k: u32) -> u32 {
    let half = (1u32 << rounds) / 2;
    // A negative estimate wraps to a large number.
    if k < half || k > i32::MAX as u32 { 0 } else { k - half }
}

/// Exact rule of even bins for `f32`, whose edges are rounded to `f32`.
#[function]
pub fn even_single(#[param] ruler: Ruler<f32>, x: f32) -> u32 {
    let t = (x - ruler.base) * ruler.scale;
    let shifted = t + NEAREST_F32;
    let k = bits_f32(shifted) - NEAREST_F32_BITS;
    let gap = t - (shifted - NEAREST_F32);
    let mut bin = if gap < 0.0 { k - 1 } else { k };
    if gap.abs() < ruler.near {
        bin = around(ruler.rounds, k);
        for round in 0..ruler.rounds {
            let next = bin + (1u32 << (ruler.rounds - 1 - round));
            if next <= ruler.bins && edge_f64::<f32>(ruler, next) as f32 <= x {
                bin = next;
            }
        }
        bin = bin.min(ruler.bins - 1);
    }
    if x >= ruler.first && x <= ruler.last { bin } else { OUTSIDE }
}

/// Exact rule of even bins for integers that `f32` holds, whose edges are `f64`.
#[function]
pub fn even_short<T: Cast<f32> + Cast<f64>>(#[param] ruler: Ruler<f32>, x: T) -> u32 {
    let single = x as f32;
    let t = (single - ruler.base) * ruler.scale;
    let shifted = t + NEAREST_F32;
    let k = bits_f32(shifted) - NEAREST_F32_BITS;
    let gap = t - (shifted - NEAREST_F32);
    let mut bin = if gap < 0.0 { k - 1 } else { k };
    if gap.abs() < ruler.near {
        let double = x as f64;
        bin = around(ruler.rounds, k);
        for round in 0..ruler.rounds {
            let next = bin + (1u32 << (ruler.rounds - 1 - round));
            if next <= ruler.bins && edge_f64::<f32>(ruler, next) <= double {
                bin = next;
            }
        }
    }
    if single >= ruler.first && single <= ruler.last { bin.min(ruler.bins - 1) } else { OUTSIDE }
}

/// Exact rule of even bins for `f64` and for wider integers, whose edges are `f64`.
#[function]
pub fn even_double<T: Cast<f64>>(#[param] ruler: Ruler<f64>, x: T) -> u32 {
    let x = x as f64;
    let t = (x - ruler.base) * ruler.scale;
    let shifted = t + NEAREST_F64;
    let k = bits(shifted) as u32;
    let gap = t - (shifted - NEAREST_F64);
    let mut bin = if gap < 0.0 { k - 1 } else { k };
    if gap.abs() < ruler.near {
        bin = around(ruler.rounds, k);
        for round in 0..ruler.rounds {
            let next = bin + (1u32 << (ruler.rounds - 1 - round));
            if next <= ruler.bins && edge_f64::<f64>(ruler, next) <= x {
                bin = next;
            }
        }
    }
    if x >= ruler.first && x <= ruler.last { bin.min(ruler.bins - 1) } else { OUTSIDE }
}

/// Float type in which estimates of even bins are computed.
pub trait Estimate: Element {
    #[doc(hidden)]
    const DIGITS: i32;
    #[doc(hidden)]
    fn nearest(x: f64) -> Self;
    #[doc(hidden)]
    fn wide(self) -> f64;
    #[doc(hidden)]
    fn finite(self) -> bool;
}
macro_rules! estimates {
    ($($t:ident)*) => { $(impl Estimate for $t {
        const DIGITS: i32 = $t::MANTISSA_DIGITS as i32;
        #[inline(always)]
        fn nearest(x: f64) -> Self { x as $t }
        #[inline(always)]
        fn wide(self) -> f64 { f64::from(self) }
        #[inline(always)]
        fn finite(self) -> bool { self.is_finite() }
    })* };
}
estimates! { f32 f64 }

/// An element type of even bins: `f32`, `f64` and integers to 64 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no even bins",
    label = "not an integer to 64 bits, `f32` or `f64`",
    note = "give the edges with `Histogram::edges`, or a function to bins with `Histogram::by`"
)]
pub trait Even: Number {
    /// Rule from an element to its bin.
    #[doc(hidden)]
    type Rule: Map<Self, Output = u32>;
    #[doc(hidden)]
    fn rule(low: f64, high: f64, bins: usize) -> Result<Self::Rule>;
    /// Returns the bin that the quick look (the cheap first rule of even bins) finds for `x`, or `UNSURE`.
    #[doc(hidden)]
    fn quick(rule: &Self::Rule, x: Self) -> u32;
}

macro_rules! even {
    ($($t:ty, $estimate:ty, $Exact:ident, $Quick:ident, $Floor:ty, $kind:expr;)*) => { $(impl Even for $t {
        type Rule = EvenRule<$Quick, $Exact, $Floor>;
        fn rule(low: f64, high: f64, bins: usize) -> Result<Self::Rule> {
            let (ruler, quick) = Ruler::<$estimate>::new(low, high, bins, $kind)?;
            let floor = <$Floor>::of(ruler.low, ruler.step);
            Ok(EvenRule { quick: MapWith($Quick { quick }), exact: MapWith($Exact { ruler }), floor })
        }
        #[inline(always)]
        fn quick(rule: &Self::Rule, x: Self) -> u32 {
            rule.quick.apply(x, 0)
        }
    })* };
}
even! {
    f32, f32, EvenSingle, QuickSingle, FloorSingle, Kind::Rounded;
    i8, f32, EvenShort, QuickShort, (), Kind::Whole;
    u8, f32, EvenShort, QuickShort, (), Kind::Whole;
    i16, f32, EvenShort, QuickShort, (), Kind::Whole;
    u16, f32, EvenShort, QuickShort, (), Kind::Whole;
    i32, f64, EvenDouble, QuickDouble, (), Kind::Whole;
    u32, f64, EvenDouble, QuickDouble, (), Kind::Whole;
    i64, f64, EvenDouble, QuickDouble, (), Kind::Whole;
    u64, f64, EvenDouble, QuickDouble, (), Kind::Whole;
    isize, f64, EvenDouble, QuickDouble, (), Kind::Whole;
    usize, f64, EvenDouble, QuickDouble, (), Kind::Whole;
    f64, f64, EvenDouble, QuickDouble, (), Kind::Double;
}

/// Kind of element type, which decides how the edges of the bins are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `f32`: edges are rounded to `f32`.
    Rounded,
    Double,
    /// Integers: edges are `f64`.
    Whole,
}

impl<F: Estimate> Ruler<F> {
    /// Computes the exact rule and the quick look of `bins` bins from `low` to `high`.
    ///
    /// # Errors
    /// [`Error::Bins`] when there are no bins or more than [`MAX_BINS`](super::MAX_BINS), [`Error::Range`] when the
    /// range is not finite, ends before it begins, or is too narrow or too wide for `bins` bins with distinct edges.
    fn new(low: f64, high: f64, bins: usize, kind: Kind) -> Result<(Self, Quick<F>)> {
        check_bins(bins)?;
        let range = |rule| Error::Range { low: format!("{low:?}"), high: format!("{high:?}"), bins, rule };
        if !(low.is_finite() && high.is_finite()) {
            return Err(range("must be finite"));
        }
        if low > high {
            return Err(range("must not end before it begins"));
        }
        // NumPy widens an empty range in the same way.
        let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
        let width = high - low;
        let step = width / bins as f64;
        let rounded = |x: f64| if kind == Kind::Rounded { f64::from(x as f32) } else { x };
        let edge = |k: usize| if k == bins { rounded(high) } else { rounded(k as f64 * step + low) };
        let digits = if kind == Kind::Rounded { f32::MANTISSA_DIGITS } else { f64::MANTISSA_DIGITS } as i32;
        let most = low.abs().max(high.abs());
        // Wide steps keep edges distinct under any rounding; narrow steps are checked edge by edge. Edges that are not
        // rounded to f32 have the errors of two operations in f64.
        let slack = if kind == Kind::Rounded { 2 } else { 4 };
        let wide = step > most * 2f64.powi(slack - digits) && step > f64::MIN_POSITIVE.max(rounded(1e-37));
        if !(width.is_finite() && rounded(high).is_finite() && rounded(low).is_finite())
            || !(wide || (0..bins).all(|k| edge(k) < edge(k + 1)))
        {
            return Err(range("is too narrow or too wide for so many bins: edges fall together"));
        }
        let shift = if kind == Kind::Whole { exact_unit(low, high, step, 52) / 2.0 } else { 0.0 };
        let scale = bins as f64 / width;
        let unit = 2f64.powi(-F::DIGITS);
        // Bound on the error of an estimate, of these errors in units of the last digit: three operations, the
        // roundings of `step` and of `k * step`, that of `base`, and that of an edge.
        let off = (6.0 * bins as f64 + 3.0 * most * scale) * unit;
        let base = low - shift;
        let no_overflow = F::nearest(scale).finite() && F::nearest(2.0 * width).finite();
        let (base, scale, near, rounds) = if off < 0.25 && no_overflow {
            (base, scale, off, 1)
        } else if off < 2.0 && no_overflow {
            (base, scale, off, 3)
        } else {
            // No estimate is good enough: every estimate is 0, and the search covers all bins.
            (0.0, 0.0, f64::INFINITY, usize::BITS - bins.leading_zeros())
        };
        let (first, last) = if kind == Kind::Whole { (low.ceil(), high.floor()) } else { (low, high) };
        // Largest distance between an edge that is rounded to f32 and the edge without that rounding, in units of a
        // bin's width.
        let rounds_edges = kind == Kind::Rounded && exact_unit(low, high, step, 24) == 0.0;
        let rounding = if rounds_edges { most * (bins as f64 / width) * 2f64.powi(-24) } else { 0.0 };
        let quick = Quick::new(low - shift, bins, width, most, rounding);
        let ruler = Self {
            low,
            step,
            base: F::nearest(base),
            first: F::nearest(first),
            last: F::nearest(last),
            scale: F::nearest(scale),
            near: F::nearest(near),
            bins: bins as u32,
            rounds,
        };
        Ok((ruler, quick))
    }
}

impl<F: Estimate> Quick<F> {
    /// Computes the parameters of the quick look of `bins` bins from `low` to `low + width`, for elements up to `most`
    /// in magnitude. The edges differ from those without rounding to f32 by up to `rounding` times a bin's width.
    fn new(low: f64, bins: usize, width: f64, most: f64, rounding: f64) -> Self {
        let scale = bins as f64 / width;
        let offset = -low * scale - 0.5;
        let halves = (2.0 * offset).round() / 2.0;
        let single = F::DIGITS < f64::MANTISSA_DIGITS as i32;
        // Bound on the error of the distance from the middle of a bin: in f32 some units in the last place of 1, in f64
        // some units in the last place of the largest number.
        let off = if single { 2f64.powi(-20) } else { 16.0 * (most * scale + 1.0) * 2f64.powi(-53) } + rounding;
        // `halves` and the rounded estimate cancel out exactly: they are multiples of 1/2 that `F` holds.
        let fits = (most * scale).max(offset.abs()) < 2f64.powi(21) && off < 0.25 && F::nearest(2.0 * scale).finite();
        if !fits {
            // All numbers are 0 and the limit is negative, so that every element is unsure.
            let [zero, limit] = [0.0, -1.0].map(F::nearest);
            return Self {
                offset: zero,
                scale: zero,
                halves: zero,
                offset_rest: zero,
                scale_rest: zero,
                limit,
                bins: 0,
            };
        }
        let high = F::nearest(scale);
        Self {
            offset: F::nearest(offset),
            scale: high,
            halves: F::nearest(halves),
            offset_rest: F::nearest(offset - halves),
            scale_rest: F::nearest(scale - high.wide()),
            limit: F::nearest(0.5 - off),
            bins: bins as u32,
        }
    }
}

/// Returns the largest power of two from 2^-20 to 1 of which `low`, `high` and `step`, and so all edges, are exact
/// multiples, by at most 2^`bits`; 0 if there is none.
fn exact_unit(low: f64, high: f64, step: f64, bits: i32) -> f64 {
    let exact = |unit: f64| {
        let whole = |x: f64| (x / unit).fract() == 0.0 && (x / unit).abs() <= 2f64.powi(bits);
        whole(low) && whole(high) && whole(step)
    };
    (0..=20).map(|k| 2f64.powi(-k)).find(|&unit| exact(unit)).unwrap_or(0.0)
}
