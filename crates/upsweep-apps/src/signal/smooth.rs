//! Exponential averages.

use super::along::Along;
use super::sample::{Sample, picked};
use upsweep::recurrence::Signal;
use upsweep::{Array, Carry, Device, Error, Input, Output, Recurrence, Result};

/// Exponential average of a signal: each result is the weighted mean of all elements so far, and older ones weigh less.
///
/// ```text
/// y[0] = x[0],    y[i] = y[i-1] + a (x[i] - y[i-1])
/// ```
///
/// as pandas computes with `adjust=False`. Elements are evenly spaced, and a NaN makes all results after it NaN.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Smooth<'a> {
    /// Weight `a` of an element, or the name and value of an invalid parameter.
    weight: std::result::Result<f64, (&'static str, f64)>,
    along: Along<'a>,
}

impl<'a> Smooth<'a> {
    /// Age in elements at which the weight is halved: `a = 1 - 2^(-1 / half-life)`. It is more than 0.
    pub fn half_life(elements: f64) -> Self {
        let weight = -(-std::f64::consts::LN_2 / elements).exp_m1();
        Self::of(elements > 0.0 && elements.is_finite(), weight, ("the half-life", elements))
    }

    /// Span in elements: `a = 2 / (span + 1)`. The mean age of the elements is then that of a moving average of this
    /// length. It is at least 1.
    pub fn span(elements: f64) -> Self {
        Self::of(elements >= 1.0 && elements.is_finite(), 2.0 / (elements + 1.0), ("the span", elements))
    }

    fn of(valid: bool, weight: f64, given: (&'static str, f64)) -> Self {
        Self { weight: if valid { Ok(weight) } else { Err(given) }, along: Along::default() }
    }

    /// Runs along `axis` (counted from 0) of a row-major array of this `shape`: each line is a signal of its own.
    pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
        self.along.axis = Some((shape, axis));
        self
    }

    /// Averages `input` into `output`, which has the same length. On CUDA this waits for the first element of each
    /// line.
    ///
    /// # Errors
    /// - [`Error::Coefficients`]: the half-life is not more than 0, or the span less than 1
    /// - [`Error::Length`], [`Error::Shape`], [`Error::Axis`], [`Error::Place`], and CUDA's: as of a [`Recurrence`]
    pub fn run<X, Y, T>(&self, device: &Device, input: &X, output: &mut Y) -> Result<()>
    where
        X: Input<Item = T> + ?Sized,
        Y: Output<Item = T> + ?Sized,
        T: Sample + Signal<f64>,
    {
        let (b, a) = self.coefficients()?;
        let average = self.along.put(Recurrence::new(&b, &a));
        if input.view().is_empty() {
            return average.run(device, input, output);
        }
        average.state(&self.first_states(device, input, b[0])?).run(device, input, output)
    }

    /// Averages a part of a signal, after the parts before it: see [`Recurrence::run_with_carry`].
    ///
    /// # Errors
    /// As [`run`](Self::run) and [`Recurrence::run_with_carry`].
    pub fn run_with_carry<X, Y, T>(&self, device: &Device, input: &X, output: &mut Y, carry: &mut Carry) -> Result<()>
    where
        X: Input<Item = T> + ?Sized,
        Y: Output<Item = T> + ?Sized,
        T: Sample + Signal<f64>,
    {
        let (b, a) = self.coefficients()?;
        let average = self.along.put(Recurrence::new(&b, &a));
        if carry.position() > 0 || input.view().is_empty() {
            return average.run_with_carry(device, input, output, carry);
        }
        average.state(&self.first_states(device, input, b[0])?).run_with_carry(device, input, output, carry)
    }

    /// Returns the coefficients of elements and of results.
    fn coefficients(&self) -> Result<([f64; 1], [f64; 2])> {
        let weight = self.weight.map_err(|(what, value)| Error::Coefficients {
            what: what.to_owned(),
            value: value.to_string(),
            rule: if what == "the span" { "it is a finite number from 1 on" } else { "it is a finite number above 0" },
        })?;
        Ok(([weight], [1.0, weight - 1.0]))
    }

    /// Returns the states with which the first result of each line is its first element.
    fn first_states<X, T>(&self, device: &Device, input: &X, weight: f64) -> Result<Array<f64>>
    where
        X: Input<Item = T> + ?Sized,
        T: Sample,
    {
        let mut states = picked(device, input, self.along.shape(input.view().len())?, &[0])?;
        states.iter_mut().for_each(|x| *x *= 1.0 - weight);
        device.upload(&states)
    }
}
