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

/// A stream that is about to be waited for. Whoever makes one is outside of a capture, in the stream's context.
pub(super) struct Wait<'s> {
    stream: &'s Arc<CudaStream>,
    doing: &'static str,
    /// None of a context that upsweep has not seen: it has no faults.
    state: Option<Arc<State>>,
    own: Option<(Arc<StreamState>, Vec<Asked>)>,
    landing: Option<Landing>,
}

impl<'s> Wait<'s> {
    /// Asks for the faults of what is enqueued.
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

    /// Enqueues a copy that lands in `host` [later](Self::landed), or says that it does not fit.
    ///
    /// # Safety
    /// `address` is good for `bytes` bytes until the stream has been waited for.
    pub(super) unsafe fn copy(&mut self, address: CUdeviceptr, bytes: usize) -> Result<Option<Range<usize>>> {
        let Some(landing) = &mut self.landing else { return Ok(None) };
        // SAFETY: as the caller says.
        unsafe { landing.copy(address, bytes, self.stream.cu_stream(), self.doing) }
    }

    /// Waits.
    pub(super) fn wait(self) -> Result<Over<'s>> {
        self.stream.synchronize().doing(self.doing)?;
        Ok(Over(self))
    }
}

/// A stream that has been waited for.
pub(super) struct Over<'s>(Wait<'s>);

impl Over<'_> {
    /// What was copied there.
    pub(super) fn landed(&self, range: Range<usize>) -> &[u8] {
        // SAFETY: the stream of the copies has been waited for.
        self.0.landing.as_ref().map_or(&[], |landing| unsafe { landing.landed(range) })
    }

    /// The first fault that is there: of this stream's kernels, of what other streams enqueued for its buffers, or of a graph.
    pub(super) fn faults(self) -> Result<()> {
        let Wait { stream, state, own, landing, .. } = self.0;
        let Some(state) = state else { return Ok(()) };
        let mut answered = Ok(());
        if let Some(landing) = landing {
            if let Some((own, asked)) = own {
                // SAFETY: the stream of the copies has been waited for.
                answered = unsafe { own.answer(asked, &landing) };
            }
            // SAFETY: as above.
            unsafe { state.context.give_back(landing) };
        }
        answered?;
        state.take_fault(stream.cu_stream())
    }
}
