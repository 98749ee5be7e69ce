//! Columns of tables that are scanned part by part: each row is written with its result, and not kept. Memory does not grow with
//! the number of rows.
//!
//! The type of the results is that of all numbers. So they are computed as integers, and once more from the beginning if one of them is a
//! fraction. What went to a stream cannot be taken back: then the table is read up to its first fraction before. A table on standard
//! input is kept in a file without a name for that, where it is not [answered as it comes](crate::live).

mod keyed;
mod parts;
mod runs;
mod scan;

pub(crate) use parts::{Column, Compute};
pub(crate) use runs::reduce_runs;
pub(crate) use scan::{reduce, scan};

use crate::args::Common;
use crate::chunks::{self, ArrayFile, FEW, Loaded};
use crate::collect::{append, push};
use crate::element::{Type, Values};
use crate::failure::{Failure, Result};
use crate::input;
use crate::names;
use crate::output::Scratch;
use crate::progress::Progress;
use crate::source::{Source, is_standard_input};
use crate::table::{self, Grouped, Head, Rowwise, text_of};
use std::path::{Path, PathBuf};

/// Table of which a column is read.
pub(crate) struct Table {
    source: Source,
    /// Name in messages.
    pub(crate) name: String,
    pub(crate) delimiter: u8,
    /// Beginning, with the columns that are read.
    pub(crate) head: Head,
    /// Tables whose rows come after those of this one. Each is opened when it is read.
    others: Vec<(PathBuf, u8)>,
}

/// Opens the table of which a column can be read part by part, with those after it. `None`: its values are told apart by a file, or
/// one of the files is no table.
pub(crate) fn open(common: &Common) -> Result<Option<Table>> {
    let is_other = common.segments.is_some() || common.axis.is_some() || common.array.is_some();
    let is_one = common.column.as_ref().is_none_or(|column| !column.contains(','));
    let delimiter = |path: &Path| common.table.delimiter(names::delimiter(path)).filter(|_| is_one && !is_other);
    let other = |path: &PathBuf| Some((path.clone(), delimiter(path).filter(|_| !is_standard_input(path))?));
    let others: Option<Vec<_>> = common.more.iter().map(other).collect();
    let Some((delimiter, others)) = delimiter(&common.file).zip(others) else { return Ok(None) };
    check_one_table(common, false)?;
    Ok(Some(Table { others, ..Table::open(common, &common.file, delimiter)? }))
}

/// Fails if there are several tables, and their rows are written or told apart by keys.
pub(crate) fn check_one_table(common: &Common, is_written: bool) -> Result<()> {
    let reason = match common.by_key {
        _ if common.more.is_empty() => return Ok(()),
        Some(_) => "--by-key is for one table",
        None if is_written => "the results of several tables are no table: give -o with .npy",
        None => return Ok(()),
    };
    Err(Failure::input(&input::called_all(common), reason))
}

impl Table {
    /// Opens the table, and finds its column, and those of the keys.
    pub(crate) fn open(common: &Common, path: &Path, delimiter: u8) -> Result<Self> {
        let (source, name) = input::open_table(path, common.table.text(delimiter))?;
        let columns: Vec<&str> = common.column.iter().map(String::as_str).collect();
        let asked = table::Asked {
            source: &source,
            name: &name,
            delimiter,
            header: common.header,
            columns: &columns,
            signed: false,
            any: true,
            and: common.by_key.as_deref(),
        };
        let head = Rowwise::head(&asked, &Progress::new("reading", None))?;
        Ok(Self { source, name, delimiter, head, others: Vec::new() })
    }

    /// Lets `act` read the rows from the first one on. `doing` is what it does.
    pub(crate) fn rows<T>(&self, doing: &'static str, act: impl FnOnce(Rowwise<'_>) -> Result<T>) -> Result<T> {
        let progress = Progress::new(doing, self.source.size());
        act(Rowwise::open(&self.head, (&self.source, &self.name, self.delimiter), &progress)?)
    }

    /// Lets `act` read the rows of the tables after this one, table by table.
    fn others(
        &self,
        common: &Common,
        doing: &'static str,
        mut act: impl FnMut(Rowwise<'_>) -> Result<()>,
    ) -> Result<()> {
        self.others.iter().try_for_each(|(path, delimiter)| Self::open(common, path, *delimiter)?.rows(doing, &mut act))
    }

    /// Reads the distinct rows of texts in the columns, and how often each occurs; with `keep_rows` also which of them each row has.
    pub(crate) fn counted(&self, keep_rows: bool) -> Result<(Grouped<'_>, Vec<u64>, Vec<u32>)> {
        let progress = Progress::new("reading", self.source.size());
        Grouped::counted(&self.head, (&self.source, &self.name, self.delimiter), keep_rows, &progress)
    }

    /// Indices of the rows that are left out, as they have no value.
    fn left_out(&self, common: &Common) -> Result<Vec<usize>> {
        let (mut left_out, mut row) = (Vec::new(), 0);
        let mut read = |rows: Rowwise<'_>| {
            rows.each(|_, cell| {
                row += 1;
                let leaves_out = text_of(cell).is_some_and(|text| common.missing.leaves_out(text));
                Ok(if leaves_out { push(&mut left_out, row - 1) } else { Ok(()) })
            })
        };
        self.rows("reading", &mut read)?;
        self.others(common, "reading", read)?;
        Ok(left_out)
    }

    /// Finds the type of the numbers: that of the first fraction, or without one of all.
    fn element(&self, common: &Common) -> Result<Type> {
        let mut element = self.rows("reading", |rows| rows.element(&common.missing))?;
        self.others(common, "reading", |rows| {
            if element == Type::I64 {
                element = rows.element(&common.missing)?;
            }
            Ok(())
        })?;
        Ok(element)
    }

    /// Lets `act` read the column. Unless `--type` says the type of its numbers, that is found before. If `act` can begin again, it is
    /// called at once, for integers, and once more if they are none.
    pub(crate) fn read<T>(
        &self,
        common: &Common,
        begins_again: bool,
        mut act: impl FnMut(Column<'_>) -> Result<T>,
    ) -> Result<T> {
        let name = input::called_all(common);
        let mut act_on =
            |element| self.rows("scanning", |rows| act(Column { common, name: &name, element, rows, table: self }));
        match common.element {
            Some(element) => act_on(element),
            None if !begins_again => act_on(self.element(common)?),
            None => match act_on(Type::I64) {
                Err(failure @ (Failure::Input(_) | Failure::Run(_))) => match self.element(common)? {
                    Type::F64 => act_on(Type::F64),
                    _ => Err(failure),
                },
                done => done,
            },
        }
    }
}

/// Values of an input of any kind.
pub(crate) enum Numbers {
    /// Values in memory, and the name of the input in messages.
    Few(Values, String),
    /// Array in a file, or many numbers of a column, which are in a file without a name.
    Many(Box<ArrayFile>),
}

/// Reads the values that the command line names: on a host they stay where they are, or go to a file in `folder`, if they are many.
pub(crate) fn numbers(common: &Common, on_host: bool, folder: Option<&Path>) -> Result<Numbers> {
    if on_host && let Some(file) = ArrayFile::open(common)? {
        return Ok(Numbers::Many(Box::new(file)));
    }
    match open(common)? {
        Some(table) => table.numbers(common, on_host, folder),
        None => chunks::load(common, on_host.then_some(folder)).map(|loaded| match loaded {
            Loaded::Whole(input) => Numbers::Few(input.values, input.name),
            Loaded::File(file) => Numbers::Many(file),
        }),
    }
}

impl Table {
    /// Reads the numbers of the column, as [`numbers`] does.
    pub(crate) fn numbers(&self, common: &Common, on_host: bool, folder: Option<&Path>) -> Result<Numbers> {
        let (name, most) = (&self.name, if on_host { FEW } else { usize::MAX });
        self.read(common, true, |column| {
            let element = column.element;
            let none = || Values::zeroed(element, 0).map_err(|e| Failure::computing(name, &e));
            let (mut few, mut many) = (none()?, None);
            let done = column.each_part(|values, _| {
                append(&mut few, values, name)?;
                if few.bytes().len() <= most {
                    return Ok(());
                }
                let scratch = match &mut many {
                    Some(scratch) => scratch,
                    many => many.insert(Scratch::new(folder, "a column")?),
                };
                scratch.push(std::mem::replace(&mut few, none()?).bytes())
            })?;
            let Some(scratch) = many else { return Ok(Numbers::Few(few, name.clone())) };
            scratch.push(few.bytes())?;
            let file = ArrayFile::of_scratch(scratch, (element, false, done.len), name.clone())?;
            Ok(Numbers::Many(Box::new(file)))
        })
    }
}
