//! Even bins.
//!
//! **Even bins** follow NumPy's rule to the bit. The edges are those of `numpy.linspace`, computed in `f64` and rounded to
//! the elements' type (integers keep `f64`):
//!
//! ```text
//! edge(k) = k * step + low,  step = (high - low) / bins       each operation rounded
//! bin(x)  = the largest k with edge(k) <= x; the last bin also has its upper edge
//! ```
//!
//! No table of edges is read. An estimate of `(x - low) / step`, in the type of the elements, is off by less than `near`. So
//! where it is further than `near` from a whole number, its whole part is the bin. Elsewhere the edges around it are computed and
//! compared.
//!
//! Integers lie on edges all the time, where edges are whole numbers. If every edge is an exact multiple of `2^-k`, half of that is
//! added to each element in its estimate: then none lies near an edge, and none changes sides.

#![allow(unreachable_pub, reason = "the trait `Even` is public and names the functions")]

use super::{OUTSIDE, UNSURE, check_bins};
use crate::error::{Error, Result};
use crate::operator::arith::math::intrinsics::{bits, bits_f32};
use crate::operator::{Cast, Element, Map, MapWith, Number, function};

/// Added to a number of less than 2^20, they round it to the nearest whole number, which the last bits then are.
const NEAREST_F32: f32 = 12582912.0; // 1.5 * 2^23
const NEAREST_F32_BITS: u32 = 0x4b40_0000;
const NEAREST_F64: f64 = 6755399441055744.0; // 1.5 * 2^52

/// Even bins, for estimates in `F`.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Ruler<F> {
    low: f64,
    step: f64,
    /// From where estimates count.
    base: F,
    /// What is less, or greater than `last`, is in no bin.
    first: F,
    last: F,
    /// Bins a unit.
    scale: F,
    /// An estimate is off by less.
    near: F,
    bins: u32,
    /// Near an edge, this many halvings find the bin among the `2^rounds` around the estimate.
    rounds: u32,
}

#[function]
fn edge_f64<F: Element>(ruler: Ruler<F>, k: u32) -> f64 {
    k as f64 * ruler.step + ruler.low
}

/// Where the `2^rounds` bins around the estimate `k` begin.
#[function]
fn around(rounds: u32, k: u32) -> u32 {
    let half = (1u32 << rounds) / 2;
    // An estimate can be less than 0, too.
    if k < half || k > i32::MAX as u32 { 0 } else { k - half }
}

/// Of `f32`, whose edges are `f32`.
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

/// Of integers that `f32` holds, whose edges are `f64`.
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

/// Of `f64` and of wider integers, whose edges are `f64`.
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

/// What the estimate alone says: no branch, so that the CPU looks at several elements at once.
macro_rules! quick {
    ($($name:ident $t:ident $nearest:ident $bits:expr;)*) => { $(
        #[inline(always)]
        fn $name(ruler: &Ruler<$t>, x: $t) -> u32 {
            let t = (x - ruler.base) * ruler.scale;
            let shifted = t + $nearest;
            let k = $bits(shifted);
            let gap = t - (shifted - $nearest);
            let bin = if gap < 0.0 { k.wrapping_sub(1) } else { k };
            let bin = if gap.abs() < ruler.near { UNSURE } else { bin.min(ruler.bins - 1) };
            if x >= ruler.first && x <= ruler.last { bin } else { OUTSIDE }
        }
    )* };
}
quick! {
    quick_f32 f32 NEAREST_F32 |x: f32| x.to_bits().wrapping_sub(NEAREST_F32_BITS);
    quick_f64 f64 NEAREST_F64 |x: f64| x.to_bits() as u32;
}

/// The type in which estimates of even bins are made.
pub trait Estimate: Element {
    #[doc(hidden)]
    const DIGITS: i32;
    #[doc(hidden)]
    fn nearest(x: f64) -> Self;
    #[doc(hidden)]
    fn finite(self) -> bool;
}
macro_rules! estimates {
    ($($t:ident)*) => { $(impl Estimate for $t {
        const DIGITS: i32 = $t::MANTISSA_DIGITS as i32;
        #[inline(always)]
        fn nearest(x: f64) -> Self { x as $t }
        #[inline(always)]
        fn finite(self) -> bool { self.is_finite() }
    })* };
}
estimates! { f32 f64 }

/// An element that even bins are made for: `f32`, `f64` and integers to 64 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no even bins",
    label = "not an integer to 64 bits, `f32` or `f64`",
    note = "give the edges with `Histogram::edges`, or a function to bins with `Histogram::by`"
)]
pub trait Even: Number {
    /// The rule.
    #[doc(hidden)]
    type Rule: Map<Self, Output = u32>;
    #[doc(hidden)]
    fn rule(low: f64, high: f64, bins: usize) -> Result<Self::Rule>;
    /// What the rule says, or that it needs a closer look.
    #[doc(hidden)]
    fn quick(rule: &Self::Rule, x: Self) -> u32;
}

macro_rules! even {
    ($($t:ty, $estimate:ty, $quick:ident, $function:expr, $Rule:ty, $kind:expr;)*) => { $(impl Even for $t {
        type Rule = MapWith<$Rule>;
        fn rule(low: f64, high: f64, bins: usize) -> Result<Self::Rule> {
            let ruler = Ruler::<$estimate>::new(low, high, bins, $kind)?;
            Ok(MapWith($function(ruler)))
        }
        #[inline(always)]
        fn quick(rule: &Self::Rule, x: Self) -> u32 {
            $quick(&rule.0.ruler, x as $estimate)
        }
    })* };
}
even! {
    f32, f32, quick_f32, |ruler| EvenSingle { ruler }, EvenSingle, Kind::Rounded;
    i8, f32, quick_f32, |ruler| EvenShort { ruler }, EvenShort, Kind::Whole;
    u8, f32, quick_f32, |ruler| EvenShort { ruler }, EvenShort, Kind::Whole;
    i16, f32, quick_f32, |ruler| EvenShort { ruler }, EvenShort, Kind::Whole;
    u16, f32, quick_f32, |ruler| EvenShort { ruler }, EvenShort, Kind::Whole;
    i32, f64, quick_f64, |ruler| EvenDouble { ruler }, EvenDouble, Kind::Whole;
    u32, f64, quick_f64, |ruler| EvenDouble { ruler }, EvenDouble, Kind::Whole;
    i64, f64, quick_f64, |ruler| EvenDouble { ruler }, EvenDouble, Kind::Whole;
    u64, f64, quick_f64, |ruler| EvenDouble { ruler }, EvenDouble, Kind::Whole;
    isize, f64, quick_f64, |ruler| EvenDouble { ruler }, EvenDouble, Kind::Whole;
    usize, f64, quick_f64, |ruler| EvenDouble { ruler }, EvenDouble, Kind::Whole;
    f64, f64, quick_f64, |ruler| EvenDouble { ruler }, EvenDouble, Kind::Double;
}

/// What the elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Floats for which edges are rounded to `f32`.
    Rounded,
    Double,
    /// Integers.
    Whole,
}

impl<F: Estimate> Ruler<F> {
    /// # Errors
    /// [`Error::Bins`] when there are none or more than [`MAX_BINS`](super::MAX_BINS), [`Error::Range`] when the range has no place for so many.
    fn new(low: f64, high: f64, bins: usize, kind: Kind) -> Result<Self> {
        check_bins(bins)?;
        let range = |rule| Error::Range { low: format!("{low:?}"), high: format!("{high:?}"), bins, rule };
        if !(low.is_finite() && high.is_finite()) {
            return Err(range("must be finite"));
        }
        if low > high {
            return Err(range("must not end before it begins"));
        }
        // As NumPy does.
        let (low, high) = if low == high { (low - 0.5, high + 0.5) } else { (low, high) };
        let width = high - low;
        let step = width / bins as f64;
        let rounded = |x: f64| if kind == Kind::Rounded { f64::from(x as f32) } else { x };
        let edge = |k: usize| if k == bins { rounded(high) } else { rounded(k as f64 * step + low) };
        let digits = if kind == Kind::Rounded { f32::MANTISSA_DIGITS } else { f64::MANTISSA_DIGITS } as i32;
        let most = low.abs().max(high.abs());
        // Wide steps are told from each other by any rounding; others are looked at one by one.
        let wide = step > most * 2f64.powi(4 - digits) && step > f64::MIN_POSITIVE.max(rounded(1e-37));
        if !(width.is_finite() && rounded(high).is_finite() && rounded(low).is_finite())
            || !(wide || (0..bins).all(|k| edge(k) < edge(k + 1)))
        {
            return Err(range("is too narrow or too wide for so many bins: edges fall together"));
        }
        let shift = if kind == Kind::Whole { half_unit(low, high, step) } else { 0.0 };
        let scale = bins as f64 / width;
        let unit = 2f64.powi(-F::DIGITS);
        let off = (16.0 * bins as f64 + 8.0 * most * scale) * unit;
        let base = low - shift;
        let no_overflow = F::nearest(scale).finite() && F::nearest(2.0 * width).finite();
        let (base, scale, near, rounds) = if off < 0.25 && no_overflow {
            (base, scale, off, 1)
        } else if off < 2.0 && no_overflow {
            (base, scale, off, 3)
        } else {
            // No estimate is good enough: each is 0, and the search goes through all bins.
            (0.0, 0.0, f64::INFINITY, usize::BITS - bins.leading_zeros())
        };
        let (first, last) = if kind == Kind::Whole { (low.ceil(), high.floor()) } else { (low, high) };
        Ok(Self {
            low,
            step,
            base: F::nearest(base),
            first: F::nearest(first),
            last: F::nearest(last),
            scale: F::nearest(scale),
            near: F::nearest(near),
            bins: bins as u32,
            rounds,
        })
    }
}

/// Half of the largest power of two, from 2^-20 to 1, of which all edges are exact multiples; 0 if there is none.
fn half_unit(low: f64, high: f64, step: f64) -> f64 {
    let exact = |unit: f64| {
        let whole = |x: f64| (x / unit).fract() == 0.0 && (x / unit).abs() < 2f64.powi(52);
        whole(low) && whole(high) && whole(step)
    };
    (0..=20).map(|k| 2f64.powi(-k)).find(|&unit| exact(unit)).map_or(0.0, |unit| unit / 2.0)
}
