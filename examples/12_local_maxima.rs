//! 12: neighbours as an input, and a count that stays on the device: the local maxima of a signal.
//!
//! `cargo run --release -p upsweep --example 12_local_maxima`

use upsweep::prelude::*;

#[function]
fn is_peak(x: [f32; 3]) -> bool {
    x[1] > x[0] && x[1] > x[2]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    let signal: Vec<f32> = (0..240).map(|i| (i as f32 * 0.05).sin() + 0.5 * (i as f32 * 0.31).sin()).collect();
    let x = device.upload(&signal)?;
    let peaks: Array<bool> = Transform::new(IsPeak).run_to_array(&device, Neighbours::of(&x))?;
    let mut places = device.filled(signal.len(), 0u32)?;
    // This call does not wait for the device: the number of peaks is computed there, and stays there.
    let count = Select::flags(&peaks).indices().run(&device, &x, &mut places)?;
    let (number, places) = (count.get()?, places.to_vec()?);

    let inner = 1..signal.len() - 1;
    let expected: Vec<u32> =
        inner.filter(|&i| signal[i] > signal[i - 1] && signal[i] > signal[i + 1]).map(|i| i as u32).collect();
    assert_eq!(places[..number], expected);

    // Plot: a column for three samples, the peaks as crosses.
    for row in (-3..=3).rev() {
        let at = |i: usize| (signal[i] * 2.0).round() as i32 == row;
        let mark = |column: usize| {
            let near = 3 * column..3 * column + 3;
            if near.clone().any(|i| places[..number].contains(&(i as u32)) && at(i)) {
                'x'
            } else if near.into_iter().any(at) {
                '.'
            } else {
                ' '
            }
        };
        println!("{}", (0..80).map(mark).collect::<String>().trim_end());
    }
    println!("{number} peaks, at {:?}", &places[..number]);
    Ok(())
}
