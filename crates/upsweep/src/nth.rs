//! Nth: order statistics, exact and without sorting: the elements at given ranks, quantiles and the median.
//!
//! ```text
//! at(&places)           the element that would be at each place, from 0 on, if all were sorted    (numpy.partition)
//! quantiles(&shares)    the ceil(q n)-th smallest for each share q of 0 to 1                      (method "inverted_cdf")
//! median()              that of the share 0.5: of an even number of elements the lower of the two in the middle
//! interpolated()        what is at the place q (n - 1), between two elements, as f64              (method "linear", the default)
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
//! CUDA by one block. An input that is no buffer is computed into memory of the device first, by a pass of a
//! [`Transform`](crate::Transform).

use crate::array::Array;
use crate::buffered::of_known_length;
use crate::device::{Backend, Device};
use std::marker::PhantomData;
use upsweep_core::between::{Between, Interpolate, Parts};
use upsweep_core::buffer::{Output, View};
use upsweep_core::call::topk::Ranking;
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::key::{Key, KeyBits};
use upsweep_core::memory;
use upsweep_core::outputs::Target;
use upsweep_cpu::order_statistics::Ranks;

/// Elements at given ranks: see the [module](self). Build it once, run it often.
///
/// `R` is the kind of its results: [`Elements`], or values between them, [`Interpolated`].
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Nth<'a, R = Elements> {
    wanted: Wanted<'a>,
    gives: PhantomData<R>,
}

/// Results of an [`Nth`]: elements.
#[derive(Clone, Copy, Debug)]
pub struct Elements;

/// Results of an [`Nth`]: values between elements, as `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Interpolated;

#[derive(Clone, Copy, Debug)]
enum Wanted<'a> {
    Places(&'a [usize]),
    Shares(&'a [f64]),
}

impl Wanted<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Places(places) => places.len(),
            Self::Shares(shares) => shares.len(),
        }
    }

    /// Returns, for each result, an index (place) among `len` sorted elements, and a fraction of the distance to the
    /// next index. `at` computes both from a share, which is checked to be from 0 to 1.
    fn places(&self, len: usize, at: impl Fn(f64) -> (usize, f64)) -> Result<Vec<(usize, f64)>> {
        let mut found = memory::room(self.len())?;
        match self {
            Self::Places(places) => {
                for &place in *places {
                    if place >= len {
                        return Err(Error::Rank { what: "place", rank: place, len });
                    }
                    found.push((place, 0.0));
                }
            }
            Self::Shares(shares) => {
                for &share in *shares {
                    if !(0.0..=1.0).contains(&share) {
                        let reason = "a share is a number from 0 to 1";
                        return Err(Error::Options { options: "quantiles", reason });
                    }
                    if len == 0 {
                        return Err(Error::Rank { what: "place", rank: 0, len });
                    }
                    found.push(at(share));
                }
            }
        }
        Ok(found)
    }

    /// Returns the places (sorted indices) of elements, with the fraction 0; for a share `q` of `n` elements, the place
    /// of the `ceil(q n)`-th smallest.
    fn of_elements(&self, len: usize) -> Result<Vec<(usize, f64)>> {
        self.places(len, |share| (((share * len as f64).ceil() as usize).clamp(1, len) - 1, 0.0))
    }

    /// Returns, for each interpolated value, the place (sorted index) of the element before it, and its fraction of the
    /// distance to the next element.
    fn between(&self, len: usize) -> Result<Vec<(usize, f64)>> {
        let last = len.saturating_sub(1);
        self.places(len, |share| {
            let place = share * last as f64;
            let before = (place as usize).min(last);
            // The last element has no next one.
            (before, if before < last { place - before as f64 } else { 0.0 })
        })
    }
}

impl<'a> Nth<'a> {
    /// Selects the elements that would be at the indices `places`, from 0 on, if all were sorted.
    pub fn at(places: &'a [usize]) -> Self {
        Self { wanted: Wanted::Places(places), gives: PhantomData }
    }

    /// Selects for each share `q` from 0 to 1 the `ceil(q n)`-th smallest element.
    pub fn quantiles(shares: &'a [f64]) -> Self {
        Self { wanted: Wanted::Shares(shares), gives: PhantomData }
    }

    /// Computes the values between the two neighbours of the place `share * (n - 1)`, by linear interpolation: see the
    /// [module](self).
    pub fn interpolated(self) -> Nth<'a, Interpolated> {
        Nth { wanted: self.wanted, gives: PhantomData }
    }
}

impl Nth<'static> {
    /// Selects the element in the middle; the lower of two if the number of elements is even.
    pub fn median() -> Self {
        Self { wanted: Wanted::Shares(&[0.5]), gives: PhantomData }
    }
}

impl<'a> Nth<'a> {
    /// Stores the selected elements in `output`, one for each place or share. On CUDA the work is enqueued on the
    /// device's stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Rank`]: a place is not less than the number of elements
    /// - [`Error::Options`]: a share is not from 0 to 1
    /// - [`Error::Length`]: `output` has not one element for each place or share
    /// - the errors of a [`Transform`](crate::Transform) of an input that is no buffer; [`Error::Options`] for a counted
    ///   one
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::OutOfMemory`], [`Error::Compile`], [`Error::Driver`]: there is no scratch memory; failures of CUDA
    ///   itself
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x, Value: Key>,
        O: Output<Item = X::Value> + ?Sized,
    {
        self.dispatch(device, of_known_length(device, input)?.room(), Target::new(output.view_mut()))
    }

    /// Stores the selected elements in a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X: Inputs<'x, Value: Key>>(&self, device: &Device, input: X) -> Result<Array<X::Value>> {
        let input = of_known_length(device, input)?;
        device.compute_array(self.wanted.len(), |output| self.dispatch(device, input.room(), output))
    }

    /// Returns the selected elements on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X: Inputs<'x, Value: Key>>(&self, device: &Device, input: X) -> Result<Vec<X::Value>> {
        device.refuse_in_capture("reading elements at places in order")?;
        self.run_to_array(device, input)?.into_vec()
    }

    /// Starts a selection from elements that are given in chunks instead of at once: see [`Readings`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn in_chunks<K: Key>(&self) -> Result<Readings<'a, K, Elements>> {
        Readings::new(self.wanted, |wanted, len| ranks(&wanted.of_elements(len)?, len, true))
    }

    fn dispatch<K: Key>(&self, device: &Device, keys: View<'_, K>, output: Target<'_, K>) -> Result<()> {
        let places = self.wanted.of_elements(keys.len())?;
        let ranks = memory::collected(places.len(), places.iter().map(|(place, _)| place + 1))?;
        of_ranks(device, keys, &ranks, output)
    }
}

impl<'a> Nth<'a, Interpolated> {
    /// Returns the interpolated values on the host. On CUDA this waits for the elements.
    ///
    /// # Errors
    /// As [`Nth::run`].
    pub fn run_to_vec<'x, X: Inputs<'x, Value: Interpolate>>(&self, device: &Device, input: X) -> Result<Vec<f64>> {
        values(&self.run_to_neighbours(device, input)?)
    }

    /// Returns, on the host, the two elements that each place lies between: for integers of 64 bits they are more
    /// precise than an `f64`. On CUDA this waits for the elements. With a NaN among the elements, every place is
    /// between the NaN and itself.
    ///
    /// # Errors
    /// As [`Nth::run`].
    pub fn run_to_neighbours<'x, X>(&self, device: &Device, input: X) -> Result<Vec<Between<X::Value>>>
    where
        X: Inputs<'x, Value: Interpolate>,
    {
        device.refuse_in_capture("reading elements at places in order")?;
        let input = of_known_length(device, input)?;
        let keys = input.room();
        let places = self.wanted.between(keys.len())?;
        let ranks = ranks(&places, keys.len(), X::Value::INTEGER)?;
        let found = device.compute_array(ranks.len(), |output| {
            let ranks = memory::collected(ranks.len(), ranks.iter().map(|&rank| rank as usize))?;
            of_ranks(device, keys, &ranks, output)
        })?;
        neighbours(&places, &ranks, &found.into_vec()?)
    }

    /// Starts an interpolation from elements that are given in chunks instead of at once: see [`Readings`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn in_chunks<K: Interpolate>(&self) -> Result<Readings<'a, K, Interpolated>> {
        Readings::new(self.wanted, |wanted, len| ranks(&wanted.between(len)?, len, K::INTEGER))
    }
}

/// Stores the keys that have the given `ranks` among the sorted `keys`. Ranks count from 1.
fn of_ranks<K: Key>(device: &Device, keys: View<'_, K>, ranks: &[usize], output: Target<'_, K>) -> Result<()> {
    if output.len() != ranks.len() {
        return Err(Error::Length { what: "output", found: output.len(), expected: ranks.len() });
    }
    let call =
        Ranking { keys, rows: 1, rank: 0, descending: false, sorted: false, values: Some(output), indices: None };
    match &device.0 {
        Backend::Cpu => upsweep_cpu::topk::wanted(&call, ranks),
        #[cfg(feature = "cuda")]
        Backend::Cuda(cuda) => upsweep_cuda::topk::wanted(cuda, call, ranks),
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

/// Returns the two elements around each of `places`: `found` are the elements of the ranks that [`ranks`] returned.
fn neighbours<K: Interpolate>(places: &[(usize, f64)], ranks: &[u64], found: &[K]) -> Result<Vec<Between<K>>> {
    let nan = found.last().filter(|last| matches!(last.parts(), Parts::Other(x) if x.is_nan()));
    let key = |place: usize| {
        let at = ranks.binary_search(&(place as u64 + 1)).ok()?;
        nan.or(found.get(at)).copied()
    };
    let between = |&(place, part): &(usize, f64)| {
        let low = key(place)?;
        Some(Between { low, high: if part > 0.0 { key(place + 1)? } else { low }, part })
    };
    memory::collected(places.len(), places.iter().filter_map(between))
}

fn values<K: Interpolate>(places: &[Between<K>]) -> Result<Vec<f64>> {
    memory::collected(places.len(), places.iter().map(|place| place.value()))
}

/// Readings of all elements, in chunks, from which an [`Nth`] finds its results: for data larger than memory. Chunks
/// are on the host, of any lengths. Each reading has the same elements, in any order. So the order of equal zeros is
/// not known: zeros with a sign are returned first.
///
/// ```
/// use upsweep::prelude::*;
///
/// let file = [12.0f32, 3.5, 80.0, 4.0, 5.5, 6.5];
/// let mut readings = Nth::quantiles(&[0.25, 0.5]).interpolated().in_chunks::<f32>()?;
/// while readings.again()? {
///     for chunk in file.chunks(4) {
///         readings.push(chunk)?;
///     }
/// }
/// assert_eq!(readings.finish()?, [4.375, 6.0]);
/// # Ok::<(), upsweep::Error>(())
/// ```
///
/// The first reading counts elements by their highest 16 bits, so elements of up to two bytes are read once. Mostly the
/// second reading is the last: it keeps the elements with the right bits, if they are at most a sixteenth of all.
/// Otherwise they are counted by the next 16 bits, and so on.
#[derive(Debug)]
pub struct Readings<'a, K: Key, R> {
    wanted: Wanted<'a>,
    /// Function that returns the ranks to find, given the results wanted and the number of all elements.
    ranks_of: fn(&Wanted<'a>, usize) -> Result<Vec<u64>>,
    search: Ranks<K::Bits>,
    /// Ranks to find, once the first reading has ended.
    ranks: Vec<u64>,
    state: State,
    gives: PhantomData<R>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    New,
    Reading,
    Done,
}

impl<'a, K: Key, R> Readings<'a, K, R> {
    fn new(wanted: Wanted<'a>, ranks_of: fn(&Wanted<'a>, usize) -> Result<Vec<u64>>) -> Result<Self> {
        let search = Ranks::new()?;
        Ok(Self { wanted, ranks_of, search, ranks: Vec::new(), state: State::New, gives: PhantomData })
    }

    /// Ends a reading, and returns whether another one begins. The first call begins the first one.
    ///
    /// # Errors
    /// - [`Error::Rank`], [`Error::Options`]: as for [`Nth::run`], at the end of the first reading
    /// - [`Error::Length`]: a later reading had other elements than the first
    /// - [`Error::OutOfMemory`]
    pub fn again(&mut self) -> Result<bool> {
        if self.state == State::Reading {
            self.ranks = (self.ranks_of)(&self.wanted, self.len())?;
            if !self.search.narrow(&self.ranks)? {
                self.state = State::Done;
            }
        } else if self.state == State::New {
            self.state = State::Reading;
        }
        Ok(self.state == State::Reading)
    }

    /// Takes one chunk of the elements into the current reading.
    ///
    /// # Errors
    /// - [`Error::Options`]: no reading has begun
    /// - [`Error::OutOfMemory`]
    pub fn push(&mut self, chunk: &[K]) -> Result<()> {
        if self.state != State::Reading {
            return Err(Error::Options {
                options: "chunks",
                reason: "call `again` before each reading, as long as it says so",
            });
        }
        // SAFETY: `K::Bits` has the size and alignment of a key, and every key's bits are a value of it.
        let bits = unsafe { std::slice::from_raw_parts(chunk.as_ptr().cast::<K::Bits>(), chunk.len()) };
        self.search.read(bits, |bits| bits.ordered(K::ORDER, false))
    }

    /// Returns the number of all elements, after the first reading.
    #[must_use]
    pub fn len(&self) -> usize {
        self.search.len() as usize
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the results wanted, the number of all elements, the ranks found, and the element of each rank,
    /// ascending.
    fn found(self) -> Result<(Wanted<'a>, usize, Vec<u64>, Vec<K>)> {
        if self.state != State::Done {
            return Err(Error::Options {
                options: "chunks",
                reason: "read all again until `again` says that it is enough",
            });
        }
        let (len, ranks) = (self.len(), self.ranks);
        // SAFETY: the bits are those of a key that was read, so they are a valid `K`.
        let key =
            |number: K::Bits| unsafe { std::mem::transmute_copy::<K::Bits, K>(&number.restored(K::ORDER, false)) };
        let found = memory::collected(ranks.len(), self.search.found(&ranks)?.into_iter().map(key))?;
        Ok((self.wanted, len, ranks, found))
    }
}

impl<K: Key> Readings<'_, K, Elements> {
    /// Returns the selected elements, one for each place or share.
    ///
    /// # Errors
    /// - [`Error::Options`]: the last reading has not ended
    /// - [`Error::Length`]: the last reading had other elements than the first one
    /// - [`Error::OutOfMemory`]
    pub fn finish(self) -> Result<Vec<K>> {
        let (wanted, len, ranks, found) = self.found()?;
        let places = wanted.of_elements(len)?;
        let key = |&(place, _): &(usize, f64)| found.get(ranks.binary_search(&(place as u64 + 1)).ok()?).copied();
        memory::collected(places.len(), places.iter().filter_map(key))
    }
}

impl<K: Interpolate> Readings<'_, K, Interpolated> {
    /// Returns the interpolated values, one for each place or share.
    ///
    /// # Errors
    /// As [`Readings::finish`] of elements.
    pub fn finish(self) -> Result<Vec<f64>> {
        values(&self.finish_neighbours()?)
    }

    /// Returns the two elements that each place lies between, like [`Nth::run_to_neighbours`].
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_neighbours(self) -> Result<Vec<Between<K>>> {
        let (wanted, len, ranks, found) = self.found()?;
        neighbours(&wanted.between(len)?, &ranks, &found)
    }
}
