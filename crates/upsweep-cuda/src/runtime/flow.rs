//! Flow of an array in host memory through a device: see `ring` for how its chunks move.

use super::device::Cuda;
use super::driver::{OutsideCapture, lock};
use super::ring::{Chunk, DOING, HostArray, Ring};
use std::sync::Arc;
use upsweep_core::error::Result;

impl Cuda {
    /// Returns this device for arrays in host memory: it copies them to the GPU and back, chunk by chunk. It keeps
    /// memory on the GPU, and pinned memory for pageable arrays, from the first such call on.
    #[must_use]
    pub fn streamed(&self) -> Self {
        Self { flows: Some(Arc::default()), ..self.clone() }
    }

    /// Returns whether the device takes arrays in host memory.
    pub(crate) fn is_streamed(&self) -> bool {
        self.flows.is_some()
    }

    /// Calls `compute` with chunks of `n` elements in order, each of a multiple of `unit` elements but for the last, and
    /// returns when the results are in host memory. `compute` enqueues the kernels of a chunk, which store a result for
    /// each element, and `extra` results more after the last chunk's.
    ///
    /// # Errors
    /// Errors of `compute` and of the kernels; [`Error::Driver`](upsweep_core::error::Error::Driver),
    /// [`Error::OutOfMemory`](upsweep_core::error::Error::OutOfMemory).
    ///
    /// # Safety
    /// The input has `n` elements and the output `n + extra`, both in host memory that nobody else writes, or reads if
    /// it is the output, until this returns. They may be the same memory, if their elements have the same size.
    pub(crate) unsafe fn flow(
        &self,
        [input, output]: [HostArray; 2],
        (n, extra, unit): (usize, usize, usize),
        compute: &mut dyn FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        self.refuse_in_capture(DOING)?;
        self.context().bind()?;
        let _outside = OutsideCapture::enter()?;
        let Some(flows) = &self.flows else { return Ok(()) };
        let mut ring = match lock(flows).take() {
            Some(ring) => ring,
            None => Ring::new(self.context(), self.stream())?,
        };
        // SAFETY: the arrays have these elements and results, in memory that nobody else uses until this returns.
        let flowed = unsafe { ring.flow([input, output], (n, extra, unit), compute) };
        let (computed, copied) = (self.synchronize(), ring.wait());
        *lock(flows) = Some(ring);
        flowed.and(computed).and(copied)
    }
}
