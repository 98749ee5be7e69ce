//! 7: in place, and a long series that arrives in parts. The options are built once and run often.

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

    // Part after part: what comes before a part is the initial value of its scan, and stays on the device. On a GPU
    // nothing here waits for anything but the copies.
    let series: Vec<u64> = (1..=1_000_000).map(|i| i % 97).collect();
    let mut before = device.upload(&[0u64])?;
    let mut after = device.upload(&[0u64])?;
    let mut found = Vec::new();
    for part in series.chunks(300_000) {
        let mut part = device.upload(part)?;
        Reduce::new(Sum).init_from(&before).run(&device, &part, &mut after)?;
        Scan::new(Sum).init_from(&before).run_in_place(&device, &mut part)?;
        std::mem::swap(&mut before, &mut after);
        found.extend(part.to_vec()?);
    }
    println!("in four parts {:?} ... {:?}", &found[..3], found.last());
    let mut sum = 0;
    assert!(series.iter().zip(&found).all(|(x, found)| (sum += x, sum == *found).1));
    assert_eq!(found.len(), series.len());
    Ok(())
}
