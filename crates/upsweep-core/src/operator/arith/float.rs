//! Floats: IEEE 754 with round to nearest even, no contraction, and NaN without a visible payload.

use super::math::Elementary;
use super::{Float, Number, Signed};
use crate::operator::Element;
use half::{bf16, f16};

/// Arithmetic of `f32` and `f64`, and of `f16` and `bf16` by way of `f32`. `$wide` widens and `$narrow` rounds.
macro_rules! floats {
    ($($t:ident as $w:ident, $bits:ident, $one:expr, |$x:ident| $wide:expr, |$y:ident| $narrow:expr;)*) => { $(
        const _: () = {
            #[inline(always)]
            fn wide($x: $t) -> $w { $wide }
            #[inline(always)]
            fn narrow($y: $w) -> $t { $narrow }

            impl Number for $t {
                const ZERO: Self = <$t>::from_bits(0);
                const ONE: Self = $one;
                const LOWEST: Self = <$t>::NEG_INFINITY;
                const HIGHEST: Self = <$t>::INFINITY;
                #[inline(always)]
                fn add(a: Self, b: Self) -> Self { narrow(wide(a) + wide(b)) }
                #[inline(always)]
                fn sub(a: Self, b: Self) -> Self { narrow(wide(a) - wide(b)) }
                #[inline(always)]
                fn mul(a: Self, b: Self) -> Self { narrow(wide(a) * wide(b)) }
                #[inline(always)]
                fn div(a: Self, b: Self) -> Self { narrow(wide(a) / wide(b)) }
                #[inline(always)]
                fn rem(a: Self, b: Self) -> Self { narrow(wide(a) % wide(b)) }
                #[inline(always)]
                fn lt(a: Self, b: Self) -> bool { wide(a) < wide(b) }
                #[inline(always)]
                fn le(a: Self, b: Self) -> bool { wide(a) <= wide(b) }
                #[inline(always)]
                fn gt(a: Self, b: Self) -> bool { wide(a) > wide(b) }
                #[inline(always)]
                fn ge(a: Self, b: Self) -> bool { wide(a) >= wide(b) }
                #[inline(always)]
                fn min(a: Self, b: Self) -> Self {
                    let (x, y) = (wide(a), wide(b));
                    // Equal values differ at most in the sign of zeros: the result is -0 if one is.
                    let least = <$t>::from_bits(a.to_bits() | b.to_bits());
                    let least = if x < y { a } else { least };
                    let least = if y < x { b } else { least };
                    let least = if y != y { a } else { least };
                    if x != x { b } else { least }
                }
                #[inline(always)]
                fn max(a: Self, b: Self) -> Self {
                    let (x, y) = (wide(a), wide(b));
                    let most = <$t>::from_bits(a.to_bits() & b.to_bits());
                    let most = if x > y { a } else { most };
                    let most = if y > x { b } else { most };
                    let most = if y != y { a } else { most };
                    if x != x { b } else { most }
                }
                #[inline(always)]
                fn minimum(a: Self, b: Self) -> Self {
                    let (x, y) = (wide(a), wide(b));
                    // Each selection is a single vector instruction. The two differ where the values are equal: -0 wins
                    // there.
                    let first = if x < y { a } else { b };
                    let second = if y < x { b } else { a };
                    let least = <$t>::from_bits(first.to_bits() | second.to_bits());
                    if x != x || y != y { <$t>::NAN } else { least }
                }
                #[inline(always)]
                fn maximum(a: Self, b: Self) -> Self {
                    let (x, y) = (wide(a), wide(b));
                    // +0 wins where the values are equal.
                    let first = if x > y { a } else { b };
                    let second = if y > x { b } else { a };
                    let most = <$t>::from_bits(first.to_bits() & second.to_bits());
                    if x != x || y != y { <$t>::NAN } else { most }
                }
                #[inline(always)]
                fn div_euclid(a: Self, b: Self) -> Self {
                    let (x, y) = (wide(a), wide(b));
                    let quotient = (x / y).trunc();
                    narrow(if x % y < 0.0 { if y > 0.0 { quotient - 1.0 } else { quotient + 1.0 } } else { quotient })
                }
                #[inline(always)]
                fn rem_euclid(a: Self, b: Self) -> Self {
                    let (x, y) = (wide(a), wide(b));
                    let remainder = x % y;
                    narrow(if remainder < 0.0 { remainder + y.abs() } else { remainder })
                }
            }

            impl Signed for $t {
                #[inline(always)]
                fn neg(x: Self) -> Self { -x }
                #[inline(always)]
                fn abs(x: Self) -> Self { <$t>::from_bits(x.to_bits() & ($bits::MAX >> 1)) }
                #[inline(always)]
                fn signum(x: Self) -> Self {
                    if x.is_nan() { <$t>::NAN } else { <Self as Float>::copysign(Self::ONE, x) }
                }
            }

            impl Float for $t {
                const NAN: Self = <$t>::NAN;
                type Bits = $bits;
                #[inline(always)]
                fn sqrt(x: Self) -> Self { narrow(wide(x).sqrt()) }
                #[inline(always)]
                fn floor(x: Self) -> Self { narrow(wide(x).floor()) }
                #[inline(always)]
                fn ceil(x: Self) -> Self { narrow(wide(x).ceil()) }
                #[inline(always)]
                fn trunc(x: Self) -> Self { narrow(wide(x).trunc()) }
                #[inline(always)]
                fn round(x: Self) -> Self { narrow(wide(x).round()) }
                #[inline(always)]
                fn fract(x: Self) -> Self { narrow(wide(x) - wide(x).trunc()) }
                #[inline(always)]
                fn recip(x: Self) -> Self { narrow(1.0 / wide(x)) }
                #[inline(always)]
                fn mul_add(x: Self, factor: Self, addend: Self) -> Self {
                    narrow(wide(x).mul_add(wide(factor), wide(addend)))
                }
                #[inline(always)]
                fn copysign(x: Self, sign: Self) -> Self {
                    let magnitude = x.to_bits() & ($bits::MAX >> 1);
                    <$t>::from_bits(magnitude | sign.canonical().to_bits() & !($bits::MAX >> 1))
                }
                #[inline(always)]
                fn exp(x: Self) -> Self { narrow(Elementary::exp(wide(x))) }
                #[inline(always)]
                fn exp2(x: Self) -> Self { narrow(Elementary::exp2(wide(x))) }
                #[inline(always)]
                fn exp_m1(x: Self) -> Self { narrow(Elementary::exp_m1(wide(x))) }
                #[inline(always)]
                fn tanh(x: Self) -> Self { narrow(Elementary::tanh(wide(x))) }
                #[inline(always)]
                fn ln(x: Self) -> Self { narrow(Elementary::ln(wide(x))) }
                #[inline(always)]
                fn log2(x: Self) -> Self { narrow(Elementary::log2(wide(x))) }
                #[inline(always)]
                fn ln_1p(x: Self) -> Self { narrow(Elementary::ln_1p(wide(x))) }
                #[inline(always)]
                fn sin(x: Self) -> Self { narrow(Elementary::sin(wide(x))) }
                #[inline(always)]
                fn cos(x: Self) -> Self { narrow(Elementary::cos(wide(x))) }
                #[inline(always)]
                fn tan(x: Self) -> Self { narrow(Elementary::tan(wide(x))) }
                #[inline(always)]
                fn atan(x: Self) -> Self { narrow(Elementary::atan(wide(x))) }
                #[inline(always)]
                fn atan2(y: Self, x: Self) -> Self { narrow(Elementary::atan2(wide(y), wide(x))) }
                #[inline(always)]
                fn powf(x: Self, y: Self) -> Self { narrow(Elementary::powf(wide(x), wide(y))) }
                #[inline(always)]
                fn cbrt(x: Self) -> Self { narrow(Elementary::cbrt(wide(x))) }
                #[inline(always)]
                fn hypot(x: Self, y: Self) -> Self { narrow(Elementary::hypot(wide(x), wide(y))) }
                #[inline(always)]
                fn power_exponent(x: Self) -> Self { narrow(Elementary::power_exponent(wide(x))) }
                #[inline(always)]
                fn power_of_rest(x: Self) -> Self { narrow(Elementary::power_of_rest(wide(x))) }
                #[inline(always)]
                fn power_over_distance(x: Self) -> Self { narrow(Elementary::power_over_distance(wide(x))) }
                #[inline(always)]
                fn power_below(x: Self) -> Self { narrow(Elementary::power_below(wide(x))) }
                #[inline(always)]
                fn is_nan(x: Self) -> bool { x.is_nan() }
                #[inline(always)]
                fn is_infinite(x: Self) -> bool { x.is_infinite() }
                #[inline(always)]
                fn is_finite(x: Self) -> bool { x.is_finite() }
                #[inline(always)]
                fn is_sign_negative(x: Self) -> bool { x.canonical().is_sign_negative() }
                #[inline(always)]
                fn is_sign_positive(x: Self) -> bool { x.canonical().is_sign_positive() }
                #[inline(always)]
                fn to_bits(x: Self) -> $bits { x.canonical().to_bits() }
                #[inline(always)]
                fn from_bits(bits: $bits) -> Self { <$t>::from_bits(bits) }
            }
        };
    )* };
}
floats! {
    f32 as f32, u32, 1.0, |x| x, |y| y;
    f64 as f64, u64, 1.0, |x| x, |y| y;
    f16 as f32, u16, f16::ONE, |x| x.to_f32(), |y| f16::from_f32(y);
    bf16 as f32, u16, bf16::ONE, |x| x.to_f32(), |y| bf16::from_f32(y);
}
