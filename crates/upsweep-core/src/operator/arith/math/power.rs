//! `powf`: x^y = e^(y ln x), with the logarithm in two floats.

use super::exact::{fast_sum, full_sum, product};
use super::exp::{LN_2_HIGH, LN_2_LOW, exp_of_sum, exp_short};
use super::intrinsics::{coefficients, polynomial};
use super::log::{ln_short, parts};
use upsweep_macros::function;

/// Error of `THIRD`, the float nearest to 1 / 3.
const THIRD_LOW: f64 = 1.850371707708594e-17;
const THIRD: f64 = 1.0 / 3.0;

coefficients! {
    /// Polynomial P for (atanh s / s - 1 - z / 3) / z^2, with z = s^2; error 2^-73.4.
    LogTailLong = [
        0.19999999999999993, 0.14285714285720985, 0.11111111109082976, 0.09090909402330032, 0.07692280382960864,
        0.06668092421606513, 0.0583861601988534, 0.059853942182114095,
    ];
}

/// Returns ln `x` as a float and its rounding error, together to 2^-66 of ln `x`, for a positive finite `x`.
///
/// Like `log.rs`: x = 2^k (1 + f), s = f / (2 + f), ln(1 + f) = 2 s (1 + z (1/3 + z P(z))) with z = s^2. Only P is
/// small enough for single floats.
#[function(helper)]
fn long_ln(x: f64) -> (f64, f64) {
    let (k, f) = parts(x);
    let (below, below_low) = fast_sum(2.0, f);
    let s = f / below;
    let (back, back_low) = product(s, below);
    let s_low = (((f - back) - back_low) - s * below_low) / below;
    let (z, z_rest) = product(s, s);
    let z_low = z_rest + 2.0 * s * s_low;
    let (p, p_low) = fast_sum(THIRD, THIRD_LOW + z * polynomial::<LogTailLong>(z));
    let (t, t_rest) = product(z, p);
    let t_low = t_rest + (z * p_low + z_low * p);
    let (bend, bend_rest) = product(s, t);
    let bend_low = bend_rest + (s * t_low + s_low * t);
    let (half, half_low) = fast_sum(s, bend);
    let rest = half_low + (s_low + bend_low);
    let (sum, sum_low) = full_sum(k * LN_2_HIGH, 2.0 * half);
    fast_sum(sum, sum_low + (k * LN_2_LOW + 2.0 * rest))
}

/// Applies signs and special cases to `magnitude`, e^(y ln |x|), by C99's table.
#[function(helper)]
fn powers(x: f64, y: f64, magnitude: f64) -> f64 {
    let size = x.abs();
    let end = if (size == 0.0) == (y < 0.0) { f64::INFINITY } else { 0.0 };
    let magnitude = if size == 0.0 || size == f64::INFINITY { end } else { magnitude };
    let whole = y.trunc() == y;
    let odd = whole && (0.5 * y).trunc() != 0.5 * y;
    let value = if x.is_sign_negative() && odd { -magnitude } else { magnitude };
    // An infinite y counts as a whole number.
    let value = if x < 0.0 && size != f64::INFINITY && !whole { f64::NAN } else { value };
    let value = if x.is_nan() || y.is_nan() { f64::NAN } else { value };
    if x == 1.0 || y == 0.0 { 1.0 } else { value }
}

#[function(helper)]
#[inline]
pub fn powf_double(x: f64, y: f64) -> f64 {
    let (ln, ln_low) = long_ln(x.abs());
    // For a y beyond the limit the power is 0, 1 or infinity, as it is for the limit; and products with the limit are
    // finite.
    let limited = y.clamp(-1e19, 1e19);
    let (whole, rest) = product(limited, ln);
    powers(x, y, exp_of_sum(whole, if whole.abs() < 1000.0 { rest + limited * ln_low } else { 0.0 }))
}

#[function(helper)]
pub fn powf_single(x: f32, y: f32) -> f32 {
    let (x, y) = (x as f64, y as f64);
    powers(x, y, exp_short(y.clamp(-1e19, 1e19) * ln_short(x.abs()))) as f32
}
