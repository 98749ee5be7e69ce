//! The command `bench`: how fast scans and reductions are on this machine, beside a copy of the same elements.

use crate::args::{BenchArgs, Op, What};
use crate::compute::no_operator;
use crate::device::Chosen;
use crate::element::{Value, Values, Visitor, with_type, with_values};
use crate::failure::{Failure, Result};
use crate::number::Number;
use crate::progress::Progress;
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};
use upsweep::{Operator, Reduce, Scan};

/// The smallest array, and how much longer each next one is.
const SMALLEST: usize = 1 << 10;
const STEP: usize = 4;
/// Samples, of which the median counts, and how long one of them should take.
const SAMPLES: usize = 11;
const SAMPLE: Duration = Duration::from_millis(2);
/// Characters of the plot that are the speed of a copy.
const COPY_WIDTH: f64 = 24.0;

/// What was measured at one size, in microseconds.
#[derive(Debug)]
struct Row {
    elements: usize,
    upsweep: f64,
    copy: f64,
    /// The plain loop, on the CPU.
    plain: Option<f64>,
}

/// The lines of the table with its plot.
pub(crate) fn lines(args: &BenchArgs) -> Result<Vec<String>> {
    if args.n < SMALLEST {
        return Err(Failure::Input(format!("--n {}: the smallest array has {SMALLEST} elements", args.n)));
    }
    let device = Chosen::open(args.device)?;
    let sizes: Vec<usize> =
        std::iter::successors(Some(SMALLEST), |n| n.checked_mul(STEP)).take_while(|n| *n <= args.n).collect();
    let size = args.element.size();
    let bytes = |n: usize| n.checked_mul(size).ok_or_else(|| Failure::memory("bench", usize::MAX));
    // The largest arrays first: whether there is room for them is known before anything is measured.
    let largest = bytes(args.n)?;
    let both = if device.on_host { largest.saturating_mul(2) } else { largest };
    Vec::<u8>::new().try_reserve_exact(both).map_err(|_| Failure::memory("bench", both))?;
    let progress = Progress::new("measuring", Some(sizes.iter().map(|n| (n * size) as u64).sum()));
    let mut rows = Vec::new();
    for &n in &sizes {
        let values = with_type!(args.element, T => random::<T>(n)?);
        // Signed integers have the bits of unsigned ones, except in the order of values.
        let values = if matches!(args.op, Op::Min | Op::Max) { values } else { values.unsigned() };
        let row = with_values!(values, x => {
            let measuring = Measuring { x, what: args.what, device: &device };
            Value::with_operator(args.op, measuring).unwrap_or_else(|| Err(no_operator("bench", args.op, args.element)))
        })?;
        rows.push(row);
        progress.step(n * size);
    }
    drop(progress);
    Ok(table(args, &device, &rows))
}

/// Small whole numbers without order.
fn random<T: Value>(n: usize) -> Result<Values>
where
    Values: From<Vec<T>>,
{
    let mut values = Vec::new();
    values.try_reserve_exact(n).map_err(|_| Failure::memory("bench", n.saturating_mul(size_of::<T>())))?;
    let mut state = 1u64;
    values.extend((0..n).map(|_| {
        // Knuth's MMIX generator; the upper bits are the good ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        T::exactly(Number::Integer(i128::from(state >> 57))).unwrap_or_default()
    }));
    Ok(Values::from(values))
}

struct Measuring<'a, T> {
    x: Vec<T>,
    what: What,
    device: &'a Chosen,
}

impl<T: Value> Visitor<T> for Measuring<'_, T> {
    type Output = Result<Row>;

    fn visit<O: Operator<T>>(self, operator: O) -> Result<Row> {
        if self.device.on_host { self.on_host(operator) } else { self.on_device(operator) }
    }
}

impl<T: Value> Measuring<'_, T> {
    fn on_host<O: Operator<T>>(self, operator: O) -> Result<Row> {
        let Self { x, what, device } = self;
        let mut out = Vec::new();
        out.try_reserve_exact(x.len()).map_err(|_| Failure::memory("bench", size_of_val(x.as_slice())))?;
        out.resize(x.len(), T::default());
        let failed = |e: upsweep::Error| Failure::computing("bench", &e);
        let mut done = Ok(());
        let upsweep = match what {
            What::Scan => {
                let scan = Scan::new(operator);
                median(|| done = scan.run(&device.device, black_box(&x[..]), &mut out[..]))
            }
            What::Reduce => {
                let reduce = Reduce::new(operator);
                median(|| done = reduce.run(&device.device, black_box(&x[..]), &mut out[..1]))
            }
        };
        done.map_err(failed)?;
        // A short copy is faster on one core, a long one on all.
        let one = median(|| black_box(&mut out).copy_from_slice(black_box(&x)));
        let all = median(|| copy_on_every_core(black_box(&x), &mut out));
        let plain = match what {
            What::Scan => median(|| scan_plainly(&operator, black_box(&x), &mut out)),
            What::Reduce => median(|| {
                black_box(x.iter().copied().reduce(|a, b| operator.combine(a, b)));
            }),
        };
        Ok(Row { elements: x.len(), upsweep, copy: one.min(all), plain: Some(plain) })
    }

    #[cfg(feature = "cuda")]
    fn on_device<O: Operator<T>>(self, operator: O) -> Result<Row> {
        let Self { x, what, device } = self;
        let Some(cuda) = device.device.as_cuda() else {
            return Err(Failure::Run("bench: neither the CPU nor a CUDA GPU computes".to_owned()));
        };
        let failed = |e: upsweep::Error| Failure::computing("bench", &e);
        let elements = x.len();
        let input = device.device.upload(&x).map_err(failed)?;
        drop(x);
        let results = if what == What::Scan { elements } else { 1 };
        let mut out = device.device.filled(results, T::default()).map_err(failed)?;
        let mut done = Ok(());
        let mut waited = Ok(());
        let wait = || waited = device.device.synchronize();
        let upsweep = match what {
            What::Scan => {
                let scan = Scan::new(operator);
                median_of_queued(|| done = scan.run(&device.device, &input, &mut out), wait)
            }
            What::Reduce => {
                let reduce = Reduce::new(operator);
                median_of_queued(|| done = reduce.run(&device.device, &input, &mut out), wait)
            }
        };
        done.and(waited).map_err(failed)?;

        let stream = cuda.stream();
        let copied = |e| Failure::Run(format!("bench: the copy failed: {e:?}"));
        let bytes = elements * size_of::<T>();
        let from = stream.alloc_zeros::<u8>(bytes).map_err(copied)?;
        let mut to = stream.alloc_zeros::<u8>(bytes).map_err(copied)?;
        let (mut done, mut waited) = (Ok(()), Ok(()));
        let copy =
            median_of_queued(|| done = stream.memcpy_dtod(&from, &mut to), || waited = device.device.synchronize());
        done.map_err(copied)?;
        waited.map_err(failed)?;
        Ok(Row { elements, upsweep, copy, plain: None })
    }

    #[cfg(not(feature = "cuda"))]
    fn on_device<O: Operator<T>>(self, _: O) -> Result<Row> {
        Err(Failure::Run("bench: this upsweep was built without CUDA".to_owned()))
    }
}

/// What a scan is without upsweep.
fn scan_plainly<T: Value, O: Operator<T>>(operator: &O, x: &[T], out: &mut [T]) {
    let mut so_far: Option<T> = None;
    for (x, out) in x.iter().zip(out) {
        let with = so_far.map_or(*x, |so_far| operator.combine(so_far, *x));
        *out = with;
        so_far = Some(with);
    }
}

/// memcpy on every thread of the pool, each its own part.
fn copy_on_every_core<T: Value>(x: &[T], out: &mut [T]) {
    let part = x.len().div_ceil(rayon::current_num_threads()).max(1);
    rayon::scope(|scope| {
        for (from, to) in x.chunks(part).zip(out.chunks_mut(part)) {
            scope.spawn(move |_| to.copy_from_slice(from));
        }
    });
}

/// The median time of a call, in microseconds. Each sample is the mean of as many calls as take [`SAMPLE`].
fn median(mut call: impl FnMut()) -> f64 {
    median_of_queued(&mut call, || ())
}

/// The same for calls that only enqueue work, for which `wait` waits.
fn median_of_queued(mut call: impl FnMut(), mut wait: impl FnMut()) -> f64 {
    let mut sample = |calls: usize| {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        wait();
        start.elapsed().as_secs_f64() / calls as f64
    };
    sample(1); // compiles the kernel, touches the pages
    let once = sample(1).max(1e-9);
    let calls = ((SAMPLE.as_secs_f64() / once) as usize).clamp(1, 1 << 16);
    let mut times: Vec<f64> = (0..SAMPLES).map(|_| sample(calls)).collect();
    times.sort_by(f64::total_cmp);
    times[SAMPLES / 2] * 1e6
}

/// The rows as text: times, bytes that had to be moved a second, and the plot, a bar as long as the speed is great.
fn table(args: &BenchArgs, device: &Chosen, rows: &[Row]) -> Vec<String> {
    let size = args.element.size();
    let (op, element) = (args.op.name(), args.element.name());
    let (kind, written) = match args.what {
        What::Scan => ("inclusive scan", 1),
        What::Reduce => ("reduction", 0),
    };
    let with_loop = rows.iter().any(|row| row.plain.is_some());
    let mut lines = vec![
        format!("{op} {kind} of {element}, on {}", device.label),
        format!(
            "median of {SAMPLES}, in microseconds; the bar shows the speed, {} that of a copy",
            if with_loop { "| that of a plain loop on one core, ^" } else { "^" }
        ),
        String::new(),
    ];
    let mut head = format!("{:>12} {:>12} {:>12}", "elements", "upsweep", "copy");
    if with_loop {
        head += &format!(" {:>12}", "plain loop");
    }
    lines.push(head + "     GB/s  of copy");
    for row in rows {
        let Row { elements, upsweep, copy, plain } = row;
        let mut line = format!("{elements:>12} {upsweep:>12.1} {copy:>12.1}");
        if let Some(plain) = plain {
            let _infallible = write!(line, " {plain:>12.1}");
        }
        let moved = (elements * (1 + written) * size) as f64;
        let share = copy / upsweep;
        let _infallible = write!(line, " {:>8.1} {share:>8.2}  ", moved / upsweep / 1e3);
        line += &bar(share, plain.map(|plain| copy / plain));
        lines.push(line);
    }
    lines
}

/// A bar of length `share`, with marks at `plain` and at 1, the speed of a copy.
fn bar(share: f64, plain: Option<f64>) -> String {
    let place = |share: f64| (share * COPY_WIDTH).round().clamp(0.0, 3.0 * COPY_WIDTH) as usize;
    let mut cells = vec![' '; 3 * COPY_WIDTH as usize + 1];
    cells[..place(share)].fill('=');
    cells[place(1.0)] = '^';
    if let Some(plain) = plain {
        cells[place(plain)] = '|';
    }
    cells.into_iter().collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(0.5, None), "============            ^");
        assert_eq!(bar(1.25, None), "========================^=====");
        assert_eq!(bar(0.25, Some(0.125)), "===|==                  ^");
        assert_eq!(bar(0.0, Some(9.0)).chars().count(), 3 * 24 + 1);
    }

    #[test]
    fn the_plain_loop_scans() {
        let mut out = [0u8; 4];
        scan_plainly(&upsweep::operator::builtin::Sum, &[200, 60, 1, 2], &mut out);
        assert_eq!(out, [200, 4, 5, 7]);
    }
}
