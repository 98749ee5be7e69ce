//! What CUDA offers on this machine.

use super::driver::{DeviceInfo, Doing, device_count, device_info, load};
use crate::compile::nvrtc_survey;
use cudarc::driver::sys;
use upsweep_core::error::Result;

/// What CUDA offers on this machine: what `upsweep devices` prints.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Survey {
    /// The newest CUDA version that the driver supports, as (major, minor).
    pub driver_version: Option<(u32, u32)>,
    /// NVRTC's version as (major, minor), or why there is none and what brings it.
    pub nvrtc: std::result::Result<(u32, u32), String>,
    /// Where NVRTC was looked for, a line for each place; what was taken comes last.
    pub nvrtc_tried: Vec<String>,
    /// The devices, or why there are none.
    pub devices: Result<Vec<DeviceInfo>>,
}

/// Looks for the driver, NVRTC and the devices; creates no context.
#[must_use]
pub fn survey() -> Survey {
    let devices = device_count().and_then(|count| (0..count).map(device_info).collect());
    let (nvrtc, tried) = nvrtc_survey();
    Survey { driver_version: driver_version().ok(), nvrtc, nvrtc_tried: tried.to_vec(), devices }
}

fn driver_version() -> Result<(u32, u32)> {
    load()?;
    let mut version = 0;
    // SAFETY: `version` is valid for writing.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result().doing("asking for the driver's version")?;
    let version = u32::try_from(version).unwrap_or(0);
    Ok((version / 1000, version % 1000 / 10))
}
