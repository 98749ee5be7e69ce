//! Inclusive scans on the CPU: upsweep on all cores, a plain loop on one, and a copy.
//!
//! The copy is the faster of memcpy on one core and memcpy on every core, each core copying its own part: waking the
//! other cores does not pay for a few kilobytes.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;
use upsweep::prelude::*;
use upsweep_bench::{Number, Options, Outcome, Record, Row, exit_code, median};

/// A sample of a short call is the mean of as many as handle so many elements, so that the clock's steps do not show.
const ELEMENTS_A_SAMPLE: usize = 1 << 18;

fn main() -> ExitCode {
    exit_code(run())
}

fn run() -> Outcome {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut record = Record::create(&options, &machine(), "")?;
    bench::<i8>(&options, &mut record)?;
    bench::<i32>(&options, &mut record)?;
    bench::<f32>(&options, &mut record)?;
    bench::<f64>(&options, &mut record)
}

/// The processor's name and the threads that are used.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    format!("{}, {} threads", name.unwrap_or(std::env::consts::ARCH).trim(), rayon::current_num_threads())
}

/// The bench of one type.
fn bench<T>(options: &Options, record: &mut Record) -> Outcome
where
    T: Number,
    Sum: Operator<T>,
    Max: Operator<T>,
{
    for log2n in options.sizes(&[10, 16, 20, 24, 27], &[10, 16, 24]) {
        let input: Vec<T> = (0..1 << log2n).map(T::random).collect();
        if options.wants("inclusive_sum", T::NAME) {
            scan("inclusive_sum", Sum, T::plus, &input, options, record)?;
        }
        if options.wants("inclusive_max", T::NAME) {
            scan("inclusive_max", Max, T::larger, &input, options, record)?;
        }
    }
    Ok(())
}

fn scan<T: Number, Op: Operator<T>>(
    algo: &str,
    operator: Op,
    combine: impl Fn(T, T) -> T + Copy,
    input: &[T],
    options: &Options,
    record: &mut Record,
) -> Outcome {
    let (device, n) = (Device::cpu(), input.len());
    let log2n = n.ilog2();
    let mut expected = vec![T::ZERO; n];
    plain_loop(input, &mut expected, combine);
    let mut output = vec![T::ZERO; n];
    Scan::new(operator).run(&device, input, &mut output)?;
    if let Some(at) = (0..n).find(|&at| output[at] != expected[at]) {
        let (found, expected, ty) = (output[at], expected[at], T::NAME);
        return Err(format!("{algo} of 2^{log2n} {ty}: element {at} is {found:?}, not {expected:?}").into());
    }
    drop(expected);

    let rounds = if options.smoke {
        1
    } else if options.quick {
        5
    } else {
        15
    };
    let calls = if options.smoke { 1 } else { (ELEMENTS_A_SAMPLE / n).max(1) };
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..rounds {
        let mut status = Ok(());
        times[0].push(sample(calls, || status = Scan::new(operator).run(&device, black_box(input), &mut output)));
        status?;
        times[1].push(sample(calls, || copy_on_every_core(black_box(input), &mut output)));
        times[2].push(sample(calls, || black_box(&mut output).copy_from_slice(black_box(input))));
        times[3].push(sample(calls, || plain_loop(black_box(input), &mut output, combine)));
        black_box(&mut output);
    }
    let [upsweep, every_core, one_core, plain] = times.map(median);
    let copy = every_core.min(one_core);
    let bytes = (2 * size_of_val(input)) as f64;
    for (lib, micros) in [("upsweep", upsweep), ("copy", copy), ("loop", plain)] {
        let copy_gbps = bytes / copy / 1e3;
        record.row(&Row { lib, algo, ty: T::NAME, log2n, micros, bytes, copy_gbps, enqueue_micros: None })?;
    }
    Ok(())
}

/// The mean time of `calls` calls, in microseconds.
fn sample(calls: usize, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        call();
    }
    start.elapsed().as_secs_f64() * 1e6 / calls as f64
}

/// What a scan is without upsweep.
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

/// memcpy on every thread of the pool, each its own part, as upsweep divides the work.
fn copy_on_every_core<T: Number>(input: &[T], output: &mut [T]) {
    let part = input.len().div_ceil(rayon::current_num_threads()).max(1);
    rayon::scope(|scope| {
        for (from, to) in input.chunks(part).zip(output.chunks_mut(part)) {
            scope.spawn(move |_| to.copy_from_slice(from));
        }
    });
}
