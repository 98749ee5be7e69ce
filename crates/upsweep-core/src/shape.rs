//! Row-major arrays, seen as lines along one axis.

use crate::error::{Error, Result};

/// Returns the number of elements of an array with axes of these lengths: 0 where one length is 0, however long the
/// others are; `usize::MAX` on overflow.
pub fn product(axes: &[usize]) -> usize {
    axes.iter().fold(1, |product: usize, &n| product.saturating_mul(n))
}

/// Rows with a gap behind each: of `columns` elements, at a distance of `pitch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pitch {
    /// Length of the last axis.
    pub columns: usize,
    /// Number of elements from the first element of a row to that of the next one: at least `columns`.
    pub pitch: usize,
}

/// A row-major array, seen along the axis that is scanned: element `k` of line `(o, i)` is at `(o * len + k) * inner +
/// i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Product of the lengths of the axes before the scanned axis; `usize::MAX` on overflow, in an array without
    /// elements.
    pub outer: usize,
    /// Length of the scanned axis: the number of elements of a line.
    pub len: usize,
    /// Product of the lengths of the axes after the scanned axis; `usize::MAX` on overflow, in an array without
    /// elements.
    pub inner: usize,
}

impl Shape {
    /// Creates the shape of an array of `len` elements, with its axes and the number of the scanned axis; without
    /// these, it is one line.
    ///
    /// # Errors
    /// [`Error::Axis`] when there is no such axis, [`Error::Shape`] when the shape has another number of elements.
    #[inline]
    pub fn new(axis: Option<(&[usize], usize)>, len: usize) -> Result<Self> {
        match axis {
            None => Ok(Self::line(len)),
            Some((shape, axis)) => Self::along(shape, axis, len),
        }
    }

    // A function of its own, which is compiled once and not for each type of job.
    #[inline(never)]
    fn along(shape: &[usize], axis: usize, len: usize) -> Result<Self> {
        if axis >= shape.len() {
            return Err(Error::Axis { axis, axes: shape.len() });
        }
        if product(shape) != len {
            return Err(Error::Shape { shape: shape.to_vec(), len });
        }
        Ok(Self { outer: product(&shape[..axis]), len: shape[axis], inner: product(&shape[axis + 1..]) })
    }

    /// Creates the shape of one line of `len` elements.
    pub fn line(len: usize) -> Self {
        Self { outer: 1, len, inner: 1 }
    }

    /// Returns the number of elements of the array.
    #[must_use]
    #[inline]
    pub fn elements(&self) -> usize {
        self.outer.saturating_mul(self.len).saturating_mul(self.inner)
    }

    /// Returns the number of lines along the axis; `usize::MAX` on overflow, in an array without elements.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.outer.saturating_mul(self.inner)
    }
}
