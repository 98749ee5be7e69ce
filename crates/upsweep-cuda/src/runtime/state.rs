//! State that all devices of one CUDA context share: kernels, streams with their workspaces, memory of graphs.

use super::capture::Captures;
use super::context::Context;
use super::driver::{Doing, device_info, load, lock};
use super::kernel::Kernels;
use super::stream::StreamState;
use crate::compile::Nvrtc;
use cudarc::driver::sys::CUstream;
use cudarc::driver::{CudaContext, CudaStream};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use upsweep_core::error::Result;

/// State that belongs to one CUDA context. Each context of the process has one, also if cudarc has several handles of
/// the context.
pub(super) struct State {
    pub(super) context: Arc<Context>,
    pub(super) kernels: Kernels,
    pub(super) captures: Captures,
    /// States of streams by the streams' handles. As long as an entry's state exists it keeps its stream, so the handle
    /// is still that stream's.
    streams: Mutex<HashMap<usize, Weak<StreamState>>>,
}

/// States of all contexts that upsweep has seen. A primary context belongs to the process, so its state stays. The
/// state of another context stays until nobody else has a handle of the context, because until then a graph may launch
/// its kernels with its workspaces.
static SEEN: Mutex<Vec<Arc<State>>> = Mutex::new(Vec::new());

impl State {
    /// Returns the state of a device's primary context.
    pub(super) fn of_device(ordinal: usize) -> Result<Arc<Self>> {
        load()?;
        // Checked before cudarc's call, because this error says how many devices there are.
        device_info(ordinal)?;
        Nvrtc::load_ahead();
        Self::of(&CudaContext::new(ordinal).doing("starting CUDA on a device")?)
    }

    /// Returns the state of a context, and creates it if upsweep has not seen the context before.
    pub(super) fn of(cuda: &Arc<CudaContext>) -> Result<Arc<Self>> {
        load()?;
        let mut seen = lock(&SEEN);
        if let Some(state) = Self::among(&seen, cuda) {
            return Ok(state);
        }
        Nvrtc::load_ahead();
        seen.retain(Self::is_needed);
        let state = Arc::new(Self {
            context: Arc::new(Context::new(cuda)?),
            kernels: Kernels::default(),
            captures: Captures::default(),
            streams: Mutex::default(),
        });
        seen.push(state.clone());
        Ok(state)
    }

    /// Returns the state of a context, if upsweep has seen it.
    pub(super) fn find(cuda: &CudaContext) -> Option<Arc<Self>> {
        Self::among(&lock(&SEEN), cuda)
    }

    fn among(seen: &[Arc<Self>], cuda: &CudaContext) -> Option<Arc<Self>> {
        seen.iter().find(|state| state.context.cuda.cu_ctx() == cuda.cu_ctx()).cloned()
    }

    /// Returns whether the state must be kept: its context is a primary one, or has users besides [`SEEN`].
    fn is_needed(state: &Arc<Self>) -> bool {
        let context = &state.context;
        let own = context.handles() + state.kernels.len();
        let used = Arc::strong_count(state) > 1 || Arc::strong_count(context) > 1;
        used || context.cuda.is_primary() || Arc::strong_count(&context.cuda) > own
    }

    /// Returns the state of a stream of this context, and creates it if the stream has none.
    pub(super) fn stream(&self, stream: &Arc<CudaStream>) -> Arc<StreamState> {
        let mut streams = lock(&self.streams);
        let key = stream.cu_stream().addr();
        if let Some(state) = streams.get(&key).and_then(Weak::upgrade) {
            return state;
        }
        streams.retain(|_, state| state.strong_count() > 0);
        let state = Arc::new(StreamState::new(stream.clone(), self.context.clone()));
        streams.insert(key, Arc::downgrade(&state));
        state
    }

    /// Returns the state of the stream `stream`, if it has one.
    pub(super) fn known(&self, stream: CUstream) -> Option<Arc<StreamState>> {
        lock(&self.streams).get(&stream.addr()).and_then(Weak::upgrade)
    }

    /// Returns the first fault (an error in the data) that was reported before `stream` was waited for: by its own
    /// kernels, by kernels of other streams that wrote to its buffers, or by a captured graph.
    pub(super) fn take_fault(&self, stream: CUstream) -> Result<()> {
        self.captures.sweep(&self.context)?;
        self.context.kept_fault(stream)?;
        if let Some(state) = self.known(stream) {
            state.take_fault(stream)?;
            state.watched().iter().try_for_each(|other| other.take_fault(stream))?;
        }
        self.captures.take_fault(stream)
    }
}
