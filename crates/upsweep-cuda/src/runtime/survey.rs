//! Survey of this machine: CUDA's driver, NVRTC and the devices.

use super::driver::{DeviceInfo, Doing, device_count, device_info, load};
use crate::compile::nvrtc_survey;
use cudarc::driver::sys;
use upsweep_core::error::Result;

/// Driver, NVRTC and devices of this machine, as `upsweep devices` prints them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Survey {
    /// Newest CUDA version that the driver supports, as (major, minor).
    pub driver_version: Option<(u32, u32)>,
    /// NVRTC's version as (major, minor), or why there is none and how to install it.
    pub nvrtc: std::result::Result<(u32, u32), String>,
    /// Line for each place where NVRTC was looked for. If it was found, the last line names its file.
    pub nvrtc_tried: Vec<String>,
    /// Devices, or why there are none.
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
