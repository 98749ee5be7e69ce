//! Pictures in .png, .pgm and .ppm files, and images in .npy.

use crate::apps::{bytes, pnm, read_array};
use crate::device::DeviceChoice;
use crate::element::Values;
use crate::failure::{Failure, Result, called, words};
use crate::names;
use crate::output::Destination;
use crate::progress::Progress;
use crate::write::{self, OutputForm};
use png::{BitDepth, ColorType, Transformations};
use std::io::Cursor;
use std::path::Path;
use upsweep_apps::image::Extent;

/// Image that was read: its pixels, their arrangement, and its name in messages.
pub(crate) struct Picture {
    pub(crate) name: String,
    pub(crate) values: Values,
    pub(crate) extent: Extent,
}

/// Maximum number of bytes that a .png may unpack to.
const MOST_BYTES: usize = 16 << 30;

pub(crate) fn is_png(path: &Path) -> bool {
    names::ends_in(path, "png")
}

/// Whether the name is that of a file that holds an image and nothing else.
pub(crate) fn is_image(path: &Path) -> bool {
    is_png(path) || pnm::is_pnm(path)
}

/// Reads an image from a .png, .pgm, .ppm or .npy file.
pub(crate) fn read(path: &Path, device: DeviceChoice) -> Result<Picture> {
    let name = called(path);
    if is_png(path) {
        return read_png(path, name);
    }
    if pnm::is_pnm(path) {
        let (values, extent) = pnm::parse(&bytes(path)?.0, &name)?;
        return Ok(Picture { name, values, extent });
    }
    if !names::is_npy(path) {
        return Err(Failure::input(&name, "is no image: give a .png, .pgm, .ppm or .npy"));
    }
    let (values, shape) = read_array(path, device)?;
    let extent = match shape[..] {
        [height, width] => Extent::new(height, width),
        [.., 0] if shape.len() == 3 => {
            return Err(Failure::input(&name, format!("has the shape {shape:?}: an image has one channel at least")));
        }
        [height, width, channels] => Extent::new(height, width).channels(channels),
        _ => {
            let reason = format!("has the shape {shape:?}: an image has (rows, columns) or (rows, columns, channels)");
            return Err(Failure::input(&name, reason));
        }
    };
    Ok(Picture { name, values, extent })
}

/// Maximum number of bytes that a byte of a .png unpacks to: deflate's bound is 1032.
const MOST_UNPACKED: usize = 1040;

fn read_png(path: &Path, name: String) -> Result<Picture> {
    let (file, _) = bytes(path)?;
    let wrong = |e: png::DecodingError| match e {
        png::DecodingError::IoError(e) => Failure::input(&name, words(&e)),
        e => Failure::input(&name, format!("is no .png that can be read: {e}")),
    };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(&file), png::Limits { bytes: MOST_BYTES });
    // Palette indices become colours, and samples of fewer than 8 bits become samples of 8.
    decoder.set_transformations(Transformations::EXPAND);
    // The length of the file bounds the memory for the pixels, whatever size the header claims.
    let header = decoder.read_header_info().map_err(wrong)?;
    let bits = u64::from(header.width) * u64::from(header.height) * header.bits_per_pixel() as u64;
    if bits.div_ceil(8) > (file.len() as u64).saturating_mul(MOST_UNPACKED as u64) {
        let (width, height) = (header.width, header.height);
        return Err(Failure::input(&name, format!("is truncated: its header promises {width} x {height} pixels")));
    }
    let mut reader = decoder.read_info().map_err(wrong)?;
    let size = reader.output_buffer_size().filter(|size| *size <= MOST_BYTES);
    let Some(size) = size else { return Err(Failure::input(&name, "is larger than 16 GiB unpacked")) };
    let mut pixels = Vec::new();
    let full = |_| Failure::Run(format!("{name}: no memory for {size} bytes"));
    let (color_type, bit_depth) = reader.output_color_type();
    let (width, height) = (reader.info().width, reader.info().height);
    if reader.info().interlaced {
        pixels.try_reserve_exact(size).map_err(full)?;
        pixels.resize(size, 0);
        reader.next_frame(&mut pixels).map_err(wrong)?;
    } else {
        while let Some(row) = reader.next_row().map_err(wrong)? {
            pixels.try_reserve(row.data().len()).map_err(full)?;
            pixels.extend_from_slice(row.data());
        }
        if pixels.len() != size {
            return Err(Failure::input(&name, "is truncated: it has fewer rows than its header promises"));
        }
    }
    let values = match bit_depth {
        BitDepth::Sixteen => {
            Values::U16(pixels.as_chunks().0.iter().map(|&pair: &[u8; 2]| u16::from_be_bytes(pair)).collect())
        }
        _ => Values::U8(pixels),
    };
    let extent = Extent::new(height as usize, width as usize).channels(color_type.samples());
    Ok(Picture { name, values, extent })
}

/// Resolves the destination of an image after `-o`. Its name must end in .png, .pgm, .ppm, .npy, or one of `others`.
pub(super) fn destination(path: &Path, others: &[&str]) -> Result<Destination> {
    let ending = names::ending(path).map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    if is_image(path) || names::is_npy(path) || others.contains(&&*ending) {
        return Destination::of("-o", path);
    }
    let also: String = others.iter().map(|ending| format!(" or .{ending}")).collect();
    Err(Failure::Input(format!("-o {}: end it in .png, .pgm, .ppm or .npy{also}", called(path))))
}

/// Writes an image to `to`, in the format that the ending of `path` names.
pub(super) fn write(path: &Path, to: &Destination, values: &Values, extent: Extent) -> Result<()> {
    let [_, height, width, channels] = extent.shape();
    if pnm::is_pnm(path) {
        let file = pnm::written(path, values, extent)
            .map_err(|reason| Failure::Input(format!("-o {}: {reason}", called(path))))?;
        return to.write(|out| out.write_all(&file).map_err(|e| Failure::writing(to.name(), &e)));
    }
    if !is_png(path) {
        let shape = if channels == 1 { vec![height, width] } else { vec![height, width, channels] };
        let progress = Progress::new("writing", None);
        return to.write(|out| write::write(OutputForm::Npy, values, &shape, (out, to.name()), &progress));
    }
    let wrong = |reason: String| Failure::Input(format!("-o {}: {reason}", called(path)));
    let (depth, bytes) = match values {
        Values::U8(x) => (BitDepth::Eight, x.clone()),
        Values::U16(x) => (BitDepth::Sixteen, x.iter().flat_map(|x| x.to_be_bytes()).collect()),
        _ => return Err(wrong(format!("a .png has u8 or u16, not {}: write .npy", values.element().name()))),
    };
    let color = match channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        4 => ColorType::Rgba,
        _ => return Err(wrong(format!("a .png has 1 to 4 channels, not {channels}: write .npy"))),
    };
    let (Ok(across), Ok(down)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(wrong(format!("a .png is not {width} pixels wide and {height} high: write .npy")));
    };
    let mut file = Vec::new();
    let failed = |e: png::EncodingError| wrong(e.to_string());
    let mut encoder = png::Encoder::new(&mut file, across, down);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&bytes).map_err(failed)?;
    writer.finish().map_err(failed)?;
    to.write(|out| out.write_all(&file).map_err(|e| Failure::writing(to.name(), &e)))
}
