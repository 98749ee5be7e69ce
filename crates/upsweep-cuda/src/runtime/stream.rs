//! A stream with its workspaces.

use super::context::Context;
use super::driver::{self, OutsideCapture, lock};
use super::pinned::Landing;
use super::workspace::{Asked, Capacity, Grown, INITIAL, Workspace, create};
use cudarc::driver::CudaStream;
use cudarc::driver::sys::CUstream;
use std::sync::{Arc, Mutex};
use upsweep_core::error::{Error, Result};

/// One stream with its workspaces.
pub(super) struct StreamState {
    pub(super) stream: Arc<CudaStream>,
    pub(super) context: Arc<Context>,
    grown: Mutex<Grown>,
    /// Streams whose kernels wrote to this stream's buffers and can report faults; kept until they are looked at.
    watched: Mutex<Vec<Arc<StreamState>>>,
}

impl StreamState {
    pub(super) fn new(stream: Arc<CudaStream>, context: Arc<Context>) -> Self {
        Self { stream, context, grown: Mutex::default(), watched: Mutex::default() }
    }

    /// Looks at the faults of `other` when this stream is waited for next.
    pub(super) fn watch(&self, other: &Arc<Self>) {
        let mut watched = lock(&self.watched);
        if !watched.iter().any(|known| Arc::ptr_eq(known, other)) {
            watched.push(other.clone());
        }
    }

    /// The streams to look at, which are not looked at again.
    pub(super) fn watched(&self) -> Vec<Arc<Self>> {
        std::mem::take(&mut *lock(&self.watched))
    }

    /// A workspace with at least these capacities for a kernel that is enqueued next on the stream, which is not being
    /// captured.
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

    /// Says that a kernel is enqueued that can report a fault.
    pub(super) fn mark_may_fault(&self) {
        lock(&self.grown).may_fault = true;
    }

    /// The first fault reported so far by this stream's kernels, read in the order of `stream`.
    pub(super) fn take_fault(&self, stream: CUstream) -> Result<()> {
        let mut grown = lock(&self.grown);
        grown.read_fault(stream)?;
        // Another stream's order covers only a part of what is enqueued here: the rest is asked for later.
        if stream == self.stream.cu_stream() {
            grown.may_fault = false;
        }
        Ok(())
    }
}

impl StreamState {
    /// Has the faults reported so far by this stream's kernels copied to a landing, for [`answer`](Self::answer).
    pub(super) fn ask(&self, landing: &mut Landing) -> Result<Vec<Asked>> {
        let mut grown = lock(&self.grown);
        let asked = grown.ask(landing, self.stream.cu_stream())?;
        // What is enqueued from now on says so again. What was not asked for is read later.
        grown.may_fault &= asked.len() < grown.all.len();
        Ok(asked)
    }

    /// The first of the faults that were asked for; others are asked for again.
    ///
    /// # Safety
    /// They were copied to this landing, and the host has waited for that.
    pub(super) unsafe fn answer(&self, asked: Vec<Asked>, landing: &Landing) -> Result<()> {
        // SAFETY: as the caller says.
        let answer = |asked: Asked| unsafe { asked.answer(landing, self.stream.cu_stream()) };
        asked.into_iter().try_for_each(answer).inspect_err(|_| self.mark_may_fault())
    }
}

impl Drop for StreamState {
    fn drop(&mut self) {
        // Freeing must not become part of what some stream captures. Without the context there is nothing to free.
        let (Ok(()), Ok(_outside)) = (self.context.bind(), OutsideCapture::enter()) else { return };
        let stream = self.stream.cu_stream();
        // This stream has no device that could report it, so who waits for the stream next gets it.
        if let Err(fault) = self.take_fault(stream) {
            self.context.keep_fault(stream.addr(), fault);
        }
        if !matches!(driver::of_stream(stream), Ok(None)) {
            // The stream's order is that of a graph now: these workspaces are lost until the process ends.
            return;
        }
        for workspace in &lock(&self.grown).all {
            // Not to free what CUDA refuses to free is all that can be done.
            let _ = self.context.free(workspace.header, stream);
        }
    }
}

#[cfg(test)]
#[path = "epoch_tests.rs"]
mod epoch_tests;
