//! Kernels of the laboratory on a CUDA GPU. `lab race [OPTIONS]` times them beside a copy and the library. `lab
//! counters` prints the counts of the machine model beside the counters of Nsight Compute, whose `ncu` must be on the
//! path.

mod counters;

use cudarc::driver::CudaContext;
use std::process::ExitCode;
use upsweep_bench::{Options, Outcome, Record, Row, cuda, exit_code};
use upsweep_lab::algorithm::Algorithm;
use upsweep_lab::algorithms::{ALGORITHMS, with_second_forms};
use upsweep_lab::gpu::{Gpu, race};

const USAGE: &str = "usage: lab race [OPTIONS] | lab counters";
const SIZES: [u32; 10] = [10, 12, 14, 16, 18, 20, 22, 24, 26, 28];
const FEW_SIZES: [u32; 3] = [10, 18, 26];

fn main() -> ExitCode {
    exit_code(run())
}

fn run() -> Outcome {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("race") => record_race(&Options::parse(args)?),
        Some("counters") => counters::run(),
        Some(counters::LAUNCH) => counters::launch(&args.next().ok_or(USAGE)?),
        _ => Err(USAGE.into()),
    }
}

/// Name of the race, in which the lab's algorithms compute the same sums, in a record's column `algo`.
const ALGO: &str = "lab_sum";

fn record_race(options: &Options) -> Outcome {
    let context = CudaContext::new(0)?;
    let gpu = Gpu::open(0)?;
    let mut record = Record::create(options, &cuda::machine(&context)?, &cuda::versions())?;
    let algorithms: Vec<&Algorithm> =
        with_second_forms(ALGORITHMS).into_iter().filter(|algorithm| options.wants(ALGO, algorithm.name)).collect();
    for log2n in options.sizes(&SIZES, &FEW_SIZES) {
        let laps = race(&gpu, &algorithms, 1 << log2n, |_| {})?;
        let copy_gbps = laps.first().map_or(f64::NAN, |copy| copy.gbps);
        for lap in &laps {
            let bytes = lap.gbps * lap.micros * 1e3;
            record.row(&Row {
                lib: lap.name,
                algo: ALGO,
                ty: "i32",
                log2n,
                micros: lap.micros,
                bytes,
                copy_gbps,
                enqueue_micros: None,
            })?;
        }
    }
    Ok(())
}
