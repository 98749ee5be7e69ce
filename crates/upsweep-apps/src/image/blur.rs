//! Means around each pixel.

use super::extent::Extent;
use super::pixel::{Pixel, Wide};
use super::summed::SummedArea;
use crate::error::Result;
use crate::part::{Part, map};
use upsweep::operator::Cast;
use upsweep::prelude::*;
use upsweep::{Error, Input, Output};

/// A box blur: the mean of the square of `2 radius + 1` rows and columns around each pixel, of those that are in the image: nothing is made
/// up beyond its borders.
///
/// ```
/// use upsweep::Device;
/// use upsweep_apps::image::{BoxBlur, Extent};
///
/// let image = [1u8, 2, 3, 4, 5, 6]; // two rows of three pixels
/// let mut blurred = [0u8; 6];
/// BoxBlur::new(1).run(&Device::cpu(), &image, Extent::new(2, 3), &mut blurred)?;
/// assert_eq!(blurred, [3, 4, 4, 3, 4, 4]);
/// # Ok::<(), upsweep_apps::Error>(())
/// ```
///
/// Sums are in `f64`: exact of whole numbers, and so rounded once. What is no number, or infinite, is in the means of the windows that have
/// it, and in no other. With a radius for each pixel: [`SummedArea::box_blur_by`].
///
/// **Cost.** A [moving sum](upsweep::moving_sum): the image is read twice, whatever the radius, and nothing else is stored but the means. On CUDA windows of more than
/// some 3,500 columns have a [table of sums](SummedArea).
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct BoxBlur {
    radius: u32,
}

impl BoxBlur {
    /// Of windows of `2 radius + 1` rows and columns.
    pub fn new(radius: u32) -> Self {
        Self { radius }
    }

    /// Stores the mean around each value of `image` in `blurred`.
    ///
    /// # Errors
    /// [`Shape`](upsweep::Error::Shape), [`Length`](upsweep::Error::Length), [`Place`](upsweep::Error::Place),
    /// [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn run<X, Y, P>(&self, device: &Device, image: &X, extent: Extent, blurred: &mut Y) -> Result<()>
    where
        X: Input<Item = P> + ?Sized,
        Y: Output<Item = P> + ?Sized,
        P: Pixel,
    {
        let image = &Part::all(image);
        match around(extent, self.radius).map(Wide).finish(P::MEAN_OF_SUM).run(device, image, blurred) {
            Err(Error::Window { .. }) => table(device, Wide, image, extent)?.box_blur(device, self.radius, blurred),
            outcome => Ok(outcome?),
        }
    }
}

#[function]
fn squared<P: Cast<f64>>(x: P) -> f64 {
    let x = x as f64;
    x * x
}

#[function]
fn mean(sum: f64, values: u64) -> f64 {
    sum / values as f64
}

fn around(extent: Extent, radius: u32) -> MovingSum {
    let radius = radius as usize;
    MovingSum::new(extent.shape()).rows(radius, radius).columns(radius, radius)
}

/// The table of sums of a function of each value, for windows that have too many columns to be moved. The function's results are stored first:
/// so the table is compiled for f64 alone.
fn table<P, F>(device: &Device, function: F, image: &Part<'_, P>, extent: Extent) -> Result<SummedArea<f64>>
where
    P: Pixel,
    F: Function<(P,), Output = f64>,
{
    let values: Array<f64> = map(device, function, image)?;
    SummedArea::<f64>::of(device, &values, extent)
}

/// The means of the values around each value.
///
/// # Errors
/// As [`BoxBlur::run`].
pub(super) fn means<P: Pixel>(device: &Device, image: &Part<'_, P>, extent: Extent, radius: u32) -> Result<Array<f64>> {
    match around(extent, radius).map(Wide).finish(Mean).run_to_array(device, image) {
        Err(Error::Window { .. }) => table(device, Wide, image, extent)?.means(device, radius),
        outcome => Ok(outcome?),
    }
}

/// The means of their squares.
///
/// # Errors
/// As [`BoxBlur::run`].
pub(super) fn means_of_squares<P: Pixel>(
    device: &Device,
    image: &Part<'_, P>,
    extent: Extent,
    radius: u32,
) -> Result<Array<f64>> {
    match around(extent, radius).map(Squared).finish(Mean).run_to_array(device, image) {
        Err(Error::Window { .. }) => table(device, Squared, image, extent)?.means(device, radius),
        outcome => Ok(outcome?),
    }
}
