//! Variance around each pixel.

use super::areas::{Places, around, pixels, radius};
use super::extent::Extent;
use super::pixel::Pixel;
use super::summed::SummedArea;
use crate::error::Result;
use crate::part::Part;
use upsweep::prelude::*;
use upsweep::{Input, Output};

/// The variance of the pixels around each pixel, of the square of `2 radius + 1` rows and columns as far as it is in the image.
///
/// ```text
/// n = the pixels of the window,  m = the sum of x over it / n,  variance = the sum of x^2 over it / n - m^2
/// ```
///
/// From two [tables of sums](SummedArea) in `f64`, so a pixel costs the same whatever the radius. Of `u8` and `u16` the sums are exact.
/// Where a window's variance is far below the squares of its values, digits cancel: about 2^-52 times the sum of all squares of the image
/// is left as an error. It is never below 0.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct LocalVariance {
    radius: u32,
}

#[function]
pub(super) fn variance_of(sum: f64, squares: f64, pixels: f64) -> f64 {
    let mean = sum / pixels;
    let variance = squares / pixels - mean * mean;
    if variance < 0.0 { 0.0 } else { variance }
}

#[function]
fn variance_around(#[param] places: Places, sum: f64, squares: f64, radius: u32, at: u64) -> f64 {
    variance_of(sum, squares, pixels(places, radius, at))
}

impl LocalVariance {
    /// Of windows of `2 radius + 1` rows and columns.
    pub fn new(radius: u32) -> Self {
        Self { radius }
    }

    /// Stores the variance around each value of `image` in `variances`, as floats.
    ///
    /// # Errors
    /// [`Shape`](upsweep::Error::Shape), [`Length`](upsweep::Error::Length), [`Place`](upsweep::Error::Place),
    /// [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn run<X, Y, P>(&self, device: &Device, image: &X, extent: Extent, variances: &mut Y) -> Result<()>
    where
        X: Input<Item = P> + ?Sized,
        Y: Output<Item = f32> + ?Sized,
        P: Pixel,
    {
        let image = &Part::all(image);
        let values = extent.check(image.view().len())?;
        let sums = SummedArea::<f64>::of_values(device, image, extent)?;
        let squares = SummedArea::<f64>::of_squares(device, image, extent)?;
        let radii = &device.upload(&[self.radius])?;
        let inputs = (
            around!(sums.table(), radii, extent, values),
            around!(squares.table(), radii, extent, values),
            radius!(radii, extent, values),
            0..values as u64,
        );
        let variance = Apply(VarianceAround { places: Places::of(extent) }, inputs);
        Ok(Transform::new(<f32 as Pixel>::STORE).run(device, variance, variances)?)
    }
}
