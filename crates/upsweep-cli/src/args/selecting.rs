//! Options of `select`, `unique`, `runs` and `expand`.

use super::Carries;
use super::reading::{Header, Reading, TableForm, types};
use crate::device::{DeviceChoice, parse_device};
use clap::Args;
use std::path::PathBuf;
use upsweep_dynamic::Type;

#[derive(Args, Debug)]
pub(crate) struct SelectArgs {
    /// A .npy, .csv or .tsv file, raw binary with --type, or `-` for standard input: numbers, a .npy, or a table with --format
    pub(crate) file: PathBuf,
    /// The condition, over the columns of a table, or over x: 'price > 10 and region == "N"'
    #[arg(
        long = "where",
        value_name = "CONDITION",
        allow_hyphen_values = true,
        required_unless_present_any = ["set", "keep"]
    )]
    pub(crate) condition: Option<String>,
    /// Compute a column of a table, in place of the one of this name or as a new one: 'total = amount * price'; may be given again
    #[arg(long, value_name = "NAME = VALUE", allow_hyphen_values = true, conflicts_with = "indices")]
    pub(crate) set: Vec<String>,
    /// Write these columns of a table, in this order
    #[arg(long, value_name = "NAME|N,...", conflicts_with = "indices")]
    pub(crate) keep: Option<String>,
    /// Write where the values or rows are, counted from 0, instead
    #[arg(long)]
    pub(crate) indices: bool,
    /// The array of a .npz, by its name [default: the only one]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["format", "delimiter"])]
    pub(crate) array: Option<String>,
    /// Texts for which `is null` holds, as it does for an empty cell: NA,N/A,\N
    #[arg(long, value_name = "TEXT,...", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) na: Vec<String>,
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
    #[command(flatten)]
    pub(crate) carries: Carries,
}

#[derive(Args, Debug)]
pub(crate) struct UniqueArgs {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Write how often each value occurs to FILE: .npy, .csv, .tsv, or raw in .bin, .raw or .u64; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) counts: Option<PathBuf>,
    /// Write which of the values each element is, counted from 0, to FILE: .npy, .csv, .tsv, or raw in .bin, .raw or .u64; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) inverse: Option<PathBuf>,
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// Write the values to FILE: .npy, .csv, .tsv, or raw in .bin, .raw or the type; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct RunsArgs {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Write how long the runs are to FILE, instead of beside the values: .npy, .csv, .tsv, or raw in .bin, .raw or .u64; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) lengths: Option<PathBuf>,
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// Write the runs to FILE: .csv or .tsv; with --lengths the values, also to .npy or raw; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) carries: Carries,
}

#[derive(Args, Debug)]
pub(crate) struct ExpandArgs {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Write the place of each result among those of its count, from 0 on, instead of the index of the count
    #[arg(long, conflicts_with = "values")]
    pub(crate) ranks: bool,
    /// A file with a value for each count: the values are written instead
    #[arg(long, value_name = "FILE")]
    pub(crate) values: Option<PathBuf>,
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// Write the result to FILE: .npy, .csv, .tsv, or raw in .bin, .raw or the type; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

pub(super) const SELECT_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep select sales.csv --where 'price > 10 and region == \"N\"'
  upsweep select samples.npy --where 'abs(x) > 3' --indices
  seq 1 100 | upsweep select - --where 'x % 7 == 0'
  upsweep select rain.csv --where 'month in (1, 2) and wind is not null'
  upsweep select sales.csv --set 'total = amount * price' --keep region,total
  upsweep select log.tsv.gz --where 'status != 200 or not cached'

Conditions:
  columns     by name (price), by a name in back quotes (`unit price`, `2`), by number ($2 is always the second); of an array there is x
  values      numbers (10, 2.5, 1e-3), texts in quotes of either kind (a quote in a text is written twice), true, false
  operators   the strongest first: a sign; * / %; + -; == != < <= > >= and tests; not; and; or. Brackets; abs(value)
  tests       a in (1, 2), a between 1 and 9 (both included), t contains \"x\", t matches \"regex\" (somewhere in the text; (?i) for
              any case), a is null (an empty cell or one of --na, of an array NaN); with not before the word: t not in (\"x\")
  A column is what it is compared with: a number, a text, or a condition (true, false, 1, 0). Of two columns numbers are
  compared. A cell that is none is an error. Integers are exact in 128 bits; / and all with a fraction are f64; % has the sign
  of what divides, as in NumPy. No integer is rounded to be compared. NaN differs from everything. Texts are compared byte by
  byte, with the white space around them, and need not be UTF-8.

Columns:
  --set 'name = value' has the values of conditions, of any kind, over the columns as they are read; a column alone is as it is written,
  so that --set 'new = old' --keep new renames it. Numbers with a point are printed as f64. A cell that is missing where a number is
  computed is an error: --where 'price is not null' leaves it out.

Rows are written as they are read, with the row of names, quotes and white space too; where -o asks for other delimiters, text with
white space around it is quoted. A row that is wrong ends the output, and no file is written then. Files are read as `upsweep scan --help` says.
What comes by standard input is answered as it comes (tail -f). With --carry-out and --carry-in the --indices of several calls go on.

",
    exit_codes!()
);

pub(super) const UNIQUE_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep unique sales.csv --column year
  upsweep unique sales.csv --column region,year
  upsweep unique ids.npy --counts counts.npy -o distinct.npy
  upsweep unique ids.npy --inverse places.npy -o distinct.npy      ids is distinct[places]

NaN is one value, the last; -0 and 0 are one, with the sign of the first. A column that has a text is one of texts, in the order of
their bytes; --counts and --inverse are of these, too. Of several columns (--column a,b) the distinct rows of values are written, in
tabs. Files are read as `upsweep scan --help` says.

",
    exit_codes!()
);

pub(super) const RUNS_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep runs log.csv --column level
  upsweep runs mask.npy --lengths lengths.npy -o values.npy

A line has a run's value, a number or a text, or those of several columns (--column a,b), and its length, in tabs. NaN differs from itself.
With --carry-out the last run is kept for the call that follows, which begins with it by --carry-in. Files are read as `upsweep scan --help` says.

",
    exit_codes!()
);

pub(super) const EXPAND_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep expand counts.npy -o owners.npy               2 0 3 becomes 0 0 2 2 2
  upsweep expand counts.npy --ranks -o ranks.npy        2 0 3 becomes 0 1 0 1 2
  upsweep expand lengths.npy --values values.npy        undoes `upsweep runs`

Files are read as `upsweep scan --help` says.

",
    exit_codes!()
);
