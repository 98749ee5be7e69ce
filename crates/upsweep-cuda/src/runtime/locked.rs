//! Page-locked (pinned) arrays in the host's memory, which the GPU copies from and to by itself.

use super::context::bytes_of;
use super::device::Cuda;
use super::driver::OutsideCapture;
use cudarc::driver::sys::{CU_MEMHOSTALLOC_PORTABLE, CUresult};
use cudarc::driver::{CudaContext, result};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::Element;

/// Array in the host's memory whose pages are locked in every CUDA context of the process.
#[derive(Debug)]
pub struct Locked<T> {
    first: NonNull<T>,
    len: usize,
    context: Arc<CudaContext>,
}

// SAFETY: the array owns its elements, as a vector does.
unsafe impl<T: Send> Send for Locked<T> {}
// SAFETY: a shared array only lends its elements.
unsafe impl<T: Sync> Sync for Locked<T> {}

impl Cuda {
    /// Returns a page-locked array of `len` zeros.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] when the system locks no more pages.
    pub fn locked<T: Element>(&self, len: usize) -> Result<Locked<T>> {
        let (bytes, context) = (bytes_of::<T>(len)?, self.context());
        context.bind()?;
        let context = Arc::clone(self.stream().context());
        if bytes == 0 {
            return Ok(Locked { first: NonNull::dangling(), len, context });
        }
        let _outside = OutsideCapture::enter()?;
        // SAFETY: the memory is filled below, before anybody reads it.
        let memory = unsafe { result::malloc_host(bytes, CU_MEMHOSTALLOC_PORTABLE) };
        let full = Error::OutOfMemory { bytes };
        let memory = memory.map_err(|error| match error.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => full.clone(),
            _ => Error::Driver { doing: "locking pages of the host's memory", reason: error.to_string() },
        })?;
        let first = NonNull::new(memory.cast::<T>()).ok_or(full)?;
        // SAFETY: the memory has `len` elements, and zero bits are a value of every element type.
        unsafe { first.write_bytes(0, len) };
        Ok(Locked { first, len, context })
    }
}

impl<T> Deref for Locked<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the memory has `len` elements, all written, and lives as long as the array.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Locked<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and the array is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}

impl<T> Drop for Locked<T> {
    fn drop(&mut self) {
        if self.len * size_of::<T>() == 0 || self.context.bind_to_thread().is_err() {
            return;
        }
        // SAFETY: `malloc_host` returned the memory, and nobody has it any more: every call that copies from or to the
        // host's memory waits for its copies.
        let _freed = unsafe { result::free_host(self.first.as_ptr().cast()) };
    }
}
