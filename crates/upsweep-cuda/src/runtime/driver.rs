//! CUDA driver library: loading, error messages, properties of devices, and whether a stream is being captured.

use crate::library;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUgraph, CUresult, CUstream, CUstreamCaptureStatus};
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use upsweep_core::error::{Error, Result};

/// Functions of the driver that upsweep calls, itself or through cudarc. cudarc panics when one is missing (an old
/// driver), so they are looked up once, before anything else.
const FUNCTIONS: &[&str] = &[
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventRecord",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGraphRetainUserObject",
    "cuInit",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cuMemAllocAsync",
    "cuMemAllocFromPoolAsync",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFree_v2",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD32Async",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuOccupancyMaxActiveClusters",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamGetCaptureInfo_v3",
    "cuStreamIsCapturing",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
    "cuThreadExchangeStreamCaptureMode",
    "cuUserObjectCreate",
];

/// Loads and initialises the driver, once a process.
pub(super) fn load() -> Result<()> {
    static LOADED: OnceLock<std::result::Result<(), String>> = OnceLock::new();
    LOADED.get_or_init(try_load).clone().map_err(|reason| Error::Device { reason })
}

fn try_load() -> std::result::Result<(), String> {
    // SAFETY: loading the driver runs its initialisers, as intended.
    if !unsafe { sys::is_culib_present() } {
        let names = library::names(if cfg!(windows) { "nvcuda" } else { "cuda" });
        return Err(format!("NVIDIA's CUDA driver is not installed: none of the libraries {names} can be loaded"));
    }
    // SAFETY: the library is present, so this does not panic.
    let library = unsafe { sys::culib() };
    for name in FUNCTIONS {
        // SAFETY: the symbol is only looked for, never called at this type.
        if unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_err() {
            return Err(format!(
                "the CUDA driver is too old (it has no function {name}): CUDA 12.3 or newer is needed"
            ));
        }
    }
    result::init().map_err(|error| format!("the CUDA driver does not start: {}", describe(error)))
}

/// Returns the number of CUDA devices of this machine.
pub(super) fn device_count() -> Result<usize> {
    load()?;
    let count = result::device::get_count().doing("counting the CUDA devices")?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Returns the driver's own description of a failure.
pub(super) fn describe(error: DriverError) -> String {
    let word = |text: std::result::Result<&std::ffi::CStr, DriverError>| {
        text.map_or_else(|_| format!("{:?}", error.0), |text| text.to_string_lossy().into_owned())
    };
    let mut reason = format!("{}: {}", word(error.error_name()), word(error.error_string()));
    if is_sticky(error.0) {
        let _infallible = write!(
            reason,
            " (an earlier kernel on this GPU went wrong, perhaps another library's; CUDA refuses every further call of \
             this process on this GPU: start it again)"
        );
    }
    reason
}

/// Returns whether `error` has destroyed the context: every later call in it fails in the same way.
fn is_sticky(error: CUresult) -> bool {
    matches!(
        error,
        CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
            | CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_ASSERT
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
    )
}

/// Conversion of a result of the driver, whose error becomes upsweep's.
pub(super) trait Doing<T> {
    /// Returns the result, or an error that says what was being done: `doing`, as "copying an array to the device".
    fn doing(self, doing: &'static str) -> Result<T>;
}

impl<T> Doing<T> for std::result::Result<T, DriverError> {
    fn doing(self, doing: &'static str) -> Result<T> {
        self.map_err(|error| Error::Driver { doing, reason: describe(error) })
    }
}

/// Guard under which this thread may allocate, load modules and synchronise other streams even though some stream of
/// the process is being captured into a graph. The calls made meanwhile must not be meant for that graph.
pub(super) struct OutsideCapture(sys::CUstreamCaptureMode);

impl OutsideCapture {
    pub(super) fn enter() -> Result<Self> {
        let mut mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: `mode` is valid for reading and writing; the call swaps it with the thread's own mode.
        unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) }.result().doing("leaving a stream capture")?;
        Ok(Self(mode))
    }
}

impl Drop for OutsideCapture {
    fn drop(&mut self) {
        // SAFETY: `self.0` is valid for reading and writing; it is the mode that the thread had. Failing twice in a row
        // has no remedy.
        let _ = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut self.0) };
    }
}

/// Locks `mutex`, also if a thread panicked while it held the lock. Such a thread left the data usable, as no code here
/// panics between two changes.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Properties of a CUDA device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Number of the device: the argument of `Device::cuda`.
    pub ordinal: usize,
    /// Name of the device.
    pub name: String,
    /// Compute capability, as (major, minor).
    pub compute_capability: (u32, u32),
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Largest number of bytes of shared memory that one block can have.
    pub shared_memory_per_block: u32,
    /// Memory of the device in bytes.
    pub memory: usize,
}

/// Returns the driver's information about one device.
pub(super) fn device_info(ordinal: usize) -> Result<DeviceInfo> {
    use sys::CUdevice_attribute as Attribute;
    const DOING: &str = "asking for a device's properties";
    let count = device_count()?;
    let device = match i32::try_from(ordinal) {
        Ok(number) if ordinal < count => result::device::get(number).doing(DOING)?,
        _ => return Err(Error::Device { reason: format!("there is no CUDA device {ordinal}: {count} found") }),
    };
    let attribute = |attribute| {
        // SAFETY: `device` is a device of the driver's.
        let value = unsafe { result::device::get_attribute(device, attribute) }.doing(DOING)?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    Ok(DeviceInfo {
        ordinal,
        name: result::device::get_name(device).doing(DOING)?,
        compute_capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        shared_memory_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        // SAFETY: `device` is a device of the driver's.
        memory: unsafe { result::device::total_mem(device) }.doing(DOING)?,
    })
}

/// Capture that is in progress: commands of some streams are being recorded into a graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capture {
    pub(super) id: u64,
    pub(super) graph: CUgraph,
}

/// Returns the capture that `stream` takes part in, if any.
pub(super) fn of_stream(stream: CUstream) -> Result<Option<Capture>> {
    const DOING: &str = "asking whether the stream is being captured";
    let refused = |reason: &str| Err(Error::Driver { doing: DOING, reason: reason.to_owned() });
    // SAFETY: the stream `stream` exists.
    match unsafe { result::stream::is_capturing(stream) }.doing(DOING)? {
        CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE => Ok(None),
        CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_INVALIDATED => refused("an earlier error ended the capture"),
        CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE => {
            let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
            let (mut id, mut graph) = (0, std::ptr::null_mut());
            // The query also asks for the data of the dependencies: without that it is an error where dependencies have
            // data.
            let (mut dependencies, mut data, mut count) = (std::ptr::null(), std::ptr::null(), 0);
            // SAFETY: the stream `stream` exists, and every pointer is valid for writing.
            unsafe {
                sys::cuStreamGetCaptureInfo_v3(
                    stream,
                    &mut status,
                    &mut id,
                    &mut graph,
                    &mut dependencies,
                    &mut data,
                    &mut count,
                )
            }
            .result()
            .doing(DOING)?;
            Ok(Some(Capture { id, graph }))
        }
    }
}
