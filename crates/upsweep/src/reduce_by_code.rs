//! Reduction by small codes that stand in any order (group by, aggregate by category).
//!
//! ```text
//! by_code(&codes, n)    out[c] = the x[i] with codes[i] = c, combined in their order, for c in 0 .. n
//! init v                v ⊕ those; a code of no element yields v, and the identity without init
//! map f, finish g       as of every reduction
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let (region, sales) = ([2u8, 0, 2, 2, 0], [10u64, 20, 5, 1, 2]);
//! assert_eq!(Reduce::new(Max).by_code(&region, 3).run_to_vec(&device, &sales)?, [20, 0, 10]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! Several aggregates take one pass: the operator combines tuples, or a struct.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[derive(Element, Clone, Copy)]
//! #[repr(C)]
//! struct Group {
//!     sum: f64,
//!     highest: f64,
//!     rows: u64,
//! }
//! #[operator(identity = Group { sum: 0.0, highest: f64::NEG_INFINITY, rows: 0 })]
//! fn merged(a: Group, b: Group) -> Group {
//!     Group { sum: a.sum + b.sum, highest: a.highest.maximum(b.highest), rows: a.rows + b.rows }
//! }
//! #[function]
//! fn row(x: f64) -> Group {
//!     Group { sum: x, highest: x, rows: 1 }
//! }
//! #[function]
//! fn mean_highest_rows(group: Group) -> (f64, f64, u64) {
//!     (group.sum / group.rows as f64, group.highest, group.rows)
//! }
//!
//! let device = Device::cpu();
//! let (region, price) = ([1u32, 0, 1, 1], [2.5f64, 4.0, 3.5, 3.0]);
//! let (mut means, mut highest, mut rows) = ([0.0; 2], [0.0; 2], [0; 2]);
//! let by_region = Reduce::new(Merged).map(Row).finish(MeanHighestRows).by_code(&region, 2);
//! by_region.run(&device, &price, (&mut means, &mut highest, &mut rows))?;
//! assert_eq!((means, highest, rows), ([4.0, 3.0], [4.0, 3.5], [1, 3]));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! An element is left out if its code is negative, or `n` or more. Codes are an input of their own: a buffer, a
//! [`Gather`](crate::Gather), or an [`Apply`](crate::Apply) that computes the code of an element.
//!
//! **Cost.** On the CPU one pass over elements and codes, with a table of results for each of up to 64 parts of the array:
//! a few nanoseconds an element while a table fits in a core's cache, and a cache miss an element beyond. A part has 16
//! elements or more for each code, so that few threads share arrays with nearly as many codes as elements: sort those by
//! code, and reduce them [by keys](crate::reduce_by_key).
//!
//! On CUDA a pass that stores what `map` makes of each element and a pass that stores its code as `u32`, a stable
//! [`Sort`](crate::Sort) of both, which takes a pass for each 8 bits of `n`, and a reduction by segments. Memory for the
//! codes and the mapped elements twice. [`Histogram`](crate::Histogram) needs no sort for counts and sums of integers.
//!
//! **Order.** The elements of a code are combined in their order, so that the operator need not commute. Their grouping is a
//! function of the number of elements and of codes: it does not depend on threads. On the CPU an element is combined with
//! the total of those before it in its part. The last bits of float sums are others on CUDA, where the grouping is that of
//! segments.

use crate::array::Array;
use crate::buffered::known_length;
use crate::device::{Backend, Device};
use crate::options::expect_identity;
use crate::reduce::Reduce;
use std::fmt;
use upsweep_core::bins::{BinNumber, OUTSIDE};
use upsweep_core::error::{Error, Result};
use upsweep_core::halves::{InF32, sums_in_f32};
use upsweep_core::init::Init;
use upsweep_core::inputs::{Inputs, Read, len_of};
use upsweep_core::operator::{Element, Function, Item, Map, Operator, Stores};
use upsweep_core::outputs::{Outputs, Write};
use upsweep_core::steps::Parts;

/// Codes of the elements, and the number of codes: see [`Reduce::by_code`].
pub struct Codes<'c, C: Read> {
    of_elements: C::Given<'c>,
    count: usize,
}

impl<C: Read> fmt::Debug for Codes<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Codes").field("count", &self.count).finish_non_exhaustive()
    }
}

impl<'a, Op, M, F, G, V> Reduce<'a, Op, M, F, G, V> {
    /// Reduces the elements of each code to a result: those with `codes[i] == c` for `c` in `0 .. count`. See
    /// [`reduce_by_code`](crate::reduce_by_code).
    pub fn by_code<'c, C>(self, codes: C, count: usize) -> Reduce<'a, Op, M, F, Codes<'c, C::Item>, V>
    where
        C: Inputs<'c, Value: BinNumber, Args = (<C as Inputs<'c>>::Value,)>,
    {
        Reduce { options: self.options.with_segments(Codes { of_elements: codes.given(), count }) }
    }
}

impl<Op, M, F, C, V> Reduce<'_, Op, M, F, Codes<'_, C>, V>
where
    Op: Copy,
    M: Copy,
    F: Copy,
    C: Read<Value: BinNumber, Args = (<C as Item>::Value,)>,
{
    /// Reduces the elements of each code into an element of `output`. On CUDA the work is enqueued on the device's stream
    /// and the call returns at once; it cannot be captured in a graph.
    ///
    /// # Errors
    /// - [`Error::NoIdentity`] when the operator has no identity and there is no `init`, as a code may have no element.
    /// - [`Error::Length`] when there is not a code for each element, or not a result for each code.
    /// - [`Error::Options`] with an axis, for a counted input, and for 2^32 - 2 codes or more.
    /// - [`Error::Index`] when the index of a gather or scatter is out of bounds; on CUDA the next call that waits returns
    ///   it.
    /// - On CUDA the errors of a [`Transform`](crate::Transform) of the input and of a [`Sort`](crate::Sort) of pairs;
    ///   [`Error::Driver`] in a capture.
    /// - [`Error::Place`], [`Error::Device`], [`Error::Overlap`] as [`Scan::run`](crate::Scan::run).
    pub fn run<'x, 'y, X, Y>(&self, device: &Device, input: X, output: Y) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Outputs<'y>,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        Y::Value: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = Y::Value>,
        V: Init<M::Output>,
    {
        known_length::<X>()?;
        self.dispatch_by_code::<X::Item, Y::Item>(device, input.given(), output.given())
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
        V: Init<M::Output>,
    {
        known_length::<X>()?;
        let (input, codes) = (input.given(), self.options.segments.count);
        device.compute_array(codes, |output| self.dispatch_by_code::<X::Item, O>(device, input, output))
    }

    /// Runs like [`run_to_array`](Self::run_to_array), into a vector on the host. On CUDA this waits for it.
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
        V: Init<M::Output>,
    {
        device.refuse_in_capture("reading the results of a reduction")?;
        self.run_to_array(device, input)?.into_vec()
    }

    fn dispatch_by_code<I, O>(&self, device: &Device, input: I::Given<'_>, output: O::Given<'_>) -> Result<()>
    where
        I: Read,
        O: Write,
        M: Map<I::Value, I::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O::Value>,
        V: Init<M::Output>,
    {
        let options = &self.options;
        let Codes { of_elements, count } = &options.segments;
        let count = *count;
        if C::COUNTED {
            let reason = "the codes of all elements are needed: give a part of the buffer";
            return Err(Error::Options { options: "counted codes", reason });
        }
        if options.axis.is_some() {
            let reason = "the codes say which elements have a result together: leave out `axis`";
            return Err(Error::Options { options: "axis with codes", reason });
        }
        if count >= OUTSIDE as usize {
            return Err(Error::Options { options: "2^32 - 2 codes or more", reason: "a code has 32 bits" });
        }
        let (len, codes, init) = (len_of::<I>(&input)?, C::again(of_elements), options.init.source());
        expect_identity(&options.operator, !init.is_none(), "a reduction by codes, of which any may have no element,")?;
        let found = [("codes", C::len(&codes, "codes")?, len), ("output", O::len(&output, "output")?, count)];
        for (what, found, expected) in found {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(Error::Length { what, found, expected });
            }
        }
        match &device.0 {
            Backend::Cpu => {
                let (from, sizes) = ((&input, &codes), (len, count));
                let steps = Parts::<I, O, Op, M, F>::new(options.operator, options.map, options.finish);
                if const { sums_in_f32::<M::Output, Op>() } {
                    upsweep_cpu::reduce_by_code::run::<_, C>(InF32(steps), from, &output, &init, sizes)
                } else {
                    upsweep_cpu::reduce_by_code::run::<_, C>(steps, from, &output, &init, sizes)
                }
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => {
                device.refuse_in_capture("a reduction by codes")?;
                let sorted = sorted::Sorted::<M::Output>::new::<I, M, C>(device, cuda, (input, options.map), codes)?;
                sorted.reduce::<O, Op, F>(device, cuda, (options.operator, options.finish), init, count, output)
            }
        }
    }
}

/// Reductions by codes on CUDA: as those of segments, of what is sorted by its code.
#[cfg(feature = "cuda")]
mod sorted {
    use crate::array::Array;
    use crate::device::Device;
    use crate::search::Search;
    use crate::transform::{Transform, evaluated};
    use upsweep_core::bins::{BinNumber, ByFunction, OUTSIDE};
    use upsweep_core::buffer::{Input, Output, View};
    use upsweep_core::call::sort::Cut;
    use upsweep_core::call::{Elements, Job, Unsorted};
    use upsweep_core::error::Result;
    use upsweep_core::halves::{InF32, sums_in_f32};
    use upsweep_core::init::InitSource;
    use upsweep_core::inputs::{Apply, Read};
    use upsweep_core::operator::{Element, Function, Item, Map, Operator, Same};
    use upsweep_core::outputs::{Target, Write};
    use upsweep_core::segments::{Offsets, SegmentKind};
    use upsweep_core::shape::Shape;
    use upsweep_core::steps::{JobSteps, Parts};
    use upsweep_cuda::Cuda;

    /// Values of elements, sorted by the codes of these.
    pub(super) struct Sorted<T> {
        codes: Array<u32>,
        values: Array<T>,
    }

    /// Number that each code has before it: the code itself, and past the last one a number above every code.
    #[crate::function]
    fn bound(#[param] codes: u32, code: u32) -> u32 {
        if code > codes { u32::MAX } else { code }
    }

    /// Finds where the elements of each code begin, those of no code behind them, and where they end.
    fn offsets(device: &Device, sorted: &Array<u32>, codes: usize) -> Result<Array<u64>> {
        let codes = u32::try_from(codes).unwrap_or(OUTSIDE);
        Search::lower(sorted).run_to_array(device, Apply(Bound { codes }, 0..codes + 2))
    }

    impl<T: Element> Sorted<T> {
        pub(super) fn new<I, M, C>(
            device: &Device,
            cuda: &Cuda,
            (input, map): (I::Given<'_>, M),
            codes: C::Given<'_>,
        ) -> Result<Self>
        where
            I: Read,
            M: Map<I::Value, I::Args, Output = T>,
            C: Read<Value: BinNumber, Args = (<C as Item>::Value,)>,
        {
            let mut values = evaluated::<I, M>(device, input, map)?;
            let mut codes = evaluated::<C, _>(device, codes, ByFunction::<Same, C::Args>::new(Same))?;
            let targets = (&mut Target::new(codes.view_mut()), &mut Target::new(values.view_mut()));
            let in_place = (&Unsorted::OfOutput, &Unsorted::OfOutput);
            upsweep_cuda::sort::pairs(cuda, in_place, targets, false, &Cut::<u64>::Whole)?;
            Ok(Self { codes, values })
        }

        pub(super) fn reduce<O, Op, F>(
            &self,
            device: &Device,
            cuda: &Cuda,
            (operator, finish): (Op, F),
            init: InitSource<'_, T>,
            codes: usize,
            output: O::Given<'_>,
        ) -> Result<()>
        where
            O: Write,
            Op: Operator<T>,
            F: Function<(T,), Output = O::Value>,
        {
            let offsets = offsets(device, &self.codes, codes)?;
            // The elements of no code have a result, too, which is not copied to the output.
            let mut results = device.to_be_written::<O::Value>(codes + 1)?;
            let steps = Parts::<T, O::Value, Op, Same, F>::new(operator, Same, finish);
            if const { sums_in_f32::<T, Op>() } {
                self.run(cuda, InF32(steps), &offsets, init, Target::new(results.view_mut()))?;
            } else {
                self.run(cuda, steps, &offsets, init, Target::new(results.view_mut()))?;
            }
            let of_codes = match results.view() {
                View::Cuda(results) => View::Cuda(results.slice(..codes)),
                host @ View::Host(_) => host,
            };
            Transform::copy().dispatch::<O::Value, O>(device, of_codes, output, codes)
        }

        /// Reduces each segment between two of `offsets`.
        fn run<O: Element, S>(
            &self,
            cuda: &Cuda,
            steps: S,
            offsets: &Array<u64>,
            init: InitSource<'_, T>,
            output: Target<'_, O>,
        ) -> Result<()>
        where
            S: JobSteps<In = T, Out = O, Given = T>,
        {
            let job: Job<'_, '_, '_, S, Offsets<'_, Array<u64>>> = Job {
                input: Elements::Given(self.values.view()),
                output,
                shape: Shape::line(self.values.len()),
                init,
                segments: SegmentKind::Offsets(offsets.view()),
                steps,
            };
            upsweep_cuda::reduce::run(cuda, job, None, None)
        }
    }
}
