//! Gaussian blurs by IIR filters.

use super::blur::means;
use super::extent::Extent;
use super::pixel::{Pixel, Wide};
use crate::error::{Error, Result};
use crate::part::{Part, map};
use crate::signal::{Filter, Padding};
use upsweep::prelude::*;
use upsweep::{Input, Output};

/// Gaussian blur of any width. Below a sigma of 2 it is the weighted sum of all pixels within 6 sigma. Above it is a
/// recurrence of order 5, forward and backward along the rows and then along the columns, so a pixel costs the same
/// whatever the width.
///
/// The recurrence has the Gaussian's variance exactly, and its shape nearly. A pixel's weights differ from the true
/// ones by at most 0.0023 of the largest weight along one axis for a sigma of 2, and by 0.0011 from 3 on. Beyond its
/// borders the image is mirrored at the outermost pixels (SciPy's `mode="mirror"`), over 6 sigma or as far as it goes,
/// and constant from there on.
///
/// A NaN or infinite value is in the results within 6 sigma of it along both axes, and in no others.
///
/// **Cost.** Some four passes in `f64`, and for floats one more that looks for NaN and infinities. On CUDA each pass
/// waits for the pixels at the borders.
///
/// Source: van Vliet, Young and Verbeek, "Recursive Gaussian Derivative Filters", 1998, table 1: poles of order 5 for
/// sigma 2, by the L2 norm; B. Triggs and M. Sdika, "Boundary Conditions for Young-van Vliet Recursive Filtering",
/// 2006, for the backward direction.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct GaussianBlur {
    sigma: f64,
}

/// Smallest sigma for which the recurrence is near enough to a Gaussian.
const RECURRENT: f64 = 2.0;

/// Above this sigma the poles are so near to 1 that the coefficients of one recurrence of order 5 have too few digits;
/// three sections of lower order have enough.
const IN_SECTIONS: f64 = 50.0;

/// Poles for sigma 2, as real and imaginary parts: two pairs of conjugates, of which one pole each is listed, and a
/// real one.
const POLES: [(f64, f64); 3] = [(0.864_30, 1.453_89), (1.614_33, 0.831_34), (1.875_04, 0.0)];

impl GaussianBlur {
    /// Blur with this standard deviation in pixels, at least 0.5.
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
        let mut pixels: Array<f64> = map(device, Wide, image)?;
        let spoilt = match P::MOST {
            // Below this limit, weighted sums of neighbours spread NaN and infinities right by themselves.
            None if sigma >= RECURRENT => Spoilt::find(device, &pixels, extent, (6.0 * sigma).ceil() as u32)?,
            _ => None,
        };
        if spoilt.is_some() {
            pixels = map(device, FiniteOr0, &pixels)?;
        }
        for axis in [2, 1] {
            // A line of one pixel is left as it is, because it is its own mean.
            if values > 0 && extent.shape()[axis] > 1 {
                pixels = if sigma < RECURRENT {
                    summed(device, &pixels, (&extent.shape(), axis), sigma)?
                } else {
                    recurrent(device, &pixels, (&extent.shape(), axis), sigma)?
                };
            }
        }
        if let Some(Spoilt { nan, up, down }) = &spoilt {
            pixels = map(device, SpoiltBy, (&pixels, nan, up, down))?;
        }
        Ok(Transform::new(P::STORE).run(device, &pixels, blurred)?)
    }
}

#[function]
fn finite_or_0(x: f64) -> f64 {
    if x.is_finite() { x } else { 0.0 }
}

#[function]
fn is_spoilt(x: f64) -> bool {
    !x.is_finite()
}

/// Returns 1 if `x` is of this `kind`, and 0 if not: 1 is NaN, 2 infinity, 3 minus infinity.
#[function]
fn is_kind(#[param] kind: u8, x: f64) -> u8 {
    let found: u8 = if x.is_nan() {
        1
    } else if x.is_finite() {
        0
    } else if x > 0.0 {
        2
    } else {
        3
    };
    if found == kind { 1 } else { 0 }
}

#[function]
fn spoilt_by(x: f64, nan: f64, up: f64, down: f64) -> f64 {
    if nan > 0.0 || (up > 0.0 && down > 0.0) {
        f64::NAN
    } else if up > 0.0 {
        f64::INFINITY
    } else if down > 0.0 {
        f64::NEG_INFINITY
    } else {
        x
    }
}

/// For each pixel, the fractions of the pixels in the window around it that are NaN, infinity and minus infinity.
struct Spoilt {
    nan: Array<f64>,
    up: Array<f64>,
    down: Array<f64>,
}

impl Spoilt {
    /// Looks for NaN and infinities in windows of this radius; `None` if the image has none.
    fn find(device: &Device, pixels: &Array<f64>, extent: Extent, radius: u32) -> Result<Option<Self>> {
        let any: bool = Reduce::new(Or).map(IsSpoilt).run_to_host(device, pixels)?;
        if !any {
            return Ok(None);
        }
        let of = |kind| {
            let there: Array<u8> = map(device, IsKind { kind }, pixels)?;
            means(device, &Part::all(&there), extent, radius)
        };
        Ok(Some(Self { nan: of(1)?, up: of(2)?, down: of(3)? }))
    }
}

/// Index of the pixel that is read at the index `at` of a padded array, whose lines have `reach` elements more than the
/// image's at both ends. The padding is the `mirrored` next pixels, mirrored at the end, and beyond them the last
/// mirrored one.
#[function]
fn bordered(#[param] inner: u64, #[param] len: i64, #[param] reach: i64, #[param] mirrored: i64, at: u64) -> u64 {
    let (line, i) = (at / inner, at % inner);
    let wide = (len + 2 * reach) as u64;
    let place = ((line % wide) as i64 - reach).clamp(-mirrored, len - 1 + mirrored);
    let turned = if place < 0 { -place } else { place };
    let turned = if turned > len - 1 { 2 * (len - 1) - turned } else { turned };
    (line / wide * len as u64 + turned as u64) * inner + i
}

/// Index in the padded array, `by` elements along the line after the first one that the weighted sum of the pixel `at`
/// reads.
#[function]
fn behind(#[param] inner: u64, #[param] len: u64, #[param] wide: u64, #[param] by: u64, at: u64) -> u64 {
    let (line, i) = (at / inner, at % inner);
    (line / len * wide + line % len + by) * inner + i
}

#[function]
fn add(a: f64, b: f64) -> f64 {
    a + b
}

/// Blurs the lines along an axis by the weighted sum of all pixels within 6 sigma.
fn summed(device: &Device, pixels: &Array<f64>, (shape, axis): (&[usize; 4], usize), sigma: f64) -> Result<Array<f64>> {
    /// Largest number of coefficients that one recurrence can have.
    const MOST: usize = 17;
    let (len, reach) = (shape[axis], (6.0 * sigma).ceil() as usize);
    let inner: usize = shape[axis + 1..].iter().product();
    let wide = len + 2 * reach;
    let mut wide_shape = *shape;
    wide_shape[axis] = wide;
    let values = wide_shape.iter().product::<usize>() as u64;
    let mirrored = reach.min(len - 1) as i64;
    let place = Bordered { inner: inner as u64, len: len as i64, reach: reach as i64, mirrored };
    let lines: Array<f64> = Transform::copy().run_to_array(device, Gather::of(pixels).at(Apply(place, 0..values)))?;
    let weight = |k: usize| (-0.5 * ((k as f64 - reach as f64) / sigma).powi(2)).exp();
    let weights: Vec<f64> = (0..=2 * reach).map(weight).collect();
    let sum: f64 = weights.iter().sum();
    let mut blurred = device.filled(pixels.len(), 0.0f64)?;
    for first in (0..weights.len()).step_by(MOST) {
        let last = (first + MOST).min(weights.len());
        let b: Vec<f64> = weights[first..last].iter().rev().map(|weight| weight / sum).collect();
        let part: Array<f64> = Recurrence::new(&b, &[1.0]).axis(&wide_shape, axis).run_to_array(device, &lines)?;
        let place = Behind { inner: inner as u64, len: len as u64, wide: wide as u64, by: last as u64 - 1 };
        let part = Gather::of(&part).at(Apply(place, 0..pixels.len() as u64));
        blurred = map(device, Add, (&blurred, part))?;
    }
    Ok(blurred)
}

/// Blurs the lines along an axis by a recurrence in both directions.
fn recurrent(
    device: &Device,
    pixels: &Array<f64>,
    (shape, axis): (&[usize; 4], usize),
    sigma: f64,
) -> Result<Array<f64>> {
    let (sections, mut blurred) = (sections(sigma), device.filled(pixels.len(), 0.0f64)?);
    let a = sections.iter().fold([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], times);
    let b = [a.iter().sum::<f64>()];
    let filter = if sigma > IN_SECTIONS { Filter::sections(&sections) } else { Filter::new(&b, &a) };
    let (len, reach) = (shape[axis], (6.0 * sigma).ceil() as usize);
    let padded = reach.min(len - 1);
    let both = filter.axis(shape, axis).both_ways().padding(Padding::Even).padded_by(padded);
    // With a padding of 6 sigma the filter's states have faded out at the padding's end. A shorter one is continued.
    let both = if padded < reach { both.going_on((16.0 * sigma).ceil() as usize) } else { both };
    both.run(device, pixels, &mut blurred)?;
    Ok(blurred)
}

/// Multiplies two polynomials, by their coefficients: `a`, the product of some sections' denominators, and the
/// denominator of one more section.
fn times(a: [f64; 6], section: &[f64; 6]) -> [f64; 6] {
    std::array::from_fn(|i| (0..=i.min(2)).map(|k| section[3 + k] * a[i - k]).sum())
}

/// Sections of the filter of order 5, one for each pair of conjugate poles and one for the real pole. The poles for
/// sigma 2 are raised to the power at which the recurrence, forward and backward, has the variance sigma^2.
fn sections(sigma: f64) -> [[f64; 6]; 3] {
    let pole_at = |(re, im): (f64, f64), power: f64| {
        let (radius, angle) = (re.hypot(im).powf(power), im.atan2(re) * power);
        (radius * angle.cos(), radius * angle.sin())
    };
    // In one direction, a pole d adds the variance d / (d - 1)^2.
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
    POLES.map(|pole| {
        // The denominator is 1 - z / d for a real pole d, and (1 - z / d) (1 - z / conj d) for a pair.
        let (re, im) = pole_at(pole, low);
        let norm = re * re + im * im;
        let [first, second] = if im == 0.0 { [-1.0 / re, 0.0] } else { [-2.0 * re / norm, 1.0 / norm] };
        [1.0 + first + second, 0.0, 0.0, 1.0, first, second]
    })
}
