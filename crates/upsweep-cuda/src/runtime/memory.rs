//! Arrays in device memory: allocated, copied from and to the host, and borrowed by kernels.
//!
//! **Order between streams.** cudarc keeps two events with each of its buffers (its last read, its last write) and
//! orders streams by them. upsweep goes through cudarc's own calls, so that its use of a buffer is ordered with that of
//! every other library that does. Where cudarc keeps no events (its buffer's context has created no streams), and the
//! buffer is of another stream than the device's, the two streams are ordered as a whole.
//!
//! **In a capture** upsweep orders nothing: an event recorded outside of a capture must not be waited for in it, and
//! one recorded in it says nothing outside. The caller orders the graph's accesses with the rest of the program, as for
//! every graph.

use super::context::bytes_of;
use super::device::Cuda;
use super::driver::{self, Doing, OutsideCapture};
use super::wait::Wait;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{CUdeviceptr, CUresult};
use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop,
};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use upsweep_core::buffer::View;
use upsweep_core::error::{Error, Result};
use upsweep_core::memory;
use upsweep_core::operator::Element;

impl Cuda {
    /// Returns an uninitialised array of `len` elements, usable in the order of the device's stream.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; the device stays usable.
    pub fn allocate<T: Element>(&self, len: usize) -> Result<CudaSlice<T>> {
        let bytes = bytes_of::<T>(len)?;
        let context = self.context();
        context.bind()?;
        self.state.captures.sweep(context)?;
        let stream = self.stream();
        let address = if driver::of_stream(stream.cu_stream())?.is_none() {
            context.allocate(bytes, stream.cu_stream())?
        } else {
            // Memory that the capture allocated would belong to the graph, but this array belongs to the caller.
            let address = context.allocate_private(bytes)?;
            let _outside = OutsideCapture::enter()?;
            context.private_stream()?.synchronize().doing("allocating device memory")?;
            address
        };
        // SAFETY: the memory is new, and has room for `len` elements. Nothing reads it before it is written.
        unsafe { self.wrap(address, len) }
    }

    /// Returns an array of `len` elements on existing memory at `address`.
    ///
    /// # Safety
    /// The memory is exclusively the caller's, has room for the elements, and is not read before it is written.
    unsafe fn wrap<T>(&self, address: CUdeviceptr, len: usize) -> Result<CudaSlice<T>> {
        // cudarc panics when the driver makes no event for the array, which happens only if a context is lost, or on a
        // host without memory.
        let wrapped = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the memory is exclusively the caller's and has room for `len` elements, as `# Safety` requires.
            unsafe { self.stream().upgrade_device_ptr(address, len) }
        }));
        wrapped.map_err(|_| {
            let reason = "the driver makes no more events, as after an error that ended the context";
            Error::Driver { doing: "allocating device memory", reason: reason.to_owned() }
        })
    }

    /// Returns one value that the kernels of `compute` store. They store it in pinned host memory: a copy would take
    /// some microseconds more, while the device idles.
    ///
    /// # Errors
    /// Errors of `compute`, and of what it enqueued.
    pub fn compute_one<T: Element>(&self, compute: impl FnOnce(CudaViewMut<'_, T>) -> Result<()>) -> Result<T> {
        const DOING: &str = "waiting for a result";
        let (context, stream) = (self.context(), self.stream());
        context.bind()?;
        let _outside = OutsideCapture::enter()?;
        let landing = context.landing().and_then(|mut landing| {
            let (address, range) = landing.room(size_of::<T>())?;
            Some((landing, address, range))
        });
        let Some((landing, address, range)) = landing else {
            let mut array = self.allocate(1)?;
            compute(array.as_view_mut())?;
            return download(&array)?.first().copied().ok_or(Error::Length { what: "output", found: 0, expected: 1 });
        };
        // SAFETY: `address` has room for one value, in a landing (pinned memory) that only this call uses.
        let mut one = ManuallyDrop::new(unsafe { self.wrap(address, 1) }?);
        let computed = compute(one.as_view_mut());
        ManuallyDrop::into_inner(one).leak();
        // After an error kernels may still store in the landing (pinned memory), so it is not given back for other
        // uses.
        computed?;
        let over = Wait::new(stream, DOING)?.wait()?;
        // SAFETY: the stream has been waited for, and without a fault the kernel has stored a value.
        let stored = || unsafe { landing.landed(range).as_ptr().cast::<T>().read_unaligned() };
        let value = over.faults().map(|()| stored());
        // SAFETY: the stream has been waited for, so no kernel stores in the landing any more.
        unsafe { context.give_back(landing) };
        value
    }

    /// Copies `host` to the device; when this returns, `host` is not read any more.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; the device stays usable.
    pub fn upload<T: Element>(&self, host: &[T]) -> Result<CudaSlice<T>> {
        const DOING: &str = "copying an array to the device";
        self.refuse_in_capture(DOING)?;
        // Another thread's capture is not disturbed by this stream's copies and waits.
        let _outside = OutsideCapture::enter()?;
        let mut array = self.allocate(host.len())?;
        if !host.is_empty() {
            let (address, _write) = array.device_ptr_mut(self.stream());
            // SAFETY: `array` has the length of `host`, which outlives the copy because the stream is waited for. (CUDA
            // itself waits for the stream before it copies pageable memory, so this costs next to nothing.)
            unsafe { result::memcpy_htod_async(address, host, self.stream().cu_stream()) }.doing(DOING)?;
        }
        self.stream().synchronize().doing(DOING)?;
        Ok(array)
    }

    /// Waits for everything enqueued on the device's stream.
    ///
    /// # Errors
    /// First error of the enqueued commands: [`Error::Offsets`] from the data, [`Error::Driver`] from CUDA.
    pub fn synchronize(&self) -> Result<()> {
        const DOING: &str = "waiting for the device";
        self.context().bind()?;
        self.refuse_in_capture(DOING)?;
        let _outside = OutsideCapture::enter()?;
        Wait::new(self.stream(), DOING)?.wait()?.faults()
    }

    /// Checks that the device's stream is not being captured, for an operation that a capture cannot contain.
    ///
    /// # Errors
    /// [`Error::Driver`] when the device's stream is being captured.
    pub fn refuse_in_capture(&self, doing: &'static str) -> Result<()> {
        self.context().bind()?;
        refuse_in_capture(self.stream(), doing)
    }

    /// Returns the address of an input, for kernels enqueued on the device's stream until the loan is dropped.
    ///
    /// # Errors
    /// [`Error::Place`] when it is on the host, [`Error::Device`] when it belongs to another GPU.
    pub(crate) fn read<'a, T>(&'a self, what: &'static str, view: &'a View<'_, T>) -> Result<(CUdeviceptr, Loan<'a>)> {
        let View::Cuda(view) = view else {
            return Err(Error::Place { what, found: "host", expected: "CUDA" });
        };
        match self.order(what, view.stream())? {
            Order::Nothing => Ok((self.address(view)?, Loan::default())),
            order => {
                let (address, sync) = view.device_ptr(self.stream());
                self.lend(address, sync, order)
            }
        }
    }

    /// Returns the address of an output, or of an array that is computed in place, for kernels enqueued on the device's
    /// stream until the loan is dropped.
    ///
    /// # Errors
    /// [`Error::Device`] when it belongs to another GPU.
    pub(crate) fn write<'a, T>(
        &'a self,
        what: &'static str,
        view: &'a mut CudaViewMut<'_, T>,
    ) -> Result<(CUdeviceptr, Loan<'a>)> {
        // The stream outlives the view, but only a clone shows the compiler that.
        let stream = view.stream().clone();
        match self.order(what, &stream)? {
            Order::Nothing => Ok((self.address(view)?, Loan::default())),
            order => {
                let (address, sync) = view.device_ptr_mut(self.stream());
                self.lend(address, sync, order)
            }
        }
    }

    fn lend<'a>(&'a self, address: CUdeviceptr, sync: SyncOnDrop<'a>, order: Order) -> Result<(CUdeviceptr, Loan<'a>)> {
        // cudarc does not return a failure to wait for its events, but keeps it in the handle of the context.
        self.stream().context().check_err().doing("waiting for other uses of a buffer")?;
        let other = match order {
            Order::Streams(other) => Some((self.stream(), other)),
            Order::Nothing | Order::Events => None,
        };
        Ok((address, Loan { _sync: Some(sync), other }))
    }

    /// Returns how this device's use of a buffer is ordered with other uses of it on `stream`, the buffer's own stream.
    /// If cudarc does not order them, makes this device's stream wait for `stream`.
    fn order(&self, what: &'static str, stream: &Arc<CudaStream>) -> Result<Order> {
        let (mine, theirs) = (self.stream().context(), stream.context());
        if mine.cu_ctx() != theirs.cu_ctx() {
            let place = |context: &CudaContext| if context.is_primary() { "" } else { ", in a context of its own" };
            let reason = format!(
                "the {what} is in the memory of GPU {}{} and the device is GPU {}{}",
                theirs.ordinal(),
                place(theirs),
                mine.ordinal(),
                place(mine),
            );
            return Err(Error::Device { reason });
        }
        self.context().bind()?;
        if driver::of_stream(self.stream().cu_stream())?.is_some() {
            return Ok(Order::Nothing);
        }
        let events = mine.is_managing_stream_synchronization() && theirs.is_managing_stream_synchronization();
        let captured = || Ok(driver::of_stream(stream.cu_stream())?.is_some());
        // Waiting for a stream that is being captured would draw this stream into that capture.
        if events || stream.cu_stream() == self.stream().cu_stream() || captured()? {
            return Ok(Order::Events);
        }
        self.stream().join(stream).doing("waiting for another stream")?;
        Ok(Order::Streams(stream.clone()))
    }

    /// Returns a buffer's address, without any effect on streams and events.
    ///
    /// cudarc returns an address only together with a wait for the buffer's events, on a stream of the caller's choice.
    /// It keeps the first failure of such a wait in that stream's context handle, and fails the next wait with it
    /// before it calls the driver. So this function passes a stream of a handle that holds a failure.
    fn address<T>(&self, buffer: &impl DevicePtr<T>) -> Result<CUdeviceptr> {
        let mut blind = driver::lock(&self.context().blind);
        let stream = match &mut *blind {
            Some(stream) => stream,
            none => {
                let _outside = OutsideCapture::enter()?;
                let handle = CudaContext::new(self.context().cuda.ordinal()).doing("preparing for a stream capture")?;
                none.insert(handle.default_stream())
            }
        };
        stream.context().record_err::<()>(Err(DriverError(CUresult::CUDA_ERROR_UNKNOWN)));
        let (address, _no_events) = buffer.device_ptr(stream);
        drop(_no_events);
        // Making the handle may have made another context than this one current.
        self.context().bind()?;
        Ok(address)
    }
}

impl Cuda {
    /// Copies numbers at `address` to `numbers`, once they are computed.
    pub(crate) fn read_u64s(&self, address: CUdeviceptr, numbers: &mut [u64]) -> Result<()> {
        const DOING: &str = "reading numbers from the device";
        self.refuse_in_capture(DOING)?;
        let _outside = OutsideCapture::enter()?;
        let stream = self.stream();
        if !numbers.is_empty() {
            // SAFETY: the caller's scratch has the numbers, which are waited for before `numbers` can be dropped.
            unsafe { copy_to_host(numbers.as_mut_ptr(), address, size_of_val(numbers), stream) }.doing(DOING)?;
        }
        stream.synchronize().doing(DOING)
    }
}

/// Ordering between uses of one buffer on two streams.
enum Order {
    /// The caller orders the uses: this device's stream is being captured.
    Nothing,
    /// cudarc orders the uses, by the events that it keeps with the buffer. This is also the answer if both streams are
    /// the same, or if the buffer's stream is being captured.
    Events,
    /// upsweep orders the uses: the buffer's stream waits for the device's stream once the kernels are enqueued.
    Streams(Arc<CudaStream>),
}

/// Use of a buffer by kernels that are being enqueued. It is dropped when they are enqueued, and then orders other uses
/// after them.
#[derive(Debug, Default)]
#[must_use = "the buffer is in use until the loan is dropped, after the kernels are enqueued"]
pub(crate) struct Loan<'a> {
    _sync: Option<SyncOnDrop<'a>>,
    other: Option<(&'a Arc<CudaStream>, Arc<CudaStream>)>,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        if let Some((mine, other)) = &self.other {
            // cudarc reports a failure in a drop at its next call, so the failure is left in the context's handle for
            // cudarc.
            mine.context().record_err(other.join(mine));
        }
    }
}

fn refuse_in_capture(stream: &CudaStream, doing: &'static str) -> Result<()> {
    if driver::of_stream(stream.cu_stream())?.is_none() {
        return Ok(());
    }
    let reason = "the stream is being captured into a graph, which cannot wait for the host: do this before or after";
    Err(Error::Driver { doing, reason: reason.to_owned() })
}

/// Returns the elements of `array` on the host, once they are computed.
pub fn download<T: Element>(array: &CudaSlice<T>) -> Result<Vec<T>> {
    let mut host = memory::room(array.len())?;
    // SAFETY: there is room for the elements.
    unsafe { land(array, host.as_mut_ptr()) }?;
    // SAFETY: the copy is done, and every value that kernels store is a valid value of its type.
    unsafe { host.set_len(array.len()) };
    Ok(host)
}

/// Copies the elements of `array` to `host`, once they are computed.
pub fn download_to<T: Element>(array: &CudaSlice<T>, host: &mut [T]) -> Result<()> {
    let (found, expected) = (host.len(), array.len());
    if found != expected {
        return Err(Error::Length { what: "host memory", found, expected });
    }
    // SAFETY: there is room for the elements, and every value that kernels store is a valid value of its type.
    unsafe { land(array, host.as_mut_ptr()) }
}

/// Copies the elements of `array` to `host`, once they are computed.
///
/// # Safety
/// `host` has room for them.
unsafe fn land<T: Element>(array: &CudaSlice<T>, host: *mut T) -> Result<()> {
    const DOING: &str = "copying an array to the host";
    let stream = array.stream();
    stream.context().bind_to_thread().doing(DOING)?;
    refuse_in_capture(stream, DOING)?;
    let _outside = OutsideCapture::enter()?;
    let bytes = array.num_bytes();
    let mut wait = Wait::new(stream, DOING)?;
    let mut lands = None;
    if bytes > 0 {
        let (address, _read) = array.device_ptr(stream);
        stream.context().check_err().doing("waiting for other uses of a buffer")?;
        // SAFETY: the array lives as long as this call, which waits for the stream.
        lands = unsafe { wait.copy(address, bytes) }?;
        if lands.is_none() {
            // SAFETY: `host` has room for the elements, and the stream is waited for before the caller can free it: by the
            // next statement, or, if enqueuing the copy fails, there is no copy.
            unsafe { copy_to_host(host, address, bytes, stream) }.doing(DOING)?;
        }
    }
    let over = wait.wait()?;
    if let Some(range) = lands {
        // SAFETY: `host` has room for `bytes` bytes, and the landing has the bytes of all elements.
        unsafe { host.cast::<u8>().copy_from_nonoverlapping(over.landed(range).as_ptr(), bytes) };
    }
    over.faults()
}

/// Enqueues a copy of `bytes` bytes of device memory to pageable host memory.
///
/// # Safety
/// `host` is good for `bytes` bytes until `stream` has been waited for, and `address` for as many.
unsafe fn copy_to_host<T>(
    host: *mut T,
    address: CUdeviceptr,
    bytes: usize,
    stream: &CudaStream,
) -> std::result::Result<(), DriverError> {
    // SAFETY: both addresses are good for `bytes` bytes until the stream has been waited for, as `# Safety` requires.
    unsafe { cudarc::driver::sys::cuMemcpyDtoHAsync_v2(host.cast(), address, bytes, stream.cu_stream()) }.result()
}
