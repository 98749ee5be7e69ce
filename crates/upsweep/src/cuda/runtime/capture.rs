//! Workspaces for stream captures: each lives as long as the graph that was captured with it.

use super::context::Context;
use super::driver::{Capture, OutsideCapture, lock};
use super::workspace::{Capacity, Grown, INITIAL_IN_CAPTURE, Purpose, Workspace, create, renew};
use crate::Result;
use cudarc::driver::sys::{self, CUgraph, CUstream};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// A stream's part of one capture, and what its memory is for.
type Key = (u64, usize, Purpose);

/// The workspaces of all captures in a context.
#[derive(Default)]
pub(super) struct Captures {
    live: Mutex<HashMap<Key, Grown>>,
    /// Those whose graph is gone. A lock of its own, never held across a call of CUDA, because CUDA's own thread takes
    /// it.
    ended: Arc<Mutex<Vec<Key>>>,
    /// Workspaces to use again.
    free: Mutex<Vec<Workspace>>,
}

impl Captures {
    /// A workspace for a kernel that is captured next from `stream`.
    pub(super) fn workspace(
        &self,
        context: &Context,
        capture: Capture,
        stream: CUstream,
        purpose: Purpose,
        needed: Capacity,
    ) -> Result<Workspace> {
        let key = (capture.id, stream.addr(), purpose);
        let mut live = lock(&self.live);
        let have = live.get(&key).and_then(Grown::current);
        if let Some(workspace) = have.filter(|workspace| Capacity::of(workspace).holds(needed)) {
            return Ok(workspace);
        }
        let capacity = have.map_or(INITIAL_IN_CAPTURE, |workspace| Capacity::of(&workspace)).grown(needed);
        let private = context.private_stream()?.cu_stream();
        for ended in std::mem::take(&mut *lock(&self.ended)) {
            let Some(grown) = live.remove(&ended) else { continue };
            let _outside = OutsideCapture::enter()?;
            if let Err(fault) = grown.read_fault(private) {
                context.keep_fault(ended.1, fault);
            }
            lock(&self.free).extend(grown.all);
        }
        let usable = |workspace: &Workspace| Capacity::of(workspace).holds(capacity);
        let reused = {
            let mut free = lock(&self.free);
            free.iter().position(usable).map(|index| free.swap_remove(index))
        };
        let workspace = match reused {
            Some(workspace) => renew(context, workspace)?,
            None => create(context, capacity)?,
        };
        if have.is_none() {
            watch(capture.graph, key, &self.ended);
        }
        live.entry(key).or_default().all.push(workspace);
        Ok(workspace)
    }

    /// Says that a kernel was captured that can report a fault, each time the graph is launched.
    pub(super) fn mark_may_fault(&self, capture: Capture, stream: CUstream) {
        lock(&self.live).entry((capture.id, stream.addr(), Purpose::Words)).or_default().may_fault = true;
    }

    /// The first fault that launches of captured graphs reported before, read in the order of `stream`.
    pub(super) fn take_fault(&self, stream: CUstream) -> Result<()> {
        lock(&self.live).values().try_for_each(|grown| grown.read_fault(stream))
    }
}

/// Asks CUDA to say when `graph` and every executable made from it are gone, and then adds `key` to `ended`. Where
/// CUDA refuses, the workspace is simply kept.
fn watch(graph: CUgraph, key: Key, ended: &Arc<Mutex<Vec<Key>>>) {
    struct Ending {
        key: Key,
        ended: Arc<Mutex<Vec<Key>>>,
    }
    /// CUDA allows no call of its own here.
    unsafe extern "C" fn gone(ending: *mut c_void) {
        // SAFETY: CUDA passes the pointer that `watch` made from a box, once.
        let ending = unsafe { Box::from_raw(ending.cast::<Ending>()) };
        lock(&ending.ended).push(ending.key);
    }
    const NO_DESTRUCTOR_SYNC: u32 = 1; // CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, which the driver demands
    const MOVE: u32 = 1; // CU_GRAPH_USER_OBJECT_MOVE: the graph takes over our reference
    let ending: *mut c_void = Box::into_raw(Box::new(Ending { key, ended: ended.clone() })).cast();
    let mut object = std::ptr::null_mut();
    // SAFETY: `gone` frees what `ending` points to, once, when the reference count falls from 1 to 0.
    if unsafe { sys::cuUserObjectCreate(&mut object, ending, Some(gone), 1, NO_DESTRUCTOR_SYNC) }.result().is_err() {
        // SAFETY: CUDA did not take the box.
        drop(unsafe { Box::from_raw(ending.cast::<Ending>()) });
        return;
    }
    // SAFETY: the graph is being captured and the object was just created. On failure the object lives on, and with it
    // the workspace.
    let _kept = unsafe { sys::cuGraphRetainUserObject(graph, object, 1, MOVE) };
}
