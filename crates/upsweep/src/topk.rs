//! Top-k: the largest or smallest elements, or their indices.
//!
//! ```text
//! largest(k)       the k largest, in the order of the input           smallest(k)
//! sorted           the largest first; of smallest, the smallest first
//! indices          where they are instead                            with_indices     both
//! axis             those of each row
//! segments         those of each segment: of segment s at s k .. (s + 1) k
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let scores = [0.5f32, 9.0, 2.5, 9.0, 7.0];
//! let (mut best, mut who) = ([0.0; 3], [0u32; 3]);
//! TopK::largest(3).with_indices().run(&device, &scores, (&mut best, &mut who))?;
//! assert_eq!((best, who), ([9.0, 9.0, 7.0], [1, 3, 4]));
//! TopK::smallest(3).sorted().indices().run(&device, &scores, &mut who)?;
//! assert_eq!(who, [0, 2, 4]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Order.** By [`Key`]: of floats `-0` equals `+0`, and NaN is last both for the largest and for the smallest, so NaN
//! are among the results only if there are not enough numbers. Of equal elements the first are taken, and sorted
//! results keep their order. So the results are the same in every run, on every device.
//!
//! **Segments.** A segment may have fewer than `k` elements. Then [`or`](TopK::or) says what stands for those that are
//! missing, behind the others; without it such a segment is an error.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let (sales, of_shops) = ([5u32, 9, 7, 4, 8], [0u32, 3, 3, 5]);
//! let best = TopK::largest(2).sorted().segments(Segments::Offsets(&of_shops)).or(0);
//! assert_eq!(best.run_to_vec(&Device::cpu(), &sales)?, [9, 7, 0, 0, 8, 4]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Cost.** On CUDA one reading of the input for a few results in a thousand elements, and two for more. A sample of
//! 16,384 keys gives a guess of the two keys that the last result lies between. If the guess misses, as it does with
//! very many equal keys, each further reading finds 11 bits of a key. For rows of up to 16,384 elements, and for as
//! many rows as half the multiprocessors, a block takes a row, and goes over it once for each byte of a key, and once
//! more. On the CPU three readings, and scratch memory for the results and their places. An input that is no buffer is
//! computed into memory of the device first, by a pass of a [`Transform`](crate::Transform). Segments are rows of
//! different lengths on the CPU. On CUDA they are sorted with the places of their elements, and the host waits for
//! their offsets.
//!
//! Source: Alabi, Blanchard, Gordon and Steinbach, "Fast k-Selection Algorithms for Graphics Processing Units", 2012.

#[cfg(feature = "cuda")]
mod segments;

use crate::array::Array;
use crate::bounds::bounds;
use crate::buffered::of_known_length;
use crate::device::{Backend, Device};
use std::marker::PhantomData;
use upsweep_core::buffer::{Input, Output, View};
use upsweep_core::call::bounds::{Bounds, Or, Short};
use upsweep_core::call::select::{Indices, Values};
use upsweep_core::call::sort::{Cut, Lines, Parting};
use upsweep_core::call::topk::Ranking;
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::key::{Index, Key};
use upsweep_core::outputs::Target;
use upsweep_core::segments::{Offset, Offsets, Whole};
use upsweep_core::shape::Shape;

/// Top-k with its options: see the [module](self) for their formulas. Build it once, run it often.
///
/// `W` is the kind of its results: [`Values`], [`Indices`] or [`ValuesAndIndices`].
#[derive(Clone, Copy, Debug)]
#[must_use = "a top-k does nothing until it is run"]
pub struct TopK<W = Values, G = Whole> {
    k: usize,
    descending: bool,
    sorted: bool,
    parts: G,
    stores: PhantomData<W>,
}

/// Results of a [`TopK`]: the elements, and their indices.
#[derive(Clone, Copy, Debug)]
pub struct ValuesAndIndices;

impl TopK {
    /// Selects the `k` largest elements.
    pub fn largest(k: usize) -> Self {
        Self { k, descending: true, sorted: false, parts: Whole, stores: PhantomData }
    }

    /// Selects the `k` smallest elements.
    pub fn smallest(k: usize) -> Self {
        Self { descending: false, ..Self::largest(k) }
    }
}

impl<G> TopK<Values, G> {
    /// Stores the indices of the elements instead of the elements: `u32`, `u64` or `usize`, from 0 on in each row or
    /// segment.
    pub fn indices(self) -> TopK<Indices, G> {
        self.storing()
    }

    /// Stores the elements and their indices.
    pub fn with_indices(self) -> TopK<ValuesAndIndices, G> {
        self.storing()
    }

    fn storing<V>(self) -> TopK<V, G> {
        let Self { k, descending, sorted, parts, .. } = self;
        TopK { k, descending, sorted, parts, stores: PhantomData }
    }
}

impl<W, G> TopK<W, G> {
    /// Sorts the results: the largest first for the largest, the smallest first for the smallest. Equal elements stay
    /// in the order of the input.
    pub fn sorted(self) -> Self {
        Self { sorted: true, ..self }
    }

    /// Selects from each line along the last axis of a row-major array of this `shape`: `axis` must be the last one.
    pub fn axis(self, shape: &[usize], axis: usize) -> TopK<W, Lines<'_>> {
        self.parted(Lines { shape, axis })
    }

    /// Selects from each segment: see the [module](self).
    pub fn segments<B: Input<Item: Offset> + ?Sized>(self, segments: Offsets<'_, B>) -> TopK<W, Offsets<'_, B>> {
        self.parted(segments)
    }

    fn parted<N>(self, parts: N) -> TopK<W, N> {
        let Self { k, descending, sorted, stores, .. } = self;
        TopK { k, descending, sorted, parts, stores }
    }
}

impl<'a, W, B: ?Sized> TopK<W, Offsets<'a, B>> {
    /// Stores `value` for each element that a segment has too few of. The index there is the largest of its type.
    pub fn or<V>(self, value: V) -> TopK<W, Or<Offsets<'a, B>, V>> {
        let Self { k, descending, sorted, parts, stores } = self;
        TopK { k, descending, sorted, parts: Or(parts, value), stores }
    }
}

impl<W, G: Parting> TopK<W, G> {
    /// Checks the axis and `k`, and returns the number of rows or segments that `len` elements are.
    fn rows(&self, len: usize) -> Result<usize> {
        let shape = match self.parts.cut(len)? {
            Cut::Whole => Shape::line(len),
            Cut::Lines(shape) => shape,
            Cut::Offsets(offsets) => return Ok(offsets.len().saturating_sub(1)),
        };
        if shape.inner != 1 {
            let reason = "the elements of a row lie side by side, along the last axis: transpose the array first";
            return Err(Error::Options { options: "the axis of a top-k", reason });
        }
        if self.k > shape.len {
            return Err(Error::Rank { what: "the first", rank: self.k, len: shape.len });
        }
        Ok(shape.outer)
    }

    /// Returns the number of results of all rows of `len` elements.
    fn results(&self, len: usize) -> Result<usize> {
        Ok(self.rows(len)?.saturating_mul(self.k))
    }

    fn dispatch<K: Key, I: Index>(
        &self,
        device: &Device,
        keys: View<'_, K>,
        values: Option<Target<'_, K>>,
        indices: Option<Target<'_, I>>,
    ) -> Result<()>
    where
        G: Short<K>,
    {
        let expected = self.results(keys.len())?;
        let lengths =
            [("output", values.as_ref().map(Target::len)), ("output of indices", indices.as_ref().map(Target::len))];
        for (what, found) in lengths {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(Error::Length { what, found, expected });
            }
        }
        let bounds = bounds(device, &self.parts, keys.len())?;
        let (longest, instead) = (bounds.longest(), self.parts.instead());
        if indices.is_some() && longest as u64 > I::MOST {
            let reason = "a row has more elements than the indices' type counts: take u64";
            return Err(Error::Options { options: "indices", reason });
        }
        if let (Bounds::Segments(_), None) = (&bounds, &instead) {
            bounds.expect(self.k)?;
        }
        let Self { k, descending, sorted, .. } = *self;
        let call = Ranking { keys, bounds: &bounds, rank: k, descending, sorted, instead, values, indices };
        match &device.0 {
            Backend::Cpu => upsweep_cpu::topk::run(&call),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => match &bounds {
                Bounds::Lines(shape) => upsweep_cuda::topk::run(cuda, call, shape.outer),
                Bounds::Segments(offsets) => segments::run(device, offsets, call),
            },
        }
    }
}

impl<G: Parting> TopK<Values, G> {
    /// Stores the elements in `output`: `k` of the array, or of each row or segment. On CUDA the work is enqueued on the
    /// device's stream and the call returns at once, except that of segments, whose offsets it waits for: that cannot be
    /// captured in a graph.
    ///
    /// # Errors
    /// - [`Error::Rank`]: the array or a row has fewer than `k` elements
    /// - [`Error::Length`]: the length of `output` is not the number of results
    /// - [`Error::Segment`]: a segment has fewer than `k` elements, and there is no [`or`](Self::or);
    ///   [`Error::Offsets`] when the offsets do not ascend from 0 to the number of elements
    /// - [`Error::Shape`], [`Error::Axis`], [`Error::Options`]: the shape is not the input's, or the axis not its last
    /// - the errors of a [`Transform`](crate::Transform) of an input that is no buffer; [`Error::Options`] for a counted
    ///   one
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::OutOfMemory`], [`Error::Compile`], [`Error::Driver`]: there is no scratch memory; failures of CUDA
    ///   itself
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x, Value: Key>,
        G: Short<X::Value>,
        O: Output<Item = X::Value> + ?Sized,
    {
        let input = of_known_length(device, input)?;
        self.dispatch::<X::Value, u32>(device, input.room(), Some(Target::new(output.view_mut())), None)
    }

    /// Stores the elements in a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X>(&self, device: &Device, input: X) -> Result<Array<X::Value>>
    where
        X: Inputs<'x, Value: Key>,
        G: Short<X::Value>,
    {
        let input = of_known_length(device, input)?;
        let (keys, results) = (input.room(), self.results(input.room().len())?);
        device.compute_array(results, |output| self.dispatch::<X::Value, u32>(device, keys, Some(output), None))
    }

    /// Returns the elements on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X>(&self, device: &Device, input: X) -> Result<Vec<X::Value>>
    where
        X: Inputs<'x, Value: Key>,
        G: Short<X::Value>,
    {
        device.refuse_in_capture("reading the results of a top-k")?;
        self.run_to_array(device, input)?.into_vec()
    }
}

impl<G: Parting> TopK<Indices, G> {
    /// Stores the indices of the elements in `output`. On CUDA the work is enqueued on the device's stream and the call
    /// returns at once.
    ///
    /// # Errors
    /// As [`TopK::run`]; [`Error::Options`] when a row has more elements than the indices' type counts.
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x, Value: Key>,
        G: Short<X::Value>,
        O: Output<Item: Index> + ?Sized,
    {
        let input = of_known_length(device, input)?;
        self.dispatch::<X::Value, O::Item>(device, input.room(), None, Some(Target::new(output.view_mut())))
    }

    /// Stores the indices of the elements in a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, O>(&self, device: &Device, input: X) -> Result<Array<O>>
    where
        X: Inputs<'x, Value: Key>,
        G: Short<X::Value>,
        O: Index,
    {
        let input = of_known_length(device, input)?;
        let (keys, results) = (input.room(), self.results(input.room().len())?);
        device.compute_array(results, |output| self.dispatch::<X::Value, O>(device, keys, None, Some(output)))
    }

    /// Returns the indices of the elements on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, O>(&self, device: &Device, input: X) -> Result<Vec<O>>
    where
        X: Inputs<'x, Value: Key>,
        G: Short<X::Value>,
        O: Index,
    {
        device.refuse_in_capture("reading the results of a top-k")?;
        self.run_to_array(device, input)?.into_vec()
    }
}

impl<G: Parting> TopK<ValuesAndIndices, G> {
    /// Stores the elements and their indices in the outputs. On CUDA the work is enqueued on the device's stream and
    /// the call returns at once.
    ///
    /// # Errors
    /// As [`TopK::run`]; [`Error::Options`] when a row has more elements than the indices' type counts.
    pub fn run<'x, X, V, O>(&self, device: &Device, input: X, output: (&mut V, &mut O)) -> Result<()>
    where
        X: Inputs<'x, Value: Key>,
        G: Short<X::Value>,
        V: Output<Item = X::Value> + ?Sized,
        O: Output<Item: Index> + ?Sized,
    {
        let input = of_known_length(device, input)?;
        let (values, indices) = (Target::new(output.0.view_mut()), Target::new(output.1.view_mut()));
        self.dispatch(device, input.room(), Some(values), Some(indices))
    }

    /// Stores the elements and their indices in two new arrays on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_arrays<'x, X, O>(&self, device: &Device, input: X) -> Result<(Array<X::Value>, Array<O>)>
    where
        X: Inputs<'x, Value: Key>,
        G: Short<X::Value>,
        O: Index,
    {
        let input = of_known_length(device, input)?;
        let (keys, results) = (input.room(), self.results(input.room().len())?);
        device.compute_two(results, |values, indices| self.dispatch(device, keys, Some(values), Some(indices)))
    }

    /// Returns the elements and their indices on the host. On CUDA this waits for them.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let best = TopK::largest(2).sorted().with_indices();
    /// let found: (Vec<f32>, Vec<u32>) = best.run_to_vecs(&Device::cpu(), &[0.5f32, 3.0, 2.0, 9.0])?;
    /// assert_eq!(found, (vec![9.0, 3.0], vec![3, 1]));
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vecs<'x, X, O>(&self, device: &Device, input: X) -> Result<(Vec<X::Value>, Vec<O>)>
    where
        X: Inputs<'x, Value: Key>,
        G: Short<X::Value>,
        O: Index,
    {
        device.refuse_in_capture("reading the results of a top-k")?;
        let (values, indices) = self.run_to_arrays(device, input)?;
        Ok((values.into_vec()?, indices.into_vec()?))
    }
}
