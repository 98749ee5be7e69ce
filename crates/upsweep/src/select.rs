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
//! **Several columns.** The indices of the rows that one column's predicate selects gather the same rows of all others,
//! without waiting.
//!
//! ```
//! # use upsweep::prelude::*;
//! # #[function]
//! # fn odd(x: u32) -> bool {
//! #     x % 2 == 1
//! # }
//! let device = Device::best()?;
//! let (number, letter) = (device.upload(&[3u32, 0, 7])?, device.upload(&[b'a', b'b', b'c'])?);
//! let (mut rows, mut letters) = (device.filled(3, 0u32)?, device.filled(3, b' ')?);
//! let kept = Select::new(Odd).indices().run(&device, &number, &mut rows)?;
//! Transform::copy().run(&device, Gather::of(&letter).at(kept.of(&rows)), &mut letters)?;
//! assert_eq!((kept.get()?, letters.to_vec()?), (2, b"ac ".to_vec()));
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
//! Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.3 (pack).

use crate::array::Array;
use crate::compaction::runs;
use crate::count::Count;
use crate::device::Device;
use std::marker::PhantomData;
use upsweep_core::buffer::{Input, Output, View};
use upsweep_core::call::Elements;
use upsweep_core::call::select::{Choose, Choosing, Flag, Flagged, Indices, Others, Values, Where, Yields};
use upsweep_core::error::Result;
use upsweep_core::inputs::CountedInput;
use upsweep_core::operator::Element;
use upsweep_core::outputs::Target;

/// Selection with its options: see the [module](self) for their formulas. Build it once, run it often.
#[derive(Clone, Copy, Debug)]
#[must_use = "a selection does nothing until it is run"]
pub struct Select<C, V = Values> {
    choice: C,
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
