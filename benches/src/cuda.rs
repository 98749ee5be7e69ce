//! Description of a CUDA GPU and its software, for a record's header.

use crate::Outcome;
use cudarc::driver::CudaContext;
use cudarc::driver::sys::{CUdevice_attribute, cuDriverGetVersion};

/// Returns the GPU's name and number of multiprocessors.
///
/// # Errors
/// The driver does not return a property.
pub fn machine(context: &CudaContext) -> Outcome<String> {
    let multiprocessors = context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    Ok(format!("{}, {multiprocessors} SMs", context.name()?))
}

/// Returns the versions of the driver, CUDA and NVRTC, once a context and a module exist.
#[must_use]
pub fn versions() -> String {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let is_version = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    let driver = text.split_whitespace().find(is_version).unwrap_or("unknown").to_owned();
    let mut cuda = 0;
    // SAFETY: `cuda` is valid for writing. The driver is loaded, as a context exists. A failure leaves the number 0.
    let _left = unsafe { cuDriverGetVersion(&mut cuda) };
    let (major, minor) = upsweep::cuda::survey().nvrtc.unwrap_or_default();
    format!(", driver {driver}, CUDA {}.{}, NVRTC {major}.{minor}", cuda / 1000, cuda % 1000 / 10)
}
