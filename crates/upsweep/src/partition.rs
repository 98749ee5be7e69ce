//! Partition: the elements that a predicate or flags select, then the rejected ones, both in their order (a split).
//!
//! ```text
//! new(p)         the x[i] with p(x[i]), and those without
//! flags(f)       the x[i] whose flag f[i] is set, and those whose flag is not
//! indices        the i instead
//! ```
//!
//! The rejected elements follow the selected ones, or go into a second output:
//!
//! ```
//! use upsweep::prelude::*;
//!
//! #[function]
//! fn odd(x: u32) -> bool {
//!     x % 2 == 1
//! }
//!
//! let device = Device::cpu();
//! let x = [3u32, 1, 7, 0, 4, 1, 6, 3];
//! let mut out = [0u32; 8];
//! let odd = Partition::new(Odd).run(&device, &x, &mut out)?;
//! assert_eq!((odd.get()?, out), (5, [3, 1, 7, 1, 3, 0, 4, 6]));
//!
//! let (mut yes, mut no) = ([0u32; 8], [0u32; 8]);
//! Partition::new(Odd).run(&device, &x, (&mut yes, &mut no))?;
//! assert_eq!((&yes[..5], &no[..3]), (&[3, 1, 7, 1, 3][..], &[0, 4, 6][..]));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! [`Partition::ways`] partitions into three buckets and more, by a function that returns the bucket of each element.
//!
//! **Cost.** Into two outputs one pass over memory: each element is read once and written once. Into one output each
//! element is read twice, because the place of the rejected elements depends on the number of selected ones. An input
//! that is no buffer costs what it costs in a [`Select`](crate::select).
//!
//! An array may come in parts: [`carry`](crate::carry).
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.3 (split).

use crate::array::Array;
use crate::buffered::known_length;
use crate::compaction::Chosen;
use crate::count::Count;
use crate::device::Device;
use std::marker::PhantomData;
use upsweep_core::buffer::{Input, Output, ViewMut};
use upsweep_core::call::select::{Choose, Flag, Flagged, Indices, Others, Values, Where, Yields};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;

/// Partition with its options: see the [module](self) for their formulas. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a partition does nothing until it is run"]
pub struct Partition<C, V = Values> {
    pub(crate) choice: C,
    yields: PhantomData<V>,
}

impl<P> Partition<Where<P>> {
    /// Selects the elements for which `predicate` holds: a `#[function]` that returns `bool`.
    pub fn new(predicate: P) -> Self {
        Self { choice: Where(predicate), yields: PhantomData }
    }
}

impl<'a, B: Input<Item: Flag> + ?Sized> Partition<Flagged<'a, B>> {
    /// Selects the elements whose flag is set: a `bool`, or a byte that is not 0, for each element.
    pub fn flags(flags: &'a B) -> Self {
        Self { choice: Flagged(flags), yields: PhantomData }
    }
}

impl<C> Partition<C> {
    /// Stores the indices of the elements instead of the elements: `u32`, `u64`, `usize`, `i32` or `i64`, by the
    /// outputs' type.
    pub fn indices(self) -> Partition<C, Indices> {
        Partition { choice: self.choice, yields: PhantomData }
    }
}

/// Outputs of a partition: one output, or a pair of them for the selected elements and the rejected ones.
pub trait Sides {
    /// Type of the results.
    type Item: Element;
    /// Returns a view of the output for all or for the selected elements, and of the one for the rejected ones, if
    /// there are two.
    #[doc(hidden)]
    fn views(&mut self) -> (ViewMut<'_, Self::Item>, Option<ViewMut<'_, Self::Item>>);
}

impl<B: Output + ?Sized> Sides for &mut B {
    type Item = B::Item;
    fn views(&mut self) -> (ViewMut<'_, B::Item>, Option<ViewMut<'_, B::Item>>) {
        (self.view_mut(), None)
    }
}

impl<A: Output + ?Sized, B: Output<Item = A::Item> + ?Sized> Sides for (&mut A, &mut B) {
    type Item = A::Item;
    fn views(&mut self) -> (ViewMut<'_, A::Item>, Option<ViewMut<'_, A::Item>>) {
        (self.0.view_mut(), Some(self.1.view_mut()))
    }
}

impl<C, V> Partition<C, V> {
    /// Partitions `input` into `output`, which is one output as long as the input, or a pair of them, and returns the
    /// number of selected elements. On CUDA the work is enqueued on the device's stream and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Capacity`]: one of two outputs has no room for its results; on CUDA the next call that waits returns
    ///   it
    /// - [`Error::Length`]: one output is not as long as the input, or there are not as many flags as elements
    /// - the other errors of [`Select::run`](crate::Select::run)
    pub fn run<'x, X, O>(&self, device: &Device, input: X, output: O) -> Result<Count>
    where
        X: Inputs<'x>,
        O: Sides,
        C: Choose<X::Value, X::Args>,
        V: Yields<X::Value, O::Item>,
    {
        let mut count = Count::new(device)?;
        self.run_counted(device, input, output, &mut count)?;
        Ok(count)
    }

    /// Runs like [`run`](Self::run) with a count of the caller's, which can be reused, so that a CUDA graph can capture
    /// the call.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Driver`] in a capture for an input that is computed into memory first.
    pub fn run_counted<'x, X, O>(&self, device: &Device, input: X, mut output: O, count: &mut Count) -> Result<()>
    where
        X: Inputs<'x>,
        O: Sides,
        C: Choose<X::Value, X::Args>,
        V: Yields<X::Value, O::Item>,
    {
        let chosen = Chosen::<C, V, X::Item, O::Item>::new(device, &self.choice, input.given())?;
        match output.views() {
            (selected, Some(others)) => {
                chosen.run(device, Some(Target::new(selected)), Others::Apart(Target::new(others)), count)
            }
            (both, None) => {
                let (found, expected) = (both.len(), chosen.room());
                if found != expected {
                    return Err(Error::Length { what: "output", found, expected });
                }
                chosen.run(device, None, Others::Dropped, count)?;
                chosen.run(device, Some(Target::new(both)), Others::Behind, count)
            }
        }
    }

    /// Partitions `input` into two new arrays on the device, of the selected elements and of the rejected ones, with
    /// exactly as many elements. On CUDA this waits until their number is known, for which the input is read once more;
    /// on the CPU each array has room for all until then.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Options`] for a counted input.
    pub fn run_to_arrays<'x, X, O>(&self, device: &Device, input: X) -> Result<(Array<O>, Array<O>)>
    where
        X: Inputs<'x>,
        O: Element,
        C: Choose<X::Value, X::Args>,
        V: Yields<X::Value, O>,
    {
        device.refuse_in_capture("arrays whose length depends on the data")?;
        known_length::<X>()?;
        let chosen = Chosen::<C, V, X::Item, O>::new(device, &self.choice, input.given())?;
        let (room, mut count, mut rejected) = (chosen.room(), Count::new(device)?, None);
        let selected = if device.is_cpu() {
            device.compute_some(room, |selected| {
                rejected = Some(device.compute_some(room, |others| {
                    chosen.run(device, Some(selected), Others::Apart(others), &mut count)?;
                    Ok(room.saturating_sub(count.get()?))
                })?);
                count.get()
            })?
        } else {
            chosen.run(device, None, Others::Dropped, &mut count)?;
            let len = count.get()?;
            device.compute_array(len, |selected| {
                let rest = room.saturating_sub(len);
                rejected = Some(device.compute_array(rest, |others| {
                    chosen.run(device, Some(selected), Others::Apart(others), &mut count)
                })?);
                Ok(())
            })?
        };
        rejected.map(|rejected| (selected, rejected)).ok_or(Error::OutOfMemory { bytes: 0 })
    }

    /// Partitions `input` into two vectors on the host. On CUDA this waits for them.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// #[function]
    /// fn odd(x: u32) -> bool {
    ///     x % 2 == 1
    /// }
    ///
    /// let parts = Partition::new(Odd).run_to_vecs(&Device::cpu(), &[3u32, 1, 8, 0, 7])?;
    /// assert_eq!(parts, (vec![3, 1, 7], vec![8, 0]));
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run_to_arrays`](Self::run_to_arrays).
    pub fn run_to_vecs<'x, X, O>(&self, device: &Device, input: X) -> Result<(Vec<O>, Vec<O>)>
    where
        X: Inputs<'x>,
        O: Element,
        C: Choose<X::Value, X::Args>,
        V: Yields<X::Value, O>,
    {
        let (selected, rejected) = self.run_to_arrays(device, input)?;
        Ok((selected.into_vec()?, rejected.into_vec()?))
    }
}
