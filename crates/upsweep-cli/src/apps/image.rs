//! Command `upsweep image`: integral images, blurs, thresholds, equalisation, mipmaps.

use super::failed;
use super::picture::{Picture, destination, read, write};
use crate::args::pictures::{Blur, Equalise, Image, Integral, MipmapArgs, OfImage, Sums, ThresholdArgs};
use crate::device::{Chosen, Work};
use crate::element::Values;
use crate::failure::{Failure, Result};
use upsweep::Device;
use upsweep::operator::WidenFrom;
use upsweep_apps::image::{BoxBlur, Extent, GaussianBlur, Mipmap, Pixel, SummedArea, Threshold};

type Computed = upsweep_apps::Result<(Values, Extent)>;

pub(crate) fn run(image: &Image) -> Result<()> {
    match image {
        Image::Integral(args) => integral(args),
        Image::Blur(args) => blur(args),
        Image::Threshold(args) => threshold(args),
        Image::Equalise(args) => equalise(args),
        Image::Mipmap(args) => mipmap(args),
    }
}

/// Reads an image, lets `compute` compute another one, and writes that.
fn computed(of: &OfImage, compute: impl FnOnce(&Device, &Picture) -> Result<Computed>) -> Result<()> {
    let to = destination(&of.output, &[])?;
    let device = Chosen::open(of.on.device, Work::Computation)?.device;
    let picture = read(&of.file, of.on.device)?;
    let (values, extent) = compute(&device, &picture)?.map_err(|e| failed(&picture.name, e))?;
    write(&of.output, &to, &values, extent)
}

/// Evaluates `$compute` with the pixels of an image, for each type of pixels.
macro_rules! of_pixels {
    ($picture:expr, $x:ident => $compute:expr) => {
        match &$picture.values {
            Values::U8($x) => Ok($compute),
            Values::U16($x) => Ok($compute),
            Values::F32($x) => Ok($compute),
            Values::F64($x) => Ok($compute),
            other => {
                let reason = format!("has values of {}: pixels are u8, u16, f32 or f64", other.element().name());
                Err(Failure::input(&$picture.name, reason))
            }
        }
    };
}

fn integral(args: &Integral) -> Result<()> {
    computed(&args.of, |device, picture| {
        let extent = picture.extent;
        let [_, height, width, channels] = extent.shape();
        let bordered = Extent::new(height + 1, width + 1).channels(channels);
        macro_rules! table {
            ($x:expr, $A:ty) => {
                (|| -> Computed {
                    let table = SummedArea::<$A>::build(device, &device.upload($x)?, extent)?;
                    Ok((table.into_table().into_vec()?.into(), bordered))
                })()
            };
        }
        let whole = matches!(picture.values, Values::U8(_) | Values::U16(_));
        let sums = args.sums.unwrap_or(if whole { Sums::U64 } else { Sums::F64 });
        Ok(match (&picture.values, sums) {
            (Values::U8(x), Sums::U32) => table!(x, u32),
            (Values::U8(x), Sums::U64) => table!(x, u64),
            (Values::U8(x), Sums::F64) => table!(x, f64),
            (Values::U16(x), Sums::U32) => table!(x, u32),
            (Values::U16(x), Sums::U64) => table!(x, u64),
            (Values::F32(x), Sums::F32) => table!(x, f32),
            (Values::F32(x), Sums::F64) => table!(x, f64),
            (Values::F64(x), Sums::F64) => table!(x, f64),
            (values, _) => {
                let element = values.element().name();
                let reason = format!("has values of {element}: sums are u32 or u64 of u8 and u16, f32 of f32, or f64");
                return Err(Failure::input(&picture.name, reason));
            }
        })
    })
}

fn blur(args: &Blur) -> Result<()> {
    computed(&args.of, |device, picture| {
        let extent = picture.extent;
        let radius = args.radius.unwrap_or(0);
        let radii = match args.focus[..] {
            [] => None,
            [row, column] => Some(radii(extent, radius, (row, column))),
            _ => return Err(Failure::Input("--focus: give ROW,COLUMN".to_owned())),
        };
        of_pixels!(picture, x => match args.sigma {
            None => box_blurred(device, x, extent, (radius, radii.as_deref())),
            Some(sigma) => gaussian_blurred(device, x, extent, sigma),
        }.map(|y| (y.into(), extent)))
    })
}

fn box_blurred<P: Pixel>(
    device: &Device,
    x: &[P],
    extent: Extent,
    (radius, radii): (u32, Option<&[u32]>),
) -> upsweep_apps::Result<Vec<P>>
where
    f64: WidenFrom<P>,
{
    let (x, mut blurred) = (device.upload(x)?, device.filled(x.len(), P::ZERO)?);
    match radii {
        Some(radii) => {
            let table = SummedArea::<f64>::build(device, &x, extent)?;
            table.box_blur_by(device, &device.upload(radii)?, &mut blurred)?;
        }
        None => BoxBlur::new(radius).run(device, &x, extent, &mut blurred)?,
    }
    Ok(blurred.into_vec()?)
}

fn gaussian_blurred<P: Pixel>(device: &Device, x: &[P], extent: Extent, sigma: f64) -> upsweep_apps::Result<Vec<P>> {
    let mut blurred = device.filled(x.len(), P::ZERO)?;
    GaussianBlur::new(sigma).run(device, &device.upload(x)?, extent, &mut blurred)?;
    Ok(blurred.into_vec()?)
}

/// Returns the blur radius of each pixel. It is proportional to the distance from the pixel in `row` and `column`, and
/// `most` at the greatest possible distance.
fn radii(extent: Extent, most: u32, (row, column): (u32, u32)) -> Vec<u32> {
    let [_, height, width, _] = extent.shape();
    let (row, column) = (f64::from(row), f64::from(column));
    let far = |at: f64, n: usize| at.max(n as f64 - 1.0 - at);
    let farthest = far(row, height).hypot(far(column, width)).max(1.0);
    let radius = |y: usize, x: usize| {
        ((y as f64 - row).hypot(x as f64 - column) / farthest * f64::from(most)).min(f64::from(most)).round() as u32
    };
    (0..height).flat_map(|y| (0..width).map(move |x| radius(y, x))).collect()
}

/// Converts pixels to luma, computed from their first three channels, without transparency. A pixel of fewer channels
/// becomes its first one.
fn grey<P: Copy + Into<f64>>(x: &[P], channels: usize) -> Vec<f64> {
    let of = |pixel: &[P]| match *pixel {
        [r, g, b, ..] => 0.299 * r.into() + 0.587 * g.into() + 0.114 * b.into(),
        [x, ..] => x.into(),
        [] => 0.0,
    };
    x.chunks_exact(channels.max(1)).map(of).collect()
}

fn threshold(args: &ThresholdArgs) -> Result<()> {
    computed(&args.of, |device, picture| {
        let [_, height, width, channels] = picture.extent.shape();
        let extent = Extent::new(height, width);
        let white = match picture.values {
            Values::U8(_) => 255.0,
            Values::U16(_) => 65535.0,
            _ => 1.0,
        };
        let threshold = match args.sauvola {
            Some(k) => Threshold::sauvola(args.radius, k, white / 2.0),
            None => Threshold::mean(args.radius, args.offset),
        };
        let black_and_white = of_pixels!(picture, x => match channels {
            1 => thresholded(device, threshold, x, extent),
            _ => thresholded(device, threshold, &grey(x, channels), extent),
        })?;
        Ok(black_and_white.map(|y| (y.into(), extent)))
    })
}

fn thresholded<P: Pixel>(
    device: &Device,
    threshold: Threshold,
    x: &[P],
    extent: Extent,
) -> upsweep_apps::Result<Vec<u8>> {
    let mut output = device.filled(x.len(), 0u8)?;
    threshold.run(device, &device.upload(x)?, extent, &mut output)?;
    Ok(output.into_vec()?)
}

fn equalise(args: &Equalise) -> Result<()> {
    computed(&args.of, |device, picture| {
        let Values::U8(x) = &picture.values else {
            let reason = format!("has values of {}: what is equalised is u8", picture.values.element().name());
            return Err(Failure::input(&picture.name, reason));
        };
        Ok((|| -> Computed {
            let mut output = device.filled(x.len(), 0u8)?;
            upsweep_apps::image::equalise(device, &device.upload(x)?, &mut output)?;
            Ok((output.into_vec()?.into(), picture.extent))
        })())
    })
}

fn mipmap(args: &MipmapArgs) -> Result<()> {
    computed(&args.of, |device, picture| of_pixels!(picture, x => halved(device, x, picture.extent, args)))
}

fn halved<P: Pixel>(device: &Device, x: &[P], extent: Extent, args: &MipmapArgs) -> Computed
where
    Values: From<Vec<P>>,
{
    // All levels are arranged in one picture of a single channel: three quarters have red, green and blue, and the
    // fourth has the smaller levels, so none is left for transparency.
    let (x, extent) = if extent.channels == 4 && args.level.is_none() {
        (x.as_chunks().0.iter().flat_map(|&[r, g, b, _]: &[P; 4]| [r, g, b]).collect(), extent.channels(3))
    } else {
        (x.to_vec(), extent)
    };
    let x = device.upload(&x)?;
    let mipmap = if args.srgb { Mipmap::build_srgb(device, &x, extent) } else { Mipmap::build(device, &x, extent) }?;
    match args.level {
        Some(level) => Ok((mipmap.level(device, level)?.into(), mipmap.extent(level))),
        None => {
            let (picture, extent) = mipmap.arrangement(device)?;
            Ok((picture.into_vec()?.into(), extent))
        }
    }
}
