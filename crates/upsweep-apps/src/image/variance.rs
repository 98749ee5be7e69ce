//! Local variance.

use super::blur::{Frame, means, means_of_squares};
use super::extent::Extent;
use super::pixel::Pixel;
use crate::error::Result;
use crate::part::Part;
use upsweep::prelude::*;
use upsweep::{Input, Output};

/// Variance of the pixels in the square of `2 radius + 1` rows and columns around each pixel, clipped at the image's
/// borders.
///
/// ```text
/// m = the mean of x over the window,  variance = the mean of x^2 over it - m^2
/// ```
///
/// It is computed from two [moving sums](upsweep::moving_sum) in `f64`, so a pixel costs the same whatever the radius.
/// For `u8` and `u16` the sums are exact. Where a window's variance is far below the squares of its values, digits
/// cancel: the error is about 2^-52 times these squares. For `f64` the squares are of the differences from the middle
/// between the image's least and largest values, which two more passes look for. The variance is never below 0.
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

/// Returns, for each value, the mean of the values in the window around it, and the mean of their squares. Both are of
/// values that are shifted and scaled by the frame that is returned with them.
pub(super) fn moments<P: Pixel>(
    device: &Device,
    image: &Part<'_, P>,
    extent: Extent,
    radius: u32,
) -> Result<(Array<f64>, Array<f64>, Frame)> {
    if let Some(frame) = Frame::of(device, image)? {
        let pixels = frame.pixels(device, image)?;
        let image = &Part::all(&pixels);
        return Ok((means(device, image, extent, radius)?, means_of_squares(device, image, extent, radius)?, frame));
    }
    let (means, squares) = (means(device, image, extent, radius)?, means_of_squares(device, image, extent, radius)?);
    Ok((means, squares, Frame { at: 0.0, scale: 1.0 }))
}

#[function]
fn unframed(#[param] unit: f64, mean: f64, of_squares: f64) -> f64 {
    variance_of(mean, of_squares) * unit * unit
}

impl LocalVariance {
    /// Variance in windows of `2 radius + 1` rows and columns.
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
        let (means, of_squares, frame) = moments(device, image, extent, self.radius)?;
        let variance = Apply(Unframed { unit: 1.0 / frame.scale }, (&means, &of_squares));
        Ok(Transform::new(<f32 as Pixel>::STORE).run(device, variance, variances)?)
    }
}
