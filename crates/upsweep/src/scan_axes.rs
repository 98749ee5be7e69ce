//! Scans along several axes of an array, one after the other: the summed-area table (integral image), in any dimension.
//!
//! ```text
//! inclusive                  out[i][j] = the combination of x[k][l] for all k <= i and l <= j
//! exclusive                  the same for all k < i and l < j; the identity in row 0 and column 0
//! exclusive, with_total      so, of one row and one column more: the table of sums with its border
//! reverse                    for all k >= i and l >= j
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let (device, image) = (Device::cpu(), [1, 2, 3, 4, 5, 6]);
//! let (mut table, mut bordered) = ([0; 6], [0; 12]);
//! Scan::new(Sum).axes(&[2, 3], &[1, 0]).run(&device, &image, &mut table)?;
//! assert_eq!(table, [1, 3, 6, 5, 12, 21]);
//! Scan::new(Sum).exclusive().with_total().axes(&[2, 3], &[1, 0]).run(&device, &image, &mut bordered)?;
//! assert_eq!(bordered, [0, 0, 0, 0, 0, 1, 3, 6, 0, 5, 12, 21]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! The array is scanned along the first of the axes, the results along the second one, and so on. An operator that does
//! not commute is applied in this order: first along a row, then from row to row. The sum of rows `a..b` and columns
//! `c..d` is `t[b][d] - t[a][d] - t[b][c] + t[a][c]` in the table with the border.
//!
//! **Cost.** One pass over memory along the last axis and then the one before it, inclusive, or exclusive with a
//! border. Axes of one element may lie between the two axes and after them. Otherwise each axis takes a scan, and each
//! scan a pass over memory; with a border, each axis but the last takes memory for its results. On CUDA the single pass
//! takes values of at most 16 bytes, and matrices that are neither very high nor very low for their size (not 2^20 rows
//! of 8, nor 16 rows of 2^24). On the CPU a single pass also suffices where the last of `axes` comes before the others
//! in the shape: a band of rows is scanned along all axes while it is in cache. An input that is no buffer is computed
//! into memory of the device first, by a pass of a [`Transform`].
//!
//! **Order.** The grouping of values along rows and down columns depends only on the shape and the types, so floats
//! give the same bits in every run. Sums of `f16` and `bf16` are combined in `f32` and rounded once for each axis, and
//! where bands meet: `accumulate::<f32>()` rounds nothing to halves.
//!
//! Source: Crow, "Summed-Area Tables for Texture Mapping", 1984.

mod padded;

use crate::array::Array;
use crate::buffered::of_known_length;
#[cfg(feature = "cuda")]
use crate::device::Backend;
use crate::device::Device;
use crate::options::Options;
use crate::scan::Scan;
use crate::transform::Transform;
use padded::{longer, pad};
use upsweep_core::buffer::{Input, Output, View, ViewMut};
#[cfg(feature = "cuda")]
use upsweep_core::call::{Elements, Job};
use upsweep_core::error::{Error, Result};
#[cfg(feature = "cuda")]
use upsweep_core::halves::InF32;
use upsweep_core::halves::sums_in_f32;
#[cfg(feature = "cuda")]
use upsweep_core::init::InitSource;
use upsweep_core::inputs::{Apply, Gather, Inputs};
use upsweep_core::memory;
use upsweep_core::operator::{Element, Map, Operator, Same, function};
use upsweep_core::outputs::Target;
#[cfg(feature = "cuda")]
use upsweep_core::segments::SegmentKind;
use upsweep_core::shape::{Shape, product};
use upsweep_core::steps::Parts;
#[cfg(feature = "cuda")]
use upsweep_cuda::{self, Cuda};
use upsweep_plan::scan_axes::CpuAxesPlan;

/// Number of bytes of the results of a band of rows on the CPU: they stay in cache from the first axis to the last.
const BAND_BYTES: usize = 2 << 20;

/// Scan along several axes: see the [module](self). [`Scan::axes`] makes it.
#[derive(Clone, Copy, Debug)]
#[must_use = "a scan does nothing until it is run"]
pub struct ScanAxes<'a, Op, M = Same> {
    scan: Scan<'a, Op, M>,
    shape: &'a [usize],
    axes: &'a [usize],
}

impl<'a, Op, M> Scan<'a, Op, M> {
    /// Scans along the first of `axes` (counted from 0) of a row-major array of this `shape`, then along the second
    /// one, and so on: see [`scan_axes`](crate::scan_axes). An initial value, segments and `finish` do not apply.
    pub fn axes(self, shape: &'a [usize], axes: &'a [usize]) -> ScanAxes<'a, Op, M> {
        ScanAxes { scan: self, shape, axes }
    }
}

/// Index of the single value in the border of an array without elements.
#[function]
fn only(_at: u64) -> u64 {
    0
}

impl<Op: Copy, M: Copy> ScanAxes<'_, Op, M> {
    /// Scans `input` into `output`, which has as many elements; with a border, as many as a shape with one more along
    /// each axis. On CUDA the work is enqueued on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Shape`], [`Error::Axis`]: the shape is not the input's, or has no such axis
    /// - [`Error::Length`]: the output has another length
    /// - [`Error::NoIdentity`]: exclusive, and the operator has no identity
    /// - [`Error::Options`]: no axes, an axis twice, `axis` besides; a total of an inclusive or reverse scan
    /// - the errors of a [`Transform`] of an input that is no buffer; [`Error::Options`] for a counted one
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps the output
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: failures of CUDA itself
    pub fn run<'x, X, Y>(&self, device: &Device, input: X, output: &mut Y) -> Result<()>
    where
        X: Inputs<'x>,
        Y: Output + ?Sized,
        M: Map<X::Value, Output = Y::Item>,
        Op: Operator<Y::Item>,
    {
        // Read once: buffers that the program implements could return another length the second time.
        let input = of_known_length(device, input)?;
        let (input, output) = (&input.room(), &mut output.view_mut());
        let (found, expected) = (output.len(), self.results(input.len())?);
        if found != expected {
            return Err(Error::Length { what: "output", found, expected });
        }
        let direction = self.scan.direction;
        if direction.exclusive {
            self.identity::<Y::Item>()?;
        }
        let banded = !direction.reverse && direction.exclusive == direction.total && self.last_is_outermost();
        match (input, &mut *output) {
            _ if expected == 0 => return Ok(()),
            (View::Host(x), ViewMut::Host(y)) if device.is_cpu() && banded => return self.on_the_host(device, x, y),
            _ => {}
        }
        #[cfg(feature = "cuda")]
        if let Backend::Cuda(cuda) = &device.0
            && self.in_one_pass(cuda, input, output)?
        {
            return Ok(());
        }
        if direction.total { self.bordered(device, input, output) } else { self.pass_by_pass(device, input, output) }
    }

    /// Scans on the host, where each result of a row follows from the row's elements and the results above it.
    fn on_the_host<I, O>(&self, device: &Device, x: &[I], y: &mut [O]) -> Result<()>
    where
        I: Element,
        O: Element,
        M: Map<I, Output = O>,
        Op: Operator<O>,
    {
        let Options { operator, map, .. } = self.scan.options;
        match self.rows_and_columns() {
            Some((Shape { outer, len, inner }, 1)) if !x.is_empty() && !const { sums_in_f32::<O, Op>() } => {
                let border = if self.scan.direction.total { Some(self.identity()?) } else { None };
                let plan = CpuAxesPlan::new((outer, len, inner), (size_of::<I>(), size_of::<O>()));
                upsweep_cpu::scan_axes::run(Parts::new(operator, map, Same), x, y, &plan, border)
            }
            _ => self.by_bands(device, x, y),
        }
    }

    /// Scans along the two axes on a CUDA device in one pass, if possible: see
    /// [`AxesPlan`](upsweep_plan::scan_axes::AxesPlan).
    #[cfg(feature = "cuda")]
    fn in_one_pass<X, Y>(&self, cuda: &Cuda, input: &X, output: &mut Y) -> Result<bool>
    where
        X: Input + ?Sized,
        Y: Output + ?Sized,
        M: Map<X::Item, Output = Y::Item>,
        Op: Operator<Y::Item>,
    {
        let Some((shape, interleaved)) = self.rows_and_columns() else { return Ok(false) };
        let Options { operator, map, .. } = self.scan.options;
        let (input, output) = (Elements::Given(input.view()), Target::new(output.view_mut()));
        let steps = Parts::<X::Item, Y::Item, Op, M, Same>::new(operator, map, Same);
        let (init, segments, direction) = (InitSource::None, SegmentKind::Whole, self.scan.direction);
        if const { sums_in_f32::<Y::Item, Op>() } {
            let job = Job { input, output, shape, init, segments, steps: InF32(steps) };
            upsweep_cuda::scan_axes::run(cuda, job, interleaved, direction)
        } else {
            let job = Job { input, output, shape, init, segments, steps };
            upsweep_cuda::scan_axes::run(cuda, job, interleaved, direction)
        }
    }

    /// Returns the shape of a scan along rows and then down columns (arrays, rows, columns), and the number of
    /// interleaved elements at each place.
    fn rows_and_columns(&self) -> Option<(Shape, usize)> {
        let &[along, down] = self.axes else { return None };
        let between = self.shape.get(down + 1..along)?;
        let shape = Shape { outer: product(&self.shape[..down]), len: self.shape[down], inner: self.shape[along] };
        (product(between) == 1 && !self.scan.direction.reverse).then(|| (shape, product(&self.shape[along + 1..])))
    }

    /// Scans `input` into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<'x, X, O>(&self, device: &Device, input: X) -> Result<Array<O>>
    where
        X: Inputs<'x>,
        O: Element,
        M: Map<X::Value, Output = O>,
        Op: Operator<O>,
    {
        let input = of_known_length(device, input)?;
        let mut output = device.to_be_written(self.results(input.room().len())?)?;
        self.run(device, &input.room(), &mut output)?;
        Ok(output)
    }

    /// Scans `input` into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<'x, X, O>(&self, device: &Device, input: X) -> Result<Vec<O>>
    where
        X: Inputs<'x>,
        O: Element,
        M: Map<X::Value, Output = O>,
        Op: Operator<O>,
    {
        device.refuse_in_capture("reading the results of a scan")?;
        self.run_to_array(device, input)?.into_vec()
    }

    /// Checks the axes against the shape, and returns the number of results for an input of `len` elements.
    fn results(&self, len: usize) -> Result<usize> {
        let Self { scan, shape, axes } = *self;
        let wrong = |options, reason| Err(Error::Options { options, reason });
        if axes.is_empty() || scan.options.axis.is_some() {
            return wrong("axes", "give each axis once, in the order of the scans, and no other `axis`");
        }
        for (i, &axis) in axes.iter().enumerate() {
            scan.axis(shape, axis).options.shape(len)?;
            if axes[..i].contains(&axis) {
                return wrong("an axis twice", "along each axis there is one scan");
            }
        }
        if scan.direction.total && (scan.direction.reverse || !scan.direction.exclusive) {
            return wrong("a total along axes", "a border has the exclusive scan from the first elements on");
        }
        let border = |axis: &usize| usize::from(scan.direction.total && axes.contains(axis));
        let results: Vec<usize> = (0..).zip(shape).map(|(axis, n)| n.saturating_add(border(&axis))).collect();
        match product(&results) {
            usize::MAX => Err(Error::OutOfMemory { bytes: usize::MAX }),
            results => Ok(results),
        }
    }

    /// Returns the operator's identity, with which the lines of an exclusive scan begin.
    ///
    /// # Errors
    /// [`Error::NoIdentity`] when the operator has none.
    fn identity<O: Element>(&self) -> Result<O>
    where
        Op: Operator<O>,
    {
        let operator = std::any::type_name::<Op>();
        let missing = Error::NoIdentity { operator, needed_by: "an exclusive scan" };
        self.scan.options.operator.identity().ok_or(missing)
    }

    fn last_is_outermost(&self) -> bool {
        let Some((last, others)) = self.axes.split_last() else { return false };
        others.iter().all(|axis| axis > last)
    }

    /// Runs a scan along each axis, all but the first in place.
    fn pass_by_pass<X, Y>(&self, device: &Device, input: &X, output: &mut Y) -> Result<()>
    where
        X: Input + ?Sized,
        Y: Output + ?Sized,
        M: Map<X::Item, Output = Y::Item>,
        Op: Operator<Y::Item>,
    {
        let Self { scan, shape, axes } = *self;
        for (i, &axis) in axes.iter().enumerate() {
            if i == 0 {
                scan.axis(shape, axis).run(device, input, &mut *output)?;
            } else {
                self.unmapped().axis(shape, axis).run_in_place(device, output)?;
            }
        }
        Ok(())
    }

    /// Returns the scan for elements to which the map has been applied already: the same operator, without the map.
    fn unmapped(&self) -> Scan<'_, Op> {
        let mut scan = Scan::new(self.scan.options.operator);
        scan.direction = self.scan.direction;
        scan
    }

    /// Runs an exclusive scan with a total along each axis, of lines that are one element longer.
    fn bordered<X, Y>(&self, device: &Device, input: &X, output: &mut Y) -> Result<()>
    where
        X: Input + ?Sized,
        Y: Output + ?Sized,
        M: Map<X::Item, Output = Y::Item>,
        Op: Operator<Y::Item>,
    {
        let mut shape = self.shape.to_vec();
        if shape.contains(&0) {
            let identity = self.identity()?;
            let count = self.results(0)? as u64;
            let border = device.filled(1, identity)?;
            return Transform::copy().run(device, Gather::of(&border).at(Apply(Only, 0..count)), &mut *output);
        }
        let mut current: Option<Array<Y::Item>> = None;
        for (i, &axis) in self.axes.iter().enumerate() {
            let lines = (shape[axis], shape[axis + 1..].iter().product());
            shape[axis] += 1;
            let (first, next) = (self.scan.inclusive_part().exclusive(), self.unmapped().inclusive_part().exclusive());
            let (first, next) = (first.axis(&shape, axis), next.axis(&shape, axis));
            let run = |results: Target<'_, Y::Item>| match &current {
                None => longer(device, &first, input, lines, results),
                Some(x) => longer(device, &next, x, lines, results),
            };
            if i + 1 == self.axes.len() {
                return run(Target::new(output.view_mut()));
            }
            current = Some(device.compute_array(shape.iter().product(), run)?);
        }
        Ok(())
    }

    /// Scans bands of rows on the host, each along all axes while it is in cache. A band begins with the last row of
    /// the one before.
    fn by_bands<I, O>(&self, device: &Device, x: &[I], y: &mut [O]) -> Result<()>
    where
        I: Element,
        O: Element,
        M: Map<I, Output = O>,
        Op: Operator<O>,
    {
        let Some((&last, others)) = self.axes.split_last() else { return Ok(()) };
        let (scan, next) = (self.scan.inclusive_part(), self.unmapped().inclusive_part());
        let border = usize::from(self.scan.direction.total);
        let identity = if border == 1 { Some(self.identity()?) } else { None };
        let (len, inner) = (self.shape[last], self.shape[last + 1..].iter().product::<usize>());
        let mut padded = self.shape[last..].to_vec();
        others.iter().for_each(|&axis| padded[axis - last] += border);
        let width = padded[1..].iter().product::<usize>();
        if width == 0 || y.is_empty() {
            return Ok(());
        }
        let rows = (BAND_BYTES / (width * size_of::<O>()).max(1)).clamp(1, len.max(1));
        let mut band = identity.map(|identity| memory::filled(rows * inner, identity)).transpose()?;
        for (o, y) in y.chunks_exact_mut((len + border) * width).enumerate() {
            if let Some(identity) = identity {
                y[..width].fill(identity);
            }
            for first in (0..len).step_by(rows) {
                let taken = first..(first + rows).min(len);
                let x = &x[(o * len + taken.start) * inner..(o * len + taken.end) * inner];
                let into = (taken.start + border) * width..(taken.end + border) * width;
                let mut shape = self.shape[last..].to_vec();
                shape[0] = taken.len();
                let out = match &mut band {
                    Some(band) => &mut band[..x.len()],
                    None => &mut y[into.clone()],
                };
                for (i, &axis) in others.iter().enumerate() {
                    if i == 0 {
                        scan.axis(&shape, axis - last).run(device, x, &mut *out)?;
                    } else {
                        next.axis(&shape, axis - last).run_in_place(device, out)?;
                    }
                }
                if others.is_empty() {
                    // With one axis, the map's pass is a scan of lines of one element.
                    scan.axis(&[x.len(), 1], 1).run(device, x, &mut *out)?;
                }
                if let (Some(identity), Some(band)) = (identity, &band) {
                    padded[0] = taken.len();
                    pad(&band[..x.len()], &shape, &padded, identity, &mut y[into]);
                }
                let from = taken.start + border - usize::from(taken.start > 0);
                let band = from * width..(taken.end + border) * width;
                next.axis(&[band.len() / width, width], 0).run_in_place(device, &mut y[band])?;
            }
        }
        Ok(())
    }
}
