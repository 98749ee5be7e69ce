//! Races of a call with the loops that a user would write instead.

use rayon::prelude::*;
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;
use upsweep::Device;
use upsweep_bench::{Options, Outcome, median};

/// Device and options of all races.
pub(crate) struct Bench {
    pub(crate) device: Device,
    pub(crate) options: Options,
}

/// A loop that a user would write, from an input to an output.
pub(crate) type Rival<'a, T, O> = &'a dyn Fn(&[T], &mut [O]);

impl Bench {
    /// Times `upsweep` and its rivals in turns, after a check that the results are alike, and prints a row.
    pub(crate) fn race<T, O>(
        &self,
        (algo, ty): (&str, &str),
        input: &[T],
        same: impl Fn(&O, &O) -> bool,
        upsweep: impl Fn(&[T], &mut [O]) -> Result<(), upsweep::Error>,
        rivals: &[Rival<'_, T, O>],
    ) -> Outcome
    where
        O: Copy + Default + std::fmt::Debug,
    {
        self.race_to(input.len(), (algo, ty), input, same, upsweep, rivals)
    }

    /// [`race`](Self::race) with `results` results instead of one for each element.
    pub(crate) fn race_to<T, O>(
        &self,
        results: usize,
        (algo, ty): (&str, &str),
        input: &[T],
        same: impl Fn(&O, &O) -> bool,
        upsweep: impl Fn(&[T], &mut [O]) -> Result<(), upsweep::Error>,
        rivals: &[Rival<'_, T, O>],
    ) -> Outcome
    where
        O: Copy + Default + std::fmt::Debug,
    {
        if !self.options.wants(algo, ty) {
            return Ok(());
        }
        let [mut found, mut expected] = [(); 2].map(|()| vec![O::default(); results]);
        upsweep(input, &mut found)?;
        for rival in rivals {
            rival(input, &mut expected);
            if let Some(at) = (0..results).find(|&at| !same(&found[at], &expected[at])) {
                return Err(format!("{algo}/{ty}: {at} is {:?}, not {:?}", found[at], expected[at]).into());
            }
        }
        let rounds = if self.options.smoke { 1 } else { (60_000_000 / input.len()).clamp(11, 61) };
        let mut times = vec![Vec::new(); 1 + rivals.len()];
        let time = |times: &mut Vec<f64>, call: &mut dyn FnMut()| {
            let start = Instant::now();
            call();
            times.push(start.elapsed().as_secs_f64() * 1e6);
        };
        for _ in 0..rounds {
            let mut status = Ok(());
            time(&mut times[0], &mut || status = upsweep(black_box(input), black_box(&mut found)));
            status?;
            for (times, rival) in times[1..].iter_mut().zip(rivals) {
                time(times, &mut || rival(black_box(input), black_box(&mut expected)));
            }
        }
        let mut medians = times.into_iter().map(median);
        let ours = medians.next().unwrap_or(f64::NAN);
        let rival = medians.fold(f64::INFINITY, f64::min);
        println!("{algo},{ty},{ours:.1},{rival:.1},{:.2}", rival / ours);
        Ok(std::io::stdout().flush()?)
    }

    /// Returns `len`, or a small length in a smoke run.
    pub(crate) fn len(&self, len: usize) -> usize {
        if self.options.smoke { len.min(1 << 10) } else { len }
    }
}

pub(crate) fn close(a: &f64, b: &f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

#[inline(never)]
pub(crate) fn by_rows<T>(len: usize, input: &[T], output: &mut [T], row: impl Fn(&[T], &mut [T])) {
    input.chunks_exact(len).zip(output.chunks_exact_mut(len)).for_each(|(x, y)| row(x, y));
}

#[inline(never)]
pub(crate) fn by_rows_on_all_threads<T: Sync + Send>(
    len: usize,
    input: &[T],
    output: &mut [T],
    row: impl Fn(&[T], &mut [T]) + Sync,
) {
    input.par_chunks_exact(len).zip(output.par_chunks_exact_mut(len)).for_each(|(x, y)| row(x, y));
}
