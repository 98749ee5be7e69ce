//! Random choice by weights: inverse transform sampling, by prefix sums of the weights and a binary search in them.
//!
//! ```text
//! s[i]     = w[0] + .. + w[i]               prefix sums of the weights; the last one is the total
//! point[k] = u[k] total                     independent: each u[k] is random in 0..1, without 1
//! point[k] = (k + u) total / n              systematic: one random u for all n points
//! draw[k]  = the first i with s[i] > point[k], so that s[i - 1] <= point[k] < s[i]
//! ```
//!
//! ```
//! use upsweep::Device;
//! use upsweep_apps::sampling::Sampler;
//!
//! let device = Device::cpu();
//! let weights = [0.5, 0.0, 1.5, 2.0];
//! let sampler = Sampler::build(&device, &weights)?;
//! assert_eq!(sampler.sums().to_vec()?, [0.5, 0.5, 2.0, 4.0]);
//!
//! // Element i with the probability w[i] / 4, so the element of weight 0 never.
//! let draws = sampler.independent(&device, 1000, 7)?.to_vec()?;
//! let times = |i| draws.iter().filter(|&&draw| draw == i).count();
//! assert_eq!(times(1), 0);
//! assert!(times(2) > 300 && times(3) > 400);
//!
//! // Of 8 draws an eighth, three eighths and a half, whatever the seed.
//! assert_eq!(sampler.systematic(&device, 8, 7)?.to_vec()?, [0, 2, 2, 2, 3, 3, 3, 3]);
//! # Ok::<(), upsweep_apps::Error>(())
//! ```
//!
//! Users of NumPy know the independent draws as `Generator.choice(len(w), n, p=w / w.sum())`, those of Rust's `rand` as
//! `WeightedIndex`, those of particle filters as multinomial resampling; they know the others as systematic resampling.
//!
//! **Zero weights.** An element of weight 0 is never drawn. Running sums of numbers that are not negative never descend,
//! of floats neither, and an element of 0 does not move them. So its sum is that of the element before it, or 0, and no
//! point lies between the two. All points are less than the total: where a product is rounded up to it, the point is the
//! number before. A weight so small that it leaves the sum before it as it is counts as 0.
//!
//! **Exactness.** Sums of integers are exact, in `u64`, and so are points: systematic draws have i exactly
//! `n w[i] / total` times, rounded down or up, and the probabilities of independent draws are off by less than 2^-64. Sums
//! of floats are `f64`, also those of `f32`, and rounded as a [scan](upsweep::scan) rounds them. Points of floats are
//! rounded: one that is within a rounding of `s[i]` may fall to either side.
//!
//! **The same draws.** Random number k is a function of the seed and of k (SplitMix64), so threads draw in any order, and
//! the order in which floats are added is the same on every device. A seed gives the same draws in every run and on every
//! device. The first `m` of `n` independent draws are the `m` draws of the same seed. The generator is not for
//! cryptography.
//!
//! **Cost.** `build` is one scan of the weights, and waits for the total. `n` draws are one pass that writes `n` points
//! of 8 bytes, and a [`Search`] of them, each with log2 of the number of weights as reads. Points of systematic draws
//! ascend, so nearly all of their reads come from a cache.
//!
//! Sources: Devroye, "Non-Uniform Random Variate Generation", 1986, chapter III.2, the inversion method; Kitagawa, "Monte
//! Carlo Filter and Smoother for Non-Gaussian Nonlinear State Space Models", 1996, systematic draws; Douc, Cappé and
//! Moulines, "Comparison of Resampling Schemes for Particle Filtering", 2005, with weights for which they vary more than
//! independent draws.

mod random;
mod weight;

pub use self::weight::{Total, Weight};

use crate::error::{Error, Result};
use crate::part::{Part, element};
use upsweep::Input;
use upsweep::operator::{Cast, Number};
use upsweep::prelude::*;

/// Sampler of the indices of an array by their weights. See the [module](self).
#[derive(Debug)]
pub struct Sampler<S> {
    /// Inclusive prefix sums of the weights.
    sums: Array<S>,
    /// The last of the sums: positive and finite.
    total: S,
}

/// Weight in the type of the sums. A weight that is negative, infinite or NaN becomes `wrong`.
#[function]
fn weighed<W: Number + Cast<S>, S: Number>(#[param] wrong: S, weight: W) -> S {
    // The difference is NaN if the weight is infinite or NaN.
    if weight >= W::ZERO && weight - weight == W::ZERO { weight as S } else { wrong }
}

/// Index `at` of a weight that is negative, infinite or NaN; `u64::MAX` for any other.
#[function]
fn wrong_at<W: Number>(weight: W, at: u64) -> u64 {
    if weight >= W::ZERO && weight - weight == W::ZERO { u64::MAX } else { at }
}

impl<S: Total> Sampler<S> {
    /// Builds the sampler of an array of weights: floats or integers from 0 on, which need not add up to 1. On CUDA this
    /// waits for their total.
    ///
    /// # Errors
    /// - [`Error::Weight`]: a weight is negative, infinite or NaN
    /// - [`Error::NoWeight`]: there are no weights, or all are 0
    /// - [`Error::Total`]: the weights add up to infinity, or in integers to 2^64 - 1 or more
    /// - [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
    pub fn build<B>(device: &Device, weights: &B) -> Result<Self>
    where
        B: Input<Item: Weight<Sum = S>> + ?Sized,
    {
        let weights = &Part::all(weights);
        let n = weights.view().len();
        let Some(last) = n.checked_sub(1) else { return Err(Error::NoWeight { weights: n }) };
        let sums: Array<S> = Scan::new(S::ADD).map(Weighed { wrong: S::WRONG }).run_to_array(device, weights)?;
        let total = element(device, &sums, last)?;
        if !total.is_total() {
            return Err(refused(device, weights)?);
        }
        if total == S::ZERO {
            return Err(Error::NoWeight { weights: n });
        }
        Ok(Self { sums, total })
    }

    /// Inclusive prefix sums of the weights.
    #[must_use]
    pub fn sums(&self) -> &Array<S> {
        &self.sums
    }

    /// Sum of all weights.
    #[must_use]
    pub fn total(&self) -> S {
        self.total
    }

    /// Draws `n` indices independently of each other, with replacement: index `i` with the probability
    /// `w[i] / total`. On CUDA the work is enqueued and the call returns at once.
    ///
    /// # Errors
    /// [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own.
    pub fn independent(&self, device: &Device, n: usize, seed: u64) -> upsweep::Result<Array<u64>> {
        self.chosen(device, &self.total.independent(device, n, seed)?)
    }

    /// Draws `n` indices, ascending, by `n` points at equal distances: index `i` as often as `n w[i] / total`, rounded
    /// down or up. One random number moves all points. On CUDA the work is enqueued and the call returns at once.
    ///
    /// # Errors
    /// As [`independent`](Self::independent).
    pub fn systematic(&self, device: &Device, n: usize, seed: u64) -> upsweep::Result<Array<u64>> {
        self.chosen(device, &self.total.even(device, n, seed)?)
    }

    /// Returns the first index whose sum is greater than the point, for each point.
    fn chosen(&self, device: &Device, points: &Array<S>) -> upsweep::Result<Array<u64>> {
        Search::upper(&self.sums).run_to_array(device, points)
    }
}

/// Returns the error of weights whose sum is no total.
fn refused<W: Weight>(device: &Device, weights: &Part<'_, W>) -> Result<Error> {
    let n = weights.view().len();
    let at: u64 = Reduce::new(Min).map(WrongAt).run_to_host(device, (weights, 0..n as u64))?;
    Ok(match usize::try_from(at).ok().filter(|&at| at < n) {
        Some(at) => Error::Weight { at, weight: element(device, weights, at)?.to_string() },
        None => Error::Total { weights: n, sums: std::any::type_name::<W::Sum>() },
    })
}
