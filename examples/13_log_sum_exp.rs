//! 13: log-sum-exp along rows: the logarithms of sums of powers that would overflow.
//!
//! `cargo run --release -p upsweep --example 13_log_sum_exp`

use upsweep::Input;
use upsweep::operator::builtin::{FourPowers, Logarithm, SumOfPowers};
use upsweep::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (device, shape) = (Device::best()?, [100, 1024]);
    let scores: Vec<f64> = (0..shape[0] * shape[1]).map(|i| 900.0 + (i as f64 * 0.37).sin() * 50.0).collect();
    let (x, mut out) = (device.upload(&scores)?, device.filled(shape[0], 0.0)?);
    // Of rows whose length is no multiple of four: `.map(Power)`, of the scores themselves.
    let (fours, _) = x.view().as_chunks::<4>();
    Reduce::new(SumOfPowers)
        .map(FourPowers)
        .finish(Logarithm)
        .axis(&[100, 1024 / 4], 1)
        .run(&device, &fours, &mut out)?;

    for (row, found) in scores.chunks(shape[1]).zip(out.to_vec()?) {
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let expected = largest + row.iter().map(|x| (x - largest).exp()).sum::<f64>().ln();
        assert!((found - expected).abs() < 1e-11, "{found}, not {expected}");
    }
    println!("the first row: {:.6}", out.to_vec()?[0]);
    Ok(())
}
