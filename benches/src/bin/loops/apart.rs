//! Rows with gaps behind them, and rows of a sparse matrix.

use crate::bench::{Bench, by_rows, by_rows_on_all_threads, close};
use rayon::prelude::*;
use upsweep::prelude::*;
use upsweep_bench::{Outcome, hash};

/// Running sums along rows and down columns of three quarters of a matrix.
pub(super) fn rows_with_gaps(bench: &mut Bench) -> Outcome {
    for (rows, pitch) in [(1_000_000, 12), (100_000, 120), (2_500, 4_000)] {
        let (rows, pitch) = (bench.len(rows), bench.len(pitch));
        let len = pitch / 4 * 3;
        let shape = [rows, len];
        let input: Vec<f64> = (0..rows * pitch).map(|i| (hash(i) >> 40) as f64).collect();
        let along = Scan::new(Sum).axis(&shape, 1).pitch(pitch);
        let row = |x: &[f64], y: &mut [f64]| {
            let mut sum = 0.0;
            for (x, y) in x[..len].iter().zip(y) {
                sum += *x;
                *y = sum;
            }
        };
        bench.race(
            (&format!("inclusive_sum_rows_of_{len}_of_{pitch}"), "f64"),
            &input,
            f64::eq,
            |x, y| along.run(&bench.device, x, y),
            &[&|x, y| by_rows(pitch, x, y, row), &|x, y| by_rows_on_all_threads(pitch, x, y, row)],
        )?;
        let down = Scan::new(Sum).axis(&shape, 0).pitch(pitch);
        bench.race(
            (&format!("inclusive_sum_columns_{len}_of_{pitch}"), "f64"),
            &input,
            f64::eq,
            |x, y| down.run(&bench.device, x, y),
            &[&|x, y| by_columns(len, pitch, x, y)],
        )?;
    }
    Ok(())
}

#[inline(never)]
fn by_columns(len: usize, pitch: usize, input: &[f64], output: &mut [f64]) {
    output[..len].copy_from_slice(&input[..len]);
    for begin in (pitch..input.len()).step_by(pitch) {
        let (before, row) = output.split_at_mut(begin);
        let before = &before[begin - pitch..];
        for ((y, x), before) in row[..len].iter_mut().zip(&input[begin..]).zip(before) {
            *y = before + x;
        }
    }
}

#[function]
fn times(a: f64, x: f64) -> f64 {
    a * x
}

/// Sparse matrices in compressed rows times a vector, with this many entries a row.
pub(super) fn products(bench: &mut Bench) -> Outcome {
    for entries in [5, 20, 100] {
        let rows = bench.len(10_000_000 / entries);
        let lengths = (0..rows).map(|row| (hash(row) % (2 * entries as u64 + 1)) as usize);
        let offsets: Vec<u32> = std::iter::once(0)
            .chain(lengths.scan(0, |sum, len| {
                *sum += len as u32;
                Some(*sum)
            }))
            .collect();
        let count = offsets[rows] as usize;
        let columns: Vec<u32> = (0..count).map(|i| (hash(i) % rows as u64) as u32).collect();
        let values: Vec<f64> = (0..count).map(|i| hash(i + count) as f64 / u64::MAX as f64).collect();
        let x: Vec<f64> = (0..rows).map(|i| hash(i) as f64 / u64::MAX as f64).collect();
        let product = Reduce::new(Sum).map(Times).segments(Segments::Offsets(&offsets));
        let row = |range: &[u32]| {
            let (from, to) = (range[0] as usize, range[1] as usize);
            values[from..to].iter().zip(&columns[from..to]).fold(0.0, |sum, (a, &c)| sum + a * x[c as usize])
        };
        bench.race_to(
            rows,
            (&format!("sparse_product_{entries}_a_row"), "f64"),
            &values,
            close,
            |values, y| product.run(&bench.device, (values, Gather::of(&x).at(&columns)), y),
            &[&|_, y| offsets.windows(2).zip(y).for_each(|(range, y)| *y = row(range)), &|_, y| {
                offsets.par_windows(2).zip(y).for_each(|(range, y)| *y = row(range))
            }],
        )?;
    }
    Ok(())
}
