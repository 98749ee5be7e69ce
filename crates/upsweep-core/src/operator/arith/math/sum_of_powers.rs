//! Building blocks of sums of powers of e: e^x = e^p e^r with a multiple p of ln 2, so that two sums are brought to the
//! same p by a power of two, which is exact and needs no polynomial.
//!
//! p is rounded to a float. The float still identifies the multiple as long as neighbouring floats are not more than
//! 1/4 apart: the distance of two such floats errs by 1/4 at most, which is less than half of ln 2. Beyond that, p is x
//! itself. Floats there are at least 1/2 apart. Such a distance is one power of two or more, so that errors of
//! vanishing terms do not add up.

use super::exp::ExpTail;
use super::intrinsics::{at_least_f32, at_least_f64, at_most_f32, at_most_f64, bits, bits_f32, polynomial};
use std::f64::consts::{LN_2, LOG2_E};
use upsweep_macros::function;

/// 2^23 + 2^22 + 2^21: a number added to it is rounded to an integer if it is between -6.2 and 2 millions, and to an
/// even integer up to 18 millions. The usual 2^23 + 2^22 would round numbers of the lower half to halves.
const INTEGERS_F32: f32 = 14680064.0;
/// Rounding constant of `f64`, like `INTEGERS_F32`.
const INTEGERS: f64 = 7881299347898368.0;
/// Magnitudes from which floats of `f32` and `f64` are at least 1/2 apart.
const FAR_F32: f32 = 4194304.0;
const FAR: f64 = 2251799813685248.0;

/// Returns the multiple of ln 2 next to `x`, or `x` itself where it is far from 0, infinite or NaN.
#[function(helper)]
pub fn power_exponent_single(x: f32) -> f32 {
    let shifted = x * LOG2_E as f32 + INTEGERS_F32;
    let multiple = (shifted - INTEGERS_F32) * LN_2 as f32;
    if x.abs() < FAR_F32 { multiple } else { x }
}

#[function(helper)]
pub fn power_exponent_double(x: f64) -> f64 {
    let shifted = x * LOG2_E + INTEGERS;
    let multiple = (shifted - INTEGERS) * LN_2;
    if x.abs() < FAR { multiple } else { x }
}

/// Upper bound on the remainder of a float whose exponent is a multiple of ln 2.
const REST_F32: f32 = 0.9;
const REST: f64 = 0.9;

/// Returns e^r for the remainder r of a float without its [`power_exponent_single`]; the power is finite where r is
/// NaN. Where floats are an eighth or more apart, r is up to 0.8, and the polynomial is still far more accurate than
/// the floats.
#[function(helper)]
pub fn power_of_rest_single(r: f32) -> f32 {
    short_power_single(at_most_f32(r, REST_F32))
}

#[function(helper)]
pub fn power_of_rest_double(r: f64) -> f64 {
    short_power_double(at_most_f64(r, REST))
}

/// Returns e^r, where |r| <= ln 2 / 2.
#[function(helper)]
fn short_power_single(r: f32) -> f32 {
    // Polynomial for (e^r - 1) / r; error 2^-23.4.
    let tail = (0.00829033 * r + 0.04189798) * r + 0.16667636;
    1.0 + r * ((tail * r + 0.4999915) * r + 0.9999997)
}

#[function(helper)]
fn short_power_double(r: f64) -> f64 {
    1.0 + (r + r * r * polynomial::<ExpTail>(r))
}

/// 2^23 + 2^22 + 127: the lowest bits of its sum with an integer are the exponent field of a power of two.
const EXPONENTS_F32: f32 = 12583039.0;
const EXPONENTS: f64 = 6755399441056767.0;
/// 127 ln 2 and 1023 ln 2: the distances at which the exponent field is 0.
const DISTANCE_F32: f32 = 88.03;
const DISTANCE: f64 = 709.09;

/// Returns 2^-k, where `distance` is about k ln 2 and not negative. The result is 0 where a float's exponent has no
/// room for -k, and for NaN, which is the distance of equal infinities.
#[function(helper)]
pub fn power_over_distance_single(distance: f32) -> f32 {
    let shifted = EXPONENTS_F32 - at_most_f32(distance, DISTANCE_F32) * LOG2_E as f32;
    f32::from_bits(bits_f32(shifted) << 23u32)
}

#[function(helper)]
pub fn power_over_distance_double(distance: f64) -> f64 {
    let shifted = EXPONENTS - at_most_f64(distance, DISTANCE) * LOG2_E;
    f64::from_bits(bits(shifted) << 52u32)
}

/// 2^23 + 2^22: the lowest bits of its sum with an integer are the integer's own.
const NEAREST_F32: f32 = 12582912.0;
const NEAREST: f64 = 6755399441055744.0;
/// Lower bounds of `x`: the powers are next to 2^-126 and 2^-1022, the least normal numbers.
const LEAST_F32: f32 = -87.0;
const LEAST: f64 = -708.0;

/// Returns e^x, where `x` is less than 1: the excess of a float over the multiple of ln 2 next to the largest of
/// several floats. The power is next to 0 where the float is far below, and where `x` is NaN, which is the difference
/// of equal infinities. Such a power is negligible beside a sum of at least 0.4.
#[function(helper)]
pub fn power_below_single(x: f32) -> f32 {
    let x = at_least_f32(x, LEAST_F32);
    let shifted = x * LOG2_E as f32 + NEAREST_F32;
    let r = x - (shifted - NEAREST_F32) * LN_2 as f32;
    f32::from_bits(bits_f32(short_power_single(r)) + (bits_f32(shifted) << 23u32))
}

#[function(helper)]
pub fn power_below_double(x: f64) -> f64 {
    let x = at_least_f64(x, LEAST);
    let shifted = x * LOG2_E + NEAREST;
    let r = x - (shifted - NEAREST) * LN_2;
    f64::from_bits(bits(short_power_double(r)) + (bits(shifted) << 52u32))
}
