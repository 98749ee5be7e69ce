//! Moving sums: for each value of an image the sum over the window around it (box filter).
//!
//! ```text
//! r[y, x] = finish(the sum of map(input[v, u]), n)   over y - above <= v <= y + below and x - left <= u <= x + right
//! n       = how many values that are: at a border there is what is in the image
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[function]
//! fn mean(sum: u64, n: u64) -> f64 {
//!     sum as f64 / n as f64
//! }
//!
//! let device = Device::cpu();
//! // Each value and its neighbours to the left and to the right: an array is an image of one row.
//! let x = [3u64, 1, 7, 0, 4];
//! let mut sums = [0; 5];
//! MovingSum::new([1, 1, 5, 1]).columns(1, 1).run(&device, &x, &mut sums)?;
//! assert_eq!(sums, [4, 11, 8, 11, 4]);
//!
//! // The means of 3 x 3 pixels.
//! let image = [9u8, 0, 0, 0, 0, 0, 0, 0, 3];
//! let blur = MovingSum::new([1, 3, 3, 1]).rows(1, 1).columns(1, 1).accumulate::<u64>().finish(Mean);
//! let blurred: Array<f64> = blur.run_to_array(&device, &image)?;
//! assert_eq!(blurred.to_vec()?, [2.25, 1.5, 0.0, 1.5, 12.0 / 9.0, 0.5, 0.0, 0.5, 0.75]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Layout.** An image is row by row, `[planes, height, width, channels]`; each channel of each plane is by itself.
//! For windows down the columns of an array, take it as an image with one column to a side, and so on.
//!
//! The rows of an image may come in parts: [`carry`](crate::carry).
//!
//! **Order.** The order of additions is the same on every device, so floats have the same bits. Rows come first: the
//! rows of an image are cut into parts, and each column of a part has a running sum. The row that enters the window is
//! added to it, and the row that leaves the window is subtracted. Then columns are summed, by additions only. Windows of
//! more columns than CUDA has room for, which only the CPU sums, have an order of their own. Integers wrap.
//!
//! **How exact.** Where floats round, a sum is off by at most some 4,000 roundings of the largest sum of a column's
//! window nearby, that is, within its part of up to 1,024 rows. Sums of `f32` in `f64` make this error negligible. An
//! infinity or a NaN counts in the windows that have it, and in no other.
//!
//! **Cost.** The cost does not depend on the number of rows of a window, and hardly on its number of columns: one
//! addition for eight of them, and on the CPU neither for integers nor for windows that CUDA has no room for. Each
//! value is read twice, and the values above a part once more: for floats, whose parts have up to 1,024 rows, high
//! windows cost as much again. A NaN or an infinity among floats costs an addition of all rows of each window down a
//! column that has it. On CUDA a window has at most some 3,500 columns, for sums of up to 8 bytes. An input that is no
//! buffer is computed into memory of the device first, by a pass of a [`Transform`](crate::Transform).
//!
//! Sources: McDonnell, "Box-Filtering Techniques", 1981; van Herk, "A Fast Algorithm for Local Minimum and Maximum
//! Filters", 1992.

use crate::array::Array;
use crate::buffered::of_known_length;
use crate::device::{Backend, Device};
use upsweep_core::buffer::{Output, View};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::{Element, Function, Map, MapWith, Number, OnlySum, Same, Widen};
use upsweep_core::outputs::Target;
use upsweep_plan::moving_sum::Windows;

/// Moving sum: see the [module](self). Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a moving sum does nothing until it is run"]
pub struct MovingSum<M = Same, F = OnlySum> {
    pub(crate) shape: [usize; 4],
    pub(crate) rows: [usize; 2],
    pub(crate) columns: [usize; 2],
    pub(crate) map: M,
    pub(crate) finish: F,
}

impl MovingSum {
    /// Makes a moving sum of images of the shape `[planes, height, width, channels]`. The window is the value itself,
    /// until rows and columns are set.
    pub fn new(shape: [usize; 4]) -> Self {
        Self { shape, rows: [0; 2], columns: [0; 2], map: Same, finish: OnlySum }
    }
}

impl<M, F> MovingSum<M, F> {
    /// Sets the rows of the window: `above` a value, and `below` it.
    pub fn rows(self, above: usize, below: usize) -> Self {
        Self { rows: [above, below], ..self }
    }

    /// Sets the columns of the window: to the `left` of a value, and to its `right`.
    pub fn columns(self, left: usize, right: usize) -> Self {
        Self { columns: [left, right], ..self }
    }

    /// Sums `f(x)` for each value `x` of the window, instead of `x`: a `#[function]` of one argument.
    pub fn map<G>(self, f: G) -> MovingSum<MapWith<G>, F> {
        self.mapped(MapWith(f))
    }

    /// Sums in the wider type `A`.
    pub fn accumulate<A>(self) -> MovingSum<Widen<A>, F> {
        self.mapped(Widen::new())
    }

    /// Stores `f(sum, number)` instead of the sum: a `#[function]` of the sum and, as a `u64`, the number of values in
    /// it.
    pub fn finish<G>(self, f: G) -> MovingSum<M, G> {
        let Self { shape, rows, columns, map, .. } = self;
        MovingSum { shape, rows, columns, map, finish: f }
    }

    fn mapped<N>(self, map: N) -> MovingSum<N, F> {
        let Self { shape, rows, columns, finish, .. } = self;
        MovingSum { shape, rows, columns, map, finish }
    }

    /// Stores a result for each value of `input` in `output`. On CUDA the work is enqueued on the device's stream and
    /// the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Shape`]: the input has another number of values than the shape
    /// - [`Error::Length`]: the output has another number of values than the input
    /// - [`Error::Window`]: the window has more columns than a block of a CUDA device
    /// - the errors of a [`Transform`](crate::Transform) of an input that is no buffer; [`Error::Options`] for a counted
    ///   one
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::Values`]: the functions capture too much
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: failures of CUDA itself
    pub fn run<'x, X, Y, A>(&self, device: &Device, input: X, output: &mut Y) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Output + ?Sized,
        A: Number,
        M: Map<X::Value, (X::Value,), Output = A>,
        F: Function<(A, u64), Output = Y::Item>,
    {
        self.dispatch(device, &of_known_length(device, input)?.room(), Target::new(output.view_mut()))
    }

    /// Runs like [`run`](Self::run), into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, A, O>(&self, device: &Device, input: X) -> Result<Array<O>>
    where
        X: Inputs<'x>,
        A: Number,
        O: Element,
        M: Map<X::Value, (X::Value,), Output = A>,
        F: Function<(A, u64), Output = O>,
    {
        let input = of_known_length(device, input)?;
        let input = input.room();
        device.compute_array(input.len(), |output| self.dispatch(device, &input, output))
    }

    /// Runs like [`run`](Self::run), into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, A, O>(&self, device: &Device, input: X) -> Result<Vec<O>>
    where
        X: Inputs<'x>,
        A: Number,
        O: Element,
        M: Map<X::Value, (X::Value,), Output = A>,
        F: Function<(A, u64), Output = O>,
    {
        device.refuse_in_capture("reading moving sums")?;
        self.run_to_array(device, input)?.into_vec()
    }

    #[cfg_attr(not(feature = "cuda"), allow(unused_mut, reason = "CUDA borrows the output for itself"))]
    pub(crate) fn dispatch<T, A, O>(
        &self,
        device: &Device,
        input: &View<'_, T>,
        mut output: Target<'_, O>,
    ) -> Result<()>
    where
        T: Element,
        A: Number,
        O: Element,
        M: Map<T, (T,), Output = A>,
        F: Function<(A, u64), Output = O>,
    {
        let Self { shape, rows, columns, map, finish } = *self;
        let windows = Windows::new(shape, input.len(), rows, columns)?;
        let (found, expected) = (output.len(), input.len());
        if found != expected {
            return Err(Error::Length { what: "output", found, expected });
        }
        match &device.0 {
            Backend::Cpu => upsweep_cpu::moving_sum::run(map, finish, input, &output, &windows),
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => upsweep_cuda::moving_sum::run(cuda, map, finish, input, &mut output, &windows),
        }
    }
}
