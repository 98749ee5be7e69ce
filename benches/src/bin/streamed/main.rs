//! Scans and sorts of arrays in host memory by a GPU, from pinned and from pageable memory; beside what copies in both
//! directions at once take, and beside the CPU. Filters, selections and histograms copy the whole array, compute, and copy
//! the results back.
//!
//! `cargo run --release -p upsweep-bench --bin streamed -- --only scan,sort --sizes 24,28,31 --out FILE`
//!
//! A row has the median of five calls. The copy beside it moves as many bytes in each direction, between pinned memory and
//! the GPU.

mod sorts;
mod times;
mod whole;

use cudarc::driver::CudaContext;
use std::process::ExitCode;
use std::sync::Arc;
use times::{CALLS, copies, timed};
use upsweep::prelude::*;
use upsweep_bench::{Options, Outcome, Record, Row, cuda, exit_code};

fn main() -> ExitCode {
    exit_code(run())
}

fn run() -> Outcome {
    let options = Options::parse(std::env::args().skip(1))?;
    let context = CudaContext::new(0)?;
    let mut record = Record::create(&options, &cuda::machine(&context)?, &cuda::versions())?;
    if options.wants("scan", "f32") {
        scans(&context, &options, &mut record)?;
    }
    if ["filter", "select", "histogram"].iter().any(|work| options.wants(work, "f32")) {
        whole::calls(&context, &options, &mut record)?;
    }
    if options.wants("sort", "u32") {
        sorts::sorts(&context, &options, &mut record)?;
    }
    Ok(())
}

/// Running sums between pinned and between pageable arrays.
fn scans(context: &Arc<CudaContext>, options: &Options, record: &mut Record) -> Outcome {
    let device = Device::cuda(0)?.streamed();
    for log2n in options.sizes(&[24, 28, 31], &[24]) {
        let n = 1 << log2n;
        // SAFETY: both arrays are filled here, before anything reads them.
        let mut pinned = unsafe { [context.alloc_pinned::<f32>(n)?, context.alloc_pinned::<f32>(n)?] };
        for array in &mut pinned {
            array.as_mut_slice()?.fill(0.25);
        }
        let copy = copies(context, &mut pinned)?;
        let bytes = 8.0 * n as f64;
        let copy_gbps = bytes / copy / 1e3;
        let mut row = |lib, algo, micros| {
            let row = Row { lib, algo, ty: "f32", log2n, micros, bytes, copy_gbps, enqueue_micros: None };
            record.row(&row)
        };
        row("copy", "pinned_both_ways", copy)?;
        let [x, y] = &mut pinned;
        let (x, y) = (x.as_slice()?, y.as_mut_slice()?);
        let scan = Scan::new(Sum);
        row("upsweep", "scan_pinned", timed(CALLS, || Ok(scan.run(&device, x, &mut *y)?))?)?;
        row("upsweep", "scan_of_cpu", timed(CALLS, || Ok(scan.run(&Device::cpu(), x, &mut *y)?))?)?;
        let (x, mut y) = (x.to_vec(), vec![0.0f32; n]);
        drop(pinned);
        row("upsweep", "scan_pageable", timed(CALLS, || Ok(scan.run(&device, &x, &mut y)?))?)?;
        assert!(y[n - 1] == Scan::new(Sum).run_to_vec(&Device::cpu(), &x)?[n - 1], "the bits of the CPU");
    }
    Ok(())
}
