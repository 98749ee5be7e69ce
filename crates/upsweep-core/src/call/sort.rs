//! Parts of an array that a sort orders separately: the whole array, each line along an axis, or each segment.

use crate::buffer::{Input, View};
use crate::error::Result;
use crate::segments::{Kind, Offset, Offsets, SegmentsBy, Whole};
use crate::shape::Shape;

/// Division of an array into parts that a `Sort` orders separately: [`Whole`], [`Offsets`] or [`Lines`].
pub trait Parting {
    /// Element type of the offsets; `u64` where there are none.
    #[doc(hidden)]
    type Offset: Offset;

    /// Returns the parts into which an array of `len` elements is divided.
    ///
    /// # Errors
    /// Error of a wrong shape, axis or number of offsets.
    #[doc(hidden)]
    fn cut(&self, len: usize) -> Result<Cut<'_, Self::Offset>>;
}

/// Parts of an array that are sorted separately, as both backends use them.
#[doc(hidden)]
#[derive(Debug)]
pub enum Cut<'a, I> {
    /// The whole array, as one part.
    Whole,
    /// Lines along the axis of this shape.
    Lines(Shape),
    /// Segments, by ascending offsets.
    Offsets(View<'a, I>),
}

/// Lines along an axis of a row-major array.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    pub shape: &'a [usize],
    pub axis: usize,
}

impl Parting for Whole {
    type Offset = u64;
    fn cut(&self, _: usize) -> Result<Cut<'_, u64>> {
        Ok(Cut::Whole)
    }
}

impl Parting for Lines<'_> {
    type Offset = u64;
    fn cut(&self, len: usize) -> Result<Cut<'_, u64>> {
        Ok(Cut::Lines(Shape::new(Some((self.shape, self.axis)), len)?))
    }
}

impl<B: Input<Item: Offset> + ?Sized> Parting for Offsets<'_, B> {
    type Offset = B::Item;
    fn cut(&self, len: usize) -> Result<Cut<'_, B::Item>> {
        let offsets = self.0.view();
        SegmentsBy { kind: Kind::Offsets, items: offsets.len() }.check(len, false)?;
        Ok(Cut::Offsets(offsets))
    }
}
