//! Command `lab race`: every algorithm's kernels on one GPU, beside a copy and the library.

use super::args::RaceArgs;
use super::report::{takes_standard_output, write};
use crate::device::DeviceChoice;
use crate::failure::{Failure, Result, one_line};
use crate::output::Destination;
use crate::print::print_lines;
use crate::progress::Progress;
use std::fmt::Write;
use upsweep_lab::algorithms::{ALGORITHMS, with_second_forms};
use upsweep_lab::gpu::{self, Gpu, Lap};
use upsweep_lab::show::plot::{self, Speed};

/// Maximum number of elements, of 4 bytes each. The memory of the GPU also holds what the algorithms need temporarily.
const MOST: usize = 1 << 31;

/// Runs `upsweep lab race`.
pub(super) fn run(args: &RaceArgs) -> Result<()> {
    let outputs = Destination::several([("--csv", &args.csv), ("--svg", &args.svg)])?;
    let [csv, svg] = &outputs;
    if let Some(n) = args.n.0.iter().find(|&&n| n > MOST) {
        return Err(Failure::Input(format!("{n} elements: a race has {MOST} at most")));
    }
    if args.n.0.contains(&0) {
        return Err(Failure::Input("0 elements: a race has 1 at least".to_owned()));
    }
    let ordinal = match args.device {
        DeviceChoice::Auto => 0,
        DeviceChoice::Cuda(ordinal) => ordinal,
        DeviceChoice::Cpu => {
            return Err(Failure::Input("--device cpu: the race is one of CUDA kernels".to_owned()));
        }
    };
    let failed = |error: gpu::Error| Failure::Run(one_line(&format!("lab race: {error}")));
    let gpu = Gpu::open(ordinal).map_err(failed)?;
    let algorithms = match args.algorithms.is_empty() {
        true => with_second_forms(ALGORITHMS),
        false => with_second_forms(args.algorithms.iter().copied()),
    };

    let runs = |n: usize| n * (algorithms.len() + 1);
    let progress = Progress::new("racing", Some(args.n.0.iter().map(|&n| runs(n) as u64).sum()));
    let mut laps = Vec::new();
    for &n in &args.n.0 {
        laps.extend(gpu::race(&gpu, &algorithms, n, |_| progress.step(n)).map_err(failed)?);
    }
    drop(progress);
    if let Some(csv) = csv {
        write(csv, &as_csv(&laps))?;
    }
    if let Some(svg) = svg {
        write(svg, &as_plot(&laps))?;
    }
    match takes_standard_output(&outputs) {
        true => Ok(()),
        false => print_lines(&as_table(&gpu.name(), &args.n.0, &laps)),
    }
}

/// Returns the names of the algorithms in `laps`, the measured runs, in the order of their first one.
fn names(laps: &[Lap]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for lap in laps {
        if !names.contains(&lap.name) {
            names.push(lap.name);
        }
    }
    names
}

fn as_table(gpu: &str, sizes: &[usize], laps: &[Lap]) -> Vec<String> {
    let names = names(laps);
    let first = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let mut head = format!("{:<first$}", "microseconds");
    for n in sizes {
        let label = if n.is_power_of_two() { format!("2^{}", n.ilog2()) } else { n.to_string() };
        // Writing to a string cannot fail.
        let _ = write!(head, "  {label:>9}");
    }
    let mut lines = vec![format!("sums of 32-bit integers on {gpu}: median times of 15 runs"), head];
    lines.extend(names.iter().map(|name| {
        let mut line = format!("{name:<first$}");
        for n in sizes {
            let lap = laps.iter().find(|lap| lap.name == *name && lap.n == *n);
            let cell = lap.map_or_else(|| "-".to_owned(), |lap| format!("{:.1}", lap.micros));
            let _ = write!(line, "  {cell:>9}");
        }
        line
    }));
    lines
}

fn as_csv(laps: &[Lap]) -> String {
    let mut csv = "algorithm,n,microseconds,gigabytes_per_second\n".to_owned();
    for Lap { name, n, micros, gbps } in laps {
        let _ = writeln!(csv, "{name},{n},{micros:.3},{gbps:.2}");
    }
    csv
}

fn as_plot(laps: &[Lap]) -> String {
    let speeds: Vec<Speed<'_>> = laps.iter().map(|&Lap { name, n, gbps, .. }| Speed { name, n, gbps }).collect();
    plot::race(&speeds)
}
