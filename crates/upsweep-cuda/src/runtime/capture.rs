//! Memory of captured graphs: workspaces and scratch that live as long as the graph.
//!
//! CUDA can make an allocation in a capture part of the graph. That is not done here, because it restricts the caller's
//! graph: such a graph cannot be cloned, nor be a child of another one, nor have two executables at a time. Memory that
//! is not part of the graph restricts nothing, costs a replay nothing, and has the same address in each replay. It
//! lives until CUDA reports that the graph and all executables made from it are gone.
//!
//! **Ordering.** Kernels captured from one stream depend on each other in turn, and CUDA runs one launch of an
//! executable after the other. So all calls captured from one stream share one workspace, and scratch that one call no
//! longer needs serves the next. Two executables made from one graph share both: they may be launched in turn, not at
//! once.

use super::context::Context;
use super::driver::{Capture, Doing, OutsideCapture, lock};
use super::workspace::{Capacity, Grown, INITIAL_IN_CAPTURE, Workspace, create, renew};
use cudarc::driver::sys::{self, CUdeviceptr, CUgraph, CUstream};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};
use upsweep_core::error::Result;

/// Key of the part of a graph that is captured from one stream: the number of the capture, and the handle of the
/// stream.
type Key = (u64, usize);

/// Memory of all captures in a context.
#[derive(Default)]
pub(super) struct Captures {
    live: Mutex<HashMap<Key, Part>>,
    /// Keys of the parts (see `Part`) whose graph is gone. They have a lock of their own, which is never held across a
    /// call of CUDA, because CUDA's own thread takes it.
    ended: Arc<Mutex<Vec<Key>>>,
    /// Workspaces of graphs that are gone, for later captures.
    free: Mutex<Vec<Workspace>>,
}

/// Part of a graph that is captured from one stream: the memory of all calls in it.
#[derive(Debug, Default)]
struct Part {
    workspaces: Grown,
    scratch: Vec<Block>,
}

/// Block of scratch memory for the kernels of one graph.
#[derive(Debug)]
struct Block {
    address: CUdeviceptr,
    bytes: usize,
    /// Whether the call that uses the block is still being captured.
    in_use: bool,
}

impl Part {
    /// Returns the smallest block of at least `bytes` bytes that an earlier call has released, and marks it as in use.
    fn reuse(&mut self, bytes: usize) -> Option<CUdeviceptr> {
        let fits = |block: &&mut Block| !block.in_use && block.bytes >= bytes;
        let block = self.scratch.iter_mut().filter(fits).min_by_key(|block| block.bytes)?;
        block.in_use = true;
        Some(block.address)
    }

    /// Releases the block at `address` for the next call that is captured.
    fn release(&mut self, address: CUdeviceptr) {
        for block in self.scratch.iter_mut().filter(|block| block.address == address) {
            block.in_use = false;
        }
    }
}

impl Captures {
    /// Returns a workspace for a kernel that is captured next from `stream`.
    pub(super) fn workspace(
        &self,
        context: &Context,
        capture: Capture,
        stream: CUstream,
        needed: Capacity,
    ) -> Result<Workspace> {
        self.sweep(context)?;
        let mut live = lock(&self.live);
        let part = self.part(&mut live, capture, stream);
        let have = part.workspaces.current();
        if let Some(workspace) = have.filter(|workspace| Capacity::of(workspace).holds(needed)) {
            return Ok(workspace);
        }
        let capacity = have.map_or(INITIAL_IN_CAPTURE, |workspace| Capacity::of(&workspace)).grown(needed);
        let usable = |workspace: &Workspace| Capacity::of(workspace).holds(capacity);
        let reused = {
            let mut free = lock(&self.free);
            free.iter().position(usable).map(|index| free.swap_remove(index))
        };
        let workspace = match reused {
            Some(workspace) => renew(context, workspace)?,
            None => create(context, capacity)?,
        };
        part.workspaces.all.push(workspace);
        Ok(workspace)
    }

    /// Returns scratch of at least `bytes` for kernels that are captured next from `stream`, until it is released.
    pub(super) fn scratch(
        &self,
        context: &Context,
        capture: Capture,
        stream: CUstream,
        bytes: usize,
    ) -> Result<CUdeviceptr> {
        self.sweep(context)?;
        let mut live = lock(&self.live);
        let part = self.part(&mut live, capture, stream);
        if let Some(address) = part.reuse(bytes) {
            return Ok(address);
        }
        let address = context.allocate_private(bytes)?;
        part.scratch.push(Block { address, bytes, in_use: true });
        // The host waits for the allocation, because the graph may be launched on any stream.
        let _outside = OutsideCapture::enter()?;
        context.private_stream()?.synchronize().doing("allocating device memory")?;
        Ok(address)
    }

    /// Releases the scratch at `address`, which calls captured from `stream` no longer need.
    pub(super) fn release(&self, capture: Capture, stream: CUstream, address: CUdeviceptr) {
        if let Some(part) = lock(&self.live).get_mut(&(capture.id, stream.addr())) {
            part.release(address);
        }
    }

    /// Marks that a kernel captured from `stream` can report a fault (an error in the data) each time the graph is
    /// launched.
    pub(super) fn mark_may_fault(&self, capture: Capture, stream: CUstream) {
        self.part(&mut lock(&self.live), capture, stream).workspaces.may_fault = true;
    }

    /// Returns the first fault that earlier launches of captured graphs reported, read in the order of `stream`.
    pub(super) fn take_fault(&self, stream: CUstream) -> Result<()> {
        lock(&self.live).values().try_for_each(|part| part.workspaces.read_fault(stream))
    }

    /// Takes back the memory of graphs that are gone: their workspaces serve later captures, their scratch is freed.
    /// CUDA allows none of its calls in the callback that reports a graph gone, so a later call does this.
    pub(super) fn sweep(&self, context: &Context) -> Result<()> {
        if lock(&self.ended).is_empty() {
            return Ok(());
        }
        let _outside = OutsideCapture::enter()?;
        let private = context.private_stream()?.cu_stream();
        // The list is taken before the loop: in the loop's head the lock would be held until the loop ends.
        let ended = std::mem::take(&mut *lock(&self.ended));
        for ended in ended {
            let Some(part) = lock(&self.live).remove(&ended) else { continue };
            if let Err(fault) = part.workspaces.read_fault(private) {
                context.keep_fault(ended.1, fault);
            }
            lock(&self.free).extend(part.workspaces.all);
            for block in part.scratch {
                // If CUDA refuses to free the memory, nothing else can be done.
                let _ = context.free(block.address, private);
            }
        }
        Ok(())
    }

    /// Returns the number of graphs with memory, each counted once for each stream that it was captured from.
    #[cfg(test)]
    pub(super) fn graphs(&self) -> usize {
        lock(&self.live).len()
    }

    /// Returns the memory of the calls that are captured from `stream`.
    fn part<'m>(&self, live: &'m mut HashMap<Key, Part>, capture: Capture, stream: CUstream) -> &'m mut Part {
        let key = (capture.id, stream.addr());
        live.entry(key).or_insert_with(|| {
            watch(capture.graph, key, &self.ended);
            Part::default()
        })
    }
}

/// Registers a callback that adds `key` to `ended` once `graph` and every executable made from it are gone. If CUDA
/// refuses it, the memory is kept.
fn watch(graph: CUgraph, key: Key, ended: &Arc<Mutex<Vec<Key>>>) {
    struct Ending {
        key: Key,
        ended: Arc<Mutex<Vec<Key>>>,
    }
    /// Function that CUDA calls when the graph and its executables are gone. CUDA allows no call of its own in it.
    unsafe extern "C" fn gone(ending: *mut c_void) {
        // SAFETY: CUDA passes the pointer that `watch` made from a box, once.
        let ending = unsafe { Box::from_raw(ending.cast::<Ending>()) };
        lock(&ending.ended).push(ending.key);
    }
    const NO_DESTRUCTOR_SYNC: u32 = 1; // CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, which the driver demands
    const MOVE: u32 = 1; // CU_GRAPH_USER_OBJECT_MOVE: the graph takes over our reference
    let ending: *mut c_void = Box::into_raw(Box::new(Ending { key, ended: ended.clone() })).cast();
    let mut object = std::ptr::null_mut();
    // SAFETY: CUDA calls `gone` once, when the reference count falls from 1 to 0, and `gone` frees what `ending` points
    // to.
    if unsafe { sys::cuUserObjectCreate(&mut object, ending, Some(gone), 1, NO_DESTRUCTOR_SYNC) }.result().is_err() {
        // SAFETY: CUDA did not take the box over, so it is freed here.
        drop(unsafe { Box::from_raw(ending.cast::<Ending>()) });
        return;
    }
    // SAFETY: the graph is being captured and the object was just created. On failure the object lives on, and with it
    // the memory.
    let _kept = unsafe { sys::cuGraphRetainUserObject(graph, object, 1, MOVE) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_in_a_graph_is_used_again_where_it_fits_best() {
        let block = |address, bytes| Block { address, bytes, in_use: true };
        let mut part = Part { scratch: vec![block(1, 100), block(2, 10), block(3, 50)], ..Part::default() };
        assert_eq!(part.reuse(0), None, "all are in use");
        [1, 2, 3].into_iter().for_each(|address| part.release(address));
        assert_eq!(part.reuse(101), None);
        assert_eq!(part.reuse(11), Some(3), "the smallest that holds it");
        assert_eq!(part.reuse(11), Some(1), "the other one is in use");
        assert_eq!(part.reuse(11), None, "too small is not enough");
        part.release(3);
        part.release(4);
        assert_eq!(part.reuse(50), Some(3), "exactly");
        assert_eq!(part.reuse(10), Some(2));
        assert_eq!(part.reuse(0), None);
    }
}
