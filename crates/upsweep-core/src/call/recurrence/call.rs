//! A recurrence as the backends see it.

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
    /// Of each line as many as `system.states`.
    pub first: Option<View<'z, C>>,
    pub last: Option<ViewMut<'z, C>>,
}
