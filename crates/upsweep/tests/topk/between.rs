//! Values between two elements.

use upsweep::{Between, Interpolate};

fn at<T: Interpolate>(low: T, high: T, part: f64) -> f64 {
    Between { low, high, part }.value()
}

#[test]
fn floats_are_rounded_once() {
    let tiny = f64::from_bits(1);
    for (low, high, part, expected) in [
        (1.0, 3.0, 0.0, 1.0),
        (1.0, 3.0, 0.25, 1.5),
        (-f64::MAX, f64::MAX, 0.5, 0.0),
        (-f64::MAX, f64::MAX, 0.75, f64::MAX / 2.0),
        (f64::MAX, f64::MAX, 0.3, f64::MAX),
        (0.0, tiny, 0.5, 0.0),
        (tiny, 2.0 * tiny, 0.5, 2.0 * tiny),
        (0.0, f64::MAX, tiny, f64::MAX * tiny),
        (1e300, 1.5e300, f64::MIN_POSITIVE, 1e300),
        (0.1, 0.7, 0.1, 0.16),
        (1e16, 1e16 + 2.0, 0.75, 1e16 + 2.0),
        (1e16, 1e16 + 4.0, 0.25, 1e16),
    ] {
        assert_eq!(at(low, high, part), expected, "{low} {high} {part}");
        assert_eq!(at(-low, -high, part), -expected, "negative {low} {high} {part}");
    }
    assert!(at(-0.0, 0.0, 0.5).is_sign_positive() && at(-0.0, -0.0, 0.5).is_sign_negative());
    assert!(at(-0.0, 1.0, 0.0).is_sign_negative());
    assert_eq!(at(0.1f32, 0.2, 0.0), f64::from(0.1f32));
}

#[test]
fn what_is_not_finite() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    assert_eq!((at(0.0, inf, 0.0), at(0.0, inf, 1e-300), at(inf, inf, 0.5)), (0.0, inf, inf));
    assert_eq!((at(-inf, 0.0, 0.9), at(-inf, -inf, 0.5), at(-inf, inf, 0.0)), (-inf, -inf, -inf));
    assert!(at(-inf, inf, 0.5).is_nan() && at(nan, nan, 0.0).is_nan() && at(1.0, nan, 0.5).is_nan());
}

#[test]
fn integers_of_64_bits_have_all_digits() {
    let text = |low: i64, high, part| Between { low, high, part }.to_string();
    assert_eq!(text(i64::MIN, i64::MAX, 0.5), "-0.5");
    assert_eq!(text(i64::MIN, i64::MIN, 0.0), "-9223372036854775808");
    assert_eq!(text(i64::MIN, i64::MIN + 1, 0.5), "-9223372036854775807.5");
    assert_eq!(text(i64::MAX - 1, i64::MAX, 0.75), "9223372036854775806.75");
    assert_eq!(text(i64::MAX - 1, i64::MAX, 1e-300), "9223372036854775806");
    assert_eq!(text(3, 4, 0.5), "3.5");
    let between = Between { low: u64::MAX - 1, high: u64::MAX, part: 0.5 };
    assert_eq!((between.to_string().as_str(), between.is_exact()), ("18446744073709551614.5", false));
    assert_eq!(between.value(), 2f64.powi(64));
    assert!(Between { low: 1u8, high: 2, part: 0.5 }.is_exact());
}

/// Values ascend with the fraction and stay between; compared with the exact sum of small numbers.
#[test]
fn values_ascend_with_the_part_and_stay_between() {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 11
    };
    for _ in 0..2000 {
        let float = |bits: u64| f64::from_bits(bits << 11 ^ bits >> 3);
        let (a, b) = (float(next()), float(next()));
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        if !low.is_finite() || !high.is_finite() {
            continue;
        }
        let mut before = low;
        let mut parts: Vec<f64> = (0..20).map(|_| next() as f64 / (1u64 << 53) as f64).collect();
        parts.sort_by(f64::total_cmp);
        for part in parts {
            let value = at(low, high, part);
            assert!(before <= value && value <= high, "{low} {high} {part}: {value}");
            before = value;
        }
        let (low, high) = (next() as i64 >> 20, next() as i64 >> 20);
        let (low, high, part) = (low.min(high), low.max(high), (next() % 1024) as f64 / 1024.0);
        let expected = (i128::from(low) * 1024 + i128::from(high - low) * (part * 1024.0) as i128) as f64 / 1024.0;
        assert_eq!(at(low, high, part), expected);
    }
}
