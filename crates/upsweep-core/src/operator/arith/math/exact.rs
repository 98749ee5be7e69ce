//! Building blocks of the functions: sums and products with their rounding errors, powers of two.

use super::intrinsics::bits;
use upsweep_macros::function;

/// Returns `a + b` rounded, and the rounding error, where `|a| >= |b|` or `a` is 0.
#[function(helper)]
pub fn fast_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// Returns `a + b` rounded, and the rounding error (Knuth).
#[function(helper)]
pub fn full_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// Returns `x` with the upper 26 bits of its significand alone: the product of two such numbers is exact.
#[function(helper)]
pub fn upper(x: f64) -> f64 {
    f64::from_bits(bits(x) & 0xffff_ffff_f800_0000)
}

/// Returns `a * b` rounded, and the rounding error to 2^-106 of the product (after Dekker; a fused multiply-add is slow
/// on CPUs without one).
#[function(helper)]
pub fn product(a: f64, b: f64) -> (f64, f64) {
    let whole = a * b;
    let (a_high, b_high) = (upper(a), upper(b));
    let (a_low, b_low) = (a - a_high, b - b_high);
    (whole, ((a_high * b_high - whole) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

/// Returns 2^k, for `k` in -1022..=1023.
#[function(helper)]
pub fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// Returns `x * 2^k`, rounded once, for a normal `x` near 1 and `k` in -2044..=2046.
#[function(helper)]
pub fn scaled(x: f64, k: i32) -> f64 {
    let half = k >> 1;
    x * power_of_two(half) * power_of_two(k - half)
}

/// 2^52 + 2^51: a number added to it is rounded to an integer, which is in the lowest bits of the sum.
const INTEGERS: f64 = 6755399441055744.0;

/// Returns the integer next to `x`, as a float and as an integer, where `|x| < 2^31`.
#[function(helper)]
pub fn nearest(x: f64) -> (f64, i32) {
    let shifted = x + INTEGERS;
    (shifted - INTEGERS, bits(shifted) as i32)
}
