//! 23: processor allocation: a million line segments of a wireframe drawn in parallel. Each segment gets a slot for
//! each of its pixels, and each slot stores its pixel.
//!
//! `cargo run --release -p upsweep --example 23_lines -- [FILE.pgm]`

use upsweep::prelude::*;

const SIDE: usize = 4096;
/// Number of points of the surface in each direction.
const POINTS: usize = 708;

/// Number of pixels of a segment: one more than the steps along its longer direction.
#[function]
fn pixels(segment: [i32; 4]) -> u32 {
    let (across, down) = (segment[2] - segment[0], segment[3] - segment[1]);
    (across.abs().max(down.abs()) + 1) as u32
}

/// Index in the image of pixel `rank` of a segment.
#[function]
fn pixel(segment: [i32; 4], rank: u32) -> i32 {
    let (across, down) = (segment[2] - segment[0], segment[3] - segment[1]);
    let steps = across.abs().max(down.abs()).max(1);
    let at = rank as i32;
    (segment[1] + down * at / steps) * 4096 + segment[0] + across * at / steps
}

/// Segments of a hill with waves, seen obliquely from above: from each point to its next neighbour in both directions.
fn wireframe() -> Vec<[i32; 4]> {
    let place = |i: usize, j: usize| {
        let (u, v) = (i as f64 / POINTS as f64 - 0.5, j as f64 / POINTS as f64 - 0.5);
        let r = 30.0 * u.hypot(v);
        let height = 700.0 * (-0.03 * r * r).exp() + 60.0 * r.cos();
        let (x, y) = (2048.0 + 2700.0 * (u - v) * 0.7, 2300.0 + 2600.0 * (u + v) * 0.5 - height);
        (x as i32, y as i32)
    };
    let mut segments = vec![];
    for (i, j) in (0..POINTS).flat_map(|i| (0..POINTS).map(move |j| (i, j))) {
        let (x, y) = place(i, j);
        for (i, j) in [(i + 1, j), (i, j + 1)] {
            if i < POINTS && j < POINTS {
                let (to_x, to_y) = place(i, j);
                segments.push([x, y, to_x, to_y]);
            }
        }
    }
    segments
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    let wires = wireframe();
    let segments = device.upload(&wires)?;

    let counts: Array<u32> = Transform::new(Pixels).run_to_array(&device, &segments)?;
    let owners: Array<u32> = Expand::new().run_to_array(&device, &counts)?;
    let ranks: Array<u32> = Expand::new().ranks().run_to_array(&device, &counts)?;
    let mut image = device.filled(SIDE * SIDE, 0u8)?;
    let inks = device.filled(owners.len(), 255u8)?;
    // At crossings, several slots store to the same pixel: they store the same ink.
    let places = Apply(Pixel, (Gather::of(&segments).at(&owners), &ranks));
    Transform::copy().run(&device, &inks, Scatter::to(&mut image).at(places))?;
    let image = image.to_vec()?;

    // Check: a serial loop over the segments.
    let mut expected = vec![0u8; SIDE * SIDE];
    for &segment in &wires {
        (0..pixels(segment)).for_each(|rank| expected[pixel(segment, rank) as usize] = 255);
    }
    assert!(wires.len() > 1_000_000 && image == expected);

    let bright = |x: usize, y: usize| {
        (0..128)
            .flat_map(|i| (0..64).map(move |j| (i, j)))
            .filter(|(i, j)| image[(128 * y + i) * SIDE + 64 * x + j] > 0)
            .count()
    };
    for y in 0..SIDE / 128 {
        let row: String = (0..SIDE / 64).map(|x| char::from(b" .:-=+*#%@"[bright(x, y) * 9 / (128 * 64)])).collect();
        if !row.trim_end().is_empty() {
            println!("{}", row.trim_end());
        }
    }
    println!("{} segments, {} pixels", wires.len(), owners.len());
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, [format!("P5 {SIDE} {SIDE} 255\n").into_bytes(), image].concat())?;
    }
    Ok(())
}
