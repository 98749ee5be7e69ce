//! 2: reductions: one value for the whole array, for each row, for each segment; and the index of the maximum.
//!
//! `cargo run --release -p upsweep --example 02_reduce`

use upsweep::prelude::*;

fn main() -> upsweep::Result<()> {
    let device = Device::best()?;
    let x = [0.5f64, 2.5, 1.0, 7.0, -4.0, 7.0];
    let temperature = device.upload(&x)?;

    println!("sum {}, highest {}", device.reduce(&temperature, Sum)?, device.reduce(&temperature, Max)?);
    assert_eq!(device.reduce(&temperature, Sum)?, 14.0);
    assert_eq!(device.reduce(&temperature, Max)?, 7.0);

    // Highest value with its position; of equal values, the first.
    let (value, position) = Reduce::new(ArgMax).enumerate().run_to_host(&device, &temperature)?;
    println!("{value} at {position}");
    assert_eq!((value, position), (7.0, 3));

    // Minimum of each row of a 3 x 2 array. The output has the shape without the reduced axis.
    let mut by_row = device.filled(3, 0.0f64)?;
    Reduce::new(Min).axis(&[3, 2], 1).run(&device, &temperature, &mut by_row)?;
    println!("lowest of each row {:?}", by_row.to_vec()?);
    assert_eq!(by_row.to_vec()?, [0.5, 1.0, -4.0]);

    // Sum of each run of equal keys. The number of runs depends on the data, so the call can count them. The output may
    // be longer than the number of runs.
    let day = device.upload(&[1u8, 1, 1, 2, 2, 7])?;
    let (mut sums, mut runs) = (device.filled(6, f64::NAN)?, device.filled(1, 0u64)?);
    let by_day = Reduce::new(Sum).segments(Segments::Keys(&day));
    by_day.run_counted(&device, &temperature, &mut sums, &mut runs)?;
    let runs = runs.to_vec()?[0] as usize;
    println!("sums of {runs} days {:?}", &sums.to_vec()?[..runs]);
    assert_eq!(sums.to_vec()?[..runs], [4.0, 3.0, 7.0]);
    Ok(())
}
