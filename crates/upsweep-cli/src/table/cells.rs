//! Table in memory: all cells of its rows, or those of some columns; and sort keys of its rows.

use super::WrittenRows;
use super::columns::{holds_number, text_of};
use super::head::{Asked, Head};
use super::rows::Rows;
use crate::collect::{Refused, Texts, collector};
use crate::distinct::Distinct;
use crate::element::{Values, exact};
use crate::expression::value::compare;
use crate::failure::{Failure, Result, note, quoted};
use crate::number::is_number;
use crate::progress::Progress;
use csv::ByteRecord;
use std::cmp::Ordering;
use upsweep::Device;
use upsweep_dynamic::{Number, View, lexsort};

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
    /// Whether a `-` stands before a requested column, if it means something.
    down: Vec<bool>,
    /// Index of each requested column among the texts that are kept of a row.
    places: Vec<usize>,
    /// Texts that are kept, row by row: of a row its own text, if that is kept, and then its cells.
    texts: Texts,
    /// Number of texts that are kept of a row.
    width: usize,
    pub(crate) rows: usize,
    /// Number of each row in the file, if they are some of its rows.
    in_file: Option<Vec<usize>>,
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
    /// Reads the table, and keeps these texts of its rows.
    pub(crate) fn read(asked: &Asked<'a>, keep: Keep, progress: &Progress) -> Result<Self> {
        let &Asked { source, name, delimiter, .. } = asked;
        let mut rows = Rows::new(source, name, delimiter, progress)?;
        let head = Head::read(asked, &mut rows)?;
        let (found, all) = (&head.columns, head.first.cells.len());
        let kept: Vec<usize> = if keep == Keep::All { (0..all).collect() } else { found.clone() };
        let texts_before = usize::from(keep == Keep::Text);
        let places = match keep {
            Keep::All => found.clone(),
            Keep::Asked | Keep::Text => (texts_before..texts_before + found.len()).collect(),
        };
        let (mut texts, mut number) = (Texts::default(), 0);
        let head = head.each_row(&mut rows, |rows, at, row| {
            let text = (keep == Keep::Text).then_some(row.text);
            let cells = kept.iter().map(|&column| row.get(column).unwrap_or_default());
            for text in text.into_iter().chain(cells) {
                texts.push(text).map_err(|refused| refused.failure(name, |reason| rows.wrong_row(at, &reason)))?;
            }
            number += 1;
            Ok(())
        })?;
        let width = texts_before + kept.len();
        let Head { first, has_names, columns, down, labels, .. } = head;
        let names_text = (keep == Keep::Text).then_some(first.text);
        let names = has_names.then_some(first.cells);
        Ok(Self { name, names, names_text, labels, columns, down, places, texts, width, rows: number, in_file: None })
    }

    /// Name in messages of requested column number `place`, counted from 0.
    pub(crate) fn label(&self, place: usize) -> &str {
        self.labels.get(place).map_or("", String::as_str)
    }

    /// Makes cells of the columns of these labels, of which these are the texts of some rows, and the numbers of the rows in
    /// the file.
    pub(super) fn of_texts(name: &'a str, labels: Vec<String>, texts: Texts, in_file: Vec<usize>) -> Self {
        let (columns, places) = ((0..labels.len()).collect(), (0..labels.len()).collect());
        let (width, rows) = (labels.len(), in_file.len());
        Self {
            name,
            names: None,
            names_text: None,
            labels,
            columns,
            down: Vec::new(),
            places,
            texts,
            width,
            rows,
            in_file: Some(in_file),
        }
    }

    /// Whether the order by requested column number `place` descends, as a `-` before it says.
    pub(crate) fn is_down(&self, place: usize) -> bool {
        self.down.get(place).copied().unwrap_or(false)
    }

    /// Number of requested columns.
    pub(crate) fn asked(&self) -> usize {
        self.columns.len()
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

    /// Reads a byte of each of these rows, so that their texts are on the way from memory before they are written one by one.
    pub(crate) fn fetch(&self, rows: &[u64]) {
        let first = |row: &u64| self.texts.get(*row as usize * self.width).first().copied().unwrap_or(0);
        std::hint::black_box(rows.iter().map(first).fold(0, u8::wrapping_add));
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
        let counted = row + 1 + usize::from(self.names.is_some());
        self.in_file.as_ref().and_then(|rows| rows.get(row)).copied().unwrap_or(counted)
    }

    pub(super) fn refused(&self, refused: Refused, row: usize, place: usize) -> Failure {
        let at = |reason| format!("row {}: column {}: {reason}", self.row_of_file(row), self.label(place));
        refused.failure(self.name, |reason| Failure::input(self.name, at(reason)))
    }

    /// Returns the sort key of all rows by requested column number `place`. It is by number if all non-empty cells of
    /// the column are numbers, or if `numeric`; else by text, byte by byte. If the column has numbers, too, a note says so,
    /// which ends in `advice`.
    pub(crate) fn order(&self, place: usize, numeric: bool, advice: &str) -> Result<Order> {
        if let Some(order) = self.plain_numbers(place, numeric)? {
            return Ok(order);
        }
        let is_text = |&row: &usize| !self.is_empty(row, place) && !holds_number(self.cell(row, place));
        let text = (0..self.rows).find(is_text).filter(|_| !numeric);
        if let Some(text) = text {
            self.note_mixed(place, text, advice);
        }
        let is_last = |row: usize| match text {
            Some(_) => self.is_empty(row, place),
            None => !holds_number(self.cell(row, place)),
        };
        let values = match text {
            Some(_) => self.places_of_texts(place)?.into(),
            None => self.places_of_numbers(place, &is_last)?.into(),
        };
        let any_last = (0..self.rows).any(is_last);
        Ok(Order { values, last: any_last.then(|| (0..self.rows).map(is_last).collect()) })
    }

    /// Returns the sort key of a column of numbers that i64 or f64 holds, in one pass; `None` if it has others, or a text
    /// that is ordered.
    fn plain_numbers(&self, place: usize, numeric: bool) -> Result<Option<Order>> {
        let (mut values, mut last) = (collector(None, false), None::<Vec<bool>>);
        for row in 0..self.rows {
            let number = match text_of(self.cell(row, place)) {
                Some("") => None,
                Some(text) if !numeric || is_number(text) => Some(text),
                _ if numeric => None,
                _ => return Ok(None),
            };
            if number.is_none() {
                last.get_or_insert_with(|| vec![false; self.rows])[row] = true;
            }
            match values.push(number.unwrap_or("0")) {
                Ok(()) => {}
                Err(Refused::Wrong(_)) => return Ok(None),
                Err(refused) => return Err(self.refused(refused, row, place)),
            }
        }
        Ok(Some(Order { values: values.finish(), last }))
    }

    /// Returns the rows in the order of these keys, the first one before the second; `down` has for each whether it descends.
    pub(crate) fn sorted(&self, device: &Device, orders: &[Order], down: &[bool]) -> Result<Vec<u64>> {
        let mut keys: Vec<(View<'_>, bool)> = Vec::new();
        for (order, &down) in orders.iter().zip(down) {
            keys.extend(order.last.as_deref().map(|last| (View::Bool(last), false)));
            keys.push((order.values.view(), down));
        }
        lexsort(device, &keys).map_err(|e| Failure::computing(self.name, &e))
    }

    fn is_empty(&self, row: usize, place: usize) -> bool {
        self.cell(row, place).trim_ascii().is_empty()
    }

    /// Prints a note if the column also has numbers: they are ordered as text, because the cell in row `text` is none.
    pub(super) fn note_mixed(&self, place: usize, text: usize, advice: &str) {
        if (0..self.rows).any(|row| holds_number(self.cell(row, place))) {
            let (row, label) = (self.row_of_file(text), self.label(place));
            let cell = quoted(&String::from_utf8_lossy(self.cell(text, place)));
            let reason = format!("in row {row} it has {cell}, which is no number");
            note(&format!("{}: column {label} is ordered as text: {reason}{advice}", self.name));
        }
    }

    /// Returns for each row the rank of the number in its cell, in the exact order of all. Rows that come last have any rank.
    fn places_of_numbers(&self, place: usize, is_last: &dyn Fn(usize) -> bool) -> Result<Vec<f64>> {
        let text = |row: usize| if is_last(row) { "0" } else { text_of(self.cell(row, place)).unwrap_or("0") };
        let number = |row: usize| exact(text(row)).map_err(|wrong| self.refused(wrong.into(), row, place));
        let numbers = (0..self.rows).map(number).collect::<Result<Vec<Number>>>()?;
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
        Ok(places)
    }

    /// Returns for each row the rank of its text among the distinct texts, in the order of their bytes.
    fn places_of_texts(&self, place: usize) -> Result<Vec<u32>> {
        let mut distinct = Distinct::default();
        let number = |row: usize| match distinct.number(self.cell(row, place)) {
            Ok((number, _)) => Ok(number),
            Err(refused) => Err(self.refused(refused, row, place)),
        };
        let mut numbers = (0..self.rows).map(number).collect::<Result<Vec<u32>>>()?;
        let (count, texts) = (distinct.len() as u32, distinct.into_texts());
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(|&number| texts.get(number as usize));
        let mut places = vec![0u32; order.len()];
        order.iter().zip(0..).for_each(|(&number, at)| places[number as usize] = at);
        numbers.iter_mut().for_each(|number| *number = places[*number as usize]);
        Ok(numbers)
    }
}
