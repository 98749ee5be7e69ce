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
    /// State of the context; none if upsweep has not seen the context, which then has no faults.
    state: Option<Arc<State>>,
    own: Option<(Arc<StreamState>, Vec<Asked>)>,
    landing: Option<Landing>,
}

impl<'s> Wait<'s> {
    /// Enqueues copies of the faults of the enqueued kernels.
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

    /// Enqueues a copy of `bytes` bytes to pinned memory, and returns the range for `Over::landed`; none if it does not
    /// fit.
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

    /// Returns the first fault: of this stream's kernels, of kernels of other streams that wrote to its buffers, or of
    /// a graph.
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
