//! Dedup: one of each run of equal neighbours. In a sorted array these are the distinct values.
//!
//! ```text
//! new            out = the x[i] with x[i - 1] != x[i], and x[0]
//! by(same)       the same, where same(x[i - 1], x[i]) does not hold
//! last           of equal neighbours the last instead of the first: the x[i] with x[i] != x[i + 1], and x[n - 1]
//! indices        out = the i instead
//! counts         two outputs: the x[i], and how many equal neighbours each stands for
//! ```
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let x = [3u32, 3, 1, 1, 1, 3, 7];
//! assert_eq!(Dedup::new().run_to_vec::<_, u32>(&device, &x)?, [3, 1, 3, 7]);
//! assert_eq!(Dedup::new().indices().run_to_vec::<_, u32>(&device, &x)?, [0, 2, 5, 6]);
//! assert_eq!(Dedup::new().last().indices().run_to_vec::<_, u32>(&device, &x)?, [1, 4, 5, 6]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! By key: the first value of each run of equal keys, or with [`Last`](upsweep_core::operator::builtin::Last) the last
//! one, and the key.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let (days, prices) = ([1u32, 1, 2, 5, 5, 5], [10.0f32, 11.0, 9.0, 7.0, 8.0, 6.0]);
//! let (mut day, mut price) = ([0; 6], [0.0; 6]);
//! let first = Reduce::new(First).segments(Segments::Keys(&days));
//! let kept = first.run_with_keys(&device, &prices, (&mut day, &mut price))?.get()?;
//! assert_eq!((&day[..kept], &price[..kept]), (&[1, 2, 5][..], &[10.0, 9.0, 7.0][..]));
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! The number of results depends on the data: see [`select`](crate::select). An equality is evaluated on neighbours
//! only, with the earlier one first; so it need not be transitive. NaN differs from itself, and -0 equals +0.
//!
//! An array may come in parts: [`carry`](crate::carry).
//!
//! **Cost.** One pass over memory: each element is read once and each result written once. An input that is no buffer
//! is computed into memory of the device first, by a pass of a [`Transform`](crate::Transform).

use crate::array::Array;
use crate::compaction::{Chosen, runs};
use crate::count::Count;
use crate::device::Device;
use crate::runs::Runs;
use std::marker::PhantomData;
use upsweep_core::buffer::Output;
use upsweep_core::call::select::{Among, Choose, Choosing, FirstOf, Indices, LastOf, Others, Values, Yields};
use upsweep_core::error::Result;
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;
use upsweep_core::segments::Equal;

/// Removal of equal neighbours: see the [module](self). Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is computed until it is run"]
pub struct Dedup<C, V = Values> {
    pub(crate) choice: C,
    yields: PhantomData<V>,
}

impl Dedup<FirstOf<Equal>> {
    /// Keeps the first of each run of equal neighbours.
    #[allow(clippy::new_without_default, reason = "a type parameter would have to be written out")]
    pub fn new() -> Self {
        Self::by(Equal)
    }
}

impl<E> Dedup<FirstOf<E>> {
    /// Keeps the first of each run of neighbours for which `same(x[i - 1], x[i])` holds: a `#[function]` that returns
    /// `bool`.
    pub fn by(same: E) -> Self {
        Self { choice: FirstOf(same), yields: PhantomData }
    }
}

impl<E> Dedup<FirstOf<E>> {
    /// Stores also the length of each run of equal neighbours: the [`Runs`] of the input, or with
    /// [`starts`](Runs::starts) the index of the first.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let (values, counts) = Dedup::new().counts().run_to_vecs::<_, u32>(&Device::cpu(), &[3, 3, 1, 1, 1])?;
    /// assert_eq!((values, counts), (vec![3, 1], vec![2, 3]));
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    pub fn counts(self) -> Runs<E> {
        Runs::by(self.choice.0)
    }
}

impl<E, V> Dedup<FirstOf<E>, V> {
    /// Keeps the last of each run of equal neighbours instead of the first.
    pub fn last(self) -> Dedup<LastOf<E>, V> {
        Dedup { choice: LastOf(self.choice.0), yields: PhantomData }
    }
}

impl<C> Dedup<C> {
    /// Stores the indices of the elements instead of the elements: `u32`, `u64`, `usize`, `i32` or `i64`, by the
    /// output's type.
    pub fn indices(self) -> Dedup<C, Indices> {
        Dedup { choice: self.choice, yields: PhantomData }
    }
}

runs! { Dedup, "Copies the first or last of equal neighbours" }
