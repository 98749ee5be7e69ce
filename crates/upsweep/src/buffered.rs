//! Inputs as buffers, for calls that read their elements more than once or in an order of their own.
//!
//! The elements of a buffer are where they are. Those of any other input are computed into memory of the device first,
//! by a pass of a [`Transform`](crate::Transform).

use crate::array::Array;
use crate::device::Device;
use crate::transform::evaluated;
use upsweep_core::buffer::{Input, View};
use upsweep_core::error::{Error, Result};
use upsweep_core::inputs::{Inputs, Read};
use upsweep_core::operator::{Item, Same};

/// An input whose elements are in one buffer.
pub(crate) struct Buffered<'x, I: Read> {
    given: I::Given<'x>,
    /// Elements of an input that is no buffer.
    made: Option<Array<I::Value>>,
}

/// Function that makes the array of an input that is no buffer, and none of others.
type Make<'x, I> = fn(&Device, &<I as Read>::Given<'x>) -> Result<Option<Array<<I as Item>::Value>>>;

impl<'x, I: Read> Buffered<'x, I> {
    /// Computes the elements of an input that is no buffer.
    ///
    /// # Errors
    /// Errors of a [`Transform`](crate::Transform) of the input; [`Error::Driver`] in a capture.
    pub(crate) fn new(device: &Device, given: I::Given<'x>) -> Result<Self> {
        let made = (const { Self::make() })(device, &given)?;
        Ok(Self { given, made })
    }

    /// Is chosen as a constant: otherwise the compiler would compile a transform of every buffer.
    const fn make() -> Make<'x, I> {
        if I::BUFFER {
            |_, _| Ok(None)
        } else {
            |device, given| evaluated::<I, Same>(device, I::again(given), Same).map(Some)
        }
    }

    /// Keeps an input as it is: it has no elements in a buffer unless it is one.
    pub(crate) fn unmade(given: I::Given<'x>) -> Self {
        Self { given, made: None }
    }

    /// Returns the host's description of the input.
    pub(crate) fn given(&self) -> &I::Given<'x> {
        &self.given
    }

    /// Returns all elements that there is room for.
    pub(crate) fn room(&self) -> View<'_, I::Value> {
        let made = || self.made.as_ref().map(Input::view);
        I::buffer(&self.given).or_else(made).unwrap_or(View::Host(&[]))
    }

    /// Returns the number of elements, if it is in device memory.
    pub(crate) fn length(&self) -> Option<View<'_, u64>> {
        I::length(&self.given).map(Input::view)
    }
}

/// Computes the elements of an input that is no buffer, for a call that has to know how many there are.
///
/// # Errors
/// Errors of a [`Transform`](crate::Transform) of the input; [`Error::Driver`] in a capture; [`Error::Options`] for a
/// counted input.
pub(crate) fn of_known_length<'x, X: Inputs<'x>>(device: &Device, input: X) -> Result<Buffered<'x, X::Item>> {
    known_length::<X>()?;
    Buffered::new(device, input.given())
}

/// Checks that the host knows how many elements an input has.
///
/// # Errors
/// [`Error::Options`] for a counted input.
pub(crate) fn known_length<'x, X: Inputs<'x>>() -> Result<()> {
    if X::Item::COUNTED {
        let reason = "the device alone knows how many elements there are: give a part of the buffer";
        return Err(Error::Options { options: "a counted input of this call", reason });
    }
    Ok(())
}
