//! 8: two outputs of one scan: the highest reading of a sensor so far, and its index (a running arg-max).
//!
//! `cargo run --release -p upsweep --example 08_running_maximum`

use upsweep::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    let readings: Vec<f32> = (0..5000).map(|i| (i as f32 * 0.7).sin() * (1.0 + i as f32 * 0.001)).collect();
    let x = device.upload(&readings)?;
    let (mut highest, mut when) = (device.filled(5000, 0.0f32)?, device.filled(5000, 0u64)?);
    // An element of this scan is a pair of a reading and its index. The two members of a result go to two outputs.
    Scan::new(ArgMax).enumerate().run(&device, &x, (&mut highest, &mut when))?;

    let (highest, when) = (highest.to_vec()?, when.to_vec()?);
    let mut best = 0;
    for i in 0..readings.len() {
        if readings[i] > readings[best] {
            best = i;
        }
        assert_eq!((highest[i], when[i]), (readings[best], best as u64), "up to reading {i}");
    }
    println!("index  reading  highest so far, at");
    for i in [0, 1, 2, 3, 10, 11, 12, 19, 20, 21, 4999] {
        println!("{i:5} {:8.3} {:8.3} {:9}", readings[i], highest[i], when[i]);
    }
    Ok(())
}
