//! `cbrt` and `hypot`.

use super::exact::{power_of_two, upper};
use super::intrinsics::{bits, coefficients, polynomial};
use upsweep_macros::function;

const FRACTION: u64 = 0x000f_ffff_ffff_ffff;
const ONE: u64 = 0x3ff0_0000_0000_0000;
const TWO_54: f64 = 18014398509481984.0;
const TWO_600: f64 = 4.149515568880993e180;
const TWO_MINUS_600: f64 = 2.409919865102884e-181;
const CBRT_2: f64 = 1.2599210498948732;
const CBRT_4: f64 = 1.5874010519681996;

coefficients! {
    /// Polynomial that approximates the cube root on 1..2; relative error 2^-16.7.
    CbrtStart = [
        0.5069773450956676, 0.7181597073513588, -0.30061756638728127, 0.08609406534912682, -0.010604347693855501,
    ];
}

/// Returns `w` in 1..8 and `scale` with x = w scale^3, and the cube root of `w` to 2^-47, for a positive finite `x`.
#[function(helper)]
fn cube_root(x: f64) -> (f64, f64, f64) {
    let small = x < f64::MIN_POSITIVE;
    let normal = bits(if small { x * TWO_54 } else { x });
    // The bias of exponents, 1023, is 3 times 341.
    let exponent = (normal >> 52u32) as i32;
    let third = exponent / 3;
    let over = exponent - 3 * third;
    let m = f64::from_bits(normal & FRACTION | ONE);
    let w = m * power_of_two(over);
    let factor = if over == 0 {
        1.0
    } else if over == 1 {
        CBRT_2
    } else {
        CBRT_4
    };
    let t = polynomial::<CbrtStart>(m) * factor;
    // Halley's iteration triples the digits.
    let cube = t * t * t;
    let t = t * ((cube + 2.0 * w) / (2.0 * cube + w));
    (w, power_of_two(third - if small { 359 } else { 341 }), t)
}

#[function(helper)]
pub fn cbrt_double(x: f64) -> f64 {
    let (w, scale, t) = cube_root(x.abs());
    // Halley's iteration again, from a number whose square is exact.
    let t = upper(t);
    let ratio = w / (t * t);
    let root = t + t * ((ratio - t) / (2.0 * t + ratio));
    let value = (root * scale).copysign(x);
    if x != 0.0 && x.is_finite() { value } else { x }
}

#[function(helper)]
pub fn cbrt_single(x: f32) -> f32 {
    let (_, scale, t) = cube_root((x as f64).abs());
    let value = (t * scale) as f32;
    if x != 0.0 && x.is_finite() { value.copysign(x) } else { x }
}

#[function(helper)]
pub fn hypot_double(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let larger = if x > y { x } else { y };
    let infinite = x == f64::INFINITY || y == f64::INFINITY;
    // Squares must be neither infinite nor subnormal.
    let (large, small) = (larger > 1e150, larger < 1e-120);
    let unit = if large {
        TWO_MINUS_600
    } else if small {
        TWO_600
    } else {
        1.0
    };
    let back = if large {
        TWO_600
    } else if small {
        TWO_MINUS_600
    } else {
        1.0
    };
    let (a, b) = (x * unit, y * unit);
    if infinite { f64::INFINITY } else { (a * a + b * b).sqrt() * back }
}

#[function(helper)]
pub fn hypot_single(x: f32, y: f32) -> f32 {
    let (a, b) = (x as f64, y as f64);
    let infinite = x.is_infinite() || y.is_infinite();
    if infinite { f32::INFINITY } else { (a * a + b * b).sqrt() as f32 }
}
