//! Tests of polynomials, with loops over the coefficients as the oracle, in wider numbers where these show more.

use crate::Random;
use upsweep::Device;
use upsweep_apps::Error;
use upsweep_apps::poly::{Interpolant, Polynomial, stable_order};

fn horner(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |v, c| v * x + c)
}

#[test]
fn values_at_points() {
    let device = Device::cpu();
    let mut random = Random(1);
    for n in [0, 1, 2, 3, 4, 7, 8, 9, 10, 17, 1000, 40_000] {
        let c: Vec<f64> = (0..n).map(|_| random.unit()).collect();
        let x: Vec<f64> = (0..20).map(|_| random.unit()).chain([0.0, 1.0, -1.0]).collect();
        let polynomial = Polynomial::of(&c);
        let all = polynomial.at(&device, &x).unwrap().to_vec().unwrap();
        for (&x, found) in x.iter().zip(all) {
            assert_eq!(
                found,
                c.split_last().map_or(0.0, |(&top, c)| c.iter().rev().fold(top, |v, c| v * x + c)),
                "{n} at {x}"
            );
            let scale = horner(&c.iter().map(|c| c.abs()).collect::<Vec<_>>(), x.abs());
            for one in [polynomial.evaluate(&device, x), polynomial.evaluate_compensated(&device, x)] {
                assert!((one.unwrap() - found).abs() <= 1e-13 * scale, "{n} at {x}");
            }
        }
        // Exactly, modulo 2^64.
        let c: Vec<u64> = (0..n).map(|_| random.next()).collect();
        let z = random.next();
        let found = Polynomial::of(&c).divide(&device, z).unwrap().to_vec().unwrap();
        let mut expected = vec![0u64; n];
        let mut v = 0u64;
        for i in (0..n).rev() {
            v = v.wrapping_mul(z).wrapping_add(c[i]);
            expected[i] = v;
        }
        assert!(found == expected, "{n}");
        assert_eq!(Polynomial::of(&c).evaluate(&device, z).unwrap(), v, "{n}");
    }
}

#[test]
fn powers_that_overflow_meet_no_zeros() {
    let device = Device::cpu();
    let mut c = vec![0.0; 3000];
    c[0] = 1.0;
    c[1] = 2.0;
    assert_eq!(Polynomial::of(&c).evaluate(&device, 16.0).unwrap(), 33.0);
    assert_eq!(Polynomial::of(&c).evaluate_compensated(&device, 16.0).unwrap(), 33.0);
    assert_eq!(Polynomial::of(&c).divide(&device, 16.0).unwrap().to_vec().unwrap()[..3], [33.0, 2.0, 0.0]);
    assert_eq!(Polynomial::of(&c[1..]).evaluate(&device, 0.0).unwrap(), 2.0);
    assert_eq!(Polynomial::of(&[5.0, 0.0, 0.0, 0.0, 0.0]).evaluate(&device, f64::INFINITY).unwrap(), 5.0);
    c[2999] = 1.0;
    assert_eq!(Polynomial::of(&c).evaluate(&device, 16.0).unwrap(), f64::INFINITY);
}

/// (x - 1)^n near 1, where a loop in f64 loses all digits.
#[test]
fn powers_that_leave_the_range() {
    let device = Device::cpu();
    let check = |c: &[f64], x: f64, expected: f64| {
        let polynomial = Polynomial::of(c);
        for found in [polynomial.evaluate(&device, x).unwrap(), polynomial.evaluate_compensated(&device, x).unwrap()] {
            let near = (found - expected).abs() <= 1e-12 * expected.abs();
            assert!(
                near || found == expected || found.is_nan() && expected.is_nan(),
                "{found}, not {expected}, at {x}"
            );
        }
    };
    check(&[0.0, 0.0, 1e-300], 1e200, 1e100);
    check(&[0.0, 0.0, 0.0, 1e-300], 1e150, 1e150);
    check(&[0.0, 0.0, 1e300], 1e-200, 1e-100);
    check(&[0.0, 2.0], 1e308, f64::INFINITY);
    check(&[0.0, -2.0], 1e308, f64::NEG_INFINITY);
    check(&[0.0, f64::INFINITY], f64::NEG_INFINITY, f64::NEG_INFINITY);
    check(&[0.0, f64::INFINITY], 2.0, f64::INFINITY);
    check(&[1.0], f64::INFINITY, 1.0);
    // Sums and differences of infinities as in a loop.
    check(&[f64::INFINITY, 1.0], f64::NEG_INFINITY, f64::NAN);
    let mut random = Random(9);
    for (n, x) in
        [(65, 1e5), (1000, 2.0), (1100, 0.5), (3000, 1.5), (3001, -0.7), (257, 1e-3), (1025, 1.9), (20_000, 0.999)]
    {
        // Coefficients of a size that makes all terms alike, within the range of f64.
        let c: Vec<f64> = (0..n)
            .map(|i| (random.unit() - 0.5) * 2f64.powf((-(i as f64) * f64::log2(f64::abs(x))).clamp(-1000.0, 1000.0)))
            .collect();
        let scale = horner(&c.iter().map(|c| c.abs()).collect::<Vec<_>>(), x.abs());
        let expected = horner(&c, x);
        let polynomial = Polynomial::of(&c);
        for found in [polynomial.evaluate(&device, x), polynomial.evaluate_compensated(&device, x)].map(Result::unwrap)
        {
            assert!((found - expected).abs() <= 1e-11 * scale, "{n} at {x}: {found}, {expected}");
        }
        let divided = polynomial.divide(&device, x).unwrap().to_vec().unwrap();
        assert!((divided[0] - expected).abs() <= 1e-11 * scale, "{n} at {x}: {}, {expected}", divided[0]);
    }
    // From 2^-149 on, powers of a half are 0 in f32.
    let halves: Vec<f32> = (0..149).map(|i| 0.5f32.powi(i)).collect();
    assert_eq!(Polynomial::of(&halves).evaluate(&device, 2.0).unwrap(), 149.0);
}

#[test]
fn compensated_where_terms_cancel() {
    let device = Device::cpu();
    let mut c = vec![1i64];
    for _ in 0..12 {
        let shifted = c.iter().map(|c| -c).chain([0]);
        c = shifted.zip([0].into_iter().chain(c.iter().copied())).map(|(a, b)| a + b).collect();
    }
    let c: Vec<f64> = c.iter().map(|&c| c as f64).collect();
    let x: f64 = 1.06;
    let exact = (x - 1.0).powi(12);
    let (plain, compensated) = (
        Polynomial::of(&c).evaluate(&device, x).unwrap(),
        Polynomial::of(&c).evaluate_compensated(&device, x).unwrap(),
    );
    assert!((compensated - exact).abs() < 1e-10 * exact, "{compensated} {exact}");
    assert!((plain - exact).abs() > 1e-3 * exact, "{plain}");
}

#[test]
fn modulo_primes() {
    let device = Device::cpu();
    let mut random = Random(9);
    for p in [1, 2, 97, 0xffff_ffff_0000_0001, u64::MAX - 58] {
        for n in [0, 1, 5, 5000] {
            let c: Vec<u64> = (0..n).map(|_| random.next()).collect();
            let x = random.next();
            let wide = |v: u128, c: &u64| (v * u128::from(x % p) + u128::from(*c)) % u128::from(p);
            let expected = c.iter().rev().fold(0, wide) as u64;
            assert_eq!(Polynomial::of(&c).evaluate_modulo(&device, x, p), Ok(expected), "{n} modulo {p}");
        }
    }
    assert_eq!(Polynomial::of(&[1u64]).evaluate_modulo(&device, 1, 0), Err(Error::Modulus));
}

#[test]
fn interpolation() {
    let device = Device::cpu();
    // Newton's coefficients of small integers are exact: those of x^3 are 0 0 .. by divided differences.
    let (x, y) = ([1.0, -2.0, 0.0, 3.0], [1.0, -8.0, 0.0, 27.0]);
    assert_eq!(Interpolant::build(&device, &x, &y).unwrap().coefficients(), [1.0, 3.0, -1.0, 1.0]);
    let empty = Interpolant::build(&device, &[0.0; 0], &[0.0; 0]).unwrap();
    assert_eq!(empty.at(&device, &[1.0]).unwrap().to_vec().unwrap(), [0.0]);
    for n in [1, 8, 9, 10, 1000] {
        let at = |i: usize| 2.0 * (std::f64::consts::PI * (i as f64 + 0.5) / n as f64).cos();
        let chebyshev: Vec<f64> = (0..n).map(at).collect();
        let order = stable_order(&chebyshev);
        let x: Vec<f64> = order.iter().map(|&i| chebyshev[i]).collect();
        let f = |x: f64| 1.0 / (1.0 + 6.25 * x * x);
        let y: Vec<f64> = x.iter().map(|&x| f(x)).collect();
        let through = Interpolant::build(&device, &x, &y).unwrap();
        let back = through.at(&device, &x).unwrap().to_vec().unwrap();
        let worst = back.iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-11, "{n}: {worst:e}");
        if n == 1000 {
            let between: Vec<f64> = (0..500).map(|i| -2.0 + i as f64 * 0.008).collect();
            let values = through.at(&device, &between).unwrap().to_vec().unwrap();
            let worst = between.iter().zip(values).map(|(&x, v)| (f(x) - v).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-11, "{worst:e}");
        }
    }
}

/// Newton's coefficients are divided differences: for integers, fractions of integers.
#[test]
fn interpolation_as_by_exact_fractions() {
    fn reduced((a, b): (i128, i128)) -> (i128, i128) {
        let (mut x, mut y) = (a.abs(), b.abs());
        while y != 0 {
            (x, y) = (y, x % y);
        }
        (a / x.max(1), b / x.max(1))
    }
    let device = Device::cpu();
    let mut random = Random(5);
    for n in (1..=9).cycle().take(180) {
        let mut nodes: Vec<i128> = (-20..20).collect();
        (0..40).for_each(|i| nodes.swap(i, i + random.below(40 - i)));
        nodes.truncate(n);
        let values: Vec<i128> = (0..n).map(|_| random.below(2001) as i128 - 1000).collect();
        let mut exact: Vec<(i128, i128)> = values.iter().map(|&y| (y, 1)).collect();
        for order in 1..n {
            for i in (order..n).rev() {
                let ((a, b), (c, d)) = (exact[i], exact[i - 1]);
                exact[i] = reduced((a * d - c * b, b * d * (nodes[i] - nodes[i - order])));
            }
        }
        let floats = |x: &[i128]| x.iter().map(|&x| x as f64).collect::<Vec<_>>();
        let through = Interpolant::build(&device, &floats(&nodes), &floats(&values)).unwrap();
        for (i, (&found, &(a, b))) in through.coefficients().iter().zip(&exact).enumerate() {
            let product = |j: usize| (0..=i).filter(|&k| k != j).map(|k| nodes[j] - nodes[k]).product::<i128>() as f64;
            let terms: f64 = (0..=i).map(|j| (values[j] as f64 / product(j)).abs()).sum();
            let far = (found - a as f64 / b as f64).abs();
            assert!(far <= 1e-15 * (2.0 + i as f64) * terms, "{i} of {nodes:?}, {values:?}: {found} for {a} / {b}");
        }
    }
}

#[test]
fn points_that_cannot_be_interpolated() {
    let device = Device::cpu();
    let build = |x: &[f64], y: &[f64]| Interpolant::build(&device, x, y).err();
    assert_eq!(build(&[3.0, 1.0, 2.0, 1.0], &[0.0; 4]), Some(Error::Points { first: 1, second: 3, x: 1.0 }));
    assert_eq!(build(&[0.0, -0.0], &[0.0; 2]), Some(Error::Points { first: 0, second: 1, x: 0.0 }));
    assert!(matches!(build(&[0.0, f64::NAN], &[0.0; 2]), Some(Error::Points { first: 1, second: 1, .. })));
    assert_eq!(build(&[0.0, 1e-200, 2e-200], &[1.0, 2.0, 5.0]), Some(Error::Scale { coefficient: 2 }));
    let length = upsweep::Error::Length { what: "values", found: 1, expected: 2 };
    assert_eq!(build(&[0.0, 1.0], &[0.0]), Some(Error::Library(length)));
}
