//! `atan` and `atan2`: the angle of a point within its octant, then the octant.

use super::intrinsics::{coefficients, polynomial};
use std::f64::consts::FRAC_PI_4;
use upsweep_macros::function;

/// Error of `FRAC_PI_4`, the float nearest to pi/4. The float has 50 bits before zeros, so that its multiples up to 4
/// are exact.
const FRAC_PI_4_LOW: f64 = 3.061616997868383e-17;

coefficients! {
    /// Polynomial for (1 - atan t / t) / z, with z = t^2; error 2^-59.4.
    AtanTail = [
        0.3333333333333323, -0.1999999999997338, 0.14285714283311485, -0.11111111001298556, 0.09090906107618872,
        -0.07692255037640229, 0.06666029261403837, -0.05876877314354846, 0.05229076958429183, -0.04606512268911474,
        0.03827009975367586, -0.027191989475213757, 0.01397342851876331, -0.003710040275192644,
    ];
    /// Polynomial for (1 - atan t / t) / z, with z = t^2, for f32; error 2^-36.5.
    AtanTailShort = [
        0.3333333302450224, -0.19999971231962926, 0.14284794384730046, -0.11096765074107556, 0.08965230605914232,
        -0.07032250039053228, 0.04536663061604743, -0.01649764361168126,
    ];
}

/// Returns the larger and the smaller of |x| and |y|, with points at infinity and the origin moved to finite points of
/// the same angle; and whether |y| is larger.
#[function(helper)]
fn sides(y: f64, x: f64) -> (f64, f64, bool) {
    let (y, x) = (y.abs(), x.abs());
    let steep = y > x;
    let (a, b) = (if steep { y } else { x }, if steep { x } else { y });
    let b = if b == f64::INFINITY {
        1.0
    } else if a == f64::INFINITY {
        0.0
    } else {
        b
    };
    let a = if a == f64::INFINITY || a == 0.0 { 1.0 } else { a };
    (a, b, steep)
}

/// Returns t with atan(b / a) = atan t and false, or pi/4 + atan t and true, where |t| <= 0.6, for 0 <= b <= a.
#[function(helper)]
fn tangent(a: f64, b: f64) -> (f64, bool) {
    let middle = b > 0.6 * a;
    // `unit` keeps the sum of two large numbers finite. Small numbers are not halved, as their halves may be rounded.
    let unit: f64 = if a > 1.0 { 0.5 } else { 1.0 };
    let (above, below) = (b * unit - a * unit, b * unit + a * unit);
    let (above, below) = (if middle { above } else { b }, if middle { below } else { a });
    (above / below, middle)
}

/// Returns the angle of the point (x, y) from `angle`, which is atan t: `steep` is from `sides`, and t and `middle` are
/// from `tangent`.
#[function(helper)]
fn around((y, x): (f64, f64), angle: f64, steep: bool, middle: bool) -> f64 {
    // The angle is a number of quarters of pi plus or minus `angle`: mirrored at pi/4 if steep, at pi/2 if x is
    // negative.
    let quarters = if middle { 1.0f64 } else { 0.0 };
    let (quarters, angle) = (if steep { 2.0 - quarters } else { quarters }, if steep { -angle } else { angle });
    let left = x.is_sign_negative();
    let (quarters, angle) = (if left { 4.0 - quarters } else { quarters }, if left { -angle } else { angle });
    let value = (quarters * FRAC_PI_4 + (angle + quarters * FRAC_PI_4_LOW)).copysign(y);
    if x.is_nan() || y.is_nan() { f64::NAN } else { value }
}

#[function(helper)]
#[inline]
pub fn atan2_double(y: f64, x: f64) -> f64 {
    let (a, b, steep) = sides(y, x);
    let (t, middle) = tangent(a, b);
    let z = t * t;
    around((y, x), t - t * (z * polynomial::<AtanTail>(z)), steep, middle)
}

#[function(helper)]
pub fn atan2_single(y: f32, x: f32) -> f32 {
    let (y, x) = (y as f64, x as f64);
    let (a, b, steep) = sides(y, x);
    let (t, middle) = tangent(a, b);
    let z = t * t;
    around((y, x), t - t * (z * polynomial::<AtanTailShort>(z)), steep, middle) as f32
}

#[function(helper)]
#[inline]
pub fn atan_double(x: f64) -> f64 {
    atan2_double(x, 1.0)
}

#[function(helper)]
pub fn atan_single(x: f32) -> f32 {
    atan2_single(x, 1.0)
}
