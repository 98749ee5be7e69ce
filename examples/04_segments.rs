//! 4: segmented scans: many scans in one call. Offsets, head flags or runs of equal keys delimit the segments.
//!
//! `cargo run --release -p upsweep --example 04_segments`

use upsweep::prelude::*;

/// Times in the same hour.
#[function]
fn same_hour(a: u32, b: u32) -> bool {
    a / 60 == b / 60
}

fn main() -> upsweep::Result<()> {
    let device = Device::best()?;
    let sold = device.upload(&[2u32, 1, 1, 5, 3, 1, 2])?;

    // Segment s is offsets[s] .. offsets[s + 1]; the third one is empty.
    let offsets = device.upload(&[0u32, 3, 5, 5, 7])?;
    let by_shop = Scan::new(Sum).segments(Segments::Offsets(&offsets)).run_to_array(&device, &sold)?.to_vec()?;
    println!("by offsets    {by_shop:?}");
    assert_eq!(by_shop, [2, 3, 4, 5, 8, 1, 3]);

    // A flag begins a segment. (The first element does anyway.)
    let opens = device.upload(&[true, false, false, true, false, true, false])?;
    let by_flag = Scan::new(Sum).segments(Segments::HeadFlags(&opens)).run_to_array(&device, &sold)?.to_vec()?;
    println!("by head flags {by_flag:?}");
    assert_eq!(by_flag, by_shop);

    // Runs of equal keys; the initial value begins each of them.
    let shop = device.upload(b"aaabbaa")?;
    let by_key = Scan::new(Sum).segments(Segments::Keys(&shop)).init(100).run_to_array(&device, &sold)?.to_vec()?;
    println!("by key        {by_key:?}");
    assert_eq!(by_key, [102, 103, 104, 105, 108, 101, 103]);

    // An equality of your own: minutes of the day that are in the same hour.
    let minute = device.upload(&[481u32, 500, 539, 541, 545, 610, 630])?;
    let hourly = Scan::new(Sum).segments(Segments::KeysBy(&minute, SameHour)).run_to_array(&device, &sold)?.to_vec()?;
    println!("by hour       {hourly:?}");
    assert_eq!(hourly, [2, 3, 4, 5, 8, 1, 3]);
    Ok(())
}
