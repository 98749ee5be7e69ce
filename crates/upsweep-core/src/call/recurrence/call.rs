//! The call of a recurrence, with its buffers.

use super::System;
use crate::buffer::{View, ViewMut};
use crate::call::Elements;
use crate::operator::Element;
use crate::outputs::Target;
use crate::shape::Shape;

/// A recurrence whose options fit its buffers.
pub struct Call<'x, 'y, 'z, C, I: Element> {
    pub system: System<C>,
    pub shape: Shape,
    pub reverse: bool,
    pub input: Elements<'x, I>,
    pub output: Target<'y, I>,
    /// Initial states: `system.states` for each line.
    pub first: Option<View<'z, C>>,
    pub last: Option<ViewMut<'z, C>>,
}
