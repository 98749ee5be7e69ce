//! Calls on arrays in pinned host memory that a GPU takes whole: a copy up, the call, and a copy of the results down.

use super::times::{CALLS, copies, timed};
use cudarc::driver::CudaContext;
use std::sync::Arc;
use upsweep::prelude::*;
use upsweep_bench::{Options, Outcome, Record, Row};

/// Number of bins.
const BINS: usize = 1 << 16;

#[upsweep::function]
fn small(x: f32) -> bool {
    x < 0.25
}

#[upsweep::function]
fn bin(x: f32) -> u32 {
    (x * 65_536.0) as u32
}

/// Measures a filter of order 2, a selection of a quarter, and a histogram.
pub(super) fn calls(context: &Arc<CudaContext>, options: &Options, record: &mut Record) -> Outcome {
    let stream = context.default_stream();
    let (gpu, cpu) = (Device::on_stream(&stream)?, Device::cpu());
    for log2n in options.sizes(&[24, 28, 31], &[24]) {
        let n = 1 << log2n;
        // SAFETY: both arrays are filled here, before anything reads them.
        let mut pinned = unsafe { [context.alloc_pinned::<f32>(n)?, context.alloc_pinned::<f32>(n)?] };
        for array in &mut pinned {
            let numbers = (0u32..).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 16_777_216.0);
            array.as_mut_slice()?.iter_mut().zip(numbers).for_each(|(x, number)| *x = number);
        }
        let copy_gbps = 8.0 * n as f64 / copies(context, &mut pinned)? / 1e3;
        let [x, y] = &mut pinned;
        let (x, y) = (x.as_slice()?, y.as_mut_slice()?);
        let filter = Recurrence::new(&[0.1f64, 0.2], &[1.0, -1.2, 0.5]);
        let (select, histogram) = (Select::new(Small), Histogram::by(Bin, BINS));
        let (mut found, mut counts) = ([0u64], vec![0u32; BINS]);
        let mut row = |algo, bytes: usize, micros| {
            record.row(&Row {
                lib: "upsweep",
                algo,
                ty: "f32",
                log2n,
                micros,
                bytes: bytes as f64,
                copy_gbps,
                enqueue_micros: None,
            })
        };
        row(
            "filter_pinned",
            8 * n,
            timed(CALLS, || {
                let mut on_gpu = stream.clone_htod(x)?;
                filter.run_in_place(&gpu, &mut on_gpu)?;
                Ok(stream.memcpy_dtoh(&on_gpu, &mut *y)?)
            })?,
        )?;
        row("filter_of_cpu", 8 * n, timed(CALLS, || Ok(filter.run(&cpu, x, &mut *y)?))?)?;
        row(
            "select_pinned",
            5 * n,
            timed(CALLS, || {
                let chosen = select.run_to_array(&gpu, &gpu.upload(x)?)?;
                found = [chosen.len() as u64];
                Ok(())
            })?,
        )?;
        row("select_of_cpu", 5 * n, timed(CALLS, || Ok(select.run(&cpu, x, &mut *y).map(|_| ())?))?)?;
        row(
            "histogram_pinned",
            4 * n,
            timed(CALLS, || {
                let bins: Array<u32> = histogram.run_to_array(&gpu, &gpu.upload(x)?)?;
                counts = bins.to_vec()?;
                Ok(())
            })?,
        )?;
        row("histogram_of_cpu", 4 * n, timed(CALLS, || Ok(histogram.run(&cpu, x, &mut counts)?))?)?;
        assert!(counts.iter().map(|&count| u64::from(count)).sum::<u64>() == n as u64 && found[0] > 0);
    }
    Ok(())
}
