//! Nth: order statistics, exact and without sorting: the elements at given ranks, quantiles and the median.
//!
//! ```text
//! at(&places)           the element that would be at each place, from 0 on, if all were sorted    (numpy.partition)
//! quantiles(&shares)    the ceil(q n)-th smallest for each share q of 0 to 1                      (method "inverted_cdf")
//! median()              that of the share 0.5: of an even number of elements the lower of the two in the middle
//! interpolated()        what is at the place q (n - 1), between two elements, as f64              (method "linear", the default)
//! axis, segments        those of each line along that axis, or of each segment
//! in_chunks()           the same of elements that come in chunks, and come again: longer than memory
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let latencies = [12.0f32, 3.5, 80.0, 4.0, 5.5];
//! assert_eq!(Nth::median().run_to_vec(&device, &latencies)?, [5.5]);
//! assert_eq!(Nth::quantiles(&[0.0, 0.9]).run_to_vec(&device, &latencies)?, [3.5, 80.0]);
//! assert_eq!(Nth::at(&[1, 3]).run_to_vec(&device, &latencies)?, [4.0, 12.0]);
//! assert_eq!(Nth::median().interpolated().run_to_vec(&device, &[4u8, 1, 3, 2])?, [2.5]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Lines and segments.** The axis of the input has the places, or shares, in the result: `[rows, columns]` along axis 0
//! gives `[places, columns]`. A segment has its results side by side. It may have no element at a place: then
//! [`or`](Nth::or) says what stands there, and without it such a segment is an error.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let table = [5.0f32, 1.0, 2.0, 9.0, 4.0, 3.0];
//! assert_eq!(Nth::median().axis(&[3, 2], 0).run_to_vec(&device, &table)?, [4.0, 3.0]);
//! let medians = Nth::median().interpolated().segments(Segments::Offsets(&[0u32, 4, 4, 6])).or(f64::NAN);
//! let medians = medians.run_to_vec(&device, &table)?;
//! assert!(medians[0] == 3.5 && medians[1].is_nan() && medians[2] == 3.5);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Order.** By [`Key`]: NaN come after all numbers. Zeros are equal whatever their signs; at the rank of a zero the
//! result is the zero that a stable sort puts there.
//!
//! **Interpolated.** The place of the quantile `q` among `n` sorted elements, the index `q (n - 1)`, is rounded to
//! `f64`, so the quantile 0.7 of 101 elements is the one with 70 before it. Between its two neighbours the value is
//! exact, and rounded once: see [`Between`]. So values never descend with `q`, and no integer of 64 bits is wrong. A
//! NaN among the elements makes every value NaN; otherwise a value is NaN only where a place lies between both
//! infinities. (numpy.quantile has NaN beside one infinity, infinities for the halves of two large numbers, and wraps
//! integers.)
//!
//! **Cost.** On CUDA, for each place, one reading of the input and of some hundredths of it; see [`topk`](crate::topk).
//! On the CPU also one reading for a single place, and mostly two for any number of them, with memory for an eighth of
//! the input at most. Where the result is a zero, and zeros of both signs exist, one more reading finds its sign, on
//! CUDA by one block. Lines and segments are sorted on CUDA, and the host waits for the offsets of segments; on the CPU
//! each is a thread's. An input that is no buffer is computed into memory of the device first, by a pass of a
//! [`Transform`](crate::Transform).

#[cfg(feature = "cuda")]
mod of_sorted;
mod readings;
mod wanted;

pub use self::readings::Readings;
use self::wanted::Wanted;
use crate::array::Array;
use crate::bounds::bounds;
use crate::buffered::of_known_length;
use crate::device::{Backend, Device};
use std::marker::PhantomData;
use upsweep_core::between::{Between, Interpolate, Parts};
use upsweep_core::buffer::{Input, Output, View};
use upsweep_core::call::bounds::{Bounds, Or, Short};
use upsweep_core::call::sort::{Cut, Lines, Parting};
use upsweep_core::call::topk::AtRanks;
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::key::Key;
use upsweep_core::memory;
use upsweep_core::outputs::Target;
use upsweep_core::segments::{Offset, Offsets, Whole};

/// Elements at given ranks: see the [module](self). Build it once, run it often.
///
/// `R` is the kind of its results: [`Elements`], or values between them, [`Interpolated`].
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Nth<'a, R = Elements, G = Whole> {
    wanted: Wanted<'a>,
    parts: G,
    gives: PhantomData<R>,
}

/// Results of an [`Nth`]: elements.
#[derive(Clone, Copy, Debug)]
pub struct Elements;

/// Results of an [`Nth`]: values between elements, as `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Interpolated;

impl<'a> Nth<'a> {
    /// Selects the elements that would be at the indices `places`, from 0 on, if all were sorted.
    pub fn at(places: &'a [usize]) -> Self {
        Self { wanted: Wanted::Places(places), parts: Whole, gives: PhantomData }
    }

    /// Selects for each share `q` from 0 to 1 the `ceil(q n)`-th smallest element.
    pub fn quantiles(shares: &'a [f64]) -> Self {
        Self { wanted: Wanted::Shares(shares), parts: Whole, gives: PhantomData }
    }
}

impl Nth<'static> {
    /// Selects the element in the middle; the lower of two if the number of elements is even.
    pub fn median() -> Self {
        Self { wanted: Wanted::Shares(&[0.5]), parts: Whole, gives: PhantomData }
    }
}

impl<'a, G> Nth<'a, Elements, G> {
    /// Computes the values between the two neighbours of the place `share * (n - 1)`, by linear interpolation: see the
    /// [module](self).
    pub fn interpolated(self) -> Nth<'a, Interpolated, G> {
        Nth { wanted: self.wanted, parts: self.parts, gives: PhantomData }
    }
}

impl<'a, R, G> Nth<'a, R, G> {
    /// Selects from each line along `axis` (counted from 0) of a row-major array of this `shape`: see the
    /// [module](self).
    pub fn axis<'b>(self, shape: &'b [usize], axis: usize) -> Nth<'a, R, Lines<'b>> {
        Nth { wanted: self.wanted, parts: Lines { shape, axis }, gives: PhantomData }
    }

    /// Selects from each segment: see the [module](self).
    pub fn segments<'b, B>(self, segments: Offsets<'b, B>) -> Nth<'a, R, Offsets<'b, B>>
    where
        B: Input<Item: Offset> + ?Sized,
    {
        Nth { wanted: self.wanted, parts: segments, gives: PhantomData }
    }
}

impl<'a, 'b, R, B: ?Sized> Nth<'a, R, Offsets<'b, B>> {
    /// Stores `value` where a segment has no element.
    pub fn or<V>(self, value: V) -> Nth<'a, R, Or<Offsets<'b, B>, V>> {
        Nth { wanted: self.wanted, parts: Or(self.parts, value), gives: PhantomData }
    }
}

impl<R, G: Parting> Nth<'_, R, G> {
    /// Returns the number of results of `len` elements.
    fn results(&self, len: usize) -> Result<usize> {
        let parts = match self.parts.cut(len)? {
            Cut::Whole => 1,
            Cut::Lines(shape) => shape.outer.saturating_mul(shape.inner),
            Cut::Offsets(offsets) => offsets.len().saturating_sub(1),
        };
        Ok(parts.saturating_mul(self.wanted.len()))
    }
}

impl<G: Parting> Nth<'_, Elements, G> {
    /// Stores the selected elements in `output`, one for each place or share, of the array or of each line or segment.
    /// On CUDA the work is enqueued on the device's stream and the call returns at once. That of lines and segments uploads
    /// where their results are, and waits for that, and for the offsets of segments: it cannot be captured in a graph.
    ///
    /// # Errors
    /// - [`Error::Rank`]: a place is not less than the number of elements
    /// - [`Error::Options`]: a share is not from 0 to 1
    /// - [`Error::Segment`]: a segment has no element at a place, and there is no [`or`](Self::or)
    /// - [`Error::Length`]: `output` has not one element for each place or share
    /// - [`Error::Axis`], [`Error::Shape`], [`Error::Offsets`]: a condition of the options is broken
    /// - the errors of a [`Transform`](crate::Transform) of an input that is no buffer; [`Error::Options`] for a counted
    ///   one
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::OutOfMemory`], [`Error::Compile`], [`Error::Driver`]: there is no scratch memory; failures of CUDA
    ///   itself
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x, Value: Key>,
        O: Output<Item = X::Value> + ?Sized,
        G: Short<X::Value>,
    {
        self.dispatch(device, of_known_length(device, input)?.room(), Target::new(output.view_mut()))
    }

    /// Stores the selected elements in a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X>(&self, device: &Device, input: X) -> Result<Array<X::Value>>
    where
        X: Inputs<'x, Value: Key>,
        G: Short<X::Value>,
    {
        let input = of_known_length(device, input)?;
        let input = input.room();
        device.compute_array(self.results(input.len())?, |output| self.dispatch(device, input, output))
    }

    /// Returns the selected elements on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X>(&self, device: &Device, input: X) -> Result<Vec<X::Value>>
    where
        X: Inputs<'x, Value: Key>,
        G: Short<X::Value>,
    {
        device.refuse_in_capture("reading elements at places in order")?;
        self.run_to_array(device, input)?.into_vec()
    }

    fn dispatch<K: Key>(&self, device: &Device, keys: View<'_, K>, output: Target<'_, K>) -> Result<()>
    where
        G: Short<K>,
    {
        let bounds = bounds(device, &self.parts, keys.len())?;
        let instead = self.parts.instead();
        let (mut ranks, mut begins) = (Vec::new(), Vec::new());
        if let Bounds::Lines(shape) = &bounds {
            let places = self.wanted.of_elements(shape.len)?;
            ranks = memory::collected(places.len(), places.iter().map(|(place, _)| place + 1))?;
        } else {
            begins = memory::collected(bounds.count() + 1, (0..=bounds.count()).map(|i| i * self.wanted.len()))?;
            memory::reserve(&mut ranks, bounds.count().saturating_mul(self.wanted.len()))?;
            for segment in 0..bounds.count() {
                let len = bounds.range(segment).len();
                for (i, place) in self.wanted.in_segment(len, Wanted::of_elements)?.into_iter().enumerate() {
                    if place.is_none() && instead.is_none() {
                        return Err(self.wanted.missing(segment, len, i));
                    }
                    ranks.push(place.map_or(0, |(place, _)| place + 1));
                }
            }
        }
        let expected = self.results(keys.len())?;
        if output.len() != expected {
            return Err(Error::Length { what: "output", found: output.len(), expected });
        }
        of_ranks(device, AtRanks { keys, bounds: &bounds, ranks: &ranks, begins: &begins, instead, output })
    }
}

impl<G: Parting> Nth<'_, Interpolated, G> {
    /// Returns the interpolated values on the host. On CUDA this waits for the elements.
    ///
    /// # Errors
    /// As [`Nth::run`].
    pub fn run_to_vec<'x, X>(&self, device: &Device, input: X) -> Result<Vec<f64>>
    where
        X: Inputs<'x, Value: Interpolate>,
        G: Short<f64>,
    {
        let instead = self.parts.instead().unwrap_or(f64::NAN);
        let found = self.neighbours(device, input, Short::<f64>::instead(&self.parts).is_some())?;
        memory::collected(found.len(), found.iter().map(|place| place.map_or(instead, |place| place.value())))
    }

    /// Returns, on the host, the two elements that each place lies between: for integers of 64 bits they are more
    /// precise than an `f64`. On CUDA this waits for the elements. With a NaN among the elements, every place is
    /// between the NaN and itself. A segment must have elements: [`or`](Self::or) is for values.
    ///
    /// # Errors
    /// As [`Nth::run`].
    pub fn run_to_neighbours<'x, X>(&self, device: &Device, input: X) -> Result<Vec<Between<X::Value>>>
    where
        X: Inputs<'x, Value: Interpolate>,
    {
        let found = self.neighbours(device, input, false)?;
        memory::collected(found.len(), found.into_iter().flatten())
    }

    /// Returns the two elements around each place; none where a segment has no element, if `some_missing` allows it.
    fn neighbours<'x, X>(&self, device: &Device, input: X, some_missing: bool) -> Result<Vec<Option<Between<X::Value>>>>
    where
        X: Inputs<'x, Value: Interpolate>,
    {
        device.refuse_in_capture("reading elements at places in order")?;
        let input = of_known_length(device, input)?;
        let keys = input.room();
        let bounds = bounds(device, &self.parts, keys.len())?;
        let of_keys = |len: usize, ranks: &[u64], begins: &[usize]| {
            let ranks = memory::collected(ranks.len(), ranks.iter().map(|&rank| rank as usize))?;
            let found = device.compute_array(len, |output| {
                let (keys, ranks) = (keys.part(0..keys.len()).unwrap_or(View::Host(&[])), &ranks);
                of_ranks(device, AtRanks { keys, bounds: &bounds, ranks, begins, instead: None, output })
            })?;
            found.into_vec()
        };
        let mut results = memory::room(self.results(keys.len())?)?;
        if let Bounds::Lines(shape) = &bounds {
            let places = self.wanted.between(shape.len)?;
            let ranks = ranks(&places, shape.len, X::Value::INTEGER)?;
            let found = of_keys(bounds.count().saturating_mul(ranks.len()), &ranks, &[])?;
            for o in 0..if places.is_empty() { 0 } else { shape.outer } {
                for &place in &places {
                    let key = |i: usize, rank: usize| found.get((o * ranks.len() + rank) * shape.inner + i).copied();
                    results.extend((0..shape.inner).map(|i| between(place, &ranks, |rank| key(i, rank))));
                }
            }
            return Ok(results);
        }
        let (mut all_places, mut all_ranks) = (memory::room(bounds.count())?, Vec::new());
        let mut begins = memory::room(bounds.count() + 1)?;
        begins.push(0);
        for segment in 0..bounds.count() {
            let len = bounds.range(segment).len();
            let places = self.wanted.in_segment(len, Wanted::between)?;
            if let Some(i) = places.iter().position(Option::is_none).filter(|_| !some_missing) {
                return Err(self.wanted.missing(segment, len, i));
            }
            let existing = memory::collected(places.len(), places.iter().flatten().copied())?;
            let ranks = ranks(&existing, len, X::Value::INTEGER)?;
            memory::reserve(&mut all_ranks, ranks.len())?;
            all_ranks.extend(ranks);
            begins.push(all_ranks.len());
            all_places.push(places);
        }
        let found = of_keys(all_ranks.len(), &all_ranks, &begins)?;
        for (places, begin) in all_places.into_iter().zip(begins.windows(2)) {
            let own = begin[0]..begin[1];
            let (ranks, found) = (&all_ranks[own.clone()], &found[own]);
            let of_place = |place: Option<_>| between(place?, ranks, |rank| found.get(rank).copied());
            results.extend(places.into_iter().map(of_place));
        }
        Ok(results)
    }
}

/// Stores the keys that have the given ranks.
fn of_ranks<K: Key>(device: &Device, call: AtRanks<'_, K>) -> Result<()> {
    match &device.0 {
        Backend::Cpu => upsweep_cpu::topk::wanted(&call),
        #[cfg(feature = "cuda")]
        Backend::Cuda(cuda) => match call.bounds {
            Bounds::Lines(shape) if shape.outer == 1 && shape.inner == 1 => upsweep_cuda::topk::wanted(cuda, call),
            _ => of_sorted::run(device, call),
        },
    }
}

/// Returns the ranks, from 1 on, of the elements at the sorted indices `places`, and of the next ones if a fraction
/// follows: ascending, each once. Without `no_nan` it adds the last rank, where a NaN would be.
fn ranks(places: &[(usize, f64)], len: usize, no_nan: bool) -> Result<Vec<u64>> {
    let mut ranks = memory::room(2 * places.len() + 1)?;
    for &(place, part) in places {
        ranks.push(place as u64 + 1);
        if part > 0.0 {
            ranks.push(place as u64 + 2);
        }
    }
    if !no_nan && !ranks.is_empty() {
        ranks.push(len as u64);
    }
    ranks.sort_unstable();
    ranks.dedup();
    Ok(ranks)
}

/// Returns the two elements around a place: `found` returns that of a position in `ranks`, as [`ranks`] returned them.
fn between<K: Interpolate>(
    (place, part): (usize, f64),
    ranks: &[u64],
    found: impl Fn(usize) -> Option<K>,
) -> Option<Between<K>> {
    let last = found(ranks.len().checked_sub(1)?);
    let nan = last.filter(|last| matches!(last.parts(), Parts::Other(x) if x.is_nan()));
    let key = |place: usize| {
        let at = ranks.binary_search(&(place as u64 + 1)).ok()?;
        nan.or_else(|| found(at))
    };
    let low = key(place)?;
    Some(Between { low, high: if part > 0.0 { key(place + 1)? } else { low }, part })
}

fn values<K: Interpolate>(places: &[Between<K>]) -> Result<Vec<f64>> {
    memory::collected(places.len(), places.iter().map(|place| place.value()))
}
