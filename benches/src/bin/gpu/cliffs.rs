//! Worst cases of selections, partitions, dedups, runs, sums by key and expansions: inputs that algorithms made for
//! random ones may handle badly. The bytes of a record's row are those that its input moves. [`select`](crate::select)
//! has the rows to compare with.

use crate::gpu::Gpu;
use crate::select::{Odd8, SHOWN, counted, expand, first_are, neighbours};
use cudarc::driver::CudaSlice;
use std::cell::RefCell;
use upsweep::prelude::*;
use upsweep::{Choose, Flagged, Where};
use upsweep_bench::{Outcome, Value, hash};

#[function]
fn below_32(#[param] bound: u32, x: u32) -> bool {
    x < bound
}
#[function]
fn below_64(#[param] bound: u64, x: u64) -> bool {
    x < bound
}

pub(crate) fn bench(gpu: &mut Gpu, log2n: u32) -> Outcome {
    let n = 1usize << log2n;
    // Of random elements all are selected, or none: the bounds rely on none of them being the largest number of 32 or
    // 64 bits.
    for (shape, keep) in [("all", true), ("none", false)] {
        let bound = if keep { u32::MAX } else { 0 };
        bytes(gpu, shape, n, keep)?;
        select::<u32, _>(gpu, shape, n, Below32 { bound }, keep)?;
        select::<u64, _>(gpu, shape, n, Below64 { bound: if keep { u64::MAX } else { 0 } }, keep)?;
        partition(gpu, shape, n, Below32 { bound }, keep)?;
        by_flags(gpu, shape, n, keep)?;
    }
    first_half(gpu, n)?;
    for shape in ["equal", "two_values", "zipf"] {
        neighbours(gpu, shape, n, |gpu| gpu.shaped(n, shape))?;
    }
    neighbours(gpu, "zipf_sorted", n, |gpu| {
        let (given, mut keys) = (gpu.shaped(n, "zipf")?, gpu.array::<u32>(n)?);
        Sort::new().run(gpu.device(), &given, &mut keys)?;
        Ok(keys)
    })?;
    // One count has all results; or each count is 1; or the share of counts that are at least c is 1 / c, for each c.
    expand(gpu, "expand_one_count", n, || (0..n / 4).map(|at| if at == n / 8 { n as u32 } else { 0 }).collect())?;
    expand(gpu, "expand_1", n, || vec![1; n])?;
    let reciprocal = |at: usize| (1u64 << 32) / ((hash(at) >> 32) + (1 << 12));
    expand(gpu, "expand_zipf", n, || (0..n / 16).map(|at| reciprocal(at) as u32).collect())
}

fn select<T: Value, P: Copy>(gpu: &mut Gpu, shape: &str, n: usize, predicate: P, keep: bool) -> Outcome
where
    Where<P>: Choose<T>,
{
    let algo = format!("select_{shape}");
    if !gpu.fits::<T>(n) || !gpu.wants::<T>(&algo) {
        return Ok(());
    }
    let input = gpu.filled::<T>(n)?;
    let expected = first(n, keep);
    counted(
        gpu,
        &algo,
        n,
        &expected,
        |found| (n + found) * size_of::<T>(),
        |device, out, count| Select::new(predicate).run_counted(device, &input, out, count),
    )
}

/// Measures a selection of the odd bytes from bytes that are all odd, or all even. For bytes, comparisons with a bound
/// would be the bottleneck, and not the number of selected ones.
fn bytes(gpu: &mut Gpu, shape: &str, n: usize, keep: bool) -> Outcome {
    let algo = format!("select_{shape}");
    if !gpu.fits::<u8>(n) || !gpu.wants::<u8>(&algo) {
        return Ok(());
    }
    let input: Vec<u8> = (0..n).map(|at| u8::random(at) & !1 | u8::from(keep)).collect();
    let expected = if keep { input.get(..n.min(SHOWN)).unwrap_or_default().to_vec() } else { Vec::new() };
    let input = gpu.upload(&input)?;
    let select = |device: &Device, out: &mut CudaSlice<u8>, count: &mut Count| {
        Select::new(Odd8).run_counted(device, &input, out, count)
    };
    counted(gpu, &algo, n, &expected, |found| n + found, select)
}

/// Returns the first of `n` random elements if they are selected, which `keep` says; else none.
fn first<T: Value>(n: usize, keep: bool) -> Vec<T> {
    (0..if keep { n.min(SHOWN) } else { 0 }).map(T::random).collect()
}

fn by_flags(gpu: &mut Gpu, shape: &str, n: usize, keep: bool) -> Outcome {
    let algo = format!("select_flags_{shape}");
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>(&algo) {
        return Ok(());
    }
    let (input, flags) = (gpu.filled::<u32>(n)?, gpu.upload(&vec![keep; n])?);
    counted(
        gpu,
        &algo,
        n,
        &first(n, keep),
        |found| n + (n + found) * size_of::<u32>(),
        |device, out, count| Select::<Flagged<'_, _>>::flags(&flags).run_counted(device, &input, out, count),
    )
}

/// Measures a partition whose selected and rejected elements each go to an output of their own.
fn partition(gpu: &mut Gpu, shape: &str, n: usize, predicate: Below32, keep: bool) -> Outcome {
    let algo = format!("partition_apart_{shape}");
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>(&algo) {
        return Ok(());
    }
    let input = gpu.filled::<u32>(n)?;
    apart(gpu, &algo, &input, predicate, (&first(n, keep), &first(n, !keep)))
}

fn apart(
    gpu: &mut Gpu,
    algo: &str,
    input: &CudaSlice<u32>,
    predicate: Below32,
    (kept, others): (&[u32], &[u32]),
) -> Outcome {
    let n = input.len();
    let rest = RefCell::new(gpu.array::<u32>(n)?);
    counted(
        gpu,
        algo,
        n,
        kept,
        |_| 2 * n * size_of::<u32>(),
        |device, out, count| {
            Partition::new(predicate).run_counted(device, input, (out, &mut *rest.borrow_mut()), count)
        },
    )?;
    first_are(gpu, algo, &rest.borrow(), others)
}

/// Measures a selection and a partition of ascending elements, of which the first half is selected.
fn first_half(gpu: &mut Gpu, n: usize) -> Outcome {
    let (select, partition) = ("select_first_half", "partition_apart_first_half");
    if !gpu.fits::<u32>(n) || !(gpu.wants::<u32>(select) || gpu.wants::<u32>(partition)) {
        return Ok(());
    }
    let input = gpu.shaped(n, "sorted")?;
    let [kept, others] = [0, n / 2].map(|from| gpu.elements(&input, from..from + (n / 2).min(SHOWN)));
    let (kept, others) = (kept?, others?);
    let predicate = Below32 { bound: others[0] };
    counted(
        gpu,
        select,
        n,
        &kept,
        |found| (n + found) * size_of::<u32>(),
        |device, out, count| Select::new(predicate).run_counted(device, &input, out, count),
    )?;
    if gpu.wants::<u32>(partition) { apart(gpu, partition, &input, predicate, (&kept, &others)) } else { Ok(()) }
}
