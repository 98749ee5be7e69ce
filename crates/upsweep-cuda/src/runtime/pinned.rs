//! Where small results land on the host: page-locked (pinned) memory, to which the GPU copies, or a kernel stores, in the order of a stream while the
//! host goes on.
//!
//! A copy to other memory waits for the stream in the driver, and takes some microseconds more. Several copies to a landing, a result and
//! whether a kernel reported a fault, take one wait.

use super::driver::Doing;
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdeviceptr, CUstream};
use std::ops::Range;
use std::ptr::NonNull;
use upsweep_core::error::Result;

/// The bytes of a landing. What is larger takes longer to be copied than the host to wait twice.
const BYTES: usize = 16 << 10;
/// Where copies land: at multiples of so many bytes.
const ALIGNMENT: usize = 64;

/// Page-locked memory of the current context. It is left to the context's end: a copy may be under way.
pub(super) struct Landing {
    first: NonNull<u8>,
    used: usize,
}

// SAFETY: the memory is this landing's own.
unsafe impl Send for Landing {}

impl Landing {
    /// None where the system locks no more pages.
    pub(super) fn new() -> Option<Self> {
        // SAFETY: the memory is uninitialised and read only where something has landed.
        let first = unsafe { result::malloc_host(BYTES, 0) }.ok()?;
        Some(Self { first: NonNull::new(first.cast())?, used: 0 })
    }

    /// Enqueues a copy of device memory, and returns where it lands; none where there is no room for it.
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

    /// Room for a value of so many bytes that a kernel stores itself, aligned for any: its address on the device, and where it lands. None where
    /// there is no room.
    pub(super) fn room(&mut self, bytes: usize) -> Option<(CUdeviceptr, Range<usize>)> {
        let (to, range) = self.take(bytes)?;
        // Page-locked memory has the same address for the device.
        Some((to.as_ptr().expose_provenance() as CUdeviceptr, range))
    }

    /// The next bytes that nothing lands in yet.
    fn take(&mut self, bytes: usize) -> Option<(NonNull<u8>, Range<usize>)> {
        let end = self.used.checked_add(bytes).filter(|&end| end <= BYTES)?;
        let range = self.used..end;
        self.used = end.next_multiple_of(ALIGNMENT).min(BYTES);
        // SAFETY: the range is in the landing.
        Some((unsafe { self.first.add(range.start) }, range))
    }

    /// What landed there.
    ///
    /// # Safety
    /// The range is that of a copy, or of what a kernel has stored, for which the host has waited.
    pub(super) unsafe fn landed(&self, range: Range<usize>) -> &[u8] {
        // SAFETY: the range is in the landing, and was written by the copy or the kernel.
        unsafe { std::slice::from_raw_parts(self.first.add(range.start).as_ptr(), range.len()) }
    }

    /// For other copies.
    ///
    /// # Safety
    /// The host has waited for all copies.
    pub(super) unsafe fn clear(&mut self) {
        self.used = 0;
    }
}
