//! Initial values of scans and reductions: none, a value, or a value in a buffer.

use crate::buffer::{Input, View};
use crate::error::{Error, Result};
use crate::operator::Element;

/// Source of the initial value; see [`Init`].
#[derive(Debug)]
pub enum InitSource<'a, T> {
    /// No initial value.
    None,
    /// Value known on the host.
    Value(T),
    /// Element 0 of a buffer.
    Buffer(View<'a, T>),
}

/// An initial value, or none. Implemented by [`NoInit`], [`InitValue`] and [`InitFrom`].
pub trait Init<T: Element> {
    /// Returns the initial value, or the buffer that holds it.
    fn source(&self) -> InitSource<'_, T>;
}

/// No initial value.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoInit;

/// An initial value that is known on the host.
#[derive(Clone, Copy, Debug)]
pub struct InitValue<T>(pub T);

/// An initial value in a buffer of one element, in the memory of the device that computes.
#[derive(Debug)]
pub struct InitFrom<'a, B: ?Sized>(pub &'a B);

impl<B: ?Sized> Clone for InitFrom<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: ?Sized> Copy for InitFrom<'_, B> {}

impl<T: Element> Init<T> for NoInit {
    fn source(&self) -> InitSource<'_, T> {
        InitSource::None
    }
}

impl<T: Element> Init<T> for InitValue<T> {
    fn source(&self) -> InitSource<'_, T> {
        InitSource::Value(self.0)
    }
}

impl<T: Element, B: Input<Item = T> + ?Sized> Init<T> for InitFrom<'_, B> {
    fn source(&self) -> InitSource<'_, T> {
        InitSource::Buffer(self.0.view())
    }
}

impl<T: Element> InitSource<'_, T> {
    /// Returns the initial value of a job on the CPU.
    ///
    /// # Errors
    /// [`Error::Length`] when the buffer is empty, [`Error::Place`] when it is not in host memory.
    pub fn on_host(&self) -> Result<Option<T>> {
        match self {
            Self::None => Ok(None),
            Self::Value(value) => Ok(Some(*value)),
            Self::Buffer(view) => match view.on_host("initial value")? {
                [first, ..] => Ok(Some(*first)),
                [] => Err(Error::Length { what: "initial value", found: 0, expected: 1 }),
            },
        }
    }

    /// Whether there is no initial value.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}
