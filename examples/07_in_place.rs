//! 7: a scan in place, and a long series that is scanned in chunks. A builder can be run any number of times.
//!
//! `cargo run --release -p upsweep --example 07_in_place`

use upsweep::prelude::*;

fn main() -> upsweep::Result<()> {
    let device = Device::best()?;

    // The results replace the elements.
    let mut x = device.upload(&[1i32, 2, 3, 4, 5])?;
    let totals = Scan::new(Sum);
    totals.run_in_place(&device, &mut x)?;
    println!("sums          {:?}", x.to_vec()?);
    assert_eq!(x.to_vec()?, [1, 3, 6, 10, 15]);
    totals.run_in_place(&device, &mut x)?;
    println!("sums of sums  {:?}", x.to_vec()?);
    assert_eq!(x.to_vec()?, [1, 4, 10, 20, 35]);

    // The carry of a chunk is what the next chunk's scan needs of all elements before. It stays on the device. So no more
    // than one chunk need be in memory.
    let series: Vec<u64> = (1..=1_000_000).map(|i| i % 97).collect();
    let mut carry = Carry::new();
    let mut found = Vec::new();
    for (number, chunk) in series.chunks(300_000).enumerate() {
        let mut sums = device.filled(chunk.len(), 0u64)?;
        Scan::new(Sum).run_with_carry(&device, &device.upload(chunk)?, &mut sums, &mut carry)?;
        let sums = sums.to_vec()?;
        println!("chunk {number}: {:7} elements, sums {:8} to {:8}", chunk.len(), sums[0], sums[sums.len() - 1]);
        found.extend(sums);
    }
    let mut sum = 0;
    assert!(series.iter().zip(&found).all(|(x, found)| (sum += x, sum == *found).1));
    assert_eq!(found.len(), series.len());
    Ok(())
}
