//! Columns of numbers or texts, by the cells of other columns.

use super::file::Table;
use super::load::described;
use super::values::{column, flat, is_text, text, values};
use crate::args::{ReduceArgs, Statistic};
use crate::collect::{Refused, Texts, append, push};
use crate::element::{Type, Values, format};
use crate::failure::{Failure, Result};
use crate::missing::Missing;
use crate::names::Columnar;
use crate::progress::Progress;
use crate::table::{Batch, Column, Grouped, Groups, How, Take, join};
use arrow_array::{Array, ArrayRef, RecordBatch};
use rayon::prelude::*;

/// Table, and the columns that a reduction of groups requests of it.
pub(crate) struct Columns {
    table: Table,
    /// Columns of values: none if only rows are counted.
    values: Vec<usize>,
    /// Columns of groups.
    by: Vec<usize>,
}

impl Columns {
    /// Opens the table, and finds the columns.
    pub(crate) fn open(args: &ReduceArgs, kind: Columnar) -> Result<Self> {
        let common = &args.common;
        let table = Table::open(&common.file, kind)?;
        table.check_options(common)?;
        let find = |list: &Option<String>| match list {
            Some(list) => table.find(|columns| columns.find_all(list)),
            None => Ok(Vec::new()),
        };
        let (mut values, by) = (find(&common.column)?, find(&args.group_by)?);
        if values.is_empty() && args.op.iter().any(|statistic| *statistic != Statistic::Count) {
            values.push(table.only_numeric(&by)?);
        }
        Ok(Self { table, values, by })
    }

    /// Name of the table in messages.
    pub(crate) fn name(&self) -> &str {
        &self.table.name
    }

    /// Reads the columns as [`Grouped::read`] does those of a text.
    pub(crate) fn read(&self, how: &How<'_>, mut take: Option<(usize, &mut Take<'_>)>) -> Result<Grouped<'_>> {
        let Self { table, values, by } = self;
        let mut asked: Vec<usize> = values.iter().chain(by).copied().collect();
        asked.sort_unstable();
        asked.dedup();
        let array = |batch: &RecordBatch, of: usize| flat(batch.column(asked.binary_search(&of).unwrap_or_default()));
        let label = |of: &usize| table.schema.field(*of).name().clone();
        let mut columns = match &values[..] {
            // Zeros stand for the rows.
            [] => vec![Reading::new(Kind::Rows(0))],
            values => values.iter().map(|&of| Ok(Reading::new(self.kind(of, how)?))).collect::<Result<_>>()?,
        };
        let most = take.as_ref().map_or(usize::MAX, |(most, _)| *most);
        columns.iter_mut().for_each(|column| column.most = most);
        let (mut groups, mut first) = (Groups::default(), 1);
        let full = |refused: Refused| refused.failure(&table.name, Failure::Run);
        let progress = Progress::new("reading", table.rows.map(|rows| rows as u64));
        for wave in table.units.chunks(table.at_once()) {
            let with_texts = |batch: RecordBatch| {
                let keys = by.iter().map(|&of| self.key(array(&batch, of)?, of)).collect::<Result<Vec<_>>>()?;
                let texts = texts_of(&keys, batch.num_rows()).map_err(full)?;
                Ok((batch, texts))
            };
            let read: Vec<Result<Vec<(RecordBatch, Texts)>>> =
                wave.par_iter().map(|unit| table.read(*unit, &asked)?.into_iter().map(with_texts).collect()).collect();
            for batches in read {
                for (batch, texts) in batches? {
                    let numbered = texts.iter().zip(first as u64..).map(|(text, at)| groups.of(text, at));
                    let of_rows = numbered.collect::<std::result::Result<Vec<u32>, _>>().map_err(full)?;
                    for (place, column) in columns.iter_mut().enumerate() {
                        let of = values.get(place).map(|&of| Ok((array(&batch, of)?, label(&of)))).transpose()?;
                        column.add(of, &of_rows, (how.missing, &table.name), first)?;
                        if let Some((_, take)) = &mut take
                            && column.groups.len() >= column.most
                        {
                            let batch = column.batch(&table.name)?;
                            column.most = take(place, batch, groups.len())?.unwrap_or(usize::MAX);
                        }
                    }
                    first += batch.num_rows();
                    progress.step(batch.num_rows());
                }
            }
        }
        table.check_unchanged()?;
        if by.is_empty() && groups.len() == 0 {
            groups.of(b"", 1).map_err(full)?;
        }
        let columns = columns.into_iter().enumerate().map(|(place, column)| {
            let name = values.get(place).map(label);
            let (values, texts) = match column.kind {
                Kind::Texts { distinct, codes } => {
                    let (ranks, texts) =
                        distinct.into_ranks(&codes, &table.name, name.as_deref().unwrap_or_default())?;
                    (ranks, Some(texts))
                }
                Kind::Numbers(values) => (values, None),
                Kind::Rows(rows) => {
                    (Values::zeroed(Type::U8, rows).map_err(|e| Failure::computing(&table.name, &e))?, None)
                }
            };
            Ok(Column { name: name.map(String::into_bytes), rest: Batch { values, groups: column.groups }, texts })
        });
        Grouped::of(&table.name, columns.collect::<Result<_>>()?, groups, by.iter().map(label).collect())
    }

    /// Returns what is read of a column of values.
    fn kind(&self, of: usize, how: &How<'_>) -> Result<Kind> {
        if how.counted {
            return Ok(Kind::Rows(0));
        }
        if how.compared && is_text(self.table.schema.field(of).data_type()) {
            return Ok(Kind::Texts { distinct: Groups::default(), codes: Vec::new() });
        }
        let (element, _) = described(&self.table, of)?;
        let none = Values::zeroed(element, 0);
        Ok(Kind::Numbers(none.map_err(|e| Failure::computing(&self.table.name, &e))?))
    }

    fn key(&self, array: ArrayRef, of: usize) -> Result<Key> {
        let found = array.data_type();
        let numbers = values(array.as_ref());
        if numbers.is_none() && !is_text(found) {
            let label = self.table.schema.field(of).name();
            let reason = format!("column {label} is of the type {found}: groups are of texts, numbers and bool");
            return Err(Failure::input(&self.table.name, reason));
        }
        Ok(Key { array, numbers })
    }
}

/// Cells of a column of groups.
struct Key {
    array: ArrayRef,
    /// Numbers, if they are no texts.
    numbers: Option<Values>,
}

/// Returns the text of the group of each of so many rows. A null is an empty text, as in a table of text.
fn texts_of(keys: &[Key], rows: usize) -> std::result::Result<Texts, Refused> {
    let (mut cells, mut joined, mut texts) = (vec![Vec::new(); keys.len()], Vec::new(), Texts::default());
    for row in 0..rows {
        for (cell, Key { array, numbers }) in cells.iter_mut().zip(keys) {
            cell.clear();
            match numbers {
                _ if array.is_null(row) => {}
                Some(numbers) => format(numbers, row, cell),
                None => cell.extend_from_slice(text(array.as_ref(), row).unwrap_or_default()),
            }
        }
        joined.clear();
        join(cells.iter().map(Vec::as_slice), &mut joined);
        texts.push(&joined)?;
    }
    Ok(texts)
}

/// Column of values that is being read.
struct Reading {
    kind: Kind,
    /// Group of each value.
    groups: Vec<u32>,
    /// Number of values that are a batch.
    most: usize,
}

/// Values of a column.
enum Kind {
    /// So many rows, whatever they hold.
    Rows(usize),
    Numbers(Values),
    /// Texts, and the number of the text of each value.
    Texts {
        distinct: Groups,
        codes: Vec<u32>,
    },
}

impl Reading {
    fn new(kind: Kind) -> Self {
        Self { kind, groups: Vec::new(), most: usize::MAX }
    }

    /// Adds rows of these groups, the first of which has the number `first`: an array, and its name in messages.
    fn add(
        &mut self,
        of: Option<(ArrayRef, String)>,
        of_rows: &[u32],
        (missing, name): (&Missing, &str),
        first: usize,
    ) -> Result<()> {
        let full = |refused: Refused| refused.failure(name, Failure::Run);
        let mut keep = |group: u32| push(&mut self.groups, group).map_err(full);
        match (&mut self.kind, of) {
            (Kind::Numbers(values), Some((array, label))) => {
                let column = column(array.as_ref(), missing, (name, &label), first)?;
                append(values, &column.values, name)?;
                let is_kept = |row: usize| column.left_out.as_ref().is_none_or(|out| !out[row]);
                of_rows.iter().enumerate().filter(|(row, _)| is_kept(*row)).try_for_each(|(_, &group)| keep(group))
            }
            (Kind::Texts { distinct, codes }, Some((array, label))) => {
                for (row, &group) in of_rows.iter().enumerate() {
                    let Some(text) = text(array.as_ref(), row) else {
                        if missing.leaves_out("") {
                            continue;
                        }
                        let reason = missing.read("").err().unwrap_or("no text stands for a missing one".to_owned());
                        return Err(Failure::input(name, format!("row {}: column {label}: {reason}", first + row)));
                    };
                    let code = distinct.of(text, (first + row) as u64).map_err(full)?;
                    push(codes, code).map_err(full)?;
                    keep(group)?;
                }
                Ok(())
            }
            (Kind::Rows(rows), _) => {
                *rows += of_rows.len();
                of_rows.iter().try_for_each(|&group| keep(group))
            }
            _ => Ok(()),
        }
    }

    /// Takes the values so far out of the column.
    fn batch(&mut self, name: &str) -> Result<Batch> {
        let none = |element| Values::zeroed(element, 0).map_err(|e| Failure::computing(name, &e));
        let values = match &mut self.kind {
            Kind::Rows(rows) => {
                Values::zeroed(Type::U8, std::mem::take(rows)).map_err(|e| Failure::computing(name, &e))?
            }
            Kind::Numbers(values) => {
                let next = none(values.element())?;
                std::mem::replace(values, next)
            }
            Kind::Texts { codes, .. } => std::mem::take(codes).into(),
        };
        Ok(Batch { values, groups: std::mem::take(&mut self.groups) })
    }
}
