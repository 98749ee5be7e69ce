//! Variance around each pixel.

use super::blur::{means, means_of_squares};
use super::extent::Extent;
use super::pixel::Pixel;
use crate::error::Result;
use crate::part::Part;
use upsweep::prelude::*;
use upsweep::{Input, Output};

/// The variance of the pixels around each pixel, of the square of `2 radius + 1` rows and columns as far as it is in the image.
///
/// ```text
/// m = the mean of x over the window,  variance = the mean of x^2 over it - m^2
/// ```
///
/// From two [moving sums](upsweep::moving_sum) in `f64`, so a pixel costs the same whatever the radius. Of `u8` and `u16` the sums are
/// exact. Where a window's variance is far below the squares of its values, digits cancel: about 2^-52 times those squares is left as an
/// error. It is never below 0.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct LocalVariance {
    radius: u32,
}

#[function]
pub(super) fn variance_of(mean: f64, of_squares: f64) -> f64 {
    let variance = of_squares - mean * mean;
    if variance < 0.0 { 0.0 } else { variance }
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
        let means = means(device, image, extent, self.radius)?;
        let of_squares = means_of_squares(device, image, extent, self.radius)?;
        let variance = Apply(VarianceOf, (&means, &of_squares));
        Ok(Transform::new(<f32 as Pixel>::STORE).run(device, variance, variances)?)
    }
}
