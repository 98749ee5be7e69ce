//! A table in memory: all cells of its rows, or those of some columns; and the order of its rows.

use super::columns::{Columns, text_of};
use super::rows::Rows;
use super::{Wanted, check_encoding, is_header, note_years};
use crate::args::Header;
use crate::collect::{Collector, Texts, collector};
use crate::element::{Type, Values};
use crate::failure::{Failure, Result, note, quoted};
use crate::number::{is_number, not_a_number};
use crate::progress::Progress;
use crate::source::Source;
use csv::ByteRecord;
use std::collections::HashMap;

/// Which table, and which of its columns.
pub(crate) struct Asked<'a> {
    pub(crate) source: &'a Source,
    pub(crate) name: &'a str,
    pub(crate) delimiter: u8,
    pub(crate) header: Header,
    /// By name or number; with none, the only numeric column.
    pub(crate) columns: &'a [&'a str],
    /// A column behind these.
    pub(crate) and: Option<&'a str>,
    /// Whether the cells of all columns are kept, or those that are asked for.
    pub(crate) keep_all: bool,
}

/// The rows of a table.
pub(crate) struct Cells<'a> {
    name: &'a str,
    /// The first row, if it names the columns.
    pub(crate) names: Option<ByteRecord>,
    /// How messages call the columns that were asked for.
    labels: Vec<String>,
    /// Where these are in the table.
    columns: Vec<usize>,
    /// Where these are among the cells that were kept.
    places: Vec<usize>,
    /// Row by row.
    texts: Texts,
    /// Cells that are kept of a row.
    width: usize,
    pub(crate) rows: usize,
}

/// A column by which rows are put in order.
pub(crate) struct Order {
    /// Numbers, or the places of texts in their order.
    pub(crate) values: Values,
    /// Whether a cell is empty, if some are.
    pub(crate) empty: Option<Vec<bool>>,
}

impl<'a> Cells<'a> {
    /// Reads the table.
    pub(crate) fn read(asked: &Asked<'a>, progress: &Progress) -> Result<Self> {
        let &Asked { source, name, delimiter, header, .. } = asked;
        check_encoding(source, name)?;
        let mut rows = Rows::new(source, name, delimiter, progress)?;
        let (mut first, mut row) = (ByteRecord::new(), ByteRecord::new());
        let any = rows.next(&mut first)?;
        let mut more = any && rows.next(&mut row)?;
        let wanted = |column| Wanted { column, by_key: None, element: None, header, delimiter, keep_keys: false };
        let mut names_a_column =
            asked.columns.iter().chain(&asked.and).map(|&column| is_header(&wanted(Some(column)), &first, &row));
        let has_names = is_header(&wanted(None), &first, &row) || names_a_column.any(|named| named);
        let columns = Columns { name, names: has_names.then_some(&first), first: &first, delimiter };
        let data = if has_names { more.then_some(&row) } else { any.then_some(&first) };
        let mut found = asked.columns.iter().map(|text| columns.find(text)).collect::<Result<Vec<_>>>()?;
        let and = asked.and.map(|text| columns.find(text)).transpose()?;
        if found.is_empty() {
            // A column of groups may be numbers, too.
            let data = data.map(|data| {
                let cells = data.iter().enumerate();
                cells.map(|(at, cell)| if Some(at) == and { &b"group"[..] } else { cell }).collect::<ByteRecord>()
            });
            found.push(columns.only_numeric(data.as_ref())?);
        }
        found.extend(and);
        if let Some(data) = data {
            columns.check_separator(data)?;
        }
        if !has_names {
            note_years(name, header, &first, &row);
        }
        let labels = found.iter().map(|&column| columns.label(column)).collect();
        let kept: Vec<usize> = if asked.keep_all { (0..first.len()).collect() } else { found.clone() };
        let places = if asked.keep_all { found.clone() } else { (0..found.len()).collect() };
        let (mut texts, mut number, all) = (Texts::default(), 0, first.len());
        let mut take = |rows: &Rows<'_>, at: u64, row: &ByteRecord| {
            if row.len() != all {
                return Err(rows.wrong_row(at, &format!("has {} cells where the first row has {all}", row.len())));
            }
            for &column in &kept {
                let cell = row.get(column).unwrap_or_default();
                texts.push(cell).map_err(|refused| refused.failure(name, |reason| rows.wrong_row(at, &reason)))?;
            }
            number += 1;
            Ok(())
        };
        if any && !has_names {
            take(&rows, 1, &first)?;
        }
        while more {
            take(&rows, rows.row(), &row)?;
            more = rows.next(&mut row)?;
        }
        let width = kept.len();
        Ok(Self { name, names: has_names.then_some(first), labels, columns: found, places, texts, width, rows: number })
    }

    /// How messages call the table.
    pub(crate) fn name(&self) -> &str {
        self.name
    }

    /// How messages call the column that was asked for at `place`.
    pub(crate) fn label(&self, place: usize) -> &str {
        self.labels.get(place).map_or("", String::as_str)
    }

    /// The names of the two columns that were asked for, where columns have names.
    pub(crate) fn asked_names(&self) -> Option<[&[u8]; 2]> {
        let names = self.names.as_ref()?;
        let name = |place: usize| names.get(*self.columns.get(place)?);
        Some([name(0)?, name(1)?])
    }

    /// The cell of a row in the column that was asked for at `place`.
    pub(crate) fn cell(&self, row: usize, place: usize) -> &[u8] {
        self.texts.get(row * self.width + self.places.get(place).copied().unwrap_or(0))
    }

    /// A row of which all cells were kept.
    pub(crate) fn row(&self, row: usize, into: &mut ByteRecord) {
        into.clear();
        (0..self.width).for_each(|k| into.push_field(self.texts.get(row * self.width + k)));
    }

    /// The row of the file, as messages count rows.
    fn row_of_file(&self, row: usize) -> usize {
        row + 1 + usize::from(self.names.is_some())
    }

    /// The numbers of a column, none of whose cells may be empty.
    pub(crate) fn numbers(&self, place: usize, element: Option<Type>) -> Result<Values> {
        let mut values = collector(element);
        for row in 0..self.rows {
            self.push(&mut *values, row, place, false)?;
        }
        Ok(values.finish())
    }

    fn push(&self, values: &mut dyn Collector, row: usize, place: usize, empty_is_0: bool) -> Result<()> {
        let cell = self.cell(row, place);
        match text_of(cell) {
            Some("") if empty_is_0 => values.push("0"),
            Some("") => Err("the cell is empty: fill it or remove the row".to_owned().into()),
            Some(text) => values.push(text),
            None => Err(not_a_number(&String::from_utf8_lossy(cell)).into()),
        }
        .map_err(|refused| {
            let at = |reason| format!("row {}: column {}: {reason}", self.row_of_file(row), self.label(place));
            refused.failure(self.name, |reason| Failure::input(self.name, at(reason)))
        })
    }

    /// What rows are put in order by: numbers if all cells of the column that are not empty are such, else texts, byte by byte.
    pub(crate) fn order(&self, place: usize) -> Result<Order> {
        self.order_of_rows(place, &(0..self.rows).collect::<Vec<usize>>())
    }

    /// The same of these rows alone.
    pub(crate) fn order_of_rows(&self, place: usize, rows: &[usize]) -> Result<Order> {
        let is_empty = |row: usize| self.cell(row, place).trim_ascii().is_empty();
        let is_text = |row: usize| !is_empty(row) && !text_of(self.cell(row, place)).is_some_and(is_number);
        let first_of = |which: &dyn Fn(usize) -> bool| rows.iter().copied().find(|&row| which(row));
        let (first, text) = (first_of(&|row| !is_empty(row)), first_of(&is_text));
        let values = match text {
            Some(text) => {
                if first.is_some_and(|first| !is_text(first)) {
                    let (row, label) = (self.row_of_file(text), self.label(place));
                    let cell = quoted(&String::from_utf8_lossy(self.cell(text, place)));
                    let reason = format!("in row {row} it has {cell}, which is no number");
                    note(&format!("{}: column {label} is ordered as text: {reason}", self.name));
                }
                let (places, _) = self.places_of_texts(place);
                rows.iter().filter_map(|&row| places.get(row)).copied().collect::<Vec<u64>>().into()
            }
            None => {
                let mut values = collector(None);
                for &row in rows {
                    self.push(&mut *values, row, place, true)?;
                }
                values.finish()
            }
        };
        let any_empty = rows.iter().any(|&row| is_empty(row));
        Ok(Order { values, empty: any_empty.then(|| rows.iter().map(|&row| is_empty(row)).collect()) })
    }

    /// The place of each row's text among the distinct ones in their order, byte by byte, and a row that has each of them.
    pub(crate) fn places_of_texts(&self, place: usize) -> (Vec<u64>, Vec<usize>) {
        let mut seen: HashMap<&[u8], u64> = HashMap::new();
        let mut firsts: Vec<usize> = Vec::new();
        let mut numbers: Vec<u64> = (0..self.rows)
            .map(|row| {
                *seen.entry(self.cell(row, place).trim_ascii()).or_insert_with(|| {
                    firsts.push(row);
                    firsts.len() as u64 - 1
                })
            })
            .collect();
        let mut order: Vec<usize> = (0..firsts.len()).collect();
        order.sort_by_key(|&number| self.cell(firsts.get(number).copied().unwrap_or(0), place).trim_ascii());
        let mut places = vec![0u64; order.len()];
        order.iter().enumerate().for_each(|(at, &number)| places[number] = at as u64);
        numbers.iter_mut().for_each(|number| *number = places[*number as usize]);
        (numbers, order.into_iter().map(|number| firsts[number]).collect())
    }
}
