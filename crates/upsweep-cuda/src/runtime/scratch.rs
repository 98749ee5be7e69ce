//! Scratch memory of one call: exact, uninitialised, and freed when the call has enqueued its kernels.
//!
//! **Ordering.** A scratch is allocated and freed in the order of the device's stream: the next user of its memory
//! comes after the kernels that were enqueued while it lived. Each has memory of its own, so calls of several threads
//! may enqueue their kernels on one stream in any order, and a call may have several at a time. The host waits for
//! nothing, except on devices without stream-ordered memory, where freeing waits for the stream.
//!
//! In a capture, the memory lives as long as the graph, and calls that are captured later from the same stream use it
//! again (see `capture`).

use super::context::bytes_of;
use super::device::Cuda;
use super::driver::{self, Capture, Doing};
use cudarc::driver::{result, sys::CUdeviceptr};
use std::marker::PhantomData;
use upsweep_core::error::Result;

/// Device memory for the kernels that one call enqueues while this lives.
#[must_use = "the memory is freed when this is dropped, after what is enqueued by then"]
pub(crate) struct Scratch<'a, T> {
    cuda: &'a Cuda,
    address: CUdeviceptr,
    bytes: usize,
    /// Capture (recording of a graph) that the kernels are part of, if the device's stream is being captured.
    capture: Option<Capture>,
    elements: PhantomData<T>,
}

impl Cuda {
    /// Returns memory for `len` values, uninitialised and aligned to 256 bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](upsweep_core::error::Error::OutOfMemory) with the bytes; the device stays usable.
    pub(crate) fn scratch<T>(&self, len: usize) -> Result<Scratch<'_, T>> {
        let bytes = bytes_of::<T>(len)?;
        let context = self.context();
        context.bind()?;
        let stream = self.stream().cu_stream();
        let capture = driver::of_stream(stream)?;
        let address = match capture {
            None => {
                self.state.captures.sweep(context)?;
                context.allocate(bytes, stream)?
            }
            Some(capture) => self.state.captures.scratch(context, capture, stream, bytes)?,
        };
        Ok(Scratch { cuda: self, address, bytes, capture, elements: PhantomData })
    }
}

impl<T> Scratch<'_, T> {
    /// Returns the address of the values.
    pub(crate) fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// Returns the memory with all bytes set to 0 for the kernels that are enqueued next; in a graph, at each launch.
    ///
    /// # Errors
    /// [`Error::Driver`](upsweep_core::error::Error::Driver).
    pub(crate) fn zeroed(self) -> Result<Self> {
        self.clear(self.bytes)?;
        Ok(self)
    }

    /// Sets the first `bytes` bytes, or all if there are fewer, to 0 for the kernels that are enqueued next; in a
    /// graph, at each launch.
    ///
    /// # Errors
    /// [`Error::Driver`](upsweep_core::error::Error::Driver).
    pub(crate) fn clear(&self, bytes: usize) -> Result<()> {
        let bytes = bytes.min(self.bytes);
        if bytes > 0 {
            // SAFETY: the memory has at least `bytes` bytes, and nobody else uses it.
            unsafe { result::memset_d8_async(self.address, 0, bytes, self.cuda.stream().cu_stream()) }
                .doing("clearing scratch memory")?;
        }
        Ok(())
    }
}

impl<T> Drop for Scratch<'_, T> {
    fn drop(&mut self) {
        let (context, stream) = (self.cuda.context(), self.cuda.stream().cu_stream());
        match self.capture {
            Some(capture) => self.cuda.state.captures.release(capture, stream, self.address),
            // If CUDA refuses to free the memory, nothing else can be done.
            None => {
                let _ = context.bind().and_then(|()| context.free(self.address, stream));
            }
        }
    }
}

#[cfg(test)]
#[path = "scratch_tests.rs"]
mod tests;
