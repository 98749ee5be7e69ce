//! Search: the position of each of many values in a sorted array (binary search; lower and upper bound,
//! `searchsorted`).
//!
//! ```text
//! lower(sorted)   r[i] = how many elements of `sorted` are less than x[i]
//! upper(sorted)   r[i] = how many elements of `sorted` are not greater than x[i]
//! by(less)        the same in the order of a function
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let sorted = [1.0f32, 2.0, 2.0, 5.0];
//! let x = [2.0, 0.5, 9.0, 3.0];
//! assert_eq!(Search::lower(&sorted).run_to_vec::<_, u32>(&device, &x)?, [1, 0, 4, 3]);
//! assert_eq!(Search::upper(&sorted).run_to_vec::<_, u32>(&device, &x)?, [3, 0, 4, 3]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! `sorted` ascends in the order of the search; if it does not, each result is some number from 0 to its length. Of
//! floats NaN are the last, as in NumPy, and -0 equals +0.
//!
//! **Cost.** For each value about log2(n) elements of `sorted` are read. On CUDA the first of them come from a cache,
//! and nearly all of them if the values ascend, too. Values that are no buffer are computed into memory of the device
//! first, by a pass of a [`Transform`](crate::Transform).

use crate::array::Array;
use crate::buffered::of_known_length;
use crate::device::{Backend, Device};
use upsweep_core::buffer::{Input, Output, View};
use upsweep_core::call::search::Searching;
use upsweep_core::call::select::{Indices, Yields};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::{Element, Function};
use upsweep_core::outputs::Target;

pub use upsweep_core::call::search::Ascending;

/// Search with its options: see the [module](self) for their formulas. Build it once, run it often.
#[derive(Debug)]
#[must_use = "nothing is searched until it is run"]
pub struct Search<'a, B: ?Sized, L = Ascending> {
    sorted: &'a B,
    less: L,
    upper: bool,
}

impl<B: ?Sized, L: Copy> Clone for Search<'_, B, L> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: ?Sized, L: Copy> Copy for Search<'_, B, L> {}

impl<'a, B: Input + ?Sized> Search<'a, B> {
    /// Finds the number of elements of `sorted` that are less than each value: the position to insert it before its
    /// equals.
    pub fn lower(sorted: &'a B) -> Self {
        Self { sorted, less: Ascending, upper: false }
    }

    /// Finds the number of elements of `sorted` that are not greater than each value: the position to insert it after
    /// its equals.
    pub fn upper(sorted: &'a B) -> Self {
        Self { sorted, less: Ascending, upper: true }
    }

    /// Searches in the order of `less(a, b)`, a `#[function]` that returns whether `a` comes before `b`. `sorted`
    /// ascends by it.
    pub fn by<L>(self, less: L) -> Search<'a, B, L> {
        Search { sorted: self.sorted, less, upper: self.upper }
    }
}

impl<B: Input + ?Sized, L> Search<'_, B, L> {
    /// Stores a number for each element of `values`: `u32`, `u64`, `usize`, `i32` or `i64`. On CUDA the work is
    /// enqueued on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Length`]: the output is not as long as `values`
    /// - [`Error::Options`]: the type of the output cannot hold numbers up to the length of the sorted array
    /// - the errors of a [`Transform`](crate::Transform) of values that are no buffer; [`Error::Options`] for a counted
    ///   input
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: failures of CUDA itself
    pub fn run<'x, X, O>(&self, device: &Device, values: X, output: &mut O) -> Result<()>
    where
        X: Inputs<'x, Value = B::Item>,
        O: Output + ?Sized,
        L: Function<(B::Item, B::Item), Output = bool>,
        Indices: Yields<B::Item, O::Item>,
    {
        self.dispatch(device, of_known_length(device, values)?.room(), Target::new(output.view_mut()))
    }

    /// Runs like [`run`](Self::run), into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, O>(&self, device: &Device, values: X) -> Result<Array<O>>
    where
        X: Inputs<'x, Value = B::Item>,
        O: Element,
        L: Function<(B::Item, B::Item), Output = bool>,
        Indices: Yields<B::Item, O>,
    {
        let values = of_known_length(device, values)?;
        let values = values.room();
        device.compute_array(values.len(), |output| self.dispatch(device, values, output))
    }

    /// Runs like [`run`](Self::run), into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, O>(&self, device: &Device, values: X) -> Result<Vec<O>>
    where
        X: Inputs<'x, Value = B::Item>,
        O: Element,
        L: Function<(B::Item, B::Item), Output = bool>,
        Indices: Yields<B::Item, O>,
    {
        device.refuse_in_capture("reading the results of a search")?;
        self.run_to_array(device, values)?.into_vec()
    }

    fn dispatch<O>(&self, device: &Device, values: View<'_, B::Item>, output: Target<'_, O>) -> Result<()>
    where
        O: Element,
        L: Function<(B::Item, B::Item), Output = bool>,
        Indices: Yields<B::Item, O>,
    {
        let sorted = self.sorted.view();
        let (expected, found) = (values.len(), output.len());
        if found != expected {
            return Err(Error::Length { what: "output", found, expected });
        }
        if sorted.len() > <Indices as Yields<B::Item, O>>::MOST {
            let reason = "the output's type cannot hold the length of the sorted array: take u64 or usize";
            return Err(Error::Options { options: "a search", reason });
        }
        let call = Searching { sorted, values, output, upper: self.upper };
        match &device.0 {
            Backend::Cpu => upsweep_cpu::search::run(&call, self.less),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => upsweep_cuda::search::run(cuda, call, self.less),
        }
    }
}
