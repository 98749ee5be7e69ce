//! One CUDA context: its memory, its streams, and faults that nobody has read yet. It knows no kernel and no device.

use super::driver::{DeviceInfo, Doing, OutsideCapture, device_info, lock};
use super::pinned::Landing;
use super::pool::Pool;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{CUdeviceptr, CUresult, CUstream};
use cudarc::driver::{CudaContext, CudaStream};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use upsweep_core::error::{Error, Result};

/// CUDA context.
pub(super) struct Context {
    pub(super) cuda: Arc<CudaContext>,
    pub(super) info: DeviceInfo,
    /// Stream for commands that must stay out of every capture, such as allocations, and for nothing else.
    private: OnceLock<Arc<CudaStream>>,
    /// Stream that the library itself creates for its first device, and cudarc's handle of it while a device uses it.
    own: Mutex<Option<(PlainStream, Weak<CudaStream>)>>,
    /// Stream that keeps cudarc ordering streams once it has begun to: it would stop when the last stream it created is
    /// dropped, though buffers may still be in use on it.
    ordering: OnceLock<Arc<CudaStream>>,
    /// Pool of device memory that arrays and scratch are allocated from.
    pool: OnceLock<Pool>,
    /// Landings (pinned memory for small results) that nobody uses at the moment.
    landings: Mutex<Vec<Landing>>,
    /// Stream for reading a buffer's address without touching the events that cudarc keeps for it; see `memory`.
    pub(super) blind: Mutex<Option<Arc<CudaStream>>>,
    /// Faults (errors in the data) that the next wait for a stream reports, by the stream's handle. No device of these
    /// streams is left that could report them.
    faults: Mutex<HashMap<usize, Error>>,
}

impl Context {
    /// Returns the state of the context that `cuda` is a handle of.
    ///
    /// # Errors
    /// [`Error::Device`] without a driver, [`Error::Driver`] when the device does not answer.
    pub(super) fn new(cuda: &Arc<CudaContext>) -> Result<Self> {
        Ok(Self {
            cuda: cuda.clone(),
            info: device_info(cuda.ordinal())?,
            private: OnceLock::new(),
            own: Mutex::default(),
            ordering: OnceLock::new(),
            pool: OnceLock::new(),
            landings: Mutex::default(),
            blind: Mutex::default(),
            faults: Mutex::default(),
        })
    }

    /// Returns the number of handles of cudarc's context that this context itself keeps.
    pub(super) fn handles(&self) -> usize {
        1 + [&self.private, &self.ordering].into_iter().filter(|stream| stream.get().is_some()).count()
    }

    /// Makes the context this thread's current one.
    pub(super) fn bind(&self) -> Result<()> {
        self.cuda.bind_to_thread().doing("selecting the device's context")
    }

    /// Returns a stream that no other device has.
    ///
    /// cudarc records two events a call for each buffer as soon as a context has a stream that cudarc created, to
    /// order the streams. A program with one device has one stream and needs none of that, so that stream is created
    /// here; every further one is cudarc's.
    pub(super) fn new_stream(&self) -> Result<Arc<CudaStream>> {
        self.bind()?;
        let _outside = OutsideCapture::enter()?;
        let mut own = lock(&self.own);
        let plain = match &*own {
            None => PlainStream::new()?,
            Some((plain, handle)) if handle.strong_count() == 0 => *plain,
            Some(_) => {
                let create = || self.cuda.new_stream().doing("creating a stream");
                if self.ordering.get().is_none() {
                    let _first = self.ordering.set(create()?);
                }
                return create();
            }
        };
        // SAFETY: the stream is of this context and lives as long, and the handle keeps the context alive.
        let handle = unsafe { self.cuda.wrap_borrowed_stream(plain.0) };
        *own = Some((plain, Arc::downgrade(&handle)));
        Ok(handle)
    }

    /// Returns the stream for commands that must not become part of a capture.
    pub(super) fn private_stream(&self) -> Result<&Arc<CudaStream>> {
        if let Some(stream) = self.private.get() {
            return Ok(stream);
        }
        let _outside = OutsideCapture::enter()?;
        let plain = PlainStream::new()?;
        // SAFETY: the stream is of this context, and is never destroyed before the context.
        let stream = unsafe { self.cuda.wrap_borrowed_stream(plain.0) };
        Ok(self.private.get_or_init(|| stream))
    }

    /// Returns uninitialised device memory of `bytes` bytes, which may be 0, usable in the order of `stream`, which is
    /// not being captured.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], when waiting for the device has freed too little; the device stays usable.
    pub(super) fn allocate(&self, bytes: usize, stream: CUstream) -> Result<CUdeviceptr> {
        let pool = self.pool()?;
        self.patiently(bytes, || take(pool, bytes, stream))
    }

    /// Returns memory like [`allocate`](Self::allocate), usable in the order of the private stream. This waits for
    /// nothing, so that it harms no capture.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; more may be free after [`reclaim`](Self::reclaim).
    pub(super) fn allocate_private(&self, bytes: usize) -> Result<CUdeviceptr> {
        let _outside = OutsideCapture::enter()?;
        explained(bytes, take(self.pool()?, bytes, self.private_stream()?.cu_stream()))
    }

    /// Frees allocated memory, after the commands enqueued on `stream`. Without stream-ordered memory this waits for
    /// them.
    pub(super) fn free(&self, address: CUdeviceptr, stream: CUstream) -> Result<()> {
        const DOING: &str = "freeing device memory";
        if self.cuda.has_async_alloc() {
            // SAFETY: the memory was allocated, and all uses of it are ordered before this.
            return unsafe { result::free_async(address, stream) }.doing(DOING);
        }
        let _outside = OutsideCapture::enter()?;
        // SAFETY: the stream `stream` exists.
        unsafe { result::stream::synchronize(stream) }.doing(DOING)?;
        // SAFETY: the memory was allocated, and the stream that used it has been waited for.
        unsafe { result::free_sync(address) }.doing(DOING)
    }

    /// Waits until memory that was freed in the order of any stream is free. While another thread captures a stream of
    /// the context, CUDA refuses to wait for all of them: then nothing is reclaimed.
    pub(super) fn reclaim(&self) -> Result<()> {
        let _outside = OutsideCapture::enter()?;
        // An error that ended the context is reported by the next call, too.
        let _refused = result::ctx::synchronize();
        if let Some(pool) = self.pool.get() {
            pool.trim();
        }
        Ok(())
    }

    /// Returns the bytes that the pool of the device's memory has and nobody uses.
    pub(super) fn pooled(&self) -> Result<usize> {
        let pool = self.pool.get();
        pool.map_or(Ok(0), |pool| pool.unused().doing("asking how much memory is free"))
    }

    /// Returns the result of `allocate`. If memory is short, waits for memory that is being freed and calls `allocate`
    /// once more.
    fn patiently(
        &self,
        bytes: usize,
        allocate: impl Fn() -> std::result::Result<CUdeviceptr, DriverError>,
    ) -> Result<CUdeviceptr> {
        // A request for more than the device's whole memory cannot succeed, so there is no wait for it.
        if bytes > self.info.memory {
            return Err(Error::OutOfMemory { bytes });
        }
        let _outside = OutsideCapture::enter()?;
        let mut allocated = allocate();
        if allocated.as_ref().is_err_and(is_full) {
            self.reclaim()?;
            allocated = allocate();
        }
        explained(bytes, allocated)
    }

    /// Returns the pool of the device's memory; none without stream-ordered memory.
    fn pool(&self) -> Result<Option<&Pool>> {
        if !self.cuda.has_async_alloc() {
            return Ok(None);
        }
        if let Some(pool) = self.pool.get() {
            return Ok(Some(pool));
        }
        let _outside = OutsideCapture::enter()?;
        let pool = Pool::new(self.info.ordinal, self.info.memory).doing("creating a pool of device memory")?;
        Ok(Some(self.pool.get_or_init(|| pool)))
    }

    /// Returns a landing (pinned memory for small results) that nobody else uses; none if the system locks no more
    /// pages. The context is current, outside of a capture. The user waits for all copies to the landing, and then
    /// [gives it back](Self::give_back).
    pub(super) fn landing(&self) -> Option<Landing> {
        let idle = lock(&self.landings).pop();
        idle.or_else(Landing::new)
    }

    /// Takes back a landing (pinned memory for small results) for its next user.
    ///
    /// # Safety
    /// The host has waited for all copies to the landing.
    pub(super) unsafe fn give_back(&self, mut landing: Landing) {
        // SAFETY: the host has waited for all copies to the landing, as `# Safety` requires.
        unsafe { landing.clear() };
        lock(&self.landings).push(landing);
    }

    /// Keeps a fault for the next wait for the stream with the handle `stream`, which has no device left to report it.
    pub(super) fn keep_fault(&self, stream: usize, fault: Error) {
        lock(&self.faults).entry(stream).or_insert(fault);
    }

    /// Returns the fault that was kept for `stream`, and forgets it.
    pub(super) fn kept_fault(&self, stream: CUstream) -> Result<()> {
        lock(&self.faults).remove(&stream.addr()).map_or(Ok(()), Err)
    }
}

/// Allocates `bytes` bytes from the pool; without a pool, directly from the device.
fn take(pool: Option<&Pool>, bytes: usize, stream: CUstream) -> std::result::Result<CUdeviceptr, DriverError> {
    let bytes = bytes.max(1);
    match pool {
        Some(pool) => pool.allocate(bytes, stream),
        // SAFETY: the memory is uninitialised, and callers write it before they read it.
        None => unsafe { result::malloc_sync(bytes) },
    }
}

fn is_full(error: &DriverError) -> bool {
    error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY
}

fn explained(bytes: usize, allocated: std::result::Result<CUdeviceptr, DriverError>) -> Result<CUdeviceptr> {
    match allocated {
        Err(error) if is_full(&error) => Err(Error::OutOfMemory { bytes }),
        allocated => allocated.doing("allocating device memory"),
    }
}

/// Returns the number of bytes of `len` elements.
///
/// # Errors
/// [`Error::OutOfMemory`] when the bytes exceed `isize::MAX`.
pub(super) fn bytes_of<T>(len: usize) -> Result<usize> {
    let bytes = len.saturating_mul(size_of::<T>());
    if isize::try_from(bytes).is_ok() { Ok(bytes) } else { Err(Error::OutOfMemory { bytes }) }
}

/// Handle of a CUDA stream that cudarc does not know.
#[derive(Clone, Copy)]
pub(super) struct PlainStream(CUstream);

// SAFETY: CUDA's stream handles may be used from any thread.
unsafe impl Send for PlainStream {}
// SAFETY: several threads may use CUDA's stream handles at once.
unsafe impl Sync for PlainStream {}

impl PlainStream {
    /// Creates a stream in the current context. It is never destroyed before the context: device arrays may still be
    /// freed in its order.
    pub(super) fn new() -> Result<Self> {
        result::stream::create(result::stream::StreamKind::NonBlocking).doing("creating a stream").map(Self)
    }

    /// Returns cudarc's handle of the stream, which is of the context `cuda`.
    pub(super) fn shared(self, cuda: &Arc<CudaContext>) -> Arc<CudaStream> {
        // SAFETY: the stream is of this context and lives as long, and the handle keeps the context alive.
        unsafe { cuda.wrap_borrowed_stream(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_exact_or_too_many() {
        const MOST: usize = isize::MAX as usize;
        assert_eq!(bytes_of::<u32>(0), Ok(0));
        assert_eq!(bytes_of::<[u8; 3]>(5), Ok(15));
        assert_eq!(bytes_of::<u8>(MOST), Ok(MOST));
        assert_eq!(bytes_of::<u32>(MOST / 4), Ok(MOST - 3));
        // Lengths of one byte more than is allowed, and lengths whose number of bytes would wrap to 0 and to a small
        // number.
        for (len, bytes) in [(MOST / 4 + 1, MOST + 1), (1 << 62, usize::MAX), (usize::MAX, usize::MAX)] {
            assert_eq!(bytes_of::<u32>(len), Err(Error::OutOfMemory { bytes }), "{len}");
        }
    }
}
