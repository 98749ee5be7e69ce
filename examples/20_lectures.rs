//! 20: what lectures on prefix sums work out by hand, with their numbers; docs/seeds.md says what is where.
//!
//! `cargo run --release -p upsweep --example 20_lectures`

use upsweep::prelude::*;

#[function]
fn odd(x: u32) -> bool {
    x % 2 == 1
}

/// The slope from the observer at place 0 to a point of a ray; the observer takes no part.
#[function]
fn slope(#[param] observer: f64, altitude: f64, at: u64) -> f64 {
    if at == 0 { f64::NEG_INFINITY } else { (altitude - observer) / at as f64 }
}

#[function]
fn above(before: f64, slope: f64, at: u64) -> bool {
    at == 0 || slope > before
}

/// Where pixel `rank` of a line lies in an image 16 wide.
#[function]
fn pixel(line: [i32; 4], rank: u32) -> i32 {
    let (across, down) = (line[2] - line[0], line[3] - line[1]);
    let steps = across.abs().max(down.abs()).max(1);
    let at = rank as i32;
    (line[1] + down * at / steps) * 16 + line[0] + across * at / steps
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::cpu();

    // Compaction: the odd ones.
    let kept = Select::new(Odd).run_to_array(&device, &[1u32, 3, 2, 4, 8, 6, 5, 4, 9, 7, 3])?;
    assert_eq!(kept.to_vec()?, [1, 3, 5, 9, 7, 3]);
    let kept =
        Select::flags(&[1u8, 0, 1, 0, 0, 0, 0, 1, 0, 0]).run_to_array(&device, &[3u32, 1, 7, 4, 2, 1, 5, 6, 3, 1])?;
    assert_eq!(kept.to_vec()?, [3, 7, 6]);

    // How many of 3 1 7 0 4 1 6 3 lie from 1 to 4, both included: five, by sums of which the first is 0.
    let counts = [1u32, 2, 0, 2, 1, 0, 1, 1];
    let mut before = [0u32; 9];
    Scan::new(Sum).exclusive().with_total().run(&device, &counts, &mut before)?;
    assert_eq!(before[4 + 1] - before[1], 5);

    // Processor allocation: which owner has each slot, and which of its slots it is.
    assert_eq!(Expand::new().run_to_vec::<_, u32>(&device, &[2u32, 0, 3])?, [0, 0, 2, 2, 2]);
    assert_eq!(Expand::new().ranks().run_to_vec::<_, u32>(&device, &[2u32, 0, 3])?, [0, 1, 0, 1, 2]);

    // Summed areas: along the rows, then down the columns; any box by four of them.
    let (shape, mut table) = ([2, 3], [1u32, 2, 3, 4, 5, 6]);
    Scan::new(Sum).axis(&shape, 1).run_in_place(&device, &mut table)?;
    Scan::new(Sum).axis(&shape, 0).run_in_place(&device, &mut table)?;
    assert_eq!(table, [1, 3, 6, 5, 12, 21]);
    assert_eq!(table[5] - table[2] - table[3] + table[0], 5 + 6);

    // Line of sight: a point is visible if its slope is above all before it, without arctangents and without dividing by 0.
    let altitudes = [1.0f64, 2.0, 1.0, 3.0, 3.0, 6.0];
    let slopes = Apply(Slope { observer: altitudes[0] }, (&altitudes, 0..6u64));
    let mut highest = [0.0; 6];
    Scan::new(Max).exclusive().run(&device, slopes, &mut highest)?;
    let mut visible = [false; 6];
    let slopes = Apply(Slope { observer: altitudes[0] }, (&altitudes, 0..6u64));
    Transform::new(Above).run(&device, (&highest, slopes, 0..6u64), &mut visible)?;
    assert_eq!(visible, [true, true, false, false, false, false]);

    // x[i] = a[i] + b[i] / x[i - 1]: with ones, quotients of Fibonacci numbers.
    let steps = (&[1.0; 5], &[1.0; 5], Repeat(1.0), Repeat(0.0));
    let fractions: Vec<f64> = upsweep::varying::moebius(1.0).run_to_vec(&device, steps)?;
    for (found, expected) in fractions.iter().zip([2.0, 3.0 / 2.0, 5.0 / 3.0, 8.0 / 5.0, 13.0 / 8.0]) {
        assert!((found - expected).abs() < 1e-15, "{found}, not {expected}");
    }

    // Line drawing: each line gets as many slots as it has pixels.
    let lines = [[0i32, 0, 15, 7], [15, 0, 0, 7], [8, 0, 8, 7]];
    let pixels: Vec<u32> =
        lines.iter().map(|l| (l[2] - l[0]).unsigned_abs().max((l[3] - l[1]).unsigned_abs()) + 1).collect();
    let owners: Vec<u32> = Expand::new().run_to_vec(&device, &pixels)?;
    let ranks: Vec<u32> = Expand::new().ranks().run_to_vec(&device, &pixels)?;
    let mut image = [b'.'; 16 * 8];
    let inks = [b'#'; 3];
    let places = Apply(Pixel, (Gather::of(&lines).at(&owners), &ranks));
    Transform::copy().run(&device, Gather::of(&inks).at(&owners), Scatter::to(&mut image).at(places))?;
    for row in image.chunks(16) {
        println!("{}", String::from_utf8_lossy(row));
    }
    // One pixel is of two lines, and one of all three.
    assert_eq!(image.iter().filter(|&&ink| ink == b'#').count(), 16 + 16 + 8 - 1 - 2);
    Ok(())
}
