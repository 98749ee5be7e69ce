//! Terrain in TIFF files of one band, with the tags of GeoTIFF and GDAL for the size of a cell, its place, and cells without
//! data.

use super::grid::Grid;
use crate::failure::{Failure, Result, note, one_line};
use crate::names;
use std::io::Cursor;
use std::path::Path;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

// Some tiles that GDAL compresses by LZW are refused by this version of the decoder, with "no lzw end code found": issue 395
// of image-tiff.

/// Maximum number of bytes that a file may unpack to; and of those that a byte of it does, by LZW.
const MOST_BYTES: u64 = 16 << 30;
const MOST_UNPACKED: u64 = 4096;
/// Maximum length of the number that stands for no data, as text.
const LONGEST: u64 = 1 << 10;

/// Numbers of keys in the directory of GeoTIFF: what the coordinates are, and whether a cell's place is its middle.
const MODEL: u16 = 1024;
const RASTER: u16 = 1025;
const GEOGRAPHIC: u16 = 2;
const POINT: u16 = 2;

pub(super) fn is_tiff(path: &Path) -> bool {
    ["tif", "tiff"].iter().any(|ending| names::ends_in(path, ending))
}

/// Value that means that a cell has no data: as a whole number, if it is one, and as a float.
struct NoData {
    whole: Option<i128>,
    float: f64,
}

/// Parses a terrain, which messages call `name`.
pub(super) fn parse(file: &[u8], name: &str) -> Result<Grid> {
    let wrong =
        |e: tiff::TiffError| Failure::input(name, format!("is no .tif that can be read: {}", one_line(&e.to_string())));
    let mut limits = Limits::default();
    let most = (file.len() as u64).saturating_mul(MOST_UNPACKED).min(MOST_BYTES) as usize;
    (limits.decoding_buffer_size, limits.intermediate_buffer_size) = (most, most);
    let mut decoder = Decoder::new(Cursor::new(file)).map_err(wrong)?.with_limits(limits);
    let (columns, rows) = decoder.dimensions().map_err(wrong)?;
    let bands: u16 = decoder.find_tag_unsigned(Tag::SamplesPerPixel).map_err(wrong)?.unwrap_or(1);
    if bands != 1 {
        return Err(Failure::input(name, format!("has {bands} bands: a terrain has one")));
    }
    // The decoder prints debugging output of its own for a text that is said to be very long.
    let is_short = decoder.image_ifd().find_entry(Tag::GdalNodata).is_some_and(|entry| entry.count() <= LONGEST);
    let none = is_short.then(|| decoder.get_tag_ascii_string(Tag::GdalNodata).ok()).flatten().and_then(|text| {
        let text = text.trim_matches(['\0', ' ', '\n']).to_owned();
        Some(NoData { whole: text.parse().ok(), float: text.parse().ok()? })
    });
    let numbers = |decoder: &mut Decoder<_>, tag| decoder.get_tag_f64_vec(tag).unwrap_or_default();
    let (scale, tie) = (numbers(&mut decoder, Tag::ModelPixelScaleTag), numbers(&mut decoder, Tag::ModelTiepointTag));
    let keys = decoder.get_tag_u16_vec(Tag::GeoKeyDirectoryTag).unwrap_or_default();
    // A key has four numbers: its own, where its value is (0 is here), how many these are, and the value.
    let key = |wanted| {
        let mut keys = keys.as_chunks::<4>().0.iter().skip(1);
        keys.find(|key| key[0] == wanted && key[1] == 0).map(|key| key[3])
    };
    let altitudes = altitudes(decoder.read_image().map_err(wrong)?, none.as_ref(), name)?;
    let (rows, columns) = (rows as usize, columns as usize);
    if rows.checked_mul(columns) != Some(altitudes.len()) {
        return Err(Failure::input(name, format!("has {} altitudes, not {rows} rows of {columns}", altitudes.len())));
    }
    let size = |at: usize| scale.get(at).map(|size| size.abs()).filter(|size| size.is_finite() && *size > 0.0);
    let (dx, dy) = (size(0).unwrap_or(1.0), size(1).unwrap_or(1.0));
    if key(MODEL) == Some(GEOGRAPHIC) {
        note(&format!("{name}: its cells are {dx} by {dy} degrees, which are taken for the unit of the altitudes"));
    }
    // The first tie point has a cell, and the place of its upper left corner, or of its middle.
    let (mut west, mut north) = (0.0, rows as f64 * dy);
    if let [column, row, _, x, y, ..] = tie[..] {
        let middle = if key(RASTER) == Some(POINT) { 0.5 } else { 0.0 };
        (west, north) = (x - (column + middle) * dx, y + (row + middle) * dy);
    }
    let south = north - rows as f64 * dy;
    let cell = if dx == dy { format!("cellsize {dx}") } else { format!("dx {dx}\ndy {dy}") };
    let header = format!("ncols {columns}\nnrows {rows}\nxllcorner {west}\nyllcorner {south}\n{cell}\n");
    Ok(Grid { rows, columns, dx, dy, altitudes, header })
}

/// Altitudes as f32, NaN where there are no data. The value that says so is compared in the type of the band, as GDAL does:
/// one that is none of that type says nothing.
fn altitudes(image: DecodingResult, none: Option<&NoData>, name: &str) -> Result<Vec<f32>> {
    macro_rules! whole {
        ($x:expr) => {{
            // GDAL drops a fraction.
            let none = none.and_then(|none| none.whole.or(none.float.is_finite().then_some(none.float as i128)));
            $x.iter().map(|&z| if none == Some(i128::from(z)) { f32::NAN } else { z as f32 }).collect()
        }};
    }
    Ok(match image {
        DecodingResult::U8(x) => whole!(x),
        DecodingResult::U16(x) => whole!(x),
        DecodingResult::U32(x) => whole!(x),
        DecodingResult::U64(x) => whole!(x),
        DecodingResult::I8(x) => whole!(x),
        DecodingResult::I16(x) => whole!(x),
        DecodingResult::I32(x) => whole!(x),
        DecodingResult::I64(x) => whole!(x),
        DecodingResult::F16(x) => {
            let none = none.map(|none| half::f16::from_f64(none.float));
            x.iter().map(|&z| if none == Some(z) { f32::NAN } else { z.to_f32() }).collect()
        }
        DecodingResult::F32(x) => {
            let none = none.map(|none| none.float as f32);
            x.iter().map(|&z| if none == Some(z) { f32::NAN } else { z }).collect()
        }
        DecodingResult::F64(x) => {
            let altitude = |&z: &f64| match none.is_some_and(|none| none.float == z) {
                true => Ok(f32::NAN),
                false if z.is_finite() && (z as f32).is_infinite() => {
                    Err(Failure::input(name, format!("{z:e} is more than an altitude can be: they are f32")))
                }
                false => Ok(z as f32),
            };
            x.iter().map(altitude).collect::<Result<_>>()?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiff::encoder::colortype::{ColorType, Gray16, Gray32Float, GrayI16, RGB8};
    use tiff::encoder::{Compression, TiffEncoder, TiffValue};

    /// A file of `2 x 3` cells with these tags.
    fn file<C: ColorType>(cells: &[C::Inner], none: &str, scale: &[f64], keys: &[u16], packed: Compression) -> Vec<u8>
    where
        [C::Inner]: TiffValue,
    {
        let mut bytes = Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut bytes).unwrap().with_compression(packed);
        let mut image = encoder.new_image::<C>(3, 2).unwrap();
        if !none.is_empty() {
            image.encoder().write_tag(Tag::GdalNodata, none).unwrap();
        }
        if !scale.is_empty() {
            image.encoder().write_tag(Tag::ModelPixelScaleTag, scale).unwrap();
            image.encoder().write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, 100.0, 200.0, 0.0][..]).unwrap();
            image.encoder().write_tag(Tag::GeoKeyDirectoryTag, keys).unwrap();
        }
        image.write_data(cells).unwrap();
        bytes.into_inner()
    }

    fn read(file: &[u8]) -> std::result::Result<Grid, String> {
        parse(file, "x.tif").map_err(|failure| failure.to_string())
    }

    /// Bits of altitudes, so that NaN equals itself.
    fn bits(altitudes: &[f32]) -> Vec<u32> {
        altitudes.iter().map(|z| if z.is_nan() { u32::MAX } else { z.to_bits() }).collect()
    }

    #[test]
    fn cells_without_data_are_those_of_gdal() {
        let nan = f32::NAN;
        for packed in [Compression::Uncompressed, Compression::Lzw, Compression::Deflate(Default::default())] {
            let of = |none: &str| {
                let grid = read(&file::<GrayI16>(&[-9999, 1, 2, 0, -1, 5], none, &[], &[], packed)).unwrap();
                assert_eq!((grid.rows, grid.columns, grid.dx), (2, 3, 1.0));
                grid.altitudes
            };
            assert_eq!(bits(&of("-9999")), bits(&[nan, 1.0, 2.0, 0.0, -1.0, 5.0]));
            // One that is no value of the type says nothing.
            for none in ["", "65535", "inf", "nan", "no"] {
                assert_eq!(of(none), [-9999.0, 1.0, 2.0, 0.0, -1.0, 5.0], "{none}");
            }
            assert_eq!(bits(&of("-9999.5")), bits(&of("-9999")));
            assert_eq!(bits(&of("-9.999e3 ")), bits(&[nan, 1.0, 2.0, 0.0, -1.0, 5.0]));
        }
        // With as many digits as GDAL writes.
        let cells = [f32::MIN, 0.1, f32::NAN, 1.5, 0.0, 2.0];
        let of = |none| read(&file::<Gray32Float>(&cells, none, &[], &[], Compression::Lzw)).unwrap().altitudes;
        assert_eq!(bits(&of("-3.40282346638529e+38")), bits(&[nan, 0.1, nan, 1.5, 0.0, 2.0]));
        assert_eq!(bits(&of("0.1")), bits(&[f32::MIN, nan, nan, 1.5, 0.0, 2.0]));
        assert_eq!(bits(&of("nan")), bits(&cells));
    }

    #[test]
    fn cells_have_the_place_and_size_of_geotiff() {
        let cells = [1u16, 2, 3, 4, 5, 65535];
        let of = |keys: &[u16]| read(&file::<Gray16>(&cells, "", &[30.0, 25.0, 0.0], keys, Compression::Lzw)).unwrap();
        let grid = of(&[1, 1, 0, 1, RASTER, 0, 1, 1]);
        assert_eq!((grid.dx, grid.dy, grid.altitudes[5]), (30.0, 25.0, 65535.0));
        assert_eq!(grid.header, "ncols 3\nnrows 2\nxllcorner 100\nyllcorner 150\ndx 30\ndy 25\n");
        let grid = of(&[1, 1, 0, 2, MODEL, 0, 1, 1, RASTER, 0, 1, POINT]);
        assert_eq!(grid.header, "ncols 3\nnrows 2\nxllcorner 85\nyllcorner 162.5\ndx 30\ndy 25\n");
    }

    #[test]
    fn damage_is_told() {
        let whole = file::<GrayI16>(&[0; 6], "0", &[], &[], Compression::Lzw);
        for len in 0..whole.len() {
            // Cut short it is an error, or what is cut off is not needed; and it ends in no panic.
            let _ = read(&whole[..len]);
        }
        assert!(read(b"II*\0").is_err() && read(b"").is_err_and(|e| e.contains("is no .tif that can be read")));
        let colours = file::<RGB8>(&[0; 18], "", &[], &[], Compression::Lzw);
        assert!(read(&colours).is_err_and(|e| e.contains("has 3 bands: a terrain has one")));
    }
}
