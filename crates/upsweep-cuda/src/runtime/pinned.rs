//! Pinned (page-locked) host memory, where small results land: the GPU copies to it, or a kernel stores in it, in the
//! order of a stream while the host goes on.
//!
//! A copy to pageable memory waits for the stream in the driver, and takes some microseconds more. Several copies to
//! one landing, such as a result and the faults of kernels, take one wait.

use super::driver::Doing;
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdeviceptr, CUstream};
use std::ops::Range;
use std::ptr::NonNull;
use upsweep_core::error::Result;

/// Number of bytes of a landing (a block of pinned memory). For a larger result the copy takes longer than a second
/// wait of the host.
const BYTES: usize = 16 << 10;
/// Alignment of each copy in a landing, in bytes.
const ALIGNMENT: usize = 64;

/// Block of pinned memory in the current context. It is never freed before the context, because a copy may be under
/// way.
pub(super) struct Landing {
    first: NonNull<u8>,
    used: usize,
}

// SAFETY: no other landing and no other thread uses the memory.
unsafe impl Send for Landing {}

impl Landing {
    /// Allocates the pinned memory of a landing; none if the system locks no more pages.
    pub(super) fn new() -> Option<Self> {
        // SAFETY: the memory is uninitialised, and only ranges that a copy or a kernel has written are read.
        let first = unsafe { result::malloc_host(BYTES, 0) }.ok()?;
        Some(Self { first: NonNull::new(first.cast())?, used: 0 })
    }

    /// Enqueues a copy of `bytes` bytes of device memory to the landing, and returns its range there; none if there is
    /// no room for it.
    ///
    /// # Safety
    /// `address` is good for `bytes` bytes when the copy is done.
    pub(super) unsafe fn copy(
        &mut self,
        address: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
        doing: &'static str,
    ) -> Result<Option<Range<usize>>> {
        let Some((to, range)) = self.take(bytes) else { return Ok(None) };
        // SAFETY: the range is in the landing, which is never freed and has one copy for each range.
        unsafe { sys::cuMemcpyDtoHAsync_v2(to.as_ptr().cast(), address, bytes, stream) }.result().doing(doing)?;
        Ok(Some(range))
    }

    /// Reserves room for a value of `bytes` bytes that a kernel stores itself, aligned for any type. Returns its
    /// address on the device, and its range in the landing; none if there is no room.
    pub(super) fn room(&mut self, bytes: usize) -> Option<(CUdeviceptr, Range<usize>)> {
        let (to, range) = self.take(bytes)?;
        // Pinned memory has the same address on the device.
        Some((to.as_ptr().expose_provenance() as CUdeviceptr, range))
    }

    /// Reserves the next `bytes` unused bytes of the landing.
    fn take(&mut self, bytes: usize) -> Option<(NonNull<u8>, Range<usize>)> {
        let end = self.used.checked_add(bytes).filter(|&end| end <= BYTES)?;
        let range = self.used..end;
        self.used = end.next_multiple_of(ALIGNMENT).min(BYTES);
        // SAFETY: the range is in the landing.
        Some((unsafe { self.first.add(range.start) }, range))
    }

    /// Returns the bytes in a range of the landing.
    ///
    /// # Safety
    /// A copy or a kernel has written the range, and the host has waited for it.
    pub(super) unsafe fn landed(&self, range: Range<usize>) -> &[u8] {
        // SAFETY: the range is in the landing, and was written by the copy or the kernel.
        unsafe { std::slice::from_raw_parts(self.first.add(range.start).as_ptr(), range.len()) }
    }

    /// Makes the whole landing available for other copies.
    ///
    /// # Safety
    /// The host has waited for all copies to the landing.
    pub(super) unsafe fn clear(&mut self) {
        self.used = 0;
    }
}
