//! Row-major arrays, seen as lines along one axis.

use crate::error::{Error, Result};

/// Number of elements of an array with these axes: 0 where one axis is 0, however long the others are; `usize::MAX` on
/// overflow.
pub fn product(axes: &[usize]) -> usize {
    axes.iter().fold(1, |product: usize, &n| product.saturating_mul(n))
}

/// A row-major array, seen along the axis that is scanned: element `k` of line `(o, i)` is at `(o * len + k) * inner +
/// i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Product of the axes before; `usize::MAX` on overflow, in an array without elements.
    pub outer: usize,
    /// Length of the axis.
    pub len: usize,
    /// Product of the axes after; `usize::MAX` on overflow, likewise.
    pub inner: usize,
}

impl Shape {
    /// Creates the shape of `len` elements along `axis`, or of one line.
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

    // Compiled once, not for each job.
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

    /// Creates the shape of one line.
    pub fn line(len: usize) -> Self {
        Self { outer: 1, len, inner: 1 }
    }

    /// Number of elements.
    #[must_use]
    #[inline]
    pub fn elements(&self) -> usize {
        self.outer.saturating_mul(self.len).saturating_mul(self.inner)
    }

    /// Number of lines along the axis; `usize::MAX` on overflow, where lines have no elements.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.outer.saturating_mul(self.inner)
    }
}
