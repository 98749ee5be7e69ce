//! 3: scans along an axis of an array, and the summed-area table. Arrays are row-major; axes are counted from 0,
//! as in NumPy.
//!
//! `cargo run --release -p upsweep --example 03_axis`

use upsweep::prelude::*;

fn main() -> upsweep::Result<()> {
    let device = Device::best()?;
    // Rain in millimetres: 3 stations, 4 days.
    let shape = [3, 4];
    let rain = device.upload(&[
        0u32, 5, 2, 0, //
        1, 0, 0, 9, //
        4, 4, 4, 4,
    ])?;

    // Running total of each station: along axis 1, the days.
    let by_day = Scan::new(Sum).axis(&shape, 1).run_to_array(&device, &rain)?.to_vec()?;
    println!("running totals of each station");
    by_day.chunks(4).for_each(|station| println!("  {station:?}"));
    assert_eq!(by_day, [0, 5, 7, 7, 1, 1, 1, 10, 4, 8, 12, 16]);

    // Reverse scan along axis 0, the stations: all options can be combined.
    let from_last = Scan::new(Max).axis(&shape, 0).reverse().run_to_array(&device, &rain)?.to_vec()?;
    println!("most rain at this station and those after it");
    from_last.chunks(4).for_each(|station| println!("  {station:?}"));
    assert_eq!(from_last, [4, 5, 4, 9, 4, 4, 4, 9, 4, 4, 4, 4]);

    // Scans along both axes, one after the other, give the summed-area table: four of its entries give the sum of any
    // rectangle.
    let mut table = Scan::new(Sum).axis(&shape, 0).run_to_array(&device, &rain)?;
    Scan::new(Sum).axis(&shape, 1).run_in_place(&device, &mut table)?;
    let table = table.to_vec()?;
    let sum_to = |row: usize, column: usize| table[row * 4 + column];
    let last_two_of_last_two = sum_to(2, 3) - sum_to(0, 3) - sum_to(2, 1) + sum_to(0, 1);
    println!("the last two stations, in the last two days: {last_two_of_last_two}");
    assert_eq!(last_two_of_last_two, 9 + 4 + 4);
    Ok(())
}
