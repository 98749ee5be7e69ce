//! Timing of calls, and the copy that they are compared with.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;
use upsweep_bench::{Number, Options, Outcome, Record, Row, median};

/// Number of elements that one sample processes at least. A sample of a short call is the mean of as many calls as that
/// takes, so that the clock's resolution does not show.
pub(crate) const ELEMENTS_A_SAMPLE: usize = 1 << 18;

/// Returns the mean time of `calls` calls, in microseconds.
pub(crate) fn sample(calls: usize, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        call();
    }
    start.elapsed().as_secs_f64() * 1e6 / calls as f64
}

/// Copies by memcpy on every thread of the pool, each its own part, as upsweep divides the work.
pub(crate) fn copy_on_every_core<T: Copy + Send + Sync>(input: &[T], output: &mut [T]) {
    let part = input.len().div_ceil(rayon::current_num_threads()).max(1);
    rayon::scope(|scope| {
        for (from, to) in input.chunks(part).zip(output.chunks_mut(part)) {
            scope.spawn(move |_| to.copy_from_slice(from));
        }
    });
}

/// Call to measure: its input, its number of results, and its name. It is checked, and timed beside a plain loop and a
/// copy.
pub(crate) struct Bench<'a, T> {
    pub(crate) algo: &'a str,
    pub(crate) input: &'a [T],
    pub(crate) results: usize,
    pub(crate) options: &'a Options,
}

impl<T: Number> Bench<'_, T> {
    /// Checks `upsweep` against `plain`, and times both and a copy.
    pub(crate) fn run<E>(
        &self,
        record: &mut Record,
        upsweep: impl Fn(&[T], &mut [T]) -> Result<(), E>,
        plain: impl Fn(&[T], &mut [T]),
    ) -> Outcome
    where
        Box<dyn Error>: From<E>,
    {
        let Self { algo, input, results, options } = *self;
        if !options.wants(algo, T::NAME) {
            return Ok(());
        }
        let (n, log2n) = (input.len(), input.len().ilog2());
        let mut expected = vec![T::ZERO; results];
        plain(input, &mut expected);
        let mut output = vec![T::ZERO; n];
        upsweep(input, &mut output[..results])?;
        if let Some(at) = (0..results).find(|&at| output[at] != expected[at]) {
            let (found, expected, ty) = (output[at], expected[at], T::NAME);
            return Err(format!("{algo} of {n} {ty}: element {at} is {found:?}, not {expected:?}").into());
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
            times[0].push(sample(calls, || status = upsweep(black_box(input), black_box(&mut output[..results]))));
            status?;
            times[1].push(sample(calls, || copy_on_every_core(black_box(input), &mut output)));
            times[2].push(sample(calls, || black_box(&mut output).copy_from_slice(black_box(input))));
            times[3].push(sample(calls, || plain(black_box(input), black_box(&mut output[..results]))));
        }
        let [upsweep, every_core, one_core, plain] = times.map(median);
        let copy = every_core.min(one_core);
        let copy_gbps = (2 * size_of_val(input)) as f64 / copy / 1e3;
        let bytes = ((n + results) * size_of::<T>()) as f64;
        for (lib, micros, bytes) in
            [("upsweep", upsweep, bytes), ("copy", copy, (2 * size_of_val(input)) as f64), ("loop", plain, bytes)]
        {
            record.row(&Row { lib, algo, ty: T::NAME, log2n, micros, bytes, copy_gbps, enqueue_micros: None })?;
        }
        Ok(())
    }
}
