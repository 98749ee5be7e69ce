//! Axis of an array along which a signal lies.

#![allow(unreachable_pub, reason = "what the public trait `Sample` stands on is public, but has no name outside")]

use upsweep::Shape;
use upsweep::{Recurrence, Result};

/// Lines of an array that are signals: along one axis, or the whole array as one.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Along<'a> {
    pub(super) axis: Option<(&'a [usize], usize)>,
}

impl<'a> Along<'a> {
    pub(super) fn shape(&self, len: usize) -> Result<Shape> {
        Shape::new(self.axis, len)
    }

    pub(super) fn put<'r>(&self, recurrence: Recurrence<'r, f64>) -> Recurrence<'r, f64>
    where
        'a: 'r,
    {
        match self.axis {
            Some((shape, axis)) => recurrence.axis(shape, axis),
            None => recurrence,
        }
    }
}
