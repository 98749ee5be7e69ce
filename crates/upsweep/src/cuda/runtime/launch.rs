//! What a device enqueues on its stream.

use super::device::Cuda;
use super::driver::{self, Doing};
use super::kernel::Kernel;
use crate::cuda::compile::KernelSource;
use crate::error::Result;
use cudarc::driver::{result, sys};
use std::any::Any;
use std::ffi::c_void;
use std::hash::Hash;
use std::sync::Arc;

impl Cuda {
    /// The kernel `key`; `source` is asked only when this process has not used it yet.
    ///
    /// # Errors
    /// [`Error::Compile`](crate::error::Error::Compile), and [`Error::Driver`](crate::error::Error::Driver) when the driver cannot
    /// load it.
    pub(crate) fn kernel<K: Any + Eq + Hash + Send + Sync>(
        &self,
        key: K,
        source: impl FnOnce() -> Result<KernelSource>,
    ) -> Result<Arc<Kernel>> {
        self.state.kernels.get(&self.state.context, key, source)
    }

    /// Enqueues a kernel with a grid and blocks of one dimension on the device's stream.
    ///
    /// # Safety
    /// - `params`, which is copied, has the layout of the kernel's only parameter.
    /// - The pointers in it are good for what the kernel does when it runs on the stream.
    pub(crate) unsafe fn launch<P>(
        &self,
        kernel: &Kernel,
        grid: u32,
        block: u32,
        dynamic_smem: u32,
        params: &P,
    ) -> Result<()> {
        self.context().bind()?;
        kernel.allow_shared_memory(dynamic_smem)?;
        let mut params = [std::ptr::from_ref(params).cast_mut().cast::<c_void>()];
        // SAFETY: the kernel and the stream are alive; the caller answers for the parameter.
        unsafe {
            let stream = self.stream().cu_stream();
            result::launch_kernel(kernel.function, (grid, 1, 1), (block, 1, 1), dynamic_smem, stream, &mut params)
        }
        .doing("launching a kernel")
    }

    /// Enqueues a kernel behind another one of the same call. On devices from compute capability 9.0 on its blocks come to
    /// multiprocessors that the other one's have left, so the device does not stand still in between. In a capture they do not: the
    /// graph's dependencies would have data, for which not everybody asks who asks for the dependencies.
    ///
    /// # Safety
    /// As [`launch`](Self::launch); and whatever the kernel does with memory it does after `wait_for_kernel_before`
    /// (`kernels/memory/instructions.cuh`), as does each kernel of the call but the first.
    pub(crate) unsafe fn launch_behind<P>(
        &self,
        kernel: &Kernel,
        grid: u32,
        block: u32,
        dynamic_smem: u32,
        params: &P,
    ) -> Result<()> {
        self.context().bind()?;
        let stream = self.stream().cu_stream();
        if self.compute_capability() < (9, 0) || driver::of_stream(stream)?.is_some() {
            // SAFETY: the caller answers for the parameters.
            return unsafe { self.launch(kernel, grid, block, dynamic_smem, params) };
        }
        kernel.allow_shared_memory(dynamic_smem)?;
        let attribute = super::kernel::behind_another();
        // SAFETY: the caller answers for the parameters.
        unsafe { self.launch_with(kernel, (grid, block, dynamic_smem), attribute, params) }
    }

    /// Enqueues a kernel whose blocks are one cluster.
    ///
    /// # Safety
    /// As [`launch`](Self::launch); and the device runs such a cluster.
    pub(crate) unsafe fn launch_cluster<P>(
        &self,
        kernel: &Kernel,
        blocks: u32,
        block: u32,
        dynamic_smem: u32,
        params: &P,
    ) -> Result<()> {
        self.context().bind()?;
        let attribute = super::kernel::cluster_of(blocks);
        // SAFETY: the caller answers for the parameters.
        unsafe { self.launch_with(kernel, (blocks, block, dynamic_smem), attribute, params) }
    }

    /// Enqueues a kernel with an attribute.
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    unsafe fn launch_with<P>(
        &self,
        kernel: &Kernel,
        shape: (u32, u32, u32),
        mut attribute: sys::CUlaunchAttribute,
        params: &P,
    ) -> Result<()> {
        let mut params = [std::ptr::from_ref(params).cast_mut().cast::<c_void>()];
        let config = super::kernel::launch_config(shape, self.stream().cu_stream(), &mut attribute);
        // SAFETY: as in `launch`; the attribute outlives the call.
        unsafe { sys::cuLaunchKernelEx(&config, kernel.function, params.as_mut_ptr(), std::ptr::null_mut()) }
            .result()
            .doing("launching a kernel")
    }

    /// Enqueues the store of zeros in so many bytes.
    pub(crate) fn clear(&self, address: u64, bytes: usize) -> Result<()> {
        self.context().bind()?;
        if bytes > 0 {
            // SAFETY: the caller's loan keeps the bytes good until this is enqueued in the stream's order.
            unsafe { result::memset_d8_async(address, 0, bytes, self.stream().cu_stream()) }
                .doing("clearing results")?;
        }
        Ok(())
    }

    /// Enqueues the copy of so many bytes.
    pub(crate) fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<()> {
        self.context().bind()?;
        if bytes > 0 {
            // SAFETY: the caller's loans keep both good until this is enqueued in the stream's order.
            unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream().cu_stream()) }.doing("copying states")?;
        }
        Ok(())
    }

    /// Enqueues the store of one number.
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
