//! Options of the input that most commands share: the values to read, and the format of their file.

use crate::count::parse_count;
use crate::missing::Missing;
#[cfg(feature = "parquet")]
use crate::names::Columnar;
use crate::text::{Encoding, TextForm};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use upsweep_dynamic::{Op, Type};

/// Which values are read.
#[derive(Args, Clone, Debug)]
pub(crate) struct Reading {
    /// A .npy, .csv or .tsv file, raw binary with --type, or `-` for standard input: numbers, a .npy, or a table with --format
    pub(super) file: PathBuf,
    /// The column of a table, by its name or its number from 1; a name that is such a number is put in back quotes: '`2`'
    /// [default: the only numeric one]
    #[arg(long, value_name = "NAME|N")]
    pub(super) column: Option<String>,
    /// The array of a .npz, by its name [default: the only one]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["format", "delimiter"])]
    pub(super) array: Option<String>,
    /// The element type: what raw input is, unless its name says it (.f32); what other input is turned into, if that changes no value
    /// (decimal fractions as text are rounded)
    /// [default: the file's own type; for text i64 if all values are integers, else f64]
    #[arg(long = "type", value_name = "T", value_parser = types())]
    pub(super) element: Option<Type>,
    /// Whether a table's first row names the columns; auto: it does when none of its cells is a number, or when some are
    /// years and one of them is asked for
    #[arg(long, value_enum, default_value_t = Header::Auto)]
    pub(super) header: Header,
    #[command(flatten)]
    pub(super) table: TableForm,
    #[command(flatten)]
    pub(super) missing: Missing,
    /// Whether these options are about this file: errors name them.
    #[arg(skip = true)]
    pub(super) options: bool,
}

impl Reading {
    /// Path of the input file.
    pub(crate) fn path(&self) -> &Path {
        &self.file
    }

    /// How the file comes as a text whose cells are separated by `delimiter`.
    pub(crate) fn text(&self, delimiter: u8) -> TextForm {
        self.table.text(delimiter)
    }

    /// Options for the file `path`, whose column and type no option sets.
    pub(crate) fn of(path: &Path, table: TableForm) -> Self {
        Self {
            file: path.to_owned(),
            column: None,
            array: None,
            element: None,
            header: Header::Auto,
            table,
            missing: Missing::default(),
            options: false,
        }
    }
}

/// Whether the first row of a table is data.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Header {
    Auto,
    Yes,
    No,
}

/// How a table comes, where its name does not say it.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct TableForm {
    /// FILE is a table in this format, whatever its name says, and standard input may be one: csv has commas, tsv tabs
    #[arg(long, visible_alias = "from", value_enum, value_name = "FORM")]
    format: Option<Format>,
    /// FILE is a table whose cells are separated by this character: one of ASCII, or tab
    #[arg(long, value_name = "C", value_parser = parse_delimiter)]
    delimiter: Option<u8>,
    /// The encoding of a text that is not UTF-8 and has no mark: latin1 is that of Western Europe, with the letters of Windows
    #[arg(long, value_enum, value_name = "E")]
    encoding: Option<Encoding>,
    /// Leave out so many lines at the beginning of a text
    #[arg(long, value_name = "N", value_parser = parse_count, default_value = "0", hide_default_value = true)]
    skip: usize,
    /// Leave out the lines of a text that begin with this character: one of ASCII, such as #
    #[arg(long, value_name = "C", value_parser = parse_comment)]
    comment: Option<u8>,
    /// Take the cells as empty that a row of a table has less than the first one
    #[arg(long)]
    ragged: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    Tsv,
    #[cfg(feature = "parquet")]
    Parquet,
    #[cfg(feature = "parquet")]
    Arrow,
}

impl TableForm {
    /// Delimiter of the table in a file, or `None` if it is no table. `by_name` is the delimiter that the file's name
    /// implies; the options of `self` come before it.
    pub(crate) fn delimiter(self, by_name: Option<u8>) -> Option<u8> {
        let named = match self.format {
            None => by_name,
            Some(Format::Csv) => Some(b','),
            Some(Format::Tsv) => Some(b'\t'),
            #[cfg(feature = "parquet")]
            Some(Format::Parquet | Format::Arrow) => return None,
        };
        self.delimiter.or(named)
    }

    /// Whether the options say that a file is a table.
    pub(crate) fn is_table(self) -> bool {
        self.format.is_some() || self.delimiter.is_some()
    }

    /// Format of columns that a file has: what the options say, else its name.
    #[cfg(feature = "parquet")]
    pub(crate) fn columnar(self, path: &Path) -> Option<Columnar> {
        match self.format {
            Some(Format::Parquet) => Some(Columnar::Parquet),
            Some(Format::Arrow) => Some(Columnar::Arrow),
            None if self.delimiter.is_none() => Columnar::of_name(path),
            _ => None,
        }
    }

    /// How a text comes whose cells are separated by `delimiter`.
    pub(crate) fn text(self, delimiter: u8) -> TextForm {
        let comment = self.comment.map(|comment| (comment, delimiter));
        TextForm { encoding: self.encoding, skip: self.skip, comment, ragged: self.ragged }
    }

    /// Option that was given and is about a table as text, in which cells are separated.
    #[cfg(feature = "parquet")]
    pub(crate) fn of_cells(self) -> Option<&'static str> {
        self.of_text().or(self.delimiter.map(|_| "--delimiter"))
    }

    /// Option that was given and is about a text.
    pub(crate) fn of_text(self) -> Option<&'static str> {
        let given = [
            ("--encoding", self.encoding.is_some()),
            ("--skip", self.skip > 0),
            ("--comment", self.comment.is_some()),
            ("--ragged", self.ragged),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if text == "tab" || text == "\\t" => Ok(b'\t'),
        &[c] if c.is_ascii() && !c.is_ascii_alphanumeric() && !b"\"\r\n.+-".contains(&c) => Ok(c),
        _ => Err("a delimiter is one character of ASCII that is in no number and no quote, or tab".to_owned()),
    }
}

fn parse_comment(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        &[c] if c.is_ascii_graphic() && !c.is_ascii_alphanumeric() && !b"\"+-.".contains(&c) => Ok(c),
        _ => Err("a comment begins with one character of ASCII that begins no number and no quote".to_owned()),
    }
}

/// Parser of an option's value by its name. All names appear in the usage and in errors.
fn named<T>(all: &'static [T], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    PossibleValuesParser::new(all.iter().map(|&value| name(value))).try_map(|name| name.parse::<T>())
}

pub(super) fn types() -> impl TypedValueParser<Value = Type> {
    named(Type::ALL, Type::name)
}

pub(super) fn operators() -> impl TypedValueParser<Value = Op> {
    named(Op::ALL, Op::name)
}
