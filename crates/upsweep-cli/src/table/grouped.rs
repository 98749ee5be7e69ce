//! Columns of numbers, by the texts of other columns: read in one pass, in which each text becomes a number.

use super::cells::Cells;
use super::columns::{holds_number, text_of};
use super::head::{Asked, Head};
use super::keys::{self, key_cells};
use super::record::Record;
use super::rows::Rows;
use crate::collect::{Collector, Refused, Texts, collector, collector_of, push};
use crate::distinct::Distinct;
use crate::element::{Type, Values, with_values};
use crate::failure::{Failure, Result};
use crate::missing::Missing;
use crate::number::not_a_number;
use crate::progress::Progress;
use crate::source::Source;
use upsweep::Device;

/// How the cells of the columns are read.
pub(crate) struct How<'a> {
    /// Type of the numbers.
    pub(crate) element: Option<Type>,
    pub(crate) missing: &'a Missing,
    /// Whether the cells are only counted: then they may hold anything.
    pub(crate) counted: bool,
    /// Whether the values are compared only: then they may be texts.
    pub(crate) compared: bool,
    /// Columns in which a number was found that is no integer.
    pub(crate) floats: &'a [bool],
}

/// Taker of a batch of values of the column with this index, when there are so many groups. Returns the number of values of
/// the next batch; `None` if the table must be read once more.
pub(crate) type Take<'a> = dyn FnMut(usize, Batch, usize) -> Result<Option<usize>> + 'a;

/// Values of a column, and the group of each.
pub(crate) struct Batch {
    pub(crate) values: Values,
    pub(crate) groups: Vec<u32>,
}

/// Columns of a table, and the groups of its rows.
pub(crate) struct Grouped<'a> {
    pub(crate) columns: Vec<Column>,
    /// Names of the columns of groups, if the table names its columns.
    pub(crate) names: Option<Vec<Vec<u8>>>,
    /// Texts of the groups, in the order in which they come up; one group without a text if no column of groups is
    /// requested.
    groups: Cells<'a>,
}

/// Column of numbers.
pub(crate) struct Column {
    /// Name, if the table names its columns.
    pub(crate) name: Option<Vec<u8>>,
    /// Values that no batch has taken.
    pub(crate) rest: Batch,
    /// Texts in the order of their bytes, if the values are the numbers of these.
    pub(crate) texts: Option<Vec<Vec<u8>>>,
}

impl<'a> Grouped<'a> {
    /// Reads the requested columns, and those after them as those of the groups. If no column is requested, one of zeros
    /// stands for the rows. `take` takes batches of values, of so many at first.
    pub(crate) fn read(
        asked: &Asked<'a>,
        how: &How<'_>,
        mut take: Option<(usize, &mut Take<'_>)>,
        progress: &Progress,
    ) -> Result<Self> {
        let name = asked.name;
        let mut rows = Rows::new(asked.source, name, asked.delimiter, progress)?;
        let head = Head::read(asked, &mut rows)?;
        let (places, by) = head.columns.split_at(head.values);
        let (places, by) = (places.to_vec(), by.to_vec());
        let labels = head.labels.clone();
        let element = if how.counted { Some(Type::U8) } else { how.element };
        let most = take.as_ref().map_or(usize::MAX, |(most, _)| *most);
        let collector = |place: usize| match how.floats.get(place) {
            Some(true) => collector_of(Type::F64, element, true),
            _ => collector(element, true),
        };
        let mut columns: Vec<Reading> = (0..places.len().max(1))
            .map(|place| Reading {
                values: collector(place),
                texts: (how.compared && !how.counted).then(Coded::default),
                groups: Vec::new(),
                most,
            })
            .collect();
        let mut groups = Groups::default();
        let head = head.while_rows(&mut rows, |rows, at, row| {
            let wrong = |refused: Refused| refused.failure(name, |reason| rows.wrong_row(at, &reason));
            let group = groups.of_row(row, &by, at).map_err(wrong)?;
            for (place, column) in columns.iter_mut().enumerate() {
                let cell = places.get(place).and_then(|&place| row.get(place));
                column.take((cell, at), group, how).map_err(|refused| {
                    let label = labels.get(place).map_or("", String::as_str);
                    refused.failure(name, |reason| rows.wrong_row(at, &format!("column {label}: {reason}")))
                })?;
                if let Some((_, take)) = &mut take
                    && column.groups.len() >= column.most
                {
                    let batch = column.batch(element);
                    let Some(most) = take(place, batch, groups.rows.len())? else { return Ok(false) };
                    column.most = most;
                }
            }
            Ok(true)
        })?;
        if by.is_empty() && groups.rows.is_empty() {
            groups.of(b"", 1).map_err(|refused| refused.failure(name, Failure::Run))?;
        }
        let named = |column: usize| head.has_names.then(|| head.first.cells.get(column).unwrap_or_default().to_vec());
        let column = |(place, Reading { values, texts, groups, .. }): (usize, Reading)| {
            let label = labels.get(place).cloned().unwrap_or_default();
            let (values, texts) = match texts {
                None => (values.finish(), None),
                Some(texts) => texts.finish(values, (name, label), how.missing)?,
            };
            Ok(Column { name: places.get(place).copied().and_then(named), rest: Batch { values, groups }, texts })
        };
        let columns = columns.into_iter().enumerate().map(column).collect::<Result<_>>()?;
        let names = by.iter().copied().map(named).collect();
        Ok(Self { columns, names, groups: groups.into_cells(name, labels[head.values..].to_vec())? })
    }

    /// Reads the groups by the columns that were requested in the table of which this is the beginning. Returns the number of rows of
    /// each group, too, and with `keep_rows` the group of each row.
    pub(crate) fn counted(
        head: &Head,
        (source, name, delimiter): (&'a Source, &'a str, u8),
        keep_rows: bool,
        progress: &Progress,
    ) -> Result<(Self, Vec<u64>, Vec<u32>)> {
        let mut rows = Rows::new(source, name, delimiter, progress)?;
        let (mut groups, mut counts, mut of_rows) = (Groups::default(), Vec::new(), Vec::new());
        let read = head.again(&mut rows)?.each_row(&mut rows, |rows, at, row| {
            let counted = groups.of_row(row, head.values(), at).and_then(|group| {
                match counts.get_mut(group as usize) {
                    Some(count) => *count += 1,
                    None => push(&mut counts, 1)?,
                }
                if keep_rows { push(&mut of_rows, group) } else { Ok(()) }
            });
            counted.map_err(|refused| refused.failure(name, |reason| rows.wrong_row(at, &reason)))
        })?;
        let groups = groups.into_cells(name, read.labels)?;
        Ok((Self { columns: Vec::new(), names: head.names(), groups }, counts, of_rows))
    }

    /// Makes what was read of a table, whose columns of groups have these names.
    #[cfg(feature = "parquet")]
    pub(crate) fn of(name: &'a str, columns: Vec<Column>, groups: Groups, names: Vec<String>) -> Result<Self> {
        let bytes = names.iter().map(|name| name.clone().into_bytes()).collect();
        Ok(Self { columns, names: Some(bytes), groups: groups.into_cells(name, names)? })
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.groups.rows
    }

    /// Texts of a group: one of each column of groups.
    pub(crate) fn texts(&self, group: usize) -> impl Iterator<Item = &[u8]> {
        (0..self.groups.asked()).map(move |place| self.groups.cell(group, place))
    }

    /// Whether the rows of a group are left out, as a text of it means that there is no value.
    pub(crate) fn is_left_out(&self, group: usize, missing: &Missing) -> bool {
        self.texts(group).any(|text| text_of(text).is_some_and(|text| missing.leaves_out(text)))
    }

    /// Prints a note if some of the texts in the only column of groups are numbers.
    pub(crate) fn note_mixed(&self) {
        let is_text = |text: &[u8]| !text.trim_ascii().is_empty() && !holds_number(text);
        if let Some(text) = (0..self.len()).find(|&group| is_text(self.groups.cell(group, 0))) {
            self.groups.note_mixed(0, text, "");
        }
    }

    /// Returns the groups in the order of their texts, column by column: numbers in numeric order.
    pub(crate) fn sorted(&self, device: &Device) -> Result<Vec<u64>> {
        let order = |place| self.groups.order(place, false, "");
        let orders = (0..self.groups.asked()).map(order).collect::<Result<Vec<_>>>()?;
        self.groups.sorted(device, &orders, &vec![false; orders.len()])
    }
}

/// Column that is being read.
struct Reading {
    values: Box<dyn Collector>,
    /// Texts of the cells, if the values may be texts.
    texts: Option<Coded>,
    groups: Vec<u32>,
    /// Number of values that are a batch.
    most: usize,
}

impl Reading {
    /// Takes the values so far out of the column, whose type `asked` asks for.
    fn batch(&mut self, asked: Option<Type>) -> Batch {
        let values = std::mem::replace(&mut self.values, collector(asked, true)).finish();
        self.values = collector_of(values.element(), asked, true);
        Batch { values, groups: std::mem::take(&mut self.groups) }
    }

    /// Takes the cell of a row of this group; without a cell the row itself.
    fn take(
        &mut self,
        (cell, at): (Option<&[u8]>, u64),
        group: u32,
        how: &How<'_>,
    ) -> std::result::Result<(), Refused> {
        if let (None, Some(cell), false, false) = (&self.texts, cell, how.counted, how.missing.has_texts())
            && self.values.push_short(cell)?
        {
            return push(&mut self.groups, group);
        }
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
        let cells = self.distinct.into_cells(name, vec![label])?;
        let is_missing = |row: usize| text_of(cells.cell(row, 0)).is_some_and(|text| missing.means(text));
        let mut with_value = (0..cells.rows).filter(|&row| !is_missing(row)).peekable();
        if with_value.peek().is_some() && with_value.any(|row| !holds_number(cells.cell(row, 0))) {
            let (codes, texts) = ranked(&self.codes, &cells);
            return Ok((codes, Some(texts)));
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

/// Returns the ranks of texts in the order of their bytes, and the texts in that order. `codes` are their rows in `cells`.
fn ranked(codes: &[u32], cells: &Cells<'_>) -> (Values, Vec<Vec<u8>>) {
    let mut order: Vec<usize> = (0..cells.rows).collect();
    order.sort_by_key(|&row| cells.cell(row, 0));
    let mut ranks = vec![0u32; order.len()];
    order.iter().zip(0..).for_each(|(&row, rank)| ranks[row] = rank);
    let codes: Vec<u32> = codes.iter().map(|&code| ranks[code as usize]).collect();
    (codes.into(), order.into_iter().map(|row| cells.cell(row, 0).to_vec()).collect())
}

/// Groups so far.
#[derive(Default)]
pub(crate) struct Groups {
    distinct: Distinct,
    /// Number in the file of the first row of each group.
    rows: Vec<usize>,
    /// Room for the text of a row.
    key: Vec<u8>,
}

impl Groups {
    /// Turns the texts of the groups into cells of the columns of these labels.
    fn into_cells(self, name: &str, labels: Vec<String>) -> Result<Cells<'_>> {
        let Self { distinct, rows, .. } = self;
        let joined = distinct.into_texts();
        if labels.len() == 1 {
            return Ok(Cells::of_texts(name, labels, joined, rows));
        }
        let mut texts = Texts::default();
        for cell in joined.iter().flat_map(|text| key_cells(text, labels.len())) {
            texts.push(cell).map_err(|refused| refused.failure(name, Failure::Run))?;
        }
        Ok(Cells::of_texts(name, labels, texts, rows))
    }

    /// Returns the number of the group of row number `at` by these columns.
    fn of_row(&mut self, row: Record<'_>, by: &[usize], at: u64) -> std::result::Result<u32, Refused> {
        if let [only] = by {
            return self.of(row.get(*only).unwrap_or_default(), at);
        }
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        keys::join(by.iter().map(|&by| row.get(by).unwrap_or_default()), &mut key);
        let group = self.of(&key, at);
        self.key = key;
        group
    }

    /// Number of groups.
    #[cfg(feature = "parquet")]
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the ranks of the texts, which are the groups, in the order of their bytes, for values with these numbers of texts; and
    /// the texts in that order.
    #[cfg(feature = "parquet")]
    pub(crate) fn into_ranks(self, codes: &[u32], name: &str, label: &str) -> Result<(Values, Vec<Vec<u8>>)> {
        Ok(ranked(codes, &self.into_cells(name, vec![label.to_owned()])?))
    }

    /// Returns the number of the group with this text, which is new if row number `at` is the first one to have it.
    pub(crate) fn of(&mut self, text: &[u8], at: u64) -> std::result::Result<u32, Refused> {
        let (number, is_new) = self.distinct.number(text)?;
        if is_new {
            push(&mut self.rows, at as usize)?;
        }
        Ok(number)
    }
}
