//! Box blurs, and the means and mean squares around each pixel.

use super::extent::Extent;
use super::pixel::{Pixel, Wide, room_for};
use super::summed::SummedArea;
use crate::error::Result;
use crate::part::{Part, map};
use upsweep::operator::Cast;
use upsweep::prelude::*;
use upsweep::{Error, Input, Output};

/// Box blur: the mean of the square of `2 radius + 1` rows and columns around each pixel, clipped at the image's
/// borders without padding.
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
/// Sums are in `f64`. For whole numbers they are exact, so the mean is rounded once; no sum overflows whose mean is a
/// value. A NaN or infinite value is in the means of the windows that have it, and in no other. With a radius for each
/// pixel: [`SummedArea::box_blur_by`].
///
/// **Cost.** A [moving sum](upsweep::moving_sum): the image is read twice, whatever the radius, and nothing but the
/// means is stored. On CUDA windows of more than some 3,500 columns use a [summed-area table](SummedArea).
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct BoxBlur {
    radius: u32,
}

impl BoxBlur {
    /// Blur with windows of `2 radius + 1` rows and columns.
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
        let side = 2.0 * f64::from(self.radius) + 1.0;
        let scale = room_for::<P>(side.min(extent.height.max(1) as f64) * side.min(extent.width.max(1) as f64));
        let sums = around(extent, self.radius).map(P::widen(scale)).finish(P::mean_of_sum(scale));
        match sums.run(device, image, blurred) {
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

/// Scaling of pixels `x` to `(x - at) * scale`: the squares of the results stay in the range of f64, and their
/// differences are not lost in a large common offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) at: f64,
    pub(super) scale: f64,
}

#[function]
fn finite_or<P: Cast<f64>>(#[param] other: f64, x: P) -> f64 {
    let x = x as f64;
    if x.is_finite() { x } else { other }
}

#[function]
fn framed<P: Cast<f64>>(#[param] at: f64, #[param] scale: f64, x: P) -> f64 {
    (x as f64 - at) * scale
}

impl Frame {
    /// Scaling for the values of an image of f64; `None` for other types, the sums of whose squares f64 holds.
    pub(super) fn of<P: Pixel>(device: &Device, image: &Part<'_, P>) -> Result<Option<Self>> {
        if P::MOST.is_some() || P::SUMS_DOUBLE {
            return Ok(None);
        }
        let low: f64 = Reduce::new(Min).map(FiniteOr { other: f64::INFINITY }).run_to_host(device, image)?;
        let high: f64 = Reduce::new(Max).map(FiniteOr { other: f64::NEG_INFINITY }).run_to_host(device, image)?;
        if low > high {
            return Ok(Some(Self { at: 0.0, scale: 1.0 }));
        }
        // Half of each is taken before the addition, because a sum or difference of the two may overflow.
        let (at, half) = (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0);
        let exponent = if half > 0.0 { half.log2().floor().clamp(-1000.0, 1000.0) } else { 0.0 };
        Ok(Some(Self { at, scale: (-exponent).exp2() }))
    }

    /// Returns the scaled pixels of the image.
    pub(super) fn pixels<P: Pixel>(self, device: &Device, image: &Part<'_, P>) -> Result<Array<f64>> {
        Ok(map(device, Framed { at: self.at, scale: self.scale }, image)?)
    }
}

#[function]
fn mean(sum: f64, values: u64) -> f64 {
    sum / values as f64
}

fn around(extent: Extent, radius: u32) -> MovingSum {
    let radius = radius as usize;
    MovingSum::new(extent.shape()).rows(radius, radius).columns(radius, radius)
}

/// Summed-area table of `function` of each value of an image, for windows with too many columns for a moving sum. The
/// function's results are stored first, so the table is compiled for f64 alone.
fn table<P, F>(device: &Device, function: F, image: &Part<'_, P>, extent: Extent) -> Result<SummedArea<f64>>
where
    P: Pixel,
    F: Function<(P,), Output = f64>,
{
    let values: Array<f64> = map(device, function, image)?;
    SummedArea::<f64>::of(device, &values, extent)
}

/// Returns, for each value of an image, the mean of the values in the window around it.
///
/// # Errors
/// As [`BoxBlur::run`].
pub(super) fn means<P: Pixel>(device: &Device, image: &Part<'_, P>, extent: Extent, radius: u32) -> Result<Array<f64>> {
    match around(extent, radius).map(Wide).finish(Mean).run_to_array(device, image) {
        Err(Error::Window { .. }) => table(device, Wide, image, extent)?.means(device, radius),
        outcome => Ok(outcome?),
    }
}

/// Returns, for each value of an image, the mean of the squares of the values in the window around it.
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
