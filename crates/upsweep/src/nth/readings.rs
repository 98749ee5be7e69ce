//! Order statistics of elements that come in chunks, and come again.

use super::{Elements, Interpolated, Nth, Wanted, between, ranks, values};
use std::marker::PhantomData;
use upsweep_core::between::{Between, Interpolate};
use upsweep_core::error::{Error, Result};
use upsweep_core::key::{Key, KeyBits};
use upsweep_core::memory;
use upsweep_cpu::order_statistics::Ranks;

impl<'a> Nth<'a> {
    /// Starts a selection from elements that are given in chunks instead of at once: see [`Readings`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn in_chunks<K: Key>(&self) -> Result<Readings<'a, K, Elements>> {
        Readings::new(self.wanted, |wanted, len| ranks(&wanted.of_elements(len)?, len, true))
    }
}

impl<'a> Nth<'a, Interpolated> {
    /// Starts an interpolation from elements that are given in chunks instead of at once: see [`Readings`].
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn in_chunks<K: Interpolate>(&self) -> Result<Readings<'a, K, Interpolated>> {
        Readings::new(self.wanted, |wanted, len| ranks(&wanted.between(len)?, len, K::INTEGER))
    }
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
        let places = wanted.between(len)?;
        let neighbours = |&place: &(usize, f64)| between(place, &ranks, |rank| found.get(rank).copied());
        memory::collected(places.len(), places.iter().filter_map(neighbours))
    }
}
