//! Gaussian blurs by recurrences.

use super::extent::Extent;
use super::pixel::{Pixel, Wide};
use crate::error::{Error, Result};
use crate::part::{Part, map};
use crate::signal::{Filter, Padding};
use upsweep::prelude::*;
use upsweep::{Input, Output};

/// A Gaussian blur of any width, by a recurrence of order 5 forward and backward along the rows and then along the columns: a pixel costs
/// the same whatever the width.
///
/// The recurrence has the Gaussian's variance exactly, and its shape nearly. A pixel's weights differ from the true ones by at most this
/// share of the largest weight, along one axis:
///
/// | sigma | 1 | 1.5 | 2 | 3 and more |
/// |---|---|---|---|---|
/// | of the largest weight | 0.017 | 0.0062 | 0.0023 | 0.0011 |
///
/// Where that is too much, which is below 1, a sum of a few weighted neighbours is better. Beyond its borders the image is mirrored at the
/// outermost pixels (SciPy's `mode="mirror"`), over 6 sigma or as far as it goes, and from there on constant.
///
/// **Cost.** Four passes, in `f64`. On CUDA each waits for the pixels at the borders.
///
/// Source: van Vliet, Young and Verbeek, "Recursive Gaussian Derivative Filters", 1998, table 1: poles of order 5 for sigma 2, by the
/// L2 norm.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct GaussianBlur {
    sigma: f64,
}

/// The poles for sigma 2: two pairs of conjugates, real and imaginary parts, and a real one.
const POLES: [(f64, f64); 3] = [(0.864_30, 1.453_89), (1.614_33, 0.831_34), (1.875_04, 0.0)];

impl GaussianBlur {
    /// With this standard deviation in pixels, at least 0.5.
    pub fn new(sigma: f64) -> Self {
        Self { sigma }
    }

    /// Blurs `image`, each channel and plane by itself.
    ///
    /// # Errors
    /// - [`Error::Number`]: sigma is below 0.5, or above 10^6
    /// - [`Shape`](upsweep::Error::Shape), [`Length`](upsweep::Error::Length), [`Place`](upsweep::Error::Place),
    ///   [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn run<X, Y, P>(&self, device: &Device, image: &X, extent: Extent, blurred: &mut Y) -> Result<()>
    where
        X: Input<Item = P> + ?Sized,
        Y: Output<Item = P> + ?Sized,
        P: Pixel,
    {
        let sigma = self.sigma;
        if !(0.5..=1e6).contains(&sigma) {
            return Err(Error::Number { what: "sigma", value: sigma, rule: "it is from 0.5 to 1000000" });
        }
        let image = &Part::all(image);
        let values = extent.check(image.view().len())?;
        let (shape, a) = (extent.shape(), denominator(sigma));
        let b = [a.iter().sum::<f64>()];
        let filter = Filter::new(&b, &a);
        let mut from: Array<f64> = map(device, Wide, image)?;
        let mut to = device.filled(values, 0.0f64)?;
        for axis in [2, 1] {
            // A line of one pixel is its own mean.
            if values > 0 && shape[axis] > 1 {
                let padded = ((6.0 * sigma).ceil() as usize).min(shape[axis] - 1);
                let both = filter.axis(&shape, axis).both_ways().padding(Padding::Even).padded_by(padded);
                both.run(device, &from, &mut to)?;
                std::mem::swap(&mut from, &mut to);
            }
        }
        Ok(Transform::new(P::STORE).run(device, &from, blurred)?)
    }
}

/// The coefficients of results: the poles are taken to the power at which the recurrence, forward and backward, has the variance.
fn denominator(sigma: f64) -> [f64; 6] {
    let pole_at = |(re, im): (f64, f64), power: f64| {
        let (radius, angle) = (re.hypot(im).powf(power), im.atan2(re) * power);
        (radius * angle.cos(), radius * angle.sin())
    };
    // Of one direction a pole d has the variance d / (d - 1)^2.
    let variance = |power: f64| -> f64 {
        let of_pole = |pole: &(f64, f64)| {
            let (re, im) = pole_at(*pole, power);
            let square = ((re - 1.0) * (re - 1.0) - im * im, 2.0 * (re - 1.0) * im);
            let share = (re * square.0 + im * square.1) / (square.0 * square.0 + square.1 * square.1);
            if pole.1 == 0.0 { 2.0 * share } else { 4.0 * share }
        };
        POLES.iter().map(of_pole).sum()
    };
    let (mut low, mut high) = (1e-9, 1e3);
    for _ in 0..200 {
        let middle = f64::sqrt(low * high);
        if variance(middle) > sigma * sigma { low = middle } else { high = middle }
    }
    let mut a = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    for pole in POLES {
        // 1 / d, and for a pair (1 - z / d) (1 - z / conj d).
        let (re, im) = pole_at(pole, low);
        let norm = re * re + im * im;
        let factor = if im == 0.0 { [1.0, -1.0 / re, 0.0] } else { [1.0, -2.0 * re / norm, 1.0 / norm] };
        for i in (0..6).rev() {
            a[i] = (0..=i.min(2)).map(|k| factor[k] * a[i - k]).sum();
        }
    }
    a
}
