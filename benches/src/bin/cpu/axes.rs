//! Scans and reductions along the axes of matrices.

use crate::timing::Bench;
use upsweep::prelude::*;
use upsweep_apps::image::{BoxBlur, Extent};
use upsweep_bench::{Options, Outcome, Record, Value};

/// Measures scans and reductions of some long interleaved lines: along the first axis of matrices with few columns.
pub(crate) fn columns(options: &Options, record: &mut Record) -> Outcome {
    let device = Device::cpu();
    let most = 1 << options.sizes(&[26], &[24]).into_iter().max().unwrap_or(26);
    for (rows, columns) in [(most / 4, 3), (most / 64, 64)] {
        let scan = format!("inclusive_sum_columns_{rows}x{columns}");
        let reduce = format!("reduce_sum_columns_{rows}x{columns}");
        if !options.wants(&scan, f32::NAME) && !options.wants(&reduce, f32::NAME) {
            continue;
        }
        let input: Vec<f32> = (0..rows * columns).map(f32::random).collect();
        let shape = [rows, columns];
        let bench = Bench { algo: &scan, input: &input, results: input.len(), options };
        bench.run(
            record,
            |input, output| Scan::new(Sum).axis(&shape, 0).run(&device, input, output),
            |input, output| plain_rows(input, output, columns),
        )?;
        let bench = Bench { algo: &reduce, results: columns, ..bench };
        bench.run(
            record,
            |input, output| Reduce::new(Sum).axis(&shape, 0).run(&device, input, output),
            plain_rows_fold,
        )?;
    }
    Ok(())
}

/// Measures running sums along the rows of a square image, and then down its columns.
pub(crate) fn two_axes(options: &Options, record: &mut Record) -> Outcome {
    let device = Device::cpu();
    for log2n in options.sizes(&[16, 20, 24, 26], &[16, 24]) {
        let side = 1usize << (log2n / 2);
        let (shape, axes) = ([(1 << log2n) / side, side], [1, 0]);
        let input: Vec<f32> = (0..1 << log2n).map(f32::random).collect();
        Bench { algo: "two_axes", input: &input, results: input.len(), options }.run(
            record,
            |input, output| Scan::new(Sum).axes(&shape, &axes).run(&device, input, output),
            |input, output| plain_axes(input, output, side),
        )?;
    }
    Ok(())
}

/// Radius of a box blur in pixels.
const RADIUS: usize = 50;

/// Measures box blurs of a square image: the mean of the pixels around each pixel.
pub(crate) fn box_blur(options: &Options, record: &mut Record) -> Outcome {
    let device = Device::cpu();
    for log2n in options.sizes(&[16, 20, 24, 26], &[16, 24]) {
        let side = 1usize << (log2n / 2);
        let input: Vec<f32> = (0..side * side).map(f32::random).collect();
        let algo = format!("box_blur_{RADIUS}");
        Bench { algo: &algo, input: &input, results: input.len(), options }.run(
            record,
            |input, output| BoxBlur::new(RADIUS as u32).run(&device, input, Extent::new(side, side), output),
            |input, output| plain_blur(input, output, side),
        )?;
    }
    Ok(())
}

/// Scan of interleaved lines by a plain loop: each row is added to the sums of the rows before it.
#[inline(never)]
fn plain_rows(input: &[f32], output: &mut [f32], columns: usize) {
    output[..columns].copy_from_slice(&input[..columns]);
    for row in 1..input.len() / columns {
        let (before, rest) = output[(row - 1) * columns..].split_at_mut(columns);
        for ((sum, x), out) in before.iter().zip(&input[row * columns..]).zip(rest) {
            *out = sum + x;
        }
    }
}

/// Scan along two axes by a plain loop: the sum of a row so far is added to the result above.
#[inline(never)]
fn plain_axes(input: &[f32], output: &mut [f32], width: usize) {
    let mut above = vec![0.0; width];
    for (row, out) in input.chunks_exact(width).zip(output.chunks_exact_mut(width)) {
        let mut sum = 0.0;
        for ((x, above), out) in row.iter().zip(&mut above).zip(out) {
            sum += x;
            *above += sum;
            *out = *above;
        }
    }
}

/// Box blur by plain loops: running sums down the columns, and a running sum of these along each row.
#[inline(never)]
fn plain_blur(input: &[f32], output: &mut [f32], side: usize) {
    let mut columns = vec![0.0f64; side];
    let window = |at: usize| at.saturating_sub(RADIUS)..(at + RADIUS + 1).min(side);
    let mut rows = 0..0;
    for (row, out) in output.chunks_exact_mut(side).enumerate() {
        let (before, now) = (rows.clone(), window(row));
        for x in input[before.end * side..now.end * side].chunks_exact(side) {
            columns.iter_mut().zip(x).for_each(|(sum, x)| *sum += f64::from(*x));
        }
        for x in input[before.start * side..now.start * side].chunks_exact(side) {
            columns.iter_mut().zip(x).for_each(|(sum, x)| *sum -= f64::from(*x));
        }
        let (mut sum, mut summed) = (0.0, 0..0);
        for (column, out) in out.iter_mut().enumerate() {
            let to = window(column);
            columns[summed.end..to.end].iter().for_each(|column| sum += column);
            columns[summed.start..to.start].iter().for_each(|column| sum -= column);
            *out = (sum / (now.len() * to.len()) as f64) as f32;
            summed = to;
        }
        rows = now;
    }
}

/// Reduction of interleaved lines by a plain loop.
#[inline(never)]
fn plain_rows_fold(input: &[f32], output: &mut [f32]) {
    output.fill(0.0);
    for row in input.chunks_exact(output.len()) {
        for (sum, x) in output.iter_mut().zip(row) {
            *sum += x;
        }
    }
}
