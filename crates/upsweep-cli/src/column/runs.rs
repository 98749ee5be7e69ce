//! Reduction of a column that begins anew where a key changes.
//!
//! Runs of rows with equal keys are groups, whose totals have the bits of their values alone. Those that end in a part are reduced
//! at once. Of the run that goes on, all whole chunks are, and what is left comes before the values of the next part.

use super::Table;
use super::parts::{Done, shifted};
use crate::args::Common;
use crate::asked::{Asked, report};
use crate::collect::{Refused, Texts};
use crate::device::Chosen;
use crate::distinct::Distinct;
use crate::element::{Type, Values, format};
use crate::failure::{Failure, Result, note, quoted};
use crate::grown;
use crate::output::Destination;
use crate::show::Places;
use crate::sums::Sums;
use crate::table::{WrittenRows, key_cells};
use crate::write::OutputForm;
use std::ops::Range;
use std::time::Instant;
use upsweep_dynamic::{Carry, Error, GroupTotals, Number, Op, Reduce, RunningCheck, Segments, View};

/// Totals of runs.
struct Totals<'a> {
    asked: &'a Asked<'a>,
    op: Op,
    init: Option<Number>,
    /// Type of the values.
    element: Type,
    /// Run to which the next values may belong.
    open: Option<Open>,
    /// Number of all values so far.
    position: usize,
}

/// Run that goes on.
struct Open {
    /// Totals of its chunks, and its values after them.
    totals: GroupTotals,
    rest: Values,
    check: Option<RunningCheck>,
    /// Index of its first value.
    begin: usize,
}

impl<'a> Totals<'a> {
    fn new(op: Op, asked: &'a Asked<'a>, element: Type) -> Result<Self> {
        Ok(Self { asked, op, init: asked.init()?, element, open: None, position: 0 })
    }

    /// Adds values, and returns the results of the runs that have ended. `heads` has the flags of the values with which runs begin.
    fn add(&mut self, values: &Values, heads: &[bool]) -> std::result::Result<Values, Error> {
        let Asked { sums, device, .. } = self.asked;
        let x = sums.in_computed(values.view())?;
        let x = x.view();
        let begins: Vec<usize> = heads.iter().zip(0..).filter(|(is_head, _)| **is_head).map(|(_, at)| at).collect();
        let mut ended = Values::zeroed(sums.computed, 0)?;
        if let Some((&first, &last)) = begins.first().zip(begins.last()) {
            if let Some(mut open) = self.open.take() {
                open.add(self.asked, x.part(0..first))?;
                ended.append(open.finish(self.asked)?.view())?;
            }
            if sums.checked {
                let checked = self.reduce().segments(Segments::HeadFlags(&heads[first..last]));
                checked.check_overflow(x.part(first..last)).map_err(|e| shifted(e, self.position + first))?;
            }
            let ranges: Vec<Range<usize>> = begins.windows(2).map(|pair| pair[0]..pair[1]).collect();
            let mut totals = self.totals();
            totals.add(&device.device, x, &ranges)?;
            ended.append(totals.finish(&device.device, ranges.len())?.view())?;
            let mut open = self.begin(self.position + last)?;
            open.add(self.asked, x.part(last..x.len()))?;
            self.open = Some(open);
        } else if let Some(open) = &mut self.open {
            open.add(self.asked, x)?;
        }
        self.position += values.len();
        sums.results(ended)
    }

    /// Returns the result of the last run, if there is one.
    fn finish(self) -> std::result::Result<Values, Error> {
        let sums = &self.asked.sums;
        let none = || Values::zeroed(sums.computed, 0);
        sums.results(self.open.map_or_else(none, |open| open.finish(self.asked))?)
    }

    fn begin(&self, begin: usize) -> std::result::Result<Open, Error> {
        let check = match self.asked.sums.checked {
            true => self.reduce().running_check(&Carry::new(), self.element, usize::MAX)?,
            false => None,
        };
        Ok(Open { totals: self.totals(), rest: Values::zeroed(self.asked.sums.computed, 0)?, check, begin })
    }

    fn totals(&self) -> GroupTotals {
        let totals = GroupTotals::new(self.op, self.asked.sums.computed);
        match self.init {
            Some(init) => totals.init(self.asked.sums.init(init)),
            None => totals,
        }
    }

    fn reduce(&self) -> Reduce<'static> {
        let reduce = Reduce::new(self.op).accumulate(self.asked.sums.results);
        match self.init {
            Some(init) => reduce.init(init),
            None => reduce,
        }
    }
}

impl Open {
    /// Adds values of the run.
    fn add(&mut self, asked: &Asked<'_>, x: View<'_>) -> std::result::Result<(), Error> {
        if let Some(check) = &mut self.check {
            check.part(x, check.measure(x)?).map_err(|e| shifted(e, self.begin))?;
        }
        self.rest.append(x)?;
        let whole = self.rest.len() - self.rest.len() % Reduce::CHUNK;
        if whole > 0 {
            self.totals.add(&asked.device.device, self.rest.view(), std::slice::from_ref(&(0..whole)))?;
            self.rest = self.rest.view().part(whole..self.rest.len()).to_values()?;
        }
        Ok(())
    }

    fn finish(mut self, asked: &Asked<'_>) -> std::result::Result<Values, Error> {
        if let Some(check) = &self.check {
            check.finish(false).map_err(|e| shifted(e, self.begin))?;
        }
        self.totals.add(&asked.device.device, self.rest.view(), std::slice::from_ref(&(0..self.rest.len())))?;
        self.totals.finish(&asked.device.device, 1)
    }
}

/// Keys of the runs, and the first of them that comes back: users who mean groups expect one result for each key.
#[derive(Default)]
struct Keys {
    /// Those of the runs whose results are not written yet.
    runs: Texts,
    seen: Distinct,
    bytes: usize,
    repeated: Option<Vec<u8>>,
}

impl Keys {
    /// Keys that are compared, and their bytes: a table that is not sorted repeats one of its first keys.
    const MOST: (usize, usize) = (1 << 18, 1 << 23);

    fn add(&mut self, key: &[u8]) -> std::result::Result<(), Refused> {
        if self.repeated.is_none() && self.seen.len() < Self::MOST.0 && self.bytes < Self::MOST.1 {
            self.bytes += key.len();
            let (_, is_new) = self.seen.number(key)?;
            self.repeated = (!is_new).then(|| key.to_vec());
        }
        self.runs.push(key)
    }

    /// Leaves out those of the first runs, which are all but one at most.
    fn leave_out(&mut self, count: usize) -> std::result::Result<(), Refused> {
        let next = self.runs.iter().nth(count).map(<[u8]>::to_vec);
        self.runs.clear();
        next.map_or(Ok(()), |next| self.runs.push(&next))
    }

    /// Prints a note if a key has several results. `columns` are the names of their columns.
    fn note(&self, name: &str, columns: &[String]) {
        let Some(key) = &self.repeated else { return };
        let cells = key_cells(key, columns.len()).into_iter().map(|cell| quoted(&String::from_utf8_lossy(cell)));
        let (key, column) = (cells.collect::<Vec<_>>().join(", "), columns.join(", "));
        note(&format!(
            "{name}: the key {key} comes back after another: each run of equal keys has a result of its own; \
             give --group-by instead of --by-key for one result a key, or sort the rows by column {column}"
        ));
    }
}

/// Runs `upsweep reduce --by-key`.
pub(crate) fn reduce_runs(
    (common, op): (&Common, Op),
    table: &Table,
    device: &Chosen,
    (destination, form): (&Destination, OutputForm),
    begun: Instant,
) -> Result<()> {
    table.read(common, destination.is_plain_file(), |column| {
        let (name, element, started) = (column.name, column.element, Instant::now());
        let sums = Sums::new(common.sums, op, element, form)?;
        sums.check_output(form, op, destination.name())?;
        let asked = Asked { common, name, device, shape: &[], axis: None, sums, missing: 0, begun };
        let (labels, names) = (column.rows.key_labels().to_vec(), column.rows.key_names(op.name()));
        let (mut keys, mut done) = (Keys::default(), Done { len: 0, missing: 0 });
        let each = |next: &mut dyn FnMut(&Values, &Texts) -> Result<()>| {
            let mut totals = Totals::new(op, &asked, element)?;
            let wrong = |e: Error| {
                // Where a value stands shows as soon as all that were left out are known.
                let left_out = table.left_out(common)?;
                let places = Places { name: "row", first: table.head.first_row(), left_out: &left_out, shape: &[] };
                Err(asked.overflow(&places, "from here on ", &e))
            };
            let full = |refused: Refused| refused.failure(name, Failure::Run);
            done = column.each_keyed(|values, heads, texts| {
                texts.iter().try_for_each(|key| keys.add(key)).map_err(full)?;
                let ended = totals.add(values, heads).or_else(wrong)?;
                next(&ended, &keys.runs)?;
                keys.leave_out(ended.len()).map_err(full)
            })?;
            next(&totals.finish().or_else(wrong)?, &keys.runs)
        };
        let delimiter = match form {
            OutputForm::Table { delimiter } => Some(delimiter),
            OutputForm::Words => Some(b'\t'),
            OutputForm::Npy | OutputForm::Raw(_) => None,
        };
        match delimiter {
            None => grown::write(destination, (form, sums.results), |next| each(&mut |ended, _| next(ended)))?,
            Some(delimiter) => destination.write(|out| {
                let mut out = WrittenRows::to(out, destination.name(), delimiter);
                if let Some(names) = names.filter(|_| form != OutputForm::Words) {
                    out.write(&names)?;
                }
                let mut text = Vec::new();
                each(&mut |ended, keys| {
                    keys.iter().take(ended.len()).enumerate().try_for_each(|(index, key)| {
                        text.clear();
                        format(ended, index, &mut text);
                        out.write(key_cells(key, labels.len()).into_iter().chain([&text[..]]))
                    })
                })
            })?,
        }
        keys.note(name, &labels);
        sums.note_width(form, element);
        let asked = Asked { missing: done.missing, ..asked };
        let (what, bytes) = (format!("{op} reduction"), done.len * element.size());
        report(destination, &asked.summary(what, (done.len, element), started.elapsed(), bytes));
        Ok(())
    })
}
