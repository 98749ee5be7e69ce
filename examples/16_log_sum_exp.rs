//! 16: log-sum-exp along rows: the logarithm of a sum of powers, each of which would overflow.
//!
//! `cargo run --release -p upsweep --example 16_log_sum_exp`

use upsweep::Input;
use upsweep::operator::builtin::{FourPowers, Logarithm, SumOfPowers};
use upsweep::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (device, shape) = (Device::best()?, [100, 1024]);
    let scores: Vec<f64> = (0..shape[0] * shape[1]).map(|i| 900.0 + (i as f64 * 0.37).sin() * 50.0).collect();
    let (x, mut out) = (device.upload(&scores)?, device.filled(shape[0], 0.0)?);
    // An element is the sum of four powers, as a mantissa and a common exponent. For rows whose length is no multiple
    // of four, the map is `Power`, and the input is the scores themselves.
    let (fours, _) = x.view().as_chunks::<4>();
    Reduce::new(SumOfPowers)
        .map(FourPowers)
        .finish(Logarithm)
        .axis(&[100, 1024 / 4], 1)
        .run(&device, &fours, &mut out)?;

    println!("row  largest score  ln of the sum of exp, by the library  by the plain formula");
    for (row, (scores, found)) in scores.chunks(shape[1]).zip(out.to_vec()?).enumerate() {
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let expected = largest + scores.iter().map(|x| (x - largest).exp()).sum::<f64>().ln();
        assert!((found - expected).abs() < 1e-11, "{found}, not {expected}");
        if row < 4 {
            let plain = scores.iter().map(|x| x.exp()).sum::<f64>().ln();
            println!("{row:3} {largest:14.6} {found:37.6} {plain:21}");
        }
    }
    Ok(())
}
