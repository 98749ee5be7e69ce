//! Mathematical functions: against Rust's own, against values of mpmath, and at special values.

mod every_f32;
#[cfg(feature = "cuda")]
mod every_f32_gpu;
mod special;
mod table;

use upsweep::operator::arith;

/// Function of one f32, and one of f64 by other means whose result has all digits of an f32 right.
type One = (&'static str, fn(f32) -> f32, fn(f64) -> f64);
/// Pair of functions like [`One`], with two arguments.
type Two = (&'static str, fn(f32, f32) -> f32, fn(f64, f64) -> f64);

const ONE: [One; 12] = [
    ("exp", arith::exp, f64::exp),
    ("exp2", arith::exp2, f64::exp2),
    ("exp_m1", arith::exp_m1, f64::exp_m1),
    ("tanh", arith::tanh, f64::tanh),
    ("ln", arith::ln, f64::ln),
    ("log2", arith::log2, f64::log2),
    ("ln_1p", arith::ln_1p, f64::ln_1p),
    ("sin", arith::sin, f64::sin),
    ("cos", arith::cos, f64::cos),
    ("tan", arith::tan, f64::tan),
    ("atan", arith::atan, f64::atan),
    ("cbrt", arith::cbrt, f64::cbrt),
];
const TWO: [Two; 3] =
    [("atan2", arith::atan2, f64::atan2), ("powf", arith::powf, f64::powf), ("hypot", arith::hypot, f64::hypot)];
