//! Envelope followers.

use super::along::Along;
use super::sample::Sample;
use upsweep::{Device, Error, Input, Output, Result};

/// Envelope of a signal: each result is the largest absolute value so far, where older elements have decayed.
///
/// ```text
/// y[i] = max(|x[i]|, r y[i-1]),    r = 2^(-1 / half-life)
/// ```
///
/// It rises at once and falls exponentially. An element that is NaN counts as 0; results after an infinite element are
/// of no use.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Envelope<'a> {
    half_life: f64,
    along: Along<'a>,
}

impl<'a> Envelope<'a> {
    /// Number of elements in which the envelope falls to half if nothing louder comes. It is more than 0.
    pub fn half_life(elements: f64) -> Self {
        Self { half_life: elements, along: Along::default() }
    }

    /// Runs along `axis` (counted from 0) of a row-major array of this `shape`: each line is a signal of its own.
    pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
        self.along.axis = Some((shape, axis));
        self
    }

    /// Writes the envelope of `input` to `output`, which has the same length.
    ///
    /// # Errors
    /// - [`Error::Coefficients`]: the half-life is not more than 0
    /// - [`Error::Length`], [`Error::Shape`], [`Error::Axis`], [`Error::Place`], and CUDA's: as of a
    ///   [`Scan`](upsweep::Scan)
    pub fn run<X, Y, T>(&self, device: &Device, input: &X, output: &mut Y) -> Result<()>
    where
        X: Input<Item = T> + ?Sized,
        Y: Output<Item = T> + ?Sized,
        T: Sample,
    {
        if !(self.half_life > 0.0 && self.half_life.is_finite()) {
            return Err(Error::Coefficients {
                what: "the half-life".to_owned(),
                value: self.half_life.to_string(),
                rule: "it is a finite number above 0",
            });
        }
        T::follow(device, (-std::f64::consts::LN_2 / self.half_life).exp(), self.along, input, output)
    }
}
