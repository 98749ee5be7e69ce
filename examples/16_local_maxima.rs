//! 16: neighbours, and a count that the device knows: where a signal has its peaks, and how many there are.
//!
//! `cargo run --release -p upsweep --example 16_local_maxima`

use upsweep::prelude::*;

#[function]
fn is_peak(x: [f32; 3]) -> bool {
    x[1] > x[0] && x[1] > x[2]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    let signal: Vec<f32> = (0..10_000).map(|i| (i as f32 * 0.05).sin() + 0.3 * (i as f32 * 0.31).sin()).collect();
    let x = device.upload(&signal)?;
    let peaks: Array<bool> = Scan::new(Last).map(IsPeak).run_to_array(&device, Neighbours::of(&x))?;
    let mut places = device.filled(signal.len(), 0u32)?;
    let count = Select::flags(&peaks).indices().run(&device, &x, &mut places)?; // nothing has waited
    let (number, places) = (count.get()?, places.to_vec()?);

    let inner = 1..signal.len() - 1;
    let expected: Vec<u32> =
        inner.filter(|&i| signal[i] > signal[i - 1] && signal[i] > signal[i + 1]).map(|i| i as u32).collect();
    assert_eq!(places[..number], expected);
    println!("{number} peaks, the first at {}", places[0]);
    Ok(())
}
