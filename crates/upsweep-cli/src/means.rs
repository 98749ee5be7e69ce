//! Means, variances and quantiles of segments.

use crate::expression::value::compare;
use std::cmp::Ordering;
use upsweep_core::between::Between;
use upsweep_dynamic::{Number, Value, View, with_view};

/// Returns the variance of each segment of `x`, which has this mean, as that of a sample: the sum of the squared distances
/// from the mean by one less than the number of values; NaN for fewer than two.
pub(crate) fn deviations(x: View<'_>, offsets: &[u64], means: &[f64]) -> Vec<f64> {
    let segments = offsets.windows(2).map(|pair| pair[0] as usize..pair[1] as usize).zip(means);
    with_view!(x, x => {
        segments.map(|(segment, &mean)| {
            let x = &x[segment];
            // The distances would add up to 0 if the mean were not rounded. What they do add up to corrects the squares.
            let distances = x.iter().map(|x| float(x.number()) - mean);
            let (rest, squares) = distances.fold((0.0, 0.0), |(rest, squares), d| (rest + d, squares + d * d));
            let count = x.len() as f64;
            if x.len() < 2 { f64::NAN } else { (squares - rest * rest / count) / (count - 1.0) }
        }).collect()
    })
}

/// Returns the quantile of a share of each segment of `x`, as [`upsweep_dynamic::quantiles`] does; NaN for an empty one.
pub(crate) fn quantiles(x: View<'_>, offsets: &[u64], share: f64) -> Vec<f64> {
    let segments = offsets.windows(2).map(|pair| pair[0] as usize..pair[1] as usize);
    with_view!(x, x => segments.map(|segment| {
        let mut x = x[segment].to_vec();
        let is_nan = |x: &_| matches!(Value::number(*x), Number::Float(x) if x.is_nan());
        if x.is_empty() || x.iter().any(is_nan) {
            return f64::NAN;
        }
        let at = share * (x.len() - 1) as f64;
        let (place, part) = (at as usize, at.fract());
        let by_value = |a: &_, b: &_| compare(Value::number(*a), Value::number(*b)).unwrap_or(Ordering::Equal);
        let (_, &mut low, above) = x.select_nth_unstable_by(place, by_value);
        let high = above.iter().copied().min_by(by_value).filter(|_| part > 0.0).unwrap_or(low);
        Between { low, high, part }.value()
    }).collect())
}

/// Converts a number to f64, rounded to nearest.
fn float(number: Number) -> f64 {
    match number {
        Number::Integer(n) => n as f64,
        Number::Float(x) => x,
    }
}

/// Returns the f64 nearest to `sum / count`; NaN for a count of 0.
pub(crate) fn quotient(sum: i128, count: usize) -> f64 {
    if count == 0 {
        return f64::NAN;
    }
    if sum == 0 {
        return 0.0;
    }
    // The quotient has as many bits as fit into 128, and its last bit is set if there is a remainder: so only the
    // conversion to f64 rounds, once.
    let (bits, count) = (sum.unsigned_abs().leading_zeros(), count as u128);
    let wide = sum.unsigned_abs() << bits;
    let quotient = (wide / count) | u128::from(!wide.is_multiple_of(count));
    let mean = quotient as f64 * 0.5f64.powi(bits as i32);
    if sum < 0 { -mean } else { mean }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn quotients_are_rounded_once() {
        assert_eq!(quotient(7, 2), 3.5);
        assert_eq!(quotient(-1, 3), -1.0 / 3.0);
        assert_eq!(quotient((1 << 63) + 1, 2), 4611686018427387904.0);
        assert_eq!(quotient(i128::MAX, 1), i128::MAX as f64);
        // An integer halfway between two floats is rounded to the even one, and a quotient that is a third above
        // halfway to the upper one.
        let halfway = (1i128 << 53) + 1;
        assert_eq!(quotient(halfway, 1), (1i128 << 53) as f64);
        assert_eq!(quotient(3 * halfway + 1, 3), ((1i128 << 53) + 2) as f64);
        assert!(quotient(0, 0).is_nan());
        assert_eq!(quotient(0, 5).to_bits(), 0);
        let random = |k: u64| (k.wrapping_mul(6_364_136_223_846_793_005) >> 11) as i64 >> (k % 50);
        (1..2000).for_each(|k| {
            assert_eq!(quotient(random(k).into(), k as usize % 97 + 1), random(k) as f64 / (k % 97 + 1) as f64)
        });
    }

    #[test]
    fn medians_of_segments() {
        let medians = |x: View<'_>, offsets: &[u64]| quantiles(x, offsets, 0.5);
        let x = [1.0, 4.0, 7.0, 1e9, 1e9 + 1.0, 1e9 + 2.0, 7.0];
        assert_eq!(medians(View::F64(&x), &[0, 3, 5, 6, 7]), [4.0, 1e9 + 0.5, 1e9 + 2.0, 7.0]);
        assert_eq!(medians(View::F64(&[f64::MAX, f64::MAX, 3.0, -0.0]), &[0, 2, 4]), [f64::MAX, 1.5]);
        assert_eq!(medians(View::I64(&[i64::MAX, i64::MAX - 2, 5, 1, 2]), &[0, 2, 5]), [i64::MAX as f64, 2.0]);
        assert!(medians(View::F64(&[1.0, f64::NAN, 2.0]), &[0, 3, 3]).iter().all(|x| x.is_nan()));
        for n in 1..50u64 {
            let x: Vec<f64> = (0..n).map(|k| (k * k * 7 % 31) as f64 / 4.0).collect();
            let mut sorted = x.clone();
            sorted.sort_by(f64::total_cmp);
            let middle = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
            assert_eq!(medians(View::F64(&x), &[0, n]), [middle], "{n}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_whole() {
        let x: Vec<i64> = (0..97u64).map(|k| (k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3) as i64).collect();
        for n in [1, 2, 3, 10, 97] {
            for share in [0.0, 0.01, 0.25, 1.0 / 3.0, 0.5, 0.7, 0.99, 1.0] {
                let whole = upsweep_dynamic::quantiles(&upsweep::Device::cpu(), View::I64(&x[..n]), &[share]).unwrap();
                let found = quantiles(View::I64(&x), &[0, n as u64, 97], share);
                assert_eq!(found[0], whole[0].value, "{share} of {n}");
            }
        }
    }
}
