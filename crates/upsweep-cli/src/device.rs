//! Device that computes, and the list of all devices for the command `devices`.

use crate::failure::{Failure, Result, one_line};
use std::io::Write;
use upsweep::Device;

/// Device that the option `--device` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceChoice {
    Auto,
    Cpu,
    Cuda(usize),
}

pub(crate) fn parse_device(text: &str) -> std::result::Result<DeviceChoice, String> {
    match text {
        "auto" => Ok(DeviceChoice::Auto),
        "cpu" => Ok(DeviceChoice::Cpu),
        "cuda" => Ok(DeviceChoice::Cuda(0)),
        _ => text
            .strip_prefix("cuda:")
            .and_then(|ordinal| ordinal.parse().ok())
            .map(DeviceChoice::Cuda)
            .ok_or_else(|| "the devices are auto, cpu, cuda and cuda:N".to_owned()),
    }
}

/// What a command does with its values, by which `auto` chooses between the CPU and a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// A pass or two over values that come from a file: the CPU's cores are done before a GPU has them all.
    Pass,
    /// More work for each value than the way to a GPU and back is.
    Computation,
}

impl Work {
    /// Returns why `auto` chooses as it does.
    fn reason(self) -> &'static str {
        match self {
            Self::Pass => "auto: values from a file go through the CPU once, sooner than to a GPU and back",
            Self::Computation => "auto: a GPU if one answers, as the work is more than the way there and back",
        }
    }
}

/// Device that is ready to compute.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) device: Device,
    pub(crate) on_host: bool,
    /// Name of the device in summaries.
    pub(crate) label: String,
}

impl Chosen {
    pub(crate) fn open(choice: DeviceChoice, work: Work) -> Result<Self> {
        let failed =
            |e: upsweep::Error| Failure::Run(format!("--device {}: {}", option(choice), one_line(&e.to_string())));
        let device = match choice {
            DeviceChoice::Auto if work == Work::Pass => Device::cpu(),
            DeviceChoice::Auto => Device::best().map_err(failed)?,
            DeviceChoice::Cpu => Device::cpu(),
            #[cfg(feature = "cuda")]
            DeviceChoice::Cuda(ordinal) => Device::cuda(ordinal).map_err(failed)?,
            #[cfg(not(feature = "cuda"))]
            DeviceChoice::Cuda(_) => {
                return Err(Failure::Run("--device cuda: this upsweep was built without CUDA".to_owned()));
            }
        };
        #[cfg(feature = "cuda")]
        let on_host = device.as_cuda().is_none();
        #[cfg(not(feature = "cuda"))]
        let on_host = true;
        let label = match (on_host, choice) {
            (true, _) => format!("cpu, {}", crate::threads::started()),
            (false, DeviceChoice::Cuda(ordinal)) => format!("cuda:{ordinal}"),
            (false, _) => "cuda:0".to_owned(),
        };
        Ok(Self { device, on_host, label })
    }

    /// Returns the line of `upsweep explain` that names the device, and says why it was chosen.
    pub(crate) fn described(&self, choice: DeviceChoice, work: Work) -> String {
        let why = if choice == DeviceChoice::Auto { format!(" ({})", work.reason()) } else { String::new() };
        format!("device    {}{why}", self.label)
    }
}

fn option(choice: DeviceChoice) -> String {
    match choice {
        DeviceChoice::Auto => "auto".to_owned(),
        DeviceChoice::Cpu => "cpu".to_owned(),
        DeviceChoice::Cuda(ordinal) => format!("cuda:{ordinal}"),
    }
}

/// Prints every device.
pub(crate) fn list(out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "cpu      {}, {}", crate::threads::started(), std::env::consts::ARCH)?;
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
            Ok((major, minor)) => {
                writeln!(out, "nvrtc    {major}.{minor}, looked for in this order:")?;
                for place in survey.nvrtc_tried {
                    writeln!(out, "         {}", one_line(&place))?;
                }
            }
            Err(reason) => writeln!(out, "nvrtc    none: {}", one_line(&reason))?,
        }
    }
    #[cfg(not(feature = "cuda"))]
    writeln!(out, "cuda     none: this upsweep was built without CUDA")?;
    Ok(())
}
