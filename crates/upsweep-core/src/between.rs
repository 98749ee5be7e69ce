//! Linear interpolation between two neighbours in sorted order, for quantiles.
//!
//! ```text
//! value     low + part * (high - low), exactly, then rounded once to f64
//! digits    the same of integers beyond 2^52, of which f64 does not hold every half
//! ```
//!
//! ```
//! use upsweep::Between;
//!
//! assert_eq!(Between { low: 6, high: 7, part: 0.25 }.value(), 6.25);
//! assert_eq!(Between { low: -1e308, high: 1e308, part: 0.5 }.value(), 0.0);
//! assert_eq!(Between { low: 5.0, high: f64::INFINITY, part: 0.1 }.value(), f64::INFINITY);
//! assert_eq!(Between { low: i64::MAX - 1, high: i64::MAX, part: 0.5 }.to_string(), "9223372036854775806.5");
//! ```
//!
//! The value lies between the two elements and never falls as `part` grows. It is NaN only where an element is NaN or
//! where both are infinite with different signs.

use crate::key::Key;
use crate::sealed::Sealed;
use half::{bf16, f16};
use std::fmt;
use std::iter;

/// Position between two neighbouring elements, `low` and `high`, of a sorted array: `low` is at most `high`. The
/// [module](self) defines its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between<T> {
    /// Last element before the position, or the element at it.
    pub low: T,
    /// Element after `low` in sorted order.
    pub high: T,
    /// Fraction of the distance from `low` to `high`: from 0 to less than 1.
    pub part: f64,
}

/// An element type that can be interpolated: integers of up to 64 bits, `bool` as 0 and 1, `f16`, `bf16`, `f32`, `f64`.
/// It is implemented for these types alone.
#[diagnostic::on_unimplemented(
    message = "there are no values of f64 between two `{Self}`",
    label = "not an integer of up to 64 bits, nor a float"
)]
pub trait Interpolate: Key + Sealed {
    /// Whether all values of the type are integers.
    #[doc(hidden)]
    const INTEGER: bool;
    #[doc(hidden)]
    fn parts(self) -> Parts;
}

/// A number split into its sign, its digits (an integer), and an exponent of 2.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Parts {
    /// The finite number `digits * 2^exponent`, or its negative.
    Finite { negative: bool, digits: u64, exponent: i32 },
    /// An infinity or NaN.
    Other(f64),
}

impl Parts {
    fn of_float(x: f64) -> Self {
        if !x.is_finite() {
            return Self::Other(x);
        }
        let (bits, exponent) = (x.to_bits(), (x.to_bits() >> 52) as i32 & 0x7ff);
        let digits = bits & ((1 << 52) - 1) | u64::from(exponent > 0) << 52;
        Self::Finite { negative: x.is_sign_negative(), digits, exponent: exponent.max(1) - 1075 }
    }
}

macro_rules! interpolated {
    ($integer:literal: $($t:ty, $x:ident => $parts:expr;)*) => { $(impl Interpolate for $t {
        const INTEGER: bool = $integer;
        #[inline]
        fn parts(self) -> Parts {
            let $x = self;
            $parts
        }
    })* };
}
macro_rules! whole {
    ($($signed:ty, $unsigned:ty;)*) => { interpolated! { true: $(
        $signed, x => Parts::Finite { negative: x < 0, digits: x.unsigned_abs() as u64, exponent: 0 };
        $unsigned, x => Parts::Finite { negative: false, digits: x as u64, exponent: 0 };
    )* } };
}
whole! { i8, u8; i16, u16; i32, u32; i64, u64; isize, usize; }
interpolated! { true: bool, x => Parts::Finite { negative: false, digits: u64::from(x), exponent: 0 }; }
interpolated! { false:
    f16, x => Parts::of_float(x.to_f64());
    bf16, x => Parts::of_float(x.to_f64());
    f32, x => Parts::of_float(f64::from(x));
    f64, x => Parts::of_float(x);
}

/// Magnitude 2^52, from which `f64` does not hold every multiple of 1/2.
const LARGE: f64 = (1u64 << 52) as f64;

impl<T: Interpolate> Between<T> {
    /// Returns the `f64` nearest to the interpolated value; ties go to the even one.
    #[must_use]
    pub fn value(self) -> f64 {
        match self.exact() {
            Ok(exact) => exact.rounded().0,
            Err(value) => value,
        }
    }

    /// Whether [`value`](Self::value) is the exact interpolated value, without rounding. False for an infinity or NaN.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self.exact().is_ok_and(|exact| exact.rounded().1)
    }

    /// Returns the value in decimal digits, for integer elements and a magnitude of 2^52 or more, which
    /// [`value`](Self::value) may have rounded; else `None`. The digits before the point are exact. The fraction has 53
    /// bits.
    #[must_use]
    pub fn digits(self) -> Option<String> {
        let exact = self.exact().ok().filter(|exact| T::INTEGER && exact.rounded().0.abs() >= LARGE)?;
        let (sign, whole, part) = (if exact.negative { "-" } else { "" }, exact.whole(), exact.part());
        let part = if part == 0.0 { String::new() } else { part.to_string() };
        Some(format!("{sign}{whole}{}", part.trim_start_matches('0')))
    }

    /// Returns the exact interpolated value. If it is an infinity or NaN, it is returned as the error.
    fn exact(self) -> Result<Exact, f64> {
        let part = if (0.0..1.0).contains(&self.part) { self.part } else { 0.0 };
        let (low, high) = (self.low.parts(), if part > 0.0 { self.high.parts() } else { self.low.parts() });
        match (low, high) {
            (Parts::Finite { negative, digits, exponent }, Parts::Finite { .. }) => {
                let mut exact = Exact::zero();
                exact.add(negative, digits.into(), exponent);
                if let (Parts::Finite { digits: share, exponent: scale, .. }, true) =
                    (Parts::of_float(part), part > 0.0)
                {
                    // `exact` holds `low`: adding these two products makes it low * (1 - part) + high * part.
                    exact.add_product((!negative, digits, exponent), (share, scale));
                    if let Parts::Finite { negative, digits, exponent } = high {
                        exact.add_product((negative, digits, exponent), (share, scale));
                    }
                }
                let both_negative = negative && matches!(high, Parts::Finite { negative: true, .. });
                Ok(exact.with_sign(both_negative))
            }
            (Parts::Other(low), Parts::Other(high)) if low == high => Err(low),
            (Parts::Other(low), Parts::Other(high)) => Err(low + high),
            (Parts::Other(one), _) | (_, Parts::Other(one)) => Err(one),
        }
    }
}

/// Writes [`digits`](Between::digits), or else the value as `f64` writes it.
impl<T: Interpolate> fmt::Display for Between<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.digits() {
            Some(digits) => f.write_str(&digits),
            None => write!(f, "{:?}", self.value()),
        }
    }
}

/// Number of bits after the binary point of a fixed-point number `Exact`: the lowest bit is the square of 2^-1074, the
/// smallest `f64`.
const BEHIND: i32 = 2 * 1074;
/// Number of 64-bit words of a fixed-point number `Exact`, whose magnitude is below 2^1026.
const WORDS: usize = (BEHIND as usize + 1026).div_ceil(64);
/// Number of bits of an `f64`'s significand, and the lowest index that the significand's last bit can have in `Exact`:
/// that of 2^-1074.
const DIGITS: usize = 53;
const LAST: usize = BEHIND as usize - 1074;

/// A fixed-point number that holds every `f64`, and its product with another `f64` below 1.
#[derive(Clone, Copy, Debug)]
struct Exact {
    negative: bool,
    /// Words of the number from the lowest on, in two's complement while terms are added.
    words: [u64; WORDS],
}

impl Exact {
    fn zero() -> Self {
        Self { negative: false, words: [0; WORDS] }
    }

    /// Adds `digits * 2^exponent`, or subtracts it if `negative`.
    fn add(&mut self, negative: bool, digits: u128, exponent: i32) {
        let at = (exponent + BEHIND) as usize;
        let (first, shift) = (at / 64, (at % 64) as u32);
        let low = digits << shift;
        let high = digits.checked_shr(u128::BITS - shift).unwrap_or(0) as u64;
        let added = [low as u64, (low >> 64) as u64, high].into_iter().chain(iter::repeat(0));
        let mut carry = false;
        for (word, more) in self.words.iter_mut().skip(first).zip(added) {
            let step = if negative { u64::overflowing_sub } else { u64::overflowing_add };
            let (sum, one) = step(*word, more);
            let (sum, two) = step(sum, carry.into());
            (*word, carry) = (sum, one | two);
        }
    }

    fn add_product(&mut self, (negative, digits, exponent): (bool, u64, i32), (share, scale): (u64, i32)) {
        self.add(negative, u128::from(digits) * u128::from(share), exponent + scale);
    }

    /// Converts the sum from two's complement to sign and magnitude. A sum of zero is negative if `of_zero` is true.
    fn with_sign(mut self, of_zero: bool) -> Self {
        let highest = self.words.last().copied().unwrap_or_default();
        self.negative = highest >> 63 == 1 || (of_zero && self.words == [0; WORDS]);
        if highest >> 63 == 1 {
            let mut carry = true;
            for word in &mut self.words {
                (*word, carry) = (!*word).overflowing_add(carry.into());
            }
        }
        self
    }

    /// Returns the 64 bits from bit `from` on.
    fn bits(&self, from: usize) -> u64 {
        let word = |at: usize| u128::from(self.words.get(at).copied().unwrap_or_default());
        ((word(from / 64 + 1) << 64 | word(from / 64)) >> (from % 64)) as u64
    }

    /// Whether any bit below bit `bit` is set.
    fn any_below(&self, bit: usize) -> bool {
        let below = self.words.get(bit / 64).copied().unwrap_or_default() & ((1 << (bit % 64)) - 1);
        below != 0 || self.words.iter().take(bit / 64).any(|&word| word != 0)
    }

    /// Returns the nearest `f64`, and whether it is exact.
    fn rounded(&self) -> (f64, bool) {
        let highest = self.words.iter().enumerate().rfind(|(_, word)| **word != 0);
        let length = highest.map_or(0, |(at, word)| (at + 1) * 64 - word.leading_zeros() as usize);
        let last = length.saturating_sub(DIGITS).max(LAST);
        let kept = self.bits(last);
        let (half, less) = (self.bits(last - 1) & 1 == 1, self.any_below(last - 1));
        let up = half && (less || kept & 1 == 1);
        let scale = last as i32 - BEHIND;
        // 2^scale may be denormal, so it is applied as two normal factors. Neither product is rounded.
        let size = (kept + u64::from(up)) as f64 * power(scale / 2) * power(scale - scale / 2);
        (if self.negative { -size } else { size }, !half && !less)
    }

    /// Returns the integer part, which is less than 2^64 for integer elements.
    fn whole(&self) -> u64 {
        self.bits(BEHIND as usize)
    }

    /// Returns the fraction, without its bits below 2^-53.
    fn part(&self) -> f64 {
        (self.bits(BEHIND as usize - DIGITS) & ((1 << DIGITS) - 1)) as f64 * power(-(DIGITS as i32))
    }
}

/// Returns `2^k`, for a `k` of which it is a normal number.
fn power(k: i32) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}
