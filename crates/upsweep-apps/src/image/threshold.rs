//! Adaptive thresholds: black and white, by the mean or by Sauvola's rule.

use super::blur::{Frame, means};
use super::extent::Extent;
use super::pixel::Pixel;
use super::variance::{moments, variance_of};
use crate::error::{Error, Result};
use crate::part::Part;
use upsweep::operator::Cast;
use upsweep::prelude::*;
use upsweep::{Input, Output};

/// Adaptive threshold: a pixel is white (255) if it is above the threshold of the square of `2 radius + 1` rows and
/// columns around it, and black (0) if not. So uneven light does not matter.
///
/// ```text
/// mean      t = m - offset                     OpenCV's adaptiveThreshold, ADAPTIVE_THRESH_MEAN_C, but that m is not rounded
/// sauvola   t = m (1 + k (s / range - 1))      m is the mean around the pixel and s the standard deviation
/// ```
///
/// The square is clipped at the image's borders. Sauvola's threshold leaves flat paper, with a small `s`, white.
///
/// Source: Sauvola and Pietikäinen, "Adaptive Document Image Binarization", 2000; with tables of sums Shafait, Keysers
/// and Breuel, 2008.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Threshold {
    radius: u32,
    rule: Rule,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    Mean { offset: f64 },
    Sauvola { k: f64, range: f64 },
}

#[function]
fn above_mean<P: Cast<f64>>(#[param] offset: f64, x: P, mean: f64) -> u8 {
    if (x as f64) > mean - offset { 255 } else { 0 }
}

#[function]
fn above_sauvola<P: Cast<f64>>(
    #[param] k: f64,
    #[param] range: f64,
    #[param] at: f64,
    #[param] unit: f64,
    x: P,
    mean: f64,
    of_squares: f64,
) -> u8 {
    let deviation = variance_of(mean, of_squares).sqrt() * unit;
    let threshold = (at + mean * unit) * (1.0 + k * (deviation / range - 1.0));
    if (x as f64) > threshold { 255 } else { 0 }
}

impl Threshold {
    /// Rule that a pixel is white if it is above the mean of the square around it less `offset` (in units of pixel
    /// values).
    pub fn mean(radius: u32, offset: f64) -> Self {
        Self { radius, rule: Rule::Mean { offset } }
    }

    /// Sauvola's rule. Usual are a `k` of 0.2 to 0.5 and a `range` of half of the brightest value: 128 for `u8`.
    pub fn sauvola(radius: u32, k: f64, range: f64) -> Self {
        Self { radius, rule: Rule::Sauvola { k, range } }
    }

    /// Stores 0 or 255 for each value of `image`.
    ///
    /// # Errors
    /// - [`Error::Number`]: the offset or `k` is no finite number, or the range is not above 0
    /// - [`Shape`](upsweep::Error::Shape), [`Length`](upsweep::Error::Length), [`Place`](upsweep::Error::Place),
    ///   [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn run<X, Y, P>(&self, device: &Device, image: &X, extent: Extent, output: &mut Y) -> Result<()>
    where
        X: Input<Item = P> + ?Sized,
        Y: Output<Item = u8> + ?Sized,
        P: Pixel,
    {
        let finite = |what, value: f64| {
            let rule = "it is a finite number";
            if value.is_finite() { Ok(()) } else { Err(Error::Number { what, value, rule }) }
        };
        let image = &Part::all(image);
        match self.rule {
            Rule::Mean { offset } => {
                finite("the offset", offset)?;
                if let Some(frame) = Frame::of(device, image)? {
                    let image = &frame.pixels(device, image)?;
                    let means = means(device, &Part::all(image), extent, self.radius)?;
                    let offset = offset * frame.scale;
                    return Ok(Transform::new(AboveMean { offset }).run(device, (image, &means), output)?);
                }
                let means = means(device, image, extent, self.radius)?;
                Ok(Transform::new(AboveMean { offset }).run(device, (image, &means), output)?)
            }
            Rule::Sauvola { k, range } => {
                finite("k", k)?;
                if !(range > 0.0 && range.is_finite()) {
                    return Err(Error::Number {
                        what: "the range",
                        value: range,
                        rule: "it is a finite number above 0",
                    });
                }
                let (means, of_squares, Frame { at, scale }) = moments(device, image, extent, self.radius)?;
                let above = AboveSauvola { k, range, at, unit: 1.0 / scale };
                Ok(Transform::new(above).run(device, (image, &means, &of_squares), output)?)
            }
        }
    }
}
