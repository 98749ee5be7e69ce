//! Command `bench`: times of scans and reductions on this machine, beside a copy of the same elements.

use crate::args::{BenchArgs, What};
use crate::device::{Chosen, Work};
use crate::failure::{Failure, Result};
use crate::progress::Progress;
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};
use upsweep_core::memory;
use upsweep_dynamic::{Error, Number, Prepared, Reduce, Scan, Type, Values, View, plain, with_values};

/// Number of elements of the smallest array, and factor from each array's number to the next one's.
const SMALLEST: usize = 1 << 10;
const STEP: usize = 4;
/// Number of samples, whose median is the result, and the duration that one sample should have.
const SAMPLES: usize = 11;
const SAMPLE: Duration = Duration::from_millis(2);
/// Length of a bar, in characters, that stands for the speed of a copy.
const COPY_WIDTH: f64 = 24.0;

/// Times in microseconds for one number of elements.
#[derive(Debug)]
struct Row {
    elements: usize,
    upsweep: f64,
    copy: f64,
    /// Time of the plain loop on one core of the CPU; `None` on a GPU.
    plain: Option<f64>,
}

/// Measures, and returns the lines of the table with its plot.
pub(crate) fn lines(args: &BenchArgs) -> Result<Vec<String>> {
    if args.n < SMALLEST {
        return Err(Failure::Input(format!("--n {}: the smallest array has {SMALLEST} elements", args.n)));
    }
    let device = Chosen::open(args.device, Work::Computation)?;
    let sizes: Vec<usize> =
        std::iter::successors(Some(SMALLEST), |n| n.checked_mul(STEP)).take_while(|n| *n <= args.n).collect();
    let size = args.element.size();
    let bytes = |n: usize| n.checked_mul(size).ok_or_else(|| Failure::memory("bench", usize::MAX));
    // The memory of the largest array is checked first: a lack of it shows before anything is measured.
    let largest = bytes(args.n)?;
    let both = if device.on_host { largest.saturating_mul(2) } else { largest };
    memory::room::<u8>(both).map_err(|_| Failure::memory("bench", both))?;
    let progress = Progress::new("measuring", Some(sizes.iter().map(|n| (n * size) as u64).sum()));
    let mut rows = Vec::new();
    for &n in &sizes {
        let measuring = Measuring { x: random(args.element, n)?, args, device: &device };
        rows.push(if device.on_host { measuring.on_host() } else { measuring.on_device() }?);
        progress.step(n * size);
    }
    drop(progress);
    Ok(table(args, &device, &rows))
}

/// Returns `n` pseudo-random integers of 7 bits; 0 for those that the type does not have.
fn random(element: Type, n: usize) -> Result<Values> {
    let mut values = Values::zeroed(element, n).map_err(failed)?;
    let mut state = 1u64;
    with_values!(&mut values, x => x.iter_mut().for_each(|x| {
        // Knuth's MMIX generator; its upper bits are the good ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *x = upsweep_dynamic::Value::exactly(Number::Integer(i128::from(state >> 57))).unwrap_or_default();
    }));
    Ok(values)
}

fn failed(error: impl Into<Error>) -> Failure {
    Failure::computing("bench", &error.into())
}

struct Measuring<'a> {
    x: Values,
    args: &'a BenchArgs,
    device: &'a Chosen,
}

impl Measuring<'_> {
    fn prepare<'x>(&self, x: View<'x>) -> Result<Prepared<'x>> {
        let (op, device) = (self.args.op, &self.device.device);
        let prepared = match self.args.what {
            What::Scan => Scan::new(op).prepare(device, x),
            What::Reduce => Reduce::new(op).prepare(device, x),
        };
        prepared.map_err(failed)
    }

    fn on_host(self) -> Result<Row> {
        let x = self.x.view();
        let mut done = Ok(());
        let upsweep = {
            let mut prepared = self.prepare(x)?;
            median(|| done = prepared.run())
        };
        done.map_err(failed)?;
        let mut done = Ok(());
        let plain = match self.args.what {
            What::Scan => {
                let mut out = Values::zeroed(x.element(), x.len()).map_err(failed)?;
                median(|| done = plain::scan(self.args.op, black_box(x), out.view_mut()))
            }
            What::Reduce => median(|| done = plain::reduce(self.args.op, black_box(x)).map(drop)),
        };
        done.map_err(failed)?;
        // A short copy is faster on one core, a long one on all cores: the faster of both is the one to compare with.
        let from = x.bytes();
        let mut to = vec![0u8; from.len()];
        let one = median(|| black_box(&mut to).copy_from_slice(black_box(from)));
        let all = median(|| copy_on_every_core(black_box(from), &mut to));
        Ok(Row { elements: x.len(), upsweep, copy: one.min(all), plain: Some(plain) })
    }

    #[cfg(feature = "cuda")]
    fn on_device(self) -> Result<Row> {
        let device = &self.device.device;
        let Some(cuda) = device.as_cuda() else {
            return Err(Failure::Run("bench: neither the CPU nor a CUDA GPU computes".to_owned()));
        };
        let (elements, bytes) = (self.x.len(), self.x.bytes().len());
        let mut prepared = self.prepare(self.x.view())?;
        let mut done = Ok(());
        let mut waited = Ok(());
        let upsweep = median_of_queued(|| done = prepared.run(), || waited = device.synchronize());
        done.map_err(failed)?;
        waited.map_err(failed)?;
        drop(prepared);

        let stream = cuda.stream();
        let copied = |e| Failure::Run(format!("bench: the copy failed: {e:?}"));
        let from = stream.alloc_zeros::<u8>(bytes).map_err(copied)?;
        let mut to = stream.alloc_zeros::<u8>(bytes).map_err(copied)?;
        let (mut done, mut waited) = (Ok(()), Ok(()));
        let copy = median_of_queued(|| done = stream.memcpy_dtod(&from, &mut to), || waited = device.synchronize());
        done.map_err(copied)?;
        waited.map_err(failed)?;
        Ok(Row { elements, upsweep, copy, plain: None })
    }

    #[cfg(not(feature = "cuda"))]
    fn on_device(self) -> Result<Row> {
        Err(Failure::Run("bench: this upsweep was built without CUDA".to_owned()))
    }
}

/// Copies `x` to `out` on all threads of the pool: each copies a part.
fn copy_on_every_core(x: &[u8], out: &mut [u8]) {
    let part = x.len().div_ceil(rayon::current_num_threads()).max(1);
    rayon::scope(|scope| {
        for (from, to) in x.chunks(part).zip(out.chunks_mut(part)) {
            scope.spawn(move |_| to.copy_from_slice(from));
        }
    });
}

/// Returns the median time of a call in microseconds. Each sample is the mean of as many calls as take [`SAMPLE`].
fn median(mut call: impl FnMut()) -> f64 {
    median_of_queued(&mut call, || ())
}

/// Returns the median time, in microseconds, of a call that only enqueues work on the device. `wait` waits for that
/// work.
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

/// Formats the rows as text: times, throughput in bytes that had to be moved per second, and a bar as long as the
/// speed.
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

/// Draws a bar for a speed of `share` times the speed of a copy, with a mark at the share of the plain loop, `plain`,
/// and one at 1.
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
}
