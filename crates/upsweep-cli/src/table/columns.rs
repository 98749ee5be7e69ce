//! Columns of a table: recognises a first row that names them, and finds the column that a user means.

use crate::failure::{Failure, Result, note, quoted, shown};
use crate::number::is_number;
use csv::ByteRecord;

/// Columns of a table. The table is called `name` in messages.
#[derive(Debug)]
pub(crate) struct Columns<'a> {
    pub(crate) name: &'a str,
    /// First row, if it names the columns.
    pub(crate) names: Option<&'a ByteRecord>,
    pub(crate) first: &'a ByteRecord,
    pub(crate) delimiter: u8,
    /// Whether the options of the command are those for this table: then errors name options.
    pub(crate) options: bool,
}

/// Returns a cell without white space at its ends, if it is UTF-8.
pub(crate) fn text_of(cell: &[u8]) -> Option<&str> {
    std::str::from_utf8(cell.trim_ascii()).ok()
}

pub(super) fn holds_number(cell: &[u8]) -> bool {
    text_of(cell).is_some_and(is_number)
}

pub(super) fn has_number(row: &ByteRecord) -> bool {
    row.iter().any(holds_number)
}

/// Whether the first row may name columns although it has numbers. Then its numbers are distinct years, more than one
/// or beside a name, and at least one cell under them in the second row is no year.
pub(super) fn names_years(first: &ByteRecord, second: &ByteRecord) -> bool {
    let year = |cell: &[u8]| match cell.trim_ascii() {
        digits @ [_, _, _, _] => {
            text_of(digits).and_then(|text| text.parse().ok()).filter(|year| (1900..=2100u32).contains(year))
        }
        _ => None,
    };
    let numbers: Vec<usize> = (0..first.len()).filter(|&k| holds_number(&first[k])).collect();
    let years: Option<Vec<u32>> = numbers.iter().map(|&k| year(&first[k])).collect();
    let Some(mut years) = years else { return false };
    years.sort_unstable();
    let distinct = years.windows(2).all(|pair| pair[0] != pair[1]);
    let enough = years.len() > 1 || years.len() == 1 && first.iter().any(|cell| text_of(cell).is_none_or(is_name));
    distinct && enough && numbers.iter().any(|&k| second.get(k).is_some_and(|cell| year(cell).is_none()))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !is_number(text)
}

/// Returns the name that a user writes in back quotes because it is a number. A back quote in the name is written
/// twice.
pub(super) fn unquoted(text: &str) -> Option<String> {
    let name = text.strip_prefix('`')?.strip_suffix('`')?;
    Some(name.replace("``", "`"))
}

/// Splits a list of columns at its commas, but for those between back quotes.
pub(crate) fn listed(text: &str) -> Vec<&str> {
    let mut quoted = false;
    let is_end = |c: char| {
        quoted ^= c == '`';
        c == ',' && !quoted
    };
    text.split(is_end).collect()
}

/// Whether `text` names a column of a table whose header is `row`. Text in back quotes does if a cell equals what is
/// between them. Other text does if a cell equals it and it is not a column number (1 to the number of cells).
pub(super) fn names(row: &ByteRecord, text: &str) -> bool {
    if let Some(name) = unquoted(text) {
        return has_cell(row, &name);
    }
    !text.parse().is_ok_and(|number: usize| (1..=row.len()).contains(&number)) && has_cell(row, text)
}

fn has_cell(row: &ByteRecord, text: &str) -> bool {
    row.iter().any(|cell| text_of(cell) == Some(text))
}

/// Returns the name of a new column: `COLUMN_SUFFIX`, or `SUFFIX` without a column. It ends in a number if `taken` has
/// that name.
pub(crate) fn new_name(column: Option<&[u8]>, suffix: &str, taken: &ByteRecord) -> Vec<u8> {
    let column = column.map(|column| [column.trim_ascii(), b"_"].concat());
    let base = [&*column.unwrap_or_default(), suffix.as_bytes()].concat();
    let mut name = base.clone();
    let mut number = 2;
    while taken.iter().any(|cell| cell.trim_ascii() == name) {
        name = [&base, format!("_{number}").as_bytes()].concat();
        number += 1;
    }
    name
}

impl Columns<'_> {
    /// Name of a column in messages.
    pub(super) fn label(&self, column: usize) -> String {
        match self.names.and_then(|names| names.get(column)).map(<[u8]>::trim_ascii).filter(|name| !name.is_empty()) {
            Some(name) => shown(&String::from_utf8_lossy(name)),
            None => (column + 1).to_string(),
        }
    }

    fn wrong(&self, reason: &str) -> Failure {
        let separator = separator(self.first, self.delimiter);
        let hint = separator.map_or_else(String::new, |other| format!("; {}", self.separated_by(other)));
        Failure::input(self.name, format!("{reason}{hint}"))
    }

    /// Finds the column that the user calls `text`: by its number, by its name, or by its name in back quotes, if the
    /// name is also a column number.
    pub(crate) fn find(&self, text: &str) -> Result<usize> {
        if let Some(name) = unquoted(text) {
            return self.find_named(&name);
        }
        let Some(number) = text.parse().ok().filter(|number| (1..=self.first.len()).contains(number)) else {
            return self.find_named(text);
        };
        let other = |(at, name): (usize, &[u8])| at + 1 != number && text_of(name) == Some(text);
        if self.names.is_some_and(|names| names.iter().enumerate().any(other)) {
            let reason = format!("column {text} is the one with this number, {}", quoted(&self.label(number - 1)));
            note(&format!("{}: {reason}: that of the name {text} is '`{text}`', in back quotes", self.name));
        }
        Ok(number - 1)
    }

    /// Finds the columns of a [list](listed). A column whose name has commas comes first.
    pub(crate) fn find_all(&self, text: &str) -> Result<Vec<usize>> {
        match self.names.is_some_and(|names| has_cell(names, text)) {
            true => Ok(vec![self.find(text)?]),
            false => listed(text).into_iter().map(|text| self.find(text.trim())).collect(),
        }
    }

    /// Finds the columns of a list, as [`find_all`](Self::find_all) does, each with whether a `-` stands before it that is not a part
    /// of its name.
    pub(super) fn find_signed(&self, text: &str) -> Result<Vec<(usize, bool)>> {
        if self.names.is_some_and(|names| has_cell(names, text)) {
            return Ok(vec![(self.find(text)?, false)]);
        }
        let find = |text: &str| match text.strip_prefix('-') {
            Some(column) if !self.names.is_some_and(|names| has_cell(names, text)) => Ok((self.find(column)?, true)),
            _ => Ok((self.find(text)?, false)),
        };
        listed(text).into_iter().map(|text| find(text.trim())).collect()
    }

    /// Finds the column with this number.
    pub(super) fn find_numbered(&self, number: usize) -> Result<usize> {
        match (1..=self.first.len()).contains(&number) {
            true => Ok(number - 1),
            false => Err(self.wrong(&format!("has no column {number}: {}", self.list()))),
        }
    }

    /// Finds the column with this name.
    pub(super) fn find_named(&self, text: &str) -> Result<usize> {
        let mut called = self.names.into_iter().flatten().enumerate().filter(|(_, name)| text_of(name) == Some(text));
        match (called.next(), called.count()) {
            (Some((column, _)), 0) => return Ok(column),
            (Some(_), more) => {
                return Err(self.wrong(&format!("{} columns are named {}: give the number", more + 1, quoted(text))));
            }
            (None, _) => {}
        }
        let width = self.first.len();
        let is_number = text.parse::<usize>().is_ok();
        let called = if is_number { text.to_owned() } else { quoted(text) };
        Err(self.wrong(&match self.names {
            Some(_) => format!("has no column {called}: {}", self.list()),
            None if width == 0 => "is empty: it has no columns".to_owned(),
            None if is_number && !has_cell(self.first, text) => format!("has no column {called}: {}", self.list()),
            None => {
                let yes = if self.options { ", or --header yes" } else { "" };
                let reason = match has_number(self.first) {
                    true => "its first row has numbers and so names no columns",
                    false => "--header no says that its first row names no columns",
                };
                format!("has no column {called}: {reason}; give a number from 1 to {width}{yes}")
            }
        }))
    }

    fn list(&self) -> String {
        const MOST: usize = 30;
        let Some(names) = self.names else {
            return match self.first.len() {
                0 => "it is empty".to_owned(),
                width => format!("columns are numbered from 1 to {width}"),
            };
        };
        let listed: Vec<String> =
            names.iter().take(MOST).map(|name| shown(&String::from_utf8_lossy(name.trim_ascii()))).collect();
        let more = if names.len() > MOST { format!(", ... ({} in all)", names.len()) } else { String::new() };
        format!("the columns are {}{more}", listed.join(", "))
    }

    /// Finds the only column with a number in the first row of data.
    pub(super) fn only_numeric(&self, row: Option<&ByteRecord>) -> Result<usize> {
        let width = self.first.len();
        let choose = if self.options { "choose a --column" } else { "there must be one" };
        let Some(row) = row else {
            return match width {
                0 | 1 => Ok(0),
                _ => Err(self.wrong(&format!("has no rows; {choose}: {}", self.list()))),
            };
        };
        let numeric: Vec<usize> = (0..row.len()).filter(|&k| holds_number(&row[k])).collect();
        match numeric[..] {
            [column] => Ok(column),
            // The cells of the only column are no numbers. The error comes later, and names the first cell.
            [] if width == 1 => Ok(0),
            [] => Err(self.wrong(&format!("has no number in its first row of data; {choose}"))),
            _ => Err(self.choose(&numeric)),
        }
    }

    /// Failure because not one of the columns is numeric, but these are.
    pub(crate) fn choose(&self, numeric: &[usize]) -> Failure {
        let labels: Vec<String> = numeric.iter().take(30).map(|&k| self.label(k)).collect();
        let (count, labels) = (numeric.len(), labels.join(", "));
        let choose = if self.options { "choose one with --column" } else { "there must be one" };
        self.wrong(&format!("has {count} numeric columns: {choose}: {labels}"))
    }

    /// Fails if the cells seem to have another separator than the table: rows have one cell, and a common separator is
    /// in that of `row`.
    pub(super) fn check_separator(&self, row: &ByteRecord) -> Result<()> {
        match separator(row, self.delimiter) {
            Some(other) if self.first.len() == 1 => Err(Failure::input(self.name, self.separated_by(other))),
            _ => Ok(()),
        }
    }

    fn separated_by(&self, other: char) -> String {
        let (ending, own) = if self.delimiter == b'\t' { ("tsv", "tabs") } else { ("csv", "commas") };
        let given = if other == '\t' { "tab".to_owned() } else { format!("'{other}'") };
        let advice = if self.options { format!(": give --delimiter {given}") } else { String::new() };
        let seem = format!("its cells seem to be separated by {}", quoted(&other.to_string()));
        format!("{seem}, and in a .{ending} they are by {own}{advice}")
    }
}

/// Guesses the separator of a row that has one cell: the first common one, other than `delimiter`, that is in the cell.
fn separator(row: &ByteRecord, delimiter: u8) -> Option<char> {
    let mut cells = row.iter();
    let (Some(cell), None) = (cells.next(), cells.next()) else { return None };
    [';', '\t', '|', ','].into_iter().find(|&c| c as u32 != u32::from(delimiter) && cell.contains(&(c as u8)))
}
