//! The loops that a user would write instead, on the CPU: many short rows, moving sums, searches and groups, and some
//! long arrays. A row of the record is a shape, with the time of upsweep and that of the fastest loop.
//!
//! A rival is a plain loop on one thread, or the same loop by rayon over rows or values: the faster one counts. For
//! moving sums of integers it adds the value that enters and subtracts the one that leaves; for floats it is that of
//! van Herk and of Gil and Werman, as an infinity or a NaN must not stay. `--only` takes parts of `algorithm/type`, and
//! `--smoke` runs each shape once. Transposed views of ndarray are measured with the feature `peers`.

mod apart;
mod bench;

use self::bench::{Bench, Rival, by_rows, by_rows_on_all_threads, close};
use rayon::prelude::*;
use std::process::ExitCode;
use upsweep::prelude::*;
use upsweep_bench::{Number, Options, Outcome, exit_code, hash, head, machine};

const COLUMNS: &str = "algo,type,upsweep_us,rival_us,rival_over_upsweep";

fn main() -> ExitCode {
    exit_code(run())
}

fn run() -> Outcome {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut bench = Bench { device: Device::cpu(), options };
    for (key, value) in head(&machine(), "") {
        println!("# {key}: {value}");
    }
    println!("{COLUMNS}");
    moving_sums(&mut bench)?;
    recurrences(&mut bench)?;
    scans::<u64>(&mut bench)?;
    scans::<f64>(&mut bench)?;
    scans::<f32>(&mut bench)?;
    apart::rows_with_gaps(&mut bench)?;
    searches(&mut bench)?;
    apart::products(&mut bench)?;
    groups(&mut bench)?;
    #[cfg(feature = "peers")]
    views(&mut bench)?;
    Ok(())
}

/// Moving sums of a series, as a row and as a column, and of images.
fn moving_sums(bench: &mut Bench) -> Outcome {
    let n = bench.len(1_000_000);
    let integers: Vec<u64> = (0..n).map(hash).collect();
    let floats: Vec<f64> = (0..n).map(|i| hash(i) as f64 / u64::MAX as f64).collect();
    for window in [21, 2_001, 20_001] {
        let reach = window / 2;
        for (name, shape) in [("row", [1, 1, n, 1]), ("column", [1, n, 1, 1])] {
            let algo = format!("moving_sum_{name}_{window}");
            let sums = MovingSum::new(shape);
            let sums = if name == "row" { sums.columns(reach, reach) } else { sums.rows(reach, reach) };
            let running: Rival<'_, u64, u64> = &|x, y| running_sums(window, x, y);
            let upsweep = |x: &[u64], y: &mut [u64]| sums.run(&bench.device, x, y);
            bench.race((&algo, "u64"), &integers, u64::eq, upsweep, &[running])?;
            let van_herk: Rival<'_, f64, f64> = &|x, y| van_herk(window, x, y);
            let upsweep = |x: &[f64], y: &mut [f64]| sums.run(&bench.device, x, y);
            bench.race((&algo, "f64"), &floats, close, upsweep, &[van_herk])?;
        }
    }
    let side = if bench.options.smoke { 40 } else { 2048 };
    for radius in [2usize, 5, 50] {
        let sums = MovingSum::new([1, side, side, 1]).rows(radius, radius).columns(radius, radius);
        let algo = format!("moving_sum_image_{radius}");
        let integers: Vec<u64> = (0..side * side).map(hash).collect();
        let upsweep = |x: &[u64], y: &mut [u64]| sums.run(&bench.device, x, y);
        bench.race(
            (&algo, "u64"),
            &integers,
            u64::eq,
            upsweep,
            &[&|x, y| image(side, radius, x, y, u64::wrapping_sub)],
        )?;
        let floats: Vec<f64> = (0..side * side).map(|i| hash(i) as f64 / u64::MAX as f64).collect();
        let upsweep = |x: &[f64], y: &mut [f64]| sums.run(&bench.device, x, y);
        bench.race((&algo, "f64"), &floats, close, upsweep, &[&|x, y| image(side, radius, x, y, |a, b| a - b)])?;
    }
    Ok(())
}

/// Moving sums of an odd number of values: the value that enters is added, and the one that leaves is subtracted.
#[inline(never)]
fn running_sums(window: usize, input: &[u64], output: &mut [u64]) {
    let (n, reach) = (input.len(), window / 2);
    let mut sum = input.iter().take(reach).fold(0u64, |sum, &x| sum.wrapping_add(x));
    for (i, out) in output.iter_mut().enumerate() {
        if i + reach < n {
            sum = sum.wrapping_add(input[i + reach]);
        }
        if i > reach {
            sum = sum.wrapping_sub(input[i - reach - 1]);
        }
        *out = sum;
    }
}

/// Moving sums of an odd number of values: a window is the suffix of a block as long as a window, and a prefix of the
/// next block. Only the suffixes of one block are stored.
#[inline(never)]
fn van_herk(window: usize, input: &[f64], output: &mut [f64]) {
    let reach = window / 2;
    // The first block begins where the first window does.
    let at = |i: usize| i.checked_sub(reach).and_then(|i| input.get(i)).copied().unwrap_or(0.0);
    let mut suffixes = vec![0.0; window];
    for (block, out) in output.chunks_mut(window).enumerate() {
        let begin = block * window;
        let mut sum = 0.0;
        if let Some(x) = begin.checked_sub(reach).and_then(|from| input.get(from..from + window)) {
            for (suffix, x) in suffixes.iter_mut().zip(x).rev() {
                sum += x;
                *suffix = sum;
            }
        } else {
            for (i, suffix) in suffixes.iter_mut().enumerate().rev() {
                sum += at(begin + i);
                *suffix = sum;
            }
        }
        let mut sum = 0.0;
        if let Some(x) = input.get(begin + window - reach..begin + 2 * window - reach) {
            for ((out, suffix), x) in out.iter_mut().zip(&suffixes).zip(x) {
                *out = suffix + sum;
                sum += x;
            }
        } else {
            for (i, (out, suffix)) in out.iter_mut().zip(&suffixes).enumerate() {
                *out = suffix + sum;
                sum += at(begin + window + i);
            }
        }
    }
}

/// Moving sums of a square image: running sums down the columns, and a running sum of these along each row.
#[inline(never)]
fn image<T: Number>(side: usize, radius: usize, input: &[T], output: &mut [T], less: impl Fn(T, T) -> T) {
    let mut columns = vec![T::ZERO; side];
    let row = |y: usize| &input[y * side..(y + 1) * side];
    let add = |columns: &mut [T], y: usize| columns.iter_mut().zip(row(y)).for_each(|(sum, x)| *sum = sum.plus(*x));
    (0..radius.min(side)).for_each(|y| add(&mut columns, y));
    for (y, out) in output.chunks_exact_mut(side).enumerate() {
        if y + radius < side {
            add(&mut columns, y + radius);
        }
        if y > radius {
            columns.iter_mut().zip(row(y - radius - 1)).for_each(|(sum, x)| *sum = less(*sum, *x));
        }
        let mut sum = columns.iter().take(radius).fold(T::ZERO, |sum, &x| sum.plus(x));
        for (x, out) in out.iter_mut().enumerate() {
            if x + radius < side {
                sum = sum.plus(columns[x + radius]);
            }
            if x > radius {
                sum = less(sum, columns[x - radius - 1]);
            }
            *out = sum;
        }
    }
}

/// Recurrences of order 1 along rows, from many short ones to one line.
fn recurrences(bench: &mut Bench) -> Outcome {
    let recurrence = Recurrence::new(&[0.25], &[1.0, -0.75]);
    for (rows, len) in [(2_500_000, 4), (1_000_000, 10), (100_000, 100), (10_000, 1_000), (1, 10_000_000)] {
        let (rows, len) = (bench.len(rows), bench.len(len));
        let algo = format!("recurrence_1_rows_of_{len}");
        if !bench.options.wants(&algo, "f64") {
            continue;
        }
        let input: Vec<f64> = (0..rows * len).map(|i| hash(i) as f64 / u64::MAX as f64).collect();
        let shape = [rows, len];
        let along = recurrence.axis(&shape, 1);
        let upsweep = |x: &[f64], y: &mut [f64]| along.run(&bench.device, x, y);
        let row = |x: &[f64], y: &mut [f64]| {
            let mut before = 0.0;
            for (x, y) in x.iter().zip(y) {
                before = 0.25 * x + 0.75 * before;
                *y = before;
            }
        };
        bench.race(
            (&algo, "f64"),
            &input,
            close,
            upsweep,
            &[&|x, y| by_rows(len, x, y, row), &|x, y| by_rows_on_all_threads(len, x, y, row)],
        )?;
    }
    Ok(())
}

/// Running sums along rows, from many short ones to one line.
fn scans<T: Number + Default>(bench: &mut Bench) -> Outcome
where
    Sum: Operator<T>,
{
    for (rows, len) in [(2_500_000, 4), (1_000_000, 10), (100_000, 100), (10_000, 1_000), (1, 10_000_000)] {
        let (rows, len) = (bench.len(rows), bench.len(len));
        let algo = format!("inclusive_sum_rows_of_{len}");
        if !bench.options.wants(&algo, T::NAME) {
            continue;
        }
        let input: Vec<T> = (0..rows * len).map(T::random).collect();
        let shape = [rows, len];
        let scan = Scan::new(Sum).axis(&shape, 1);
        let upsweep = |x: &[T], y: &mut [T]| scan.run(&bench.device, x, y);
        let row = |x: &[T], y: &mut [T]| {
            let mut sum = T::ZERO;
            for (x, y) in x.iter().zip(y) {
                sum = sum.plus(*x);
                *y = sum;
            }
        };
        bench.race(
            (&algo, T::NAME),
            &input,
            T::eq,
            upsweep,
            &[&|x, y| by_rows(len, x, y, row), &|x, y| by_rows_on_all_threads(len, x, y, row)],
        )?;
    }
    Ok(())
}

/// Searches of many values, in no order, in short and long sorted arrays.
fn searches(bench: &mut Bench) -> Outcome {
    let number = |i: usize| hash(i) as f64 / u64::MAX as f64;
    let values: Vec<f64> = (0..bench.len(2_000_000)).map(number).collect();
    for len in [1_000, 1_000_000] {
        let len = bench.len(len);
        let mut sorted: Vec<f64> = (1 << 32..(1 << 32) + len).map(number).collect();
        sorted.sort_by(f64::total_cmp);
        let search = Search::lower(&sorted);
        let upsweep = |x: &[f64], y: &mut [u32]| search.run(&bench.device, x, y);
        let before = |x: f64| sorted.partition_point(|&element| element < x) as u32;
        bench.race(
            (&format!("search_in_{len}"), "f64"),
            &values,
            u32::eq,
            upsweep,
            &[&|x, y| x.iter().zip(y).for_each(|(&x, y)| *y = before(x)), &|x, y| {
                x.par_iter().zip(y).for_each(|(&x, y)| *y = before(x))
            }],
        )?;
    }
    Ok(())
}

/// Sum, highest value and number of the elements of a group.
#[derive(Element, Clone, Copy, Debug)]
#[repr(C)]
struct Group {
    sum: f64,
    highest: f64,
    rows: u64,
}

#[operator(identity = Group { sum: 0.0, highest: f64::NEG_INFINITY, rows: 0 })]
fn merged(a: Group, b: Group) -> Group {
    Group { sum: a.sum + b.sum, highest: a.highest.maximum(b.highest), rows: a.rows + b.rows }
}

#[function]
fn row(x: f64) -> Group {
    Group { sum: x, highest: x, rows: 1 }
}

#[function]
fn sum_mean_highest(group: Group) -> (f64, f64, f64) {
    (group.sum, group.sum / group.rows as f64, group.highest)
}

/// Sum, mean and highest value of the elements of each code, in no order. The rival has a table.
fn groups(bench: &mut Bench) -> Outcome {
    let rows = bench.len(10_000_000);
    let values: Vec<f64> = (0..rows).map(|i| hash(i) as f64 / u64::MAX as f64).collect();
    for count in [10, 1_000, 100_000] {
        let count = bench.len(count).min(rows / 50);
        let codes: Vec<u32> = (0..rows).map(|i| (hash(i + rows) % count as u64) as u32).collect();
        let aggregates = Reduce::new(Merged).map(Row).finish(SumMeanHighest);
        let upsweep = |x: &[u32], y: &mut [_]| aggregates.by_code(x, count).run(&bench.device, &values, y);
        let same = |a: &(f64, f64, f64), b: &(f64, f64, f64)| close(&a.0, &b.0) && close(&a.1, &b.1) && a.2 == b.2;
        bench.race_to(
            count,
            (&format!("aggregates_by_{count}"), "f64"),
            &codes,
            same,
            upsweep,
            &[&|x, y| {
                table(x, &values, y);
            }],
        )?;
    }
    Ok(())
}

#[inline(never)]
fn table(codes: &[u32], values: &[f64], output: &mut [(f64, f64, f64)]) {
    let mut table = vec![(0.0, 0u64, f64::NEG_INFINITY); output.len()];
    for (&code, &x) in codes.iter().zip(values) {
        let group = &mut table[code as usize];
        *group = (group.0 + x, group.1 + 1, group.2.max(x));
    }
    for (out, (sum, rows, highest)) in output.iter_mut().zip(table) {
        *out = (sum, sum / rows as f64, highest);
    }
}

/// Running sums along an axis of a transposed view, in place.
#[cfg(feature = "peers")]
fn views(bench: &mut Bench) -> Outcome {
    use ndarray::{ArrayViewMut2, Axis};
    use std::cell::Cell;

    let (rows, columns) = (bench.len(2_500), bench.len(4_000));
    let input: Vec<f64> = (0..rows * columns).map(|i| hash(i) as f64 / u64::MAX as f64).collect();
    // The first call has the input, and each later one what the call before it left.
    fn view<'a>(
        called: &Cell<bool>,
        input: &[f64],
        data: &'a mut [f64],
        shape: (usize, usize),
    ) -> Result<ArrayViewMut2<'a, f64>, upsweep::Error> {
        if !called.replace(true) {
            data.copy_from_slice(input);
        }
        let view = ArrayViewMut2::from_shape(shape, data);
        let len = input.len();
        view.map(ArrayViewMut2::reversed_axes).map_err(|_| upsweep::Error::Shape { shape: vec![shape.0, shape.1], len })
    }
    for axis in [0, 1] {
        let called = [Cell::new(false), Cell::new(false)];
        let upsweep = |x: &[f64], y: &mut [f64]| {
            let view = view(&called[0], x, y, (rows, columns))?;
            Scan::new(Sum).run_view_in_place(&bench.device, Axis(axis), view)
        };
        let rival: Rival<'_, f64, f64> = &|x, y| {
            if let Ok(mut view) = view(&called[1], x, y, (rows, columns)) {
                view.accumulate_axis_inplace(Axis(axis), |&before, x| *x += before);
            }
        };
        bench.race((&format!("transposed_view_axis_{axis}"), "f64"), &input, close, upsweep, &[rival])?;
    }
    Ok(())
}
