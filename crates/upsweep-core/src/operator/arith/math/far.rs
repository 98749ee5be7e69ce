//! Quadrants of large angles, after Payne and Hanek ("Radian Reduction for Trigonometric Functions", 1983).

use super::super::Functions;
use super::exact::{fast_sum, power_of_two, product};
use super::intrinsics::{bits, called, cuda_name, two_over_pi};
use crate::operator::{Element, Source};
use std::f64::consts::FRAC_PI_2;
use upsweep_macros::function;

/// Error of `FRAC_PI_2`, the float nearest to pi / 2.
const FRAC_PI_2_LOW: f64 = 6.123233995736766e-17;

/// Returns 64 bits of 2 / pi from bit `at`; the first 64 bits of the table are 0, before the point.
#[function(helper)]
fn window(at: usize) -> u64 {
    let (word, shift) = (at >> 6u32, (at & 63) as u32);
    let both = (two_over_pi(word) as u128) << 64u32 | two_over_pi(word + 1) as u128;
    (both >> (64 - shift)) as u64
}

/// Returns `n` modulo 4, `high` and `low` with x = n pi/2 + high + low and |high| <= pi/4, for a finite `x` of at least
/// 2^20.
///
/// x = m 2^e with an integer m of 53 bits. Bits of 2/pi of weight 2^(2-e) or more give multiples of 4 and are left out.
/// The next 192 bits times m, without overflow, are x 2/pi modulo 4 to 2^-137; no float is nearer to a multiple of pi/2
/// than 2^-62.
#[function(helper)]
pub fn far_quadrant(x: f64) -> (u32, f64, f64) {
    let exponent = (bits(x) >> 52u32 & 0x7ff) as usize;
    let m = (bits(x) & 0xf_ffff_ffff_ffff | 0x10_0000_0000_0000) as u128;
    // e is the exponent - 1075, the first bit that counts is bit e - 2, and the table begins 64 bits before the point.
    let at = exponent - 1013;
    let low = m * window(at + 128) as u128;
    let middle = m * window(at + 64) as u128 + (low >> 64u32);
    let high = m * window(at) as u128 + (middle >> 64u32);
    // x 2/pi is n + fraction / 2^128, modulo 4.
    let upper = high << 64u32 | (middle as u64) as u128;
    let fraction = upper << 2u32 | (low as u64 >> 62u32) as u128;
    let past_half = fraction >> 127u32 != 0;
    let n = (upper >> 126u32) as u32 + if past_half { 1 } else { 0 };
    let magnitude = if past_half { fraction.wrapping_neg() } else { fraction };
    let zeros = magnitude.leading_zeros();
    let digits = magnitude << zeros;
    let first = ((digits >> 75u32) as u64) as f64 * power_of_two(-53 - zeros as i32);
    let second = ((digits >> 22u32) as u64 & 0x1f_ffff_ffff_ffff) as f64 * power_of_two(-106 - zeros as i32);
    let (angle, rest) = product(first, FRAC_PI_2);
    let (angle, rest) = fast_sum(angle, rest + (first * FRAC_PI_2_LOW + second * FRAC_PI_2));
    let mirrored = past_half != x.is_sign_negative();
    let n = if x.is_sign_negative() { n.wrapping_neg() } else { n };
    (n & 3, if mirrored { -angle } else { angle }, if mirrored { -rest } else { rest })
}

/// Calls [`far_quadrant`] out of line, as it is long and rarely needed.
#[cold]
#[inline(never)]
pub fn far_call(x: f64) -> (u32, f64, f64) {
    far_quadrant(x)
}
cuda_name! { far_call cuda_name_of_far_call, |source| {
    let function = Functions.cuda_name_of_far_quadrant(source);
    let result = <(u32, f64, f64)>::cuda_type(source);
    called(source, &function, &result, "f64 x")
} }
