//! 17: a tridiagonal system by three scans, in place of the three loops of Thomas' elimination. Like the loops, the
//! scans exchange no rows (no pivoting): the system must be diagonally dominant.
//!
//! `cargo run --release -p upsweep --example 17_tridiagonal`

use upsweep::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    // Temperature of a rod that loses heat along its length: a[i] x[i - 1] + b[i] x[i] + c[i] x[i + 1] = d[i].
    let n = 100_000;
    let a: Vec<f64> = (0..n).map(|i| if i == 0 { 0.0 } else { -1.0 - (i % 7) as f64 / 10.0 }).collect();
    let c: Vec<f64> = (0..n).map(|i| if i + 1 == n { 0.0 } else { -1.0 - (i % 5) as f64 / 10.0 }).collect();
    let b: Vec<f64> = (0..n).map(|i| 0.01 - a[i] - c[i]).collect();
    let d: Vec<f64> = (0..n).map(|i| if i % 1000 == 0 { 1.0 } else { 0.0 }).collect();
    let (on_a, on_b) = (device.upload(&a)?, device.upload(&b)?);
    let (on_c, on_d) = (device.upload(&c)?, device.upload(&d)?);

    let x: Vec<f64> = Tridiagonal::new(&on_a, &on_b, &on_c).run_to_vec(&device, &on_d)?;

    // Checks: Thomas' serial elimination, and the residual of the system.
    let (mut upper, mut expected) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        let before = |of: &[f64]| if i == 0 { 0.0 } else { of[i - 1] };
        let pivot = b[i] - a[i] * before(&upper);
        expected[i] = (d[i] - a[i] * before(&expected)) / pivot;
        upper[i] = c[i] / pivot;
    }
    for i in (0..n - 1).rev() {
        expected[i] -= upper[i] * expected[i + 1];
    }
    let far = x.iter().zip(&expected).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
    let left = |i: usize| a[i] * x[i.max(1) - 1] + b[i] * x[i] + c[i] * x[(i + 1).min(n - 1)];
    let residual = (0..n).map(|i| (left(i) - d[i]).abs()).fold(0.0, f64::max);
    assert!(far < 1e-12 && residual < 1e-12, "{far:e} {residual:e}");
    // The temperature falls off on both sides of each heated point.
    println!("   i  temperature");
    for i in (976..=1024).step_by(4) {
        println!("{i:4} {:12.4}  {}", x[i], "#".repeat((20.0 * x[i]) as usize));
    }
    println!("{n} unknowns; distance from the loop's solution below 1e-12: {}", far < 1e-12);
    Ok(())
}
