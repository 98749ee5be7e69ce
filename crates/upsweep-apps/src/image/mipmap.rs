//! Mipmaps: an image in all resolutions, and lookups with trilinear interpolation.

use super::extent::Extent;
use super::pixel::{Pixel, Scaled, StoreF32, light_of, room_for, srgb_of_light};
use crate::error::{Error, Result};
use crate::part::{Part, PartMut};
use upsweep::operator::Cast;
use upsweep::prelude::*;
use upsweep::{Input, Output};

/// Image and its successive halves: each level has `max(1, n / 2)` of the `n` rows and columns before, down to one
/// pixel.
///
/// ```text
/// n = 2 m      r[k] = (x[2k] + x[2k+1]) / 2
/// n = 2 m + 1  r[k] = ((m - k) x[2k] + m x[2k+1] + (k + 1) x[2k+2]) / (2 m + 1)
/// ```
///
/// along rows and columns: the mean of the area that a pixel covers. So an odd size loses no row or column, and all
/// weigh the same. It is computed exactly or in `f64` from the level above as it is stored, and rounded once, so whole
/// numbers are rounded half up at each level. [`srgb`](Self::build_srgb) averages light, not the numbers that encode
/// it.
///
/// ```
/// use upsweep::Device;
/// use upsweep_apps::image::{Extent, Mipmap, Point, Wrap};
///
/// let device = Device::cpu();
/// let mipmap = Mipmap::build(&device, &[10u8, 20, 30, 41, 50, 60], Extent::new(2, 3))?;
/// assert_eq!(mipmap.level(&device, 1)?, [35]); // the mean of all six, rounded half up
/// let mut seen = [0.0; 2];
/// let points = [Point { u: 0.5, v: 0.5, level: 0.0 }, Point { u: 1.0, v: 0.5, level: 0.5 }];
/// mipmap.lookup(&device, &points, Wrap::Clamp, &mut seen)?;
/// assert_eq!(seen, [10.0, 25.0]);
/// # Ok::<(), upsweep_apps::Error>(())
/// ```
///
/// **Cost.** If sizes are even, or 1, levels are those of a [`Pyramid`]: the image is read once, and it and all levels
/// are stored, which on CUDA are 3 launches for 16,384 x 16,384. A level below an odd size takes two passes, the first
/// of which stores an `f64` for each value of half the level above: for an image of `u8` that is some 7 times its
/// bytes.
///
/// Sources: Williams, "Pyramidal Parametrics", 1983; the weights of odd sizes: Guthe and Heckbert, "Non-Power-of-Two
/// Mipmapping", 2005.
#[derive(Debug)]
pub struct Mipmap<P> {
    /// Values of all levels, one level after the other.
    values: Array<P>,
    levels: Vec<Level>,
}

/// Level of a mipmap: its size, and the index of its first value in the buffer of all levels.
#[derive(Clone, Copy, Debug)]
struct Level {
    extent: Extent,
    begin: u64,
}

/// Level as kernels read it: its size, and the index of its first value in the buffer of all levels.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Grid {
    height: u64,
    width: u64,
    begin: u64,
}

/// Position and level at which an image is read. (0, 0) is the outer corner of the first pixel of level 0, whose centre
/// is at (0.5, 0.5); (width, height) is the outer corner of the last one.
#[derive(Element, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Point {
    /// Distance from the left border, in pixels of level 0.
    pub u: f32,
    /// Distance from the upper border, in pixels of level 0.
    pub v: f32,
    /// Level, 0 for the image; between two levels both are interpolated.
    pub level: f32,
}

/// Extension of an image beyond its borders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// The nearest pixel of the image.
    Clamp,
    /// The image once more: it is repeated in all directions.
    Repeat,
}

/// Sum of the values `a`, `b` and `c` that the value `at` of the next level covers along an axis of `len`, each
/// multiplied by the numerator of its weight.
#[function]
fn weighted(#[param] inner: u64, #[param] len: u64, a: f64, b: f64, c: f64, at: u64) -> f64 {
    let half = len / 2;
    let k = at / inner % (if half > 0 { half } else { 1 });
    if len == 1 {
        a
    } else if len % 2 == 0 {
        a + b
    } else {
        (half - k) as f64 * a + half as f64 * b + (k + 1) as f64 * c
    }
}

/// Index of one of the three values, by number `tap` (0, 1 or 2), that the value `at` of the next level covers along an
/// axis of `len` values.
#[function]
fn tap_of(#[param] begin: u64, #[param] inner: u64, #[param] len: u64, #[param] tap: u64, at: u64) -> u64 {
    let half = if len > 1 { len / 2 } else { 1 };
    let line = at / inner;
    let along = line % half * 2 + tap;
    let inside = if along < len { along } else { len - 1 };
    begin + (line / half * len + inside) * inner + at % inner
}

/// Amount of light that an sRGB value encodes, where 1 is white.
#[function]
fn light<P: Cast<f64>>(#[param] white: f64, x: P) -> f64 {
    light_of((x as f64) / white)
}

#[function]
fn divided(#[param] by: f64, x: f64) -> f64 {
    x / by
}

#[function]
fn srgb_of(#[param] by: f64, #[param] white: f64, x: f64) -> f64 {
    srgb_of_light(x / by) * white
}

/// Index of the pixel before a position along an axis, and the fraction of the way from its centre to that of the next
/// pixel. The position `at` is in pixels of the image, which has `of` pixels along the axis; the level has `size`.
#[function]
fn between(at: f32, size: u64, of: u64) -> (f64, f64) {
    let place = at as f64 * (size as f64) / (of as f64) - 0.5;
    (place.floor(), place - place.floor())
}

/// Index of the pixel at a whole position `at` along an axis of `size` pixels: positions outside are repeated or
/// clamped.
#[function]
fn within(repeat: bool, at: f64, size: u64) -> u64 {
    let n = size as f64;
    let turned = if repeat { at - (at / n).floor() * n } else { at };
    let inside = if turned < 0.0 { 0.0 } else { turned };
    let index = inside as u64;
    if index < size { index } else { size - 1 }
}

/// Number of one of the two levels that a point lies between: the level with the larger image, or the `next` level.
#[function]
fn level_at(#[param] levels: u64, #[param] next: bool, point: Point) -> u64 {
    let below = if point.level > 0.0 { point.level.floor() as u64 } else { 0 };
    let level = if next { below.saturating_add(1) } else { below };
    if level < levels { level } else { levels - 1 }
}

/// Index of one of the four pixels around a point in a level: `down` and `right` are 0 or 1.
#[function]
fn pixel_at(
    #[param] whole: Extent,
    #[param] points: u64,
    #[param] down: f64,
    #[param] right: f64,
    #[param] repeat: bool,
    level: Grid,
    point: Point,
    result: u64,
) -> u64 {
    let row = within(repeat, between(point.v, level.height, whole.height).0 + down, level.height);
    let column = within(repeat, between(point.u, level.width, whole.width).0 + right, level.width);
    let plane = result / (points * whole.channels);
    level.begin + ((plane * level.height + row) * level.width + column) * whole.channels + result % whole.channels
}

#[function]
fn point_of(#[param] points: u64, #[param] channels: u64, result: u64) -> u64 {
    result / channels % points
}

/// Interpolates linearly between `a` and `b`, two neighbouring pixels of a row, at a point.
#[function]
fn mixed_in_row<P: Cast<f64>>(#[param] whole: Extent, a: P, b: P, level: Grid, point: Point) -> f64 {
    let (a, b) = (a as f64, b as f64);
    a + (b - a) * between(point.u, level.width, whole.width).1
}

/// Interpolates linearly between `a` and `b`, the values of two neighbouring rows, at a point.
#[function]
fn mixed_rows(#[param] whole: Extent, a: f64, b: f64, level: Grid, point: Point) -> f64 {
    a + (b - a) * between(point.v, level.height, whole.height).1
}

/// Interpolates linearly between `a` and `b`, the values of two neighbouring levels, at a point.
#[function]
fn mixed_levels(#[param] last: f32, a: f64, b: f64, point: Point) -> f64 {
    let level = point.level.clamp(0.0, last);
    a + (b - a) * (level - level.floor()) as f64
}

/// Index, in the picture of all levels, of the value `at` of a level: see [`Mipmap::arrangement`].
#[function]
fn arranged(#[param] level: Extent, #[param] width: u64, #[param] planar: bool, at: u64) -> u64 {
    let pixels = level.height * level.width;
    let (channel, pixel) = if planar { (at / pixels, at % pixels) } else { (at % 3, at / 3) };
    let row = pixel / level.width + if channel > 0 { level.height } else { 0 };
    let column = pixel % level.width + if channel != 1 { level.width } else { 0 };
    row * (2 * width) + column
}

/// Number of levels after the first one that a `Pyramid` computes: each of their values is the mean of 2 x 2 values of
/// the level before, or of two where that has one row or column.
fn pyramids<P: Pixel>(levels: &[Level]) -> usize {
    let halves = |size: u64| size.is_multiple_of(2) || (size == 1 && P::SUMS_DOUBLE);
    let fits = |level: &&Level| halves(level.extent.height) && halves(level.extent.width);
    levels.iter().take(levels.len().saturating_sub(1)).take_while(fits).count()
}

/// Computes the level `to` from `from`, the level before it, for any sizes.
fn halve<P: Pixel>(device: &Device, pyramid: &mut Array<P>, from: Level, to: Level, srgb: bool) -> Result<()> {
    let Extent { width, channels, height, planes } = from.extent;
    let (row, begin) = (width * channels, from.begin);
    let halved = planes * to.extent.height * row;
    let mut rows = device.room::<f64>(halved as usize)?;
    let down = |tap| Gather::of(&*pyramid).at(Apply(TapOf { begin, inner: row, len: height, tap }, 0..halved));
    let weighted = Weighted { inner: row, len: height };
    let by: f64 = [height, width].iter().map(|&n| if n % 2 == 0 { 2.0 } else { n as f64 }).product();
    // The weighted sum may overflow though the mean does not, so values are scaled before.
    let scale = room_for::<P>(by);
    if srgb {
        let down = |tap| Apply(Light { white: P::WHITE }, down(tap));
        Transform::new(weighted).run(device, (down(0), down(1), down(2), 0..halved), &mut rows)?;
    } else {
        let down = |tap| Apply(Scaled { scale }, down(tap));
        Transform::new(weighted).run(device, (down(0), down(1), down(2), 0..halved), &mut rows)?;
    }
    let made = to.extent.values() as u64;
    let right = |tap| Gather::of(&rows).at(Apply(TapOf { begin: 0, inner: channels, len: width, tap }, 0..made));
    let inputs = (right(0), right(1), right(2), 0..made);
    let sum = Apply(Weighted { inner: channels, len: width }, inputs);
    let output = Scatter::to(pyramid).at(to.begin..to.begin + made);
    if srgb {
        let value = Apply(SrgbOf { by, white: P::WHITE }, sum);
        Transform::new(P::STORE).run(device, value, output)?;
    } else {
        Transform::new(P::STORE).run(device, Apply(Divided { by: by * scale }, sum), output)?;
    }
    Ok(())
}

impl<P: Pixel> Mipmap<P> {
    /// Builds the mipmap of an image of at least one pixel, each channel and plane by itself. On CUDA the work is
    /// enqueued and the call returns at once.
    ///
    /// # Errors
    /// - [`Shape`](upsweep::Error::Shape): the number of the image's values is not that of the extent
    /// - [`Options`](upsweep::Error::Options): the image has no values
    /// - [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn build<X: Input<Item = P> + ?Sized>(device: &Device, image: &X, extent: Extent) -> Result<Self> {
        Self::made(device, &Part::all(image), extent, false)
    }

    /// Builds the mipmap of an image of sRGB values, by means of the light that they encode. This applies to all
    /// channels; give an alpha channel as an image of its own to [`build`](Self::build).
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_srgb<X: Input<Item = P> + ?Sized>(device: &Device, image: &X, extent: Extent) -> Result<Self> {
        Self::made(device, &Part::all(image), extent, true)
    }

    fn made(device: &Device, image: &Part<'_, P>, extent: Extent, srgb: bool) -> Result<Self> {
        if extent.check(image.view().len())? == 0 {
            let reason = "an image without values has no levels";
            return Err(upsweep::Error::Options { options: "a mipmap", reason }.into());
        }
        let mut levels = vec![Level { extent, begin: 0 }];
        let values = |extent: Extent| extent.values() as u64;
        let mut level = levels[0];
        while level.extent.height > 1 || level.extent.width > 1 {
            let Extent { height, width, .. } = level.extent;
            let extent = Extent { height: (height / 2).max(1), width: (width / 2).max(1), ..extent };
            level = Level { extent, begin: level.begin + values(level.extent) };
            levels.push(level);
        }
        let ends = |level: &Level| (level.begin + values(level.extent)) as usize;
        let mut pyramid = device.room(ends(&level))?;
        // The levels from the first one on that a pyramid can have are computed by one `Pyramid`.
        let mut made = pyramids::<P>(&levels);
        if made == 0 {
            let count = values(extent);
            Transform::copy().run(device, image, Scatter::to(&mut pyramid).at(0..count))?;
        } else {
            let output = &mut PartMut::of(&mut pyramid, 0..ends(&levels[made]))?;
            if srgb {
                Pyramid::new(P::MEAN_OF_LIGHT, extent.shape(), made).with_input().run(device, image, output)?;
            } else {
                Pyramid::new(P::MEAN, extent.shape(), made).with_input().run(device, image, output)?;
            }
        }
        while made + 1 < levels.len() {
            let (from, count) = (levels[made], pyramids::<P>(&levels[made..]));
            if count == 0 {
                halve(device, &mut pyramid, from, levels[made + 1], srgb)?;
                made += 1;
                continue;
            }
            made += count;
            let data = &mut PartMut::of(&mut pyramid, from.begin as usize..ends(&levels[made]))?;
            let shape = from.extent.shape();
            if srgb {
                Pyramid::new(P::MEAN_OF_LIGHT, shape, count).run_in_place(device, data)?;
            } else {
                Pyramid::new(P::MEAN, shape, count).run_in_place(device, data)?;
            }
        }
        Ok(Self { values: pyramid, levels })
    }

    /// Number of levels, the image and one pixel included.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Size of a level; that of the last one if there is no such level.
    #[must_use]
    pub fn extent(&self, level: usize) -> Extent {
        self.levels[level.min(self.levels.len() - 1)].extent
    }

    /// Copies the values of a level to the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// [`Error::Number`]: there is no such level; CUDA's own
    pub fn level(&self, device: &Device, level: usize) -> Result<Vec<P>> {
        let Some(&Level { begin, extent }) = self.levels.get(level) else {
            let rule = "the mipmap has no such level";
            return Err(Error::Number { what: "the level", value: level as f64, rule });
        };
        let begin = begin as usize;
        let part = Part::of(&self.values, begin..begin + extent.values())?;
        Ok(crate::part::to_host(device, &part)?)
    }

    /// Level whose pixels are as large as a footprint of `footprint` pixels of the image: its logarithm to base 2, at
    /// least 0. A footprint between the pixel sizes of levels n and n + 1 is read between these levels.
    #[must_use]
    pub fn level_of(footprint: f32) -> f32 {
        if footprint > 1.0 { footprint.log2() } else { 0.0 }
    }

    /// Reads the image at points: bilinear in two levels, and linear between them (trilinear). Results are ordered by
    /// plane, then by point, then by channel. A level below 0 is 0, and one above the last the last.
    ///
    /// # Errors
    /// [`Length`](upsweep::Error::Length), [`Place`](upsweep::Error::Place); CUDA's own
    pub fn lookup<X, Y>(&self, device: &Device, points: &X, wrap: Wrap, seen: &mut Y) -> Result<()>
    where
        X: Input<Item = Point> + ?Sized,
        Y: Output<Item = f32> + ?Sized,
    {
        let points = &Part::all(points);
        let count = points.view().len() as u64;
        let whole = self.levels[0].extent;
        let results = whole.planes * count * whole.channels;
        let grid = |&Level { extent: Extent { height, width, .. }, begin }: &Level| Grid { height, width, begin };
        let table = &device.upload(&self.levels.iter().map(grid).collect::<Vec<Grid>>())?;
        let (levels, channels, repeat) = (self.levels.len() as u64, whole.channels, wrap == Wrap::Repeat);
        let point = || Gather::of(points).at(Apply(PointOf { points: count.max(1), channels }, 0..results));
        let in_level = |next| {
            let level = move || Gather::of(table).at(Apply(LevelAt { levels, next }, point()));
            let pixel = move |down, right| {
                let at = PixelAt { whole, points: count.max(1), down, right, repeat };
                Gather::of(&self.values).at(Apply(at, (level(), point(), 0..results)))
            };
            let row = move |down| Apply(MixedInRow { whole }, (pixel(down, 0.0), pixel(down, 1.0), level(), point()));
            Apply(MixedRows { whole }, (row(0.0), row(1.0), level(), point()))
        };
        // The inputs of both levels do not fit into a kernel's parameters: the level before the point has a pass of its
        // own.
        let below = &mut device.filled(results as usize, 0.0f64)?;
        Transform::copy().run(device, in_level(false), &mut *below)?;
        let last = (levels - 1) as f32;
        let mixed = Apply(MixedLevels { last }, (&*below, in_level(true), point()));
        Ok(Transform::new(StoreF32).run(device, mixed, seen)?)
    }

    /// Levels of an image of three channels in one picture of twice its size, as Williams drew them: red at the upper
    /// right, green at the lower left, blue at the lower right, and at the upper left the next level in the same way.
    /// The first level that is one pixel wide or high is the last. Returns the picture, row by row, with its size.
    ///
    /// # Errors
    /// - [`Error::Number`]: the image does not have three channels or three planes
    /// - [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn arrangement(&self, device: &Device) -> Result<(Array<P>, Extent)> {
        let whole = self.levels[0].extent;
        let planar = whole.planes == 3;
        if whole.planes * whole.channels != 3 {
            let value = (whole.planes * whole.channels) as f64;
            return Err(Error::Number { what: "the number of channels", value, rule: "red, green and blue are three" });
        }
        let picture = Extent { planes: 1, height: 2 * whole.height, width: 2 * whole.width, channels: 1 };
        let mut output = device.filled(picture.values(), P::ZERO)?;
        for &Level { extent, begin } in &self.levels {
            let count = 3 * extent.height * extent.width;
            let part = Part::of(&self.values, begin as usize..(begin + count) as usize)?;
            let place = Arranged { level: extent, width: whole.width, planar };
            Transform::copy().run(device, &part, Scatter::to(&mut output).at(Apply(place, 0..count)))?;
            if extent.height == 1 || extent.width == 1 {
                break;
            }
        }
        Ok((output, picture))
    }
}
