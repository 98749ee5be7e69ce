//! Building blocks of applications: several inputs, computed and gathered ones, functions that capture values. Each has
//! a plain kernel of the same bytes beside it where a copy is no yardstick.

use super::gpu::Gpu;
use super::step::{Affine, Offset, Then};
use std::f32::consts::LN_2;
use upsweep::Input;
use upsweep::operator::builtin::{FourPowers, Logarithm, SumOfPowers};
use upsweep::prelude::*;
use upsweep_bench::{Outcome, Value, hash};

#[function]
fn times(a: f32, x: f32) -> f32 {
    a * x
}

/// Map to a step of generalised advantage estimation, which goes from the last step of an episode to the first.
#[function]
fn discounted(#[param] gamma: f32, #[param] lambda: f32, reward: f32, value: f32, next: f32, end: u8) -> Affine {
    let left = if end == 0 { 1.0f32 } else { 0.0 };
    Affine { m: gamma * lambda * left, c: reward + gamma * left * next - value }
}

/// Index, in a square matrix of 2^`bits` rows, of the element that is element `i` of the transposed matrix.
#[function]
fn transposed(#[param] bits: u32, i: u32) -> u32 {
    (i << bits | i >> bits) & ((1 << 2 * bits) - 1)
}

/// Number of entries in a row of a sparse matrix. Their columns are neighbours, or random.
const A_ROW: usize = 16;
const STEPS: usize = 1 << 10;

pub(crate) fn bench(gpu: &mut Gpu, log2n: u32) -> Outcome {
    product(gpu, 1 << log2n)?;
    advantages(gpu, 1 << log2n)?;
    sparse(gpu, log2n)?;
    log_sum_exp(gpu, 1 << log2n)?;
    // The square's sides are powers of two.
    transpose(gpu, log2n / 2 * 2)
}

fn product(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.wants::<f32>("product_sum") {
        return Ok(());
    }
    let (a, b, mut out) = (gpu.filled::<f32>(n)?, gpu.filled::<f32>(n)?, gpu.filled::<f32>(1)?);
    // Sums of small integers are exact in f64.
    let exact = (0..n).map(|i| f64::from(f32::random(i)).powi(2)).sum::<f64>();
    gpu.plain::<f32>("read_two", ("read_two", 4096), n, 2 * n * size_of::<f32>(), (&a, &b))?;
    gpu.call::<f32>("product_sum", n, 2 * n * size_of::<f32>(), &mut out, |device, out| {
        Reduce::new(Sum).map(Times).run(device, (&a, &b), out)
    })?;
    let found = f64::from(gpu.element(&out, 0)?);
    if (found / exact - 1.0).abs() > 1e-5 { Err(format!("product_sum: {found}, not {exact}").into()) } else { Ok(()) }
}

fn advantages(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.wants::<f32>("advantages") {
        return Ok(());
    }
    let (rewards, values) = (gpu.filled::<f32>(n)?, gpu.filled::<f32>(n)?);
    let (next, ends, mut out) = (gpu.filled::<f32>(n)?, gpu.filled::<u8>(n)?, gpu.filled::<f32>(n)?);
    let shape = [n / STEPS.min(n), STEPS.min(n)];
    // The results are exact, because there is no discount and all numbers are whole.
    let scan = Scan::new(Then).reverse().axis(&shape, 1).map(Discounted { gamma: 1.0, lambda: 1.0 }).finish(Offset);
    gpu.call::<f32>("advantages", n, n * (4 * size_of::<f32>() + 1), &mut out, |device, out| {
        scan.run(device, (&rewards, &values, &next, &ends), out)
    })?;
    for row in [0, shape[0] / 2, shape[0] - 1] {
        let mut after = 0.0;
        for i in (row * shape[1]..(row + 1) * shape[1]).rev() {
            let (x, left) = (f32::random(i), if u8::random(i) == 0 { 1.0 } else { 0.0 });
            after = x + left * x - x + left * after;
            let found = gpu.element(&out, i)?;
            if found != after {
                return Err(format!("advantages: element {i} is {found}, not {after}").into());
            }
        }
    }
    Ok(())
}

fn sparse(gpu: &mut Gpu, log2n: u32) -> Outcome {
    let n = 1usize << log2n;
    let rows = n / A_ROW;
    for (name, random) in [("sparse_product_banded", false), ("sparse_product_random", true)] {
        if !gpu.wants::<f32>(name) {
            continue;
        }
        let column = |i: usize| (if random { hash(i) as usize } else { i / A_ROW + i % A_ROW }) % rows;
        let columns: Vec<u32> = (0..n).map(|i| column(i) as u32).collect();
        let offsets: Vec<u32> = (0..=rows).map(|row| (row * A_ROW) as u32).collect();
        let (columns, offsets) = (gpu.upload(&columns)?, gpu.upload(&offsets)?);
        let (values, x, mut y) = (gpu.filled::<f32>(n)?, gpu.filled::<f32>(rows)?, gpu.filled::<f32>(rows)?);
        let bytes = n * 8 + rows * 4 * 3;
        let reduce = Reduce::new(Sum).map(Times).segments(Segments::Offsets(&offsets));
        gpu.call::<f32>(name, n, bytes, &mut y, |device, y| {
            reduce.run(device, (&values, Gather::of(&x).at(&columns)), y)
        })?;
        for row in (0..rows).step_by(rows / 100 + 1) {
            let products = (row * A_ROW..(row + 1) * A_ROW).map(|i| f32::random(i) * f32::random(column(i)));
            let (found, expected) = (gpu.element(&y, row)?, products.sum::<f32>());
            if found != expected {
                return Err(format!("{name}: row {row} is {found}, not {expected}").into());
            }
        }
    }
    Ok(())
}

fn log_sum_exp(gpu: &mut Gpu, n: usize) -> Outcome {
    if !gpu.wants::<f32>("log_sum_exp_rows") {
        return Ok(());
    }
    let shape = [n / STEPS.min(n), STEPS.min(n)];
    let (x, mut out) = (gpu.filled::<f32>(n)?, gpu.filled::<f32>(shape[0])?);
    gpu.call::<f32>("log_sum_exp_rows", n, n * 4 + shape[0] * 4, &mut out, |device, out| {
        let (chunks, _) = x.view().as_chunks::<4>();
        Reduce::new(SumOfPowers)
            .map(FourPowers)
            .finish(Logarithm)
            .axis(&[shape[0], shape[1] / 4], 1)
            .run(device, &chunks, out)
    })?;
    for row in [0, shape[0] / 2, shape[0] - 1] {
        let sum: f64 = (row * shape[1]..(row + 1) * shape[1]).map(|i| f64::from(f32::random(i)).exp()).sum();
        let (found, expected) = (gpu.element(&out, row)?, sum.ln() as f32);
        if (found - expected).abs() > LN_2 * 1e-5 {
            return Err(format!("log_sum_exp_rows: row {row} is {found}, not {expected}").into());
        }
    }
    Ok(())
}

fn transpose(gpu: &mut Gpu, log2n: u32) -> Outcome {
    if !gpu.wants::<f32>("gather_transposed") {
        return Ok(());
    }
    let (n, bits) = (1usize << log2n, log2n / 2);
    let (x, mut out) = (gpu.filled::<f32>(n)?, gpu.filled::<f32>(n)?);
    gpu.plain::<f32>("gather_transposed", ("transpose", 1024), n, 2 * n * size_of::<f32>(), (&x, &out))?;
    let index = || Gather::of(&x).at(Apply(Transposed { bits }, 0..n as u32));
    gpu.call::<f32>("gather_transposed", n, 2 * n * size_of::<f32>(), &mut out, |device, out| {
        Transform::copy().run(device, index(), out)
    })?;
    for i in (0..n).step_by(n / 1000 + 1) {
        let (found, expected) = (gpu.element(&out, i)?, f32::random((i << bits | i >> bits) & (n - 1)));
        if found != expected {
            return Err(format!("gather_transposed: element {i} is {found}, not {expected}").into());
        }
    }
    Ok(())
}
