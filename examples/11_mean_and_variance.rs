//! 11: an operator on a struct, and two outputs: the mean and the variance of every prefix. The operator is the formula
//! of Chan, Golub and LeVeque for the moments of a union.
//!
//! `cargo run --release -p upsweep --example 11_mean_and_variance`

use upsweep::prelude::*;

/// Moments of `n` numbers: their mean, and the sum of squared distances from the mean.
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Moments {
    n: f64,
    mean: f64,
    squares: f64,
}

#[operator]
fn join(a: Moments, b: Moments) -> Moments {
    let (n, distance) = (a.n + b.n, b.mean - a.mean);
    let between = distance * distance * (a.n * b.n / n);
    Moments { n, mean: a.mean + distance * (b.n / n), squares: a.squares + b.squares + between }
}

#[function]
fn one(x: f64) -> Moments {
    Moments { n: 1.0, mean: x, squares: 0.0 }
}

#[function]
fn mean_and_variance(m: Moments) -> (f64, f64) {
    (m.mean, m.squares / m.n)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    // Numbers far from 0: the formula E[x^2] - E[x]^2 would lose every digit of the variance.
    let x: Vec<f64> = (0..10_000).map(|i| 1e9 + f64::from(i * 37 % 101)).collect();
    let (mut mean, mut variance) = (device.filled(x.len(), 0.0)?, device.filled(x.len(), 0.0)?);
    let scan = Scan::new(Join).map(One).finish(MeanAndVariance);
    scan.run(&device, &device.upload(&x)?, (&mut mean, &mut variance))?;

    let (mean, variance) = (mean.to_vec()?, variance.to_vec()?);
    println!("numbers     mean - 10^9  variance  by E[x^2] - E[x]^2");
    for n in [1, 2, 100, 10_000] {
        let near: Vec<f64> = x[..n].iter().map(|x| x - 1e9).collect();
        let m = near.iter().sum::<f64>() / n as f64;
        let v = near.iter().map(|x| (x - m).powi(2)).sum::<f64>() / n as f64;
        assert!((mean[n - 1] - 1e9 - m).abs() < 1e-5 && (variance[n - 1] - v).abs() < 1e-3 * (1.0 + v), "{n} numbers");
        let of = |f: fn(f64) -> f64| x[..n].iter().map(|&x| f(x)).sum::<f64>() / n as f64;
        let naive = of(|x| x * x) - of(|x| x).powi(2);
        println!("{n:7} {:15.3} {:9.3} {naive:19.3}", mean[n - 1] - 1e9, variance[n - 1]);
    }
    Ok(())
}
