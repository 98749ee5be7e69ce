//! The CUDA backend.
//!
//! - `driver`: the driver library, its errors, its devices
//! - `context`: what all devices of one CUDA context share
//! - `memory`: arrays, and the order in which streams use them
//! - `workspace`, `capture`: the memory through which a kernel's blocks talk to each other
//! - `sources`, `jit`, `cache`, `launch`: a kernel from its text to its launch
//! - `job`: a job without its types; `code`, `params`: what it contributes to its kernel's text, and what the kernel is given
//! - one file a family: from a job to the launch

mod cache;
mod capture;
mod code;
mod columns;
mod context;
mod driver;
mod jit;
mod job;
mod launch;
mod memory;
mod params;
pub(crate) mod reduce;
pub(crate) mod scan;
mod sources;
mod variants;
mod workspace;

pub use driver::{DeviceInfo, Survey, survey};
pub use jit::compile_for;
#[doc(hidden)]
pub use scan::limit_waves;
pub use sources::KernelSource;
pub use variants::variants;

pub(crate) use code::KernelKey;
pub(crate) use memory::{Loan, download};
pub(crate) use workspace::Workspace;

use crate::{Error, Result};
use context::Context;
use cudarc::driver::CudaStream;
use driver::lock;
use std::fmt;
use std::sync::Arc;
use workspace::{Capacity, Purpose, Scratch, StreamState};

/// A CUDA GPU and one of its streams.
#[derive(Clone)]
pub struct Cuda(Arc<StreamState>);

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cuda").field("device", self.info()).field("stream", &self.stream().cu_stream()).finish()
    }
}

impl Cuda {
    /// Whether there is a driver and a device. Never panics.
    pub(crate) fn present() -> bool {
        driver::device_count().is_ok_and(|count| count > 0)
    }

    /// A device, on a stream that no other `Cuda` has.
    ///
    /// # Errors
    /// [`Error::Device`] without a driver or such a device, [`Error::Driver`] when it cannot be used.
    pub(crate) fn new(ordinal: usize) -> Result<Self> {
        let context = Context::of_device(ordinal)?;
        let stream = context.new_stream()?;
        Ok(Self(context.stream(&stream)))
    }

    /// The caller's stream and its device.
    ///
    /// # Errors
    /// [`Error::Driver`] when the device cannot be used, [`Error::Device`] for the per-thread default stream.
    pub(crate) fn on_stream(stream: &Arc<CudaStream>) -> Result<Self> {
        const PER_THREAD: usize = 2; // CU_STREAM_PER_THREAD
        if stream.cu_stream().addr() == PER_THREAD {
            let reason = "the per-thread default stream is another stream in each thread: give a stream of its own";
            return Err(Error::Device { reason: reason.to_owned() });
        }
        let context = Context::of(stream.context())?;
        context.bind()?;
        Ok(Self(context.stream(stream)))
    }

    fn context(&self) -> &Arc<Context> {
        &self.0.context
    }

    /// The stream that everything is enqueued on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.0.stream
    }

    /// What the driver says about the device.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.context().info
    }

    /// The device's number of multiprocessors.
    pub(crate) fn multiprocessors(&self) -> u32 {
        self.info().multiprocessors
    }

    /// The device's compute capability, as (major, minor).
    pub(crate) fn compute_capability(&self) -> (u32, u32) {
        self.info().compute_capability
    }

    /// A workspace for one kernel, which is enqueued next on the device's stream, with at least `words8` 8-byte and
    /// `words16` 16-byte status words.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; the device stays usable.
    pub(crate) fn workspace(&self, words8: usize, words16: usize) -> Result<Workspace> {
        self.memory_for(Purpose::Words, Capacity { words8, words16 })
    }

    /// Memory of at least `bytes` for several kernels, which are enqueued on the device's stream while it lives.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; the device stays usable.
    pub(crate) fn scratch(&self, bytes: usize) -> Result<Scratch<'_>> {
        let _alone = lock(&self.0.alone);
        let memory = self.memory_for(Purpose::Scratch, Capacity { words8: 0, words16: bytes.div_ceil(16) })?;
        Ok(Scratch { address: memory.words16, _alone })
    }

    fn memory_for(&self, purpose: Purpose, needed: Capacity) -> Result<Workspace> {
        self.context().bind()?;
        let stream = self.stream().cu_stream();
        match capture::of_stream(stream)? {
            None => self.0.workspace(purpose, needed),
            Some(capture) => self.context().captures.workspace(self.context(), capture, stream, purpose, needed),
        }
    }

    /// Says that a kernel enqueued with the stream's workspace can report a fault. Whoever next waits for this stream, or
    /// for `reader`, the stream of the kernel's output, looks.
    pub(crate) fn mark_may_fault(&self, reader: &Arc<CudaStream>) -> Result<()> {
        self.context().bind()?;
        match capture::of_stream(self.stream().cu_stream())? {
            None => {
                self.0.mark_may_fault();
                if reader.cu_stream() != self.stream().cu_stream() {
                    self.context().stream(reader).watch(&self.0);
                }
            }
            Some(capture) => self.context().captures.mark_may_fault(capture, self.stream().cu_stream()),
        }
        Ok(())
    }
}
