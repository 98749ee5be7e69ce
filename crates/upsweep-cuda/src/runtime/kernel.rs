//! Loaded kernels: cached in the process, loaded from the disk cache, or compiled.

use super::context::Context;
use super::driver::{Doing, OutsideCapture, lock};
use super::grid::Grid;
use crate::compile::{self, DiskCache, KernelSource, Nvrtc};
use cudarc::driver::CudaContext;
use cudarc::driver::result::{self, function, occupancy};
use cudarc::driver::sys::{self, CUfunction, CUfunction_attribute, CUmodule};
use std::any::Any;
use std::collections::HashMap;
use std::ffi::CString;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use upsweep_core::error::{Error, Result};

/// Kernels that are loaded into one context. A key says what a kernel depends on; each caller has its own type of key.
/// A kernel is found by its key's hash, and then by comparison of the key itself.
#[derive(Default)]
pub(super) struct Kernels {
    hasher: RandomState,
    loaded: RwLock<HashMap<u64, Vec<(Key, Arc<Kernel>)>>>,
}

type Key = Box<dyn Any + Send + Sync>;

impl Kernels {
    pub(super) fn len(&self) -> usize {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).values().map(Vec::len).sum()
    }

    /// Returns the kernel `key`; `source` is called only when this process has not used it yet.
    ///
    /// # Errors
    /// [`Error::Compile`], and [`Error::Driver`] when the driver cannot load it.
    pub(super) fn get<K: Any + Eq + Hash + Send + Sync>(
        &self,
        context: &Context,
        key: K,
        source: impl FnOnce() -> Result<KernelSource>,
    ) -> Result<Arc<Kernel>> {
        let hash = self.hasher.hash_one(&key);
        let among = |kernels: &[(Key, Arc<Kernel>)]| {
            kernels.iter().find(|(known, _)| known.downcast_ref() == Some(&key)).map(|(_, kernel)| kernel.clone())
        };
        let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = loaded.get(&hash).and_then(|kernels| among(kernels)) {
            return Ok(kernel);
        }
        drop(loaded);
        // The kernel is compiled without the lock, so that other threads go on. If two threads compile the same kernel,
        // the second drops its own.
        let kernel = Arc::new(build(context, &source()?, DiskCache::of_user().as_ref())?);
        let mut loaded = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        let kernels = loaded.entry(hash).or_default();
        if let Some(kernel) = among(kernels) {
            return Ok(kernel);
        }
        kernels.push((Box::new(key), kernel.clone()));
        Ok(kernel)
    }
}

/// Kernel loaded into a context.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(super) function: CUfunction,
    module: CUmodule,
    context: Arc<CudaContext>,
    /// Largest number of bytes of dynamic shared memory that launches may use without asking the driver first.
    allowed_shared_bytes: AtomicU32,
    /// Occupancy for each shape that was asked for: the shape is `(threads a block, bytes of dynamic shared memory)`,
    /// and the occupancy the number of blocks that fit on a multiprocessor. A kernel is launched in one or two shapes.
    occupancy: Mutex<Vec<((u32, u32), u32)>>,
    /// Whether the device can run the kernel's blocks as one cluster; unset until that was asked for.
    cluster: OnceLock<bool>,
}

// SAFETY: CUDA's module and function handles may be used from any thread.
unsafe impl Send for Kernel {}
// SAFETY: several threads may use CUDA's handles at once.
unsafe impl Sync for Kernel {}

impl Kernel {
    /// Returns how many blocks of `block` threads and `dynamic_smem` bytes of shared memory one multiprocessor runs at
    /// once.
    pub(crate) fn blocks_per_multiprocessor(&self, block: u32, dynamic_smem: u32) -> Result<u32> {
        let mut known = lock(&self.occupancy);
        if let Some((_, blocks)) = known.iter().find(|(shape, _)| *shape == (block, dynamic_smem)) {
            return Ok(*blocks);
        }
        self.context.bind_to_thread().doing("selecting the device's context")?;
        self.allow_shared_memory(dynamic_smem)?;
        let threads = i32::try_from(block).unwrap_or(i32::MAX);
        // SAFETY: the module of `self.function` is loaded.
        let blocks =
            unsafe { occupancy::max_active_block_per_multiprocessor(self.function, threads, dynamic_smem as usize) };
        let blocks = u32::try_from(blocks.doing("asking how many blocks fit on a multiprocessor")?).unwrap_or(0);
        known.push(((block, dynamic_smem), blocks));
        Ok(blocks)
    }

    /// Returns whether the device runs the kernel as the cluster `cluster`. The driver is asked once, because a kernel
    /// is launched as a cluster in one shape.
    pub(crate) fn runs(&self, cluster: Grid) -> Result<bool> {
        if let Some(runs) = self.cluster.get() {
            return Ok(*runs);
        }
        self.context.bind_to_thread().doing("selecting the device's context")?;
        self.allow_shared_memory(cluster.dynamic_smem)?;
        let larger = CUfunction_attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        let mut attribute = cluster.attribute(|| Ok(false))?;
        let config = cluster.config(std::ptr::null_mut(), attribute.as_mut());
        let mut clusters = 0;
        // A device without clusters, or without clusters of this size, refuses one of these calls.
        // SAFETY: the module of `self.function` is loaded, and the attribute outlives the call.
        let runs = unsafe {
            function::set_function_attribute(self.function, larger, 1).is_ok()
                && sys::cuOccupancyMaxActiveClusters(&mut clusters, self.function, &config).result().is_ok()
        };
        Ok(*self.cluster.get_or_init(|| runs && clusters > 0))
    }

    /// Raises the driver's limit if a launch needs more dynamic shared memory than any launch before. The caller has
    /// made the context current.
    pub(super) fn allow_shared_memory(&self, bytes: u32) -> Result<()> {
        if bytes <= self.allowed_shared_bytes.load(Ordering::Relaxed) {
            return Ok(());
        }
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // Two threads that raise the limit at once must not leave the smaller of their two sizes in force.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _one = lock(&ONE_AT_A_TIME);
        if bytes > self.allowed_shared_bytes.load(Ordering::Relaxed) {
            let value = i32::try_from(bytes).unwrap_or(i32::MAX);
            // SAFETY: the module of `self.function` is loaded.
            unsafe { function::set_function_attribute(self.function, attribute, value) }
                .doing("asking for more shared memory")?;
            self.allowed_shared_bytes.store(bytes, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Loads an image (a cubin or PTX) into the context `context`, which is current, and looks up the kernel `entry` in
    /// it.
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
            cluster: OnceLock::new(),
        };
        let name =
            CString::new(entry).map_err(|_| Error::Driver { doing: DOING, reason: "a NUL in its name".into() })?;
        // SAFETY: `module` is loaded.
        kernel.function = unsafe { result::module::get_function(module, name) }.doing(DOING)?;
        let attribute = |attribute| {
            // SAFETY: the module of `kernel.function` is loaded.
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
    // Loading must not become part of a capture.
    let _outside = OutsideCapture::enter()?;
    let load = |image: &[u8]| Kernel::load(&context.cuda, image, entry);
    // If the driver refuses an image although it is whole (as one for another driver), the kernel is compiled again,
    // too.
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
