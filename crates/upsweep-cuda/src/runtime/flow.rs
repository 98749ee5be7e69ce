//! Calls on arrays in host memory: they flow through a device chunk by chunk (see `ring`), or by large steps (`steps`).

use super::device::{Cuda, Flows};
use super::driver::{Doing, OutsideCapture, lock};
use super::ring::{self, Chunk, DOING, HostArray, Ring};
use super::steps::Steps;
use cudarc::driver::result;
use std::sync::Arc;
use upsweep_core::error::Result;

/// Part of the device's memory, as a divisor, that a call without a limit leaves free: for what other calls and the
/// driver allocate meanwhile.
const FREE_PART: usize = 32;

impl Cuda {
    /// Returns this device for arrays in host memory: it copies them to the GPU and back, chunk by chunk. It keeps
    /// memory on the GPU, and pinned memory for pageable arrays, from the first such call on. Calls that keep whole
    /// arrays on the GPU take at most `most` bytes of its memory.
    #[must_use]
    pub fn streamed(&self, most: usize) -> Self {
        Self { flows: Some(Arc::new(Flows { ring: None.into(), most })), ..self.clone() }
    }

    /// Returns whether the device takes arrays in host memory.
    pub(crate) fn is_streamed(&self) -> bool {
        self.flows.is_some()
    }

    /// Returns the number of bytes of the device's memory that a call on arrays in host memory may use.
    ///
    /// # Errors
    /// [`Error::Driver`](upsweep_core::error::Error::Driver), also while the stream is being captured.
    pub(crate) fn room(&self) -> Result<usize> {
        self.refuse_in_capture(DOING)?;
        let _outside = OutsideCapture::enter()?;
        let (free, all) = result::mem_get_info().doing("asking how much memory is free")?;
        let free = (free + self.context().pooled()?).saturating_sub(all / FREE_PART);
        let Some(flows) = &self.flows else { return Ok(0) };
        let held = lock(&flows.ring).as_ref().map_or(0, Ring::device_bytes);
        Ok(flows.most.saturating_sub(held).min(free))
    }

    /// Returns whether an array of `len` elements is in pageable memory, which the GPU cannot copy by itself.
    pub(crate) fn is_pageable(&self, array: HostArray, len: usize) -> Result<bool> {
        self.context().bind()?;
        Ok(!ring::is_pinned(array, len))
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
        arrays: [HostArray; 2],
        sizes: (usize, usize, usize),
        compute: &mut dyn FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        // SAFETY: the arrays have these elements and results, in memory that nobody else uses until this returns.
        self.with_ring(|ring| unsafe { ring.flow(arrays, sizes, compute) })
    }

    /// Runs the steps, whose kernels `compute` enqueues, and returns when all copies are over.
    ///
    /// # Errors
    /// As of [`flow`](Self::flow).
    ///
    /// # Safety
    /// Until this returns, the host's memory is good for the copies of the steps, nobody else writes it, or reads what
    /// is copied down, and nobody else uses the device's memory. Steps whose numbers differ by less than
    /// [`BUFFERS`](super::steps::BUFFERS) use different memory, but for what `compute` reads alone.
    pub(crate) unsafe fn steps(&self, steps: &Steps<'_>, compute: &mut dyn FnMut(usize) -> Result<()>) -> Result<()> {
        // SAFETY: the memory is good until this returns, and the device's is ordered by its stream.
        self.with_ring(|ring| unsafe { ring.steps(steps, compute) })
    }

    /// Calls `run` with the device's ring, and waits for all that it has enqueued, also after an error.
    fn with_ring(&self, run: impl FnOnce(&mut Ring) -> Result<()>) -> Result<()> {
        self.refuse_in_capture(DOING)?;
        self.context().bind()?;
        let _outside = OutsideCapture::enter()?;
        let Some(flows) = &self.flows else { return Ok(()) };
        let mut ring = match lock(&flows.ring).take() {
            Some(ring) => ring,
            None => Ring::new(self.context(), self.stream())?,
        };
        let ran = run(&mut ring);
        let (computed, copied) = (self.synchronize(), ring.wait());
        *lock(&flows.ring) = Some(ring);
        ran.and(computed).and(copied)
    }
}
