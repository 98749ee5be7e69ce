//! Expand: as many results for each element as its count says (processor allocation, load balancing, run-length
//! decoding).
//!
//! ```text
//! counts  c = 2 0 3          results, in the order of the counts: c[0] + .. + c[n - 1]
//! new         owners  0 0 2 2 2      the index of the count
//! ranks       ranks   0 1 0 1 2      the place among the results of that count
//! values(v)           v[0] v[0] v[2] v[2] v[2]      what stands beside the count
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let counts = [2u32, 0, 3];
//! assert_eq!(Expand::new().run_to_vec::<_, u32>(&device, &counts)?, [0, 0, 2, 2, 2]);
//! assert_eq!(Expand::new().ranks().run_to_vec::<_, u32>(&device, &counts)?, [0, 1, 0, 1, 2]);
//!
//! // Run-length encoding and decoding; on CUDA nothing waits for the number of runs.
//! let x = [7.5f32, 7.5, 7.5, 2.0, 2.0, 9.0];
//! let (mut values, mut lengths, mut again) = ([0.0; 6], [0u32; 6], [0.0; 6]);
//! let runs = Runs::new().run(&device, &x, (&mut values, &mut lengths))?;
//! let total = Expand::values(&values).run(&device, &runs.of(&lengths), &mut again)?;
//! assert_eq!((total.get()?, again), (6, x));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! The offset of each count's results is its exclusive prefix sum: [`Scan::with_total`](crate::Scan::with_total). The
//! number of results depends on the data: see [`select`](crate::select). If there are more results than the output has
//! room for, the call stores the first ones, writes nothing beyond the output, and fails with both numbers.
//!
//! **Cost.** On CUDA one pass: each count is read once, and each result written once. Where some 3,000 neighbouring
//! counts have more than 32,768 results together, several blocks share the work, and each of them reads the counts
//! again: so neither many counts of 0 nor one large count slows it down. On the CPU counts are read twice. Counts that
//! are no buffer are computed into memory of the device first, by a pass of a [`Transform`](crate::Transform).
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.5.2 (allocating).

use crate::array::Array;
use crate::buffered::Buffered;
use crate::count::Count;
use crate::device::{Backend, Device};
use upsweep_core::buffer::{Input, Output, View, ViewMut};
use upsweep_core::call::expand::Expanded;
use upsweep_core::call::expand::{Expanding, Fills, Owners, Ranks, Tally, ValuesOf};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;

/// Expansion with its options: see the [module](self) for their formulas. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "an expansion does nothing until it is run"]
pub struct Expand<F = Owners>(F);

impl Expand {
    /// Stores the owner of each result: the index of its count, as `u32`, `u64`, `usize`, `i32` or `i64`.
    #[allow(clippy::new_without_default, reason = "a type parameter would have to be written out")]
    pub fn new() -> Self {
        Self(Owners)
    }

    /// Stores the rank of each result instead: its index among the results of its count, from 0 on.
    pub fn ranks(self) -> Expand<Ranks> {
        Expand(Ranks)
    }
}

impl<'a, B: Input + ?Sized> Expand<ValuesOf<'a, B>> {
    /// Stores for each result the element of `values` at the index of its count. `values` has as many elements as
    /// `counts`, or, with a counted input, as its buffer.
    pub fn values(values: &'a B) -> Self {
        Self(ValuesOf(values))
    }
}

impl<F> Expand<F> {
    /// Expands `counts` into `output`, from its beginning on, and returns the number of results. On CUDA the work is
    /// enqueued on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Capacity`]: there are more results than `output` has room for; on CUDA the next call that waits
    ///   returns it
    /// - [`Error::Length`]: there are not as many values as counts
    /// - [`Error::Options`]: the type of `output` cannot hold the indices of that many counts or results
    /// - the errors of a [`Transform`](crate::Transform) of counts that are no buffer; [`Error::Driver`] in a capture
    ///   of it
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: failures of CUDA itself
    pub fn run<'x, X, O>(&self, device: &Device, counts: X, output: &mut O) -> Result<Count>
    where
        X: Inputs<'x, Value: Tally>,
        O: Output + ?Sized,
        F: Fills<O::Item>,
    {
        let mut total = Count::new(device)?;
        self.run_counted(device, counts, output, &mut total)?;
        Ok(total)
    }

    /// Runs like [`run`](Self::run) with a count of the caller's, which can be reused, so that a CUDA graph can capture
    /// the call.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_counted<'x, X, O>(&self, device: &Device, counts: X, output: &mut O, total: &mut Count) -> Result<()>
    where
        X: Inputs<'x, Value: Tally>,
        O: Output + ?Sized,
        F: Fills<O::Item>,
    {
        let counts = Buffered::<X::Item>::new(device, counts.given())?;
        self.dispatch(device, (counts.room(), counts.length()), Some(Target::new(output.view_mut())), total)
    }

    /// Expands `counts` into a new array on the device, with exactly as many elements as there are results. On CUDA
    /// this waits until their number is known.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, O>(&self, device: &Device, counts: X) -> Result<Array<O>>
    where
        X: Inputs<'x, Value: Tally>,
        O: Element,
        F: Fills<O>,
    {
        device.refuse_in_capture("an array whose length depends on the data")?;
        let counts = Buffered::<X::Item>::new(device, counts.given())?;
        let counts = || (counts.room(), counts.length());
        let mut total = Count::new(device)?;
        self.dispatch::<_, O>(device, counts(), None, &mut total)?;
        let len = total.get()?;
        total.array_of(device, len, |output, total| self.dispatch(device, counts(), Some(output), total))
    }

    /// Expands `counts` into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, O>(&self, device: &Device, counts: X) -> Result<Vec<O>>
    where
        X: Inputs<'x, Value: Tally>,
        O: Element,
        F: Fills<O>,
    {
        self.run_to_array(device, counts)?.into_vec()
    }

    fn dispatch<C, O>(
        &self,
        device: &Device,
        (counts, length): (View<'_, C>, Option<View<'_, u64>>),
        output: Option<Target<'_, O>>,
        total: &mut Count,
    ) -> Result<()>
    where
        C: Tally,
        O: Element,
        F: Fills<O>,
    {
        let (values, expected) = (self.0.beside(), counts.len());
        if let Some(found) = values.as_ref().map(View::len).filter(|&found| found != expected) {
            return Err(Error::Length { what: "values", found, expected });
        }
        // Results that are owners, indices of counts, are less than the number of counts. Ranks are less than the
        // number of results.
        let largest = match F::EXPANDED {
            Expanded::Owner => expected,
            Expanded::Rank => output.as_ref().map_or(0, Target::len),
            Expanded::Value => 0,
        };
        if largest.saturating_sub(1) > F::MOST {
            let reason = "the output's type cannot hold the indices of so many elements: take u64 or usize";
            return Err(Error::Options { options: "indices", reason });
        }
        let call = Expanding { counts, length, values, output, expanded: F::EXPANDED };
        match (&device.0, total.view_mut()) {
            (Backend::Cpu, ViewMut::Host([total, ..])) => {
                *total = upsweep_cpu::expand::run::<F, _, O>(&call)?;
                Ok(())
            }
            (Backend::Cpu, _) => Err(Error::Place { what: "count", found: "CUDA", expected: "host" }),
            #[cfg(feature = "cuda")]
            (Backend::Cuda(cuda), mut total) => upsweep_cuda::expand::run(cuda, call, &mut total),
        }
    }
}
