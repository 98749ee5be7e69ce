//! Command line: options, and their help texts.

use crate::count::parse_count;
use crate::device::{DeviceChoice, parse_device};
use crate::missing::Missing;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use upsweep_dynamic::Type;

/// Scan (prefix sums) and reduce big arrays in files, on the CPU or on an NVIDIA GPU.
#[derive(Parser, Debug)]
#[command(name = "upsweep", version, after_help = MAIN_EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Running totals, products, minima, ... of all the values of FILE
    #[command(after_help = SCAN_EXAMPLES, after_long_help = SCAN_LONG)]
    Scan(ScanArgs),
    /// One total, product, minimum, ... of the values of FILE (or one for each line or segment)
    #[command(after_help = REDUCE_EXAMPLES, after_long_help = REDUCE_LONG)]
    Reduce(ReduceArgs),
    /// How many values of FILE lie in each of some bins: as numbers, as bars on a terminal, as a picture
    #[command(after_help = histogram::HISTOGRAM_EXAMPLES)]
    Histogram(HistogramArgs),
    /// The values below which given shares of the values of FILE lie: the median, the 99th percentile, ...
    #[command(after_help = histogram::QUANTILE_EXAMPLES)]
    Quantile(QuantileArgs),
    /// The values of FILE, or the rows of a table, of which a condition holds
    #[command(after_help = selecting::SELECT_EXAMPLES)]
    Select(SelectArgs),
    /// The values of FILE in ascending order, or the rows of a table by some of its columns
    #[command(after_help = sorting::SORT_EXAMPLES)]
    Sort(SortArgs),
    /// The largest values of FILE, or the least
    #[command(after_help = sorting::TOP_EXAMPLES)]
    Top(TopArgs),
    /// The value in the middle of all values of FILE
    #[command(after_help = sorting::MEDIAN_EXAMPLES)]
    Median(MedianArgs),
    /// The distinct values of FILE, ascending
    #[command(after_help = selecting::UNIQUE_EXAMPLES)]
    Unique(UniqueArgs),
    /// The runs of equal neighbours in FILE: the value of each, and how long it is
    #[command(after_help = selecting::RUNS_EXAMPLES)]
    Runs(RunsArgs),
    /// As many results for each value of FILE as it says: its index, or a value from another file
    #[command(after_help = selecting::EXPAND_EXAMPLES)]
    Expand(ExpandArgs),
    /// Indices of the values of FILE, drawn at random, each as often as its value says: the values are weights
    #[command(after_help = sampling::SAMPLE_EXAMPLES)]
    Sample(SampleArgs),
    /// Text: tokens, lines that match, the first difference
    #[command(subcommand, after_help = apps::TEXT_EXAMPLES, arg_required_else_help = true)]
    Text(apps::Text),
    /// Trees: depths, sizes and sums of subtrees; folders by size
    #[command(subcommand, after_help = apps::TREE_EXAMPLES, arg_required_else_help = true)]
    Tree(apps::Tree),
    /// Graphs and sparse matrices: rows, products with vectors, page ranks
    #[command(subcommand, after_help = apps::GRAPH_EXAMPLES, arg_required_else_help = true)]
    Graph(apps::Graph),
    /// Polynomials: their values, and those through points
    #[command(subcommand, after_help = apps::POLY_EXAMPLES, arg_required_else_help = true)]
    Poly(apps::Poly),
    /// Signals: filters and exponential averages of .npy, tables, .wav
    #[command(subcommand, arg_required_else_help = true)]
    Signal(Signal),
    /// Images: sums over areas, blurs, black and white, mipmaps, of .png and .npy
    #[command(subcommand, after_help = pictures::IMAGE_EXAMPLES, arg_required_else_help = true)]
    Image(pictures::Image),
    /// Terrain: what is seen from where, hill shade, of .asc and .npy
    #[command(subcommand, after_help = pictures::TERRAIN_EXAMPLES, arg_required_else_help = true)]
    Terrain(pictures::Terrain),
    /// A picture of the values of FILE: lines, steps, bars, a heat map; as .svg, .png or characters
    #[command(after_help = plotting::PLOT_EXAMPLES)]
    Plot(PlotArgs),
    /// The devices that can compute
    Devices,
    /// What a scan or reduction of a size will do, without doing it
    #[command(after_help = planning::EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// The classic algorithms on a machine model that counts: their steps as text, pictures and pages that play
    #[command(subcommand, after_help = LAB_EXAMPLES, arg_required_else_help = true)]
    Lab(crate::lab::args::Lab),
    /// How fast scans and reductions are on this machine, beside a copy of the same elements
    #[command(after_help = planning::BENCH_EXAMPLES)]
    Bench(BenchArgs),
    /// The completions of a shell, for a file that it reads
    #[command(after_help = manual::COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),
    /// The manual page of a command, as roff
    #[command(after_help = manual::MAN_EXAMPLES)]
    Man(ManArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ScanArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    /// The operator; `and`, `or` and `xor` are bit by bit, for integers and bool; mean is of a --window; lag is the value before, diff
    /// the difference from it
    #[arg(long, value_parser = running(), default_value = "sum")]
    pub(crate) op: Running,
    /// The sum, mean, min or max of the last N values, in place of all; there is no result where there are fewer
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub(crate) window: Option<usize>,
    /// Leave each value out of its own result: the results begin with --init, or the operator's identity
    #[arg(long)]
    pub(crate) exclusive: bool,
    /// Scan from the last value to the first
    #[arg(long, conflicts_with_all = ["carry_in", "carry_out"])]
    pub(crate) reverse: bool,
    /// The format of rows of a Parquet or Arrow file, whatever the output's name says; to a pipe Arrow is a stream
    #[cfg(feature = "parquet")]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<crate::names::Columnar>,
    #[command(flatten)]
    pub(crate) carries: Carries,
}

#[derive(Args, Debug)]
pub(crate) struct ReduceArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    /// The operator; `and`, `or` and `xor` are bit by bit, for integers and bool; `count` counts values, or rows of a table; mean; median; q0.9 is the quantile of that share; distinct counts distinct values; first; last; mode; std and var are of a sample; several with commas
    #[arg(long, value_parser = statistics(), value_delimiter = ',', default_value = "sum")]
    pub(crate) op: Vec<Statistic>,
    /// One line of results for each value of this column, or of several with commas, wherever its rows are
    #[arg(long, value_name = "NAME|N,...", conflicts_with_all = ["by_key", "segments", "axis", "init", "carry_in", "carry_out"])]
    pub(crate) group_by: Option<String>,
    #[command(flatten)]
    pub(crate) carries: Carries,
}

/// What scan and reduce share.
#[derive(Args, Debug)]
pub(crate) struct Common {
    /// A .npy, .csv or .tsv file, raw binary with --type, or `-` for standard input: numbers, a .npy, or a table with --format
    pub(crate) file: PathBuf,
    /// More files, whose values come after those of FILE; arrays of several axes are put together along the first one
    #[arg(value_name = "MORE")]
    pub(crate) more: Vec<PathBuf>,
    /// Begin with this value
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    pub(crate) init: Option<String>,
    /// Work along this axis of a .npy array, counted from 0 (-1 is the last) [default: all values in row-major order]
    #[arg(long, value_name = "K", allow_hyphen_values = true, conflicts_with_all = ["by_key", "segments"])]
    pub(crate) axis: Option<i64>,
    /// The column of a table, by its name or its number from 1; a name that is such a number is put in back quotes: '`2`';
    /// `reduce` takes several with commas [default: the only numeric one]
    #[arg(long, value_name = "NAME|N")]
    pub(crate) column: Option<String>,
    /// The array of a .npz, by its name [default: the only one]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["format", "delimiter"])]
    pub(crate) array: Option<String>,
    /// Begin anew wherever the value in this column, or in one of several with commas, changes from one row to the next
    #[arg(long, value_name = "NAME|N,...", conflicts_with_all = ["segments", "carry_in", "carry_out"])]
    pub(crate) by_key: Option<String>,
    /// Begin anew where this file says: offsets (integers in a .npy, raw in .u64, or as text), or a flag for each value
    /// (bool in a .npy, raw in .bool, or true/false as text)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["carry_in", "carry_out"])]
    pub(crate) segments: Option<PathBuf>,
    /// The element type: what raw input is, unless its name says it (.f32); what other input is turned into, if that changes no value
    /// (decimal fractions as text are rounded)
    /// [default: the file's own type; for text i64 if all values are integers, else f64]
    #[arg(long = "type", value_name = "T", value_parser = types())]
    pub(crate) element: Option<Type>,
    #[command(flatten)]
    pub(crate) sums: Summing,
    /// What the command computes with whatever the input has: it is turned into that
    #[arg(skip)]
    pub(crate) target: Option<Type>,
    /// Whether the options above are about this file: errors name them.
    #[arg(skip = true)]
    pub(crate) options: bool,
    /// Whether a table's first row names the columns; auto: it does when none of its cells is a number, or when some are
    /// years and one of them is asked for
    #[arg(long, value_enum, default_value_t = Header::Auto)]
    pub(crate) header: Header,
    #[command(flatten)]
    pub(crate) table: TableForm,
    #[command(flatten)]
    pub(crate) missing: Missing,
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// Write the result to FILE: .npy, .csv, .tsv, or raw in .bin, .raw or the type (.f64); `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl Common {
    /// Common options of a command that only reads an input.
    pub(crate) fn of(reading: &Reading, device: DeviceChoice) -> Self {
        Self {
            file: reading.file.clone(),
            more: Vec::new(),
            init: None,
            axis: None,
            column: reading.column.clone(),
            array: reading.array.clone(),
            by_key: None,
            segments: None,
            element: reading.element,
            sums: Summing::default(),
            target: None,
            options: reading.options,
            header: reading.header,
            table: reading.table,
            missing: reading.missing.clone(),
            device,
            output: None,
        }
    }
}

macro_rules! exit_codes {
    () => {
        "\
Exit codes: 0 done, 1 the run failed (device, memory, disk), 2 bad input or usage; 130, 143 or 129 in a shell: ended by
an interrupt (INT), TERM or HUP, and no output is left."
    };
}

pub(crate) mod apps;
mod carries;
mod files;
mod histogram;
mod manual;
pub(crate) mod pictures;
mod planning;
mod plotting;
mod reading;
mod running;
mod sampling;
mod selecting;
mod signal;
mod sorting;
mod statistic;
mod summing;

pub(crate) use carries::Carries;
pub(crate) use histogram::{HistogramArgs, QuantileArgs};
pub(crate) use manual::{CompletionsArgs, ManArgs};
pub(crate) use planning::{BenchArgs, ExplainArgs, Explained, How, What};
pub(crate) use plotting::{Kind, PlotArgs};
use reading::types;
pub(crate) use reading::{Header, Reading, TableForm};
pub(crate) use running::Running;
use running::running;
pub(crate) use sampling::SampleArgs;
pub(crate) use selecting::{ExpandArgs, RunsArgs, SelectArgs, UniqueArgs};
pub(crate) use signal::{FilterArgs, Of, Pad, Signal, SmoothArgs};
pub(crate) use sorting::{MedianArgs, SortArgs, TopArgs};
pub(crate) use statistic::Statistic;
use statistic::statistics;
pub(crate) use summing::Summing;

const MAIN_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep scan rain.csv --column precipitation      the running total of a column
  upsweep reduce samples.npy --op max               the largest value
  seq 1 10 | upsweep scan -                         1 3 6 10 ...
  upsweep devices                                   where it can compute

",
    exit_codes!()
);

macro_rules! scan_examples {
    () => {
        "\
Examples:
  upsweep scan rain.csv --column precipitation
  upsweep scan rain.csv --column 2 --by-key month -o totals.csv
  upsweep scan rain.csv --column precipitation --op mean --window 7
  upsweep scan image.npy --axis 1 --op max -o skyline.npy
  upsweep scan counts.u32 --exclusive -o offsets.u64
  seq 1 20 | upsweep scan - --op product | tail -1"
    };
}

const SCAN_EXAMPLES: &str = concat!(
    scan_examples!(),
    "

`upsweep scan --help` says how files are read and written."
);

const SCAN_LONG: &str = concat!(
    scan_examples!(),
    "

Sums and products of integers are computed in 64 bits, as in NumPy: they are i64 for signed integers and for bool, which is
counted, and u64 for unsigned ones, or what --sum-type or the output's ending (.u32) says. One that does not fit is an error,
unless --wrap asks for sums modulo 2^64 (of u8, modulo 2^8, and so on). Others have the values' own type, and so have sums of
floats. A NaN makes every later result NaN, also for min and max.

Input:
  .npy        bool, i8 to i64, u8 to u64, f16, f32 or f64 of either byte order, in C or Fortran order, up to 64 axes
  .npz        an archive of .npy, stored or deflated: --array names the one, unless there is only one
  .csv .tsv   one column; the first row names the columns if none of its cells is a number (see --header);
              every row has as many cells as the first, or fewer with --ragged. --missing says what becomes of empty cells of the column, and of
              those that --na names: skip leaves their rows out (a scan's rows stay, without a result), zero and propagate
              take them as 0 and NaN, and by default they are an error. A cell that begins with a
              quote is quoted, in .tsv too: a quote in it is written twice. White space around a text is a part of it
  other       raw little-endian binary, of the type that the name ends in (.f32) or of --type; endings of other formats
              (.txt, .xz, .json, ...) are refused
  .gz .zst    any of these, compressed (.csv.gz): the first bytes tell, whatever the name says, also on standard input
  -           numbers separated by white space, or a .npy, on standard input; with --format a table. What comes is answered as
              it comes (tail -f) where results go to standard output, and is integers up to the first fraction, floats from there on
  A text is UTF-8, or at least has its digits and commas, or has the mark of UTF-16 (BOM); --encoding says another one, and results
  are UTF-8. The mark of UTF-8 is skipped. Rows are counted without the lines that --skip and --comment leave out.

Output:
  The result has the input's shape. A scan of a table writes the whole table with the result as one more
  column, COLUMN_OP (COLUMN_OP_2 where that name is taken). Rows are written as they are read; where -o asks for other
  delimiters, text with white space around it is quoted. A row that is wrong, or a sum that does not fit, ends a stream behind the
  rows before it. With -o the file's ending decides: .npy, .csv, .tsv, or
  raw in .bin, .raw or the type (.f64); with .gz or .zst behind it (.csv.gz) it is compressed. The file appears whole or not at all; only one that the system does not let be
  replaced (a mounted file, a folder that takes no new files) is overwritten in place. A stream (-o -, /dev/stdout,
  /dev/fd/3) takes what standard output would. Without -o the result goes to standard output in the input's own format; a terminal shows its first
  and last values and a summary instead.

Windows:
  --window N has the sum, mean, min or max of a value and the N - 1 before it; --op lag the value before, --op diff the difference
  from it, of integers as i64. With --by-key windows begin anew. Values without as many before them have no result: their cells are empty,
  and a .npy or raw file leaves them out. Means are f64, exact for integers.

Long files, several, and parts of a series:
  Several files (part-*.npy) are one array, in the order in which they are named; arrays of several axes along the first one.
  On the CPU a .npy or raw file is scanned to another in chunks, in some MB of memory a thread, along an axis and in reverse, too.
  --carry-out writes a small file with what --carry-in of the next part's scan needs: the results have the bits of one scan of all parts.

",
    exit_codes!()
);

macro_rules! reduce_examples {
    () => {
        "\
Examples:
  upsweep reduce rain.csv --column precipitation
  upsweep reduce rain.csv --column wind --by-key month --op max
  upsweep reduce rain.csv --column wind --group-by month --op mean,count,max
  upsweep reduce rain.csv --column precipitation,wind --op mean,std
  upsweep reduce image.npy --axis 0
  upsweep reduce part-*.npy --op max
  upsweep reduce bytes.npy --sum-type f64"
    };
}

const REDUCE_EXAMPLES: &str = concat!(
    reduce_examples!(),
    "

`upsweep reduce --help` says how files are read and written."
);

const REDUCE_LONG: &str = concat!(
    reduce_examples!(),
    "

The result is printed plainly: one value to a line; the rows of an array as lines; with --by-key, each key and its
value. With -o the file's ending decides: .npy, .csv, .tsv, or raw in .bin, .raw or the type (.f64).

--group-by COLUMN has a line for each value of the column, in the order of `upsweep sort`, with a result for each operator in tabs;
of several columns (--group-by a,b) for each row of values that there is;
-o writes a .csv or .tsv with names. Of several columns (--column a,b) the results of each follow each other. Means, quantiles, variances
and standard deviations are f64; the last two are of a sample, by n - 1. To count rows no column is needed. Cells of the column of
groups are compared as they are written; an empty one is a value too. A group without values, as they are missing, has empty results.
first, last, mode, distinct, min and max of several results are of texts, too. Without --group-by there is one line, of all values.

Files are read, and integers are summed, as `upsweep scan --help` says: in 64 bits, and a sum that does not fit is an error.
Nothing at all reduces to --init, or else to the operator's identity. A .npy or raw file is reduced in chunks on the CPU. With
--carry-out and --carry-in the values of several calls have one total; --init is given with the last.

",
    exit_codes!()
);

const LAB_EXAMPLES: &str = "\
Examples:
  upsweep lab list
  upsweep lab show blelloch --values 3,1,7,0,4,1,6,3
  upsweep lab show kogge-stone --op affine --html kogge-stone.html
  upsweep lab count kogge-stone blelloch --n 16..1024 --svg counts.svg
  upsweep lab claims
  upsweep lab race --n 2^10..2^28 --svg race.svg
  upsweep lab page --out lab";
