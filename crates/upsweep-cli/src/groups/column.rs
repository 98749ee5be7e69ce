//! Column whose values come in batches, and its results.

use super::totals::{Sorted, TooLarge, Totals};
use crate::args::ReduceArgs;
use crate::element::{Type, Values, with_values};
use crate::failure::{Failure, Result, quoted};
use crate::table::Batch;
use bytemuck::Zeroable;
use bytemuck::allocation::try_zeroed_vec;
use std::ops::Range;
use upsweep::Device;
use upsweep_core::memory;
use upsweep_dynamic::Reduce;

/// Number of values of a batch, at least.
pub(super) const BATCH: usize = 1 << 20;

/// Texts of each group: one of each column of groups.
pub(super) type TextsOf<'a> = dyn Fn(usize) -> Vec<&'a [u8]> + 'a;

/// What is computed of columns.
#[derive(Clone, Copy)]
pub(super) struct Computing<'a> {
    pub(super) args: &'a ReduceArgs,
    pub(super) device: &'a Device,
    /// Name of the input in messages.
    pub(super) name: &'a str,
    /// Texts of each group, if there are groups.
    pub(super) groups: Option<&'a TextsOf<'a>>,
}

impl Computing<'_> {
    /// Returns the failure for a total that does not fit its type, with its group.
    fn overflow(&self, &TooLarge { group, op, sums, value }: &TooLarge) -> Failure {
        let group = self.groups.map_or_else(String::new, |texts| {
            let texts = texts(group).into_iter().map(|text| quoted(&String::from_utf8_lossy(text.trim_ascii())));
            format!("group {}: ", texts.collect::<Vec<_>>().join(", "))
        });
        let said = value.map_or_else(String::new, |value| format!(", it is {value}"));
        let words = format!("{group}the {op} does not fit {}{said}: {}", sums.results, sums.advice(value));
        Failure::input(self.name, words)
    }
}

/// Column so far.
#[derive(Default)]
pub(super) struct Column {
    /// Type of the values, and the states of the statistics.
    states: Option<(Type, Vec<Totals>)>,
    /// Values that a batch has left for the next.
    rest: Option<Batch>,
    /// Number of values of each group.
    counts: Vec<u64>,
}

/// Results of a column.
pub(super) struct Results {
    /// Name, if the input names its columns.
    pub(super) name: Option<Vec<u8>>,
    /// Texts, if the values are the numbers of these.
    pub(super) texts: Option<Vec<Vec<u8>>>,
    /// Number of values of each group.
    pub(super) counts: Vec<u64>,
    /// Results by each statistic in turn: a value for each group.
    pub(super) values: Vec<Values>,
}

impl Column {
    /// Adds values, of `groups` groups so far. Returns the number of values of the next batch; `None` if these have another
    /// type than those before.
    pub(super) fn add(
        &mut self,
        computing: &Computing<'_>,
        batch: Batch,
        groups: usize,
        is_last: bool,
    ) -> Result<Option<usize>> {
        let (name, element) = (computing.name, batch.values.element());
        if self.states.as_ref().is_some_and(|(found, _)| *found != element) {
            return Ok(None);
        }
        let sorted = by_group(joined(self.rest.take(), batch, name)?, groups, name)?;
        let taken = |pair: &[u64]| {
            let (begin, len) = (pair[0] as usize, (pair[1] - pair[0]) as usize);
            begin..begin + if is_last { len } else { len - len % Reduce::CHUNK }
        };
        let ranges: Vec<Range<usize>> = sorted.offsets.windows(2).map(taken).collect();
        self.add_sorted(computing, &sorted, &ranges)?;
        let rest = if is_last { None } else { Some(left(&sorted, &ranges, name)?) };
        let most = rest.as_ref().map_or(BATCH, |rest| BATCH.max(rest.groups.len()));
        self.rest = rest;
        Ok(Some(most))
    }

    /// Adds all values of one group.
    pub(super) fn add_all(&mut self, computing: &Computing<'_>, values: Values) -> Result<()> {
        let len = values.len();
        let offsets = vec![0, len as u64];
        self.add_sorted(computing, &Sorted { values, offsets }, std::slice::from_ref(&(0..len)))
    }

    /// Adds the values of each group that are in its range.
    fn add_sorted(&mut self, computing: &Computing<'_>, sorted: &Sorted, ranges: &[Range<usize>]) -> Result<()> {
        let &Computing { args, device, name, .. } = computing;
        let element = sorted.values.element();
        let of_type = || args.op.iter().map(|&statistic| Totals::new(statistic, element, args.common.sums));
        let (_, states) = match &mut self.states {
            Some(states) => states,
            none => none.insert((element, of_type().collect::<Result<_>>()?)),
        };
        self.counts.resize(ranges.len(), 0);
        self.counts.iter_mut().zip(ranges).for_each(|(count, range)| *count += range.len() as u64);
        let failed = |e| Failure::computing(name, &e);
        states.iter_mut().try_for_each(|state| state.add(device, sorted, ranges).map_err(failed))
    }

    /// Returns the results after the last batch.
    pub(super) fn finish(
        self,
        computing: &Computing<'_>,
        name: Option<Vec<u8>>,
        texts: Option<Vec<Vec<u8>>>,
    ) -> Result<Results> {
        let Self { states, counts, .. } = self;
        let mut values = Vec::new();
        for state in states.into_iter().flat_map(|(_, states)| states) {
            if let Some(total) = state.too_large() {
                return Err(computing.overflow(&total));
            }
            let results = state.finish(computing.device, &counts);
            values.push(results.map_err(|e| Failure::computing(computing.name, &e))?);
        }
        Ok(Results { name, texts, counts, values })
    }
}

/// Puts the rest of a batch before the next.
fn joined(rest: Option<Batch>, next: Batch, name: &str) -> Result<Batch> {
    let Some(Batch { mut values, mut groups }) = rest else { return Ok(next) };
    values.append(next.values.view()).map_err(|e| Failure::computing(name, &e))?;
    groups.extend(next.groups);
    Ok(Batch { values, groups })
}

/// Returns what the ranges leave of their groups.
fn left(Sorted { values, offsets }: &Sorted, ranges: &[Range<usize>], name: &str) -> Result<Batch> {
    let rests = || ranges.iter().zip(offsets.iter().skip(1)).map(|(taken, &end)| taken.end..end as usize);
    let len = rests().map(|rest| rest.len()).sum();
    let mut groups = memory::room(len).map_err(|_| Failure::memory(name, len * size_of::<u32>()))?;
    rests().zip(0u32..).for_each(|(rest, group)| groups.extend(rest.map(|_| group)));
    let values = with_values!(values, x => {
        let mut left = memory::room(len).map_err(|_| Failure::memory(name, size_of_val(&x[..len])))?;
        rests().for_each(|rest| left.extend_from_slice(&x[rest]));
        left.into()
    });
    Ok(Batch { values, groups })
}

/// Sorts the values of a batch by their groups, of which there are `count`.
fn by_group(Batch { values, groups }: Batch, count: usize, name: &str) -> Result<Sorted> {
    let mut offsets = vec![0u64; count + 1];
    groups.iter().for_each(|&group| offsets[group as usize + 1] += 1);
    (1..offsets.len()).for_each(|group| offsets[group] += offsets[group - 1]);
    let values = match groups.is_sorted() {
        true => values,
        false => {
            let bytes = values.bytes().len();
            let sorted = with_values!(values, x => gathered(x, groups, &offsets).map(Values::from));
            sorted.map_err(|()| Failure::memory(name, bytes))?
        }
    };
    Ok(Sorted { values, offsets })
}

/// Returns the values in the order of their groups, which begin at `offsets`. What has moved is given back to the system
/// part by part, from the end on, so that the values are not there twice.
fn gathered<T: Copy + Zeroable>(
    mut x: Vec<T>,
    mut groups: Vec<u32>,
    offsets: &[u64],
) -> std::result::Result<Vec<T>, ()> {
    const PART: usize = 1 << 18;
    // The system gives zeroed memory when it is first written to.
    let mut sorted: Vec<T> = memory::ask(|| try_zeroed_vec(x.len()))?;
    let mut ends = offsets.get(1..).unwrap_or_default().to_vec();
    while !x.is_empty() {
        let rest = x.len().saturating_sub(PART);
        for (x, group) in x.drain(rest..).zip(groups.drain(rest..)).rev() {
            let end = &mut ends[group as usize];
            *end -= 1;
            sorted[*end as usize] = x;
        }
        x.shrink_to_fit();
        groups.shrink_to_fit();
    }
    Ok(sorted)
}
