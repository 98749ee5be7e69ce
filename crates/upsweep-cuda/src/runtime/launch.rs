//! Commands that a device enqueues on its stream: kernels, clears, copies, single numbers.

use super::device::Cuda;
use super::driver::{self, Doing};
use super::grid::Grid;
use super::kernel::Kernel;
use crate::compile::KernelSource;
use cudarc::driver::{result, sys};
use std::any::Any;
use std::ffi::c_void;
use std::hash::Hash;
use std::sync::Arc;
use upsweep_core::error::Result;

impl Cuda {
    /// Returns the kernel `key`; `source` is called only when this process has not used it yet.
    ///
    /// # Errors
    /// [`Error::Compile`](upsweep_core::error::Error::Compile), and
    /// [`Error::Driver`](upsweep_core::error::Error::Driver) when the driver cannot load it.
    pub(crate) fn kernel<K: Any + Eq + Hash + Send + Sync>(
        &self,
        key: K,
        source: impl FnOnce() -> Result<KernelSource>,
    ) -> Result<Arc<Kernel>> {
        self.state.kernels.get(&self.state.context, key, source)
    }

    /// Enqueues a kernel on the device's stream.
    ///
    /// # Safety
    /// - `params`, which is copied, has the layout of the kernel's only parameter.
    /// - The pointers in it are good for the kernel's accesses when it runs on the stream.
    /// - Grids made by [`Grid::behind`] and [`Grid::as_a_cluster`] meet the conditions that these functions state.
    pub(crate) unsafe fn launch<P>(&self, kernel: &Kernel, grid: Grid, params: &P) -> Result<()> {
        self.context().bind()?;
        kernel.allow_shared_memory(grid.dynamic_smem)?;
        let stream = self.stream().cu_stream();
        let starts_early = || Ok(self.compute_capability() >= (9, 0) && driver::of_stream(stream)?.is_none());
        let mut attribute = grid.attribute(starts_early)?;
        let config = grid.config(stream, attribute.as_mut());
        let mut params = [std::ptr::from_ref(params).cast_mut().cast::<c_void>()];
        // SAFETY: the kernel and the stream are alive, and the attribute outlives the call; the caller has checked the
        // parameter's layout and pointers, as `# Safety` requires.
        unsafe { sys::cuLaunchKernelEx(&config, kernel.function, params.as_mut_ptr(), std::ptr::null_mut()) }
            .result()
            .doing("launching a kernel")
    }

    /// Enqueues the store of zeros in `bytes` bytes at `address`.
    pub(crate) fn clear(&self, address: u64, bytes: usize) -> Result<()> {
        self.context().bind()?;
        if bytes > 0 {
            // SAFETY: the caller's loan keeps the bytes good until this is enqueued in the stream's order.
            unsafe { result::memset_d8_async(address, 0, bytes, self.stream().cu_stream()) }
                .doing("clearing results")?;
        }
        Ok(())
    }

    /// Enqueues the copy of `bytes` bytes from the address `from` to the address `to`.
    pub(crate) fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<()> {
        self.context().bind()?;
        if bytes > 0 {
            // SAFETY: the caller's loans keep `bytes` bytes at both addresses good until the copy is enqueued in the
            // stream's order.
            unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream().cu_stream()) }
                .doing("copying on the device")?;
        }
        Ok(())
    }

    /// Enqueues the store of the number `value` at `address`.
    pub(crate) fn store_u64(&self, address: u64, value: u64) -> Result<()> {
        self.context().bind()?;
        let words = [value as u32, (value >> 32) as u32];
        for (address, word) in [address, address + 4].into_iter().zip(words) {
            // SAFETY: the caller's loan keeps the eight bytes good until this is enqueued in the stream's order.
            unsafe { sys::cuMemsetD32Async(address, word, 1, self.stream().cu_stream()) }
                .result()
                .doing("storing a number")?;
        }
        Ok(())
    }
}
