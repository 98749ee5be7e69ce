//! Columns of numbers, by the texts of another column: read in one pass, in which each text becomes a number.

use super::cells::{Cells, Order};
use super::columns::{holds_number, text_of};
use super::head::{Asked, Head};
use super::rows::Rows;
use crate::collect::{Collector, Refused, collector, push};
use crate::distinct::Distinct;
use crate::element::{Type, Values, with_values};
use crate::failure::{Failure, Result};
use crate::missing::Missing;
use crate::number::not_a_number;
use crate::progress::Progress;

/// How the cells of the columns are read.
pub(crate) struct How<'a> {
    /// Type of the numbers.
    pub(crate) element: Option<Type>,
    pub(crate) missing: &'a Missing,
    /// Whether the cells are only counted: then they may hold anything.
    pub(crate) counted: bool,
    /// Whether the values are compared only: then they may be texts.
    pub(crate) compared: bool,
}

/// Columns of a table, and the groups of its rows.
pub(crate) struct Grouped<'a> {
    pub(crate) columns: Vec<Column>,
    /// Name of the column of groups, if there is one and the table names its columns.
    pub(crate) name: Option<Vec<u8>>,
    /// Texts of the groups, in the order in which they come up; one group without a text if no column of groups is
    /// requested.
    groups: Cells<'a>,
}

/// Column of numbers.
pub(crate) struct Column {
    /// Name, if the table names its columns.
    pub(crate) name: Option<Vec<u8>>,
    pub(crate) values: Values,
    /// Texts in the order of their bytes, if the values are the numbers of these.
    pub(crate) texts: Option<Vec<Vec<u8>>>,
    /// Group of each value.
    pub(crate) groups: Vec<u32>,
}

impl<'a> Grouped<'a> {
    /// Reads the requested columns, and the one after them as that of the groups. If no column is requested, one of zeros
    /// stands for the rows.
    pub(crate) fn read(asked: &Asked<'a>, how: &How<'_>, progress: &Progress) -> Result<Self> {
        let name = asked.name;
        let mut rows = Rows::new(asked.source, name, asked.delimiter, progress)?;
        let head = Head::read(asked, &mut rows)?;
        let (by, places) = (head.columns.get(head.values).copied(), head.columns[..head.values].to_vec());
        let labels = head.labels.clone();
        let element = if how.counted { Some(Type::U8) } else { how.element };
        let mut columns: Vec<Reading> = (0..places.len().max(1))
            .map(|_| Reading {
                values: collector(element, true),
                texts: (how.compared && !how.counted).then(Coded::default),
                groups: Vec::new(),
            })
            .collect();
        let mut groups = Groups::default();
        let head = head.each_row(&mut rows, |rows, at, row, _| {
            let wrong = |refused: Refused| refused.failure(name, |reason| rows.wrong_row(at, &reason));
            let group = groups.of(by.and_then(|by| row.get(by)).unwrap_or_default(), at).map_err(wrong)?;
            for (place, column) in columns.iter_mut().enumerate() {
                let cell = places.get(place).and_then(|&place| row.get(place));
                column.take((cell, at), group, how).map_err(|refused| {
                    let label = labels.get(place).map_or("", String::as_str);
                    refused.failure(name, |reason| rows.wrong_row(at, &format!("column {label}: {reason}")))
                })?;
            }
            Ok(())
        })?;
        if by.is_none() && groups.rows.is_empty() {
            groups.of(b"", 1).map_err(|refused| refused.failure(name, Failure::Run))?;
        }
        let named = |column: usize| head.has_names.then(|| head.first.get(column).unwrap_or_default().to_vec());
        let column = |(place, Reading { values, texts, groups }): (usize, Reading)| {
            let label = labels.get(place).cloned().unwrap_or_default();
            let (values, texts) = match texts {
                None => (values.finish(), None),
                Some(texts) => texts.finish(values, (name, label), how.missing)?,
            };
            Ok(Column { name: places.get(place).copied().and_then(named), values, texts, groups })
        };
        let columns = columns.into_iter().enumerate().map(column).collect::<Result<_>>()?;
        let label = labels.get(head.values).cloned().unwrap_or_default();
        let Groups { distinct, rows } = groups;
        Ok(Self {
            columns,
            name: by.and_then(named),
            groups: Cells::of_texts(name, label, distinct.into_texts(), rows),
        })
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.groups.rows
    }

    /// Text of a group.
    pub(crate) fn text(&self, group: usize) -> &[u8] {
        self.groups.cell(group, 0)
    }

    /// Whether the rows of a group are left out, as its text means that there is no value.
    pub(crate) fn is_left_out(&self, group: usize, missing: &Missing) -> bool {
        text_of(self.text(group)).is_some_and(|text| missing.leaves_out(text))
    }

    /// Whether all texts that mean a value are numbers.
    pub(crate) fn are_numbers(&self, missing: &Missing) -> bool {
        let is_missing = |group: usize| text_of(self.text(group)).is_some_and(|text| missing.means(text));
        (0..self.len()).all(|group| is_missing(group) || holds_number(self.text(group)))
    }

    /// Prints a note if some of the texts are numbers.
    pub(crate) fn note_mixed(&self) {
        let is_text = |&group: &usize| !self.text(group).trim_ascii().is_empty() && !holds_number(self.text(group));
        if let Some(text) = (0..self.len()).find(is_text) {
            self.groups.note_mixed(0, text, "");
        }
    }

    /// Returns the sort key of the groups: numbers in numeric order.
    pub(crate) fn order(&self) -> Result<Order> {
        self.groups.order(0, false, "")
    }
}

/// Column that is being read.
struct Reading {
    values: Box<dyn Collector>,
    /// Texts of the cells, if the values may be texts.
    texts: Option<Coded>,
    groups: Vec<u32>,
}

impl Reading {
    /// Takes the cell of a row of this group; without a cell the row itself.
    fn take(
        &mut self,
        (cell, at): (Option<&[u8]>, u64),
        group: u32,
        how: &How<'_>,
    ) -> std::result::Result<(), Refused> {
        let text = cell.map(text_of);
        if matches!(text, Some(Some(text)) if how.missing.leaves_out(text)) {
            return Ok(());
        }
        if let (Some(texts), Some(cell)) = (&mut self.texts, cell) {
            let code = texts.distinct.of(cell, at)?;
            push(&mut texts.codes, code)?;
            return push(&mut self.groups, group);
        }
        match (how.counted, text) {
            (true, _) | (_, None) => self.values.push("0")?,
            (false, Some(Some(text))) => self.values.push(how.missing.read(text)?.0)?,
            (false, Some(None)) => {
                return Err(not_a_number(&String::from_utf8_lossy(cell.unwrap_or_default())).into());
            }
        }
        push(&mut self.groups, group)
    }
}

/// Texts of a column, numbered as they come up.
#[derive(Default)]
struct Coded {
    distinct: Groups,
    /// Number of the text of each row.
    codes: Vec<u32>,
}

impl Coded {
    /// Returns the values of the column: its numbers, which `collector` collects, if all that mean a value are numbers; else
    /// those of the texts in the order of their bytes, with the texts.
    fn finish(
        self,
        mut collector: Box<dyn Collector>,
        (name, label): (&str, String),
        missing: &Missing,
    ) -> Result<(Values, Option<Vec<Vec<u8>>>)> {
        let Groups { distinct, rows } = self.distinct;
        let cells = Cells::of_texts(name, label, distinct.into_texts(), rows);
        let is_missing = |row: usize| text_of(cells.cell(row, 0)).is_some_and(|text| missing.means(text));
        let mut with_value = (0..cells.rows).filter(|&row| !is_missing(row)).peekable();
        if with_value.peek().is_some() && with_value.any(|row| !holds_number(cells.cell(row, 0))) {
            let mut order: Vec<usize> = (0..cells.rows).collect();
            order.sort_by_key(|&row| cells.cell(row, 0));
            let mut ranks = vec![0u32; order.len()];
            order.iter().zip(0..).for_each(|(&row, rank)| ranks[row] = rank);
            let codes: Vec<u32> = self.codes.iter().map(|&code| ranks[code as usize]).collect();
            return Ok((codes.into(), Some(order.into_iter().map(|row| cells.cell(row, 0).to_vec()).collect())));
        }
        for row in 0..cells.rows {
            let text = text_of(cells.cell(row, 0)).unwrap_or_default();
            let taken = missing.read(text).map_err(Refused::from).and_then(|(text, _)| collector.push(text));
            taken.map_err(|refused| cells.refused(refused, row, 0))?;
        }
        let numbers = collector.finish();
        Ok((
            with_values!(&numbers, x => {
                self.codes.iter().filter_map(|&code| x.get(code as usize)).copied().collect::<Vec<_>>().into()
            }),
            None,
        ))
    }
}

/// Groups so far.
#[derive(Default)]
struct Groups {
    distinct: Distinct,
    /// Number in the file of the first row of each group.
    rows: Vec<usize>,
}

impl Groups {
    /// Returns the number of the group with this text, which is new if row number `at` is the first one to have it.
    fn of(&mut self, text: &[u8], at: u64) -> std::result::Result<u32, Refused> {
        let (number, is_new) = self.distinct.number(text)?;
        if is_new {
            push(&mut self.rows, at as usize)?;
        }
        Ok(number)
    }
}
