//! Memory pool of the library's own, which arrays and scratch are allocated from.
//!
//! A device's default pool returns all of its free memory to the system whenever the program waits for a stream, and
//! the next allocation pays for new memory: 0.5 ms for 1 GiB (H200, 2026-11-23). The program may change that, but it is
//! the program's decision: other libraries allocate from the same pool. So the library has a pool that keeps a part of
//! the device's memory.

use cudarc::driver::result::{DriverError, mem_pool};
use cudarc::driver::sys::{
    CUdeviceptr, CUmemAllocationType, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps, CUmemoryPool, CUstream,
};

/// Fraction of a device's memory that stays in the pool while unused, as a divisor: repeated sorts of the same length
/// need no new memory. Otherwise each call after a wait would pay for new memory, which takes longer than the sort.
const KEPT_PART: usize = 16;
/// Smallest number of bytes that stay in the pool while unused. The sums of lines that are cut into chunks need little
/// more than 1 MiB (`upsweep-plan/src/columns.rs`), and the driver enlarges a pool by some 32 MiB at a time.
const LEAST_KEPT: usize = 64 << 20;

/// Pool of device memory.
pub(super) struct Pool(CUmemoryPool);

// SAFETY: CUDA's pool handles may be used from any thread.
unsafe impl Send for Pool {}
// SAFETY: several threads may use CUDA's pool handles at once.
unsafe impl Sync for Pool {}

impl Pool {
    /// Creates a pool of the device `ordinal`, which supports pools and has `memory` bytes.
    pub(super) fn new(ordinal: usize, memory: usize) -> Result<Self, DriverError> {
        // SAFETY: all fields are integers, pointers that may be null, and enums that have 0.
        let mut wanted: CUmemPoolProps = unsafe { std::mem::zeroed() };
        wanted.allocType = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        wanted.location.type_ = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        wanted.location.id = i32::try_from(ordinal).unwrap_or(i32::MAX);
        // SAFETY: `wanted` describes the memory of a device that supports pools.
        let pool = Self(unsafe { mem_pool::create(&wanted) }?);
        let threshold = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let mut kept = (memory / KEPT_PART).max(LEAST_KEPT) as u64;
        // SAFETY: the pool is valid, and the attribute is a 64-bit number.
        unsafe { mem_pool::set_attribute(pool.0, threshold, std::ptr::from_mut(&mut kept).cast()) }?;
        Ok(pool)
    }

    /// Returns uninitialised memory of `bytes` bytes, which are not 0, usable in the order of `stream`.
    pub(super) fn allocate(&self, bytes: usize, stream: CUstream) -> Result<CUdeviceptr, DriverError> {
        // SAFETY: the pool and the stream are alive, and of the same device.
        unsafe { mem_pool::alloc_async(self.0, bytes, stream) }
    }

    /// Returns the bytes of the pool's memory that nobody uses.
    pub(super) fn unused(&self) -> Result<usize, DriverError> {
        let number = |attribute| {
            let mut bytes = 0u64;
            // SAFETY: the pool is valid, and the attribute is a 64-bit number.
            unsafe { mem_pool::get_attribute(self.0, attribute, std::ptr::from_mut(&mut bytes).cast()) }?;
            Ok::<_, DriverError>(bytes)
        };
        let reserved = number(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
        let used = number(CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?;
        Ok(reserved.saturating_sub(used) as usize)
    }

    /// Returns the pool's unused memory to the system.
    pub(super) fn trim(&self) {
        // SAFETY: the pool is valid. Memory that is not returned now is returned later.
        let _ = unsafe { mem_pool::trim_to(self.0, 0) };
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: the pool is valid and not used again. CUDA keeps it until its allocations are freed.
        let _ = unsafe { mem_pool::destroy(self.0) };
    }
}
