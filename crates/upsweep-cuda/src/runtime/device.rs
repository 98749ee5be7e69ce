//! A CUDA device: a context's state and one of its streams.

use super::context::Context;
use super::driver::{self, DeviceInfo};
use super::ring::Ring;
use super::state::State;
use super::stream::StreamState;
use super::workspace::{Capacity, Workspace};
use cudarc::driver::CudaStream;
use std::fmt;
use std::sync::{Arc, Mutex};
use upsweep_core::error::{Error, Result};

/// CUDA GPU and one of its streams.
#[derive(Clone)]
pub struct Cuda {
    /// Stream of the device. It is dropped before the state, because the state must be freed after its streams.
    pub(super) stream: Arc<StreamState>,
    pub(super) state: Arc<State>,
    /// Largest number of tiles of a block in a scan of a short array: see [`limit_waves`](Self::limit_waves).
    pub(crate) longest_wave: usize,
    /// For a device that takes arrays in host memory, what it keeps for them.
    pub(super) flows: Option<Arc<Flows>>,
}

/// What a device keeps for calls on arrays in host memory.
pub(super) struct Flows {
    /// Ring of the last call, while no call has it.
    pub(super) ring: Mutex<Option<Ring>>,
    /// Largest number of bytes of the GPU's memory for calls that keep whole arrays there.
    pub(super) most: usize,
}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cuda").field("device", self.info()).field("stream", &self.stream().cu_stream()).finish()
    }
}

impl Cuda {
    /// Returns whether there is a driver and a device. Never panics.
    pub fn present() -> bool {
        driver::device_count().is_ok_and(|count| count > 0)
    }

    /// Returns a device, on a stream that no other `Cuda` has.
    ///
    /// # Errors
    /// [`Error::Device`] without a driver or such a device, [`Error::Driver`] when it cannot be used.
    pub fn new(ordinal: usize) -> Result<Self> {
        let state = State::of_device(ordinal)?;
        let stream = state.context.new_stream()?;
        Ok(Self { stream: state.stream(&stream), state, longest_wave: usize::MAX, flows: None })
    }

    /// Returns a device that uses the caller's stream, on the GPU of this stream.
    ///
    /// # Errors
    /// [`Error::Driver`] when the device cannot be used, [`Error::Device`] for the per-thread default stream.
    pub fn on_stream(stream: &Arc<CudaStream>) -> Result<Self> {
        const PER_THREAD: usize = 2; // CU_STREAM_PER_THREAD
        if stream.cu_stream().addr() == PER_THREAD {
            let reason = "the per-thread default stream is another stream in each thread: give a stream of its own";
            return Err(Error::Device { reason: reason.to_owned() });
        }
        let state = State::of(stream.context())?;
        state.context.bind()?;
        Ok(Self { stream: state.stream(stream), state, longest_wave: usize::MAX, flows: None })
    }

    /// Limits scans in which a block holds its tiles in shared memory to `tiles` tiles a block; with 0, short arrays go
    /// to the pipeline, too. It is for tests of the pipeline with arrays of any length: results of floats are grouped
    /// in another way.
    pub fn limit_waves(&mut self, tiles: usize) {
        self.longest_wave = tiles;
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.state.context
    }

    /// Returns the stream that all work of this device is enqueued on.
    #[must_use]
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream.stream
    }

    /// Returns the driver's information about the device.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.context().info
    }

    /// Returns the device's number of multiprocessors.
    pub fn multiprocessors(&self) -> u32 {
        self.info().multiprocessors
    }

    /// Returns the device's compute capability, as (major, minor).
    pub fn compute_capability(&self) -> (u32, u32) {
        self.info().compute_capability
    }

    /// Returns a workspace for one kernel, which is enqueued next on the device's stream, with at least `words8` 8-byte
    /// and `words16` 16-byte status words.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; the device stays usable.
    pub(crate) fn workspace(&self, words8: usize, words16: usize) -> Result<Workspace> {
        let needed = Capacity { words8, words16 };
        self.context().bind()?;
        let stream = self.stream().cu_stream();
        match driver::of_stream(stream)? {
            None => self.stream.workspace(needed),
            Some(capture) => self.state.captures.workspace(self.context(), capture, stream, needed),
        }
    }

    /// Marks that a kernel enqueued with the stream's workspace can report a fault. The next wait for this stream, or
    /// for `reader`, the stream of the kernel's output, reads it.
    pub(crate) fn mark_may_fault(&self, reader: &Arc<CudaStream>) -> Result<()> {
        self.context().bind()?;
        match driver::of_stream(self.stream().cu_stream())? {
            None => {
                self.stream.mark_may_fault();
                if reader.cu_stream() != self.stream().cu_stream() {
                    self.state.stream(reader).watch(&self.stream);
                }
            }
            Some(capture) => self.state.captures.mark_may_fault(capture, self.stream().cu_stream()),
        }
        Ok(())
    }
}
