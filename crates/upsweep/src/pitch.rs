//! Scans and reductions along an axis of arrays whose rows have gaps behind them: a part of the columns of a wider
//! matrix, or rows that begin at multiples of a power of two.
//!
//! ```text
//! shape [.., rows, columns], pitch p       element (.., i, j) is x[(.. rows + i) p + j]: row i begins at x[i p]
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! // Two rows of three elements, at a distance of four.
//! let mut x = [1u32, 2, 3, 99, 4, 5, 6];
//! let mut sums = [0; 7];
//! Scan::new(Sum).axis(&[2, 3], 1).pitch(4).run(&device, &x, &mut sums)?;
//! assert_eq!(sums, [1, 3, 6, 0, 4, 9, 15]);
//! assert_eq!(Reduce::new(Max).axis(&[2, 3], 0).pitch(4).run_to_vec(&device, &x)?, [4, 5, 6]);
//! // Two columns of them.
//! Scan::new(Sum).axis(&[2, 2], 0).pitch(4).run_in_place(&device, &mut x[1..])?;
//! assert_eq!(x, [1, 2, 3, 99, 4, 7, 9]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! A buffer ends with the last element of its last row, or behind that row's gap. What lies in gaps is not read, and
//! stays as it is. The pitch of a scan is that of its input and of its output; results of a reduction have no gaps.
//!
//! **Bits.** Results have the bits of the same call without gaps, except for the last bits of floats along an axis that
//! does not come just before rows of two elements or more: there lines are grouped by strips of a row.
//!
//! **Cost.** On the CPU one pass over memory. Along the last axis, rows of less than 16 KiB are brought together in a
//! core's cache first, some rows at once. Along another axis they are read where they lie. On CUDA, a kernel copies the
//! rows to memory without gaps first, and another one copies results of a scan back.

mod rows;

use self::rows::Rows;
use crate::array::Array;
use crate::device::{Backend, Device};
use crate::options::{Options, expect_identity};
use crate::reduce::Reduce;
use crate::scan::Scan;
use crate::transform::Transform;
use upsweep_core::buffer::{Input, Output, View, ViewMut};
use upsweep_core::call::{Elements, Job};
use upsweep_core::error::{Error, Result};
use upsweep_core::halves::{InF32, sums_in_f32};
use upsweep_core::init::Init;
use upsweep_core::inputs::Gather;
use upsweep_core::operator::{Element, Function, Map, Operator, Stores};
use upsweep_core::outputs::{Scatter, Target};
use upsweep_core::segments::{SegmentKind, Whole};
use upsweep_core::steps::Parts;

/// Scan or reduction of rows with gaps behind them: see the [module](self). [`Scan::pitch`] and [`Reduce::pitch`] make
/// it.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Pitched<B> {
    builder: B,
    pitch: usize,
}

impl<'a, Op, M, F, V> Scan<'a, Op, M, F, Whole, V> {
    /// Takes rows of the last axis at a distance of `pitch` elements: see [`pitch`](crate::pitch).
    pub fn pitch(self, pitch: usize) -> Pitched<Self> {
        Pitched { builder: self, pitch }
    }
}

impl<'a, Op, M, F, V> Reduce<'a, Op, M, F, Whole, V> {
    /// Takes rows of the last axis at a distance of `pitch` elements: see [`pitch`](crate::pitch).
    pub fn pitch(self, pitch: usize) -> Pitched<Self> {
        Pitched { builder: self, pitch }
    }
}

impl<Op, M, F, V> Pitched<Scan<'_, Op, M, F, Whole, V>>
where
    Op: Copy,
    M: Copy,
    F: Copy,
    V: Copy + Sync,
{
    /// Scans the rows of `input` into those of `output`.
    ///
    /// # Errors
    /// As [`Scan::run`]. [`Error::Length`] when a buffer ends before the last row, or goes on behind its gap.
    /// [`Error::Options`] without an axis, with a pitch less than a row, and with a total.
    pub fn run<X, Y>(&self, device: &Device, input: &X, output: &mut Y) -> Result<()>
    where
        X: Input + ?Sized,
        Y: Output + ?Sized,
        M: Map<X::Item>,
        Op: Operator<M::Output>,
        Y::Item: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = Y::Item>,
        V: Init<M::Output>,
    {
        let (input, mut output) = (input.view(), output.view_mut());
        let rows = self.rows(&[("input", input.len()), ("output", output.len())])?;
        let scan = &self.builder;
        if rows.elements() == 0 {
            return scan.run(device, &nothing::<X::Item>(device)?, &mut nothing::<Y::Item>(device)?);
        }
        if !matches!(device.0, Backend::Cpu) {
            return rows.copied(device, &input, |together| {
                let results: Array<Y::Item> = scan.run_to_array(device, together)?;
                Transform::copy().run(device, &results, Scatter::to(&mut output).at(rows.places()))
            });
        }
        let (input, output) = (input.on_host("input")?, output.into_host("output")?);
        if !rows.along {
            expect_begin(&scan.options, scan.direction.exclusive)?;
            return self.columns(&rows, Elements::Given(View::Host(input)), output);
        }
        rows.each_band(output, rows.pitch, Some(input), |lines, input, band, stage| {
            let shape = [lines, rows.columns];
            let scan = Scan { options: scan.options.with_axis(&shape, 1), direction: scan.direction };
            match (rows.together(input, lines, stage), lines) {
                (input, 1) => scan.run(device, input, &mut band[..rows.columns]),
                (input, _) => {
                    rows.apart(&scan.run_to_vec::<_, Y::Item>(device, input)?, band);
                    Ok(())
                }
            }
        })
    }

    /// Scans the rows of `data` in place.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_in_place<B>(&self, device: &Device, data: &mut B) -> Result<()>
    where
        B: Output + ?Sized,
        M: Map<B::Item>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = B::Item>,
        V: Init<M::Output>,
    {
        let mut data = data.view_mut();
        let rows = self.rows(&[("output", data.len())])?;
        let scan = &self.builder;
        if rows.elements() == 0 {
            return scan.run_in_place(device, &mut nothing::<B::Item>(device)?);
        }
        if !matches!(device.0, Backend::Cpu) {
            let mut together: Array<B::Item> =
                Transform::copy().run_to_array(device, Gather::of(&data.as_view()).at(rows.places()))?;
            scan.run_in_place(device, &mut together)?;
            return Transform::copy().run(device, &together, Scatter::to(&mut data).at(rows.places()));
        }
        let data = data.into_host("output")?;
        if !rows.along {
            expect_begin(&scan.options, scan.direction.exclusive)?;
            return self.columns::<B::Item, B::Item>(&rows, Elements::OfOutput, data);
        }
        rows.each_band(data, rows.pitch, None::<&[B::Item]>, |lines, _, band, stage| {
            let shape = [lines, rows.columns];
            let scan = Scan { options: scan.options.with_axis(&shape, 1), direction: scan.direction };
            if lines == 1 {
                return scan.run_in_place(device, &mut band[..rows.columns]);
            }
            rows.together(band, lines, stage);
            scan.run_in_place(device, &mut stage[..])?;
            rows.apart(stage, band);
            Ok(())
        })
    }

    fn rows(&self, buffers: &[(&'static str, usize)]) -> Result<Rows> {
        if self.builder.direction.total {
            let reason = "each line has one of its own: leave out `with_total`";
            return Err(Error::Options { options: "a total with a pitch", reason });
        }
        Rows::of(self.builder.options.axis, self.pitch, buffers)
    }

    /// Scans along another axis than the last, in host memory.
    fn columns<T, O>(&self, rows: &Rows, input: Elements<'_, T>, output: &mut [O]) -> Result<()>
    where
        T: Element,
        O: Element,
        M: Map<T>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        V: Init<M::Output>,
    {
        let Options { operator, map, finish, ref init, .. } = self.builder.options;
        let (output, init, segments) = (Target::new(ViewMut::Host(output)), init.source(), SegmentKind::Whole);
        let (shape, steps) = (rows.shape, Parts::<T, O, Op, M, F>::new(operator, map, finish));
        let (direction, pitch) = (self.builder.direction, rows.gaps());
        if const { sums_in_f32::<M::Output, Op>() } {
            let job = Job { input, output, shape, init, segments, steps: InF32(steps) };
            upsweep_cpu::scan::run_with_pitch(job, direction, pitch)
        } else {
            upsweep_cpu::scan::run_with_pitch(Job { input, output, shape, init, segments, steps }, direction, pitch)
        }
    }
}

impl<Op, M, F, V> Pitched<Reduce<'_, Op, M, F, Whole, V>>
where
    Op: Copy,
    M: Copy,
    F: Copy,
    V: Copy + Sync,
{
    /// Reduces the lines of `input` into `output`, which has an element for each line.
    ///
    /// # Errors
    /// As [`Reduce::run`]. [`Error::Length`] when the input ends before the last row, or goes on behind its gap.
    /// [`Error::Options`] without an axis, and with a pitch less than a row.
    pub fn run<X, Y>(&self, device: &Device, input: &X, output: &mut Y) -> Result<()>
    where
        X: Input + ?Sized,
        Y: Output + ?Sized,
        M: Map<X::Item>,
        Op: Operator<M::Output>,
        Y::Item: Stores<<F as Function<(M::Output,)>>::Output>,
        F: Function<(M::Output,), Output = Y::Item>,
        V: Init<M::Output>,
    {
        let (input, mut output) = (input.view(), output.view_mut());
        let reduce = &self.builder;
        let rows = Rows::of(reduce.options.axis, self.pitch, &[("input", input.len())])?;
        if rows.elements() == 0 {
            return reduce.run(device, &nothing::<X::Item>(device)?, &mut output);
        }
        if output.len() != rows.results {
            return Err(Error::Length { what: "output", found: output.len(), expected: rows.results });
        }
        if !matches!(device.0, Backend::Cpu) {
            return rows.copied(device, &input, |together| reduce.run(device, together, &mut output));
        }
        let (input, output) = (input.on_host("input")?, output.into_host("output")?);
        if !rows.along {
            return self.columns(&rows, input, output);
        }
        rows.each_band(output, 1, Some(input), |lines, input, results, stage| {
            let shape = [lines, rows.columns];
            let reduce = Reduce { options: reduce.options.with_axis(&shape, 1) };
            reduce.run(device, rows.together(input, lines, stage), results)
        })
    }

    /// Reduces the lines of `input` into a new vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<X, O>(&self, device: &Device, input: &X) -> Result<Vec<O>>
    where
        X: Input + ?Sized,
        O: Element,
        M: Map<X::Item>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        V: Init<M::Output>,
    {
        device.refuse_in_capture("reading the results of a reduction")?;
        self.run_to_array(device, input)?.into_vec()
    }

    /// Reduces the lines of `input` into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<X, O>(&self, device: &Device, input: &X) -> Result<Array<O>>
    where
        X: Input + ?Sized,
        O: Element,
        M: Map<X::Item>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        V: Init<M::Output>,
    {
        let rows = Rows::of(self.builder.options.axis, self.pitch, &[("input", input.view().len())])?;
        let mut results = device.to_be_written(rows.results)?;
        self.run(device, input, &mut results)?;
        Ok(results)
    }

    /// Reduces along another axis than the last, in host memory.
    fn columns<T, O>(&self, rows: &Rows, input: &[T], output: &mut [O]) -> Result<()>
    where
        T: Element,
        O: Element,
        M: Map<T>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        V: Init<M::Output>,
    {
        let Options { operator, map, finish, ref init, .. } = self.builder.options;
        let (output, init, segments) = (Target::new(ViewMut::Host(output)), init.source(), SegmentKind::Whole);
        let (input, shape) = (Elements::Given(View::Host(input)), rows.shape);
        let steps = Parts::<T, O, Op, M, F>::new(operator, map, finish);
        if const { sums_in_f32::<M::Output, Op>() } {
            let job = Job { input, output, shape, init, segments, steps: InF32(steps) };
            upsweep_cpu::reduce::run_with_pitch(job, rows.gaps())
        } else {
            upsweep_cpu::reduce::run_with_pitch(Job { input, output, shape, init, segments, steps }, rows.gaps())
        }
    }
}

/// Returns an array of no elements where the device computes.
fn nothing<T: Element>(device: &Device) -> Result<Array<T>> {
    device.to_be_written(0)
}

/// # Errors
/// [`Error::NoIdentity`] for an exclusive scan that has nothing to begin with.
fn expect_begin<T, Op, M, F, V>(options: &Options<'_, Op, M, F, Whole, V>, exclusive: bool) -> Result<()>
where
    T: Element,
    Op: Operator<T>,
    V: Init<T>,
{
    if exclusive {
        expect_identity(&options.operator, !options.init.source().is_none(), "an exclusive scan")?;
    }
    Ok(())
}
