//! Sorts of random keys, of pairs, and of positions. The bytes of a record's row are one reading and one writing of the
//! keys and values, so its share of a copy says how many copies a sort takes.

use crate::gpu::{Gpu, SHAPES};
use cudarc::driver::{CudaView, CudaViewMut};
use half::f16;
use std::cell::RefCell;
use upsweep::prelude::*;
use upsweep::{Index, Input, Key};
use upsweep_bench::{Outcome, Value};

/// Measures all sorts, of arrays of 2^k elements for each k in `sizes`.
pub(crate) fn bench(gpu: &mut Gpu, sizes: &[u32]) -> Outcome {
    for &log2n in sizes {
        let n = 1usize << log2n;
        keys::<u8>(gpu, n)?;
        keys::<u16>(gpu, n)?;
        keys::<f16>(gpu, n)?;
        keys::<u32>(gpu, n)?;
        keys::<f32>(gpu, n)?;
        keys::<u64>(gpu, n)?;
        keys::<f64>(gpu, n)?;
        pairs::<u32>(gpu, n)?;
        pairs::<f32>(gpu, n)?;
        positions::<u32>(gpu, n)?;
        sorted(gpu, n)?;
        of_32_bits(gpu, n)?;
        any_float(gpu, n)?;
        wide_pairs(gpu, n)?;
        rows(gpu, n, 64)?;
        rows(gpu, n, 4096)?;
        by_a_power_law(gpu, n)?;
    }
    Ok(())
}

/// Measures sorts of random keys, and of worst cases: keys whose order or values digits or buckets may handle badly.
pub(crate) fn shapes(gpu: &mut Gpu, sizes: &[u32]) -> Outcome {
    for n in sizes.iter().map(|log2n| 1usize << log2n) {
        for name in SHAPES {
            let algo = format!("sort_shapes_{name}");
            if gpu.fits::<u32>(n) && gpu.wants::<u32>(&algo) {
                let keys = gpu.shaped(n, name)?;
                given(gpu, &algo, n, &keys)?;
            }
        }
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

/// Measures sorts of pairs in which each value equals its key.
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

/// Map to a number of 64 bits of which only the 32 bits in the middle vary.
#[function]
fn middle_bits(x: u64) -> u64 {
    x & 0x0000_ffff_ffff_0000
}

/// Map of bits to a float of any exponent that is neither NaN nor infinite.
#[function]
fn finite(bits: u32) -> f32 {
    f32::from_bits(if bits & 0x7f80_0000 == 0x7f80_0000 { bits ^ 0x4000_0000 } else { bits })
}

/// Measures a sort of the keys `keys`, which are not the random input of the other benches.
fn given<T, I>(gpu: &mut Gpu, algo: &str, n: usize, keys: &I) -> Outcome
where
    T: Value + Key + PartialOrd,
    I: Input<Item = T>,
{
    let mut out = gpu.filled::<T>(n)?;
    gpu.call::<T>(algo, n, 2 * n * size_of::<T>(), &mut out, |device, out| Sort::new().run(device, keys, out))?;
    for at in (1..n).step_by(n / 1000 + 1) {
        let (before, found) = (gpu.element(&out, at - 1)?, gpu.element(&out, at)?);
        if found < before {
            return Err(format!("{algo}: element {at} is {found:?}, after {before:?}").into());
        }
    }
    Ok(())
}

fn sorted(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>("sort_sorted") {
        return Ok(());
    }
    let given_bits = gpu.filled::<u32>(n)?;
    let keys: Array<u32> = Sort::new().run_to_array(gpu.device(), &given_bits)?;
    given(gpu, "sort_sorted", n, &keys)
}

fn of_32_bits(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.fits::<u64>(n) || !gpu.wants::<u64>("sort_32_bits") {
        return Ok(());
    }
    let given_bits = gpu.filled::<u64>(n)?;
    let keys: Array<u64> = Transform::new(MiddleBits).run_to_array(gpu.device(), &given_bits)?;
    given(gpu, "sort_32_bits", n, &keys)
}

fn any_float(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.fits::<f32>(n) || !gpu.wants::<f32>("sort_all_bits") {
        return Ok(());
    }
    let keys = finite_floats(gpu, n)?;
    given(gpu, "sort_all_bits", n, &keys)
}

/// Returns finite floats whose bits are random: any sign, exponent and mantissa.
pub(crate) fn finite_floats(gpu: &mut Gpu, n: usize) -> Outcome<Array<f32>> {
    let given_bits = gpu.filled::<u32>(n)?;
    Ok(Transform::new(Finite).run_to_array(gpu.device(), &given_bits)?)
}

/// Measures sorts of 64-bit keys with 32-bit values.
fn wide_pairs(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.fits::<u64>(n) || !gpu.wants::<u64>("sort_pairs_u32") {
        return Ok(());
    }
    let (values, sorted) = (gpu.filled::<u32>(n)?, RefCell::new(gpu.filled::<u32>(n)?));
    gpu.sort(
        "sort_pairs_u32",
        (n, 2 * n * (size_of::<u64>() + size_of::<u32>())),
        |found: &[u64]| found.is_sorted(),
        |device: &Device, x: &CudaView<'_, u64>, out: &mut CudaViewMut<'_, u64>| {
            Sort::pairs().run(device, (x, &values), (out, &mut *sorted.borrow_mut()))
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

/// Measures sorts of rows of `len` keys, each row by itself.
fn rows(gpu: &mut Gpu, n: usize, len: usize) -> Outcome {
    if !gpu.fits::<u32>(n) || n < len {
        return Ok(());
    }
    gpu.sort(
        &format!("sort_rows_{len}"),
        (n, 8 * n),
        |found: &[u32]| found.windows(2).filter(|pair| pair[0] > pair[1]).count() <= found.len() / len + 1,
        |device: &Device, x: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
            Sort::new().axis(&[n / len, len], 1).run(device, x, out)
        },
    )
}

/// Measures sorts of segments of 16 to 2^24 keys, whose lengths follow a power law with the exponent 2.1.
fn by_a_power_law(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.fits::<u32>(n) || !gpu.wants::<u32>("sort_segments_power_law") {
        return Ok(());
    }
    let (mut offsets, mut end, mut state) = (vec![0u64], 0, 1u64);
    while end < n {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (state >> 11) as f64 / (1u64 << 53) as f64;
        let longest = (1u64 << 24) as f64;
        let length = 16.0 * (1.0 - share * (1.0 - (16.0 / longest).powf(1.1))).powf(-1.0 / 1.1);
        end = (end + length as usize).min(n);
        offsets.push(end as u64);
    }
    let segments = offsets.len();
    let offsets = gpu.upload(&offsets)?;
    gpu.sort(
        "sort_segments_power_law",
        (n, 8 * n),
        |found: &[u32]| found.windows(2).filter(|pair| pair[0] > pair[1]).count() <= segments,
        |device: &Device, x: &CudaView<'_, u32>, out: &mut CudaViewMut<'_, u32>| {
            Sort::new().segments(Segments::Offsets(&offsets)).run(device, x, out)
        },
    )
}
