//! A recurrence as the backends see it.

use super::System;
use crate::buffer::{View, ViewMut};
use crate::job::Elements;
use crate::operator::Element;
use crate::outputs::Target;
use crate::plan::Shape;

/// A recurrence whose options fit its buffers.
pub(crate) struct Call<'x, 'y, 'z, C, I: Element> {
    pub(crate) system: System<C>,
    pub(crate) shape: Shape,
    pub(crate) reverse: bool,
    pub(crate) input: Elements<'x, I>,
    pub(crate) output: Target<'y, I>,
    /// Of each line as many as `system.states`.
    pub(crate) first: Option<View<'z, C>>,
    pub(crate) last: Option<ViewMut<'z, C>>,
}
