//! Picture in pixels, as .png: shapes are drawn with smooth edges, in the palette's colours of light screens.

use super::figure::{Anchor, Figure, HEIGHT, Shape, WIDTH};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use upsweep_lab::show::palette::colour;

/// Pixels of a unit of the picture: it is as sharp as a fine screen.
const SCALE: f64 = 2.0;

/// Renders a figure as a .png. Fails where the encoder does.
pub(super) fn render(figure: &Figure) -> Result<Vec<u8>, png::EncodingError> {
    let (width, height) = ((WIDTH * SCALE) as usize, (HEIGHT * SCALE) as usize);
    let mut canvas = Canvas { width, height, pixels: vec![255; width * height * 3] };
    for shape in figure.shapes() {
        canvas.draw(&shape);
    }
    png(&canvas.pixels, width, height)
}

/// Encodes pixels in red, green and blue as a .png.
pub(super) fn png(pixels: &[u8], width: usize, height: usize) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}

struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    /// Lays a colour over a pixel, which it covers by a share from 0 to 1.
    fn blend(&mut self, (x, y): (usize, usize), ink: [u8; 3], share: f64) {
        let at = (y * self.width + x) * 3;
        if x < self.width && share > 0.0 {
            for (pixel, ink) in self.pixels.get_mut(at..at + 3).unwrap_or_default().iter_mut().zip(ink) {
                *pixel = (f64::from(*pixel) * (1.0 - share) + f64::from(ink) * share).round() as u8;
            }
        }
    }

    /// Pixels that a box with these ends, in pixels, touches.
    fn touched(&self, [left, top, right, bottom]: [f64; 4]) -> impl Iterator<Item = (usize, usize)> + use<> {
        let range = |from: f64, to: f64, most: usize| from.max(0.0) as usize..(to.max(0.0).ceil() as usize).min(most);
        let (across, down) = (range(left, right, self.width), range(top, bottom, self.height));
        down.flat_map(move |y| across.clone().map(move |x| (x, y)))
    }

    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Box { place: [x, y, width, height], ink } => {
                let ends = [*x, *y, x + width, y + height].map(|end| end * SCALE);
                let ink = colour(ink).unwrap_or_default();
                let covered =
                    |low: f64, high: f64, at: usize| (high.min(at as f64 + 1.0) - low.max(at as f64)).max(0.0);
                for (x, y) in self.touched(ends) {
                    self.blend((x, y), ink, covered(ends[0], ends[2], x) * covered(ends[1], ends[3], y));
                }
            }
            Shape::Path { points, ink, width, dashes, .. } => {
                let points: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x * SCALE, y * SCALE)).collect();
                self.stroke(&points, colour(ink).unwrap_or_default(), width * SCALE, *dashes);
            }
            Shape::Text { at, anchor, class, text } => {
                let ink = if *class == "head" { "ink" } else { "quiet" };
                self.text((at.0 * SCALE, at.1 * SCALE), *anchor, colour(ink).unwrap_or_default(), text);
            }
            Shape::Image { place: [x, y, width, height], columns, pixels } => {
                let rows = pixels.len() / 3 / (*columns).max(1);
                let ends = [*x, *y, x + width, y + height].map(|end| (end * SCALE).round());
                let of = |at: usize, low: f64, high: f64, count: usize| {
                    ((at as f64 + 0.5 - low) / (high - low) * count as f64) as usize
                };
                for (x, y) in self.touched(ends) {
                    let cell = of(y, ends[1], ends[3], rows) * columns + of(x, ends[0], ends[2], *columns);
                    if let Some(&ink) = pixels.as_chunks().0.get(cell) {
                        self.blend((x, y), ink, 1.0);
                    }
                }
            }
        }
    }

    /// Draws a line of a width with round ends. Where its parts overlap, a pixel is covered once.
    fn stroke(&mut self, points: &[(f64, f64)], ink: [u8; 3], width: f64, dashes: Option<&str>) {
        let dashes: Vec<f64> =
            dashes.into_iter().flat_map(str::split_whitespace).filter_map(|text| text.parse().ok()).collect();
        let period = dashes.iter().sum::<f64>() * SCALE;
        let is_drawn = |along: f64| {
            let (mut rest, mut drawn) = (along % period, true);
            for dash in &dashes {
                rest -= dash * SCALE;
                if rest < 0.0 {
                    return drawn;
                }
                drawn = !drawn;
            }
            true
        };
        let mut covered = vec![0u8; self.width * self.height];
        let (reach, mut walked) = (width / 2.0 + 0.5, 0.0);
        for pair in points.windows(2) {
            let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
            let (dx, dy) = (bx - ax, by - ay);
            let length = dx.hypot(dy);
            let ends = [ax.min(bx) - reach, ay.min(by) - reach, ax.max(bx) + reach, ay.max(by) + reach];
            for (x, y) in self.touched(ends) {
                let (px, py) = (x as f64 + 0.5 - ax, y as f64 + 0.5 - ay);
                let part = if length > 0.0 { ((px * dx + py * dy) / (length * length)).clamp(0.0, 1.0) } else { 0.0 };
                let share = (reach - (px - part * dx).hypot(py - part * dy)).clamp(0.0, 1.0);
                if share > 0.0 && is_drawn(walked + part * length) {
                    let share = (share * 255.0).round() as u8;
                    covered.iter_mut().skip(y * self.width + x).take(1).for_each(|all| *all = share.max(*all));
                }
            }
            walked += length;
        }
        for (at, share) in covered.into_iter().enumerate().filter(|(_, share)| *share > 0) {
            self.blend((at % self.width, at / self.width), ink, f64::from(share) / 255.0);
        }
    }

    /// Writes a text on a line. A character that the font lacks is a question mark.
    fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, ink: [u8; 3], text: &str) {
        const SIZE: RasterHeight = RasterHeight::Size24;
        /// Share of a letter's height that is above its line.
        const ABOVE: f64 = 0.79;
        let letter = get_raster_width(FontWeight::Regular, SIZE);
        let width = (text.chars().count() * letter) as f64;
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        let (left, top) = (left.round().max(0.0) as usize, (y - SIZE.val() as f64 * ABOVE).round().max(0.0) as usize);
        for (k, c) in text.chars().enumerate() {
            let raster =
                get_raster(c, FontWeight::Regular, SIZE).or_else(|| get_raster('?', FontWeight::Regular, SIZE));
            for (row, line) in raster.iter().flat_map(|raster| raster.rows()).enumerate() {
                for (column, &share) in line.iter().enumerate() {
                    self.blend((left + k * letter + column, top + row), ink, f64::from(share) / 255.0);
                }
            }
        }
    }
}
