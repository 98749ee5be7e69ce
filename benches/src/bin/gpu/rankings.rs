//! Top-k, medians, merges, and sorts by a comparison, of random keys. A row's bytes are one reading of the keys, and
//! one writing where as many results are stored.

use crate::gpu::Gpu;
use crate::sorts::finite_floats;
use cudarc::driver::{CudaView, CudaViewMut};
use upsweep::prelude::*;
use upsweep::{Key, TopK};
use upsweep_bench::{Outcome, Value};

/// Largest number of keys for which the results are compared with the CPU's.
const CHECKED: usize = 1 << 22;

#[function]
fn less(a: u32, b: u32) -> bool {
    a < b
}

pub(crate) fn bench(gpu: &mut Gpu, sizes: &[u32]) -> Outcome {
    for n in sizes.iter().map(|log2n| 1usize << log2n) {
        tops::<u32>(gpu, n)?;
        // The floats are small whole numbers, so very many keys are equal.
        tops::<f32>(gpu, n)?;
        tops_of_all_bits(gpu, n)?;
        merges::<u32>(gpu, n)?;
        merges::<u64>(gpu, n)?;
        merges::<f32>(gpu, n)?;
        if gpu.fits::<u32>(n) {
            gpu.sort(
                "sort_by_less",
                (n, 2 * n * size_of::<u32>()),
                |found: &[u32]| found.is_sorted(),
                |device: &Device, x: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
                    Sort::by(Less).run(device, x, out)
                },
            )?;
        }
    }
    Ok(())
}

fn tops<T: Value + Key>(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.fits::<T>(n) {
        return Ok(());
    }
    let host = |n: usize| if n <= CHECKED { (0..n).map(T::random).collect() } else { Vec::new() };
    for (k, algo) in [(16, "top_16"), (1 << 16, "top_65536")] {
        let expected = || {
            let x = host(n);
            if x.is_empty() { Ok(x) } else { TopK::largest(k).run_to_vec(&Device::cpu(), &x) }
        };
        if k > n || !gpu.wants::<T>(algo) {
            continue;
        }
        let expected = expected()?;
        gpu.reduce_segments(
            algo,
            (n, n * size_of::<T>()),
            || expected,
            |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| {
                TopK::largest(k).run(device, x, &mut out.slice_mut(..k))
            },
        )?;
    }
    if !gpu.wants::<T>("median") {
        return Ok(());
    }
    let x = host(n);
    let expected = if x.is_empty() { x } else { Nth::median().run_to_vec(&Device::cpu(), &x)? };
    gpu.reduce_segments(
        "median",
        (n, n * size_of::<T>()),
        || expected,
        |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| {
            Nth::median().run(device, x, &mut out.slice_mut(..1))
        },
    )
}

/// Measures top-k of floats that are nearly all distinct.
fn tops_of_all_bits(gpu: &mut Gpu, n: usize) -> Outcome {
    for (k, algo) in [(16, "top_16_all_bits"), (1 << 16, "top_65536_all_bits")] {
        if k > n || !gpu.fits::<f32>(n) || !gpu.wants::<f32>(algo) {
            continue;
        }
        let (x, mut out) = (finite_floats(gpu, n)?, gpu.upload(&vec![0f32; k])?);
        let top = TopK::largest(k);
        gpu.work::<f32>(algo, n, n * size_of::<f32>(), |device| Ok(top.run(device, &x, &mut out)?))?;
        let (mut found, mut all) = (out.into_vec()?, x.into_vec()?);
        all.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a));
        all.truncate(k);
        found.sort_unstable_by(f32::total_cmp);
        all.sort_unstable_by(f32::total_cmp);
        if found != all {
            return Err(format!("{algo} of {n}: the results are not the largest keys").into());
        }
    }
    Ok(())
}

/// Measures merges of two halves, each of which is sorted before.
fn merges<T: Value + Key + PartialOrd>(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.fits::<T>(2 * n) || !gpu.wants::<T>("merge") {
        return Ok(());
    }
    let half = |first: usize| gpu.upload(&(first..first + n / 2).map(T::random).collect::<Vec<T>>());
    let (mut a, mut b) = (half(0)?, half(n / 2)?);
    Sort::new().run_in_place(gpu.device(), &mut a)?;
    Sort::new().run_in_place(gpu.device(), &mut b)?;
    gpu.sort(
        "merge",
        (n, 2 * n * size_of::<T>()),
        |found: &[T]| found.is_sorted(),
        |device: &Device, _: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| Merge::new().run(device, (&a, &b), out),
    )
}
