//! Sorts of u32 keys in host memory by a GPU of which 24 GB may be used; beside the CPU and, with the feature `peers`,
//! two radix sorts on all of its cores.

use crate::times::{CALLS, copies, timed};
use cudarc::driver::CudaContext;
use rayon::prelude::*;
#[cfg(feature = "peers")]
use rdst::RadixSort;
use std::sync::Arc;
use std::time::Instant;
use upsweep::prelude::*;
use upsweep_bench::{Options, Outcome, Record, Row, Value, median};
#[cfg(feature = "peers")]
use voracious_radix_sort::RadixSort as Voracious;

/// Bytes of the GPU's memory that a sort may use.
const ROOM: usize = 24_000_000_000;
/// Size from which a sort by the CPU takes seconds, so that it is called once, after one call that is not counted.
const LONG: u32 = 30;

/// Sorts random keys between pinned and between pageable arrays, and in place.
pub(crate) fn sorts(context: &Arc<CudaContext>, options: &Options, record: &mut Record) -> Outcome {
    let (device, cpu) = (Device::cuda(0)?.streamed_within(ROOM), Device::cpu());
    for log2n in options.sizes(&[24, 28, 32], &[24]) {
        let n = 1 << log2n;
        let of_cpu = if log2n > LONG { 1 } else { CALLS };
        // SAFETY: both arrays are filled here, before anything reads them.
        let mut pinned = unsafe { [context.alloc_pinned::<u32>(n)?, context.alloc_pinned::<u32>(n)?] };
        for array in &mut pinned {
            array.as_mut_slice()?.par_iter_mut().enumerate().for_each(|(i, key)| *key = u32::random(i));
        }
        let copy = copies(context, &mut pinned)?;
        let bytes = 8.0 * n as f64;
        let copy_gbps = bytes / copy / 1e3;
        let mut row = |lib, algo, micros| {
            record.row(&Row { lib, algo, ty: "u32", log2n, micros, bytes, copy_gbps, enqueue_micros: None })
        };
        row("copy", "pinned_both_ways", copy)?;
        let sort = Sort::new();
        let [x, y] = &mut pinned;
        let (x, y) = (x.as_slice()?, y.as_mut_slice()?);
        row("upsweep", "sort_pinned", timed(CALLS, || Ok(sort.run(&device, x, &mut *y)?))?)?;
        let mut sorted = vec![0; n];
        row("upsweep", "sort_of_cpu", timed(of_cpu, || Ok(sort.run(&cpu, x, &mut sorted)?))?)?;
        let same = |found: &[u32]| assert!(found.par_iter().eq(&sorted), "the bits of the CPU");
        same(y);
        row("upsweep", "sort_pinned_in_place", in_place(CALLS, x, y, |y| Ok(sort.run_in_place(&device, y)?))?)?;
        same(y);
        let (x, mut y) = (x.to_vec(), vec![0; n]);
        drop(pinned);
        row("upsweep", "sort_pageable", timed(CALLS, || Ok(sort.run(&device, &x, &mut y)?))?)?;
        same(&y);
        #[cfg(feature = "peers")]
        {
            let rdst = in_place(of_cpu, &x, &mut y, |y| {
                y.radix_sort_unstable();
                Ok(())
            })?;
            row("rdst", "sort_in_place", rdst)?;
            let threads = rayon::current_num_threads();
            let voracious = in_place(of_cpu, &x, &mut y, |y| {
                y.voracious_mt_sort(threads);
                Ok(())
            })?;
            row("voracious", "sort_in_place", voracious)?;
        }
    }
    Ok(())
}

/// Returns the median time in microseconds of a sort in place of `y`, which has the keys `x` before each call; after one
/// call that is not counted.
fn in_place(calls: usize, x: &[u32], y: &mut [u32], mut sort: impl FnMut(&mut [u32]) -> Outcome) -> Outcome<f64> {
    let mut times = Vec::new();
    for _ in 0..=calls {
        y.par_iter_mut().zip(x).for_each(|(to, from)| *to = *from);
        let begin = Instant::now();
        sort(y)?;
        times.push(begin.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(times.split_off(1)))
}
