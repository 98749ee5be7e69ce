//! 4: segmented scans: many scans in one call. Offsets, head flags or runs of equal keys delimit the segments.
//!
//! `cargo run --release -p upsweep --example 04_segments`

use upsweep::prelude::*;

/// Whether two times, in minutes, are in the same hour.
#[function]
fn same_hour(a: u32, b: u32) -> bool {
    a / 60 == b / 60
}

fn main() -> upsweep::Result<()> {
    let device = Device::best()?;
    let sold = device.upload(&[2u32, 1, 1, 5, 3, 1, 2])?;

    // Offsets: segment s is offsets[s] .. offsets[s + 1]. The third segment is empty.
    let offsets = device.upload(&[0u32, 3, 5, 5, 7])?;
    let by_shop = Scan::new(Sum).segments(Segments::Offsets(&offsets)).run_to_array(&device, &sold)?.to_vec()?;
    println!("by offsets    {by_shop:?}");
    assert_eq!(by_shop, [2, 3, 4, 5, 8, 1, 3]);

    // Head flags: a flag begins a segment, and so does the first element, flagged or not.
    let opens = device.upload(&[true, false, false, true, false, true, false])?;
    let by_flag = Scan::new(Sum).segments(Segments::HeadFlags(&opens)).run_to_array(&device, &sold)?.to_vec()?;
    println!("by head flags {by_flag:?}");
    assert_eq!(by_flag, by_shop);

    // Keys: each run of equal keys is a segment. The initial value begins each segment.
    let shop = device.upload(b"aaabbaa")?;
    let by_key = Scan::new(Sum).segments(Segments::Keys(&shop)).init(100).run_to_array(&device, &sold)?.to_vec()?;
    println!("by key        {by_key:?}");
    assert_eq!(by_key, [102, 103, 104, 105, 108, 101, 103]);

    // Keys with an equality of your own: minutes of the day that are in the same hour.
    let minute = device.upload(&[481u32, 500, 539, 541, 545, 610, 630])?;
    let hourly = Scan::new(Sum).segments(Segments::KeysBy(&minute, SameHour)).run_to_array(&device, &sold)?.to_vec()?;
    println!("by hour       {hourly:?}");
    assert_eq!(hourly, [2, 3, 4, 5, 8, 1, 3]);
    Ok(())
}
