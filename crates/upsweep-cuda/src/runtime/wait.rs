//! Waiting for a stream: small results and faults land on the host in one wait.
//!
//! ```text
//! ask whether this stream's kernels reported a fault        copies, enqueued
//! copy a result                                             enqueued
//! wait for the stream
//! the result and the fault are there; faults of others are asked for
//! ```

use super::driver::Doing;
use super::pinned::Landing;
use super::state::State;
use super::stream::StreamState;
use super::workspace::Asked;
use cudarc::driver::CudaStream;
use cudarc::driver::sys::CUdeviceptr;
use std::ops::Range;
use std::sync::Arc;
use upsweep_core::error::Result;

/// Stream that is about to be waited for. Its creator is outside of a capture, in the stream's context.
pub(super) struct Wait<'s> {
    stream: &'s Arc<CudaStream>,
    doing: &'static str,
    /// State of the stream's context; none if upsweep has not seen the context, so that no kernel can have reported a
    /// fault.
    state: Option<Arc<State>>,
    own: Option<(Arc<StreamState>, Vec<Asked>)>,
    landing: Option<Landing>,
}

impl<'s> Wait<'s> {
    /// Begins a wait: enqueues copies of the faults that the kernels enqueued on `stream` may report. `doing` is what
    /// the caller does, for messages.
    pub(super) fn new(stream: &'s Arc<CudaStream>, doing: &'static str) -> Result<Self> {
        let state = State::find(stream.context());
        let mut landing = state.as_ref().and_then(|state| state.context.landing());
        let mut own = None;
        if let (Some(state), Some(landing)) = (&state, &mut landing)
            && let Some(of_stream) = state.known(stream.cu_stream())
        {
            let asked = of_stream.ask(landing)?;
            own = Some((of_stream, asked));
        }
        Ok(Self { stream, doing, state, own, landing })
    }

    /// Enqueues a copy of `bytes` bytes at the device address `address` to pinned memory. Returns their range there,
    /// for `Over::landed`; none if they do not fit.
    ///
    /// # Safety
    /// `address` is good for `bytes` bytes until the stream has been waited for.
    pub(super) unsafe fn copy(&mut self, address: CUdeviceptr, bytes: usize) -> Result<Option<Range<usize>>> {
        let Some(landing) = &mut self.landing else { return Ok(None) };
        // SAFETY: `address` is good for `bytes` bytes until the stream has been waited for, as `# Safety` requires.
        unsafe { landing.copy(address, bytes, self.stream.cu_stream(), self.doing) }
    }

    /// Waits until the stream has done everything that is enqueued on it.
    pub(super) fn wait(self) -> Result<Over<'s>> {
        self.stream.synchronize().doing(self.doing)?;
        Ok(Over(self))
    }
}

/// Stream that has been waited for: its copies to pinned memory can be read.
pub(super) struct Over<'s>(Wait<'s>);

impl Over<'_> {
    /// Returns the bytes that were copied to a range of the pinned memory.
    pub(super) fn landed(&self, range: Range<usize>) -> &[u8] {
        // SAFETY: the stream of the copies has been waited for.
        self.0.landing.as_ref().map_or(&[], |landing| unsafe { landing.landed(range) })
    }

    /// Returns the first fault (an error in the data) that was reported: by this stream's kernels, by kernels of other
    /// streams that wrote to its buffers, or by a graph.
    pub(super) fn faults(self) -> Result<()> {
        let Wait { stream, state, own, landing, .. } = self.0;
        let Some(state) = state else { return Ok(()) };
        let mut answered = Ok(());
        if let Some(landing) = landing {
            if let Some((own, asked)) = own {
                // SAFETY: the stream of the copies has been waited for.
                answered = unsafe { own.answer(asked, &landing) };
            }
            // SAFETY: the stream of the copies has been waited for.
            unsafe { state.context.give_back(landing) };
        }
        answered?;
        state.take_fault(stream.cu_stream())
    }
}
