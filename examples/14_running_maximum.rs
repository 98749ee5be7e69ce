//! 14: the highest reading of a sensor so far, and when it was: a running arg-max in two outputs.
//!
//! `cargo run --release -p upsweep --example 14_running_maximum`

use upsweep::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    let readings: Vec<f32> = (0..5000).map(|i| (i as f32 * 0.7).sin() * (1.0 + i as f32 * 0.001)).collect();
    let x = device.upload(&readings)?;
    let (mut highest, mut when) = (device.filled(5000, 0.0f32)?, device.filled(5000, 0u64)?);
    // What is combined is a pair of a value and its position: each goes to an output of its own.
    Scan::new(ArgMax).enumerate().run(&device, &x, (&mut highest, &mut when))?;

    let (highest, when) = (highest.to_vec()?, when.to_vec()?);
    let mut best = 0;
    for i in 0..readings.len() {
        if readings[i] > readings[best] {
            best = i;
        }
        assert_eq!((highest[i], when[i]), (readings[best], best as u64), "after {i} readings");
    }
    println!("the highest of all: {} at {}", highest[4999], when[4999]);
    Ok(())
}
