//! Reduce: one value from many, combined by an associative operator.
//!
//! For an associative operator ⊕ and elements `x[0] .. x[n - 1]`
//!
//! ```text
//! whole array     out[0] = x[0] ⊕ x[1] ⊕ ... ⊕ x[n - 1]
//! axis            the same for each line along that axis of a row-major array; the axis goes from the shape
//! segments        the same for each segment
//! init v          v ⊕ x[0] ⊕ ...; an empty line or segment yields v, and the identity without init
//! map f, finish g g(f(x[0]) ⊕ ... ⊕ f(x[n - 1]))
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let rain = [0.0f64, 2.5, 1.0, 0.0, 4.5, 0.5];
//! let mut by_day = [0.0f64; 3];
//! Reduce::new(Sum).axis(&[3, 2], 1).run(&device, &rain, &mut by_day)?;
//! assert_eq!(by_day, [2.5, 1.0, 5.0]);
//! assert_eq!(device.reduce(&rain, Max)?, 4.5);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Cost.** Each element is read from memory once; at most `3 n` applications of map, less than `4 n` of the operator
//! (segments and lines go the way of a scan; a whole array takes `n` of each).
//!
//! **Order.** Strictly from left to right, grouped by the number of elements and their type alone: see
//! [`scan`](crate::scan).

use crate::device::Backend;
use crate::job::{Init, InitFrom, InitValue, Job, NoInit, Source, Target};
use crate::operator::{Element, Enumerate, Function, Map, MapWith, Operator, Same, Stores, Widen};
use crate::plan::Shape;
use crate::segments::{SegmentKind, Segmentation, Whole};
use crate::{Device, Error, Input, Output, Result, ViewMut, cpu};

/// A reduction with its options: see the [module](self) for what they compute. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a reduction does nothing until it is run"]
pub struct Reduce<'a, Op, M = Same, F = Same, S = Whole, V = NoInit> {
    operator: Op,
    map: M,
    finish: F,
    segments: S,
    init: V,
    axis: Option<(&'a [usize], usize)>,
}

impl<Op> Reduce<'_, Op> {
    /// The reduction of a whole array with `operator`.
    pub fn new(operator: Op) -> Self {
        Self { operator, map: Same, finish: Same, segments: Whole, init: NoInit, axis: None }
    }
}

impl<'a, Op, M, F, S, V> Reduce<'a, Op, M, F, S, V> {
    /// Reduces along `axis` (counted from 0) of a row-major array of this `shape`. The output is row-major with the
    /// shape that is left.
    pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
        self.axis = Some((shape, axis));
        self
    }

    /// Every reduction begins with `value`.
    pub fn init<T: Element>(self, value: T) -> Reduce<'a, Op, M, F, S, InitValue<T>> {
        self.with_init(InitValue(value))
    }

    /// Every reduction begins with element 0 of `buffer`, which lies where the device computes.
    pub fn init_from<B: Input + ?Sized>(self, buffer: &B) -> Reduce<'a, Op, M, F, S, InitFrom<'_, B>> {
        self.with_init(InitFrom(buffer))
    }

    /// Reduces each segment by itself: see [`Segments`](crate::Segments).
    pub fn segments<N: Segmentation>(self, segments: N) -> Reduce<'a, Op, M, F, N, V> {
        let Self { operator, map, finish, init, axis, .. } = self;
        Reduce { operator, map, finish, segments, init, axis }
    }

    /// Combines `function(x)` instead of `x`.
    pub fn map<N>(self, function: N) -> Reduce<'a, Op, MapWith<N>, F, S, V> {
        self.with_map(MapWith(function))
    }

    /// Combines `(x, position)` instead of `x`, for [`ArgMin`](crate::operator::builtin::ArgMin) and
    /// [`ArgMax`](crate::operator::builtin::ArgMax). The position is counted along the reduced axis, and with segments
    /// in the flat array, not in the segment.
    pub fn enumerate(self) -> Reduce<'a, Op, Enumerate, F, S, V> {
        self.with_map(Enumerate)
    }

    /// Combines in the wider type `U`, so that sums of small integers do not wrap.
    pub fn accumulate<U: Element>(self) -> Reduce<'a, Op, Widen<U>, F, S, V> {
        self.with_map(Widen::new())
    }

    /// Stores `function(result)` instead of the result.
    pub fn finish<N>(self, function: N) -> Reduce<'a, Op, M, N, S, V> {
        let Self { operator, map, segments, init, axis, .. } = self;
        Reduce { operator, map, finish: function, segments, init, axis }
    }

    fn with_map<N>(self, map: N) -> Reduce<'a, Op, N, F, S, V> {
        let Self { operator, finish, segments, init, axis, .. } = self;
        Reduce { operator, map, finish, segments, init, axis }
    }

    fn with_init<N>(self, init: N) -> Reduce<'a, Op, M, F, S, N> {
        let Self { operator, map, finish, segments, axis, .. } = self;
        Reduce { operator, map, finish, segments, init, axis }
    }

    /// Reduces `input` into `output`: one element for the whole array, one for each line along the axis, one for each
    /// segment. On CUDA the work is enqueued on the device's stream and the call returns at once.
    ///
    /// With head flags or keys the number of segments depends on the data, and `output` may be longer than it:
    /// elements past the last segment keep their values. [`run_counted`](Self::run_counted) tells the number.
    ///
    /// # Errors
    /// As [`Scan::run`](crate::Scan::run); and [`Error::NoIdentity`] when a line or segment could be empty (a whole
    /// array or axis of length 0, any segment by offsets), the operator has no identity and there is no `init`.
    /// [`Error::Length`] when `output` is too short. With head flags or keys, an `output` that is not empty takes the
    /// results that fit: the CPU then returns the error and stores no count; on CUDA only the count tells.
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
        self.dispatch(device, input, Target::new(output.view_mut()), None)
    }

    /// As [`run`](Self::run), and stores the number of segments in `count[0]`, which lies where the device computes.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Length`] when `count` is empty.
    pub fn run_counted<I, O, C>(&self, device: &Device, input: &I, output: &mut O, count: &mut C) -> Result<()>
    where
        I: Input + ?Sized,
        O: Output + ?Sized,
        C: Output<Item = u64> + ?Sized,
        M: Map<I::Item>,
        Op: Operator<M::Output>,
        O::Item: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = O::Item>,
        S: Segmentation,
        V: Init<M::Output>,
    {
        let count = count.view_mut();
        if count.is_empty() {
            return Err(Error::Length { what: "count", found: 0, expected: 1 });
        }
        self.dispatch(device, input, Target::new(output.view_mut()), Some(count))
    }

    /// Reduces the whole of `input` to a value on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_host<I, O>(&self, device: &Device, input: &I) -> Result<O>
    where
        I: Input + ?Sized,
        O: Element,
        M: Map<I::Item>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        S: Segmentation,
        V: Init<M::Output>,
    {
        device.refuse_in_capture("reading the result of a reduction")?;
        let result = device.compute_array(1, |output| self.dispatch(device, input, output, None))?.to_vec()?;
        result.first().copied().ok_or(Error::Length { what: "output", found: 0, expected: 1 })
    }

    fn dispatch<I, O>(
        &self,
        device: &Device,
        input: &I,
        output: Target<'_, O>,
        count: Option<ViewMut<'_, u64>>,
    ) -> Result<()>
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
        let shape = Shape::new(self.axis, len)?;
        let segments = self.segments.kind();
        segments.check(len, self.axis.is_some())?;
        let (expected, exact, may_be_empty) = match &segments {
            SegmentKind::Whole => (shape.lines(), true, shape.len == 0 && shape.lines() > 0),
            SegmentKind::Offsets(offsets) => (offsets.len() - 1, true, offsets.len() > 1),
            SegmentKind::HeadFlags(_) | SegmentKind::Keys(..) => (usize::from(len > 0), false, false),
        };
        let found = output.len();
        if found < expected || (exact && found != expected) {
            return Err(Error::Length { what: "output", found, expected });
        }
        let init = self.init.source();
        if may_be_empty && init.is_none() && self.operator.identity().is_none() {
            let operator = std::any::type_name::<Op>();
            return Err(Error::NoIdentity { operator, needed_by: "a reduction of what may be empty" });
        }
        let (operator, map, finish) = (self.operator, self.map, self.finish);
        let input = Source::Buffer(input);
        // Made for each backend by itself: one that both take is in memory, where reading it takes longer than a short
        // reduction.
        let job = || Job::<_, _, _, _, _, _, S> { input, output, shape, init, segments, operator, map, finish };
        match &device.0 {
            Backend::Cpu => cpu::reduce::run(job(), count),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => crate::cuda::reduce::run::<(I::Item, O, Op, M, F, S)>(cuda, job(), count),
        }
    }
}
