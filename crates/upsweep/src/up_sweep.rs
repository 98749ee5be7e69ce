//! Up-sweep: the combination of each aligned block of elements, stored at the block's last element. For sums this is a
//! Fenwick tree.
//!
//! ```text
//! r[j - 1] = x[j - b] ⊕ .. ⊕ x[j - 1]     b is the lowest bit that is set in j, which goes from 1 to n
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let mut x = [3u32, 1, 7, 0, 4, 1, 6, 3];
//! UpSweep::new(Sum).run_in_place(&Device::cpu(), &mut x)?;
//! assert_eq!(x, [3, 4, 7, 11, 4, 5, 6, 25]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! The first `j` elements are blocks whose sizes are the bits of `j`: for 6 elements, block `r[3]` of four and then
//! `r[5]` of two.
//!
//! **Cost.** One pass over memory, and on CUDA another launch for each factor of 2,048 (of elements of 4 bytes); at
//! most `n` applications of the operator. An input that is no buffer is computed into memory of the device first, by a
//! pass of a [`Transform`](crate::Transform).
//!
//! **Order.** Each result is a balanced tree of its elements in order, so the operator need not commute, and float sums
//! are pairwise. Results have the same bits on every device. Sums of `f16` and `bf16` are rounded in each step.
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990; Fenwick, "A New Data Structure for Cumulative
//! Frequency Tables", 1994.

use crate::array::Array;
use crate::buffered::of_known_length;
use crate::device::{Backend, Device};
#[cfg(feature = "cuda")]
use crate::options::Options;
use upsweep_core::buffer::{Output, View};
#[cfg(feature = "cuda")]
use upsweep_core::call::{Elements, Job};
use upsweep_core::error::{Error, Result};
#[cfg(feature = "cuda")]
use upsweep_core::init::InitSource;
use upsweep_core::inputs::Inputs;
#[cfg(feature = "cuda")]
use upsweep_core::operator::Same;
use upsweep_core::operator::{Element, Operator};
use upsweep_core::outputs::Target;
#[cfg(feature = "cuda")]
use upsweep_core::segments::{SegmentKind, Whole};
#[cfg(feature = "cuda")]
use upsweep_core::steps::Parts;

/// Up-sweep: see the [module](self). Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "an up-sweep does nothing until it is run"]
pub struct UpSweep<Op> {
    operator: Op,
}

impl<Op> UpSweep<Op> {
    /// Makes an up-sweep with `operator`.
    pub fn new(operator: Op) -> Self {
        Self { operator }
    }

    /// Stores the results of `input` in `output`, which has as many elements. On CUDA the work is enqueued on the
    /// device's stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Length`]: the output has another length
    /// - the errors of a [`Transform`](crate::Transform) of an input that is no buffer; [`Error::Options`] for a counted
    ///   one
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: failures of CUDA itself
    pub fn run<'x, X, Y>(&self, device: &Device, input: X, output: &mut Y) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Output<Item = X::Value> + ?Sized,
        Op: Operator<X::Value>,
    {
        self.dispatch(device, Some(of_known_length(device, input)?.room()), Target::new(output.view_mut()))
    }

    /// Runs like [`run`](Self::run), into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X>(&self, device: &Device, input: X) -> Result<Array<X::Value>>
    where
        X: Inputs<'x>,
        Op: Operator<X::Value>,
    {
        let input = of_known_length(device, input)?;
        let input = input.room();
        device.compute_array(input.len(), |output| self.dispatch(device, Some(input), output))
    }

    /// Runs like [`run`](Self::run), into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X>(&self, device: &Device, input: X) -> Result<Vec<X::Value>>
    where
        X: Inputs<'x>,
        Op: Operator<X::Value>,
    {
        device.refuse_in_capture("reading the results of an upsweep")?;
        self.run_to_array(device, input)?.into_vec()
    }

    /// Runs in place: stores each result at the index of its element in `data`.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_in_place<B>(&self, device: &Device, data: &mut B) -> Result<()>
    where
        B: Output + ?Sized,
        Op: Operator<B::Item>,
    {
        self.dispatch(device, None, Target::new(data.view_mut()))
    }

    /// Runs the up-sweep, in place if there is no input.
    fn dispatch<T>(&self, device: &Device, input: Option<View<'_, T>>, output: Target<'_, T>) -> Result<()>
    where
        T: Element,
        Op: Operator<T>,
    {
        let len = output.len();
        if let Some(found) = input.as_ref().map(View::len).filter(|&found| found != len) {
            return Err(Error::Length { what: "output", found: len, expected: found });
        }
        match &device.0 {
            Backend::Cpu => upsweep_cpu::up_sweep::run(self.operator, input, &output),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => {
                let steps = Parts::<T, T, Op, Same, Same>::new(self.operator, Same, Same);
                let shape = Options::new(self.operator).shape(len)?;
                let input = input.map_or(Elements::OfOutput, Elements::Given);
                let (init, segments) = (InitSource::None, SegmentKind::Whole);
                let job: Job<'_, '_, '_, _, Whole> = Job { input, output, shape, init, segments, steps };
                upsweep_cuda::up_sweep::run(cuda, job)
            }
        }
    }
}
