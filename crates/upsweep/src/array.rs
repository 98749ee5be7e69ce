//! Arrays that upsweep allocates, in the memory of the host or of a CUDA device.

use upsweep_core::buffer::{Input, Output, View, ViewMut};
use upsweep_core::error::{Error, Result};
use upsweep_core::memory;
use upsweep_core::operator::Element;

/// Elements in a device's memory: what [`Device::upload`](crate::Device::upload) returns; or in the host's memory, with pages
/// locked for a device: [`Device::pinned`](crate::Device::pinned).
#[derive(Debug)]
pub struct Array<T>(pub(crate) Storage<T>);

#[derive(Debug)]
pub(crate) enum Storage<T> {
    Host(Vec<T>),
    /// Host memory whose pages are locked.
    #[cfg(feature = "cuda")]
    Locked(upsweep_cuda::Locked<T>),
    #[cfg(feature = "cuda")]
    Cuda(cudarc::driver::CudaSlice<T>),
}

impl<T: Element> Array<T> {
    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Whether the array has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the elements of an array in host memory; `None` for an array in a GPU's memory.
    #[must_use]
    pub fn as_slice(&self) -> Option<&[T]> {
        match &self.0 {
            Storage::Host(x) => Some(x),
            #[cfg(feature = "cuda")]
            Storage::Locked(x) => Some(x),
            #[cfg(feature = "cuda")]
            Storage::Cuda(_) => None,
        }
    }

    /// Returns the elements of an array in host memory for writing; `None` for an array in a GPU's memory.
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        match &mut self.0 {
            Storage::Host(x) => Some(x),
            #[cfg(feature = "cuda")]
            Storage::Locked(x) => Some(x),
            #[cfg(feature = "cuda")]
            Storage::Cuda(_) => None,
        }
    }

    /// Copies the elements to the host. On CUDA this waits until they are computed.
    ///
    /// # Errors
    /// [`Error::Driver`](crate::Error::Driver) with the fault of the device,
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) when the host's memory is too small.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        match &self.0 {
            Storage::Host(x) => copied(x),
            #[cfg(feature = "cuda")]
            Storage::Locked(x) => copied(x),
            #[cfg(feature = "cuda")]
            Storage::Cuda(x) => upsweep_cuda::download(x),
        }
    }

    /// Copies the elements to `host`, which has as many. On CUDA this waits until they are computed. Pinned (page-locked) host
    /// memory is as fast as the bus: see [`Device::pinned`](crate::Device::pinned).
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::best()?;
    /// let sums: Array<u32> = Scan::new(Sum).run_to_array(&device, &device.upload(&[3, 1, 7])?)?;
    /// let mut host = [0; 3];
    /// sums.copy_to(&mut host)?;
    /// assert_eq!(host, [3, 4, 11]);
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) when there are more or fewer elements;
    /// [`Error::Driver`](crate::Error::Driver) with the fault of the device.
    pub fn copy_to(&self, host: &mut [T]) -> Result<()> {
        #[cfg(feature = "cuda")]
        if let Storage::Cuda(x) = &self.0 {
            return upsweep_cuda::download_to(x, host);
        }
        let x = self.as_slice().unwrap_or_default();
        if x.len() != host.len() {
            return Err(Error::Length { what: "host memory", found: host.len(), expected: x.len() });
        }
        host.copy_from_slice(x);
        Ok(())
    }

    /// Returns the elements on the host; an array in host memory is not copied, unless it is [pinned](crate::Device::pinned). On CUDA this waits until they are
    /// computed.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec).
    pub fn into_vec(self) -> Result<Vec<T>> {
        match self.0 {
            Storage::Host(x) => Ok(x),
            #[cfg(feature = "cuda")]
            Storage::Locked(ref x) => copied(x),
            #[cfg(feature = "cuda")]
            Storage::Cuda(ref x) => upsweep_cuda::download(x),
        }
    }
}

fn copied<T: Element>(x: &[T]) -> Result<Vec<T>> {
    let mut copy = memory::room(x.len())?;
    copy.extend_from_slice(x);
    Ok(copy)
}

impl<T: Element> From<Vec<T>> for Array<T> {
    /// Makes an array in the host's memory from the vector's own memory, without a copy.
    fn from(elements: Vec<T>) -> Self {
        Self(Storage::Host(elements))
    }
}

impl<T: Element> Input for Array<T> {
    type Item = T;
    fn view(&self) -> View<'_, T> {
        match &self.0 {
            Storage::Host(x) => View::Host(x),
            #[cfg(feature = "cuda")]
            Storage::Locked(x) => View::Host(x),
            #[cfg(feature = "cuda")]
            Storage::Cuda(x) => View::Cuda(x.as_view()),
        }
    }
}
impl<T: Element> Output for Array<T> {
    type Item = T;
    fn view_mut(&mut self) -> ViewMut<'_, T> {
        match &mut self.0 {
            Storage::Host(x) => ViewMut::Host(x),
            #[cfg(feature = "cuda")]
            Storage::Locked(x) => ViewMut::Host(x),
            #[cfg(feature = "cuda")]
            Storage::Cuda(x) => ViewMut::Cuda(x.as_view_mut()),
        }
    }
}
