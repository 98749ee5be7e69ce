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
//! with_total               n + 1 results, of which the last is  x[0] ⊕ ... ⊕ x[n - 1]
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
//! **Cost.** One pass over memory: each element is read from memory once and each result written once. At most `3 n`
//! applications of map (a block or tile is processed again while it is in cache), `n` of finish, less than `4 n` of the
//! operator.
//!
//! **Sums of `f16` and `bf16`** (operators whose body is `a + b`) are combined in `f32`, and each result is rounded
//! once. In their own type, sums of ones would stop growing at 2048 and 256.
//!
//! **Order.** The operator is applied strictly from left to right (only its associativity is used), so it need not be
//! commutative.
//!
//! **Bits of floats.** Sums and products of `f32` and `f64`, and sums of `f16` and `bf16`, of whole arrays and by segments,
//! have the same bits on every device; so have those along the last axis, with [`portable`](Scan::portable). The order of
//! operations is one tree (`upsweep-core/src/tree.rs`), which depends on an element's position, on the types and on where
//! segments begin, and on nothing that comes later. Such sums never descend where an element is not negative, and an
//! element of zero does not move them, also along the last axis. Other operators and scans along another axis are grouped
//! by the number of elements and their types: they give the same bits in every run on the CPU, and on every GPU of one
//! architecture.
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990.

use crate::array::Array;
use crate::device::{Backend, Device};
use crate::options::{Asked, Options, begins_with_nothing, shared_options};
use upsweep_core::buffer::{Input, Output};
use upsweep_core::call::carry::Carried;
use upsweep_core::call::{Direction, Elements, Job};
use upsweep_core::error::{Error, Result};
use upsweep_core::halves::{InF32, sums_in_f32};
use upsweep_core::init::{Init, InitFrom, InitValue, NoInit};
use upsweep_core::inputs::{Inputs, Read, len_of};
use upsweep_core::operator::{Element, Enumerate, Function, Map, MapWith, Operator, Same, Stores, Widen};
use upsweep_core::outputs::{Outputs, Target, Write};
use upsweep_core::segments::{Kind, Segmentation, Whole};
use upsweep_core::shape::Shape;
use upsweep_core::steps::{JobSteps, Parts, Steps};

/// Scan with its options: see the [module](self) for their formulas. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a scan does nothing until it is run"]
pub struct Scan<'a, Op, M = Same, F = Same, G = Whole, V = NoInit> {
    pub(crate) options: Options<'a, Op, M, F, G, V>,
    pub(crate) direction: Direction,
}

shared_options! { Scan { direction }, "Scans", "scan", "" }

impl<Op> Scan<'_, Op> {
    /// Makes the inclusive scan of a whole array with `operator`.
    pub fn new(operator: Op) -> Self {
        Self { options: Options::new(operator), direction: Direction::default() }
    }
}

impl<Op, M, F, G, V> Scan<'_, Op, M, F, G, V> {
    /// Makes the scan inclusive: the result at index `i` includes the element at `i` (the default).
    pub fn inclusive(mut self) -> Self {
        self.direction.exclusive = false;
        self
    }

    /// Makes the scan exclusive: the result at index `i` excludes the element at `i`.
    pub fn exclusive(mut self) -> Self {
        self.direction.exclusive = true;
        self
    }

    /// Scans from the last element to the first.
    pub fn reverse(mut self) -> Self {
        self.direction.reverse = true;
        self
    }

    /// Stores one more result after the others: the combination of the initial value and all elements, after `finish`.
    /// An exclusive scan of lengths with its total is the offsets of segments ([`Segments::Offsets`](crate::Segments)).
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let mut offsets = [0u32; 5];
    /// Scan::new(Sum).exclusive().with_total().run(&Device::cpu(), &[3, 0, 2, 4], &mut offsets)?;
    /// assert_eq!(offsets, [0, 3, 3, 5, 9]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// A total exists for a whole array only: [`Error::Options`] with segments or several lines along an axis.
    pub fn with_total(mut self) -> Self {
        self.direction.total = true;
        self
    }

    /// Gives sums and products of floats along the last axis the same bits on every device: those that each line has
    /// alone. Scans of whole arrays and by segments have them without it.
    ///
    /// It changes nothing on the CPU, and for results that are exact, such as integers. On a GPU it takes more time: each
    /// line begins with a row, a group or a tile of its own, and the rest of these stays empty. On an H200 lines of 64
    /// `f32` take as long as without it, those of 65,536 a sixth more, of 1,000 a third more, of 3, 100 or an odd number
    /// three quarters more, of 10 two and a half times as long. An operator of the program's own has no common order of
    /// operations: it gives the same bits if it is exactly associative.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let x = [0.1f32, 0.2, 0.3, 0.4, 0.5, 0.6];
    /// let sums: Vec<f32> = Scan::new(Sum).axis(&[2, 3], 1).portable().run_to_vec(&Device::cpu(), &x)?;
    /// let alone: Vec<f32> = Scan::new(Sum).run_to_vec(&Device::cpu(), &x[3..])?;
    /// assert_eq!(sums[3..], alone);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// [`Error::Options`] for floats along another axis: their order of operations is that of the device.
    pub fn portable(mut self) -> Self {
        self.direction.portable = true;
        self
    }

    /// Scans `input` into `output`, which has as many elements. [`inputs`](upsweep_core::inputs) and
    /// [`outputs`](upsweep_core::outputs) list the possible inputs and outputs. On CUDA the work is enqueued on the
    /// device's stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Length`]: `output`, the flags or the keys have another length than `input`
    /// - [`Error::Shape`], [`Error::Axis`]: the shape is not the input's, or has no such axis
    /// - [`Error::NoIdentity`]: exclusive, without `init`, and the operator has no identity
    /// - [`Error::Options`]: segments together with an axis
    /// - [`Error::Offsets`]: on the CPU, offsets that do not ascend from 0 to the number of elements
    /// - [`Error::Index`]: an index of a gather or scatter is out of bounds; on CUDA the next call that waits returns
    ///   it, and also [`Error::Offsets`], and [`Error::Capacity`] for a count of more elements than there are
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
        G: Segmentation,
        V: Init<M::Output>,
    {
        let input = input.given();
        let len = len_of::<X::Item>(&input)?;
        self.dispatch::<X::Item, Y::Item>(device, Elements::Given(input), output.given(), len, None)
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
        G: Segmentation,
        V: Init<M::Output>,
    {
        let data = data.view_mut();
        let len = data.len();
        self.dispatch::<B::Item, B::Item>(device, Elements::OfOutput, Target::new(data), len, None)
    }

    /// Scans `input` into a new array on the device.
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
        G: Segmentation,
        V: Init<M::Output>,
    {
        if X::Item::COUNTED {
            // Every element of a new array must be written.
            let reason =
                "the device knows how many results there are: give `run` an output, of which so many are written";
            return Err(Error::Options { options: "a new array for counted elements", reason });
        }
        let input = input.given();
        let len = len_of::<X::Item>(&input)?;
        device.compute_array(results(len, self.direction), |output| {
            self.dispatch::<X::Item, O>(device, Elements::Given(input), output, len, None)
        })
    }

    /// Scans `input` into a vector on the host. On CUDA this waits for it.
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
        G: Segmentation,
        V: Init<M::Output>,
    {
        device.refuse_in_capture("reading the results of a scan")?;
        self.run_to_array(device, input)?.into_vec()
    }

    /// Returns this scan in the default direction: inclusive, from the first element on, and without a total.
    pub(crate) fn inclusive_part(mut self) -> Self {
        self.direction = Direction::default();
        self
    }

    pub(crate) fn dispatch<I, O>(
        &self,
        device: &Device,
        input: Elements<'_, I>,
        output: O::Given<'_>,
        len: usize,
        carried: Option<Carried<'_>>,
    ) -> Result<()>
    where
        I: Read,
        O: Write,
        M: Map<I::Value, I::Args>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O::Value>,
        G: Segmentation,
        V: Init<M::Output>,
    {
        let Options { operator, map, finish, axis, .. } = self.options;
        let (segments, init) = (self.options.segments.kind(), self.options.init.source());
        let steps = Parts::<I, O, Op, M, F>::new(operator, map, finish);
        let job = Job::<_, G> { input, output, shape: Shape::line(len), init, segments, steps };
        run_checked::<I, O, Op, M, F, G>(device, job, axis, self.direction, carried)
    }
}

/// Checks a scan and runs it. Its shape is given as a single line of all elements, and `axis` by itself.
#[cfg_attr(feature = "small-loops", inline(never))]
fn run_checked<I, O, Op, M, F, G>(
    device: &Device,
    mut job: Job<'_, '_, '_, Parts<I, O, Op, M, F>, G>,
    axis: Option<(&[usize], usize)>,
    direction: Direction,
    carried: Option<Carried<'_>>,
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
        len: job.shape.len,
        counted: I::COUNTED,
        segments: job.segments.untyped(),
        output: O::len(&job.output, "output")?,
        begins_with_nothing: begins_with_nothing(&job.steps.operator, &job.init),
    };
    let floats = const { <Parts<I, O, Op, M, F> as Steps>::TREE || sums_in_f32::<M::Output, Op>() };
    job.shape = checked(&asked, direction, floats)?;
    (const { way::<I, O, Op, M, F, G>() })(device, job, direction, carried)
}

/// Checks a scan, and returns its shape. `floats`: whether its results depend on the order of operations. The function is inlined, because most of what it checks is constant where a call
/// is compiled. With `small-loops` it is a function of its own.
#[cfg_attr(not(feature = "small-loops"), inline(always))]
#[cfg_attr(feature = "small-loops", inline(never))]
fn checked(asked: &Asked<'_>, direction: Direction, floats: bool) -> Result<Shape> {
    let Direction { exclusive, total, portable, .. } = direction;
    let shape = asked.shape()?;
    let expected = results(asked.len, direction);
    if let Some(found) = asked.output.filter(|&found| found != expected) {
        return Err(Error::Length { what: "output", found, expected });
    }
    if total {
        if shape.lines() > 1 || asked.segments.kind != Kind::Whole {
            let options = "a total with segments or several lines";
            let reason = "each line or segment has one of its own: scan the lines or segments by themselves";
            return Err(Error::Options { options, reason });
        }
        if asked.counted {
            asked.expect_begin("what follows elements that may be none")?;
        }
        if asked.len == 0 {
            asked.expect_begin("the total of no elements")?;
        }
    }
    if exclusive {
        asked.expect_begin("an exclusive scan")?;
    }
    if portable && floats && shape.inner > 1 && shape.len > 1 {
        let options = "a portable scan of floats along another axis than the last";
        let reason = "its order of operations is that of the device: move the axis to the end, or leave `portable` out";
        return Err(Error::Options { options, reason });
    }
    Ok(shape)
}

/// Returns the number of results of a scan of `len` elements: `len`, and one more with a total.
fn results(len: usize, direction: Direction) -> usize {
    // A range of all numbers may have one result more than `usize` holds: no memory has as many.
    len.saturating_add(usize::from(direction.total))
}

/// Function that runs a scan on a device, given its job, its direction and its carry.
type Way<S, G> = for<'x, 'y, 'a> fn(&Device, Job<'x, 'y, 'a, S, G>, Direction, Option<Carried<'_>>) -> Result<()>;

/// Returns the function that runs a scan by the operator `Op`: sums of `f16` and `bf16` are computed in `f32`. It is
/// chosen as a constant: otherwise the compiler would compile the branch that is never taken, too, for each job.
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
        |device, Job { input, output, shape, init, segments, steps }, direction, carried| {
            let job = Job { input, output, shape, init, segments, steps: InF32(steps) };
            run_job::<_, G>(device, job, direction, carried)
        }
    } else {
        run_job::<_, G>
    }
}

fn run_job<S: JobSteps, G: Segmentation>(
    device: &Device,
    job: Job<'_, '_, '_, S, G>,
    direction: Direction,
    carried: Option<Carried<'_>>,
) -> Result<()> {
    match &device.0 {
        Backend::Cpu => upsweep_cpu::scan::run(job, direction, carried),
        #[cfg(feature = "cuda")]
        Backend::Cuda(cuda) => upsweep_cuda::scan::run(cuda, job, direction, carried),
    }
}

impl Device {
    /// Computes the inclusive scan `out[i] = x[0] ⊕ ... ⊕ x[i]`, in a new array on the device.
    ///
    /// # Errors
    /// As [`Scan::run`].
    pub fn inclusive_scan<I, Op>(&self, input: &I, operator: Op) -> Result<Array<I::Item>>
    where
        I: Input + ?Sized,
        Op: Operator<I::Item>,
    {
        Scan::new(operator).run_to_array(self, input)
    }

    /// Computes the exclusive scan `out[i] = x[0] ⊕ ... ⊕ x[i - 1]`, where `out[0]` is the identity, in a new array on
    /// the device.
    ///
    /// # Errors
    /// As [`Scan::run`].
    pub fn exclusive_scan<I, Op>(&self, input: &I, operator: Op) -> Result<Array<I::Item>>
    where
        I: Input + ?Sized,
        Op: Operator<I::Item>,
    {
        Scan::new(operator).exclusive().run_to_array(self, input)
    }
}
