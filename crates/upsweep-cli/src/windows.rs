//! Command `upsweep scan` over windows: results of a value and of some before it.
//!
//! Sums of integers follow from the one before: a value comes, and one goes. Those of floats would keep the rounding errors of values
//! that are gone. So the values are cut into blocks as long as a window, which then is the end of a block and the begin of the
//! next: the sum of a suffix and of a prefix, each from a scan of its block (van Herk 1992; Gil and Werman 1993).

use crate::args::{Running, ScanArgs};
use crate::asked::places;
use crate::element::{Type, Values};
use crate::expression::value::compare;
use crate::failure::{Failure, Result};
use crate::input::{self, Form, Input};
use crate::means::quotient;
use crate::progress::Progress;
use crate::run;
use crate::show::position_with;
use crate::sums::Sums;
use crate::write::{self, OutputForm};
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ops::Range;
use upsweep_dynamic::{Number, Op, View, with_view};

/// Runs `upsweep scan` with a window, or with the value before.
pub(crate) fn scan(args: &ScanArgs, op: Running, window: Option<usize>) -> Result<()> {
    let common = &args.common;
    let width = width(op, window)?;
    let of_all = [
        ("--exclusive", args.exclusive),
        ("--reverse", args.reverse),
        ("--init", common.init.is_some()),
        ("--axis", common.axis.is_some()),
        ("--segments", common.segments.is_some()),
        ("--carry-in", args.carries.carry_in.is_some()),
        ("--carry-out", args.carries.carry_out.is_some()),
    ];
    if let Some((option, _)) = of_all.iter().find(|(_, given)| *given) {
        return Err(Failure::Input(format!("{option}: is for results of all values before: leave it out")));
    }
    let is_sum = op == Running::Of(Op::Sum);
    common.sums.check(if is_sum { &[Op::Sum] } else { &[] })?;
    let (destination, named) = run::output(common.output.as_deref())?;
    run::explain_waiting(common);
    let mut input = input::load(common, false)?;
    let form = named.unwrap_or(OutputForm::of_input(&input.form));
    run::check_one_table(common, (&input, form))?;
    let len = input.values.len();
    let heads = input.keys.as_mut().map(|keys| std::mem::take(&mut keys.heads));
    let mut begins: Vec<usize> = match heads {
        Some(heads) => heads.iter().enumerate().filter(|(_, head)| **head).map(|(at, _)| at).collect(),
        None => vec![0],
    };
    begins.push(len);
    let segments: Vec<Range<usize>> = begins.windows(2).map(|pair| pair[0]..pair[1]).collect();
    let sums = Sums::new(common.sums, Op::Sum, input.values.element(), form)?;
    let results = Windows { x: input.values.view(), segments: &segments, width }.of(op, &sums);
    let results = results.map_err(|wrong| match wrong {
        Wrong::Computing(e) => Failure::computing(&input.name, &e),
        Wrong::TooLarge { at, value } => {
            let places = places(&input.form, &input.shape);
            let (advice, results) = (sums.advice(Some(value)), sums.results);
            let reason = match is_sum {
                true => format!("the sum is {value}, which does not fit {results}: {advice}"),
                false => format!("the difference is {value}, which does not fit i64"),
            };
            Failure::input(&input.name, format!("{} {}: {reason}", places.name, places.of(at)))
        }
    })?;
    form.check_as(results.element(), destination.name(), Some(if is_sum { "--sum-type" } else { "--type" }))?;
    let left_out =
        segments.iter().flat_map(|segment| segment.start..segment.end.min(segment.start.saturating_add(width - 1)));
    let Input { name, form: mut of_input, .. } = input;
    if let Form::Table { layout, .. } = &mut of_input {
        let before = layout.left_out().to_vec();
        layout.leave_out(left_out.map(|at| position_with(&before, at)));
    }
    let suffix = window.map_or_else(|| op.name().to_owned(), |window| format!("{}_{window}", op.name()));
    let out_name = destination.name();
    destination.write(|out| match (&of_input, form) {
        (Form::Table { layout, .. }, OutputForm::Table { delimiter }) => {
            let progress = Progress::new("writing", None);
            layout.write_joined((&name, &suffix), &results, delimiter, (out, out_name), &progress)
        }
        _ => write::write(form, &results, &[results.len()], (out, out_name), &Progress::new("writing", None)),
    })
}

/// Returns the number of values that a result is of.
fn width(op: Running, window: Option<usize>) -> Result<usize> {
    match (op, window) {
        (Running::Lag | Running::Diff, None) => Ok(2),
        (Running::Of(Op::Sum | Op::Min | Op::Max) | Running::Mean, Some(0)) => {
            Err(Failure::Input("--window 0: a window has a value at least".to_owned()))
        }
        (Running::Of(Op::Sum | Op::Min | Op::Max) | Running::Mean, Some(width)) => Ok(width),
        (_, None) => Err(Failure::Input("--op mean: is of windows: give --window 7 for those of 7 values".to_owned())),
        (_, Some(_)) => {
            let name = op.name();
            Err(Failure::Input(format!("--window: is for sum, mean, min and max, and --op is {name}: leave it out")))
        }
    }
}

/// Reason why there are no results.
enum Wrong {
    Computing(upsweep_dynamic::Error),
    /// The result of the element number `at` does not fit its type.
    TooLarge {
        at: usize,
        value: i128,
    },
}

impl From<upsweep_dynamic::Error> for Wrong {
    fn from(e: upsweep_dynamic::Error) -> Self {
        Self::Computing(e)
    }
}

/// Values, and the windows over them: all that have `width` values of a segment.
struct Windows<'a> {
    x: View<'a>,
    segments: &'a [Range<usize>],
    width: usize,
}

impl Windows<'_> {
    fn of(&self, op: Running, sums: &Sums) -> std::result::Result<Values, Wrong> {
        let is_integer = self.x.element().integers().is_some();
        let own = self.x.element();
        match op {
            Running::Of(Op::Min) => Ok(self.picked(&|segment| self.extremes(segment, Ordering::Less))),
            Running::Of(Op::Max) => Ok(self.picked(&|segment| self.extremes(segment, Ordering::Greater))),
            Running::Lag => Ok(self.picked(&|segment| (0..segment.len().saturating_sub(1)).collect())),
            Running::Mean if is_integer => {
                let mean = |_, total| Ok(quotient(total, self.width));
                Ok(Values::F64(self.totals(mean)?))
            }
            Running::Mean => {
                Ok(Values::F64(self.float_sums().into_iter().map(|sum| sum / self.width as f64).collect()))
            }
            Running::Diff if is_integer => Ok(Values::I64(self.differences()?)),
            Running::Diff => {
                let differences = self.in_segments(&|x| x.windows(2).map(|pair| pair[1] - pair[0]).collect());
                Ok(View::F64(&differences).nearest(own)?)
            }
            Running::Of(_) if is_integer && sums.results.integers().is_some() => {
                let range = sums.results.integers().filter(|_| sums.checked).unwrap_or(i128::MIN..=i128::MAX);
                let fits = |at, value| match range.contains(&value) {
                    true => Ok(value),
                    false => Err(Wrong::TooLarge { at, value }),
                };
                let totals = self.totals(fits)?;
                // Sums modulo 2^64 are what wraps around.
                let computed = match sums.computed {
                    Type::U64 => Values::U64(totals.into_iter().map(|total| total as u64).collect()),
                    _ => Values::I64(totals.into_iter().map(|total| total as i64).collect()),
                };
                Ok(sums.results(computed)?)
            }
            Running::Of(_) if is_integer => {
                let totals = self.totals(|_, total| Ok(total as f64))?;
                Ok(View::F64(&totals).nearest(sums.results)?)
            }
            Running::Of(_) => Ok(View::F64(&self.float_sums()).nearest(sums.results)?),
        }
    }

    /// Returns what `of` makes of the floats of each segment.
    fn in_segments(&self, of: &dyn Fn(Vec<f64>) -> Vec<f64>) -> Vec<f64> {
        let floats = |segment: &Range<usize>| -> Vec<f64> {
            with_view!(self.x, x => x[segment.clone()].iter().map(|&x| float(x.into())).collect())
        };
        self.segments.iter().flat_map(|segment| of(floats(segment))).collect()
    }

    /// Returns the elements at the indices, counted from the begin of each segment, that `pick` returns for it.
    fn picked(&self, pick: &dyn Fn(&Range<usize>) -> Vec<usize>) -> Values {
        let places =
            |segment: &Range<usize>| pick(segment).into_iter().map(|at| segment.start + at).collect::<Vec<_>>();
        let places: Vec<usize> = self.segments.iter().flat_map(places).collect();
        with_view!(self.x, x => places.iter().filter_map(|&at| x.get(at)).copied().collect::<Vec<_>>().into())
    }

    /// Returns what `of` makes of the sum of the integers in each window, and of the index of the window's last element.
    fn totals<T>(
        &self,
        of: impl Fn(usize, i128) -> std::result::Result<T, Wrong>,
    ) -> std::result::Result<Vec<T>, Wrong> {
        let integer =
            |at: usize| with_view!(self.x, x => x.get(at).map(|&x| Number::from(x))).and_then(Number::integer);
        let mut results = Vec::new();
        for segment in self.segments {
            let mut total = 0;
            for at in segment.clone() {
                total += integer(at).unwrap_or(0);
                if let Some(begin) = (at + 1).checked_sub(self.width).filter(|&begin| begin >= segment.start) {
                    results.push(of(at, total)?);
                    total -= integer(begin).unwrap_or(0);
                }
            }
        }
        Ok(results)
    }

    /// Returns the difference of each integer from the one before it.
    fn differences(&self) -> std::result::Result<Vec<i64>, Wrong> {
        let integer =
            |at: usize| with_view!(self.x, x => x.get(at).map(|&x| Number::from(x))).and_then(Number::integer);
        let pairs = self.segments.iter().flat_map(|segment| segment.clone().skip(1));
        let difference = |at: usize| {
            let value = integer(at).unwrap_or(0) - integer(at - 1).unwrap_or(0);
            i64::try_from(value).map_err(|_| Wrong::TooLarge { at, value })
        };
        pairs.map(difference).collect()
    }

    /// Returns the sum of the floats in each window.
    fn float_sums(&self) -> Vec<f64> {
        let of = |mut prefixes: Vec<f64>| {
            let mut suffixes = prefixes.clone();
            for block in suffixes.chunks_mut(self.width) {
                (1..block.len()).rev().for_each(|at| block[at - 1] += block[at]);
            }
            for block in prefixes.chunks_mut(self.width) {
                (1..block.len()).for_each(|at| block[at] += block[at - 1]);
            }
            let window = |(begin, &last): (usize, &f64)| match begin % self.width {
                0 => last,
                _ => suffixes[begin] + last,
            };
            prefixes.iter().skip(self.width - 1).enumerate().map(window).collect()
        };
        self.in_segments(&of)
    }

    /// Returns the index in a segment of the number in each window that none compares with as `best`. NaN is the best of all.
    fn extremes(&self, segment: &Range<usize>, best: Ordering) -> Vec<usize> {
        with_view!(self.x, x => extremes(&x[segment.clone()], self.width, best))
    }
}

/// Returns the index in `x` of the best number of each window of this width.
fn extremes<T: Copy + Into<Number>>(x: &[T], width: usize, best: Ordering) -> Vec<usize> {
    let is_nan = |x: Number| matches!(x, Number::Float(x) if x.is_nan());
    let beats = |a: Number, b: Number| is_nan(a) || !is_nan(b) && compare(a, b) == Some(best);
    // Indices of numbers that later ones do not beat: the first one is the best of the window.
    let mut candidates: VecDeque<usize> = VecDeque::new();
    let mut results = Vec::with_capacity(x.len().saturating_sub(width - 1));
    for (at, &number) in x.iter().enumerate() {
        while candidates.back().is_some_and(|&last| beats(number.into(), x[last].into())) {
            candidates.pop_back();
        }
        candidates.push_back(at);
        if let Some(begin) = (at + 1).checked_sub(width) {
            while candidates.front().is_some_and(|&first| first < begin) {
                candidates.pop_front();
            }
            results.extend(candidates.front());
        }
    }
    results
}

fn float(number: Number) -> f64 {
    match number {
        Number::Integer(n) => n as f64,
        Number::Float(x) => x,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    /// Results of windows, each computed on its own.
    fn naive<T: Copy, R>(x: &[T], segments: &[Range<usize>], width: usize, of: impl Fn(&[T]) -> R) -> Vec<R> {
        segments.iter().flat_map(|segment| x[segment.clone()].windows(width)).map(of).collect()
    }

    #[test]
    fn windows_are_as_each_on_its_own() {
        let sums = |element| Sums::new(Default::default(), Op::Sum, element, OutputForm::Words).unwrap();
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
                for width in [1, 2, 3, 4, 7, 8, 60] {
                    let of =
                        |x, op, element| Windows { x, segments: &segments, width }.of(op, &sums(element)).ok().unwrap();
                    let (x_of, y_of) = (|op| of(View::I64(&x), op, Type::I64), |op| of(View::F64(&y), op, Type::F64));
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
                let pairs =
                    |x, op, element| Windows { x, segments: &segments, width: 2 }.of(op, &sums(element)).ok().unwrap();
                assert_eq!(
                    pairs(View::I64(&x), Running::Lag, Type::I64),
                    Values::I64(naive(&x, &segments, 2, |x| x[0]))
                );
                let differences = naive(&x, &segments, 2, |x| x[1] - x[0]);
                assert_eq!(pairs(View::I64(&x), Running::Diff, Type::I64), Values::I64(differences));
            }
        }
    }
}
