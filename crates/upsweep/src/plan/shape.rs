//! A row-major array, seen from one of its axes.

use crate::error::{Error, Result};

/// A row-major array seen from the axis that is scanned: element `k` of line `(o, i)` is at
/// `(o * len + k) * inner + i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The product of the axes before.
    pub outer: usize,
    /// The length of the axis.
    pub len: usize,
    /// The product of the axes after.
    pub inner: usize,
}

impl Shape {
    /// The shape of `len` elements along `axis`, or of one line.
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
        let product = |axes: &[usize]| axes.iter().try_fold(1usize, |p, &n| p.checked_mul(n));
        // An axis of length 0 makes the whole product 0, however long the others are.
        let elements = if shape.contains(&0) { Some(0) } else { product(shape) };
        let (outer, inner) = (product(&shape[..axis]), product(&shape[axis + 1..]));
        match (outer, inner) {
            (Some(outer), Some(inner)) if elements == Some(len) => Ok(Self { outer, len: shape[axis], inner }),
            _ => Err(Error::Shape { shape: shape.to_vec(), len }),
        }
    }

    /// One line.
    pub(crate) fn line(len: usize) -> Self {
        Self { outer: 1, len, inner: 1 }
    }

    /// The number of lines along the axis.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.outer * self.inner
    }
}
