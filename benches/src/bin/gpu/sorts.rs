//! Sorts of random keys, of pairs, and of positions. Bytes are those of one pass over the keys and values, so a share of a copy says how
//! many copies a sort takes.

use crate::gpu::Gpu;
use cudarc::driver::{CudaView, CudaViewMut};
use half::f16;
use std::cell::RefCell;
use upsweep::prelude::*;
use upsweep::{Index, Key};
use upsweep_bench::{Outcome, Value};

/// All sorts of arrays of these sizes.
pub(crate) fn bench(gpu: &mut Gpu, sizes: &[u32]) -> Outcome {
    for &log2n in sizes {
        let n = 1usize << log2n;
        keys::<u8>(gpu, n)?;
        keys::<u16>(gpu, n)?;
        keys::<f16>(gpu, n)?;
        keys::<u32>(gpu, n)?;
        keys::<f32>(gpu, n)?;
        keys::<u64>(gpu, n)?;
        pairs::<u32>(gpu, n)?;
        positions::<u32>(gpu, n)?;
    }
    Ok(())
}

fn keys<T: Value + Key + PartialOrd>(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.fits::<T>(n) {
        return Ok(());
    }
    gpu.sort(
        "sort_keys",
        (n, 2 * n * size_of::<T>()),
        |found: &[T]| found.is_sorted(),
        |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| Sort::new().run(device, x, out),
    )
}

/// Keys that are their own values.
fn pairs<T: Value + Key + PartialOrd>(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.fits::<T>(n) || !gpu.wants::<T>("sort_pairs") {
        return Ok(());
    }
    let values = RefCell::new(gpu.upload(&vec![T::random(0); n])?);
    gpu.sort(
        "sort_pairs",
        (n, 4 * n * size_of::<T>()),
        |found: &[T]| found.is_sorted(),
        |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| {
            Sort::pairs().run(device, (x, x), (out, &mut *values.borrow_mut()))
        },
    )
}

fn positions<T: Value + Key + PartialOrd + Index>(gpu: &mut Gpu, n: usize) -> Outcome
where
    usize: TryFrom<T>,
{
    if !gpu.fits::<T>(n) {
        return Ok(());
    }
    let key = |position: &T| usize::try_from(*position).map_or_else(|_| T::random(0), T::random);
    gpu.sort(
        "sort_positions",
        (n, 2 * n * size_of::<T>()),
        |found: &[T]| found.is_sorted_by_key(key),
        |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| Sort::new().indices().run(device, x, out),
    )
}
