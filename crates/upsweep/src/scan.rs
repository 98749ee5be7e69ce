//! Scan: all prefixes of an array, combined by an associative operator.
//!
//! For an associative operator ⊕ and elements `x[0] .. x[n - 1]`
//!
//! ```text
//! inclusive                out[i] =        x[0] ⊕ x[1] ⊕ ... ⊕ x[i]
//! inclusive, init v        out[i] =    v ⊕ x[0] ⊕ x[1] ⊕ ... ⊕ x[i]
//! exclusive                out[i] =        x[0] ⊕ x[1] ⊕ ... ⊕ x[i - 1],    out[0] = the identity
//! exclusive, init v        out[i] =    v ⊕ x[0] ⊕ x[1] ⊕ ... ⊕ x[i - 1],    out[0] = v
//! reverse                  the scan of x[n - 1], x[n - 2], ..., x[0], written back in the elements' own order
//! axis                     each line along that axis of a row-major array is scanned by itself
//! segments                 each segment is scanned by itself (init is in each)
//! map f, finish g          g(f(x[0]) ⊕ ... ⊕ f(x[i])); exclusive and init are in terms of what ⊕ combines
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let x = [3u32, 1, 7, 0, 4, 1, 6, 3];
//! let mut out = [0u32; 8];
//! Scan::new(Sum).exclusive().init(100).run(&device, &x, &mut out)?;
//! assert_eq!(out, [100, 103, 104, 111, 111, 115, 116, 122]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Cost.** One pass over memory: each element is read from memory once and each result written once. At most
//! `3 n` applications of map (a block or tile is gone through again while it is in cache), `n` of finish, less than `4 n`
//! of the operator.
//!
//! **Order.** The operator is applied strictly from left to right (only its associativity is used), so it need not be
//! commutative. How the applications are grouped depends on the number of elements and their type alone, so a scan of
//! floats gives the same bits in every run on the CPU, and on every GPU of one architecture; ARCHITECTURE.md says
//! how.
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990.

use crate::device::{Array, Backend};
use crate::job::{Direction, Init, InitFrom, InitValue, Job, NoInit, Source, Target};
use crate::operator::{Element, Enumerate, Function, Map, MapWith, Operator, Same, Stores, Widen};
use crate::plan::Shape;
use crate::segments::{Segmentation, Whole};
use crate::{Device, Error, Input, Output, Result, cpu};

/// A scan with its options: see the [module](self) for what they compute. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a scan does nothing until it is run"]
pub struct Scan<'a, Op, M = Same, F = Same, S = Whole, V = NoInit> {
    operator: Op,
    map: M,
    finish: F,
    segments: S,
    init: V,
    direction: Direction,
    axis: Option<(&'a [usize], usize)>,
}

impl<Op> Scan<'_, Op> {
    /// The inclusive scan of a whole array with `operator`.
    pub fn new(operator: Op) -> Self {
        Self {
            operator,
            map: Same,
            finish: Same,
            segments: Whole,
            init: NoInit,
            direction: Direction::default(),
            axis: None,
        }
    }
}

impl<'a, Op, M, F, S, V> Scan<'a, Op, M, F, S, V> {
    /// Each result includes its own element (the default).
    pub fn inclusive(mut self) -> Self {
        self.direction.exclusive = false;
        self
    }

    /// Each result leaves its own element out.
    pub fn exclusive(mut self) -> Self {
        self.direction.exclusive = true;
        self
    }

    /// Scans from the last element to the first.
    pub fn reverse(mut self) -> Self {
        self.direction.reverse = true;
        self
    }

    /// Scans along `axis` (counted from 0) of a row-major array of this `shape`.
    pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
        self.axis = Some((shape, axis));
        self
    }

    /// Every scan begins with `value`.
    pub fn init<T: Element>(self, value: T) -> Scan<'a, Op, M, F, S, InitValue<T>> {
        self.with_init(InitValue(value))
    }

    /// Every scan begins with element 0 of `buffer`, which lies where the device computes.
    pub fn init_from<B: Input + ?Sized>(self, buffer: &B) -> Scan<'a, Op, M, F, S, InitFrom<'_, B>> {
        self.with_init(InitFrom(buffer))
    }

    /// Scans each segment by itself: see [`Segments`](crate::Segments).
    pub fn segments<N: Segmentation>(self, segments: N) -> Scan<'a, Op, M, F, N, V> {
        let Self { operator, map, finish, init, direction, axis, .. } = self;
        Scan { operator, map, finish, segments, init, direction, axis }
    }

    /// Combines `function(x)` instead of `x`.
    pub fn map<N>(self, function: N) -> Scan<'a, Op, MapWith<N>, F, S, V> {
        self.with_map(MapWith(function))
    }

    /// Combines `(x, position)` instead of `x`. The position is the element's own, also in reverse: along the scanned
    /// axis, and with segments in the flat array, not in the segment.
    pub fn enumerate(self) -> Scan<'a, Op, Enumerate, F, S, V> {
        self.with_map(Enumerate)
    }

    /// Combines in the wider type `U`, so that sums of small integers do not wrap.
    pub fn accumulate<U: Element>(self) -> Scan<'a, Op, Widen<U>, F, S, V> {
        self.with_map(Widen::new())
    }

    /// Stores `function(result)` instead of the result.
    pub fn finish<N>(self, function: N) -> Scan<'a, Op, M, N, S, V> {
        let Self { operator, map, segments, init, direction, axis, .. } = self;
        Scan { operator, map, finish: function, segments, init, direction, axis }
    }

    fn with_map<N>(self, map: N) -> Scan<'a, Op, N, F, S, V> {
        let Self { operator, finish, segments, init, direction, axis, .. } = self;
        Scan { operator, map, finish, segments, init, direction, axis }
    }

    fn with_init<N>(self, init: N) -> Scan<'a, Op, M, F, S, N> {
        let Self { operator, map, finish, segments, direction, axis, .. } = self;
        Scan { operator, map, finish, segments, init, direction, axis }
    }

    /// Scans `input` into `output`, which has as many elements. On CUDA the work is enqueued on the device's stream
    /// and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Length`]: `output`, the flags or the keys have another length than `input`
    /// - [`Error::Shape`], [`Error::Axis`]: the shape is not the input's, or has no such axis
    /// - [`Error::NoIdentity`]: exclusive, without `init`, and the operator has no identity
    /// - [`Error::Options`]: segments together with an axis
    /// - [`Error::Offsets`]: on the CPU, offsets that do not ascend from 0 to the number of elements
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: CUDA's own
    pub fn run<I, O>(&self, device: &Device, input: &I, output: &mut O) -> Result<()>
    where
        I: Input + ?Sized,
        O: Output + ?Sized,
        M: Map<I::Item>,
        Op: Operator<M::Output>,
        O::Item: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = O::Item>,
        S: Segmentation,
        V: Init<M::Output>,
    {
        let input = input.view();
        let output = output.view_mut();
        let (len, found) = (input.len(), output.len());
        if found != len {
            return Err(Error::Length { what: "output", found, expected: len });
        }
        self.dispatch(device, Source::Buffer(input), Target::new(output), len)
    }

    /// Scans `data` in place.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_in_place<B>(&self, device: &Device, data: &mut B) -> Result<()>
    where
        B: Output + ?Sized,
        M: Map<B::Item>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = B::Item>,
        S: Segmentation,
        V: Init<M::Output>,
    {
        let data = data.view_mut();
        let len = data.len();
        self.dispatch(device, Source::Output, Target::new(data), len)
    }

    /// Scans `input` into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<I, O>(&self, device: &Device, input: &I) -> Result<Array<O>>
    where
        I: Input + ?Sized,
        O: Element,
        M: Map<I::Item>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        S: Segmentation,
        V: Init<M::Output>,
    {
        let input = input.view();
        let len = input.len();
        device.compute_array(len, |output| self.dispatch(device, Source::Buffer(input), output, len))
    }

    fn dispatch<I, O>(&self, device: &Device, input: Source<'_, I>, output: Target<'_, O>, len: usize) -> Result<()>
    where
        I: Element,
        O: Element,
        M: Map<I>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        S: Segmentation,
        V: Init<M::Output>,
    {
        let shape = Shape::new(self.axis, len)?;
        let segments = self.segments.kind();
        segments.check(len, self.axis.is_some())?;
        let init = self.init.source();
        if self.direction.exclusive && init.is_none() && self.operator.identity().is_none() {
            let operator = std::any::type_name::<Op>();
            return Err(Error::NoIdentity { operator, needed_by: "an exclusive scan" });
        }
        let (operator, map, finish) = (self.operator, self.map, self.finish);
        let job = Job::<_, _, _, _, _, _, S> { input, output, shape, init, segments, operator, map, finish };
        match &device.0 {
            Backend::Cpu => cpu::scan::run(job, self.direction),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => crate::cuda::scan::run::<(I, O, Op, M, F, S)>(cuda, job, self.direction),
        }
    }
}
