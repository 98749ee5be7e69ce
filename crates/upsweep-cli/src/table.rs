//! Tables: .csv and .tsv, one column in, one column more out.
//!
//! A table is read twice: once for its column, and once more when it is written with the result beside it. Neither
//! holds more than the column and one row in memory.

use crate::args::Header;
use crate::collect::{Collector, Refused, Texts, collector, push};
use crate::element::{Type, Values, format};
use crate::failure::{Failure, Result, quoted, shown, words};
use crate::number::{is_number, not_a_number};
use crate::progress::Progress;
use csv::ByteRecord;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What to read from a table.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) column: Option<&'a str>,
    pub(crate) by_key: Option<&'a str>,
    pub(crate) element: Option<Type>,
    pub(crate) header: Header,
    pub(crate) delimiter: u8,
    /// Whether to keep the text of each segment's key.
    pub(crate) keep_keys: bool,
}

/// How a table was read, to read it again.
#[derive(Debug)]
pub(crate) struct Layout {
    path: PathBuf,
    delimiter: u8,
    /// The names in the first row.
    names: Option<Vec<String>>,
    column: usize,
    key_column: Option<usize>,
}

/// Where the keys change.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    /// For each row, whether its key differs from the row's before.
    pub(crate) heads: Vec<bool>,
    /// The key of each segment, if they were to be kept.
    pub(crate) texts: Texts,
}

/// Reads one column.
pub(crate) fn read(
    path: &Path,
    name: &str,
    wanted: &Wanted<'_>,
    progress: &Progress,
) -> Result<(Values, Layout, Keys)> {
    let mut rows = Rows::open(path, name, wanted.delimiter, progress)?;
    let mut first = ByteRecord::new();
    let any = rows.next(&mut first)?;
    let is_header = match wanted.header {
        Header::Yes => true,
        Header::No => false,
        Header::Auto => any && !first.iter().any(|cell| text_of(cell).is_some_and(is_number)),
    };
    let names = is_header.then(|| first.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect());
    let width = first.len();
    let mut row = first;
    let mut more = any;
    if is_header {
        more = rows.next(&mut row)?;
    }
    let columns = Columns { names: &names, width, name };
    let column = match wanted.column {
        Some(text) => columns.find(text)?,
        None => columns.only_numeric(more.then_some(&row))?,
    };
    let key_column = wanted.by_key.map(|text| columns.find(text)).transpose()?;

    let mut values = collector(wanted.element);
    let mut keys = Keys::default();
    let mut last_key: Option<Vec<u8>> = None;
    while more {
        if row.len() != width {
            return Err(rows.wrong(format!("has {} cells where the first row has {width}", row.len())));
        }
        take(values.as_mut(), &row[column]).map_err(|refused| {
            refused.failure(name, |reason| rows.wrong(format!("column {}: {reason}", columns.label(column))))
        })?;
        if let Some(key_column) = key_column {
            let key = &row[key_column];
            let head = last_key.as_deref() != Some(key);
            let full = |refused: Refused| refused.failure(name, |reason| rows.wrong(reason));
            push(&mut keys.heads, head).map_err(full)?;
            if head {
                let buffer = last_key.get_or_insert_default();
                buffer.clear();
                buffer.extend_from_slice(key);
                if wanted.keep_keys {
                    keys.texts.push(key).map_err(full)?;
                }
            }
        }
        more = rows.next(&mut row)?;
    }
    let layout = Layout { path: path.to_owned(), delimiter: wanted.delimiter, names, column, key_column };
    Ok((values.finish(), layout, keys))
}

fn take(values: &mut dyn Collector, cell: &[u8]) -> std::result::Result<(), Refused> {
    match text_of(cell) {
        Some("") => Err("the cell is empty: fill it or remove the row".to_owned().into()),
        Some(text) => values.push(text),
        None => Err(not_a_number(&String::from_utf8_lossy(cell)).into()),
    }
}

fn text_of(cell: &[u8]) -> Option<&str> {
    std::str::from_utf8(cell.trim_ascii()).ok()
}

impl Layout {
    /// The name of the column that was read, as a person sees it.
    pub(crate) fn column(&self) -> String {
        label(&self.names, self.column)
    }

    /// The row in which data begin, as messages count rows: from 1, the names too.
    pub(crate) fn first_row(&self) -> usize {
        1 + usize::from(self.names.is_some())
    }

    /// The name of the key column.
    pub(crate) fn key_column(&self) -> Option<String> {
        self.key_column.map(|column| label(&self.names, column))
    }

    /// The names of the key column and the column, if the table names them.
    pub(crate) fn key_names(&self) -> Option<(&str, &str)> {
        let names = self.names.as_ref()?;
        Some((names.get(self.key_column?)?, names.get(self.column)?))
    }

    /// Writes the table with `values` as one more column, named after the column and `suffix`.
    pub(crate) fn write_joined(
        &self,
        (name, suffix): (&str, &str),
        values: &Values,
        delimiter: u8,
        (out, out_name): (&mut dyn Write, &str),
        progress: &Progress,
    ) -> Result<()> {
        let changed = || Failure::Run(format!("{name}: the file changed while it was read"));
        let mut rows = Rows::open(&self.path, name, self.delimiter, progress)?;
        let mut out =
            csv::WriterBuilder::new().delimiter(delimiter).buffer_capacity(1 << 18).flexible(true).from_writer(out);
        let mut write = |row: &ByteRecord| {
            out.write_byte_record(row).map_err(|e| match e.into_kind() {
                csv::ErrorKind::Io(e) => Failure::writing(out_name, &e),
                other => Failure::Run(format!("{out_name}: writing failed: {other:?}")),
            })
        };
        let mut row = ByteRecord::new();
        if let Some(names) = &self.names
            && rows.next(&mut row)?
        {
            row.push_field(format!("{}_{suffix}", names.get(self.column).map_or("", String::as_str)).as_bytes());
            write(&row)?;
        }
        let mut text = Vec::new();
        for index in 0..values.len() {
            if !rows.next(&mut row)? {
                return Err(changed());
            }
            text.clear();
            format(values, index, &mut text);
            row.push_field(&text);
            write(&row)?;
        }
        if rows.next(&mut row)? {
            return Err(changed());
        }
        out.flush().map_err(|e| Failure::writing(out_name, &e))
    }
}

/// Finds columns.
struct Columns<'a> {
    names: &'a Option<Vec<String>>,
    width: usize,
    name: &'a str,
}

impl Columns<'_> {
    fn label(&self, column: usize) -> String {
        label(self.names, column)
    }

    /// The column that the user calls `text`.
    fn find(&self, text: &str) -> Result<usize> {
        let names = self.names.as_deref().unwrap_or_default();
        let mut called = (0..names.len()).filter(|&k| names[k] == text);
        match (called.next(), called.count()) {
            (Some(column), 0) => return Ok(column),
            (Some(_), more) => {
                return Err(Failure::input(
                    self.name,
                    format!("{} columns are named {}: give the number", more + 1, shown(text)),
                ));
            }
            (None, _) => {}
        }
        let width = self.width;
        match text.parse::<usize>() {
            Ok(number) if (1..=width).contains(&number) => return Ok(number - 1),
            Ok(_) => return Err(Failure::input(self.name, format!("has no column {}: {}", shown(text), self.list()))),
            Err(_) => {}
        }
        let reason = match self.names {
            Some(_) => format!("has no column {}: {}", quoted(text), self.list()),
            None if width == 0 => "is empty: it has no columns".to_owned(),
            None => format!(
                "has no column {}: its first row has numbers and so names no columns; give a number from 1 to {width}, \
                 or --header yes",
                quoted(text)
            ),
        };
        Err(Failure::input(self.name, reason))
    }

    fn list(&self) -> String {
        const MOST: usize = 30;
        let joined = |names: &[String]| names.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
        match self.names {
            Some(names) if names.len() <= MOST => format!("the columns are {}", joined(names)),
            Some(names) => format!("the columns are {}, ... ({} in all)", joined(&names[..MOST]), names.len()),
            None if self.width == 0 => "it is empty".to_owned(),
            None => format!("columns are numbered from 1 to {}", self.width),
        }
    }

    /// The only column with a number in the first row of data.
    fn only_numeric(&self, row: Option<&ByteRecord>) -> Result<usize> {
        let Some(row) = row else {
            return match self.width {
                0 | 1 => Ok(0),
                _ => Err(Failure::input(self.name, format!("has no rows; choose a --column: {}", self.list()))),
            };
        };
        let numeric: Vec<usize> = (0..row.len()).filter(|&k| text_of(&row[k]).is_some_and(is_number)).collect();
        match numeric[..] {
            [column] => Ok(column),
            [] if self.width == 1 => Ok(0),
            [] => Err(Failure::input(self.name, "has no number in its first row of data; choose a --column")),
            _ => {
                let labels: Vec<String> = numeric.iter().take(30).map(|&k| self.label(k)).collect();
                let reason =
                    format!("has {} numeric columns: choose one with --column: {}", numeric.len(), labels.join(", "));
                Err(Failure::input(self.name, reason))
            }
        }
    }
}

fn label(names: &Option<Vec<String>>, column: usize) -> String {
    match names.as_ref().and_then(|names| names.get(column)).filter(|name| !name.is_empty()) {
        Some(name) => shown(name),
        None => (column + 1).to_string(),
    }
}

/// The rows of a file.
struct Rows<'a> {
    reader: csv::Reader<File>,
    name: &'a str,
    /// The number of the last row, counted from 1.
    row: u64,
    line: u64,
    bytes: u64,
    progress: &'a Progress,
}

impl<'a> Rows<'a> {
    fn open(path: &Path, name: &'a str, delimiter: u8, progress: &'a Progress) -> Result<Self> {
        let file = File::open(path).map_err(|e| Failure::input(name, words(&e)))?;
        Ok(Self::new(file, name, delimiter, progress))
    }

    fn new(file: File, name: &'a str, delimiter: u8, progress: &'a Progress) -> Self {
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).buffer_capacity(1 << 18);
        Self { reader: builder.from_reader(file), name, row: 0, line: 0, bytes: 0, progress }
    }

    /// Reads the next row; `false` after the last.
    fn next(&mut self, row: &mut ByteRecord) -> Result<bool> {
        let more = self.reader.read_byte_record(row).map_err(|e| match e.into_kind() {
            csv::ErrorKind::Io(e) => Failure::reading(self.name, &e),
            other => Failure::input(self.name, format!("row {}: {other:?}", self.row + 1)),
        })?;
        if !more {
            return Ok(false);
        }
        self.row += 1;
        let position = self.reader.position();
        // The parser skips blank lines. One before a row shows as a step of two lines that no line break within the
        // row explains.
        let lines = position.line() - std::mem::replace(&mut self.line, position.line());
        if lines > 1 && self.row > 1 {
            let within = row.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64;
            if lines > within + 1 {
                return Err(self.wrong("is blank: remove it".to_owned()));
            }
        }
        const STEP: u64 = 1 << 18;
        if position.byte() - self.bytes >= STEP {
            self.progress.step((position.byte() - self.bytes) as usize);
            self.bytes = position.byte();
        }
        Ok(true)
    }

    /// The last row is wrong.
    fn wrong(&self, reason: String) -> Failure {
        Failure::input(self.name, format!("row {}: {reason}", self.row))
    }
}
