//! 19: mipmaps and trilinear lookups: a black and white page in perspective, the left half of the picture without
//! mipmaps, the right half with them. A far pixel of the picture covers many pixels of the page, and only their mean
//! shows the page's grey.
//!
//! `cargo run --release -p upsweep-apps --example 19_plane -- plane.png`

use std::fs::File;
use std::io::{BufReader, BufWriter};
use upsweep::prelude::*;
use upsweep_apps::image::{Extent, Mipmap, Point, Wrap};

const WIDTH: usize = 384;
const HEIGHT: usize = 160;
/// Distance of the picture from the eye, and height of the eye above the plane, in pixels of the page.
const FOCUS: f32 = 200.0;
const EYE: f32 = 60.0;

/// Returns the point where the ray through a pixel meets the plane. Its mipmap level is that of the pixel's footprint
/// on the plane in the right half of the picture, and 0 in the left half.
fn seen(row: usize, column: usize) -> Point {
    let down = row as f32 + 2.5;
    let far = EYE * FOCUS / down;
    let right = (column as f32 + 0.5 - WIDTH as f32 / 2.0) * far / FOCUS;
    let footprint = (far / FOCUS).max(far / down);
    Point { u: right, v: -far, level: if column < WIDTH / 2 { 0.0 } else { Mipmap::<u8>::level_of(footprint) } }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/gallery/page.png");
    let mut reader = png::Decoder::new(BufReader::new(File::open(page)?)).read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or("the page is too large")?];
    let info = reader.next_frame(&mut pixels)?;
    let extent = Extent::new(info.height as usize, info.width as usize);

    let mipmap = Mipmap::build(&device, &device.upload(&pixels)?, extent)?;
    let points: Vec<Point> = (0..HEIGHT * WIDTH).map(|at| seen(at / WIDTH, at % WIDTH)).collect();
    let mut plane = device.filled(points.len(), 0.0f32)?;
    mipmap.lookup(&device, &device.upload(&points)?, Wrap::Repeat, &mut plane)?;
    let plane = plane.to_vec()?;

    // Sum of the differences of neighbours in the rows next to the horizon: large to the left (aliasing), small to the
    // right.
    let rough = |columns: std::ops::Range<usize>| -> f32 {
        let at = (0..8).flat_map(|row| columns.clone().skip(1).map(move |column| row * WIDTH + column));
        at.map(|at| (plane[at] - plane[at - 1]).abs()).sum()
    };
    let (without, with) = (rough(0..WIDTH / 2), rough(WIDTH / 2..WIDTH));
    assert!(with < without / 4.0, "{with}, and {without} without mipmaps");
    println!("neighbours near the horizon differ {:.0} times as much without mipmaps", without / with);
    for row in (0..40).step_by(4) {
        let shade = |at: usize| char::from(b"@%#*+=-:. "[(plane[row * WIDTH + at] / 25.6) as usize]);
        let half = |from: usize| (from..from + 32).map(shade).collect::<String>();
        println!("{} | {}", half(WIDTH / 2 - 32), half(WIDTH / 2));
    }

    let Some(path) = std::env::args().nth(1) else { return Ok(()) };
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), WIDTH as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Grayscale);
    let bytes: Vec<u8> = plane.iter().map(|&x| x.round() as u8).collect();
    encoder.write_header()?.write_image_data(&bytes)?;
    Ok(())
}
