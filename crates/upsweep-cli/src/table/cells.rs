//! Table in memory: all cells of its rows, or those of some columns; and sort keys of its rows.

use super::columns::{Columns, holds_number, listed, text_of};
use super::rows::Rows;
use super::{Wanted, WrittenRows, is_header, note_years, wrong_width};
use crate::args::Header;
use crate::collect::{Refused, Texts, collector};
use crate::element::{Type, Values, exact};
use crate::expression::value::compare;
use crate::failure::{Failure, Result, note, quoted};
use crate::missing::Missing;
use crate::number::not_a_number;
use crate::progress::Progress;
use crate::source::Source;
use csv::ByteRecord;
use std::cmp::Ordering;
use std::collections::HashMap;
use upsweep_dynamic::Number;

/// Table to read into memory, and the columns of it that a command requests.
pub(crate) struct Asked<'a> {
    pub(crate) source: &'a Source,
    pub(crate) name: &'a str,
    pub(crate) delimiter: u8,
    pub(crate) header: Header,
    /// Requested columns, by name or number, or [lists](listed) of these.
    pub(crate) columns: &'a [&'a str],
    /// Whether the only numeric column is requested if `columns` is empty.
    pub(crate) any: bool,
    /// Requested column after those in `columns`, such as the column of groups.
    pub(crate) and: Option<&'a str>,
    pub(crate) keep: Keep,
}

/// Texts that are kept of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Cells of the requested columns.
    Asked,
    /// All cells.
    All,
    /// Text of the row as it was read, and cells of the requested columns.
    Text,
}

/// Rows of a table in memory, or those of their cells that are kept.
pub(crate) struct Cells<'a> {
    name: &'a str,
    /// First row, if it names the columns.
    names: Option<ByteRecord>,
    /// Text of the first row, if the texts of rows are kept.
    names_text: Option<Vec<u8>>,
    /// Names in messages of the requested columns.
    labels: Vec<String>,
    /// Indices of the requested columns in the table.
    columns: Vec<usize>,
    /// Index of each requested column among the texts that are kept of a row.
    places: Vec<usize>,
    /// Texts that are kept, row by row: of a row its own text, if that is kept, and then its cells.
    texts: Texts,
    /// Number of texts that are kept of a row.
    width: usize,
    pub(crate) rows: usize,
    /// Number of requested columns, without the one after them.
    values: usize,
}

/// Sort key of the rows: a value for each, from one column.
pub(crate) struct Order {
    /// Values in the order of the rows: numbers, or the ranks of texts.
    pub(crate) values: Values,
    /// Flags of the rows that come last in both directions, if there are such rows: the cell is empty, or is no number
    /// where only numbers are ordered.
    pub(crate) last: Option<Vec<bool>>,
}

impl<'a> Cells<'a> {
    /// Reads the table, and keeps the texts that `asked` requests.
    pub(crate) fn read(asked: &Asked<'a>, progress: &Progress) -> Result<Self> {
        let &Asked { source, name, delimiter, header, keep, .. } = asked;
        let mut rows = Rows::new(source, name, delimiter, progress)?;
        if keep == Keep::Text {
            rows.keep_text();
        }
        let (mut first, mut row) = (ByteRecord::new(), ByteRecord::new());
        let any = rows.next(&mut first)?;
        let first_text = rows.as_read(&first).text.to_vec();
        let mut more = any && rows.next(&mut row)?;
        let wanted = |column| Wanted {
            column,
            by_key: None,
            element: None,
            header,
            options: true,
            typed: false,
            delimiter,
            keep_keys: false,
            missing: None,
        };
        let mut names_a_column = asked
            .columns
            .iter()
            .flat_map(|text| listed(text))
            .chain(asked.and)
            .map(|column| is_header(&wanted(Some(column)), &first, &row));
        let has_names = is_header(&wanted(None), &first, &row) || names_a_column.any(|named| named);
        let columns = Columns { name, names: has_names.then_some(&first), first: &first, delimiter, options: true };
        let data = if has_names { more.then_some(&row) } else { any.then_some(&first) };
        let mut found = asked.columns.iter().map(|text| columns.find_all(text)).collect::<Result<Vec<_>>>()?.concat();
        let and = asked.and.map(|text| columns.find(text)).transpose()?;
        if found.is_empty() && asked.any {
            // The column of groups is not the one to choose, although it may be numeric, too.
            let data = data.map(|data| {
                let cells = data.iter().enumerate();
                cells.map(|(at, cell)| if Some(at) == and { &b"group"[..] } else { cell }).collect::<ByteRecord>()
            });
            found.push(columns.only_numeric(data.as_ref())?);
        }
        let values = found.len();
        found.extend(and);
        if let Some(data) = data {
            columns.check_separator(data)?;
        }
        if !has_names {
            note_years(name, header, &first, &row);
        }
        let labels = found.iter().map(|&column| columns.label(column)).collect();
        let kept: Vec<usize> = if keep == Keep::All { (0..first.len()).collect() } else { found.clone() };
        let texts_before = usize::from(keep == Keep::Text);
        let places = match keep {
            Keep::All => found.clone(),
            Keep::Asked | Keep::Text => (texts_before..texts_before + found.len()).collect(),
        };
        let (mut texts, mut number, all) = (Texts::default(), 0, first.len());
        let mut take = |rows: &Rows<'_>, at: u64, row: &ByteRecord, text: &[u8]| {
            if row.len() != all {
                return Err(rows.wrong_row(at, &wrong_width(row.len(), all)));
            }
            let text = (keep == Keep::Text).then_some(text);
            let cells = kept.iter().map(|&column| row.get(column).unwrap_or_default());
            for text in text.into_iter().chain(cells) {
                texts.push(text).map_err(|refused| refused.failure(name, |reason| rows.wrong_row(at, &reason)))?;
            }
            number += 1;
            Ok(())
        };
        if any && !has_names {
            take(&rows, 1, &first, &first_text)?;
        }
        while more {
            take(&rows, rows.row(), &row, rows.as_read(&row).text)?;
            more = rows.next(&mut row)?;
        }
        let width = texts_before + kept.len();
        let names_text = (keep == Keep::Text).then_some(first_text);
        let names = has_names.then_some(first);
        Ok(Self { name, names, names_text, labels, columns: found, places, texts, width, rows: number, values })
    }

    /// Name in messages of requested column number `place`, counted from 0.
    pub(crate) fn label(&self, place: usize) -> &str {
        self.labels.get(place).map_or("", String::as_str)
    }

    /// Number of requested columns, without the one after them.
    pub(crate) fn asked(&self) -> usize {
        self.values
    }

    /// Name of requested column number `place`, if the table names its columns.
    pub(crate) fn asked_name(&self, place: usize) -> Option<&[u8]> {
        self.names.as_ref()?.get(*self.columns.get(place)?)
    }

    /// Cell of row `row`, counted from 0 without the names, in requested column number `place`.
    pub(crate) fn cell(&self, row: usize, place: usize) -> &[u8] {
        self.texts.get(row * self.width + self.places.get(place).copied().unwrap_or(0))
    }

    /// Writes the row with the names of the columns, if the table has one.
    pub(crate) fn write_names(&self, out: &mut WrittenRows<'_>) -> Result<()> {
        match (&self.names, &self.names_text) {
            (None, _) => Ok(()),
            (Some(_), Some(text)) => out.write_text(text),
            (Some(names), None) => out.write(names),
        }
    }

    /// Writes row number `row`, of which the text or all cells must have been kept.
    pub(crate) fn write_row(&self, row: usize, out: &mut WrittenRows<'_>) -> Result<()> {
        let kept = |k: usize| self.texts.get(row * self.width + k);
        match self.names_text {
            Some(_) => out.write_text(kept(0)),
            None => out.write((0..self.width).map(kept)),
        }
    }

    /// Number of a row in the file, as messages count rows: from 1, with the row of names.
    fn row_of_file(&self, row: usize) -> usize {
        row + 1 + usize::from(self.names.is_some())
    }

    /// Returns the rows whose cell in requested column number `place` is not left out as missing.
    pub(crate) fn with_value(&self, place: usize, missing: &Missing) -> Vec<usize> {
        let has_value = |&row: &usize| !text_of(self.cell(row, place)).is_some_and(|text| missing.leaves_out(text));
        (0..self.rows).filter(has_value).collect()
    }

    /// Converts the cells of requested column number `place` to numbers. Returns them, and their rows: without those that
    /// are left out as missing.
    pub(crate) fn numbers(
        &self,
        place: usize,
        element: Option<Type>,
        missing: &Missing,
    ) -> Result<(Values, Vec<usize>)> {
        let mut values = collector(element, true);
        let rows = self.with_value(place, missing);
        for &row in &rows {
            let cell = self.cell(row, place);
            match text_of(cell) {
                Some(text) => missing.read(text).map_err(Refused::from).and_then(|(text, _)| values.push(text)),
                None => Err(not_a_number(&String::from_utf8_lossy(cell)).into()),
            }
            .map_err(|refused| self.refused(refused, row, place))?;
        }
        Ok((values.finish(), rows))
    }

    fn refused(&self, refused: Refused, row: usize, place: usize) -> Failure {
        let at = |reason| format!("row {}: column {}: {reason}", self.row_of_file(row), self.label(place));
        refused.failure(self.name, |reason| Failure::input(self.name, at(reason)))
    }

    /// Returns the sort key of all rows by requested column number `place`. It is by number if all non-empty cells of
    /// the column are numbers, or if `numeric`; else by text, byte by byte.
    pub(crate) fn order(&self, place: usize, numeric: bool) -> Result<Order> {
        let rows: Vec<usize> = (0..self.rows).collect();
        let text = self.first_text(place, &rows).filter(|_| !numeric);
        if let Some(text) = text {
            self.note_mixed(place, &rows, text, "; --numeric orders the numbers, and puts the rest last");
        }
        self.ordered(place, &rows, text.is_some())
    }

    /// Returns the sort key of the given rows alone, as [`order`](Self::order) does without `numeric`.
    pub(crate) fn order_of_rows(&self, place: usize, rows: &[usize]) -> Result<Order> {
        let text = self.first_text(place, rows);
        if let Some(text) = text {
            self.note_mixed(place, rows, text, "");
        }
        self.ordered(place, rows, text.is_some())
    }

    fn is_empty(&self, row: usize, place: usize) -> bool {
        self.cell(row, place).trim_ascii().is_empty()
    }

    /// Returns the first of the given rows whose cell is neither empty nor a number.
    fn first_text(&self, place: usize, rows: &[usize]) -> Option<usize> {
        let is_text = |row: usize| !self.is_empty(row, place) && !holds_number(self.cell(row, place));
        rows.iter().copied().find(|&row| is_text(row))
    }

    /// Prints a note if the column also has numbers: they are ordered as text, because the cell in row `text` is none.
    fn note_mixed(&self, place: usize, rows: &[usize], text: usize, advice: &str) {
        if rows.iter().any(|&row| holds_number(self.cell(row, place))) {
            let (row, label) = (self.row_of_file(text), self.label(place));
            let cell = quoted(&String::from_utf8_lossy(self.cell(text, place)));
            let reason = format!("in row {row} it has {cell}, which is no number");
            note(&format!("{}: column {label} is ordered as text: {reason}{advice}", self.name));
        }
    }

    fn ordered(&self, place: usize, rows: &[usize], as_text: bool) -> Result<Order> {
        let is_last = |row: usize| match as_text {
            true => self.is_empty(row, place),
            false => !holds_number(self.cell(row, place)),
        };
        let values = if as_text {
            let (places, _) = self.places_of_texts(place);
            rows.iter().filter_map(|&row| places.get(row)).copied().collect::<Vec<u64>>().into()
        } else {
            self.numbers_in_order(place, rows, &is_last)?
        };
        let any_last = rows.iter().any(|&row| is_last(row));
        Ok(Order { values, last: any_last.then(|| rows.iter().map(|&row| is_last(row)).collect()) })
    }

    /// Returns a value for each of the rows, in the order of the numbers in their cells. It is the number itself if i64
    /// or f64 holds all of them, else its rank in their exact order. Rows that come last have any value.
    fn numbers_in_order(&self, place: usize, rows: &[usize], is_last: &dyn Fn(usize) -> bool) -> Result<Values> {
        let text = |row: usize| if is_last(row) { "0" } else { text_of(self.cell(row, place)).unwrap_or("0") };
        let mut values = collector(None, false);
        match rows.iter().try_for_each(|&row| values.push(text(row)).map_err(|refused| (refused, row))) {
            Ok(()) => return Ok(values.finish()),
            Err((Refused::Wrong(_), _)) => {}
            Err((refused, row)) => return Err(self.refused(refused, row, place)),
        }
        let number = |&row: &usize| exact(text(row)).map_err(|wrong| self.refused(wrong.into(), row, place));
        let numbers = rows.iter().map(number).collect::<Result<Vec<Number>>>()?;
        let is_nan = |at: &usize| matches!(numbers[*at], Number::Float(x) if x.is_nan());
        let mut order: Vec<usize> = (0..numbers.len()).filter(|at| !is_nan(at)).collect();
        let by_value = |a: usize, b: usize| compare(numbers[a], numbers[b]).unwrap_or(Ordering::Equal);
        order.sort_by(|&a, &b| by_value(a, b));
        // NaN keeps NaN as its rank, which comes last in both directions.
        let mut places = vec![f64::NAN; numbers.len()];
        let (mut last, mut distinct) = (None, 0.0);
        for at in order {
            distinct += f64::from(u8::from(last.is_some_and(|last| by_value(last, at).is_lt())));
            places[at] = distinct;
            last = Some(at);
        }
        Ok(places.into())
    }

    /// Returns for each row the rank of its text among the distinct texts, in the order of their bytes, and for each
    /// rank a row that has its text.
    pub(crate) fn places_of_texts(&self, place: usize) -> (Vec<u64>, Vec<usize>) {
        let mut seen: HashMap<&[u8], u64> = HashMap::new();
        let mut firsts: Vec<usize> = Vec::new();
        let mut numbers: Vec<u64> = (0..self.rows)
            .map(|row| {
                *seen.entry(self.cell(row, place)).or_insert_with(|| {
                    firsts.push(row);
                    firsts.len() as u64 - 1
                })
            })
            .collect();
        let mut order: Vec<usize> = (0..firsts.len()).collect();
        order.sort_by_key(|&number| self.cell(firsts.get(number).copied().unwrap_or(0), place));
        let mut places = vec![0u64; order.len()];
        order.iter().enumerate().for_each(|(at, &number)| places[number] = at as u64);
        numbers.iter_mut().for_each(|number| *number = places[*number as usize]);
        (numbers, order.into_iter().map(|number| firsts[number]).collect())
    }
}
