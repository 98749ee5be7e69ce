//! Stream with its workspaces, and with the faults (errors in the data) that its kernels may report.

use super::context::Context;
use super::driver::{self, OutsideCapture, lock};
use super::pinned::Landing;
use super::workspace::{Asked, Capacity, Grown, INITIAL, Workspace, create};
use cudarc::driver::CudaStream;
use cudarc::driver::sys::CUstream;
use std::sync::{Arc, Mutex};
use upsweep_core::error::{Error, Result};

/// CUDA stream with its workspaces, and with the faults (errors in the data) that its kernels may report.
pub(super) struct StreamState {
    pub(super) stream: Arc<CudaStream>,
    pub(super) context: Arc<Context>,
    grown: Mutex<Grown>,
    /// Other streams whose kernels wrote to this stream's buffers and can report faults. They are kept until those
    /// faults are read.
    watched: Mutex<Vec<Arc<StreamState>>>,
}

impl StreamState {
    pub(super) fn new(stream: Arc<CudaStream>, context: Arc<Context>) -> Self {
        Self { stream, context, grown: Mutex::default(), watched: Mutex::default() }
    }

    /// Registers `other`, whose faults are read at the next wait for this stream.
    pub(super) fn watch(&self, other: &Arc<Self>) {
        let mut watched = lock(&self.watched);
        if !watched.iter().any(|known| Arc::ptr_eq(known, other)) {
            watched.push(other.clone());
        }
    }

    /// Removes all watched streams from the list, and returns them.
    pub(super) fn watched(&self) -> Vec<Arc<Self>> {
        std::mem::take(&mut *lock(&self.watched))
    }

    /// Returns a workspace with at least these capacities for a kernel that is enqueued next on the stream, which is
    /// not being captured.
    pub(super) fn workspace(&self, needed: Capacity) -> Result<Workspace> {
        let mut grown = lock(&self.grown);
        let have = grown.current();
        if let Some(workspace) = have.filter(|workspace| Capacity::of(workspace).holds(needed)) {
            return Ok(workspace);
        }
        let capacity = have.map_or(INITIAL, |workspace| Capacity::of(&workspace)).grown(needed);
        let workspace = match create(&self.context, capacity) {
            Err(Error::OutOfMemory { .. }) => {
                self.context.reclaim()?;
                create(&self.context, capacity)?
            }
            created => created?,
        };
        grown.all.push(workspace);
        Ok(workspace)
    }

    /// Marks that a kernel is enqueued on this stream that can report a fault.
    pub(super) fn mark_may_fault(&self) {
        lock(&self.grown).may_fault = true;
    }

    /// Returns the first fault reported so far by this stream's kernels, read in the order of `stream`.
    pub(super) fn take_fault(&self, stream: CUstream) -> Result<()> {
        let mut grown = lock(&self.grown);
        grown.read_fault(stream)?;
        // Another stream's order covers only a part of the commands enqueued here, so faults of the rest are left to be
        // read later.
        if stream == self.stream.cu_stream() {
            grown.may_fault = false;
        }
        Ok(())
    }
}

impl StreamState {
    /// Enqueues copies of the faults that this stream's kernels have reported so far to a landing (pinned host memory).
    /// [`answer`](Self::answer) reads them there.
    pub(super) fn ask(&self, landing: &mut Landing) -> Result<Vec<Asked>> {
        let mut grown = lock(&self.grown);
        let asked = grown.ask(landing, self.stream.cu_stream())?;
        // Kernels that are enqueued from now on set `may_fault` again. Faults that did not fit in the landing are read
        // later.
        grown.may_fault &= asked.len() < grown.all.len();
        Ok(asked)
    }

    /// Returns the first of the copied faults; the others are copied again at the next wait.
    ///
    /// # Safety
    /// The faults were copied to this landing, and the host has waited for the copies.
    pub(super) unsafe fn answer(&self, asked: Vec<Asked>, landing: &Landing) -> Result<()> {
        // SAFETY: the faults are in this landing, and the host has waited for the copies, as `# Safety` requires.
        let answer = |asked: Asked| unsafe { asked.answer(landing, self.stream.cu_stream()) };
        asked.into_iter().try_for_each(answer).inspect_err(|_| self.mark_may_fault())
    }
}

impl Drop for StreamState {
    fn drop(&mut self) {
        // Outside of a capture, because freeing must not become part of one. Without the context there is nothing to
        // free.
        let (Ok(()), Ok(_outside)) = (self.context.bind(), OutsideCapture::enter()) else { return };
        let stream = self.stream.cu_stream();
        // No device of this stream is left to report the fault, so the next wait for the stream gets it.
        if let Err(fault) = self.take_fault(stream) {
            self.context.keep_fault(stream.addr(), fault);
        }
        if !matches!(driver::of_stream(stream), Ok(None)) {
            // The stream is being captured, so its order is the graph's: these workspaces are lost until the process
            // ends.
            return;
        }
        for workspace in &lock(&self.grown).all {
            // If CUDA refuses to free the memory, nothing else can be done.
            let _ = self.context.free(workspace.header, stream);
        }
    }
}

#[cfg(test)]
#[path = "epoch_tests.rs"]
mod epoch_tests;
