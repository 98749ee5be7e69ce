//! Images: summed-area tables, box blurs of any radius, local variance, thresholds; Gaussian blurs, equalisation,
//! gamma, mipmaps.
//!
//! ```
//! use upsweep::Device;
//! use upsweep_apps::image::{Area, BoxBlur, Extent, SummedArea};
//!
//! let device = Device::cpu();
//! let image = [1u8, 2, 3, 4, 5, 6]; // two rows of three pixels
//! let table = SummedArea::<u32>::build(&device, &image, Extent::new(2, 3))?;
//! let mut sums = [0; 2];
//! table.sums(&device, &[Area::new(1..2, 1..3), Area::new(0..2, 0..3)], &mut sums)?;
//! assert_eq!(sums, [11, 21]);
//! let mut blurred = [0u8; 6];
//! BoxBlur::new(1).run(&device, &image, Extent::new(2, 3), &mut blurred)?;
//! assert_eq!(blurred, [3, 4, 4, 3, 4, 4]);
//! # Ok::<(), upsweep_apps::Error>(())
//! ```
//!
//! Pixels are [`u8`, `u16`, `f32` or `f64`](Pixel), of one channel or several, [interleaved or in planes](Extent).
//! Inexact results are computed in `f64` and rounded once, when they are stored: to whole pixels half up.

mod areas;
mod blur;
mod equalise;
mod extent;
mod gamma;
mod gaussian;
mod mipmap;
mod pixel;
mod summed;
mod threshold;
mod variance;

pub use areas::Area;
pub use blur::BoxBlur;
pub use equalise::equalise;
pub use extent::Extent;
pub use gamma::gamma;
pub use gaussian::GaussianBlur;
pub use mipmap::{Mipmap, Point, Wrap};
pub use pixel::{Accumulator, Pixel};
pub use summed::SummedArea;
pub use threshold::Threshold;
pub use variance::LocalVariance;
