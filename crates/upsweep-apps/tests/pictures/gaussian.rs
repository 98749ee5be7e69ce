//! Tests of the Gaussian blur.

use crate::{Random, cases};
use upsweep::Device;
use upsweep_apps::image::{Extent, GaussianBlur};

cases! { gaussian, gaussian_borders, gaussian_of_nan }

/// Gaussian blur against a sum over all pixels with the true weights, mirrored at the borders.
fn gaussian(device: &Device) {
    let mut random = Random(6);
    let (h, w) = (40usize, 55usize);
    let extent = Extent::new(h, w).channels(2);
    let x: Vec<f32> = random.bytes(h * w * 2).into_iter().map(f32::from).collect();
    let given = device.upload(&x).unwrap();
    for (sigma, error) in [(1.0f64, 1e-5), (2.0, 0.008), (3.0, 0.005), (6.0, 0.005)] {
        let reach = (8.0 * sigma) as i64;
        let weight = |k: i64| (-(k * k) as f64 / (2.0 * sigma * sigma)).exp();
        let total: f64 = (-reach..=reach).map(weight).sum();
        let mirrored = |i: i64, n: usize| {
            let (period, n) = (2 * (n as i64 - 1), n as i64);
            let i = i.rem_euclid(period);
            (if i < n { i } else { period - i }) as usize
        };
        let along = |x: &[f64], rows: bool| -> Vec<f64> {
            (0..x.len())
                .map(|at| {
                    let (c, j, i) = (at % 2, at / 2 % w, at / 2 / w);
                    let of = |k: i64| {
                        let (y, x) = if rows { (i, mirrored(j as i64 + k, w)) } else { (mirrored(i as i64 + k, h), j) };
                        (y * w + x) * 2 + c
                    };
                    (-reach..=reach).map(|k| weight(k) * x[of(k)]).sum::<f64>() / total
                })
                .collect()
        };
        let exact = along(&along(&x.iter().map(|&x| x.into()).collect::<Vec<f64>>(), true), false);
        let mut found = device.filled(x.len(), 0.0f32).unwrap();
        GaussianBlur::new(sigma).run(device, &given, extent, &mut found).unwrap();
        let found = found.to_vec().unwrap();
        let worst = found.iter().zip(&exact).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
        assert!(worst <= error * 255.0, "sigma {sigma}: {worst}");
        // A constant image stays.
        let flat = device.filled(x.len(), 77.0f32).unwrap();
        let mut same = device.filled(x.len(), 0.0f32).unwrap();
        GaussianBlur::new(sigma).run(device, &flat, extent, &mut same).unwrap();
        assert!(same.to_vec().unwrap().iter().all(|x| (x - 77.0).abs() < 1e-4));
    }
    for (h, w) in [(1, 1), (1, 5), (5, 1), (2, 2), (0, 3)] {
        let x = vec![9u8; h * w];
        let mut found = device.filled(h * w, 0u8).unwrap();
        let extent = Extent::new(h, w);
        GaussianBlur::new(5.0).run(device, &device.upload(&x).unwrap(), extent, &mut found).unwrap();
        assert_eq!(found.to_vec().unwrap(), x);
    }
}

/// Reference blur of a line: mirrored over 6 sigma or as far as the line goes, then constant, each pixel with its
/// Gaussian weight.
fn blurred_line(x: &[f64], sigma: f64) -> Vec<f64> {
    let (n, reach) = (x.len() as i64, (6.0 * sigma).ceil() as i64);
    let mirrored = reach.min(n - 1);
    let at = |i: i64| {
        let i = i.clamp(-mirrored, n - 1 + mirrored).abs();
        x[(if i > n - 1 { 2 * (n - 1) - i } else { i }) as usize]
    };
    let far = (9.0 * sigma).ceil() as i64 + 1;
    let weight = |k: i64| (-0.5 * (k as f64 / sigma).powi(2)).exp();
    let total: f64 = (-far..=far).map(weight).sum();
    (0..n).map(|i| (-far..=far).map(|k| weight(k) * at(i + k)).sum::<f64>() / total).collect()
}

fn gaussian_borders(device: &Device) {
    let blur = |x: &[u8], sigma| {
        let mut found = device.filled(x.len(), 0u8).unwrap();
        let given = device.upload(x).unwrap();
        GaussianBlur::new(sigma).run(device, &given, Extent::new(1, x.len()), &mut found).unwrap();
        found.to_vec().unwrap()
    };
    // By hand: 255 ((1 - w(0)) / 2 + w(1)) with w(0) = 0.0798 and w(1) = 0.0782.
    assert_eq!(blur(&[0, 255], 5.0), [137, 118]);
    assert_eq!(blur(&[255, 0], 5.0), [118, 137]);
    // 255 / (1 + 2 exp(-2) + 2 exp(-8)) is 200.6.
    assert_eq!(blur(&[0, 0, 255, 0, 0], 0.5), [0, 27, 201, 27, 0]);
    let mut random = Random(8);
    for (n, sigma) in [
        (2, 0.5),
        (3, 1.0),
        (40, 1.9),
        (2, 2.0),
        (2, 5.0),
        (7, 5.0),
        (29, 5.0),
        (30, 5.0),
        (31, 5.0),
        (32, 5.0),
        (100, 5.0),
        (50, 49.0),
        (50, 51.0),
        (400, 60.0),
        (3, 300.0),
        (2000, 300.0),
        (5, 3000.0),
    ] {
        let x: Vec<f64> = random.bytes(n).into_iter().map(f64::from).collect();
        let expected = blurred_line(&x, sigma);
        let given = device.upload(&x).unwrap();
        for (h, w) in [(1, n), (n, 1)] {
            let mut found = device.filled(n, 0.0f64).unwrap();
            GaussianBlur::new(sigma).run(device, &given, Extent::new(h, w), &mut found).unwrap();
            let worst = found.to_vec().unwrap().iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // The recurrence is nearly a Gaussian.
            let error = if sigma < 2.0 { 1e-4 } else { 1.0 };
            assert!(worst <= error, "{h} x {w}, sigma {sigma}: {worst}");
        }
    }
}

fn gaussian_of_nan(device: &Device) {
    let (h, w) = (60, 70);
    for sigma in [1.0, 3.0] {
        let reach = (6.0f64 * sigma).ceil() as usize;
        let blur = |spoilt: &[(usize, f64)]| {
            let mut x = vec![1.0; h * w];
            spoilt.iter().for_each(|&(at, value)| x[at] = value);
            let mut found = device.filled(x.len(), 0.0f64).unwrap();
            let given = device.upload(&x).unwrap();
            GaussianBlur::new(sigma).run(device, &given, Extent::new(h, w), &mut found).unwrap();
            found.to_vec().unwrap()
        };
        let near = |at: usize, other: usize| at.abs_diff(other) <= reach;
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for (at, found) in blur(&[(2 * w + 30, value)]).into_iter().enumerate() {
                let inside = near(at / w, 2) && near(at % w, 30);
                let right = match inside {
                    true => found.is_nan() && value.is_nan() || found == value,
                    // The recurrence has 0 and not 1 in place of the value, which shows as far as its weights reach.
                    false => (found - 1.0).abs() < 1e-3,
                };
                assert!(right, "sigma {sigma}, {value} at (2, 30): {found} at ({}, {})", at / w, at % w);
            }
        }
        let both = blur(&[(2 * w + 30, f64::INFINITY), (2 * w + 33, f64::NEG_INFINITY)]);
        assert!(both[2 * w + 31].is_nan());
    }
}
