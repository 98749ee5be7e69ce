//! Segmented scans and reductions: segments by offsets, of several mean lengths, and by keys.

use crate::gpu::{Gpu, Lines};
use cudarc::driver::{CudaView, CudaViewMut};
use std::sync::Arc;
use upsweep::prelude::*;
use upsweep_bench::{Number, Outcome, Value, hash};

/// Mean length of the runs of equal neighbours in the keys.
const RUN: usize = 64;

pub(crate) fn bench(gpu: &mut Gpu, log2n: u32) -> Outcome {
    let n = 1usize << log2n;
    if !gpu.fits::<i32>(n) {
        return Ok(());
    }
    for mean in [8, 64, 4096] {
        by_offsets(gpu, n, &mean.to_string(), || offsets(0, n, mean))?;
    }
    by_offsets(gpu, n, "giant", || giant(n))?;
    by_keys(gpu, n)
}

/// Returns offsets from `begin` to `end`, of segments whose lengths are random from 1 to nearly twice `mean`.
fn offsets(begin: usize, end: usize, mean: usize) -> Vec<u32> {
    let mut offsets = vec![u32::try_from(begin).unwrap_or(u32::MAX)];
    let mut at = begin;
    while at < end {
        at = end.min(at + 1 + hash(offsets.len()) as usize % (2 * mean - 1));
        offsets.push(u32::try_from(at).unwrap_or(u32::MAX));
    }
    offsets
}

/// Returns the offsets of segments of 8 elements in the mean, and of one segment of half of the array among them.
fn giant(n: usize) -> Vec<u32> {
    let mut lengths = offsets(0, n / 4, 8);
    lengths.extend(offsets(n / 4 + n / 2, n, 8));
    lengths
}

fn by_offsets(gpu: &mut Gpu, n: usize, name: &str, make: impl FnOnce() -> Vec<u32>) -> Outcome {
    let (scan, reduce) = (format!("inclusive_sum_offsets_{name}"), format!("reduce_sum_offsets_{name}"));
    if !gpu.wants::<i32>(&scan) && !gpu.wants::<i32>(&reduce) {
        return Ok(());
    }
    let on_host = Arc::new(make());
    let offsets = gpu.upload(on_host.as_slice())?;
    let offsets_bytes = size_of_val(on_host.as_slice());
    let heads = Arc::clone(&on_host);
    let is_head = move |at| u32::try_from(at).is_ok_and(|at| heads.binary_search(&at).is_ok());
    let line = Lines { stride: 1, is_head: Box::new(is_head) };
    gpu.scan(
        &scan,
        n,
        2 * n * size_of::<i32>() + offsets_bytes,
        &line.inclusive(i32::plus),
        |device: &Device, x: &CudaView<'_, i32>, out: &mut CudaViewMut<'_, i32>| {
            Scan::new(Sum).segments(Segments::Offsets(&offsets)).run(device, x, out)
        },
    )?;
    let sums =
        on_host.windows(2).map(|ends| (ends[0]..ends[1]).fold(0, |sum: i32, at| sum.plus(i32::random(at as usize))));
    let segments = on_host.len() - 1;
    let bytes = (n + segments) * size_of::<i32>() + offsets_bytes;
    gpu.reduce_segments(
        &reduce,
        (n, bytes),
        || sums.collect(),
        |device: &Device, x: &CudaView<'_, i32>, out: &mut CudaViewMut<'_, i32>| {
            let mut out = out.slice_mut(..segments);
            Reduce::new(Sum).segments(Segments::Offsets(&offsets)).run(device, x, &mut out)
        },
    )
}

fn by_keys(gpu: &mut Gpu, n: usize) -> Outcome {
    let algo = format!("inclusive_sum_keys_{RUN}");
    if !gpu.wants::<i32>(&algo) {
        return Ok(());
    }
    let keys: Vec<i32> = (0..n).map(|at| (at / RUN) as i32).collect();
    let keys = gpu.upload(&keys)?;
    let line = Lines { stride: 1, is_head: Box::new(|at| at % RUN == 0) };
    gpu.scan(
        &algo,
        n,
        3 * n * size_of::<i32>(),
        &line.inclusive(i32::plus),
        |device: &Device, x: &CudaView<'_, i32>, out: &mut CudaViewMut<'_, i32>| {
            Scan::new(Sum).segments(Segments::Keys(&keys)).run(device, x, out)
        },
    )
}
