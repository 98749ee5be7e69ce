//! Kernels: found in the process's cache, in the disk cache or compiled, and launched.

use super::cache::{self, DiskCache};
use super::driver::{Doing, OutsideCapture, lock};
use super::jit::{self, Nvrtc};
use super::sources::{self, KernelSource};
use super::{Cuda, KernelKey, context::Context};
use crate::{Error, Result};
use cudarc::driver::CudaContext;
use cudarc::driver::result::{self, function, occupancy};
use cudarc::driver::sys::{self, CUfunction, CUfunction_attribute, CUmodule};
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The kernels loaded into one context.
#[derive(Default)]
pub(super) struct Kernels(RwLock<HashMap<KernelKey, Arc<Kernel>>>);

impl Kernels {
    pub(super) fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Cuda {
    /// The kernel `key`; `source` is asked only when this process has not used it yet.
    ///
    /// # Errors
    /// [`Error::Compile`], and [`Error::Driver`] when the driver cannot load it.
    pub(crate) fn kernel(&self, key: KernelKey, source: impl FnOnce() -> KernelSource) -> Result<Arc<Kernel>> {
        let kernels = &self.context().kernels.0;
        if let Some(kernel) = kernels.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(kernel.clone());
        }
        // Other threads go on meanwhile; of two that compile the same kernel, the second drops its own.
        let kernel = Arc::new(build(self.context(), &source(), DiskCache::of_user().as_ref())?);
        Ok(kernels.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(kernel).clone())
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
}

impl Cuda {
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

/// A kernel, loaded into a context.
#[derive(Debug)]
pub(crate) struct Kernel {
    function: CUfunction,
    module: CUmodule,
    context: Arc<CudaContext>,
    /// The dynamic shared memory that launches may ask for without asking the driver first.
    allowed_shared_bytes: AtomicU32,
    /// `(block, dynamic shared memory)` and the blocks that fit; a kernel is launched in one or two shapes.
    occupancy: Mutex<Vec<((u32, u32), u32)>>,
}

// SAFETY: CUDA's module and function handles may be used from any thread.
unsafe impl Send for Kernel {}
// SAFETY: as above, by several threads at once.
unsafe impl Sync for Kernel {}

impl Kernel {
    /// How many blocks of this shape one multiprocessor runs at once.
    pub(crate) fn blocks_per_multiprocessor(&self, block: u32, dynamic_smem: u32) -> Result<u32> {
        let mut known = lock(&self.occupancy);
        if let Some((_, blocks)) = known.iter().find(|(shape, _)| *shape == (block, dynamic_smem)) {
            return Ok(*blocks);
        }
        self.context.bind_to_thread().doing("selecting the device's context")?;
        self.allow_shared_memory(dynamic_smem)?;
        let threads = i32::try_from(block).unwrap_or(i32::MAX);
        // SAFETY: the function is alive.
        let blocks =
            unsafe { occupancy::max_active_block_per_multiprocessor(self.function, threads, dynamic_smem as usize) };
        let blocks = u32::try_from(blocks.doing("asking how many blocks fit on a multiprocessor")?).unwrap_or(0);
        known.push(((block, dynamic_smem), blocks));
        Ok(blocks)
    }

    /// Tells the driver when a launch needs more dynamic shared memory than any before. The context is current.
    fn allow_shared_memory(&self, bytes: u32) -> Result<()> {
        if bytes <= self.allowed_shared_bytes.load(Ordering::Relaxed) {
            return Ok(());
        }
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // Two threads must not leave the smaller of their two sizes in force.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _one = lock(&ONE_AT_A_TIME);
        if bytes > self.allowed_shared_bytes.load(Ordering::Relaxed) {
            let value = i32::try_from(bytes).unwrap_or(i32::MAX);
            // SAFETY: the function is alive.
            unsafe { function::set_function_attribute(self.function, attribute, value) }
                .doing("asking for more shared memory")?;
            self.allowed_shared_bytes.store(bytes, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Loads an image into the current context.
    fn load(context: &Arc<CudaContext>, image: &[u8], entry: &str) -> Result<Self> {
        use CUfunction_attribute as Attribute;
        const DOING: &str = "loading a kernel";
        // SAFETY: the image is a whole cubin, or PTX that ends with NUL.
        let module = unsafe { result::module::load_data(image.as_ptr().cast()) }.doing(DOING)?;
        let mut kernel = Self {
            function: std::ptr::null_mut(),
            module,
            context: context.clone(),
            allowed_shared_bytes: AtomicU32::new(0),
            occupancy: Mutex::default(),
        };
        let name =
            CString::new(entry).map_err(|_| Error::Driver { doing: DOING, reason: "a NUL in its name".into() })?;
        // SAFETY: the module is alive.
        kernel.function = unsafe { result::module::get_function(module, name) }.doing(DOING)?;
        let attribute = |attribute| {
            // SAFETY: the function is alive.
            let value = unsafe { function::get_function_attribute(kernel.function, attribute) }.doing(DOING)?;
            Ok(u32::try_from(value).unwrap_or(0))
        };
        kernel.allowed_shared_bytes = attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)?.into();
        Ok(kernel)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        if let (Ok(()), Ok(_outside)) = (self.context.bind_to_thread(), OutsideCapture::enter()) {
            // SAFETY: no kernel of the module was launched (another thread's copy is used), or its context, with every
            // graph in it, is gone but for this.
            let _no_remedy = unsafe { result::module::unload(self.module) };
        }
    }
}

/// Loads a kernel from the disk cache, or compiles it and stores it there.
fn build(context: &Context, source: &KernelSource, disk: Option<&DiskCache>) -> Result<Kernel> {
    match sources::stitch(source) {
        Ok(text) => build_text(context, &text, source.entry, disk),
        Err(log) => Err(Error::Compile { options: Vec::new(), log }),
    }
}

fn build_text(context: &Context, text: &str, entry: &str, disk: Option<&DiskCache>) -> Result<Kernel> {
    let nvrtc = Nvrtc::load()?;
    let options = jit::options(&nvrtc.architecture(context.info.compute_capability)?);
    let version = format!("{}.{}", nvrtc.version.0, nvrtc.version.1);
    let name = cache::name(&[text, &options.join("\0"), &version]);
    context.bind()?;
    // Loading is no part of what a stream may be capturing.
    let _outside = OutsideCapture::enter()?;
    let load = |image: &[u8]| Kernel::load(&context.cuda, image, entry);
    // An image that is whole but that the driver refuses (another driver's, say) is built again too.
    if let Some(kernel) = disk.and_then(|disk| disk.read(&name)).and_then(|image| load(&image).ok()) {
        return Ok(kernel);
    }
    let image = jit::compile(text, &options)?;
    let kernel = load(&image)?;
    if let Some(disk) = disk {
        disk.write(&name, &image);
    }
    Ok(kernel)
}
