//! Values of a column that come part by part, and the rows that are written with their results.

use super::{Table, check_one_table};
use crate::args::Common;
use crate::collect::{Collector, Refused, Texts, collector_of, push};
use crate::element::{Type, Values};
use crate::failure::{Failure, Result};
use crate::grown;
use crate::output::Destination;
use crate::show::{Places, position_with};
use crate::table::{Changes, Joined, Record, Rowwise, Taken, WrittenRows, take};
use crate::write::OutputForm;
use upsweep_dynamic::Error;

/// Rows of a part, at most.
const PART: usize = 1 << 17;

/// Computation over the values of a column, which come part by part.
pub(crate) trait Compute {
    /// Type of the results.
    fn element(&self) -> Type;

    /// Returns the results of the next values, and the indices of those without one, ascending. `heads` has flags of the values
    /// with which segments begin, unless all are one segment. `places` are those of all values so far.
    fn results(&mut self, values: &Values, heads: &[bool], places: &Places<'_>) -> Result<(Values, Vec<usize>)>;

    /// Checks the results after the last value, before they take their place.
    fn check(&self, _: &Places<'_>) -> Result<()> {
        Ok(())
    }
}

/// Column of a table, whose values are read.
pub(crate) struct Column<'a> {
    pub(super) common: &'a Common,
    /// Name of the table in messages.
    pub(crate) name: &'a str,
    /// Type of the values.
    pub(crate) element: Type,
    pub(super) rows: Rowwise<'a>,
    pub(super) table: &'a Table,
}

/// Numbers of values of a column.
pub(crate) struct Done {
    pub(crate) len: usize,
    /// Number of cells without a value.
    pub(crate) missing: usize,
}

impl Column<'_> {
    /// Lets `act` work on the values of each part, and on their places.
    pub(crate) fn each_part(self, mut act: impl FnMut(&Values, &Places<'_>) -> Result<()>) -> Result<Done> {
        let part = Part::of(&self);
        self.each(part, |ended| act(ended.values, &ended.places))
    }

    /// Lets `act` work on the values of each part, on the flags of those with which segments begin, and on the keys of these.
    pub(super) fn each_keyed(self, mut act: impl FnMut(&Values, &[bool], &Texts) -> Result<()>) -> Result<Done> {
        let part = Part { texts: Some(Texts::default()), ..Part::of(&self) };
        self.each(part, |ended| act(ended.values, ended.heads, ended.keys))
    }

    /// Calls `take` with each row, and its cell in the column, of the table and of those after it.
    fn each_row(
        self,
        mut take: impl FnMut(Record<'_>, &[u8]) -> Result<std::result::Result<(), Refused>>,
    ) -> Result<()> {
        self.rows.each(&mut take)?;
        self.table.others(self.common, "scanning", |rows| rows.each(&mut take))
    }

    fn each(self, mut part: Part<'_>, mut act: impl FnMut(Ended<'_>) -> Result<()>) -> Result<Done> {
        self.each_row(|row, cell| {
            let taken = part.take(row, cell);
            if taken.is_ok() && part.is_full() {
                part.end(&mut act)?;
                part.begin();
            }
            Ok(taken)
        })?;
        part.end(&mut act)?;
        part.begin();
        Ok(part.done())
    }

    /// Writes the rows with the results of `compute` in one more column, whose name is that of the column, and `suffix`; or the results
    /// alone, in another form.
    pub(crate) fn scan(
        self,
        compute: &mut impl Compute,
        (destination, form): (&Destination, OutputForm),
        suffix: &str,
    ) -> Result<Done> {
        let mut part = Part::of(&self);
        check_one_table(self.common, matches!(form, OutputForm::Table { .. }))?;
        match form {
            OutputForm::Table { delimiter } => destination.write(|out| {
                let mut joined = Joined::to(WrittenRows::to(out, destination.name(), delimiter));
                self.rows.names(suffix).map_or(Ok(()), |names| joined.write_names(names))?;
                let mut answer = |part: &mut Part<'_>, joined: &mut Joined<'_>| {
                    let (results, without) =
                        part.end(|Ended { values, heads, places, .. }| compute.results(values, heads, &places))?;
                    joined.write(&results, &part.empty(without))
                };
                let read = self.each_row(|row, cell| {
                    let taken = part.take(row, cell).and_then(|()| joined.push(row));
                    if taken.is_ok() && joined.is_full() {
                        answer(&mut part, &mut joined)?;
                        part.begin();
                        joined.begin();
                    }
                    Ok(taken)
                });
                // What is wrong with the results so far comes before what is wrong behind them.
                answer(&mut part, &mut joined)?;
                read?;
                compute.check(&part.places())
            }),
            form => grown::write(destination, (form, compute.element()), |next| {
                let mut answer = |part: &mut Part<'_>| {
                    next(&part.end(|Ended { values, heads, places, .. }| compute.results(values, heads, &places))?.0)
                };
                self.each_row(|row, cell| {
                    let taken = part.take(row, cell);
                    if taken.is_ok() && part.is_full() {
                        answer(&mut part)?;
                        part.begin();
                    }
                    Ok(taken)
                })?;
                answer(&mut part)?;
                compute.check(&part.places())
            }),
        }?;
        part.begin();
        Ok(part.done())
    }
}

/// Values of a part that was read.
struct Ended<'a> {
    values: &'a Values,
    /// Flags of the values with which segments begin, unless all are one segment.
    heads: &'a [bool],
    /// Keys of these segments, if they are kept.
    keys: &'a Texts,
    /// Places of all values so far.
    places: Places<'a>,
}

/// Part of the rows that is being read.
struct Part<'a> {
    common: &'a Common,
    name: &'a str,
    element: Type,
    /// Number of the first row of data.
    first: usize,
    values: Box<dyn Collector>,
    /// Finder of the values with which segments begin, if there are some.
    keys: Option<Changes>,
    heads: Vec<bool>,
    /// Keys of these segments, if they are kept.
    texts: Option<Texts>,
    /// Number of rows.
    rows: usize,
    /// Rows that were left out, counted with the values of the parts before.
    left_out: Vec<usize>,
    /// Number of values of the parts before, and of rows that were left out there.
    before: (usize, usize),
    missing: usize,
}

impl<'a> Part<'a> {
    fn of(column: &Column<'a>) -> Self {
        let &Column { common, name, element, ref rows, .. } = column;
        Self {
            common,
            name,
            element,
            first: rows.first_row(),
            values: collector_of(element, common.element, true),
            keys: common.by_key.is_some().then(|| rows.keys()),
            heads: Vec::new(),
            texts: None,
            rows: 0,
            left_out: Vec::new(),
            before: (0, 0),
            missing: 0,
        }
    }

    /// Takes the next row, of which this is the cell.
    fn take(&mut self, row: Record<'_>, cell: &[u8]) -> std::result::Result<(), Refused> {
        let taken = take(cell, Some(&self.common.missing), &mut *self.values)?;
        self.missing += usize::from(taken != Taken::Number);
        if taken == Taken::LeftOut {
            push(&mut self.left_out, self.before.0 + self.rows)?;
        } else if let Some(keys) = &mut self.keys {
            let is_head = keys.is_head(row);
            push(&mut self.heads, is_head)?;
            if let Some(texts) = self.texts.as_mut().filter(|_| is_head) {
                texts.push(keys.last())?;
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// Number of values.
    fn len(&self) -> usize {
        self.rows - self.left_out.len()
    }

    /// Whether the part should end. Rows that are left out count, as their indices are kept.
    fn is_full(&self) -> bool {
        self.rows >= PART
    }

    /// Places of the values so far.
    fn places(&self) -> Places<'_> {
        Places { name: "row", first: self.first + self.before.1, left_out: &self.left_out, shape: &[] }
    }

    /// Lets `act` work on what was read.
    fn end<R>(&mut self, act: impl FnOnce(Ended<'_>) -> Result<R>) -> Result<R> {
        let next = collector_of(self.element, self.common.element, true);
        let values = &std::mem::replace(&mut self.values, next).finish();
        let (none, places) = (Texts::default(), self.places());
        match values.element() == self.element {
            true => act(Ended { values, heads: &self.heads, keys: self.texts.as_ref().unwrap_or(&none), places }),
            false => Err(Failure::changed(self.name)),
        }
    }

    /// Returns the indices of the rows that have no result, as they were left out, or have values at these indices.
    fn empty(&self, without: Vec<usize>) -> Vec<usize> {
        let before = self.before.0;
        let own = without.into_iter().map(|value| position_with(&self.left_out, before + value));
        let mut empty: Vec<usize> = self.left_out.iter().copied().chain(own).map(|row| row - before).collect();
        empty.sort_unstable();
        empty
    }

    /// Begins the next part.
    fn begin(&mut self) {
        self.before = (self.before.0 + self.len(), self.before.1 + self.left_out.len());
        self.heads.clear();
        if let Some(texts) = &mut self.texts {
            texts.clear();
        }
        self.left_out.clear();
        self.rows = 0;
    }

    /// Numbers of values of the parts before.
    fn done(&self) -> Done {
        Done { len: self.before.0, missing: self.missing }
    }
}

/// Returns an error about results, the first of which has the index `begin`, with the index of the one that is wrong.
pub(super) fn shifted(error: Error, begin: usize) -> Error {
    match error {
        Error::Overflow { op, element, index, value } => Error::Overflow { op, element, index: begin + index, value },
        other => other,
    }
}
