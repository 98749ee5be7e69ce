//! Runs: the first element and the length of each run of equal neighbours (run-length encoding).
//!
//! ```text
//! new            values = the x[i] with x[i - 1] != x[i], and x[0];  lengths = how many elements from each to the next one
//! by(same)       the same, where same(x[i - 1], x[i]) does not hold
//! starts         the second output is where each run begins, the i, instead of its length
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let x = [3u32, 3, 1, 1, 1, 3, 7];
//! let (mut values, mut lengths) = ([0u32; 7], [0u32; 7]);
//! let runs = Runs::new().run(&device, &x, (&mut values, &mut lengths))?.get()?;
//! assert_eq!((&values[..runs], &lengths[..runs]), (&[3, 1, 3, 7][..], &[2, 3, 1, 1][..]));
//! assert_eq!(Runs::new().starts().run_to_vecs::<_, u64>(&device, &x)?, (vec![3, 1, 3, 7], vec![0, 2, 5, 6]));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! The number of runs depends on the data: see [`select`](crate::select). An equality is evaluated on neighbours only,
//! as in [`Dedup`](crate::Dedup).
//!
//! An array may come in parts: [`carry`](crate::carry).
//!
//! **Cost.** One pass over memory: each element is read once, and each run's value and length are written once. An input
//! that is no buffer is computed into memory of the device first, by a pass of a [`Transform`](crate::Transform).

use crate::array::Array;
use crate::buffered::Buffered;
use crate::count::Count;
use crate::device::{Backend, Device};
use upsweep_core::buffer::{Output, View, ViewMut};
use upsweep_core::call::select::{Among, Choosing, FirstOf, Indices, Others, Yields};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::{Element, Function};
use upsweep_core::outputs::Target;
use upsweep_core::segments::Equal;

/// Run-length encoding: see the [module](self). Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is computed until it is run"]
pub struct Runs<E> {
    pub(crate) same: E,
    pub(crate) lengths: bool,
}

impl Runs<Equal> {
    /// Finds the values and lengths of the runs of equal neighbours.
    #[allow(clippy::new_without_default, reason = "a type parameter would have to be written out")]
    pub fn new() -> Self {
        Self::by(Equal)
    }
}

impl<E> Runs<E> {
    /// Continues a run where `same(x[i - 1], x[i])` holds: a `#[function]` that returns `bool`.
    pub fn by(same: E) -> Self {
        Self { same, lengths: true }
    }

    /// Stores the index of each run's first element instead of its length.
    pub fn starts(mut self) -> Self {
        self.lengths = false;
        self
    }

    /// Stores the first element of each run of `input` in the first output, and the run's length, or the index of its
    /// first element, in the second one: `u32`, `u64`, `usize`, `i32` or `i64`. Returns the number of runs. On CUDA the
    /// work is enqueued on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Capacity`]: there are more runs than the outputs have room for, which then hold the first ones; on
    ///   CUDA the next call that waits returns it
    /// - [`Error::Length`]: the outputs differ in length
    /// - [`Error::Options`]: the second output cannot hold numbers up to the length of the input
    /// - the errors of a [`Transform`](crate::Transform) of an input that is no buffer; [`Error::Driver`] in a capture
    ///   of it
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps an output
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: failures of CUDA itself
    pub fn run<'x, X, A, B>(&self, device: &Device, input: X, outputs: (&mut A, &mut B)) -> Result<Count>
    where
        X: Inputs<'x>,
        A: Output<Item = X::Value> + ?Sized,
        B: Output + ?Sized,
        E: Function<(X::Value, X::Value), Output = bool>,
        Indices: Yields<X::Value, B::Item>,
    {
        let mut count = Count::new(device)?;
        self.run_counted(device, input, outputs, &mut count)?;
        Ok(count)
    }

    /// Runs like [`run`](Self::run) with a count of the caller's, which can be reused, so that a CUDA graph can capture
    /// the call.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_counted<'x, X, A, B>(
        &self,
        device: &Device,
        input: X,
        (values, numbers): (&mut A, &mut B),
        count: &mut Count,
    ) -> Result<()>
    where
        X: Inputs<'x>,
        A: Output<Item = X::Value> + ?Sized,
        B: Output + ?Sized,
        E: Function<(X::Value, X::Value), Output = bool>,
        Indices: Yields<X::Value, B::Item>,
    {
        let (values, numbers) = (Target::new(values.view_mut()), Target::new(numbers.view_mut()));
        let (expected, found) = (values.len(), numbers.len());
        if found != expected {
            return Err(Error::Length { what: "second output", found, expected });
        }
        let input = Buffered::<X::Item>::new(device, input.given())?;
        self.dispatch(device, (input.room(), input.length()), Some((values, numbers)), count)
    }

    /// Finds the runs of `input`, into two new arrays on the device with exactly as many elements. On CUDA this waits
    /// until their number is known, for which the input is read once more.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_arrays<'x, X, N>(&self, device: &Device, input: X) -> Result<(Array<X::Value>, Array<N>)>
    where
        X: Inputs<'x>,
        N: Element,
        E: Function<(X::Value, X::Value), Output = bool>,
        Indices: Yields<X::Value, N>,
    {
        device.refuse_in_capture("arrays whose length depends on the data")?;
        let input = Buffered::<X::Item>::new(device, input.given())?;
        let input = || (input.room(), input.length());
        let mut count = Count::new(device)?;
        self.dispatch::<_, N>(device, input(), None, &mut count)?;
        let len = count.get()?;
        let mut values = None;
        let numbers = count.array_of(device, len, |numbers, count| {
            values = Some(count.array_of(device, len, |values, count| {
                self.dispatch(device, input(), Some((values, numbers)), count)
            })?);
            Ok(())
        })?;
        let Some(values) = values else { return Err(Error::OutOfMemory { bytes: 0 }) };
        Ok((values, numbers))
    }

    /// Finds the runs of `input`, into two vectors on the host. On CUDA this waits for them.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vecs<'x, X, N>(&self, device: &Device, input: X) -> Result<(Vec<X::Value>, Vec<N>)>
    where
        X: Inputs<'x>,
        N: Element,
        E: Function<(X::Value, X::Value), Output = bool>,
        Indices: Yields<X::Value, N>,
    {
        let (values, numbers) = self.run_to_arrays(device, input)?;
        Ok((values.into_vec()?, numbers.into_vec()?))
    }

    /// Encodes the runs of `input` into `outputs`, and stores their number in `count`. Without outputs it only counts
    /// them.
    pub(crate) fn dispatch<I, N>(
        &self,
        device: &Device,
        (input, length): (View<'_, I>, Option<View<'_, u64>>),
        outputs: Option<(Target<'_, I>, Target<'_, N>)>,
        count: &mut Count,
    ) -> Result<()>
    where
        I: Element,
        N: Element,
        E: Function<(I, I), Output = bool>,
        Indices: Yields<I, N>,
    {
        if input.len() > <Indices as Yields<I, N>>::MOST {
            let reason = "the second output's type cannot hold the length of the input: take u64 or usize";
            return Err(Error::Options { options: "runs", reason });
        }
        let (values, numbers) = outputs.unzip();
        let (choice, input) = (FirstOf(self.same), Among::Buffer(input));
        let call = Choosing { choice: &choice, input, length, output: values, others: Others::Dropped };
        match (&device.0, count.view_mut()) {
            (Backend::Cpu, ViewMut::Host([count, ..])) => {
                *count = upsweep_cpu::runs::run(&call, numbers.as_ref(), self.lengths)? as u64;
                Ok(())
            }
            (Backend::Cpu, _) => Err(Error::Place { what: "count", found: "CUDA", expected: "host" }),
            #[cfg(feature = "cuda")]
            (Backend::Cuda(cuda), mut count) => {
                upsweep_cuda::select::run_with_runs(cuda, call, numbers, self.lengths, &mut count)
            }
        }
    }
}
