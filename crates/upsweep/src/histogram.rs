//! Histogram: the number of elements in each bin, or the sum of their weights.
//!
//! ```text
//! even(low..=high, bins)    bins of the same width: numpy.histogram(x, bins, range=(low, high)), to the element
//! edges(&edges)             bin k has edges[k] <= x < edges[k + 1], the last one also its upper edge
//! by(function, bins)        bin function(x)
//! weights(&w)               the sum of w[i] instead of the number of elements
//! channels(of, counted)     pixels of `of` channels side by side, the first `counted` of them counted each for itself
//! ```
//!
//! An element in no bin is not counted: one outside the edges, a NaN, one for which `function` returns no bin's number.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let waits = [0.5f32, 2.5, 9.0, 2.0, 10.0, 11.0];
//! let mut counts = [0u32; 5];
//! Histogram::even(0.0..=10.0, 5).run(&device, &waits, &mut counts)?;
//! assert_eq!(counts, [1, 2, 0, 0, 2]); // 10.0 is in the last bin, 11.0 in none
//!
//! let edges = [0.0f32, 1.0, 10.0];
//! let mut tips = [0.0f64; 2];
//! Histogram::edges(&edges).weights(&[1.0, 0.5, 0.25, 2.0, 0.0, 8.0]).run(&device, &waits, &mut tips)?;
//! assert_eq!(tips, [1.0, 2.75]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Edges.** Even bins have the edges of `numpy.linspace`: `low + k * step` in `f64`, rounded to `f32` for elements of
//! that type. An element's bin is found by comparison with these edges, so it is right however near an edge the element
//! is. A range with `low == high` is widened by 0.5 on both sides, as NumPy does.
//!
//! **Cost.** Each element is read once. On CUDA this holds for up to 57,344 bins (counted channels together, compute
//! capability 9.0); with more bins, the elements are read once for each 57,344 of them, from the L2 cache where
//! possible. No distribution of the elements is slow. With float weights all is read twice: the first time for the
//! largest weight of each bin.
//!
//! **Order.** All sums are added up as integers, so the results are the same bits in every run, and on every device.
//! Sums of integer weights wrap. A float weight is rounded towards 0 to a multiple of 2^-(125 - log2 n) of the largest
//! one in its own bin, which changes only weights that are very much smaller. The sum is exact, and rounded once (to
//! `f64`, then to `f32`). The contents of other bins make no difference. Infinities and NaN act as they do in a sum.

use crate::device::{Backend, Device};
use std::ops::RangeInclusive;
use upsweep_core::bins::{self, ByFunction, check_bins};
use upsweep_core::buffer::{Input, Output, View, ViewMut};
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::{Element, Function, Map, Number};
use upsweep_core::steps::Held;
#[cfg(feature = "cuda")]
use upsweep_core::tally::Amount;
#[cfg(feature = "cuda")]
use upsweep_plan::histogram::HistogramJob;

pub use upsweep_core::bins::{BinNumber, Even, MAX_BINS};
pub use upsweep_core::tally::{Count, Weight};

/// Largest number of channels of a pixel.
pub const MAX_CHANNELS: usize = 64;

/// Histogram with its options: see the [module](self) for their formulas. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a histogram does nothing until it is run"]
pub struct Histogram<B, W = Ones> {
    bins: B,
    weights: W,
    channels: (usize, usize),
}

/// Bins of equal width, made by [`Histogram::even`].
#[derive(Clone, Copy, Debug)]
pub struct EvenBins {
    low: f64,
    high: f64,
    bins: usize,
}

/// Bins between neighbouring edges, made by [`Histogram::edges`].
#[derive(Debug)]
pub struct Edges<'a, E: ?Sized>(&'a E);

impl<E: ?Sized> Clone for Edges<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E: ?Sized> Copy for Edges<'_, E> {}

/// Bins whose numbers a function computes, made by [`Histogram::by`].
#[derive(Clone, Copy, Debug)]
pub struct ByBins<F> {
    function: F,
    bins: usize,
}

/// Amount 1 for each element: a bin's result is the number of its elements.
#[derive(Clone, Copy, Debug)]
pub struct Ones;

/// Weight of each element: a bin's result is the sum of its elements' weights.
#[derive(Debug)]
pub struct Weights<'a, W: ?Sized>(&'a W);

impl<W: ?Sized> Clone for Weights<'_, W> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<W: ?Sized> Copy for Weights<'_, W> {}

impl Histogram<EvenBins> {
    /// Makes `bins` bins of equal width, from the start of the range to its end, both included.
    pub fn even(range: RangeInclusive<f64>, bins: usize) -> Self {
        let (low, high) = range.into_inner();
        Self { bins: EvenBins { low, high, bins }, weights: Ones, channels: (1, 1) }
    }
}

impl<'a, E: Input + ?Sized> Histogram<Edges<'a, E>> {
    /// Makes a bin between each edge and the next. Edges have the elements' type, ascend (two may be equal: the bin
    /// between them is empty), and lie where the device computes.
    pub fn edges(edges: &'a E) -> Self {
        Self { bins: Edges(edges), weights: Ones, channels: (1, 1) }
    }
}

impl<F> Histogram<ByBins<F>> {
    /// Puts an element `x` into the bin `function(x)`, an integer; into none if it is negative, or `bins` or more. With
    /// [`Same`](upsweep_core::operator::Same) the elements are the numbers of the bins.
    pub fn by(function: F, bins: usize) -> Self {
        Self { bins: ByBins { function, bins }, weights: Ones, channels: (1, 1) }
    }
}

impl<B> Histogram<B> {
    /// Adds up `weights`, one for each element, instead of counting. They lie where the device computes, and the output
    /// has their type.
    pub fn weights<W: Input + ?Sized>(self, weights: &W) -> Histogram<B, Weights<'_, W>> {
        Histogram { bins: self.bins, weights: Weights(weights), channels: self.channels }
    }
}

impl<B, W> Histogram<B, W> {
    /// Takes an input of pixels of `of` channels side by side, as an RGBA image has 4. The first `counted` channels
    /// have a histogram each, one after the other in the output.
    pub fn channels(mut self, of: usize, counted: usize) -> Self {
        self.channels = (of, counted);
        self
    }

    /// Stores the number of elements of each bin, or the sum of their weights, in `output`. Counts are `u32` or `u64`.
    /// On CUDA the work is enqueued on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Bins`], [`Error::Range`], [`Error::Edges`], [`Error::Channels`] when they break the conditions of
    ///   their options. On CUDA, the next call that waits for the device returns the error for edges that do not
    ///   ascend.
    /// - [`Error::TooFew`] when there are less than two edges; [`Error::Pixels`] when the elements are no whole pixels.
    /// - [`Error::Length`] when the output has not one element for each bin of each counted channel, or the number of
    ///   weights is not that of elements.
    /// - [`Error::Options`] for counts of `u32` of more than `u32::MAX` elements.
    /// - [`Error::Place`], [`Error::Device`], [`Error::Overlap`] as [`Scan::run`](crate::Scan::run).
    pub fn run<I, O>(&self, device: &Device, input: &I, output: &mut O) -> Result<()>
    where
        I: Input + ?Sized,
        O: Output + ?Sized,
        B: Bins<I::Item>,
        W: Amounts<O::Item>,
    {
        let (channels, counted) = self.channels;
        if counted == 0 || counted > channels || channels > MAX_CHANNELS {
            return Err(Error::Channels { channels, counted, most: MAX_CHANNELS });
        }
        let (input, output) = (input.view(), output.view_mut());
        let len = input.len();
        if !len.is_multiple_of(channels) {
            return Err(Error::Pixels { len, channels });
        }
        let bins = self.bins.count()?;
        let (found, expected) = (output.len(), counted * bins);
        if found != expected {
            return Err(Error::Length { what: "output", found, expected });
        }
        self.weights.check(len)?;
        let job = Job { device, input, output, bins, channels: self.channels };
        self.bins.with_rule(Run { job, amounts: &self.weights })
    }
}

/// Call of a histogram, whose options have been checked against its buffers.
#[doc(hidden)]
#[derive(Debug)]
pub struct Job<'a, T, O> {
    device: &'a Device,
    input: View<'a, T>,
    output: ViewMut<'a, O>,
    bins: usize,
    channels: (usize, usize),
}

impl<T: Element, O: Element> Job<'_, T, O> {
    fn slots(&self) -> upsweep_cpu::histogram::Slots {
        let (channels, counted) = self.channels;
        upsweep_cpu::histogram::Slots { bins: self.bins, channels, counted }
    }

    #[cfg(feature = "cuda")]
    fn on_cuda<M: Map<T, Output = u32>>(
        self,
        cuda: &upsweep_cuda::Cuda,
        rule: M,
        edges: Option<View<'_, T>>,
        weights: Option<View<'_, O>>,
        amount: Amount,
    ) -> Result<()> {
        let Self { input, output, bins, channels, .. } = self;
        // A kernel relies on these lengths, and an input that the program implements could return another length than
        // before.
        for (what, found, expected) in [
            ("edges", edges.as_ref().map(View::len), bins + 1),
            ("weights", weights.as_ref().map(View::len), input.len()),
        ] {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(Error::Length { what, found, expected });
            }
        }
        let job = HistogramJob {
            len: input.len(),
            input: size_of::<T>(),
            number: align_of::<T>() == size_of::<T>(),
            bins,
            channels,
            amount,
            by_edges: edges.is_some(),
        };
        upsweep_cuda::histogram::run(cuda, rule, upsweep_cuda::histogram::Call { input, weights, edges, output, job })
    }
}

/// Action that takes a binning rule: a function or edges. Each kind of bins calls the method for its kind of rule.
#[doc(hidden)]
pub trait WithRule<T: Element> {
    /// Runs with a rule that is a function to the number of an element's bin. `quick` is a cheaper function, which may
    /// leave an element's bin unsure.
    fn function<M: Map<T, Output = u32>>(self, rule: M, quick: impl Fn(T) -> u32 + Sync + Copy) -> Result<()>;
    /// Runs with a rule by edges: an element is compared with `edges`.
    fn edges(self, edges: View<'_, T>) -> Result<()>
    where
        T: Number;
}

/// Kind of bins for elements of the type `T`: [`Histogram::even`], [`Histogram::edges`] and [`Histogram::by`] make one.
pub trait Bins<T: Element>: Copy {
    /// Returns the number of bins.
    #[doc(hidden)]
    fn count(&self) -> Result<usize>;
    #[doc(hidden)]
    fn with_rule<R: WithRule<T>>(&self, run: R) -> Result<()>;
}

impl<T: Even> Bins<T> for EvenBins {
    fn count(&self) -> Result<usize> {
        check_bins(self.bins)
    }
    fn with_rule<R: WithRule<T>>(&self, run: R) -> Result<()> {
        let rule = T::rule(self.low, self.high, self.bins)?;
        run.function(rule, move |x| T::quick(&rule, x))
    }
}

impl<E: Input + ?Sized> Bins<E::Item> for Edges<'_, E>
where
    E::Item: Number,
{
    fn count(&self) -> Result<usize> {
        let found = self.0.view().len();
        if found < 2 {
            return Err(Error::TooFew { what: "edges", found, least: 2 });
        }
        check_bins(found - 1)
    }
    fn with_rule<R: WithRule<E::Item>>(&self, run: R) -> Result<()> {
        run.edges(self.0.view())
    }
}

impl<T: Element, F: Function<(T,), Output: BinNumber>> Bins<T> for ByBins<F> {
    fn count(&self) -> Result<usize> {
        check_bins(self.bins)
    }
    fn with_rule<R: WithRule<T>>(&self, run: R) -> Result<()> {
        let rule = ByFunction(self.function);
        run.function(rule, move |x| rule.apply(x, 0))
    }
}

/// Amount of each element, 1 or its weight, added up and stored as `O`.
pub trait Amounts<O: Element>: Copy {
    /// Checks that there are `len` weights, or that counts of `len` elements fit the type `O`.
    ///
    /// # Errors
    /// [`Error::Length`] if there are not `len` weights, [`Error::Options`] if counts of `len` elements may not fit
    /// `O`.
    #[doc(hidden)]
    fn check(&self, len: usize) -> Result<()>;
    #[doc(hidden)]
    fn run<T: Element, M: Map<T, Output = u32>>(
        &self,
        job: Job<'_, T, O>,
        rule: Rule<'_, T, M>,
        quick: impl Fn(T) -> u32 + Sync + Copy,
        exact: impl Fn(T) -> u32 + Sync + Copy,
    ) -> Result<()>;
}

/// Binning rule in the form that CUDA takes: a map from elements to numbers of bins, or edges.
#[doc(hidden)]
#[derive(Debug)]
pub struct Rule<'a, T, M> {
    map: M,
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "on the CPU a function knows them"))]
    edges: Option<View<'a, T>>,
}

impl<T: Element, M: Map<T, Output = u32>> Rule<'_, T, M> {
    /// Refuses functions that capture more than a kernel has room for, on the CPU as on CUDA.
    fn check(&self) -> Result<()> {
        Held::nothing().add_function::<M>(|values| self.map.values(values))
    }
}

impl<O: Count> Amounts<O> for Ones {
    fn check(&self, len: usize) -> Result<()> {
        if len as u64 > O::MOST {
            let reason = "a bin may have more elements than u32 holds: give an output of u64";
            return Err(Error::Options { options: "a histogram of u32", reason });
        }
        Ok(())
    }

    fn run<T: Element, M: Map<T, Output = u32>>(
        &self,
        job: Job<'_, T, O>,
        rule: Rule<'_, T, M>,
        quick: impl Fn(T) -> u32 + Sync + Copy,
        exact: impl Fn(T) -> u32 + Sync + Copy,
    ) -> Result<()> {
        match &job.device.0 {
            Backend::Cpu => {
                rule.check()?;
                let slots = job.slots();
                upsweep_cpu::histogram::count(
                    job.input.on_host("input")?,
                    slots,
                    (quick, exact),
                    job.output.into_host("output")?,
                )
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => job.on_cuda(cuda, rule.map, rule.edges, None, Amount::One),
        }
    }
}

impl<O: Weight, W: Input<Item = O> + ?Sized> Amounts<O> for Weights<'_, W> {
    fn check(&self, len: usize) -> Result<()> {
        let found = self.0.view().len();
        if found != len {
            return Err(Error::Length { what: "weights", found, expected: len });
        }
        Ok(())
    }

    fn run<T: Element, M: Map<T, Output = u32>>(
        &self,
        job: Job<'_, T, O>,
        rule: Rule<'_, T, M>,
        quick: impl Fn(T) -> u32 + Sync + Copy,
        exact: impl Fn(T) -> u32 + Sync + Copy,
    ) -> Result<()> {
        let weights = self.0.view();
        match &job.device.0 {
            Backend::Cpu => {
                rule.check()?;
                let (slots, weights) = (job.slots(), weights.on_host("weights")?);
                upsweep_cpu::histogram::sum(
                    job.input.on_host("input")?,
                    weights,
                    slots,
                    (quick, exact),
                    job.output.into_host("output")?,
                )
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => job.on_cuda(cuda, rule.map, rule.edges, Some(weights), O::AMOUNT),
        }
    }
}

/// Action that runs `job` with the binning rule it is given.
struct Run<'a, 'j, T, O, W> {
    job: Job<'j, T, O>,
    amounts: &'a W,
}

impl<T: Element, O: Element, W: Amounts<O>> WithRule<T> for Run<'_, '_, T, O, W> {
    fn function<M: Map<T, Output = u32>>(self, rule: M, quick: impl Fn(T) -> u32 + Sync + Copy) -> Result<()> {
        self.amounts.run(self.job, Rule { map: rule, edges: None }, quick, move |x| rule.apply(x, 0))
    }

    fn edges(self, edges: View<'_, T>) -> Result<()>
    where
        T: Number,
    {
        match &self.job.device.0 {
            Backend::Cpu => {
                let host = edges.on_host("edges")?;
                if let Some(index) = bins::descends(host) {
                    return Err(Error::Edges { index });
                }
                self.amounts.run(
                    self.job,
                    Rule { map: bins::NoRule, edges: None },
                    |x| bins::between(host, x),
                    |x| bins::between(host, x),
                )
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(_) => {
                let nowhere = |_| bins::OUTSIDE;
                self.amounts.run(self.job, Rule { map: bins::NoRule, edges: Some(edges) }, nowhere, nowhere)
            }
        }
    }
}
