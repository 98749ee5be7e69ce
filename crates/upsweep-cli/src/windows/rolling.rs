//! Results of windows, as values come.
//!
//! Sums of integers follow from the one before: a value comes, and one goes. Those of floats would keep the rounding errors of values
//! that are gone. So the values are cut into blocks as long as a window, which then is the end of a block and the begin of the
//! next: the sum of a suffix and of a prefix, each from a scan of its block (van Herk 1992; Gil and Werman 1993).

use crate::args::Running;
use crate::element::{Type, Values};
use crate::expression::value::compare;
use crate::means::quotient;
use crate::sums::Sums;
use std::cmp::Ordering;
use std::collections::VecDeque;
use upsweep_dynamic::{Error, Number, Op, View, with_view};

/// Reason why there are no results.
#[derive(Debug)]
pub(super) enum Wrong {
    Computing(Error),
    /// The result of the value number `at` does not fit its type.
    TooLarge {
        at: usize,
        value: i128,
    },
}

impl From<Error> for Wrong {
    fn from(e: Error) -> Self {
        Self::Computing(e)
    }
}

/// Results of a value and of those before it in its segment, which are `width` together.
pub(super) struct Rolling {
    op: Running,
    width: usize,
    sums: Sums,
    /// Type of the values.
    own: Type,
    /// Type of the results.
    element: Type,
    last: Last,
    /// Number of values of the segment so far.
    in_segment: usize,
    /// Number of all values so far.
    position: usize,
}

/// What the next results need of the values of a segment so far.
enum Last {
    /// Sum of the integers in the window, and these.
    Total(i128, VecDeque<i128>),
    /// Floats of the block at hand, and their sum; sums of the suffixes of the block before.
    Sums { block: Vec<f64>, sum: f64, suffixes: Vec<f64> },
    /// Places and numbers in the window that no later one beats: the first of them is the best of all. NaN beats all, and else the number
    /// that compares with the other one like this.
    Best(Ordering, VecDeque<(usize, Number)>),
    /// Value before.
    Before(Option<Number>),
}

/// Results, in a type that has them all.
enum Found {
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
    Floats(Vec<f64>),
}

impl Rolling {
    /// Begins with no values; they will be of type `own`. `sums` has the types of sums.
    pub(super) fn new(op: Running, (own, width): (Type, usize), sums: Sums) -> upsweep_dynamic::Result<Self> {
        let last = match op {
            Running::Of(Op::Min) => Last::Best(Ordering::Less, VecDeque::new()),
            Running::Of(Op::Max) => Last::Best(Ordering::Greater, VecDeque::new()),
            Running::Lag | Running::Diff => Last::Before(None),
            Running::Mean | Running::Of(_) if own.integers().is_some() => Last::Total(0, VecDeque::new()),
            Running::Mean | Running::Of(_) => Last::Sums { block: Vec::new(), sum: 0.0, suffixes: Vec::new() },
        };
        let mut rolling = Self { op, width, sums, own, element: own, last, in_segment: 0, position: 0 };
        rolling.element = rolling.finished(rolling.room())?.element();
        Ok(rolling)
    }

    /// Type of the results.
    pub(super) fn element(&self) -> Type {
        self.element
    }

    /// Returns the results of the next values, and the indices of those without one, ascending. `heads` has flags of the values with
    /// which segments begin, unless all are one segment.
    pub(super) fn results(&mut self, x: View<'_>, heads: &[bool]) -> Result<(Values, Vec<usize>), Wrong> {
        let (mut found, mut without) = (self.room(), Vec::new());
        with_view!(x, x => {
            for (index, &number) in x.iter().enumerate() {
                if heads.get(index).is_some_and(|&is_head| is_head) {
                    self.begin();
                }
                match self.next(Number::from(number)) {
                    Some(result) => self.put(result, self.position + index, &mut found)?,
                    None => without.push(index),
                }
            }
        });
        self.position += x.len();
        Ok((self.finished(found)?, without))
    }

    /// Begins a segment.
    fn begin(&mut self) {
        self.in_segment = 0;
        match &mut self.last {
            Last::Total(total, last) => {
                *total = 0;
                last.clear();
            }
            Last::Sums { block, .. } => block.clear(),
            Last::Best(_, last) => last.clear(),
            Last::Before(last) => *last = None,
        }
    }

    /// Returns the result of the next value, of a mean the sum; `None` if there are too few values.
    fn next(&mut self, x: Number) -> Option<Number> {
        let (width, at) = (self.width, self.in_segment);
        self.in_segment += 1;
        let is_full = self.in_segment >= width;
        match &mut self.last {
            Last::Total(total, last) => {
                if last.len() == width {
                    *total -= last.pop_front().unwrap_or(0);
                }
                let x = x.integer().unwrap_or(0);
                *total += x;
                last.push_back(x);
                is_full.then_some(Number::Integer(*total))
            }
            Last::Sums { block, sum, suffixes } => {
                let x = float(x);
                *sum = if block.is_empty() { x } else { x + *sum };
                block.push(x);
                if block.len() < width {
                    return is_full
                        .then(|| Number::Float(suffixes.get(block.len()).map_or(*sum, |suffix| suffix + *sum)));
                }
                (1..width).rev().for_each(|at| block[at - 1] += block[at]);
                std::mem::swap(block, suffixes);
                block.clear();
                Some(Number::Float(*sum))
            }
            Last::Best(best, last) => {
                while last.back().is_some_and(|&(_, other)| beats(x, other, *best)) {
                    last.pop_back();
                }
                last.push_back((at, x));
                while last.front().is_some_and(|&(other, _)| at - other >= width) {
                    last.pop_front();
                }
                last.front().filter(|_| is_full).map(|&(_, x)| x)
            }
            Last::Before(last) => {
                let before = last.replace(x)?;
                Some(match (self.op, x, before) {
                    (Running::Diff, Number::Integer(x), Number::Integer(before)) => Number::Integer(x - before),
                    (Running::Diff, x, before) => Number::Float(float(x) - float(before)),
                    _ => before,
                })
            }
        }
    }

    /// Makes room for results.
    fn room(&self) -> Found {
        let is_integer = self.own.integers().is_some();
        match self.op {
            Running::Mean => Found::Floats(Vec::new()),
            _ if !is_integer => Found::Floats(Vec::new()),
            Running::Diff => Found::Signed(Vec::new()),
            Running::Of(Op::Sum) if self.sums.results.integers().is_none() => Found::Floats(Vec::new()),
            // Sums modulo 2^64 are what wraps around.
            Running::Of(Op::Sum) if self.sums.computed == Type::U64 => Found::Unsigned(Vec::new()),
            Running::Of(Op::Sum) => Found::Signed(Vec::new()),
            _ if self.own == Type::U64 => Found::Unsigned(Vec::new()),
            _ => Found::Signed(Vec::new()),
        }
    }

    /// Appends the result of the value number `at`.
    fn put(&self, result: Number, at: usize, found: &mut Found) -> Result<(), Wrong> {
        let result = match (self.op, result) {
            (Running::Mean, Number::Integer(total)) => Number::Float(quotient(total, self.width)),
            (Running::Mean, Number::Float(sum)) => Number::Float(sum / self.width as f64),
            (Running::Diff, Number::Integer(value)) if i64::try_from(value).is_err() => {
                return Err(Wrong::TooLarge { at, value });
            }
            (Running::Of(Op::Sum), Number::Integer(value)) => {
                let range = self.sums.results.integers().filter(|_| self.sums.checked);
                if range.is_some_and(|range| !range.contains(&value)) {
                    return Err(Wrong::TooLarge { at, value });
                }
                result
            }
            _ => result,
        };
        match (found, result) {
            (Found::Floats(found), result) => found.push(float(result)),
            (Found::Signed(found), Number::Integer(n)) => found.push(n as i64),
            (Found::Unsigned(found), Number::Integer(n)) => found.push(n as u64),
            // Integers have integers as results.
            (Found::Signed(_) | Found::Unsigned(_), Number::Float(_)) => {}
        }
        Ok(())
    }

    /// Converts results to their type.
    fn finished(&self, found: Found) -> upsweep_dynamic::Result<Values> {
        let found: Values = match found {
            Found::Signed(found) => found.into(),
            Found::Unsigned(found) => found.into(),
            Found::Floats(found) => found.into(),
        };
        match self.op {
            Running::Mean => Ok(found),
            Running::Of(Op::Sum) if found.element().integers().is_some() => self.sums.results(found),
            Running::Of(Op::Sum) => found.view().nearest(self.sums.results),
            Running::Diff if self.own.integers().is_some() => Ok(found),
            _ => found.view().nearest(self.own),
        }
    }
}

/// Whether `a` is a better result than `b`, which comes before it.
fn beats(a: Number, b: Number, best: Ordering) -> bool {
    let is_nan = |x: Number| matches!(x, Number::Float(x) if x.is_nan());
    is_nan(a) || !is_nan(b) && compare(a, b) == Some(best)
}

fn float(number: Number) -> f64 {
    match number {
        Number::Integer(n) => n as f64,
        Number::Float(x) => x,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

    use super::*;
    use crate::write::OutputForm;
    use std::ops::Range;

    /// Results of windows, each computed on its own.
    fn naive<T: Copy, R>(x: &[T], segments: &[Range<usize>], width: usize, of: impl Fn(&[T]) -> R) -> Vec<R> {
        segments.iter().flat_map(|segment| x[segment.clone()].windows(width)).map(of).collect()
    }

    /// Results of values that come in parts of `part`.
    fn rolling(x: View<'_>, op: Running, segments: &[Range<usize>], width: usize, part: usize) -> Values {
        let sums = Sums::new(Default::default(), Op::Sum, x.element(), OutputForm::Words).unwrap();
        let mut rolling = Rolling::new(op, (x.element(), width), sums).unwrap();
        let heads: Vec<bool> = (0..x.len()).map(|at| segments.iter().any(|segment| segment.start == at)).collect();
        let mut all = Values::zeroed(rolling.element(), 0).unwrap();
        for start in (0..x.len()).step_by(part) {
            let range = start..(start + part).min(x.len());
            let (results, without) = rolling.results(x.part(range.clone()), &heads[range.clone()]).unwrap();
            assert_eq!(results.len() + without.len(), range.len());
            for index in without {
                let segment = segments.iter().find(|segment| segment.contains(&(start + index))).unwrap();
                assert!(start + index - segment.start + 1 < width);
            }
            crate::collect::append(&mut all, &results, "x").unwrap();
        }
        all
    }

    #[test]
    fn windows_are_as_each_on_its_own() {
        for n in [0usize, 1, 2, 3, 7, 8, 9, 50] {
            let x: Vec<i64> =
                (0..n as u64).map(|k| (k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44) as i64 - 500_000).collect();
            let y: Vec<f64> = x.iter().map(|&x| if x % 11 == 0 { f64::NAN } else { x as f64 / 8.0 }).collect();
            for cuts in [vec![], vec![n / 3, n / 3 + 1, n / 2]] {
                let mut ends = [vec![0], cuts, vec![n]].concat();
                ends.iter_mut().for_each(|end| *end = n.min(*end));
                ends.sort_unstable();
                ends.dedup();
                let segments: Vec<Range<usize>> = ends.windows(2).map(|pair| pair[0]..pair[1]).collect();
                for (width, part) in [(1, 5), (2, 1), (3, 2), (4, 3), (7, 4), (8, 60), (60, 60), (5, 11)] {
                    let x_of = |op| rolling(View::I64(&x), op, &segments, width, part);
                    let y_of = |op| rolling(View::F64(&y), op, &segments, width, part);
                    let bits = |values: Values| -> Vec<u64> {
                        let Values::F64(values) = values else { panic!() };
                        values.into_iter().map(|x| if x.is_nan() { 1 } else { (x + 0.0).to_bits() }).collect()
                    };
                    let (sum, mean) = (Running::Of(Op::Sum), Running::Mean);
                    let (min, max) = (Running::Of(Op::Min), Running::Of(Op::Max));
                    assert_eq!(x_of(sum), Values::I64(naive(&x, &segments, width, |x| x.iter().sum())));
                    assert_eq!(x_of(min), Values::I64(naive(&x, &segments, width, |x| *x.iter().min().unwrap())));
                    assert_eq!(x_of(max), Values::I64(naive(&x, &segments, width, |x| *x.iter().max().unwrap())));
                    let means = naive(&x, &segments, width, |x| x.iter().sum::<i64>() as f64 / width as f64);
                    assert_eq!(x_of(mean), Values::F64(means));
                    // Sums of eighths are exact.
                    let eighths = |x: &[f64]| x.iter().sum::<f64>();
                    assert_eq!(bits(y_of(sum)), bits(Values::F64(naive(&y, &segments, width, eighths))));
                    let means = naive(&y, &segments, width, |x| eighths(x) / width as f64);
                    assert_eq!(bits(y_of(mean)), bits(Values::F64(means)));
                    let nan = |x: &[f64]| x.iter().any(|x| x.is_nan());
                    let least =
                        |x: &[f64]| if nan(x) { f64::NAN } else { x.iter().copied().fold(f64::INFINITY, f64::min) };
                    assert_eq!(bits(y_of(min)), bits(Values::F64(naive(&y, &segments, width, least))));
                    let most =
                        |x: &[f64]| if nan(x) { f64::NAN } else { x.iter().copied().fold(f64::NEG_INFINITY, f64::max) };
                    assert_eq!(bits(y_of(max)), bits(Values::F64(naive(&y, &segments, width, most))));
                }
                let pairs = |op| rolling(View::I64(&x), op, &segments, 2, 3);
                assert_eq!(pairs(Running::Lag), Values::I64(naive(&x, &segments, 2, |x| x[0])));
                let differences = naive(&x, &segments, 2, |x| x[1] - x[0]);
                assert_eq!(pairs(Running::Diff), Values::I64(differences));
            }
        }
    }

    /// Sums of floats do not show where their parts begin.
    #[test]
    fn parts_do_not_show() {
        let x: Vec<f64> = (1..400).map(|k| 1.0 / f64::from(k)).collect();
        let segments = [0..100, 100..101, 101..399];
        for width in [1, 3, 10, 99] {
            let whole = rolling(View::F64(&x), Running::Mean, &segments, width, 399);
            for part in [1, 2, 50, 101] {
                assert_eq!(rolling(View::F64(&x), Running::Mean, &segments, width, part), whole);
            }
        }
    }
}
