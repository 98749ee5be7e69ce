//! Selections, partitions, dedups, runs, expansions and searches. A row's bytes are those that this input makes it move.

use crate::gpu::Gpu;
use cudarc::driver::{CudaView, CudaViewMut};
use std::cell::RefCell;
use upsweep::operator::builtin::First;
use upsweep::prelude::*;
use upsweep::{Choose, Flagged, Where};
use upsweep_bench::{Outcome, Value, hash};

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

pub(crate) fn bench(gpu: &mut Gpu, sizes: &[u32]) -> Outcome {
    for n in sizes.iter().map(|log2n| 1usize << log2n) {
        of::<u8, Where<Odd8>>(gpu, "select_half", n, &Select::new(Odd8), |x| x % 2 == 1)?;
        of::<u16, Where<Odd16>>(gpu, "select_half", n, &Select::new(Odd16), |x| x % 2 == 1)?;
        of::<u32, Where<Odd32>>(gpu, "select_half", n, &Select::new(Odd32), |x| x % 2 == 1)?;
        of::<u64, Where<Odd64>>(gpu, "select_half", n, &Select::new(Odd64), |x| x % 2 == 1)?;
        of::<u32, Where<Sixteenth>>(gpu, "select_sixteenth", n, &Select::new(Sixteenth), |x| x % 16 == 1)?;
        by_flags(gpu, n)?;
        behind(gpu, n)?;
        apart::<u8, _>(gpu, n, Odd8, |x| x % 2 == 1)?;
        apart::<u32, _>(gpu, n, Odd32, |x| x % 2 == 1)?;
        apart::<u64, _>(gpu, n, Odd64, |x| x % 2 == 1)?;
        for (algo, mean) in [("dedup_64", 64), ("dedup_1", 1)] {
            dedup(gpu, algo, n, mean)?;
        }
        for (algo, mean) in [("runs_64", 64), ("runs_4", 4), ("runs_1", 1)] {
            runs(gpu, algo, n, mean)?;
        }
        by_key(gpu, n, "reduce_by_key_64", Sum)?;
        by_key(gpu, n, "dedup_by_key_64", First)?;
        expand(gpu, n)?;
        search(gpu, n)?;
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

/// Both halves in one output.
fn behind(gpu: &mut Gpu, n: usize) -> Outcome {
    let algo = "partition_behind";
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>(algo) {
        return Ok(());
    }
    let count = RefCell::new(gpu.count()?);
    gpu.reduce_segments(
        algo,
        (n, 3 * n * size_of::<u32>()),
        || expected(n, |at| u32::random(at) % 2 == 1),
        |device: &Device, x: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
            Partition::new(Odd32).run_counted(device, x, out, &mut count.borrow_mut())
        },
    )
}

/// Each half in an output of its own.
fn apart<T: Value, P>(gpu: &mut Gpu, n: usize, odd: P, keep: impl Fn(T) -> bool) -> Outcome
where
    Where<P>: Choose<T>,
    P: Copy,
{
    let algo = "partition_apart";
    if !gpu.fits::<T>(n) || !gpu.wants::<T>(algo) {
        return Ok(());
    }
    let (count, rest) = (RefCell::new(gpu.count()?), RefCell::new(gpu.filled::<T>(n)?));
    gpu.reduce_segments(
        algo,
        (n, 2 * n * size_of::<T>()),
        || expected(n, |at| keep(T::random(at))),
        |device: &Device, x: &CudaView<'_, T>, out: &mut CudaViewMut<'_, T>| {
            Partition::new(odd).run_counted(device, x, (out, &mut *rest.borrow_mut()), &mut count.borrow_mut())
        },
    )
}

/// Runs of `mean` equal elements in the mean: where that is one, all neighbours differ.
fn in_runs(n: usize, mean: u32) -> Vec<u32> {
    let mut value = 0;
    let next = |at: usize| {
        if u32::random(at).is_multiple_of(mean) {
            value = (at as u32).wrapping_mul(0x9E37_79B1);
        }
        value
    };
    (0..n).map(next).collect()
}

/// The first values of these runs, as many as a check looks at.
fn first_of_runs(host: &[u32]) -> Vec<u32> {
    let mut values = host[..host.len().min(1 << 20)].to_vec();
    values.dedup();
    values
}

fn dedup(gpu: &mut Gpu, algo: &str, n: usize, mean: u32) -> Outcome {
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>(algo) {
        return Ok(());
    }
    let host = in_runs(n, mean);
    let (values, count) = (gpu.upload(&host)?, RefCell::new(gpu.count()?));
    gpu.reduce_segments(
        algo,
        (n, (n + n / mean as usize) * size_of::<u32>()),
        || first_of_runs(&host),
        |device: &Device, _: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
            Dedup::new().run_counted(device, &values, out, &mut count.borrow_mut())
        },
    )
}

/// The values and lengths of runs of `mean` elements.
fn runs(gpu: &mut Gpu, algo: &str, n: usize, mean: u32) -> Outcome {
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>(algo) {
        return Ok(());
    }
    let host = in_runs(n, mean);
    let (values, count) = (gpu.upload(&host)?, RefCell::new(gpu.count()?));
    let lengths = RefCell::new(gpu.filled::<u32>(n)?);
    gpu.reduce_segments(
        algo,
        (n, (n + 2 * n / mean as usize) * size_of::<u32>()),
        || first_of_runs(&host),
        |device: &Device, _: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
            // As many lengths as values.
            let outputs = (out, &mut *lengths.borrow_mut());
            Runs::new().run_counted(device, &values, outputs, &mut count.borrow_mut())
        },
    )
}

/// The keys of runs of 64 elements, and what their values are combined to.
fn by_key<Op: Operator<u32> + Copy>(gpu: &mut Gpu, n: usize, algo: &str, operator: Op) -> Outcome {
    const MEAN: u32 = 64;
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>(algo) {
        return Ok(());
    }
    let host = in_runs(n, MEAN);
    let (keys, count) = (gpu.upload(&host)?, RefCell::new(Count::new(gpu.device())?));
    let first_keys = RefCell::new(gpu.upload(&vec![0u32; n])?);
    let reduce = Reduce::new(operator).segments(Segments::Keys(&keys));
    let expected = || {
        let shown = &host[..n.min(1 << 20)];
        let begins: Vec<usize> = (0..shown.len()).filter(|&at| at == 0 || shown[at] != shown[at - 1]).collect();
        let of_run = |run: &[usize]| {
            (run[0] + 1..run[1]).fold(u32::random(run[0]), |sum, at| operator.combine(sum, u32::random(at)))
        };
        begins.windows(2).map(of_run).collect()
    };
    gpu.reduce_segments(
        algo,
        (n, 2 * (n + n / MEAN as usize) * size_of::<u32>()),
        expected,
        |device: &Device, x: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
            reduce.run_with_keys_counted(device, x, (&mut *first_keys.borrow_mut(), out), &mut count.borrow_mut())
        },
    )?;
    let found = first_keys.borrow().to_vec()?;
    let wanted = first_of_runs(&host);
    if found[..wanted.len() - 1] != wanted[..wanted.len() - 1] {
        return Err(format!("{algo}: the keys are not those of the runs").into());
    }
    Ok(())
}

/// The owners of `n` results in the mean, of a quarter as many counts from 0 to 8.
fn expand(gpu: &mut Gpu, n: usize) -> Outcome {
    let algo = "expand_4";
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>(algo) {
        return Ok(());
    }
    let host: Vec<u32> = (0..n / 4).map(|at| (hash(at) >> 32) as u32 % 9).collect();
    let (counts, count) = (gpu.upload(&host)?, RefCell::new(gpu.count()?));
    let total = host.iter().map(|&count| count as usize).sum::<usize>();
    let output = RefCell::new(gpu.upload(&vec![0u32; total])?);
    let owners = || host.iter().enumerate().flat_map(|(owner, &count)| (0..count).map(move |_| owner as u32));
    Expand::new().run_counted(gpu.device(), &counts, &mut *output.borrow_mut(), &mut count.borrow_mut())?;
    let found = output.borrow().to_vec()?;
    if let Some(at) = found.iter().zip(owners()).position(|(found, owner)| *found != owner) {
        return Err(format!("{algo}: result {at} is {}, another owner's", found[at]).into());
    }
    gpu.time::<u32>(algo, n, (n / 4 + total) * size_of::<u32>(), |device, _, _| {
        Expand::new().run_counted(device, &counts, &mut *output.borrow_mut(), &mut count.borrow_mut())
    })
}

/// The places of a sixteenth as many random values in a sorted array. The bytes are those of the values and the results.
fn search(gpu: &mut Gpu, n: usize) -> Outcome {
    let algo = "search_lower";
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>(algo) {
        return Ok(());
    }
    let step = (1u64 << 32).div_ceil(n as u64) as u32;
    let sorted = gpu.upload(&(0..n as u32).map(|at| at * step).collect::<Vec<u32>>())?;
    let values = n / 16;
    gpu.reduce_segments(
        algo,
        (n, 2 * values * size_of::<u32>()),
        || (0..values.min(1 << 20)).map(|at| u32::random(at).div_ceil(step)).collect(),
        |device: &Device, x: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
            Search::lower(&sorted).run(device, &x.slice(..values), &mut out.slice_mut(..values))
        },
    )
}
