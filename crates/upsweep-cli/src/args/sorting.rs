//! Options of `sort`, `top` and `median`.

use super::reading::{Header, Reading, TableForm, types};
use crate::count::parse_count;
use crate::device::{DeviceChoice, parse_device};
use clap::Args;
use std::path::PathBuf;
use upsweep_dynamic::Type;

#[derive(Args, Debug)]
pub(crate) struct SortArgs {
    /// A .npy, .csv or .tsv file, raw binary with --type, or `-` for standard input: numbers, a .npy, or a table with --format
    pub(crate) file: PathBuf,
    /// Sort the rows of a table by this column, by its name or its number from 1 (a name that is such a number is put in back quotes:
    /// '`2`'); then by the next one, with commas or given again; from the largest value to the least with a - before it: region,-amount
    /// [default: the only numeric one]
    #[arg(long = "column", value_name = "NAME|N,...", allow_hyphen_values = true)]
    pub(crate) columns: Vec<String>,
    /// From the largest value to the least; with several columns the other way round for each
    #[arg(long)]
    pub(crate) desc: bool,
    /// Order the rows of a table by the numbers of a column that has texts, too: rows without a number come last, as they stand
    #[arg(long)]
    pub(crate) numeric: bool,
    /// Write where the sorted values or rows were, counted from 0, instead
    #[arg(long)]
    pub(crate) argsort: bool,
    /// Sort along this axis of a .npy array, counted from 0 (-1 is the last) [default: all values, as one line]
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub(crate) axis: Option<i64>,
    /// The array of a .npz, by its name [default: the only one]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["format", "delimiter"])]
    pub(crate) array: Option<String>,
    /// The element type of an array, as `upsweep scan --help` says it
    #[arg(long = "type", value_name = "T", value_parser = types())]
    pub(crate) element: Option<Type>,
    /// Whether a table's first row names the columns; auto: it does when none of its cells is a number
    #[arg(long, value_enum, default_value_t = Header::Auto)]
    pub(crate) header: Header,
    #[command(flatten)]
    pub(crate) table: TableForm,
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// The format of rows of a Parquet or Arrow file, whatever the output's name says; to a pipe Arrow is a stream
    #[cfg(feature = "parquet")]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<crate::names::Columnar>,
    /// Write the result to FILE: rows to .csv or .tsv; values to .npy, .csv, .tsv, or raw; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct TopArgs {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// How many [default: 10, or all if there are fewer]
    #[arg(short, value_name = "K", value_parser = parse_count)]
    pub(crate) k: Option<usize>,
    /// The least values, instead of the largest
    #[arg(long)]
    pub(crate) least: bool,
    /// Write where the values are, counted from 0, alone
    #[arg(long)]
    pub(crate) indices: bool,
    /// Write whole rows of a table, in the order of the values
    #[arg(long, conflicts_with = "indices")]
    pub(crate) rows: bool,
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// Write values and places to FILE: .csv or .tsv; the values alone: .npy, or raw in .bin, .raw or the type; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct MedianArgs {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// Write the result to FILE: .npy, .csv, .tsv, or raw in .bin, .raw or .f64; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

pub(super) const SORT_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep sort sales.csv --column amount --desc
  upsweep sort sales.csv --column region,-amount -o sorted.csv
  upsweep sort image.npy --axis 0 -o sorted.npy
  upsweep sort scores.npy --argsort -o order.npy

A column is sorted as numbers where all its cells are such, else as texts, byte by byte, with a note if some are numbers; --numeric
puts the numbers in order and the rest last. Empty cells come last. Rows are written as they are read; where -o asks for other
delimiters, text with white space around it is quoted. Numbers are
compared as they are written: none is rounded. NaN come last, with --desc too; what is equal, as -0 and 0 are, keeps
its order. All rows are held in memory. A .npy or raw file that goes to another one need not be: where memory does not hold it
twice, the CPU sorts it in runs, which take as much room beside the result as that. Files are read as `upsweep scan --help` says.

",
    exit_codes!()
);

pub(super) const TOP_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep top sales.csv --column amount -k 3
  upsweep top sales.csv --column amount -k 3 --rows
  upsweep top scores.npy -k 100 --least --indices -o at.npy

A line has a value and its place, counted from 0, in tabs; the largest value first. Of equal values the first ones are taken. NaN
come last. Files are read as `upsweep scan --help` says.

",
    exit_codes!()
);

pub(super) const MEDIAN_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep median latencies.csv --column ms

Of an even number of values, half of the sum of the two in the middle, exactly; NaN where a value is NaN. As
`upsweep quantile --q 0.5`, whose help has more. Files are read as `upsweep scan --help` says.

",
    exit_codes!()
);
