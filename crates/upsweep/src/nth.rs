//! Nth: elements at places in the order of all, exactly, without sorting.
//!
//! ```text
//! at(&places)           the element that would be at each place, from 0 on, if all were sorted    (numpy.partition)
//! quantiles(&shares)    the ceil(q n)-th smallest for each share q of 0 to 1                      (method "inverted_cdf")
//! median()              that of the share 0.5: of an even number of elements the lower of the two in the middle
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
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Order.** That of [`Key`]: NaN are behind all numbers. Of zeros, which are equal whatever their signs, it is the one that a stable
//! sort puts there.
//!
//! **Cost.** On CUDA one reading of the input for each place, and of some hundredths of it; see [`topk`](crate::topk). On the CPU also
//! one for each. A sort is faster for some dozens of places. Where the element is a zero, and there are such of both
//! signs, it is looked for in one more reading, on CUDA by one block.

use crate::buffer::{Array, Input, Output, View};
use crate::cpu;
use crate::device::{Backend, Device};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::memory;
use crate::outputs::Target;
use crate::ranking::Ranking;

/// Elements at places in order: see the [module](self). Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Nth<'a> {
    wanted: Wanted<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Wanted<'a> {
    Places(&'a [usize]),
    Shares(&'a [f64]),
}

impl<'a> Nth<'a> {
    /// The elements that would be at these places, from 0 on, if all were sorted.
    pub fn at(places: &'a [usize]) -> Self {
        Self { wanted: Wanted::Places(places) }
    }

    /// For each share from 0 to 1 the smallest element that so many of all are no larger than.
    pub fn quantiles(shares: &'a [f64]) -> Self {
        Self { wanted: Wanted::Shares(shares) }
    }
}

impl Nth<'static> {
    /// The element in the middle; of an even number of elements, the lower of two.
    pub fn median() -> Self {
        Self { wanted: Wanted::Shares(&[0.5]) }
    }
}

impl Nth<'_> {
    fn results(&self) -> usize {
        match self.wanted {
            Wanted::Places(places) => places.len(),
            Wanted::Shares(shares) => shares.len(),
        }
    }

    /// The ranks among `len` elements, from 1 on.
    fn ranks(&self, len: usize) -> Result<Vec<usize>> {
        let mut ranks = memory::room(self.results())?;
        match self.wanted {
            Wanted::Places(places) => {
                for &place in places {
                    if place >= len {
                        return Err(Error::Rank { what: "place", rank: place, len });
                    }
                    ranks.push(place + 1);
                }
            }
            Wanted::Shares(shares) => {
                for &share in shares {
                    if !(0.0..=1.0).contains(&share) {
                        let reason = "a share is a number from 0 to 1";
                        return Err(Error::Options { options: "quantiles", reason });
                    }
                    if len == 0 {
                        return Err(Error::Rank { what: "place", rank: 0, len });
                    }
                    ranks.push(((share * len as f64).ceil() as usize).clamp(1, len));
                }
            }
        }
        Ok(ranks)
    }

    /// Stores the elements in `output`, one for each place or share. On CUDA the work is enqueued on the device's stream and the
    /// call returns at once.
    ///
    /// # Errors
    /// - [`Error::Rank`]: there is no such place
    /// - [`Error::Options`]: a share is not from 0 to 1
    /// - [`Error::Length`]: `output` has not one element for each
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::OutOfMemory`], [`Error::Compile`], [`Error::Driver`]: there is no scratch memory; CUDA's own
    pub fn run<I, O>(&self, device: &Device, input: &I, output: &mut O) -> Result<()>
    where
        I: Input<Item: Key> + ?Sized,
        O: Output<Item = I::Item> + ?Sized,
    {
        self.dispatch(device, input.view(), Target::new(output.view_mut()))
    }

    /// Stores the elements in a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<I: Input<Item: Key> + ?Sized>(&self, device: &Device, input: &I) -> Result<Array<I::Item>> {
        device.compute_array(self.results(), |output| self.dispatch(device, input.view(), output))
    }

    /// Returns the elements on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<I: Input<Item: Key> + ?Sized>(&self, device: &Device, input: &I) -> Result<Vec<I::Item>> {
        device.refuse_in_capture("reading elements at places in order")?;
        self.run_to_array(device, input)?.into_vec()
    }

    fn dispatch<K: Key>(&self, device: &Device, keys: View<'_, K>, output: Target<'_, K>) -> Result<()> {
        let ranks = self.ranks(keys.len())?;
        if output.len() != ranks.len() {
            return Err(Error::Length { what: "output", found: output.len(), expected: ranks.len() });
        }
        let call =
            Ranking { keys, rows: 1, rank: 0, descending: false, sorted: false, values: Some(output), indices: None };
        match &device.0 {
            Backend::Cpu => cpu::topk::wanted(&call, &ranks),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => crate::cuda::topk::wanted(cuda, call, &ranks),
        }
    }
}
