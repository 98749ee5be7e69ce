//! Selections, partitions, dedups, runs, expansions and searches. The bytes of a record's row are those that this input
//! moves.

use crate::gpu::Gpu;
use cudarc::driver::{CudaSlice, CudaView, CudaViewMut};
use std::cell::RefCell;
use upsweep::operator::builtin::First;
use upsweep::prelude::*;
use upsweep::{Choose, Flagged, Where};
use upsweep_bench::{Outcome, Value, hash};

#[function]
pub(crate) fn odd_8(x: u8) -> bool {
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
        for mean in [64, 4, 1] {
            neighbours(gpu, &mean.to_string(), n, |gpu| gpu.copied(&in_runs(n, mean)))?;
        }
        let counts = || (0..n / 4).map(|at| (hash(at) >> 32) as u32 % 9).collect();
        expand(gpu, "expand_4", n, counts)?;
        search(gpu, n)?;
    }
    Ok(())
}

/// Number of elements at the beginning of the input whose results the host checks.
pub(crate) const SHOWN: usize = 1 << 20;

/// Returns the selected ones of the elements that are checked: those at indices for which `keep` is true.
fn expected<T: Value>(n: usize, keep: impl Fn(usize) -> bool) -> Vec<T> {
    (0..n.min(SHOWN)).filter(|&at| keep(at)).map(T::random).collect()
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

/// Measures a partition that stores the rejected elements behind the selected ones, in one output.
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

/// Measures a partition that stores selected and rejected elements each in an output of their own.
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

/// Returns `n` elements in runs of equal ones, of the mean length `mean`; with a mean of 1 all neighbours differ.
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

/// Measures dedups, runs, and reductions by key on the elements that `keys` returns. The host checks the first results.
pub(crate) fn neighbours(
    gpu: &mut Gpu,
    of: &str,
    n: usize,
    keys: impl FnOnce(&mut Gpu) -> Outcome<CudaSlice<u32>>,
) -> Outcome {
    let [dedup, runs, reduce_by_key, dedup_by_key] =
        ["dedup", "runs", "reduce_by_key", "dedup_by_key"].map(|algo| format!("{algo}_{of}"));
    let algos = [&dedup, &runs, &reduce_by_key, &dedup_by_key];
    if !gpu.fits::<u32>(n) || !algos.iter().any(|algo| gpu.wants::<u32>(algo)) {
        return Ok(());
    }
    let keys = keys(gpu)?;
    let shown = gpu.elements(&keys, 0..n.min(SHOWN))?;
    let begins: Vec<usize> = (0..shown.len()).filter(|&at| at == 0 || shown[at] != shown[at - 1]).collect();
    let values: Vec<u32> = begins.iter().map(|&at| shown[at]).collect();
    counted(
        gpu,
        &dedup,
        n,
        &values,
        |found| 4 * (n + found),
        |device, out, count| Dedup::new().run_counted(device, &keys, out, count),
    )?;
    if gpu.wants::<u32>(&runs) {
        // The call stores as many lengths as values.
        let lengths = RefCell::new(gpu.array::<u32>(n)?);
        counted(
            gpu,
            &runs,
            n,
            &values,
            |found| 4 * (n + 2 * found),
            |device, out, count| Runs::new().run_counted(device, &keys, (out, &mut *lengths.borrow_mut()), count),
        )?;
        let of_runs: Vec<u32> = begins.windows(2).map(|run| (run[1] - run[0]) as u32).collect();
        first_are(gpu, &runs, &lengths.borrow(), &of_runs)?;
    }
    by_key(gpu, &reduce_by_key, Sum, (&keys, &values), &begins)?;
    by_key(gpu, &dedup_by_key, First, (&keys, &values), &begins)
}

/// Measures a reduction by key: for each run of equal keys the key, and the combination of the run's values.
fn by_key<Op: Operator<u32> + Copy>(
    gpu: &mut Gpu,
    algo: &str,
    operator: Op,
    (keys, first_keys): (&CudaSlice<u32>, &[u32]),
    begins: &[usize],
) -> Outcome {
    if !gpu.wants::<u32>(algo) {
        return Ok(());
    }
    let n = keys.len();
    let (values, found_keys) = (gpu.filled::<u32>(n)?, RefCell::new(gpu.array::<u32>(n)?));
    let reduce = Reduce::new(operator).segments(Segments::Keys(keys));
    let of_run = |run: &[usize]| {
        (run[0] + 1..run[1]).fold(u32::random(run[0]), |sum, at| operator.combine(sum, u32::random(at)))
    };
    let expected: Vec<u32> = begins.windows(2).map(of_run).collect();
    counted(
        gpu,
        algo,
        n,
        &expected,
        |found| 8 * (n + found),
        |device, out, count| reduce.run_with_keys_counted(device, &values, (&mut *found_keys.borrow_mut(), out), count),
    )?;
    first_are(gpu, algo, &found_keys.borrow(), first_keys)
}

/// Checks and times a call whose number of results only the device knows. The first results must equal `expected`.
/// `bytes` returns the number of bytes that a call with this number of results moves.
pub(crate) fn counted<T: Value>(
    gpu: &mut Gpu,
    algo: &str,
    n: usize,
    expected: &[T],
    bytes: impl Fn(usize) -> usize,
    call: impl Fn(&Device, &mut CudaSlice<T>, &mut Count) -> upsweep::Result<()>,
) -> Outcome {
    if !gpu.wants::<T>(algo) {
        return Ok(());
    }
    let (mut out, mut count) = (gpu.array::<T>(n)?, gpu.count()?);
    call(gpu.device(), &mut out, &mut count)?;
    let found = count.get()?;
    if found < expected.len() {
        return Err(format!("{algo}: {found} results, which must be {} or more", expected.len()).into());
    }
    first_are(gpu, algo, &out, expected)?;
    let count = RefCell::new(count);
    gpu.call(algo, n, bytes(found), &mut out, |device, out| call(device, out, &mut count.borrow_mut()))
}

/// Checks that the first results of a call equal `expected`.
pub(crate) fn first_are<T: Value>(gpu: &Gpu, algo: &str, out: &CudaSlice<T>, expected: &[T]) -> Outcome {
    let found = gpu.elements(out, 0..expected.len())?;
    match (0..found.len()).find(|&at| found[at] != expected[at]) {
        Some(at) => Err(format!("{algo}: result {at} is {:?}, not {:?}", found[at], expected[at]).into()),
        None => Ok(()),
    }
}

/// Measures an expansion of the counts `counts` to the owner of each result: the index of the count that it belongs to.
pub(crate) fn expand(gpu: &mut Gpu, algo: &str, n: usize, counts: impl FnOnce() -> Vec<u32>) -> Outcome {
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>(algo) {
        return Ok(());
    }
    let host = counts();
    let (counts, count) = (gpu.upload(&host)?, RefCell::new(gpu.count()?));
    let total = host.iter().map(|&count| count as usize).sum::<usize>();
    let output = RefCell::new(gpu.array::<u32>(total)?);
    let owners = host.iter().enumerate().flat_map(|(owner, &count)| (0..count).map(move |_| owner as u32));
    Expand::new().run_counted(gpu.device(), &counts, &mut *output.borrow_mut(), &mut count.borrow_mut())?;
    let found = gpu.elements(&output.borrow(), 0..total)?;
    if let Some(at) = found.iter().zip(owners).position(|(found, owner)| *found != owner) {
        return Err(format!("{algo}: result {at} is {}, another owner's", found[at]).into());
    }
    gpu.time::<u32>(algo, n, (host.len() + total) * size_of::<u32>(), |device, _, _| {
        Expand::new().run_counted(device, &counts, &mut *output.borrow_mut(), &mut count.borrow_mut())
    })
}

/// Measures a search for random values in a sorted array of `n` elements; there are a sixteenth as many values. The
/// bytes in the record are those of the values and the results.
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
