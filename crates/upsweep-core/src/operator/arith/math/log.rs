//! `ln`, `log2` and `ln_1p`: x = 2^k (1 + f), where 1 + f is between the square roots of 1/2 and 2.
//!
//! With s = f / (2 + f), ln(1 + f) = 2 atanh(s) = f - s (f - s^2 Q(s^2)).

use super::exact::{fast_sum, upper};
use super::exp::{LN_2_HIGH, LN_2_LOW};
use super::intrinsics::{bits, coefficients, polynomial};
use std::f64::consts::{LN_2, LOG2_E};
use upsweep_macros::function;

/// The bits of the square root of 1/2.
const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
const FRACTION: u64 = 0x000f_ffff_ffff_ffff;
const TWO_54: f64 = 18014398509481984.0;
/// High part of 1 / ln 2: it has 26 bits.
const LOG2_E_HIGH: f64 = 1.4426950216293335;
const LOG2_E_LOW: f64 = 1.9259629911266175e-8;

coefficients! {
    /// Polynomial Q of the logarithm, as the head of this file defines it; error 2^-59.5.
    LogTail = [
        0.6666666666666734, 0.39999999999414204, 0.28571428742501137, 0.22222198560532416, 0.181835650343261,
        0.15314031232832012, 0.1479615400840322,
    ];
    /// Polynomial Q of the logarithm for f32; error 2^-37.6.
    LogTailShort = [
        0.6666666564472816, 0.4000033533151926, 0.285372992408722, 0.23582340633633245,
    ];
}

/// Returns `k` and `f` with x = 2^k (1 + f), for a positive finite `x`.
#[function(helper)]
pub fn parts(x: f64) -> (f64, f64) {
    let small = x < f64::MIN_POSITIVE;
    let normal = if small { x * TWO_54 } else { x };
    // The subtraction makes the exponent change at the square root of 1/2.
    let offset = bits(normal) - ROOT_HALF;
    let k = ((offset as i64) >> 52) as i32;
    let k = if small { k - 54 } else { k };
    (k as f64, f64::from_bits((offset & FRACTION) + ROOT_HALF) - 1.0)
}

/// Returns `f - ln(1 + f)`, the amount by which the logarithm bends away from the line.
#[function(helper)]
fn bend(f: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    s * (f - z * polynomial::<LogTail>(z))
}

/// Returns `f - ln(1 + f)`, with an error of 2^-37 of the logarithm.
#[function(helper)]
fn bend_short(f: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    s * (f - z * polynomial::<LogTailShort>(z))
}

/// Returns `value` where `x` has a finite logarithm, else the infinity or NaN that is the logarithm of `x`.
#[function(helper)]
fn of_positive(x: f64, value: f64) -> f64 {
    let rest = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    let rest = if x > 0.0 { x } else { rest };
    if x > 0.0 && x < f64::INFINITY { value } else { rest }
}

#[function(helper)]
pub fn ln_double(x: f64) -> f64 {
    let (k, f) = parts(x);
    of_positive(x, k * LN_2_HIGH + (f - (bend(f) - k * LN_2_LOW)))
}

/// Returns ln `x` with a relative error of 2^-37, for a normal f64.
#[function(helper)]
pub fn ln_short(x: f64) -> f64 {
    let (k, f) = parts(x);
    k * LN_2 + (f - bend_short(f))
}

#[function(helper)]
pub fn ln_single(x: f32) -> f32 {
    of_positive(x as f64, ln_short(x as f64)) as f32
}

#[function(helper)]
pub fn log2_double(x: f64) -> f64 {
    let (k, f) = parts(x);
    let below = bend(f);
    let high = f - below;
    let low = (f - high) - below;
    let first = upper(high);
    let (sum, rest) = fast_sum(k, first * LOG2_E_HIGH);
    of_positive(x, sum + (rest + (((high - first) + low) * LOG2_E + first * LOG2_E_LOW)))
}

#[function(helper)]
pub fn log2_single(x: f32) -> f32 {
    let (k, f) = parts(x as f64);
    of_positive(x as f64, k + (f - bend_short(f)) * LOG2_E) as f32
}

#[function(helper)]
pub fn ln_1p_double(x: f64) -> f64 {
    let sum = 1.0 + x;
    let lost = if x < 1.0 { x - (sum - 1.0) } else { 1.0 - (sum - x) };
    let (k, f) = parts(sum);
    let near = x > -0.2928 && x < 0.4142;
    let k = if near { 0.0 } else { k };
    let f = if near { x } else { f };
    let lost = if near { 0.0 } else { lost / sum };
    let value = k * LN_2_HIGH + (f - (bend(f) - (k * LN_2_LOW + lost)));
    // For so small an x, ln(1 + x) is x, as the square of x vanishes; and a zero keeps its sign.
    if x.abs() < 1e-17 { x } else { of_positive(sum, value) }
}

#[function(helper)]
pub fn ln_1p_single(x: f32) -> f32 {
    let wide = x as f64;
    let sum = 1.0 + wide;
    let (k, f) = parts(sum);
    let near = wide > -0.2928 && wide < 0.4142;
    let k = if near { 0.0 } else { k };
    let f = if near { wide } else { f };
    let value = of_positive(sum, k * LN_2 + (f - bend_short(f)));
    if x == 0.0 { x } else { value as f32 }
}
