//! `sin`, `cos` and `tan`: x = n pi/2 + r, where n is an integer and |r| <= pi/4.

use super::exact::{fast_sum, full_sum, nearest};
use super::far::far_call;
use super::intrinsics::{coefficients, polynomial};
use std::f64::consts::FRAC_2_PI;
use upsweep_macros::function;

/// pi/2 in four parts: the first three have 33 bits, so that their products with an `n` of 20 bits are exact.
const PI_HALF_1: f64 = 1.5707963267341256;
const PI_HALF_2: f64 = 6.077100506303966e-11;
const PI_HALF_3: f64 = 2.0222662487111665e-21;
const PI_HALF_4: f64 = 8.4784276603689e-32;
/// Rest of pi/2 beyond [`PI_HALF_1`], its first part.
const PI_HALF_REST: f64 = 6.077100506506192e-11;
/// Largest |x| for which `n` has at most 20 bits.
const NEAR: f64 = 1048576.0;

coefficients! {
    /// Polynomial for (sin r / r - 1) / z, with z = r^2; error 2^-58.
    SinTail = [
        -0.16666666666666632, 0.008333333333322418, -0.00019841269829812047, 2.75573136934064e-06,
        -2.5050758349231674e-08, 1.5896809284384955e-10,
    ];
    /// Polynomial for (sin r / r - 1) / z, with z = r^2, for f32; error 2^-37.6.
    SinTailShort = [
        -0.16666666641611624, 0.008333329384473969, -0.00019839334393085054, 2.7183072234455697e-06,
    ];
    /// Polynomial for (cos r - 1 + z / 2) / z^2, with z = r^2; error 2^-64.2.
    CosTail = [
        0.0416666666666666, -0.0013888888888874127, 2.4801587289483407e-05, -2.7557314352677883e-07,
        2.087572332343707e-09, -1.1359650709308679e-11,
    ];
    /// Polynomial for (cos r - 1 + z / 2) / z^2, with z = r^2, for f32; error 2^-33.3.
    CosTailShort = [
        0.04166664684383303, -0.0013887366553287383, 2.4438351373491134e-05,
    ];
}

/// Returns `n` modulo 4, and `r` as a float and its rounding error, with x = n pi/2 + r.
#[function(helper)]
fn quadrant(x: f64) -> (u32, f64, f64) {
    if x.abs() > NEAR {
        return far_call(x);
    }
    let (n, k) = nearest(x * FRAC_2_PI);
    let (sum, rest) = full_sum(x - n * PI_HALF_1, -(n * PI_HALF_2));
    let (sum, more) = full_sum(sum, -(n * PI_HALF_3));
    let (high, low) = fast_sum(sum, (rest + more) - n * PI_HALF_4);
    (k as u32 & 3, high, low)
}

/// Returns `n` modulo 4 and `r`, with x = n pi/2 + r, for an f32: a single float is accurate enough for its `r`.
#[function(helper)]
fn quadrant_short(x: f64) -> (u32, f64) {
    if x.abs() > NEAR {
        let (n, high, _) = far_call(x);
        return (n, high);
    }
    let (n, k) = nearest(x * FRAC_2_PI);
    (k as u32 & 3, (x - n * PI_HALF_1) - n * PI_HALF_REST)
}

/// Returns sin(high + low) as a float and its rounding error, for |high| <= pi/4.
#[function(helper)]
fn sin_parts(high: f64, low: f64) -> (f64, f64) {
    let z = high * high;
    fast_sum(high, low * (1.0 - 0.5 * z) + high * z * polynomial::<SinTail>(z))
}

/// Returns cos(high + low) as a float and its rounding error, for |high| <= pi/4.
#[function(helper)]
fn cos_parts(high: f64, low: f64) -> (f64, f64) {
    let z = high * high;
    let half = 0.5 * z;
    let first = 1.0 - half;
    fast_sum(first, ((1.0 - first) - half) + (z * z * polynomial::<CosTail>(z) - high * low))
}

/// Returns sin(n pi/2 + high + low).
#[function(helper)]
fn sine(n: u32, high: f64, low: f64) -> f64 {
    let (sin, _) = sin_parts(high, low);
    let (cos, _) = cos_parts(high, low);
    let value = if n & 1 == 0 { sin } else { cos };
    if n & 2 == 0 { value } else { -value }
}

#[function(helper)]
fn sin_short(r: f64) -> f64 {
    let z = r * r;
    r + r * z * polynomial::<SinTailShort>(z)
}

#[function(helper)]
fn cos_short(r: f64) -> f64 {
    let z = r * r;
    1.0 - 0.5 * z + z * z * polynomial::<CosTailShort>(z)
}

#[function(helper)]
fn sine_short(n: u32, r: f64) -> f64 {
    let value = if n & 1 == 0 { sin_short(r) } else { cos_short(r) };
    if n & 2 == 0 { value } else { -value }
}

#[function(helper)]
#[inline]
pub fn sin_double(x: f64) -> f64 {
    let (n, high, low) = quadrant(x);
    let value = if x.is_finite() { sine(n, high, low) } else { f64::NAN };
    if x.abs() < 1e-9 { x } else { value }
}

#[function(helper)]
pub fn sin_single(x: f32) -> f32 {
    let (n, r) = quadrant_short(x as f64);
    let value = if x.is_finite() { sine_short(n, r) as f32 } else { f32::NAN };
    if x == 0.0 { x } else { value }
}

#[function(helper)]
#[inline]
pub fn cos_double(x: f64) -> f64 {
    let (n, high, low) = quadrant(x);
    if x.is_finite() { sine(n + 1, high, low) } else { f64::NAN }
}

#[function(helper)]
pub fn cos_single(x: f32) -> f32 {
    let (n, r) = quadrant_short(x as f64);
    if x.is_finite() { sine_short(n + 1, r) as f32 } else { f32::NAN }
}

#[function(helper)]
#[inline]
pub fn tan_double(x: f64) -> f64 {
    let (n, high, low) = quadrant(x);
    let (sin, sin_low) = sin_parts(high, low);
    let (cos, cos_low) = cos_parts(high, low);
    let even = n & 1 == 0;
    let (above, above_low) = if even { (sin, sin_low) } else { (-cos, -cos_low) };
    let (below, below_low) = if even { (cos, cos_low) } else { (sin, sin_low) };
    let quotient = above / below;
    let value = quotient + (above_low - quotient * below_low) / below;
    let value = if x.is_finite() { value } else { f64::NAN };
    if x.abs() < 1e-9 { x } else { value }
}

#[function(helper)]
pub fn tan_single(x: f32) -> f32 {
    let (n, r) = quadrant_short(x as f64);
    let (sin, cos) = (sin_short(r), cos_short(r));
    let value = if n & 1 == 0 { sin / cos } else { -cos / sin };
    let value = if x.is_finite() { value as f32 } else { f32::NAN };
    if x == 0.0 { x } else { value }
}
