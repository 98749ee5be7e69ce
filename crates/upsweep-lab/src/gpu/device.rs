//! GPU with the kernels compiled for it.

use super::error::Result;
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use upsweep::Device;
use upsweep::cuda::KernelSource;

/// GPU, its stream, and the kernels that were compiled for it so far.
#[derive(Debug)]
pub struct Gpu {
    pub(super) device: Device,
    pub(super) stream: Arc<CudaStream>,
    architecture: String,
    functions: Mutex<HashMap<String, CudaFunction>>,
}

impl Gpu {
    /// Opens the CUDA device with this number.
    ///
    /// # Errors
    /// [`Error::Library`](super::Error::Library) when there is no such device.
    pub fn open(ordinal: usize) -> Result<Self> {
        let device = Device::cuda(ordinal)?;
        let Some(cuda) = device.as_cuda() else {
            return Err(upsweep::Error::Device { reason: "the device is not a CUDA GPU".to_owned() }.into());
        };
        let (major, minor) = cuda.info().compute_capability;
        let (stream, architecture) = (cuda.stream().clone(), format!("sm_{major}{minor}"));
        Ok(Self { device, stream, architecture, functions: Mutex::default() })
    }

    /// Name of the device.
    #[must_use]
    pub fn name(&self) -> String {
        self.device.as_cuda().map(|cuda| cuda.info().name.clone()).unwrap_or_default()
    }

    pub(super) fn bytes(&self, len: usize) -> Result<CudaSlice<u8>> {
        Ok(self.stream.alloc_zeros(len.max(1))?)
    }

    /// Returns the kernel `entry` of the CUDA C++ text; each kernel is compiled only once.
    pub(super) fn function(&self, text: &str, entry: &'static str) -> Result<CudaFunction> {
        let key = format!("{entry}\n{text}");
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(&key) {
            return Ok(function.clone());
        }
        let image = upsweep::cuda::compile_for(&KernelSource::whole(text.to_owned(), entry), &self.architecture)?;
        let module = self.stream.context().load_module(cudarc::nvrtc::Ptx::from_binary(image))?;
        let function = module.load_function(entry)?;
        functions.insert(key, function.clone());
        Ok(function)
    }
}
