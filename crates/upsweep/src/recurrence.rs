//! Recurrence: linear recurrences with constant coefficients (IIR filters), of the last elements and the last results.
//!
//! For coefficients `b[0] .. b[m]` and `a[0] .. a[k]`, where `a[0]` is not 0,
//!
//! ```text
//! a[0] y[i]  =  b[0] x[i] + b[1] x[i-1] + ... + b[m] x[i-m]  -  a[1] y[i-1] - ... - a[k] y[i-k]
//! ```
//!
//! where elements and results before the first one are 0, or given by [`state`](Recurrence::state):
//! `scipy.signal.lfilter`. A cascade of [`sections`](Recurrence::sections) of order 2, where each section filters the
//! results of the one before, is `scipy.signal.sosfilt`.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let x = [1.0f32, 0.0, 0.0, 0.0, 0.0];
//! let mut y = [0.0; 5];
//! Recurrence::new(&[1.0], &[1.0, -0.5]).run(&device, &x, &mut y)?; // y[i] = x[i] + y[i-1] / 2
//! assert_eq!(y, [1.0, 0.5, 0.25, 0.125, 0.0625]);
//!
//! // Integers are computed modulo their number of values: Fibonacci's numbers.
//! let fibonacci = Recurrence::new(&[1u64], &[1, u64::MAX, u64::MAX]).run_to_vec(&device, &[1, 0, 0, 0, 0, 0, 0])?;
//! assert_eq!(fibonacci, [1, 1, 2, 3, 5, 8, 13]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **States.** A recurrence remembers all elements before in as many numbers as its order: the `zi` and `zf` of SciPy,
//! in the transposed direct form II
//!
//! ```text
//! y = b[0] x + z[0],    z[j] = b[j+1] x - a[j+1] y + z[j+1]
//! ```
//!
//! of a recurrence divided by `a[0]`. So a long signal can be filtered in chunks: the final states of one chunk are the
//! initial states of the next ([`run_with_carry`](Recurrence::run_with_carry)).
//!
//! **Numbers.** A recurrence computes in the type of the coefficients: the type of the elements (`f32`, `f64`, integers of
//! 32 and 64 bits, `Wrapping` of these), or `f64` for elements of `f32`, whose results are then rounded once. With the
//! feature `num-complex` elements may be complex, with real coefficients: the real and the imaginary parts are filtered as
//! lines of their own, by copies of the parts, which take three passes over memory more. Their states are those of all
//! real parts, then those of all imaginary parts. Where poles lie close to the unit circle, or close to each other,
//! rounding errors are multiplied by about `1 / (1 - r)` for a pole of radius `r`, and by a power of that for several
//! poles: use `f64` there, and cut filters of a high order into sections. Relative to the largest result so far, the
//! errors of 2,200 filters were at most 3.8 times SciPy's own on the CPU. (These were random filters of orders to 16
//! and cascades of 1 to 8 sections, stable, nearly unstable and unstable, and Butterworth and elliptic ones. On signals
//! of up to 100 elements, SciPy's error is the largest on the signal and its multiples.) Errors of a cascade grow
//! section by section: the states of each section are rounded relative to themselves. So where a section removes most
//! of its input, the result has fewer digits, in SciPy too. Here it may have fewer still, because the states at the
//! start of a part of a line are sums of the elements themselves: on signals with a constant offset of up to 3,000
//! times their size, which a section removes, the errors of one cascade in 15 were more than four times SciPy's, and at
//! most 44 times.
//!
//! **Cost.** One pass over memory: each element is read once and each result written once, however high the order. On
//! CUDA each element is processed twice while it is in shared memory, which takes `2 (2 k + 1)` multiplications, and
//! the states of a thread's 12 to 36 elements take some `8 k^2`. A long line is cut into parts whose states are scanned
//! with the powers of the recurrence's transition. The host computes these powers in each call, in twice the digits of
//! `f64`: microseconds for low orders, a millisecond or two for 16. Along any axis but the last, each line is filtered
//! sequentially by a thread: many lines are fast, few are not. Kernels of higher orders than 4 have more than 4 KiB of
//! parameters, and need a driver of CUDA 12.1 or later.
//!
//! **Order.** The grouping of additions depends only on the number of elements, the types and the order, so the bits
//! are the same in every run on the CPU, and on every GPU of one architecture. On CUDA multiplications and additions
//! are fused, so the last bits differ from the CPU's. After an infinity or NaN among the elements, all results of its
//! line are infinite or NaN; without feedback (all `a[1..]` are 0), the next `m` are.
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4 (recurrence equations).

mod signal;

pub use self::signal::Signal;
use crate::array::Array;
use crate::buffered::of_known_length;
use crate::device::{Backend, Device};
use upsweep_core::buffer::{Input, Output, View, ViewMut};
use upsweep_core::call::Elements;
use upsweep_core::call::recurrence::{Call, System};
pub use upsweep_core::call::recurrence::{Coefficient, ComputesOn};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;
use upsweep_core::shape::Shape;

/// Recurrence with its options: see the [module](self) for their formulas. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a recurrence does nothing until it is run"]
pub struct Recurrence<'a, C, Z = NoState> {
    coefficients: Coefficients<'a, C>,
    axis: Option<(&'a [usize], usize)>,
    pub(crate) reverse: bool,
    pub(crate) state: Z,
}

#[derive(Clone, Copy, Debug)]
enum Coefficients<'a, C> {
    Direct { b: &'a [C], a: &'a [C] },
    Sections(&'a [[C; 6]]),
}

/// Source of the initial states, if any. Implemented by [`NoState`] and [`StateFrom`].
pub trait InitialState<C: Element> {
    /// Returns the initial states, or `None` if they are 0.
    fn view(&self) -> Option<View<'_, C>>;
}

/// No initial states: all are 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoState;

/// Initial states in a buffer, where the device computes.
#[derive(Debug)]
pub struct StateFrom<'a, B: ?Sized>(&'a B);

impl<B: ?Sized> Clone for StateFrom<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: ?Sized> Copy for StateFrom<'_, B> {}

impl<C: Element> InitialState<C> for NoState {
    fn view(&self) -> Option<View<'_, C>> {
        None
    }
}

impl<C: Element, B: Input<Item = C> + ?Sized> InitialState<C> for StateFrom<'_, B> {
    fn view(&self) -> Option<View<'_, C>> {
        Some(self.0.view())
    }
}

impl<'a, C: Coefficient> Recurrence<'a, C> {
    /// Makes the recurrence with the coefficients `b` of elements and `a` of results, of an order of at most 16. A run
    /// checks the coefficients.
    pub fn new(b: &'a [C], a: &'a [C]) -> Self {
        Self::of(Coefficients::Direct { b, a })
    }

    /// Makes a cascade of recurrences of order 2, where each section filters the results of the one before. A section
    /// has `b[0] b[1] b[2] a[0] a[1] a[2]`, as `scipy.signal.sosfilt` takes them. There are at most 8 sections.
    pub fn sections(sections: &'a [[C; 6]]) -> Self {
        Self::of(Coefficients::Sections(sections))
    }

    fn of(coefficients: Coefficients<'a, C>) -> Self {
        Self { coefficients, axis: None, reverse: false, state: NoState }
    }
}

impl<'a, C: Coefficient, Z> Recurrence<'a, C, Z> {
    /// Filters along `axis` (counted from 0) of a row-major array of this `shape`: each line is a signal of its own.
    pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
        self.axis = Some((shape, axis));
        self
    }

    /// Filters from the last element to the first.
    pub fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// Begins each line with its states in `buffer`, which lies where the device computes: an array of the input's
    /// shape whose axis has as many elements as the order, or twice the number of sections (SciPy's `zi` of
    /// [`new`](Recurrence::new)). The states of a cascade are the two of its first section, then those of the next.
    pub fn state<B: Input<Item = C> + ?Sized>(self, buffer: &'a B) -> Recurrence<'a, C, StateFrom<'a, B>> {
        let Self { coefficients, axis, reverse, .. } = self;
        Recurrence { coefficients, axis, reverse, state: StateFrom(buffer) }
    }

    /// Filters `input` into `output`, which has as many elements. On CUDA the work is enqueued on the device's stream
    /// and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Coefficients`]: there are no coefficients or too many, `a[0]` is 0 (of integers: not 1), or one is
    ///   not finite
    /// - [`Error::Length`]: `output` has another length than the input, or the states have a wrong length
    /// - [`Error::Shape`], [`Error::Axis`]: the shape is not the input's, or has no such axis
    /// - the errors of a [`Transform`](crate::Transform) of an input that is no buffer; [`Error::Options`] for a counted
    ///   one
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: failures of CUDA itself
    pub fn run<'x, X, Y>(&self, device: &Device, input: X, output: &mut Y) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Output<Item = X::Value> + ?Sized,
        X::Value: Signal<C>,
        Z: InitialState<C>,
    {
        let input = of_known_length(device, input)?;
        self.dispatch(device, Elements::Given(input.room()), Target::new(output.view_mut()), None)
    }

    /// Runs like [`run`](Self::run), and stores the states after each line's last element in `state`, laid out as for
    /// [`state`](Self::state).
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (b, a) = ([0.25, 0.25], [1.0, -0.5]);
    /// let (mut y, mut states) = ([0.0f64; 5], [0.0f64]);
    /// let (first, second) = y.split_at_mut(2);
    /// Recurrence::new(&b, &a).run_with_state(&device, &[1.0, 2.0], first, &mut states)?;
    /// Recurrence::new(&b, &a).state(&states).run(&device, &[3.0, 4.0, 5.0], second)?;
    /// assert_eq!(y.to_vec(), Recurrence::new(&b, &a).run_to_vec(&device, &[1.0, 2.0, 3.0, 4.0, 5.0])?);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with_state<'x, X, Y, S>(&self, device: &Device, input: X, output: &mut Y, state: &mut S) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Output<Item = X::Value> + ?Sized,
        S: Output<Item = C> + ?Sized,
        X::Value: Signal<C>,
        Z: InitialState<C>,
    {
        let (input, output) = (of_known_length(device, input)?, Target::new(output.view_mut()));
        self.dispatch(device, Elements::Given(input.room()), output, Some(state.view_mut()))
    }

    /// Filters `data` in place.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_in_place<B>(&self, device: &Device, data: &mut B) -> Result<()>
    where
        B: Output + ?Sized,
        B::Item: Signal<C>,
        Z: InitialState<C>,
    {
        self.dispatch(device, Elements::OfOutput, Target::new(data.view_mut()), None)
    }

    /// Filters `input` into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X>(&self, device: &Device, input: X) -> Result<Array<X::Value>>
    where
        X: Inputs<'x>,
        X::Value: Signal<C>,
        Z: InitialState<C>,
    {
        let input = of_known_length(device, input)?;
        let input = input.room();
        device.compute_array(input.len(), |output| self.dispatch(device, Elements::Given(input), output, None))
    }

    /// Filters `input` into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X>(&self, device: &Device, input: X) -> Result<Vec<X::Value>>
    where
        X: Inputs<'x>,
        X::Value: Signal<C>,
        Z: InitialState<C>,
    {
        self.run_to_array(device, input)?.into_vec()
    }

    fn dispatch<I: Signal<C>>(
        &self,
        device: &Device,
        input: Elements<'_, I>,
        output: Target<'_, I>,
        last: Option<ViewMut<'_, C>>,
    ) -> Result<()>
    where
        Z: InitialState<C>,
    {
        let found = output.len();
        let len = if let Elements::Given(input) = &input { input.len() } else { found };
        if found != len {
            return Err(Error::Length { what: "output", found, expected: len });
        }
        let (system, shape) = self.system(len)?;
        let call = Call { system, shape, reverse: self.reverse, input, output, first: self.state.view(), last };
        I::filter(device, call)
    }

    /// Returns the recurrence as matrices, and the shape of an array of `len` elements.
    pub(crate) fn system(&self, len: usize) -> Result<(System<C>, Shape)> {
        let shape = Shape::new(self.axis, len)?;
        let system = match self.coefficients {
            Coefficients::Direct { b, a } => System::new(b, a),
            Coefficients::Sections(sections) => System::cascade(sections),
        }?;
        Ok((system, shape))
    }

    /// Returns a text that is the same for equal coefficients alone.
    pub(crate) fn text(&self) -> String {
        let listed = |numbers: &[C]| numbers.iter().map(|number| format!("{number} ")).collect::<String>();
        match self.coefficients {
            Coefficients::Direct { b, a } => format!("{}/ {}", listed(b), listed(a)),
            Coefficients::Sections(sections) => listed(sections.as_flattened()),
        }
    }
}

/// Runs a call whose output has the length of its input.
fn launch<C: ComputesOn<I>, I: Element>(device: &Device, call: Call<'_, '_, '_, C, I>) -> Result<()> {
    let expected = call.shape.lines().saturating_mul(call.system.states);
    let (first, last) = (call.first.as_ref().map(View::len), call.last.as_ref().map(ViewMut::len));
    for (what, found) in [("initial states", first), ("final states", last)] {
        if let Some(found) = found.filter(|&found| found != expected) {
            return Err(Error::Length { what, found, expected });
        }
    }
    match &device.0 {
        Backend::Cpu => upsweep_cpu::recurrence::run(call),
        #[cfg(feature = "cuda")]
        Backend::Cuda(cuda) => upsweep_cuda::recurrence::run(cuda, call),
    }
}
