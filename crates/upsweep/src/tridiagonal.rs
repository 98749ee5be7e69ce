//! Tridiagonal systems: linear equations of an unknown and its two neighbours each, and batches of such systems.
//!
//! ```text
//! lower[i] x[i-1] + diagonal[i] x[i] + upper[i] x[i+1] = right[i]
//! ```
//!
//! The first equation of a system has no `lower[i] x[i-1]`, and its last one no `upper[i] x[i+1]`: the coefficient
//! stored there does not matter if it is 0, or a number of the others' size.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! // 2 x[0] + x[1] = 4,  x[0] + 2 x[1] + x[2] = 8,  x[1] + 2 x[2] = 8
//! let (outer, diagonal) = ([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]);
//! let system = Tridiagonal::new(&outer, &diagonal, &outer);
//! let x: Vec<f64> = system.run_to_vec(&Device::cpu(), &[4.0, 8.0, 8.0])?;
//! assert!(x.iter().zip([1.0, 2.0, 3.0]).all(|(x, e)| (x - e).abs() < 1e-12));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Algorithm.** Thomas' elimination, whose three loops are scans:
//!
//! ```text
//! pivot[i] = diagonal[i] - lower[i] u[i-1],   u[i] = upper[i] / pivot[i]      quotients of functions, which are composed
//! y[i]     = (right[i] - lower[i] y[i-1]) / pivot[i]                          a recurrence with varying coefficients
//! x[i]     = y[i] - u[i] x[i+1]                                               another one, from the end
//! ```
//!
//! **Where it is unstable.** Rows are not exchanged, as they are not in the loop: a pivot of 0 makes results infinite
//! or NaN, and a pivot that is small relative to its row makes them wrong. A system that is diagonally dominant,
//! `|diagonal| >= |lower| + |upper|`, or symmetric and positive definite has no such pivot. Elements are `f32` or
//! `f64`; both are computed in `f64`, because composed quotients lose more digits than the loop. For random systems
//! that are just diagonally dominant (`|diagonal| = 1.0001 (|lower| + |upper|)`, 40,000 unknowns), results differ from
//! the loop's in `f64` by at most 1e-10 of the largest unknown. Results of `f32` are rounded once.
//!
//! **Cost.** Four passes over memory, with two arrays of `f64` between them: 92 bytes are moved for each unknown of
//! `f32`, and 128 of `f64`.
//!
//! Source: Thomas, "Elliptic Problems in Linear Difference Equations over a Network", 1949 (the elimination); Blelloch,
//! "Prefix Sums and Their Applications", 1990, section 1.4 (recurrences as scans).

use crate::array::Array;
use crate::device::Device;
use crate::scan::Scan;
use crate::transform::Transform;
use crate::varying::OfZero;
use crate::varying::{Affine, ComposeAffine, ComposeMoebius};
use definitions::{BackwardStep, EliminationStep, ForwardStep, LeftOfZero, Pivot, RoundedOfZero};
use upsweep_core::buffer::{Input, Output};
use upsweep_core::error::Result;
use upsweep_core::operator::{Function, Number, WidenFrom};

#[allow(unreachable_pub, reason = "the functions stay here")]
mod definitions {
    use crate::varying::{Affine, Moebius};
    use upsweep_core::operator::{Element, WidenFrom, function};

    /// Step of the elimination, as a function of the quotient `u` of the equation before: `u -> upper / (diagonal -
    /// lower u)`.
    #[function]
    pub fn elimination_step<T: Element>(lower: T, diagonal: T, upper: T) -> Moebius<f64>
    where
        f64: WidenFrom<T>,
    {
        Moebius { p: 0.0, q: f64::from(upper), r: -f64::from(lower), s: f64::from(diagonal) }
    }

    /// Value at 0 of the function `f`, a composition of elimination steps.
    #[function]
    pub fn left_of_zero(f: Moebius<f64>) -> f64 {
        f.q / f.s
    }

    #[function]
    pub fn pivot<T: Element>(lower: T, diagonal: T, before: f64) -> f64
    where
        f64: WidenFrom<T>,
    {
        f64::from(diagonal) - f64::from(lower) * before
    }

    /// Step of the forward substitution, as a function of the result `y` before: `y -> (right - lower y) / pivot`.
    #[function]
    pub fn forward_step<T: Element>(lower: T, pivot: f64, right: T) -> Affine<f64>
    where
        f64: WidenFrom<T>,
    {
        Affine { m: -f64::from(lower) / pivot, k: f64::from(right) / pivot }
    }

    /// Step of the backward substitution, as a function of the next unknown `x`: `x -> y - upper / pivot x`.
    #[function]
    pub fn backward_step<T: Element>(upper: T, pivot: f64, y: f64) -> Affine<f64>
    where
        f64: WidenFrom<T>,
    {
        Affine { m: -f64::from(upper) / pivot, k: y }
    }

    /// Value of the affine function `f` at 0, rounded to `f32`.
    #[function]
    pub fn rounded_of_zero(f: Affine<f64>) -> f32 {
        f.k as f32
    }
}

/// Type of an unknown: `f32` or `f64`.
///
/// It is implemented for these types alone.
pub trait Unknown: Number {
    /// Function from an affine function to the unknown: its value at 0.
    #[doc(hidden)]
    type OfZero: Function<(Affine<f64>,), Output = Self>;
    #[doc(hidden)]
    const OF_ZERO: Self::OfZero;
}
impl Unknown for f32 {
    type OfZero = RoundedOfZero;
    const OF_ZERO: RoundedOfZero = RoundedOfZero;
}
impl Unknown for f64 {
    type OfZero = OfZero;
    const OF_ZERO: OfZero = OfZero;
}

/// Tridiagonal system, or a batch of them: see the [module](self).
#[derive(Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Tridiagonal<'a, A: ?Sized, B: ?Sized, C: ?Sized> {
    lower: &'a A,
    diagonal: &'a B,
    upper: &'a C,
    axis: Option<(&'a [usize], usize)>,
}

impl<'a, T, A, B, C> Tridiagonal<'a, A, B, C>
where
    T: Unknown,
    f64: WidenFrom<T>,
    A: Input<Item = T> + ?Sized,
    B: Input<Item = T> + ?Sized,
    C: Input<Item = T> + ?Sized,
{
    /// Makes the system with the coefficients `lower`, `diagonal` and `upper`, one of each for each unknown, in the
    /// memory of the device that computes.
    pub fn new(lower: &'a A, diagonal: &'a B, upper: &'a C) -> Self {
        Self { lower, diagonal, upper, axis: None }
    }

    /// Solves along `axis` (counted from 0) of row-major arrays of this `shape`: each line is a system of its own.
    pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
        self.axis = Some((shape, axis));
        self
    }

    /// Solves the system with the right sides `right` for `unknowns`. On CUDA the work is enqueued on the device's
    /// stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Length`](crate::Error::Length): the arrays differ in length
    /// - [`Error::Shape`](crate::Error::Shape), [`Error::Axis`](crate::Error::Axis): the arrays have another number of
    ///   elements than the shape, or it has no such axis
    /// - [`Error::Place`](crate::Error::Place), [`Error::Overlap`](crate::Error::Overlap): a buffer is not where the
    ///   device computes, or overlaps the output
    /// - [`Error::OutOfMemory`](crate::Error::OutOfMemory), and failures of CUDA itself
    pub fn run<R, X>(&self, device: &Device, right: &R, unknowns: &mut X) -> Result<()>
    where
        R: Input<Item = T> + ?Sized,
        X: Output<Item = T> + ?Sized,
    {
        let &Self { lower, diagonal, upper, .. } = self;
        let eliminate = self.along(Scan::new(ComposeMoebius).exclusive()).map(EliminationStep).finish(LeftOfZero);
        let mut before: Array<f64> = eliminate.run_to_array(device, (lower, diagonal, upper))?;
        let pivots: Array<f64> = Transform::new(Pivot).run_to_array(device, (lower, diagonal, &before))?;
        let forward = self.along(Scan::new(ComposeAffine)).map(ForwardStep).finish(OfZero);
        forward.run(device, (lower, &pivots, right), &mut before)?;
        let backward = self.along(Scan::new(ComposeAffine).reverse()).map(BackwardStep).finish(T::OF_ZERO);
        backward.run(device, (upper, &pivots, &before), unknowns)
    }

    /// Runs like [`run`](Self::run), into a new array on the device.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_array<R>(&self, device: &Device, right: &R) -> Result<Array<T>>
    where
        R: Input<Item = T> + ?Sized,
    {
        let mut unknowns = device.room(right.view().len())?;
        self.run(device, right, &mut unknowns)?;
        Ok(unknowns)
    }

    /// Runs like [`run`](Self::run), into a vector on the host. On CUDA this waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_vec<R>(&self, device: &Device, right: &R) -> Result<Vec<T>>
    where
        R: Input<Item = T> + ?Sized,
    {
        self.run_to_array(device, right)?.into_vec()
    }

    fn along<Op>(&self, scan: Scan<'a, Op>) -> Scan<'a, Op> {
        match self.axis {
            Some((shape, axis)) => scan.axis(shape, axis),
            None => scan,
        }
    }
}
