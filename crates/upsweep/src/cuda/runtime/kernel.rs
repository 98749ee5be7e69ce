//! Loaded kernels: found in the process's cache, in the disk cache, or compiled.

use super::context::Context;
use super::driver::{Doing, OutsideCapture, lock};
use crate::cuda::compile::{self, DiskCache, KernelSource, Nvrtc};
use crate::{Error, Result};
use cudarc::driver::CudaContext;
use cudarc::driver::result::{self, function, occupancy};
use cudarc::driver::sys::{CUfunction, CUfunction_attribute, CUmodule};
use std::any::TypeId;
use std::collections::HashMap;
use std::ffi::CString;
use std::hash::Hash;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// What tells a kernel from every other one of its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KernelKey {
    /// The types that it is generic over, as one tuple.
    pub(crate) types: TypeId,
    /// The family: `"scan"`.
    pub(crate) family: &'static str,
    /// Everything else that its source depends on.
    pub(crate) options: u64,
}

/// The kernels loaded into one context, each by what tells it from every other one.
pub(super) struct Kernels<K>(RwLock<HashMap<K, Arc<Kernel>>>);

impl<K> Default for Kernels<K> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Eq + Hash> Kernels<K> {
    pub(super) fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The kernel `key`; `source` is asked only when this process has not used it yet.
    ///
    /// # Errors
    /// [`Error::Compile`], and [`Error::Driver`] when the driver cannot load it.
    pub(super) fn get(&self, context: &Context, key: K, source: impl FnOnce() -> KernelSource) -> Result<Arc<Kernel>> {
        if let Some(kernel) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(kernel.clone());
        }
        // Other threads go on meanwhile; of two that compile the same kernel, the second drops its own.
        let kernel = Arc::new(build(context, &source(), DiskCache::of_user().as_ref())?);
        Ok(self.0.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(kernel).clone())
    }
}

/// A kernel, loaded into a context.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(super) function: CUfunction,
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
    pub(super) fn allow_shared_memory(&self, bytes: u32) -> Result<()> {
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
    match compile::stitch(source) {
        Ok(text) => build_text(context, &text, source.entry, disk),
        Err(log) => Err(Error::Compile { options: Vec::new(), log }),
    }
}

fn build_text(context: &Context, text: &str, entry: &str, disk: Option<&DiskCache>) -> Result<Kernel> {
    let nvrtc = Nvrtc::load()?;
    let options = compile::options(&nvrtc.architecture(context.info.compute_capability)?);
    let version = format!("{}.{}", nvrtc.version.0, nvrtc.version.1);
    let name = compile::name(&[text, &options.join("\0"), &version]);
    context.bind()?;
    // Loading is no part of what a stream may be capturing.
    let _outside = OutsideCapture::enter()?;
    let load = |image: &[u8]| Kernel::load(&context.cuda, image, entry);
    // An image that is whole but that the driver refuses (another driver's, say) is built again too.
    if let Some(kernel) = disk.and_then(|disk| disk.read(&name)).and_then(|image| load(&image).ok()) {
        return Ok(kernel);
    }
    let image = compile::compile(text, &options)?;
    let kernel = load(&image)?;
    if let Some(disk) = disk {
        disk.write(&name, &image);
    }
    Ok(kernel)
}
