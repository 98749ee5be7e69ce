//! What a record says of a CUDA GPU and of what drives it.

use crate::Outcome;
use cudarc::driver::CudaContext;
use cudarc::driver::sys::{CUdevice_attribute, cuDriverGetVersion};

/// The GPU's name and size.
///
/// # Errors
/// The driver does not tell.
pub fn machine(context: &CudaContext) -> Outcome<String> {
    let multiprocessors = context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    Ok(format!("{}, {multiprocessors} SMs", context.name()?))
}

/// The driver's, CUDA's and NVRTC's versions, once a context and a module exist.
#[must_use]
pub fn versions() -> String {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let is_version = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    let driver = text.split_whitespace().find(is_version).unwrap_or("unknown").to_owned();
    let mut cuda = 0;
    // SAFETY: the pointer is valid for writing. The driver is loaded: a context exists. A failure leaves the zero.
    let _left = unsafe { cuDriverGetVersion(&mut cuda) };
    let (major, minor) = upsweep::cuda::survey().nvrtc.unwrap_or_default();
    format!(", driver {driver}, CUDA {}.{}, NVRTC {major}.{minor}", cuda / 1000, cuda % 1000 / 10)
}
