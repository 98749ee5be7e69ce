//! Scans, reductions, selections, recurrences, histograms and sorts on the CPU: upsweep on all cores, a plain loop on
//! one, and a copy.
//!
//! The copy is the faster of memcpy on one core and memcpy on every core, each core copying its own part: waking the
//! other cores does not pay for a few kilobytes.

mod axes;
mod pieces;
mod sorts;
mod timing;

use std::hint::black_box;
use std::process::ExitCode;
use timing::{Bench, ELEMENTS_A_SAMPLE, copy_on_every_core, sample};
use upsweep::prelude::*;
use upsweep::recurrence::{Coefficient, Signal};
use upsweep_bench::{Number, Options, Outcome, Record, Row, Value, exit_code, hash, machine, median};

fn main() -> ExitCode {
    exit_code(run())
}

fn run() -> Outcome {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut record = Record::create(&options, &machine(), "")?;
    bench::<i8>(&options, &mut record)?;
    bench::<u8>(&options, &mut record)?;
    bench::<i32>(&options, &mut record)?;
    bench::<f32>(&options, &mut record)?;
    bench::<f64>(&options, &mut record)?;
    axes::columns(&options, &mut record)?;
    axes::two_axes(&options, &mut record)?;
    axes::box_blur(&options, &mut record)?;
    pieces::pieces(&options, &mut record)?;
    selections(&options, &mut record)?;
    recurrences(&options, &mut record)?;
    histograms(&options, &mut record)?;
    sorts::sorts(&options, &mut record)
}

#[function]
fn odd(x: u32) -> bool {
    x % 2 == 1
}
/// Equality of neighbours by which runs of equal elements have a mean length of 64.
#[function]
fn goes_on(_a: u32, b: u32) -> bool {
    b % 64 != 1
}

/// Measures selections and partitions, beside plain loops: of half of the elements; of both halves, in one array and in
/// two; of the first element of each run of 64 in the mean; and of these with the length of each run.
fn selections(options: &Options, record: &mut Record) -> Outcome {
    let device = Device::cpu();
    for log2n in options.sizes(&[16, 20, 24, 27], &[16, 24]) {
        let input: Vec<u32> = (0..1 << log2n).map(u32::random).collect();
        let store = |values: &mut dyn Iterator<Item = u32>, output: &mut [u32]| {
            output.iter_mut().zip(values).for_each(|(to, value)| *to = value);
        };
        let results = input.iter().filter(|&&x| x % 2 == 1).count();
        Bench { algo: "select_half", input: &input, results, options }.run(
            record,
            |input, output| Select::new(Odd).run(&device, input, output).map(drop),
            |input, output| store(&mut input.iter().copied().filter(|x| x % 2 == 1), output),
        )?;
        Bench { algo: "partition_behind", input: &input, results: input.len(), options }.run(
            record,
            |input, output| Partition::new(Odd).run(&device, input, output).map(drop),
            |input, output| {
                let (odd, even) = (input.iter().filter(|&x| x % 2 == 1), input.iter().filter(|&x| x % 2 == 0));
                store(&mut odd.chain(even).copied(), output);
            },
        )?;
        Bench { algo: "partition_apart", input: &input, results: input.len(), options }.run(
            record,
            |input, output| {
                let (odd, even) = output.split_at_mut(results);
                Partition::new(Odd).run(&device, input, (odd, even)).map(drop)
            },
            |input, output| {
                let (odd, even) = (input.iter().filter(|&x| x % 2 == 1), input.iter().filter(|&x| x % 2 == 0));
                store(&mut odd.chain(even).copied(), output);
            },
        )?;
        let is_first = |(at, x): &(usize, u32)| *at == 0 || x % 64 == 1;
        let results = input.iter().copied().enumerate().filter(is_first).count();
        Bench { algo: "dedup_64", input: &input, results, options }.run(
            record,
            |input, output| Dedup::by(GoesOn).run(&device, input, output).map(drop),
            |input, output| {
                store(&mut input.iter().copied().enumerate().filter(is_first).map(|(_, x)| x), output);
            },
        )?;
        Bench { algo: "runs_64", input: &input, results: 2 * results, options }.run(
            record,
            |input, output| Runs::by(GoesOn).run(&device, input, output.split_at_mut(results)).map(drop),
            |input, output| {
                let (values, lengths) = output.split_at_mut(results);
                let mut runs = input.iter().copied().enumerate().filter(is_first).peekable();
                for (value, length) in values.iter_mut().zip(lengths) {
                    if let Some((at, x)) = runs.next() {
                        (*value, *length) = (x, (runs.peek().map_or(input.len(), |next| next.0) - at) as u32);
                    }
                }
            },
        )?;
    }
    Ok(())
}

/// Measures the sum and the maximum of elements of one type: scans and reductions.
fn bench<T>(options: &Options, record: &mut Record) -> Outcome
where
    T: Number,
    Sum: Operator<T>,
    Max: Operator<T>,
{
    for log2n in options.sizes(&[10, 16, 20, 24, 27], &[10, 16, 24]) {
        let input: Vec<T> = (0..1 << log2n).map(T::random).collect();
        operator(("inclusive_sum", "reduce_sum"), Sum, T::plus, &input, options, record)?;
        operator(("inclusive_max", "reduce_max"), Max, T::larger, &input, options, record)?;
    }
    Ok(())
}

/// Measures the scan and the reduction of a whole array by one operator.
fn operator<T: Number, Op: Operator<T>>(
    (scan, reduce): (&str, &str),
    operator: Op,
    combine: impl Fn(T, T) -> T + Copy,
    input: &[T],
    options: &Options,
    record: &mut Record,
) -> Outcome {
    let device = Device::cpu();
    let bench = Bench { algo: scan, input, results: input.len(), options };
    bench.run(
        record,
        |input, output| Scan::new(operator).run(&device, input, output),
        |input, output| plain_loop(input, output, combine),
    )?;
    let bench = Bench { algo: reduce, results: 1, ..bench };
    bench.run(
        record,
        |input, output| Reduce::new(operator).run(&device, input, output),
        |input, output| plain_fold(input, output, combine),
    )
}

/// Measures linear recurrences whose poles lie between 0.5 and 0.9: of one line, of rows and of columns.
fn recurrences(options: &Options, record: &mut Record) -> Outcome {
    for log2n in options.sizes(&[16, 20, 24, 27], &[16, 24]) {
        for order in [1, 2, 4, 8] {
            filter::<f32>(&format!("recurrence_{order}"), order, None, |x| x as f32, log2n, options, record)?;
        }
        filter::<f64>("recurrence_2", 2, None, |x| x, log2n, options, record)?;
        let n = 1 << log2n;
        for (name, shape, axis) in [("rows", [n / 1024, 1024], 1), ("columns", [n / 256, 256], 0)] {
            let algo = format!("recurrence_2_{name}_of_{}", shape[axis]);
            filter::<f32>(&algo, 2, Some((shape, axis)), |x| x as f32, log2n, options, record)?;
        }
    }
    Ok(())
}

/// Recurrence by the loop that SciPy has: of one line, or of all lines along an axis of a matrix.
fn plain_lines<T>(b: &[T], a: &[T], lines: Option<([usize; 2], usize)>, input: &[T], output: &mut [T])
where
    T: Number + std::ops::Mul<Output = T> + std::ops::Sub<Output = T>,
{
    let (shape, axis) = lines.unwrap_or(([1, input.len()], 1));
    let (count, len, step) = if axis == 1 { (shape[0], shape[1], 1) } else { (shape[1], shape[0], shape[1]) };
    for line in 0..count {
        let first = if axis == 1 { line * len } else { line };
        plain_filter(b, a, (first, len, step), input, output);
    }
}

/// Measures a recurrence of the order `order`, beside the loop that SciPy has.
fn filter<T>(
    algo: &str,
    order: usize,
    lines: Option<([usize; 2], usize)>,
    of: impl Fn(f64) -> T,
    log2n: u32,
    options: &Options,
    record: &mut Record,
) -> Outcome
where
    T: Number + Coefficient + Signal<T> + Into<f64> + std::ops::Mul<Output = T> + std::ops::Sub<Output = T>,
{
    if !options.wants(algo, T::NAME) {
        return Ok(());
    }
    let input: Vec<T> = (0..1 << log2n).map(T::random).collect();
    // Coefficients of the product of 1 - p / z over all poles p.
    let mut a = vec![1.0];
    for k in 0..order {
        let pole = 0.5 + 0.4 * (k + 1) as f64 / order as f64;
        let before = a.clone();
        a.push(0.0);
        a.iter_mut().skip(1).zip(before).for_each(|(a, before)| *a -= pole * before);
    }
    let [b, a] = [vec![0.25; order + 1], a].map(|list| list.into_iter().map(&of).collect::<Vec<T>>());
    let device = Device::cpu();
    let recurrence = Recurrence::new(&b, &a);
    let upsweep = |input: &[T], output: &mut [T]| match &lines {
        Some((shape, axis)) => recurrence.axis(shape, *axis).run(&device, input, output),
        None => recurrence.run(&device, input, output),
    };
    let plain = |input: &[T], output: &mut [T]| plain_lines(&b, &a, lines, input, output);
    let (mut output, mut expected) = (input.clone(), input.clone());
    upsweep(&input, &mut output)?;
    plain(&input, &mut expected);
    // Poles close to each other multiply the rounding errors of every loop, too, so errors are measured against the
    // loop in f64.
    let [b64, a64, input64] = [&b, &a, &input].map(|list| list.iter().map(|&x| x.into()).collect::<Vec<f64>>());
    let mut exact = input64.clone();
    plain_lines(&b64, &a64, lines, &input64, &mut exact);
    let largest = exact.iter().fold(0.0f64, |most, y| most.max(y.abs()));
    let [error, of_loop] = [&output, &expected]
        .map(|list| list.iter().zip(&exact).map(|(&y, e)| (y.into() - e).abs()).fold(0.0, f64::max));
    if error > 4.0 * of_loop + 1e-6 * largest {
        let n = input.len();
        return Err(format!(
            "{algo} of {n} {}: an error of {error} beside {largest}, the loop's is {of_loop}",
            T::NAME
        )
        .into());
    }
    let rounds = if options.smoke { 1 } else { 9 };
    let calls = if options.smoke { 1 } else { (ELEMENTS_A_SAMPLE / input.len()).max(1) };
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..rounds {
        let mut status = Ok(());
        times[0].push(sample(calls, || status = upsweep(black_box(&input), black_box(&mut output))));
        status?;
        times[1].push(sample(calls, || copy_on_every_core(black_box(&input), &mut output)));
        times[2].push(sample(calls, || black_box(&mut output).copy_from_slice(black_box(&input))));
        times[3].push(sample(calls, || plain(black_box(&input), black_box(&mut output))));
    }
    let [upsweep, every_core, one_core, plain] = times.map(median);
    let (copy, bytes) = (every_core.min(one_core), 2.0 * size_of_val(&input[..]) as f64);
    let copy_gbps = bytes / copy / 1e3;
    for (lib, micros) in [("upsweep", upsweep), ("copy", copy), ("loop", plain)] {
        record.row(&Row { lib, algo, ty: T::NAME, log2n, micros, bytes, copy_gbps, enqueue_micros: None })?;
    }
    Ok(())
}

/// Recurrence of one line, in the transposed direct form II; `a[0]` is 1. The line has `len` elements, `step` apart,
/// from index `first` on.
#[inline(never)]
fn plain_filter<T>(b: &[T], a: &[T], (first, len, step): (usize, usize, usize), input: &[T], output: &mut [T])
where
    T: Number + std::ops::Mul<Output = T> + std::ops::Sub<Output = T>,
{
    let mut z = vec![T::ZERO; b.len()];
    for i in 0..len {
        let x = input[first + i * step];
        let y = z[0].plus(b[0] * x);
        for j in 1..b.len() {
            z[j - 1] = if j + 1 < b.len() { z[j] } else { T::ZERO }.plus(b[j] * x) - a[j] * y;
        }
        output[first + i * step] = y;
    }
}

/// Measures histograms of bytes and of floats, of random and of equal values.
fn histograms(options: &Options, record: &mut Record) -> Outcome {
    let bytes = |index| u8::random(index);
    let floats = |index| (hash(index) >> 40) as f32 / (1 << 24) as f32;
    for log2n in options.sizes(&[16, 20, 24, 27], &[16, 24]) {
        for (suffix, at) in [("", (|index| index) as fn(usize) -> usize), ("_constant", |_| 1)] {
            let make =
                |make: &dyn Fn(usize) -> f32| -> Vec<f32> { (0..1 << log2n).map(|index| make(at(index))).collect() };
            let algo = |bins: usize| format!("histogram_{bins}{suffix}");
            if options.wants(&algo(256), u8::NAME) {
                let input: Vec<u8> = (0..1 << log2n).map(|index| bytes(at(index))).collect();
                histogram(&algo(256), &input, 256.0, 256, usize::from, options, record)?;
            }
            for bins in [256, 65_536] {
                if options.wants(&algo(bins), f32::NAME) {
                    let bin = |x: f32| (x * bins as f32) as usize;
                    histogram(&algo(bins), &make(&floats), 1.0, bins, bin, options, record)?;
                }
            }
        }
    }
    Ok(())
}

/// Measures the histogram of values from 0 to `high`, beside a plain loop.
fn histogram<T: Value + upsweep::histogram::Even>(
    algo: &str,
    input: &[T],
    high: f64,
    bins: usize,
    bin: impl Fn(T) -> usize,
    options: &Options,
    record: &mut Record,
) -> Outcome {
    let device = Device::cpu();
    let upsweep = |counts: &mut [u32]| Histogram::even(0.0..=high, bins).run(&device, black_box(input), counts);
    let plain = |counts: &mut [u32]| {
        counts.fill(0);
        black_box(input).iter().for_each(|&x| counts[bin(x)] += 1);
    };
    let (mut counts, mut expected) = (vec![0u32; bins], vec![0u32; bins]);
    upsweep(&mut counts)?;
    plain(&mut expected);
    if counts != expected {
        return Err(format!("{algo} of {} {} is wrong", input.len(), T::NAME).into());
    }
    let rounds = if options.smoke { 1 } else { 9 };
    let calls = if options.smoke { 1 } else { (ELEMENTS_A_SAMPLE / input.len()).max(1) };
    let mut output = input.to_vec();
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..rounds {
        let mut status = Ok(());
        times[0].push(sample(calls, || status = upsweep(black_box(&mut counts))));
        status?;
        times[1].push(sample(calls, || copy_on_every_core(black_box(input), &mut output)));
        times[2].push(sample(calls, || plain(black_box(&mut counts))));
    }
    let [upsweep, copy, plain] = times.map(median);
    let (bytes, log2n) = (size_of_val(input) as f64, input.len().ilog2());
    let copy_gbps = 2.0 * bytes / copy / 1e3;
    for (lib, micros) in [("upsweep", upsweep), ("loop", plain)] {
        record.row(&Row { lib, algo, ty: T::NAME, log2n, micros, bytes, copy_gbps, enqueue_micros: None })?;
    }
    Ok(())
}

/// Scan by a plain loop.
#[inline(never)]
fn plain_loop<T: Number>(input: &[T], output: &mut [T], combine: impl Fn(T, T) -> T) {
    let Some(&first) = input.first() else { return };
    let mut sum = first;
    output[0] = sum;
    for (x, out) in input.iter().zip(output).skip(1) {
        sum = combine(sum, *x);
        *out = sum;
    }
}

/// Reduction by a plain loop.
#[inline(never)]
fn plain_fold<T: Number>(input: &[T], output: &mut [T], combine: impl Fn(T, T) -> T) {
    output[0] = input.iter().copied().reduce(combine).unwrap_or(T::ZERO);
}
