//! Graphs built from their edges, and products of sparse matrices built from their entries. benches/peers/python.py has
//! the same ones.

use crate::gpu::Gpu;
use upsweep::prelude::*;
use upsweep_apps::graph::{Edges, Matrix};
use upsweep_bench::{Outcome, Value, hash};

/// Mean number of entries in a row of a matrix.
const A_ROW: usize = 16;

#[function]
fn times(a: f32, x: f32) -> f32 {
    a * x
}

/// Measures graphs of at most 2^26 edges, and matrices of at most 2^26 entries.
pub(crate) fn bench(gpu: &mut Gpu, log2n: u32) -> Outcome {
    let n = 1usize << log2n.min(26);
    let rows = n / A_ROW;
    csr(gpu, n, rows)?;
    let alike = |_| A_ROW;
    product(gpu, "spmv_banded", n, &Rows::of(n, alike), |row, k| (row + k) % rows)?;
    // The columns of a row are random, each at most once.
    let anywhere =
        |row, k: usize| (hash(row) as usize).wrapping_add(k.wrapping_mul(hash(row) as usize >> 32 | 1)) % rows;
    product(gpu, "spmv_random", n, &Rows::of(n, alike), anywhere)?;
    // Power law: the share of rows with at least k entries is k^-1.1, so the share of rows with k entries falls as
    // k^-2.1.
    let power = |row| {
        let share = (hash(row) >> 11) as f64 / (1u64 << 53) as f64;
        ((1.0 - share).powf(-1.0 / 1.1) as usize).min(rows / 4)
    };
    product(gpu, "spmv_power_law", n, &Rows::of(n, power), anywhere)
}

fn csr(gpu: &mut Gpu, n: usize, vertices: usize) -> Outcome {
    let algo = "csr";
    if !gpu.wants::<u32>(algo) || !gpu.fits::<u32>(2 * n) {
        return Ok(());
    }
    let edge = |i: usize| ((hash(i) >> 32) as u32 % vertices as u32, hash(i) as u32 % vertices as u32);
    let (from, to): (Vec<u32>, Vec<u32>) = (0..n).map(edge).unzip();
    let (a, b) = (gpu.upload(&from)?, gpu.upload(&to)?);
    let graph = Edges::new(vertices).build(gpu.device(), &a, &b)?;
    let (offsets, targets) = (graph.offsets().to_vec()?, graph.targets().to_vec()?);
    // Checks that each row begins where a count says, that its targets ascend, and that all rows have the edges of the
    // list: the sum of the edges' hashes is the same.
    let mut lengths = vec![0u64; vertices];
    from.iter().for_each(|&from| lengths[from as usize] += 1);
    let name = |from: usize, to: u32| hash(from << 32 | to as usize);
    let (mut begin, mut sum) = (0u64, 0u64);
    for (row, length) in lengths.iter().enumerate() {
        let end = begin + length;
        let these = &targets[begin as usize..end as usize];
        if offsets[row] != begin || offsets[row + 1] != end || !these.is_sorted() {
            return Err(format!("csr: row {row} is {these:?} at {}, not at {begin}", offsets[row]).into());
        }
        sum = these.iter().fold(sum, |sum, &to| sum.wrapping_add(name(row, to)));
        begin = end;
    }
    let expected = from.iter().zip(&to).fold(0u64, |sum, (&from, &to)| sum.wrapping_add(name(from as usize, to)));
    if sum != expected {
        return Err("csr: the edges are not those of the list".into());
    }
    gpu.work::<u32>(algo, n, 3 * n * size_of::<u32>(), |device| {
        Edges::new(vertices).build(device, &a, &b)?;
        Ok(())
    })
}

/// Rows of a matrix: the offsets at which the entries of each row begin, and the end of the last row.
struct Rows(Vec<usize>);

impl Rows {
    /// Returns rows, of which row `i` has `length(i)` entries, until there are `n` entries.
    fn of(n: usize, length: impl Fn(usize) -> usize) -> Self {
        let mut offsets = vec![0];
        while let Some(&end) = offsets.last().filter(|&&end| end < n) {
            offsets.push((end + length(offsets.len() - 1)).min(n));
        }
        Self(offsets)
    }
}

fn product(gpu: &mut Gpu, algo: &str, n: usize, rows: &Rows, column: impl Fn(usize, usize) -> usize) -> Outcome {
    if !gpu.wants::<f32>(algo) || !gpu.fits::<f32>(n) {
        return Ok(());
    }
    let (count, columns) = (rows.0.len() - 1, n / A_ROW);
    let entries = |row: usize| (rows.0[row]..rows.0[row + 1]).enumerate().map(move |(k, i)| (row, k, i));
    let place = |(row, k, _): (usize, usize, usize)| (row as u32, column(row, k) as u32);
    let (at_row, at_column): (Vec<u32>, Vec<u32>) = (0..count).flat_map(entries).map(place).unzip();
    let (at_row, at_column) = (gpu.upload(&at_row)?, gpu.upload(&at_column)?);
    let (values, x) = (gpu.filled::<f32>(n)?, gpu.filled::<f32>(columns)?);
    let matrix = Matrix::build(gpu.device(), (count, columns), (&at_row, &at_column, &values))?;
    let found = matrix.product(gpu.device(), Sum, Times, &x)?.into_vec()?;
    for (row, &found) in found.iter().enumerate() {
        let terms = entries(row).map(|(row, k, i)| f32::random(i) * f32::random(column(row, k)));
        let expected: f32 = terms.sum();
        if found != expected {
            return Err(format!("{algo}: row {row} is {found}, not {expected}").into());
        }
    }
    // Bytes: for each entry a value and its column; for each row an offset of 8 bytes and a result; and the vector.
    gpu.work::<f32>(algo, n, 8 * n + 12 * count + 4 * columns, |device| {
        matrix.product::<_, _, _, f32>(device, Sum, Times, &x)?;
        Ok(())
    })
}
