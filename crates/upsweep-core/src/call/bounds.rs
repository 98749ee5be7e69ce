//! Lines along an axis and segments as the host knows them, for calls with some results for each of them.

use super::sort::{Cut, Lines, Parting};
use crate::buffer::Input;
use crate::error::{Error, Result};
use crate::segments::{Offset, Offsets, Whole};
use crate::shape::Shape;
use std::ops::Range;

/// Lines or segments of an array, in the order of their results.
#[derive(Clone, Debug)]
pub enum Bounds {
    /// Lines along the axis of this shape.
    Lines(Shape),
    /// Segments, by ascending offsets from 0 to the number of elements.
    Segments(Vec<usize>),
}

impl Bounds {
    /// Returns the number of lines or segments.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::Lines(shape) => shape.outer.saturating_mul(shape.inner),
            Self::Segments(offsets) => offsets.len().saturating_sub(1),
        }
    }

    /// Returns the elements of a line whose elements lie side by side, or of a segment.
    #[must_use]
    pub fn range(&self, index: usize) -> Range<usize> {
        match self {
            Self::Lines(shape) => index * shape.len..(index + 1) * shape.len,
            Self::Segments(offsets) => {
                let end = offsets.get(index + 1).copied().unwrap_or_default();
                offsets.get(index).copied().unwrap_or_default()..end
            }
        }
    }

    /// Returns the number of elements of the longest line or segment.
    #[must_use]
    pub fn longest(&self) -> usize {
        match self {
            Self::Lines(shape) => shape.len,
            Self::Segments(_) => (0..self.count()).map(|index| self.range(index).len()).max().unwrap_or(0),
        }
    }

    /// Checks that each segment has `needed` elements.
    ///
    /// # Errors
    /// [`Error::Segment`] for the first one that has fewer.
    pub fn expect(&self, needed: usize) -> Result<()> {
        let len = |segment| self.range(segment).len();
        match (0..self.count()).find(|&segment| len(segment) < needed) {
            Some(segment) => Err(Error::Segment { segment, len: len(segment), needed }),
            None => Ok(()),
        }
    }
}

/// Division of an array for calls with results of type `V` for each part, for which a part may have too few elements.
pub trait Short<V>: Parting {
    /// Returns what stands where a part has no element.
    #[doc(hidden)]
    fn instead(&self) -> Option<V>;
}

impl<V> Short<V> for Whole {
    fn instead(&self) -> Option<V> {
        None
    }
}

impl<V> Short<V> for Lines<'_> {
    fn instead(&self) -> Option<V> {
        None
    }
}

impl<V, B: Input<Item: Offset> + ?Sized> Short<V> for Offsets<'_, B> {
    fn instead(&self) -> Option<V> {
        None
    }
}

/// Segments, and the value that stands where one has no element.
#[derive(Clone, Copy, Debug)]
pub struct Or<G, V>(pub G, pub V);

impl<G: Parting, V> Parting for Or<G, V> {
    type Offset = G::Offset;
    fn cut(&self, len: usize) -> Result<Cut<'_, G::Offset>> {
        self.0.cut(len)
    }
}

impl<G: Parting, V: Copy> Short<V> for Or<G, V> {
    fn instead(&self) -> Option<V> {
        Some(self.1)
    }
}
