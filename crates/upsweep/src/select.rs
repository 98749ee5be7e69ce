//! Select: the elements that a predicate or flags select, in their order (stream compaction, filter).
//!
//! ```text
//! new(p)         out = the x[i] with p(x[i])
//! flags(f)       out = the x[i] whose flag f[i] is set
//! indices        out = the i instead
//! ```
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
//! let kept = Select::new(Odd).run(&device, &x, &mut out)?;
//! assert_eq!(out[..kept.get()?], [3, 1, 7, 1, 3]);
//! assert_eq!(Select::new(Odd).indices().run_to_vec::<_, u32>(&device, &x)?, [0, 1, 2, 5, 7]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Number of results.** The number of selected elements depends on the data. A call stores them at the beginning of
//! its output and leaves the rest of it as it is. Their number is a [`Count`], in the memory of the device that
//! computes. An output as long as the input always suffices. If a shorter one does not, the call fails with both
//! numbers ([`Error::Capacity`](crate::Error::Capacity)), and has stored as many results as there is room for.
//!
//! **Several columns.** A predicate has as many arguments as there are [inputs](crate::inputs). The indices of the rows
//! that it selects gather these rows of any column, without waiting. Values of several inputs are stored as tuples.
//!
//! ```
//! # use upsweep::prelude::*;
//! #[function]
//! fn wanted(price: f32, stock: u32) -> bool {
//!     price < 2.0 && stock > 0
//! }
//!
//! let device = Device::best()?;
//! let (price, stock) = (device.upload(&[1.5f32, 3.0, 1.0, 0.5])?, device.upload(&[4u32, 2, 0, 9])?);
//! let name = device.upload(&[b'a', b'b', b'c', b'd'])?;
//! let (mut rows, mut names) = (device.filled(4, 0u32)?, device.filled(4, b' ')?);
//! let kept = Select::new(Wanted).indices().run(&device, (&price, &stock), &mut rows)?;
//! Transform::copy().run(&device, Gather::of(&name).at(kept.of(&rows)), &mut names)?;
//! assert_eq!((kept.get()?, names.to_vec()?), (2, b"ad  ".to_vec()));
//! let pairs: Vec<(f32, u32)> = Select::new(Wanted).run_to_vec(&device, (&price, &stock))?;
//! assert_eq!(pairs, [(1.5, 4), (0.5, 9)]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Bits as flags.** A bit mask is expanded to bytes: for each flag, an eighth of a byte is read and one byte written.
//!
//! ```
//! # use upsweep::prelude::*;
//! # let device = Device::best()?;
//! let (x, mask) = (device.upload(&[10u32, 20, 30, 40, 50])?, device.upload(&[0b10110u8])?);
//! let flags: Array<bool> = Transform::copy().run_to_array(&device, Bits::of(&mask, 5))?;
//! assert_eq!(Select::flags(&flags).run_to_vec::<_, u32>(&device, &x)?, [20, 30, 50]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Cost.** One pass over memory: each element, and each flag, is read once and each result written once. The
//! predicate is applied once to each element. Elements are copied bit by bit.
//!
//! Of an input that is no buffer (columns side by side, a range, a gather, a function), indices cost the following: on
//! the CPU they are selected in the pass that reads the input; on CUDA a first pass writes a byte for each element, and
//! a second one reads it. Values are computed into memory of the device first: a pass of a
//! [`Transform`](crate::Transform), room for all of them, and NaN with the payload of computed ones. Memory for flags or
//! values cannot be had while a CUDA graph is captured.
//!
//! An array may come in parts: [`carry`](crate::carry).
//!
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.3 (pack).

use crate::array::Array;
use crate::compaction::{Chosen, runs};
use crate::count::Count;
use crate::device::Device;
use std::marker::PhantomData;
use upsweep_core::buffer::{Input, Output};
use upsweep_core::call::select::{Among, Choose, Choosing, Flag, Flagged, Indices, Others, Values, Where, Yields};
use upsweep_core::error::Result;
use upsweep_core::inputs::Inputs;
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;

/// Selection with its options: see the [module](self) for their formulas. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a selection does nothing until it is run"]
pub struct Select<C, V = Values> {
    pub(crate) choice: C,
    yields: PhantomData<V>,
}

impl<P> Select<Where<P>> {
    /// Selects the elements for which `predicate` holds: a `#[function]` that returns `bool`.
    pub fn new(predicate: P) -> Self {
        Self { choice: Where(predicate), yields: PhantomData }
    }
}

impl<'a, B: Input<Item: Flag> + ?Sized> Select<Flagged<'a, B>> {
    /// Selects the elements whose flag is set: a `bool`, or a byte that is not 0, for each element.
    pub fn flags(flags: &'a B) -> Self {
        Self { choice: Flagged(flags), yields: PhantomData }
    }
}

impl<C> Select<C> {
    /// Stores the indices of the elements instead of the elements: `u32`, `u64`, `usize`, `i32` or `i64`, by the
    /// output's type.
    pub fn indices(self) -> Select<C, Indices> {
        Select { choice: self.choice, yields: PhantomData }
    }
}

runs! { Select, "Selects" }
