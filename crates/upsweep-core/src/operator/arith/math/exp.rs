//! `exp`, `exp2`, `exp_m1` and `tanh`: e^x = 2^k e^r, where k is an integer and |r| <= ln 2 / 2.

use super::exact::{fast_sum, full_sum, nearest, power_of_two, scaled};
use super::intrinsics::{bits_f32, coefficients, polynomial};
use std::f64::consts::{LN_2, LOG2_E};
use upsweep_macros::function;

/// High part of ln 2: it has 42 bits, so that its product with an exponent is exact.
pub const LN_2_HIGH: f64 = 0.6931471805598903;
/// Low part of ln 2, beyond [`LN_2_HIGH`].
pub const LN_2_LOW: f64 = 5.497923018708371e-14;

coefficients! {
    /// Polynomial for (e^r - 1 - r) / r^2, with |r| <= ln 2 / 2; error 2^-58.
    pub(super) ExpTail = [
        0.5000000000000012, 0.166666666666667, 0.04166666666651559, 0.008333333333307769, 0.001388888894697836,
        0.00019841269916024795, 2.4801489973758217e-05, 2.7557217577074603e-06, 2.7631271295533914e-07,
        2.5117451987422812e-08,
    ];
    /// Polynomial for (e^r - 1 - r) / r^2, for f32; error 2^-34.3.
    ExpTailShort = [
        0.50000000779479, 0.16666666860102397, 0.04166626982943766, 0.00833326449188035, 0.0013946079838533772,
        0.00019918312609437482,
    ];
    /// Polynomial for (2^r - 1) / r, with |r| <= 1/2; error 2^-58.
    Exp2Tail = [
        LN_2, 0.24022650695910133, 0.05550410866482174, 0.009618129107593272, 0.001333355814637916,
        0.00015403530458161894, 1.5252733867515348e-05, 1.321543477284369e-06, 1.0178046448145206e-07,
        7.07386822799874e-09, 4.4573915790208394e-10,
    ];
    /// Polynomial for (2^r - 1) / r, for f32; error 2^-34.3.
    Exp2TailShort = [
        0.6931471805416459, 0.24022651076244766, 0.055504109630545875, 0.009618036847645202, 0.0013333430212280216,
        0.0001546713286253121, 1.5315100746517138e-05,
    ];
}

/// Returns `k`, and `r` as a float and its rounding error, with x = k ln 2 + r.
#[function(helper)]
fn of_ln_2(x: f64) -> (i32, f64, f64) {
    let (n, k) = nearest(x * LOG2_E);
    let (high, low) = (x - n * LN_2_HIGH, n * LN_2_LOW);
    let r = high - low;
    (k, r, (high - r) - low)
}

/// Returns 2^k e^(r + low).
#[function(helper)]
fn raised(k: i32, r: f64, low: f64) -> f64 {
    scaled(1.0 + (r + (r * r * polynomial::<ExpTail>(r) + low)), k)
}

#[function(helper)]
pub fn exp_double(x: f64) -> f64 {
    let (k, r, low) = of_ln_2(x.clamp(-746.0, 710.0));
    raised(k, r, low)
}

/// Returns e^(x + rest), for a `rest` of less than 2^-40.
#[function(helper)]
pub fn exp_of_sum(x: f64, rest: f64) -> f64 {
    let (k, r, low) = of_ln_2(x.clamp(-746.0, 710.0));
    let (r, low) = fast_sum(r, low + rest);
    raised(k, r, low)
}

/// Returns e^x with a relative error of 2^-33, for every f32 and for f64 near them.
#[function(helper)]
pub fn exp_short(x: f64) -> f64 {
    let x = x.clamp(-110.0, 90.0);
    let (n, k) = nearest(x * LOG2_E);
    let r = x - n * LN_2;
    (1.0 + (r + r * r * polynomial::<ExpTailShort>(r))) * power_of_two(k)
}

/// 2^23 + 2^22: a number added to it is rounded to an integer, which is in the lowest bits of the sum.
const INTEGERS_F32: f32 = 12582912.0;
/// Bits of `INTEGERS_F32`.
const INTEGERS_F32_BITS: i32 = 0x4b40_0000;
/// High part of ln 2: it has 15 bits, so that its product with an exponent is exact.
const LN_2_HIGH_F32: f32 = 0.693_145_75;
const LN_2_LOW_F32: f32 = 1.428_606_8e-6;

/// Returns 2^k, for `k` in -126..=127.
#[function(helper)]
fn power_of_two_f32(k: i32) -> f32 {
    f32::from_bits(((k + 127) as u32) << 23)
}

/// Returns e^x, computed in f32 alone, as a GPU converts between f32 and f64 slowly. The power of the remainder errs by
/// 0.9 units in the last place at most, since what is added to 1 is at most a third of it.
#[function(helper)]
pub fn exp_single(x: f32) -> f32 {
    let x = x.clamp(-104.0, 89.0);
    let shifted = x * LOG2_E as f32 + INTEGERS_F32;
    let n = shifted - INTEGERS_F32;
    let k = bits_f32(shifted) as i32 - INTEGERS_F32_BITS;
    let (high, low) = (x - n * LN_2_HIGH_F32, n * LN_2_LOW_F32);
    let r = high - low;
    // Polynomial for (e^r - 1 - r) / r^2; error 2^-27.8.
    let tail = 0.0013814467 * r + 0.008368781;
    let tail = (tail * r + 0.04166839) * r + 0.1666652;
    let tail = tail * r + 0.49999994;
    let power = 1.0 + (high + (r * r * tail - low));
    let half = k >> 1;
    power * power_of_two_f32(half) * power_of_two_f32(k - half)
}

#[function(helper)]
pub fn exp2_double(x: f64) -> f64 {
    let x = x.clamp(-1080.0, 1030.0);
    let (n, k) = nearest(x);
    let r = x - n;
    scaled(1.0 + r * polynomial::<Exp2Tail>(r), k)
}

#[function(helper)]
pub fn exp2_single(x: f32) -> f32 {
    let x = (x as f64).clamp(-160.0, 130.0);
    let (n, k) = nearest(x);
    let r = x - n;
    ((1.0 + r * polynomial::<Exp2TailShort>(r)) * power_of_two(k)) as f32
}

/// Returns `k`, `high` and `low` with e^x - 1 = 2^k (high + low), for `x` in -41..=710.
#[function(helper)]
fn less_one(x: f64) -> (i32, f64, f64) {
    let (k, r, low) = of_ln_2(x);
    // A 2^-k below 2^-60 does not change the difference from 1, and may not be a float: so k is limited to 60.
    let (high, rest) = fast_sum(1.0 - power_of_two(-k.min(60)), r);
    (k, high, rest + (r * r * polynomial::<ExpTail>(r) + low))
}

#[function(helper)]
pub fn exp_m1_double(x: f64) -> f64 {
    let (k, high, low) = less_one(x.clamp(-40.0, 710.0));
    if x.abs() < 1e-17 { x } else { scaled(high + low, k) }
}

#[function(helper)]
pub fn exp_m1_single(x: f32) -> f32 {
    let wide = (x as f64).clamp(-40.0, 90.0);
    let (n, k) = nearest(wide * LOG2_E);
    let r = wide - n * LN_2;
    let power = power_of_two(k);
    let value = (power - 1.0) + power * (r + r * r * polynomial::<ExpTailShort>(r));
    // The lower bits of so small an x make no difference to `value`; the sum above has lost the sign of a zero.
    if x.abs() < 1e-10 { x } else { value as f32 }
}

/// Returns tanh x = (e^2x - 1) / (e^2x + 1), with numerator and denominator as two floats each.
#[function(helper)]
#[inline]
pub fn tanh_double(x: f64) -> f64 {
    let magnitude = x.abs();
    // Beyond 22, tanh is 1.
    let (k, high, low) = less_one(2.0 * if magnitude > 22.0 { 22.0 } else { magnitude });
    let (above, above_low) = fast_sum(high, low);
    let (sum, rest) = full_sum(above, power_of_two(1 - k));
    let (below, below_low) = fast_sum(sum, rest + above_low);
    let quotient = above / below;
    let value = quotient + (above_low - quotient * below_low) / below;
    if magnitude < 1e-9 { x } else { value.copysign(x) }
}

#[function(helper)]
pub fn tanh_single(x: f32) -> f32 {
    let wide = (x as f64).clamp(-12.0, 12.0);
    let (n, k) = nearest(2.0 * wide * LOG2_E);
    let r = 2.0 * wide - n * LN_2;
    let power = power_of_two(k);
    let above = (power - 1.0) + power * (r + r * r * polynomial::<ExpTailShort>(r));
    if x.abs() < 1e-6 { x } else { (above / (above + 2.0)) as f32 }
}
