//! Histogram: the number of elements in each bin, or the sum of their weights.
//!
//! ```text
//! even(low..=high, bins)    bins of the same width: numpy.histogram(x, bins, range=(low, high)), to the element
//! edges(&edges)             bin k has edges[k] <= x < edges[k + 1], the last one also its upper edge
//! by(function, bins)        bin function(x)
//! weights(&w)               the sum of w[i] instead of the number of elements
//! channels(of, counted)     pixels of `of` channels side by side, the first `counted` of them counted each for itself
//! axis, segments            a histogram of each row of a row-major array, or of each segment, one after the other
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
//! ```
//! use upsweep::operator::Same;
//! use upsweep::prelude::*;
//!
//! let (dice, throws) = ([1u8, 1, 2, 0, 2, 2], [0u32, 2, 2, 6]);
//! let counts: Vec<u32> = Histogram::by(Same, 3).segments(Segments::Offsets(&throws)).run_to_vec(&Device::cpu(), &dice)?;
//! assert_eq!(counts, [0, 2, 0, 0, 0, 0, 1, 0, 3]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! Other operators than sums, and several at once, are in [`reduce_by_code`](crate::reduce_by_code). An array may come in
//! parts: [`carry`](crate::carry).
//!
//! **Edges.** Even bins have the edges of `numpy.linspace`: `low + k * step` in `f64`, rounded to `f32` for elements of
//! that type. An element's bin is found by comparison with these edges, so it is right however near an edge the element
//! is. A range with `low == high` is widened by 0.5 on both sides, as NumPy does.
//!
//! **Cost.** Each element is read once. On CUDA this holds for up to 57,344 bins (counted channels together, compute
//! capability 9.0); with more bins, the elements are read once for each 57,344 of them, from the L2 cache where
//! possible. No distribution of the elements is slow. A row or segment has blocks of its own on CUDA, and a thread on the
//! CPU; the host waits for the offsets of segments. With float weights all is read twice: the first time for the
//! largest weight of each bin. An input that is no buffer is computed into memory of the device first, by a pass of a
//! [`Transform`](crate::Transform).
//!
//! **Order.** All sums are added up as integers, so the results are the same bits in every run, and on every device.
//! Sums of integer weights wrap. A float weight is rounded towards 0 to a multiple of 2^-(125 - log2 n) of the largest
//! one in its own bin, which changes only weights that are very much smaller. The sum is exact, and rounded once (to
//! `f64`, then to `f32`). The contents of other bins make no difference. Infinities and NaN act as they do in a sum.

mod amounts;
mod rules;

pub use self::amounts::{Amounts, Job, Ones, Rule, Weights};
pub use self::rules::{Bins, ByBins, Edges, EvenBins, WithRule};
use crate::array::Array;
use crate::bounds::bounds;
use crate::buffered::of_known_length;
use crate::device::Device;
use amounts::Run;
use std::ops::RangeInclusive;
use upsweep_core::buffer::{Input, Output, View, ViewMut};
use upsweep_core::call::sort::{Cut, Lines, Parting};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::Element;
use upsweep_core::segments::{Offset, Offsets, Whole};
use upsweep_core::shape::Shape;

pub use upsweep_core::bins::{BinNumber, Even, MAX_BINS};
pub use upsweep_core::tally::{Count, Weight};

/// Largest number of channels of a pixel.
pub const MAX_CHANNELS: usize = 64;

/// Histogram with its options: see the [module](self) for their formulas. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a histogram does nothing until it is run"]
pub struct Histogram<B, W = Ones, G = Whole> {
    pub(crate) bins: B,
    pub(crate) weights: W,
    pub(crate) channels: (usize, usize),
    parts: G,
}

impl Histogram<EvenBins> {
    /// Makes `bins` bins of equal width, from the start of the range to its end, both included.
    pub fn even(range: RangeInclusive<f64>, bins: usize) -> Self {
        let (low, high) = range.into_inner();
        Self { bins: EvenBins { low, high, bins }, weights: Ones, channels: (1, 1), parts: Whole }
    }
}

impl<'a, E: Input + ?Sized> Histogram<Edges<'a, E>> {
    /// Makes a bin between each edge and the next. Edges have the elements' type, ascend (two may be equal: the bin
    /// between them is empty), and lie where the device computes.
    pub fn edges(edges: &'a E) -> Self {
        Self { bins: Edges(edges), weights: Ones, channels: (1, 1), parts: Whole }
    }
}

impl<F> Histogram<ByBins<F>> {
    /// Puts an element `x` into the bin `function(x)`, an integer; into none if it is negative, or `bins` or more. Of
    /// several inputs the function takes an argument each. With
    /// [`Same`](upsweep_core::operator::Same) the elements are the numbers of the bins.
    pub fn by(function: F, bins: usize) -> Self {
        Self { bins: ByBins { function, bins }, weights: Ones, channels: (1, 1), parts: Whole }
    }
}

impl<B, G> Histogram<B, Ones, G> {
    /// Adds up `weights`, one for each element, instead of counting. They lie where the device computes, and the output
    /// has their type.
    pub fn weights<W: Input + ?Sized>(self, weights: &W) -> Histogram<B, Weights<'_, W>, G> {
        let Self { bins, channels, parts, .. } = self;
        Histogram { bins, weights: Weights(weights), channels, parts }
    }
}

impl<B, W, G> Histogram<B, W, G> {
    /// Makes a histogram of each line along the last axis of a row-major array of this `shape`: `axis` must be the last
    /// one. A row has its bins side by side in the output.
    pub fn axis(self, shape: &[usize], axis: usize) -> Histogram<B, W, Lines<'_>> {
        self.parted(Lines { shape, axis })
    }

    /// Makes a histogram of each segment: segment `s` is the elements `offsets[s] .. offsets[s + 1]`, and has its bins side
    /// by side in the output.
    pub fn segments<N>(self, segments: Offsets<'_, N>) -> Histogram<B, W, Offsets<'_, N>>
    where
        N: Input<Item: Offset> + ?Sized,
    {
        self.parted(segments)
    }

    fn parted<N>(self, parts: N) -> Histogram<B, W, N> {
        let Self { bins, weights, channels, .. } = self;
        Histogram { bins, weights, channels, parts }
    }
}

impl<B, W, G: Parting> Histogram<B, W, G> {
    /// Takes an input of pixels of `of` channels side by side, as an RGBA image has 4. The first `counted` channels
    /// have a histogram each, one after the other in the output.
    pub fn channels(mut self, of: usize, counted: usize) -> Self {
        self.channels = (of, counted);
        self
    }

    /// Stores the number of elements of each bin, or the sum of their weights, in `output`. Counts are `u32` or `u64`.
    /// On CUDA the work is enqueued on the device's stream and the call returns at once. That of rows and segments uploads
    /// a list of them, and waits for that, and for the offsets of segments: it cannot be captured in a graph.
    ///
    /// # Errors
    /// - [`Error::Bins`], [`Error::Range`], [`Error::Edges`], [`Error::Channels`] when they break the conditions of
    ///   their options. On CUDA, the next call that waits for the device returns the error for edges that do not
    ///   ascend.
    /// - [`Error::TooFew`] when there are less than two edges; [`Error::Pixels`] when the elements are no whole pixels.
    /// - [`Error::Length`] when the output has not one element for each bin of each counted channel, of each row or
    ///   segment; or the number of weights is not that of elements.
    /// - [`Error::Shape`], [`Error::Axis`], [`Error::Options`] when the shape is not the input's, or the axis not its last;
    ///   [`Error::Offsets`] when the offsets of segments do not ascend from 0 to the number of elements.
    /// - [`Error::Options`] for counts of `u32` of more than `u32::MAX` elements, and for a counted input.
    /// - The errors of a [`Transform`](crate::Transform) of an input that is no buffer.
    /// - [`Error::Place`], [`Error::Device`], [`Error::Overlap`] as [`Scan::run`](crate::Scan::run).
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x>,
        O: Output + ?Sized,
        B: Bins<X::Value, X::Args>,
        W: Amounts<O::Item>,
    {
        let input = of_known_length(device, input)?;
        self.dispatch::<X::Value, X::Args, O::Item>(device, input.room(), output.view_mut())
    }

    /// Runs like [`run`](Self::run), into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, O>(&self, device: &Device, input: X) -> Result<Array<O>>
    where
        X: Inputs<'x>,
        O: Element,
        B: Bins<X::Value, X::Args>,
        W: Amounts<O>,
    {
        let input = of_known_length(device, input)?;
        let mut output = device.to_be_written(self.results_of::<X::Value, X::Args>(input.room().len())?.1)?;
        self.dispatch::<X::Value, X::Args, O>(device, input.room(), output.view_mut())?;
        Ok(output)
    }

    /// Runs like [`run`](Self::run), into a vector on the host. On CUDA this waits for it.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// #[function]
    /// fn face(x: u8) -> u8 {
    ///     x
    /// }
    ///
    /// let dice = [3u8, 6, 1, 6, 6];
    /// let counts: Vec<u32> = Histogram::by(Face, 7).run_to_vec(&Device::cpu(), &dice)?;
    /// assert_eq!(counts, [0, 1, 0, 1, 0, 0, 3]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, O>(&self, device: &Device, input: X) -> Result<Vec<O>>
    where
        X: Inputs<'x>,
        O: Element,
        B: Bins<X::Value, X::Args>,
        W: Amounts<O>,
    {
        device.refuse_in_capture("reading a histogram")?;
        self.run_to_array(device, input)?.into_vec()
    }

    /// Checks the channels and the bins, and returns the number of bins of a channel, and that of all results.
    pub(crate) fn results<T, A>(&self) -> Result<(usize, usize)>
    where
        T: Element,
        B: Bins<T, A>,
    {
        let (channels, counted) = self.channels;
        if counted == 0 || counted > channels || channels > MAX_CHANNELS {
            return Err(Error::Channels { channels, counted, most: MAX_CHANNELS });
        }
        let bins = Bins::<T, A>::count(&self.bins)?;
        Ok((bins, counted * bins))
    }

    /// As [`results`](Self::results), of all rows or segments of `len` elements.
    fn results_of<T, A>(&self, len: usize) -> Result<(usize, usize)>
    where
        T: Element,
        B: Bins<T, A>,
    {
        let (bins, of_each) = self.results::<T, A>()?;
        let rows = match self.parts.cut(len)? {
            Cut::Whole => 1,
            Cut::Lines(Shape { outer, inner: 1, .. }) => outer,
            Cut::Lines(_) => {
                let reason = "the elements of a row lie side by side, along the last axis: transpose the array first";
                return Err(Error::Options { options: "the axis of a histogram", reason });
            }
            Cut::Offsets(offsets) => offsets.len().saturating_sub(1),
        };
        Ok((bins, of_each.saturating_mul(rows)))
    }

    pub(crate) fn dispatch<T, A, O>(&self, device: &Device, input: View<'_, T>, output: ViewMut<'_, O>) -> Result<()>
    where
        T: Element,
        O: Element,
        B: Bins<T, A>,
        W: Amounts<O>,
    {
        let (len, channels) = (input.len(), self.channels.0);
        let (bins, expected) = self.results_of::<T, A>(len)?;
        let bounds = bounds(device, &self.parts, len)?;
        for row in 0..if channels == 1 { 0 } else { bounds.count() } {
            let len = bounds.range(row).len();
            if !len.is_multiple_of(channels) {
                return Err(Error::Pixels { len, channels });
            }
        }
        let found = output.len();
        if found != expected {
            return Err(Error::Length { what: "output", found, expected });
        }
        self.weights.check(0, len)?;
        let job = Job { device, input, output, bins, channels: self.channels, bounds };
        Bins::<T, A>::with_rule(&self.bins, Run { job, amounts: &self.weights })
    }
}
