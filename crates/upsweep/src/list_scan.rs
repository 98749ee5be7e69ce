//! Scans along linked lists (list ranking), whose elements lie in any order.
//!
//! ```text
//! next[e]          the element behind element e; of the last one, itself
//! inclusive        r[first] = x[first],           r[next[e]] = r[e] ⊕ x[next[e]]
//! exclusive        r[first] = the identity,       r[next[e]] = r[e] ⊕ x[e]
//! map f, finish g  as of every scan
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! // 2, then 0, then 3, then 1.
//! let (next, x) = ([3u32, 1, 0, 1], [10u64, 20, 30, 40]);
//! let sums: Array<u64> = Scan::new(Sum).along(&next, 2).run_to_array(&device, &x)?;
//! assert_eq!(sums.to_vec()?, [40, 100, 30, 80]);
//! // The place of each element on the list: list ranking.
//! let places: Array<u32> = Scan::new(Sum).exclusive().along(&next, 2).run_to_array(&device, &[1u32; 4])?;
//! assert_eq!(places.to_vec()?, [1, 3, 0, 2]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **How.** The list is cut into pieces at elements chosen from all over the array. The totals of the pieces are
//! computed side by side. The pieces form a list themselves, which is ranked in the same way, or by one thread or
//! block. Then each piece is traversed once more, for the results.
//!
//! **Cost.** `2 n` reads of `next` and of elements anywhere in memory, `n` results stored anywhere, `2 n` applications
//! of map and operator, `n` of finish. Computed inputs (a range, a repeated value) are not read. Memory for a tenth of
//! the results, on the device.
//!
//! **Order.** From the first element to the last, so the operator need not commute. The grouping depends only on the
//! list and the backend.
//!
//! A circle is cut before `first`. A `next` that is no list of all elements is an error, and so is a successor that
//! does not exist.
//!
//! Source: Helman and JaJa, "Designing Practical Efficient Algorithms for Symmetric Multiprocessors", 1999.

use crate::array::Array;
use crate::device::{Backend, Device};
use crate::options::expect_identity;
use crate::scan::Scan;
use upsweep_core::buffer::{Input, View};
#[cfg(feature = "cuda")]
use upsweep_core::call::{Elements, Job};
use upsweep_core::error::{Error, Result};
use upsweep_core::halves::{InF32, sums_in_f32};
#[cfg(feature = "cuda")]
use upsweep_core::init::InitSource;
use upsweep_core::inputs::{Inputs, Read, len_of};
use upsweep_core::operator::{Element, Function, Map, Operator, Same, Stores};
use upsweep_core::outputs::{Outputs, Write};
#[cfg(feature = "cuda")]
use upsweep_core::segments::{SegmentKind, Whole};
use upsweep_core::steps::{JobSteps, Parts};
use upsweep_plan::list_scan::MOST;

/// Scan along a linked list: see the [module](self). [`Scan::along`] makes it.
#[derive(Debug)]
#[must_use = "a scan does nothing until it is run"]
pub struct ScanAlong<'a, B: ?Sized, Op, M = Same, F = Same> {
    scan: Scan<'a, Op, M, F>,
    next: &'a B,
    first: usize,
}

impl<B: ?Sized, Op: Copy, M: Copy, F: Copy> Clone for ScanAlong<'_, B, Op, M, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: ?Sized, Op: Copy, M: Copy, F: Copy> Copy for ScanAlong<'_, B, Op, M, F> {}

impl<'a, Op, M, F> Scan<'a, Op, M, F> {
    /// Scans along the list in which `next[e]` is the element after element `e`, and `first` the first one: see
    /// [`list_scan`](crate::list_scan).
    pub fn along<B: Input<Item = u32> + ?Sized>(self, next: &'a B, first: usize) -> ScanAlong<'a, B, Op, M, F> {
        ScanAlong { scan: self, next, first }
    }
}

impl<B, Op, M, F> ScanAlong<'_, B, Op, M, F>
where
    B: Input<Item = u32> + ?Sized,
    Op: Copy,
    M: Copy,
    F: Copy,
{
    /// Stores a result for each element of `input` in `output`. On CUDA the work is enqueued on the device's stream and
    /// the call returns at once.
    ///
    /// # Errors
    /// - [`Error::List`]: not all elements are on the list; on CUDA the next call that waits returns it
    /// - [`Error::Index`]: an entry of `next` is no element's index, on CUDA returned in the same way; also for
    ///   `first`, with the position `usize::MAX`
    /// - [`Error::Length`]: `next` or the output has another length than the input
    /// - [`Error::NoIdentity`]: exclusive, and the operator has no identity
    /// - [`Error::Options`]: a scan in reverse, along an axis or with a total; more than 2^32 - 1 elements; a counted
    ///   input
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: failures of CUDA itself
    pub fn run<'x, 'y, X, Y>(&self, device: &Device, input: X, output: Y) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Outputs<'y>,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        Y::Value: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = Y::Value>,
    {
        let input = input.given();
        let len = len_of::<X::Item>(&input)?;
        self.dispatch::<X::Item, Y::Item>(device, input, output.given(), len)
    }

    /// Runs like [`run`](Self::run), into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, O>(&self, device: &Device, input: X) -> Result<Array<O>>
    where
        X: Inputs<'x>,
        O: Element,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
    {
        let input = input.given();
        let len = len_of::<X::Item>(&input)?;
        device.compute_array(len, |output| self.dispatch::<X::Item, O>(device, input, output, len))
    }

    /// Runs like [`run`](Self::run), into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, O>(&self, device: &Device, input: X) -> Result<Vec<O>>
    where
        X: Inputs<'x>,
        O: Element,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
    {
        device.refuse_in_capture("reading the results of a scan")?;
        self.run_to_array(device, input)?.into_vec()
    }

    fn dispatch<I, O>(&self, device: &Device, input: I::Given<'_>, output: O::Given<'_>, len: usize) -> Result<()>
    where
        I: Read,
        O: Write,
        M: Map<I::Value, I::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O::Value>,
    {
        let Self { scan, next, first } = *self;
        let wrong = |options, reason| Err(Error::Options { options, reason });
        if scan.direction.reverse || scan.direction.total || scan.options.axis.is_some() {
            return wrong(
                "a scan along a list",
                "it goes from the first element to the last: leave out `reverse`, `with_total` and `axis`",
            );
        }
        if I::COUNTED {
            return wrong("a counted input along a list", "the list has all elements: give an input of known length");
        }
        if len > MOST {
            return wrong("a list of more than 2^32 - 1 elements", "elements are numbers of 32 bits");
        }
        let output_len = O::len(&output, "output")?.unwrap_or(len);
        // Read once: an input that the program implements could return another length the second time.
        let next = next.view();
        for (what, found) in [("list", next.len()), ("output", output_len)] {
            if found != len {
                return Err(Error::Length { what, found, expected: len });
            }
        }
        let operator = scan.options.operator;
        if scan.direction.exclusive {
            expect_identity(&operator, false, "an exclusive scan")?;
        }
        if len == 0 {
            return Ok(());
        }
        if first >= len {
            return Err(Error::Index { at: usize::MAX, index: first as i128, len });
        }
        let steps = Parts::<I, O, Op, M, F>::new(operator, scan.options.map, scan.options.finish);
        if const { sums_in_f32::<M::Output, Op>() } {
            self.run_steps(device, InF32(steps), &next, input, output, len)
        } else {
            self.run_steps(device, steps, &next, input, output, len)
        }
    }

    fn run_steps<S: JobSteps>(
        &self,
        device: &Device,
        steps: S,
        next: &View<'_, u32>,
        input: <S::In as Read>::Given<'_>,
        output: <S::Out as Write>::Given<'_>,
        len: usize,
    ) -> Result<()> {
        let exclusive = self.scan.direction.exclusive;
        match &device.0 {
            Backend::Cpu => upsweep_cpu::list_scan::run(steps, (&input, &output), next, (len, self.first), exclusive),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => {
                let shape = self.scan.options.shape(len)?;
                let (init, segments) = (InitSource::None, SegmentKind::Whole);
                let job: Job<'_, '_, '_, S, Whole> =
                    Job { input: Elements::Given(input), output, shape, init, segments, steps };
                upsweep_cuda::list_scan::run(cuda, job, next, self.first, exclusive)
            }
        }
    }
}
