//! First use of a kernel: the latency of the scan in a process that scans once. A process has only one first use, so
//! each is a process of its own. It reports the time from the call until its result is there, on a device and buffers
//! that are ready before.

use crate::gpu::Gpu;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use upsweep::prelude::*;
use upsweep_bench::{Outcome, median};

/// Argument with which this program runs one first use and ends.
pub(crate) const ARGUMENT: &str = "first-use";
const LOG2N: u32 = 16;
const PROCESSES: usize = 7;

/// Measures first uses with an empty disk cache, and with one that has the kernel.
pub(crate) fn bench(gpu: &mut Gpu) -> Outcome {
    let (compiled, loaded) = ("first_use_compiled", "first_use_from_disk");
    if !gpu.wants::<i32>(compiled) && !gpu.wants::<i32>(loaded) {
        return Ok(());
    }
    let mut times = (Vec::new(), Vec::new());
    for process in 0..PROCESSES {
        let cache = Folder(std::env::temp_dir().join(format!("upsweep-first-use-{}-{process}", std::process::id())));
        times.0.push(first_use(&cache.0)?);
        times.1.push(first_use(&cache.0)?);
    }
    gpu.waited::<i32>("upsweep", compiled, 1 << LOG2N, median(times.0))?;
    gpu.waited::<i32>("upsweep", loaded, 1 << LOG2N, median(times.1))
}

/// Folder of a disk cache, which is removed when this is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _no_remedy = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the microseconds that a first use takes in a process of its own, with the disk cache in the folder `cache`.
fn first_use(cache: &Path) -> Outcome<f64> {
    let mut process = Command::new(std::env::current_exe()?);
    let output = process.arg(ARGUMENT).env("UPSWEEP_CACHE_DIR", cache).output()?;
    let (told, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    told.trim().parse().map_err(|_| format!("{ARGUMENT}: {}", complaint.trim()).into())
}

/// Runs one first use, and prints its time: what the process of `first_use` does.
pub(crate) fn process() -> Outcome {
    let device = Device::cuda(0)?;
    let n = 1 << LOG2N;
    let input = device.upload(&vec![1i32; n])?;
    let mut output = device.filled(n, 0i32)?;
    device.synchronize()?;
    let start = Instant::now();
    Scan::new(Sum).run(&device, &input, &mut output)?;
    device.synchronize()?;
    let micros = start.elapsed().as_secs_f64() * 1e6;
    let last = output.to_vec()?.pop();
    if last.and_then(|last| usize::try_from(last).ok()) != Some(n) {
        return Err(format!("the last of {n} running totals of ones is {last:?}").into());
    }
    println!("{micros}");
    Ok(())
}
