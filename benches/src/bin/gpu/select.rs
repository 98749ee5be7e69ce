//! Selections, partitions and dedups. A row's bytes are those that this input makes it move.

use crate::gpu::Gpu;
use cudarc::driver::{CudaView, CudaViewMut};
use std::cell::RefCell;
use upsweep::prelude::*;
use upsweep::{Choose, Flagged, Where};
use upsweep_bench::{Outcome, Value};

#[function]
fn odd_8(x: u8) -> bool {
    x % 2 == 1
}
#[function]
fn odd_16(x: u16) -> bool {
    x % 2 == 1
}
#[function]
fn odd_32(x: u32) -> bool {
    x % 2 == 1
}
#[function]
fn odd_64(x: u64) -> bool {
    x % 2 == 1
}
#[function]
fn sixteenth(x: u32) -> bool {
    x % 16 == 1
}
/// Of neighbours: so that runs have 64 elements in the mean.
#[function]
fn goes_on(_a: u32, b: u32) -> bool {
    b % 64 != 1
}

pub(crate) fn bench(gpu: &mut Gpu, sizes: &[u32]) -> Outcome {
    for n in sizes.iter().map(|log2n| 1usize << log2n) {
        of::<u8, Where<Odd8>>(gpu, "select_half", n, &Select::new(Odd8), |x| x % 2 == 1)?;
        of::<u16, Where<Odd16>>(gpu, "select_half", n, &Select::new(Odd16), |x| x % 2 == 1)?;
        of::<u32, Where<Odd32>>(gpu, "select_half", n, &Select::new(Odd32), |x| x % 2 == 1)?;
        of::<u64, Where<Odd64>>(gpu, "select_half", n, &Select::new(Odd64), |x| x % 2 == 1)?;
        of::<u32, Where<Sixteenth>>(gpu, "select_sixteenth", n, &Select::new(Sixteenth), |x| x % 16 == 1)?;
        by_flags(gpu, n)?;
        others(gpu, n)?;
        dedup(gpu, n)?;
    }
    Ok(())
}

/// The first elements that are kept, as many as a check looks at.
fn expected<T: Value>(n: usize, keep: impl Fn(usize) -> bool) -> Vec<T> {
    (0..n.min(1 << 20)).filter(|&at| keep(at)).map(T::random).collect()
}

fn of<T: Value, C: Choose<T>>(
    gpu: &mut Gpu,
    algo: &str,
    n: usize,
    select: &Select<C>,
    keep: impl Fn(T) -> bool,
) -> Outcome {
    if !gpu.fits::<T>(n) || !gpu.wants::<T>(algo) {
        return Ok(());
    }
    let share = if algo == "select_half" { 2 } else { 16 };
    let count = RefCell::new(gpu.count()?);
    gpu.reduce_segments(
        algo,
        (n, (n + n / share) * size_of::<T>()),
        || expected(n, |at| keep(T::random(at))),
        |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| {
            select.run_counted(device, x, out, &mut count.borrow_mut())
        },
    )
}

fn by_flags(gpu: &mut Gpu, n: usize) -> Outcome {
    let algo = "select_flags";
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>(algo) {
        return Ok(());
    }
    let set = |at: usize| u64::random(at) >> 40 & 1 == 1;
    let flags = gpu.upload(&(0..n).map(set).collect::<Vec<bool>>())?;
    let (select, count) = (Select::<Flagged<'_, _>>::flags(&flags), RefCell::new(gpu.count()?));
    gpu.reduce_segments(
        algo,
        (n, (n + n / 2) * size_of::<u32>() + n),
        || expected(n, set),
        |device: &Device, x: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
            select.run_counted(device, x, out, &mut count.borrow_mut())
        },
    )
}

/// Both halves, side by side in one output, and in two that together are as long.
fn others(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.fits::<u32>(2 * n) {
        return Ok(());
    }
    let count = RefCell::new(gpu.count()?);
    let first = || expected::<u32>(n, |at| u32::random(at) % 2 == 1);
    let bytes = 2 * n * size_of::<u32>();
    gpu.reduce_segments(
        "partition_behind",
        (n, bytes + n * size_of::<u32>()),
        first,
        |device: &Device, x: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
            Partition::new(Odd32).run_counted(device, x, out, &mut count.borrow_mut())
        },
    )?;
    let rest = RefCell::new(gpu.upload(&vec![0u32; n])?);
    gpu.reduce_segments(
        "partition_apart",
        (n, bytes),
        first,
        |device: &Device, x: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
            Partition::new(Odd32).run_counted(device, x, (out, &mut *rest.borrow_mut()), &mut count.borrow_mut())
        },
    )
}

fn dedup(gpu: &mut Gpu, n: usize) -> Outcome {
    let algo = "dedup_64";
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>(algo) {
        return Ok(());
    }
    let count = RefCell::new(gpu.count()?);
    gpu.reduce_segments(
        algo,
        (n, (n + n / 64) * size_of::<u32>()),
        || expected(n, |at| at == 0 || u32::random(at) % 64 == 1),
        |device: &Device, x: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
            Dedup::by(GoesOn).run_counted(device, x, out, &mut count.borrow_mut())
        },
    )
}
