//! Kinds of numbers, as bounds of generic operators.

use super::super::Element;
use crate::sealed::Sealed;
use half::{bf16, f16};

/// An integer or a float: `i8` to `i128`, `u8` to `u128`, `isize`, `usize`, `f16`, `bf16`, `f32` and `f64`. It is
/// implemented for these types alone, so that every bit pattern is a value.
///
/// Inside an operator, integers wrap, `x / 0` is `0` and `x % 0` is `x`; nothing panics.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no arithmetic in an operator",
    label = "not an integer or a float",
    note = "arithmetic and `<` work on i8..i128, u8..u128, isize, usize, f16, bf16, f32 and f64, and in generic \
            operators on `T: upsweep::operator::Number`; structs and tuples field by field"
)]
pub trait Number: Element + Sealed {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The lowest value: minus infinity for floats.
    const LOWEST: Self;
    /// The highest value: infinity for floats.
    const HIGHEST: Self;

    /// `a + b`
    fn add(a: Self, b: Self) -> Self;
    /// `a - b`
    fn sub(a: Self, b: Self) -> Self;
    /// `a * b`
    fn mul(a: Self, b: Self) -> Self;
    /// `a / b`
    fn div(a: Self, b: Self) -> Self;
    /// `a % b`
    fn rem(a: Self, b: Self) -> Self;
    /// `a < b`
    fn lt(a: Self, b: Self) -> bool;
    /// `a <= b`
    fn le(a: Self, b: Self) -> bool;
    /// `a > b`
    fn gt(a: Self, b: Self) -> bool;
    /// `a >= b`
    fn ge(a: Self, b: Self) -> bool;
    /// Smaller value; for floats, the other value if one is NaN, and -0 < +0.
    fn min(a: Self, b: Self) -> Self;
    /// Larger value; for floats, the other value if one is NaN, and -0 < +0.
    fn max(a: Self, b: Self) -> Self;
    /// Smaller value; for floats, NaN if one is NaN, and -0 < +0 (IEEE 754-2019 `minimum`).
    fn minimum(a: Self, b: Self) -> Self;
    /// Larger value; for floats, NaN if one is NaN, and -0 < +0 (IEEE 754-2019 `maximum`).
    fn maximum(a: Self, b: Self) -> Self;
    /// `low` if `x < low`, else `x`; then `high` if that is `> high`.
    #[inline(always)]
    fn clamp(x: Self, low: Self, high: Self) -> Self {
        let x = if Self::lt(x, low) { low } else { x };
        if Self::gt(x, high) { high } else { x }
    }
    /// Quotient for which the remainder is not negative; `0` for `b == 0` in integers.
    fn div_euclid(a: Self, b: Self) -> Self;
    /// Remainder that is not negative; `a` for `b == 0` in integers.
    fn rem_euclid(a: Self, b: Self) -> Self;
}

/// A [`Number`] with a sign.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no sign",
    label = "not a signed integer or a float",
    note = "`-x`, `abs` and `signum` work on signed integers and floats; for an unsigned integer write \
            `x.wrapping_neg()`"
)]
pub trait Signed: Number {
    /// `-x`; the lowest integer wraps to itself.
    fn neg(x: Self) -> Self;
    /// `|x|`; the lowest integer wraps to itself.
    fn abs(x: Self) -> Self;
    /// The sign as -1, 0 or 1; for floats as 1 or -1 also of zeros, and NaN of NaN.
    fn signum(x: Self) -> Self;
}

/// A value of bits: an integer or `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no bit operations in an operator",
    label = "not an integer or a bool",
    note = "`&`, `|`, `^` and `!` work on integers and bool; for the bits of a float write `x.to_bits()`"
)]
pub trait Logic: Element {
    /// No bit set: 0 or `false`.
    const NONE: Self;
    /// Every bit set: `!0` or `true`.
    const ALL: Self;
    /// `a & b`
    fn bit_and(a: Self, b: Self) -> Self;
    /// `a | b`
    fn bit_or(a: Self, b: Self) -> Self;
    /// `a ^ b`
    fn bit_xor(a: Self, b: Self) -> Self;
    /// `!x`
    fn bit_not(x: Self) -> Self;
}

/// An integer of 8 to 128 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer",
    label = "an integer is needed here",
    note = "this operation works on i8..i128, u8..u128, isize and usize"
)]
pub trait Integer: Number + Logic {
    /// The unsigned integer type with the same number of bits.
    type Unsigned: Integer;
    /// `-x`, also for unsigned integers.
    fn wrapping_neg(x: Self) -> Self;
    /// `x << n`, with `n` taken modulo the number of bits.
    fn shl(x: Self, n: u32) -> Self;
    /// `x >> n`, with `n` taken modulo the number of bits.
    fn shr(x: Self, n: u32) -> Self;
    /// `x` to the power `n`, wrapping.
    fn pow(x: Self, n: u32) -> Self;
    /// Rotates the bits left by `n`.
    fn rotate_left(x: Self, n: u32) -> Self;
    /// Rotates the bits right by `n`.
    fn rotate_right(x: Self, n: u32) -> Self;
    /// `a + b`, or the nearest value in range.
    fn saturating_add(a: Self, b: Self) -> Self;
    /// `a - b`, or the nearest value in range.
    fn saturating_sub(a: Self, b: Self) -> Self;
    /// `|a - b|`, without overflow.
    fn abs_diff(a: Self, b: Self) -> Self::Unsigned;
    /// Number of bits that are 1.
    fn count_ones(x: Self) -> u32;
    /// Number of bits that are 0.
    fn count_zeros(x: Self) -> u32;
    /// Number of highest bits that are 0.
    fn leading_zeros(x: Self) -> u32;
    /// Number of lowest bits that are 0.
    fn trailing_zeros(x: Self) -> u32;
    /// Number of highest bits that are 1.
    fn leading_ones(x: Self) -> u32;
    /// Number of lowest bits that are 1.
    fn trailing_ones(x: Self) -> u32;
    /// Reverses the order of the bytes.
    fn swap_bytes(x: Self) -> Self;
    /// Reverses the order of the bits.
    fn reverse_bits(x: Self) -> Self;
    /// The lowest 32 bits of the integer.
    fn low_u32(self) -> u32;
}

/// An unsigned integer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an unsigned integer",
    label = "u8..u128 or usize is needed here"
)]
pub trait Unsigned: Integer {
    /// Whether exactly one bit is 1.
    fn is_power_of_two(x: Self) -> bool;
}

/// A float: `f16`, `bf16`, `f32` or `f64`.
///
/// An operation on `f16` or `bf16` is done in `f32` and its result rounded to nearest even.
///
/// The mathematical functions have the same bits everywhere. The table gives their largest errors in units in the last
/// place. For `f32`, `exp exp2 exp_m1 tanh ln log2 ln_1p` are measured on every argument, the other functions of one
/// argument on one argument in 61, and functions of two arguments on 30 million random pairs. For `f64`, each is
/// measured on 20 million arguments, hard cases among them.
///
/// | | `f32` | `f64` | | `f32` | `f64` | | `f32` | `f64` |
/// |---|---|---|---|---|---|---|---|---|
/// | `exp` | 0.90 | 1.00 | `ln` | 0.501 | 0.97 | `sin` | 0.502 | 0.80 |
/// | `exp2` | 0.501 | 1.16 | `log2` | 0.501 | 1.02 | `cos` | 0.502 | 0.81 |
/// | `exp_m1` | 0.507 | 1.35 | `ln_1p` | 0.501 | 0.89 | `tan` | 0.503 | 1.48 |
/// | `tanh` | 0.507 | 1.41 | `cbrt` | 0.501 | 0.80 | `atan` | 0.501 | 1.23 |
/// | `powf` | 0.508 | 1.06 | `hypot` | 0.501 | 1.19 | `atan2` | 0.501 | 1.54 |
///
/// Where an argument is 0, infinite or NaN, the functions follow C99's annex F: `powf(x, 0)` is 1 even of NaN, `hypot`
/// of an infinity is infinity. Angles of any size are exact: they are reduced with enough digits of pi.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a float",
    label = "f16, bf16, f32 or f64 is needed here",
    note = "convert an integer first: `x as f32`"
)]
pub trait Float: Signed {
    /// Not a number: positive, quiet, without payload.
    const NAN: Self;
    /// The unsigned integer type with the same number of bits.
    type Bits: Integer;
    /// The square root, rounded to nearest even.
    fn sqrt(x: Self) -> Self;
    /// The next integer towards minus infinity.
    fn floor(x: Self) -> Self;
    /// The next integer towards infinity.
    fn ceil(x: Self) -> Self;
    /// The next integer towards 0.
    fn trunc(x: Self) -> Self;
    /// The nearest integer, halves away from 0.
    fn round(x: Self) -> Self;
    /// `x - trunc(x)`
    fn fract(x: Self) -> Self;
    /// `1 / x`
    fn recip(x: Self) -> Self;
    /// `x * factor + addend`, rounded once (`f16` and `bf16`: once to `f32` and then once more).
    fn mul_add(x: Self, factor: Self, addend: Self) -> Self;
    /// `|x|` with the sign of `sign`; a NaN counts as positive.
    fn copysign(x: Self, sign: Self) -> Self;
    /// e^x.
    fn exp(x: Self) -> Self;
    /// 2^x.
    fn exp2(x: Self) -> Self;
    /// e^x - 1, also where `x` is so small that `exp` would be 1.
    fn exp_m1(x: Self) -> Self;
    /// The hyperbolic tangent.
    fn tanh(x: Self) -> Self;
    /// The natural logarithm.
    fn ln(x: Self) -> Self;
    /// The logarithm to base 2.
    fn log2(x: Self) -> Self;
    /// ln(1 + x), also where `x` is so small that `1 + x` would be 1.
    fn ln_1p(x: Self) -> Self;
    /// The sine of `x` radians.
    fn sin(x: Self) -> Self;
    /// The cosine of `x` radians.
    fn cos(x: Self) -> Self;
    /// The tangent of `x` radians.
    fn tan(x: Self) -> Self;
    /// The angle between -pi/2 and pi/2 whose tangent is `x`.
    fn atan(x: Self) -> Self;
    /// The angle of the point (x, y) to the positive x axis, between -pi and pi.
    fn atan2(y: Self, x: Self) -> Self;
    /// `x` to the power `y`.
    fn powf(x: Self, y: Self) -> Self;
    /// The cube root.
    fn cbrt(x: Self) -> Self;
    /// The square root of x^2 + y^2, without overflow on the way.
    fn hypot(x: Self, y: Self) -> Self;
    /// Multiple of ln 2 next to `x`, for `SumOfPowers`.
    #[doc(hidden)]
    fn power_exponent(x: Self) -> Self;
    /// Returns e^x, where `x` is the remainder of a float without its multiple of ln 2, for `SumOfPowers`.
    #[doc(hidden)]
    fn power_of_rest(x: Self) -> Self;
    /// Returns e^-x as a power of two, where `x` is the distance of two multiples of ln 2, for `SumOfPowers`.
    #[doc(hidden)]
    fn power_over_distance(x: Self) -> Self;
    /// Returns e^x, where `x` is the excess of a float over the multiple of ln 2 next to the largest of several floats,
    /// for `SumOfPowers`.
    #[doc(hidden)]
    fn power_below(x: Self) -> Self;
    /// Whether `x` is NaN.
    fn is_nan(x: Self) -> bool;
    /// Whether `x` is infinity or minus infinity.
    fn is_infinite(x: Self) -> bool;
    /// Whether `x` is neither infinite nor NaN.
    fn is_finite(x: Self) -> bool;
    /// Whether the sign is negative, also that of -0; a NaN counts as positive.
    fn is_sign_negative(x: Self) -> bool;
    /// Whether the sign is positive, also that of +0; a NaN counts as positive.
    fn is_sign_positive(x: Self) -> bool;
    /// Bits of the float; every NaN as [`Float::NAN`].
    fn to_bits(x: Self) -> Self::Bits;
    /// The float whose bits are `bits`.
    fn from_bits(bits: Self::Bits) -> Self;
}

/// A float of 16 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not f16 or bf16",
    label = "f16 or bf16 is needed here",
    note = "convert other numbers with `as`: `x as f32`"
)]
pub trait Half: Float {
    /// The nearest value, ties to even.
    fn from_f32(x: f32) -> Self;
    /// Converts `x` without loss.
    fn to_f32(x: Self) -> f32;
    /// Converts `x` without loss.
    fn to_f64(x: Self) -> f64;
}
macro_rules! halves {
    ($($t:ty)*) => { $(impl Half for $t {
        #[inline(always)]
        fn from_f32(x: f32) -> Self { <$t>::from_f32(x) }
        #[inline(always)]
        fn to_f32(x: Self) -> f32 { x.to_f32() }
        #[inline(always)]
        fn to_f64(x: Self) -> f64 { f64::from(x.to_f32()) }
    })* };
}
halves! { f16 bf16 }
