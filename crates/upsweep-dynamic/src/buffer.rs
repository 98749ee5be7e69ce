//! Buffers in the memory of the device that computes.

use crate::Result;
use crate::values::{copied, zeroed};
use std::borrow::Cow;
use upsweep::{Array, Device, Input, Output, View, ViewMut};

/// Whether the device computes in the host's memory.
pub(crate) fn on_host(device: &Device) -> bool {
    #[cfg(feature = "cuda")]
    if device.as_cuda().is_some() {
        return false;
    }
    let _ = device;
    true
}

/// Array that a call reads or writes, in the memory of its device. A shared borrow of an array on the host is copied
/// before the call writes to it.
#[derive(Debug)]
pub(crate) enum Buffer<'a, T: Clone> {
    Host(Cow<'a, [T]>),
    Borrowed(&'a mut [T]),
    Device(Array<T>),
}

impl<'a, T: crate::Value> Buffer<'a, T> {
    /// Makes a buffer of `values` in the memory of `device`: on the host without a copy, on a GPU by an upload.
    pub(crate) fn new(device: &Device, values: impl Into<Cow<'a, [T]>>) -> Result<Self> {
        let values = values.into();
        if on_host(device) { Ok(Self::Host(values)) } else { Ok(Self::Device(device.upload(&values)?)) }
    }

    /// Makes a buffer of `len` zeros in the memory of `device`.
    pub(crate) fn zeroed(device: &Device, len: usize) -> Result<Self> {
        if on_host(device) {
            Ok(Self::Host(Cow::Owned(zeroed(len)?)))
        } else {
            Ok(Self::Device(device.filled(len, T::default())?))
        }
    }

    /// Returns the elements if they are in host memory.
    pub(crate) fn as_slice(&self) -> Option<&[T]> {
        match self {
            Self::Host(values) => Some(values),
            Self::Borrowed(values) => Some(values),
            Self::Device(values) => values.as_slice(),
        }
    }

    /// Copies the elements to `host`, which has as many.
    pub(crate) fn copy_to(&self, host: &mut [T]) -> Result<()> {
        match self {
            Self::Device(values) => values.copy_to(host)?,
            Self::Host(values) => host.copy_from_slice(values),
            Self::Borrowed(values) => host.copy_from_slice(values),
        }
        Ok(())
    }

    /// Returns the elements as a vector on the host; elements on a GPU are downloaded.
    pub(crate) fn into_vec(self) -> Result<Vec<T>> {
        match self {
            Self::Host(values) => Ok(values.into_owned()),
            Self::Borrowed(values) => copied(values),
            Self::Device(values) => Ok(values.to_vec()?),
        }
    }
}

impl<T: crate::Value> Input for Buffer<'_, T> {
    type Item = T;
    fn view(&self) -> View<'_, T> {
        match self {
            Self::Host(values) => View::Host(values),
            Self::Borrowed(values) => View::Host(values),
            Self::Device(values) => values.view(),
        }
    }
}

impl<T: crate::Value> Output for Buffer<'_, T> {
    type Item = T;
    fn view_mut(&mut self) -> ViewMut<'_, T> {
        match self {
            Self::Host(values) => ViewMut::Host(owned(values)),
            Self::Borrowed(values) => ViewMut::Host(values),
            Self::Device(values) => values.view_mut(),
        }
    }
}

/// Returns the values for writing; borrowed values are copied first. It is not inlined, because otherwise every caller
/// would contain the code of the copy, for every element type.
#[inline(never)]
fn owned<'a, T: Clone>(values: &'a mut Cow<'_, [T]>) -> &'a mut [T] {
    values.to_mut()
}
