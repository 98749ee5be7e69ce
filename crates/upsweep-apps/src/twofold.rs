//! Double-double arithmetic: numbers as sums of two floats, which have twice the digits. Dekker, "A floating-point
//! technique for extending the available precision" (1971); Shewchuk, "Adaptive precision floating-point arithmetic"
//! (1997).

use upsweep::prelude::*;

/// Product of the double-double numbers `a + a_rest` and `b + b_rest`.
#[function]
pub(crate) fn times(a: f64, a_rest: f64, b: f64, b_rest: f64) -> (f64, f64) {
    let product = a * b;
    let rest = a.mul_add(b, -product) + (a * b_rest + a_rest * b);
    let sum = product + rest;
    // If the product is infinite, its rest is 0; the sums would make it NaN.
    if sum.is_finite() { (sum, rest - (sum - product)) } else { (product, 0.0) }
}

/// Sum of the double-double numbers `a + a_rest` and `b + b_rest`.
#[function]
pub(crate) fn plus(a: f64, a_rest: f64, b: f64, b_rest: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    let rest = (a - (sum - of_b)) + (b - of_b) + (a_rest + b_rest);
    let total = sum + rest;
    if total.is_finite() { (total, rest - (total - sum)) } else { (sum, 0.0) }
}
