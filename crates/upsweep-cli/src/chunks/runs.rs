//! Sorted runs of an array, and where splitters cut them.
//!
//! Each run is sampled at every `step`-th of its elements. Every `q`-th element of the sorted samples is a splitter. Between
//! two splitters a run has at most one step more than samples there, so that a bucket has at most `q + runs` steps.

use crate::element::Values;
use crate::failure::Result;
use rayon::prelude::*;
use std::ops::Range;
use upsweep_dynamic::{Sort, with_values};

/// Samples of a run for each run: so many that a bucket is seven eighths of a run long.
const SAMPLES: usize = 8;
/// Number of elements that are read at once in the search for a cut.
const BLOCK: usize = 1024;

/// Sorted runs, which follow each other in a file.
pub(super) struct Runs<'a> {
    sort: Sort<'a>,
    /// Number of runs in the end.
    count: usize,
    runs: Vec<Run>,
}

struct Run {
    range: Range<usize>,
    /// Number of elements from one sample to the next. The first one is so far from the beginning.
    step: usize,
    /// Numbers by which the samples are sorted.
    samples: Vec<u64>,
}

/// Element at which all runs are cut: it and those that come after it are behind the cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Splitter {
    /// Number by which the element is sorted.
    number: u64,
    run: usize,
    /// Index of the element in the file.
    at: usize,
}

impl<'a> Runs<'a> {
    pub(super) fn new(sort: Sort<'a>, count: usize) -> Self {
        Self { sort, count, runs: Vec::new() }
    }

    /// Adds the run of these values, which begins at index `start` of the file.
    pub(super) fn push(&mut self, values: &Values, start: usize) -> upsweep_dynamic::Result<()> {
        let step = self.step(values.len());
        let samples =
            with_values!(values, x => Values::from(x.iter().step_by(step).skip(1).copied().collect::<Vec<_>>()));
        let samples = self.sort.numbers(samples.view())?;
        self.runs.push(Run { range: start..start + values.len(), step, samples });
        Ok(())
    }

    /// Returns the number of elements from one sample to the next in a run of `len` elements.
    fn step(&self, len: usize) -> usize {
        (len / (SAMPLES * self.count)).max(1)
    }

    /// Returns splitters between buckets of at most `len` elements each; `len` is the number of elements of the first run.
    pub(super) fn splitters(&self, len: usize) -> Vec<Splitter> {
        let mut samples: Vec<Splitter> = Vec::new();
        for (run, of_run) in self.runs.iter().enumerate() {
            let places = of_run.range.clone().step_by(of_run.step).skip(1);
            samples.extend(places.zip(&of_run.samples).map(|(at, &number)| Splitter { number, run, at }));
        }
        samples.par_sort_unstable();
        let each = (len / self.step(len)).saturating_sub(self.count).max(1);
        samples.into_iter().skip(each).step_by(each).collect()
    }

    /// Returns for each of the splitters where it cuts each run, as indices in the file; the beginnings of the
    /// runs before, and their ends after them. `read` returns the numbers of elements of the file.
    pub(super) fn cuts(
        &self,
        splitters: &[Splitter],
        read: &(dyn Fn(Range<usize>) -> Result<Vec<u64>> + Sync),
    ) -> Result<Vec<Vec<usize>>> {
        let of_splitter = |splitter: &Splitter| {
            self.runs.iter().enumerate().map(|(run, of_run)| of_run.cut(run, splitter, read)).collect()
        };
        let between: Vec<Vec<usize>> = splitters.par_iter().map(of_splitter).collect::<Result<_>>()?;
        let ends = |end: fn(&Run) -> usize| vec![self.runs.iter().map(end).collect()];
        Ok([ends(|run| run.range.start), between, ends(|run| run.range.end)].concat())
    }
}

impl Run {
    /// Returns the index of the first element of this run, number `run`, that is not before the splitter.
    fn cut(&self, run: usize, splitter: &Splitter, read: &dyn Fn(Range<usize>) -> Result<Vec<u64>>) -> Result<usize> {
        if run == splitter.run {
            return Ok(splitter.at);
        }
        // Of equal elements those of earlier runs come first.
        let is_before =
            |&number: &u64| if run < splitter.run { number <= splitter.number } else { number < splitter.number };
        let samples = self.samples.partition_point(is_before);
        let from = self.range.start + samples * self.step;
        let (mut low, mut high) = (from, (from + self.step).min(self.range.end));
        while high - low > BLOCK {
            let middle = low + (high - low) / 2;
            match read(middle..middle + 1)?.iter().all(is_before) {
                true => low = middle,
                false => high = middle,
            }
        }
        Ok(low + read(low..high)?.partition_point(is_before))
    }
}
