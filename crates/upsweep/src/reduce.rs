//! Reduce: one value from many, combined by an associative operator (fold).
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
//! Groups whose elements stand in any order are in [`reduce_by_code`](crate::reduce_by_code). An array may come in parts:
//! [`carry`](crate::carry).
//!
//! **Cost.** Each element is read from memory once; at most `3 n` applications of map, less than `4 n` of the operator
//! (segments and lines are combined as in a scan; a whole array takes `n` of each).
//!
//! **Sums of `f16` and `bf16`** are combined in `f32` and rounded once: see [`scan`](crate::scan).
//!
//! **Order.** Strictly from left to right, grouped by the number of elements and their type alone: see
//! [`scan`](crate::scan). Whole arrays of float sums and products (`Sum` of `f16` and `bf16`, too) have one tree, so that
//! their results are the same bits on every CPU and every GPU. It has 32, 64 or 128 lanes side by side, as vectors and
//! warps are made for: an element is added to the seven others of its lane in a chunk, then the lanes of a chunk are
//! folded, then the chunks' totals are a balanced tree. The operands of these operators may change places, as that changes
//! no bits. Lines along the last axis have the same tree, each from its own beginning. Other reductions are trees on the CPU, too (pairwise
//! summation), so that the error of a float sum grows with the logarithm of the number of elements: the sum of 10^8
//! times `0.1f32` has a relative error of 2e-7.
//!
//! The last result of a scan is grouped otherwise, and is less exact: a scan's results are chains, so that sums of numbers
//! that are not negative never descend. A total has nobody beside it that it could descend from.

use crate::array::Array;
use crate::device::{Backend, Device};
use crate::options::{Asked, Options, begins_with_nothing, shared_options};
use upsweep_core::buffer::{Input, Output, ViewMut};
use upsweep_core::call::{Elements, Job};
use upsweep_core::error::{Error, Result};
use upsweep_core::halves::{InF32, sums_in_f32};
use upsweep_core::init::{Init, InitFrom, InitSource, InitValue, NoInit};
use upsweep_core::inputs::{Inputs, Read, len_of};
use upsweep_core::operator::{Element, Enumerate, Function, Map, MapWith, Operator, Same, Stores, Widen};
use upsweep_core::outputs::{Outputs, Target, Write};
use upsweep_core::segments::{Kind, OfOne, SegmentKind, Segmentation, SegmentsBy, Whole};
use upsweep_core::shape::Shape;
use upsweep_core::steps::{JobSteps, Parts, Steps};

/// Reduction with its options: see the [module](self) for their formulas. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a reduction does nothing until it is run"]
pub struct Reduce<'a, Op, M = Same, F = Same, G = Whole, V = NoInit> {
    pub(crate) options: Options<'a, Op, M, F, G, V>,
}

shared_options! { Reduce {}, "Reduces", "reduction", " The output is row-major with the shape that is left." }

impl<Op> Reduce<'_, Op> {
    /// Makes the reduction of a whole array with `operator`.
    pub fn new(operator: Op) -> Self {
        Self { options: Options::new(operator) }
    }
}

/// Additional outputs of a reduction.
pub(crate) struct Beside<'a, K: Element> {
    /// Output for the number of segments, if it is to be stored.
    pub(crate) count: Option<ViewMut<'a, u64>>,
    /// Output for the first key of each segment, if it is to be stored, on CUDA.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "the CPU goes over the keys once more"))]
    pub(crate) keys: Option<Target<'a, K>>,
}

impl<K: Element> Beside<'_, K> {
    pub(crate) const NOTHING: Self = Self { count: None, keys: None };
}

impl<Op, M, F, G: Segmentation, V> Reduce<'_, Op, M, F, G, V> {
    /// Reduces `input` into `output`: one element for the whole array, for each line along the axis, or for each
    /// segment. On CUDA the work is enqueued on the device's stream and the call returns at once.
    ///
    /// With head flags or keys the number of segments depends on the data, and `output` may be longer: elements past
    /// the last segment keep their values. [`run_counted`](Self::run_counted) stores the number.
    ///
    /// # Errors
    /// As [`Scan::run`](crate::Scan::run); and [`Error::NoIdentity`] when a line or segment could be empty (a whole
    /// array or axis of length 0, any segment by offsets), the operator has no identity and there is no `init`.
    /// [`Error::Length`] when `output` is too short. With head flags or keys, an `output` that is not empty takes the
    /// results that fit: the CPU then returns the error and stores no count; on CUDA only the count reveals it.
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
        let nothing = Beside::<G::Key>::NOTHING;
        self.dispatch::<X::Item, Y::Item, _>(device, input.given(), output.given(), &self.options.segments, nothing)
    }

    /// Runs like [`run`](Self::run), and stores the number of segments in `count[0]`, which lies where the device
    /// computes.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Length`] when `count` is empty.
    pub fn run_counted<'x, 'y, X, Y, C>(&self, device: &Device, input: X, output: Y, count: &mut C) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Outputs<'y>,
        C: Output<Item = u64> + ?Sized,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        Y::Value: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = Y::Value>,
        V: Init<M::Output>,
    {
        let count = count.view_mut();
        if count.is_empty() {
            return Err(Error::Length { what: "count", found: 0, expected: 1 });
        }
        let beside = Beside { count: Some(count), ..Beside::<G::Key>::NOTHING };
        self.dispatch::<X::Item, Y::Item, _>(device, input.given(), output.given(), &self.options.segments, beside)
    }

    /// Reduces the whole of `input` to a value on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_host<'x, X, O>(&self, device: &Device, input: X) -> Result<O>
    where
        X: Inputs<'x>,
        O: Element,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        V: Init<M::Output>,
    {
        device.refuse_in_capture("reading the result of a reduction")?;
        let input = input.given();
        let nothing = Beside::<G::Key>::NOTHING;
        // The reduction is checked to have one result: several lines along an axis would have several.
        let segments = OfOne(&self.options.segments);
        device.compute_one(|output| self.dispatch::<X::Item, O, _>(device, input, output, &segments, nothing))
    }

    /// Reduces `input` into a new array on the device, of one element for the whole array, for each line along the
    /// axis, or for each segment by offsets.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let rows = Reduce::new(Sum).segments(Segments::Offsets(&[0u32, 2, 2, 5]));
    /// assert_eq!(rows.run_to_array(&device, &[1, 2, 3, 4, 5])?.to_vec()?, [3, 0, 12]);
    /// let columns = Reduce::new(Max).axis(&[2, 3], 0);
    /// assert_eq!(columns.run_to_array(&device, &[1, 5, 2, 4, 3, 6])?.to_vec()?, [4, 5, 6]);
    /// assert_eq!(Reduce::new(Sum).run_to_array(&device, &[1, 2, 3])?.to_vec()?, [6]);
    ///
    /// // How many keys there are is not known before.
    /// let by_key = Reduce::new(Sum).segments(Segments::Keys(&[7, 7, 8]));
    /// assert!(matches!(by_key.run_to_array::<_, i32>(&device, &[1, 2, 3]), Err(upsweep::Error::Options { .. })));
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Options`] with head flags or keys, where the number of results depends on the
    /// data.
    pub fn run_to_array<'x, X, O>(&self, device: &Device, input: X) -> Result<Array<O>>
    where
        X: Inputs<'x>,
        O: Element,
        M: Map<X::Value, X::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        V: Init<M::Output>,
    {
        let input = input.given();
        let shape = self.options.shape(len_of::<X::Item>(&input)?)?;
        let (results, true) = results(self.options.segments.kind().untyped(), &shape) else {
            let reason = "the data say how many results there are: give `run_counted` an output and a count";
            return Err(Error::Options { options: "a new array for segments by head flags or keys", reason });
        };
        let nothing = Beside::<G::Key>::NOTHING;
        let segments = &self.options.segments;
        device.compute_array(results, |output| self.dispatch::<X::Item, O, _>(device, input, output, segments, nothing))
    }

    /// Runs like [`run_to_array`](Self::run_to_array), into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run_to_array`](Self::run_to_array).
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

    /// Runs the reduction with `segments`, which are its own or the single segment [of one](OfOne) result.
    pub(crate) fn dispatch<I, O, N>(
        &self,
        device: &Device,
        input: I::Given<'_>,
        output: O::Given<'_>,
        segments: &N,
        beside: Beside<'_, N::Key>,
    ) -> Result<()>
    where
        I: Read,
        O: Write,
        M: Map<I::Value, I::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O::Value>,
        N: Segmentation,
        V: Init<M::Output>,
    {
        let len = len_of::<I>(&input)?;
        let Options { operator, map, finish, axis, .. } = self.options;
        let (segments, init) = (segments.kind(), self.options.init.source());
        let (input, steps) = (Elements::Given(input), Parts::<I, O, Op, M, F>::new(operator, map, finish));
        run_checked::<I, O, Op, M, F, N>(device, (input, output, Shape::line(len), init, segments, steps), axis, beside)
    }
}

/// Checks a reduction and runs it. Its shape is given as a single line of all elements, and `axis` by itself.
#[cfg_attr(not(feature = "small-loops"), inline(always))]
#[cfg_attr(feature = "small-loops", inline(never))]
fn run_checked<I, O, Op, M, F, G>(
    device: &Device,
    (input, output, shape, init, segments, steps): OfJob<'_, '_, '_, Parts<I, O, Op, M, F>, G>,
    axis: Option<(&[usize], usize)>,
    beside: Beside<'_, G::Key>,
) -> Result<()>
where
    I: Read,
    O: Write,
    M: Map<I::Value, I::Args>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O::Value>,
    G: Segmentation,
{
    let asked = Asked {
        axis,
        len: shape.len,
        counted: I::COUNTED,
        segments: segments.untyped(),
        output: O::len(&output, "output")?,
        begins_with_nothing: begins_with_nothing(&steps.operator, &init),
    };
    let shape = checked(&asked)?;
    (const { way::<I, O, Op, M, F, G>() })(device, (input, output, shape, init, segments, steps), beside)
}

/// Checks a reduction, and returns its shape. The function is inlined, because most of what it checks is constant where
/// a call is compiled. With `small-loops` it is a function of its own.
#[cfg_attr(not(feature = "small-loops"), inline(always))]
#[cfg_attr(feature = "small-loops", inline(never))]
fn checked(asked: &Asked<'_>) -> Result<Shape> {
    let shape = asked.shape()?;
    let (expected, exact) = results(asked.segments, &shape);
    let may_be_empty = match asked.segments.kind {
        Kind::Whole => shape.len == 0 && shape.lines() > 0,
        Kind::Offsets => expected > 0,
        Kind::HeadFlags | Kind::Keys => false,
    };
    if let Some(found) = asked.output
        && (found < expected || (exact && found != expected))
    {
        return Err(Error::Length { what: "output", found, expected });
    }
    if may_be_empty || (asked.counted && exact) {
        asked.expect_begin("a reduction of what may be empty")?;
    }
    Ok(shape)
}

/// Parts of a [`Job`]: input, output, shape, initial value, segments, and the steps `S` (map, operator and finish).
type OfJob<'x, 'y, 'a, S, G> = (
    Elements<'x, <S as Steps>::In>,
    <<S as Steps>::Out as Write>::Given<'y>,
    Shape,
    InitSource<'a, <S as JobSteps>::Given>,
    SegmentKind<'a, <G as Segmentation>::Key, <G as Segmentation>::Offset, <G as Segmentation>::Same>,
    S,
);

/// Function that runs a reduction on a device, given the parts of its job.
type Way<S, G> =
    for<'x, 'y, 'a> fn(&Device, OfJob<'x, 'y, 'a, S, G>, Beside<'_, <G as Segmentation>::Key>) -> Result<()>;

/// Returns the function that runs a reduction by the operator `Op`: sums of `f16` and `bf16` are computed in `f32`. It
/// is chosen as a constant: otherwise the compiler would compile the branch that is never taken, too, for each job.
const fn way<I, O, Op, M, F, G>() -> Way<Parts<I, O, Op, M, F>, G>
where
    I: Read,
    O: Write,
    M: Map<I::Value, I::Args>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O::Value>,
    G: Segmentation,
{
    if sums_in_f32::<M::Output, Op>() {
        |device, (input, output, shape, init, segments, steps), beside| {
            run_job::<_, G>(device, || Job { input, output, shape, init, segments, steps: InF32(steps) }, beside)
        }
    } else {
        |device, (input, output, shape, init, segments, steps), beside| {
            run_job::<_, G>(device, || Job { input, output, shape, init, segments, steps }, beside)
        }
    }
}

/// Returns the number of results, or a lower bound of it; and whether it is exact.
fn results(segments: SegmentsBy, shape: &Shape) -> (usize, bool) {
    match segments.kind {
        Kind::Whole => (shape.lines(), true),
        Kind::Offsets => (segments.items.saturating_sub(1), true),
        Kind::HeadFlags | Kind::Keys => (usize::from(shape.lines() > 0 && shape.len > 0), false),
    }
}

/// Runs a job on its backend. Each backend's arm builds the job: a job that both arms share would be in memory, and
/// reading it takes longer than a short reduction.
#[inline(always)]
fn run_job<'x, 'y, 'a, S: JobSteps, G: Segmentation>(
    device: &Device,
    job: impl FnOnce() -> Job<'x, 'y, 'a, S, G>,
    beside: Beside<'_, G::Key>,
) -> Result<()> {
    match &device.0 {
        Backend::Cpu => upsweep_cpu::reduce::run(job(), beside.count),
        #[cfg(feature = "cuda")]
        Backend::Cuda(cuda) => upsweep_cuda::reduce::run(cuda, job(), beside.count, beside.keys),
    }
}

impl Device {
    /// Combines `x[0] ⊕ ... ⊕ x[n - 1]` on the host; of no elements, returns the identity. On CUDA this waits for the
    /// result: [`Reduce::run`] does not.
    ///
    /// # Errors
    /// As [`Reduce::run`].
    pub fn reduce<I, Op>(&self, input: &I, operator: Op) -> Result<I::Item>
    where
        I: Input + ?Sized,
        Op: Operator<I::Item>,
    {
        Reduce::new(operator).run_to_host(self, input)
    }
}
