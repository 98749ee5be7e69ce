//! The device that computes, and what can be said of all of them.

use crate::args::DeviceChoice;
use crate::failure::{Failure, Result, one_line};
use std::io::Write;
use upsweep::{Array, Device, Element, Input, View};

/// A device that is ready to compute.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) device: Device,
    pub(crate) on_host: bool,
    /// What a summary calls it.
    pub(crate) label: String,
}

impl Chosen {
    pub(crate) fn open(choice: DeviceChoice) -> Result<Self> {
        let failed =
            |e: upsweep::Error| Failure::Run(format!("--device {}: {}", option(choice), one_line(&e.to_string())));
        let device = match choice {
            DeviceChoice::Auto => Device::best().map_err(failed)?,
            DeviceChoice::Cpu => Device::cpu(),
            #[cfg(feature = "cuda")]
            DeviceChoice::Cuda(ordinal) => Device::cuda(ordinal).map_err(failed)?,
            #[cfg(not(feature = "cuda"))]
            DeviceChoice::Cuda(_) => {
                return Err(Failure::Run("--device cuda: this upsweep was built without CUDA".to_owned()));
            }
        };
        let on_host = matches!(device.upload(&[0u8]).map_err(failed)?.view(), View::Host(_));
        let label = match (on_host, choice) {
            (true, _) => format!("cpu, {}", threads()),
            (false, DeviceChoice::Cuda(ordinal)) => format!("cuda:{ordinal}"),
            (false, _) => "cuda:0".to_owned(),
        };
        Ok(Self { device, on_host, label })
    }

    /// Moves values to where the device computes.
    pub(crate) fn store<T: Element>(&self, values: Vec<T>, name: &str) -> Result<Store<T>> {
        if self.on_host {
            return Ok(Store::Host(values));
        }
        self.device.upload(&values).map(Store::Device).map_err(|e| Failure::computing(name, &e))
    }
}

/// Values where a device computes.
#[derive(Debug)]
pub(crate) enum Store<T> {
    Host(Vec<T>),
    Device(Array<T>),
}

impl<T: Element> Store<T> {
    pub(crate) fn view(&self) -> View<'_, T> {
        match self {
            Self::Host(values) => values.view(),
            Self::Device(values) => values.view(),
        }
    }
}

fn option(choice: DeviceChoice) -> String {
    match choice {
        DeviceChoice::Auto => "auto".to_owned(),
        DeviceChoice::Cpu => "cpu".to_owned(),
        DeviceChoice::Cuda(ordinal) => format!("cuda:{ordinal}"),
    }
}

pub(crate) fn threads() -> String {
    match rayon::current_num_threads() {
        1 => "1 thread".to_owned(),
        n => format!("{n} threads"),
    }
}

/// Prints every device.
pub(crate) fn list(out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "cpu      {}, {}", threads(), std::env::consts::ARCH)?;
    #[cfg(feature = "cuda")]
    {
        let survey = upsweep::cuda::survey();
        match survey.devices {
            Ok(devices) => {
                for device in devices {
                    let (major, minor) = device.compute_capability;
                    let gib = device.memory as f64 / f64::from(1 << 30);
                    let (ordinal, name, units) = (device.ordinal, device.name, device.multiprocessors);
                    writeln!(
                        out,
                        "cuda:{ordinal}   {name}, {units} multiprocessors, {gib:.0} GiB, compute capability {major}.{minor}"
                    )?;
                }
            }
            Err(error) => writeln!(out, "cuda     none: {}", one_line(&error.to_string()))?,
        }
        match survey.nvrtc {
            Ok((major, minor)) => writeln!(out, "nvrtc    {major}.{minor}")?,
            Err(reason) => writeln!(out, "nvrtc    none: {}", one_line(&reason))?,
        }
    }
    #[cfg(not(feature = "cuda"))]
    writeln!(out, "cuda     none: this upsweep was built without CUDA")?;
    Ok(())
}
