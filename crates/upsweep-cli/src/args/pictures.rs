//! Options of the commands on images and terrain.

use super::apps::On;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand, Debug)]
pub(crate) enum Image {
    /// The table of sums over all rectangles from the first pixel on, with a row and a column of zeros before them
    Integral(Integral),
    /// The mean around each pixel (--radius), or a Gaussian blur (--sigma)
    Blur(Blur),
    /// Black and white, by what is around each pixel
    Threshold(ThresholdArgs),
    /// The values spread, so that each range of them has as many pixels
    Equalise(Equalise),
    /// The image in all resolutions, in one picture, or one of them
    Mipmap(MipmapArgs),
}

/// An image, and where the result goes.
#[derive(Args, Debug)]
pub(crate) struct OfImage {
    /// The image: .png, .pgm, .ppm, or .npy of u8, u16, f32 or f64 with the shape (rows, columns) or (rows, columns, channels)
    pub(crate) file: PathBuf,
    /// Write the result to FILE: .png, .pgm, .ppm or .npy
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) on: On,
}

#[derive(Args, Debug)]
pub(crate) struct Integral {
    #[command(flatten)]
    pub(crate) of: OfImage,
    /// The type of the sums [default: u64 of whole numbers, f64 of floats]
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    pub(crate) sums: Option<Sums>,
}

/// What holds the sums of an image.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sums {
    U32,
    U64,
    F32,
    F64,
}

#[derive(Args, Debug)]
pub(crate) struct Blur {
    #[command(flatten)]
    pub(crate) of: OfImage,
    /// The mean of so many pixels in each direction, of those that are in the image
    #[arg(long, value_name = "N", required_unless_present = "sigma", conflicts_with = "sigma")]
    pub(crate) radius: Option<u32>,
    /// A Gaussian of this standard deviation, in pixels, from 0.5 on
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) sigma: Option<f64>,
    /// With --radius: sharp at this pixel, and blurred by the whole radius at the corner farthest from it
    #[arg(long, value_name = "ROW,COLUMN", value_delimiter = ',', requires = "radius")]
    pub(crate) focus: Vec<u32>,
}

#[derive(Args, Debug)]
pub(crate) struct ThresholdArgs {
    #[command(flatten)]
    pub(crate) of: OfImage,
    /// How far around each pixel is looked, in each direction
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) radius: u32,
    /// White is what is above the mean around it less this, in the image's own units
    #[arg(long, value_name = "X", allow_hyphen_values = true, default_value_t = 0.0)]
    pub(crate) offset: f64,
    /// Instead, Sauvola's rule: the mean times 1 + K (deviation / half of white - 1); usual are 0.2 to 0.5
    #[arg(long, value_name = "K", allow_hyphen_values = true, conflicts_with = "offset")]
    pub(crate) sauvola: Option<f64>,
}

#[derive(Args, Debug)]
pub(crate) struct Equalise {
    #[command(flatten)]
    pub(crate) of: OfImage,
}

#[derive(Args, Debug)]
pub(crate) struct MipmapArgs {
    #[command(flatten)]
    pub(crate) of: OfImage,
    /// This level alone: 0 is the image, and each other one half as wide and high as that before it
    #[arg(long, value_name = "K")]
    pub(crate) level: Option<usize>,
    /// The values are sRGB: average the light that they stand for
    #[arg(long)]
    pub(crate) srgb: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Terrain {
    /// The points between two cells, and whether each is seen from the first: 1 or 0 for each
    Sight(Sight),
    /// Which cells are seen from one of them
    Viewshed(ViewshedArgs),
    /// The terrain as the sun lights it
    Shade(ShadeArgs),
}

/// A terrain, and how its cells lie.
#[derive(Args, Debug)]
pub(crate) struct OfTerrain {
    /// The altitudes, the north at the top: .asc (ESRI ASCII grid), .tif of one band (GeoTIFF), .png or .pgm of greys, or .npy with the shape (rows, columns)
    pub(crate) file: PathBuf,
    /// The distances between columns and between rows, in the unit of the altitudes [default: the grid's, or 1]
    #[arg(long, value_name = "DX,DY", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) spacing: Vec<f64>,
    #[command(flatten)]
    pub(crate) on: On,
}

/// From where and to what is looked.
#[derive(Args, Debug)]
pub(crate) struct Looking {
    /// The cell that is looked from, counted from 0
    #[arg(long, value_name = "ROW,COLUMN", value_delimiter = ',', required = true)]
    pub(crate) from: Vec<usize>,
    /// How high the eye is over its cell
    #[arg(long, value_name = "H", allow_hyphen_values = true, default_value_t = 0.0)]
    pub(crate) height: f64,
    /// How high over their cells the things are that are looked at
    #[arg(long, value_name = "H", allow_hyphen_values = true, default_value_t = 0.0)]
    pub(crate) target: f64,
    /// The earth's curvature, less refraction: 0 is a plane, 1 the curvature alone, 0.85714 what GDAL takes; altitudes are in metres then
    #[arg(long, value_name = "C", allow_hyphen_values = true, default_value_t = 0.0)]
    pub(crate) curvature: f64,
}

#[derive(Args, Debug)]
pub(crate) struct Sight {
    #[command(flatten)]
    pub(crate) of: OfTerrain,
    #[command(flatten)]
    pub(crate) looking: Looking,
    /// The cell that is looked at
    #[arg(long, value_name = "ROW,COLUMN", value_delimiter = ',', required = true)]
    pub(crate) to: Vec<usize>,
    /// Write the result to FILE: .npy, .csv, .tsv or raw (.u8) [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct ViewshedArgs {
    #[command(flatten)]
    pub(crate) of: OfTerrain,
    #[command(flatten)]
    pub(crate) looking: Looking,
    /// In a .png, light what is seen on the shaded terrain
    #[arg(long)]
    pub(crate) shaded: bool,
    /// Write the result to FILE: .png (white is seen), .npy or .asc (1 is seen)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct ShadeArgs {
    #[command(flatten)]
    pub(crate) of: OfTerrain,
    /// Where the sun is: degrees clockwise from the north, and over the horizon
    #[arg(long, value_name = "AZIMUTH,ALTITUDE", value_delimiter = ',', allow_hyphen_values = true, default_values_t = [315.0, 45.0])]
    pub(crate) sun: Vec<f64>,
    /// Altitudes count so many times
    #[arg(long, value_name = "Z", allow_hyphen_values = true, default_value_t = 1.0)]
    pub(crate) exaggerate: f64,
    /// Write the result to FILE: .png, .npy or .asc, from 1 to 255, and 0 where it is not known
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

pub(crate) const IMAGE_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep image integral photo.png -o sums.npy
  upsweep image blur photo.png --radius 40 -o soft.png
  upsweep image blur portrait.png --radius 30 --focus 110,215 -o portrait-soft.png
  upsweep image threshold page.png --radius 12 --sauvola 0.2 -o black-and-white.png
  upsweep image equalise dark.png -o clear.png
  upsweep image mipmap photo.png --srgb -o pyramid.png

Values are computed in f64 and rounded once. A threshold is of the brightness of colours (0.299 R + 0.587 G + 0.114 B); other
commands take each channel by itself, transparency too. A pyramid has red at the upper right, green at the lower left, blue
at the lower right, and the next level at the upper left; it leaves transparency out.

",
    exit_codes!()
);

pub(crate) const TERRAIN_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep terrain shade dem.asc --sun 315,35 -o shade.png
  upsweep terrain viewshed dem.asc --from 120,80 --height 1.7 --curvature 0.85714 -o seen.png
  upsweep terrain viewshed dem.npy --spacing 30,30 --from 120,80 --shaded -o map.png
  upsweep terrain sight dem.npy --from 120,80 --to 10,300 --height 1.7

A point is seen if the slope to it is above all slopes between; `sight` looks along the line to it. Of a whole terrain this is found on
the rays to all cells at the border: cells on these are as `sight` has them, and others take the nearest ray, so that of them one in a
hundred, which a ridge hides by little, may differ. What is
NODATA or NaN neither hides nor is seen.

",
    exit_codes!()
);
