//! Options of the applications: text, trees, graphs, polynomials.

use super::{Header, Reading, TableForm, parse_device};
use crate::device::DeviceChoice;
use crate::text::Encoding;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Where to compute.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct On {
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Text {
    /// Cut FILE into tokens: one line each with start, end and kind, in tabs
    Lex(Lex),
    /// The lines of files that match a regular expression; exit code 1 if there are none
    Grep(Grep),
    /// Where two files first differ, and which comes first; exit code 1 if they differ
    Compare(Compare),
}

#[derive(Args, Debug)]
pub(crate) struct Lex {
    /// The text, or `-` for standard input
    pub(crate) file: PathBuf,
    /// The rules: arithmetic, csv, json or rust
    #[arg(long, value_name = "NAME", required_unless_present = "rules")]
    pub(crate) grammar: Option<String>,
    /// The rules in a file: a line `NAME = REGEX` each, `#` begins a comment
    #[arg(long, value_name = "FILE", conflicts_with = "grammar")]
    pub(crate) rules: Option<PathBuf>,
    /// How many tokens of each kind there are, instead of the tokens
    #[arg(long)]
    pub(crate) count: bool,
    /// The text itself in the colours of its tokens, for a terminal, instead of the tokens
    #[arg(long, conflicts_with = "count")]
    pub(crate) color: bool,
    /// The same as a page in FILE, which says of each token what it is
    #[arg(long, value_name = "FILE", conflicts_with_all = ["count", "color"])]
    pub(crate) html: Option<PathBuf>,
    /// The encoding of a text that is not UTF-8 and has no mark: latin1 is that of Western Europe, with the letters of Windows
    #[arg(long, value_enum, value_name = "E")]
    pub(crate) encoding: Option<Encoding>,
    #[command(flatten)]
    pub(crate) on: On,
}

#[derive(Args, Debug)]
pub(crate) struct Grep {
    /// The regular expression, of bytes: Unicode is off, ^ and $ are the begin and end of a line
    pub(crate) pattern: String,
    /// The texts, or `-` for standard input; of several, lines begin with the name of their file
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// How many lines match, instead of the lines
    #[arg(long, short)]
    pub(crate) count: bool,
    /// The letters of ASCII match in any case
    #[arg(long, short)]
    pub(crate) ignore_case: bool,
    /// The lines that do not match
    #[arg(long, short = 'v')]
    pub(crate) invert_match: bool,
    /// The parts of lines that match, a line each, instead of the lines
    #[arg(long, short, conflicts_with_all = ["count", "invert_match"])]
    pub(crate) only_matching: bool,
    /// A carriage return before the end of a line is a part of that, and not of the line
    #[arg(long)]
    pub(crate) crlf: bool,
    /// The number of each line before it, from 1
    #[arg(long, short = 'n', conflicts_with = "count")]
    pub(crate) line_number: bool,
    /// The encoding of a text that is not UTF-8 and has no mark: latin1 is that of Western Europe, with the letters of Windows
    #[arg(long, value_enum, value_name = "E")]
    pub(crate) encoding: Option<Encoding>,
    #[command(flatten)]
    pub(crate) on: On,
}

#[derive(Args, Debug)]
pub(crate) struct Compare {
    /// Two .npy arrays of one shape or two tables of one column are compared value by value, other files byte by byte
    pub(crate) a: PathBuf,
    /// The other file
    pub(crate) b: PathBuf,
    /// Values whose difference is at most this, a number from 0 on, are equal
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    #[command(flatten)]
    pub(crate) on: On,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Tree {
    /// How many edges lie between each vertex and its root
    Depth(TreeArgs),
    /// How many vertices each subtree has
    Size(TreeArgs),
    /// The sum of the values in each subtree
    Sum(TreeArgs),
}

#[derive(Args, Debug)]
pub(crate) struct TreeArgs {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// FILE has lines `PATH,VALUE`, as `find . -printf '%p,%s\n'` writes them, instead of the parent of each vertex (a root's is
    /// -1 or itself); the largest results are printed with their paths
    #[arg(long)]
    pub(crate) path: bool,
    /// The value of each vertex, for `sum`
    #[arg(long, value_name = "FILE", conflicts_with = "path")]
    pub(crate) values: Option<PathBuf>,
    /// How many paths are printed
    #[arg(long, value_name = "N", default_value_t = 20, requires = "path")]
    pub(crate) top: usize,
    /// Draw the tree in FILE: each vertex as wide as its sum, under its parent (needs --path)
    #[arg(long, value_name = "FILE", requires = "path")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) on: On,
    /// Write the results to FILE: .npy, .csv, .tsv or raw; `-` is standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "path")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Graph {
    /// The rows of a graph or matrix: where each begins, its columns, and its values
    Csr(Csr),
    /// A matrix times a vector
    Spmv(Spmv),
    /// The vertices of a graph by how often a random walk comes by
    Pagerank(Pagerank),
}

/// A graph or matrix, and how it comes.
#[derive(Args, Debug)]
pub(crate) struct OfGraph {
    /// A Matrix Market file (.mtx), or a table: from where and to where each edge goes in columns 1 and 2, and its weight in column 3,
    /// if there is one
    pub(crate) file: PathBuf,
    /// Each edge and entry counts as 1: leave out the values of a .mtx, and column 3 of a table
    #[arg(long)]
    pub(crate) unweighted: bool,
    /// Whether a table's first row names the columns; auto: it does when none of its cells is a number, unless it has an end of another
    /// edge
    #[arg(long, value_enum, default_value_t = Header::Auto)]
    pub(crate) header: Header,
    #[command(flatten)]
    pub(crate) table: TableForm,
}

#[derive(Args, Debug)]
pub(crate) struct Csr {
    #[command(flatten)]
    pub(crate) of: OfGraph,
    /// The ends of a table's edges are names, not numbers from 0 on: write them to FILE, sorted; the first is vertex 0
    #[arg(long, value_name = "FILE")]
    pub(crate) names: Option<PathBuf>,
    /// Write where each row begins, and where the last one ends, to FILE (.npy, .csv, ..)
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub(crate) offsets: PathBuf,
    /// Write the columns to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) columns: Option<PathBuf>,
    /// Write the values to FILE: whole numbers as i64 or u64, fractions as f64; what comes to one place is added
    #[arg(long, value_name = "FILE")]
    pub(crate) values: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) on: On,
}

#[derive(Args, Debug)]
pub(crate) struct Spmv {
    #[command(flatten)]
    pub(crate) of: OfGraph,
    /// The vector: a value for each column of the matrix; where both are whole numbers, so is the result
    pub(crate) vector: PathBuf,
    /// The ends of a table's edges are names, not numbers from 0 on: write them to FILE, sorted, as the vector has them
    #[arg(long, value_name = "FILE")]
    pub(crate) names: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) on: On,
    /// Write the result to FILE: .npy, .csv, .tsv or raw; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Pagerank {
    #[command(flatten)]
    pub(crate) of: OfGraph,
    /// How likely the walk goes on along an edge
    #[arg(long, value_name = "P", default_value_t = 0.85)]
    pub(crate) damping: f64,
    /// How many vertices are printed
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) on: On,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Poly {
    /// The values of a polynomial at points; FILE has its coefficients, the constant one first
    Eval(Eval),
    /// The polynomial through points: its values at others, or its coefficients in Newton's form
    Fit(Fit),
}

#[derive(Args, Debug)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// The points
    #[arg(long, value_name = "X,X,...", value_delimiter = ',', allow_hyphen_values = true, required = true)]
    pub(crate) at: Vec<f64>,
    /// Compute with twice the digits
    #[arg(long)]
    pub(crate) compensated: bool,
    #[command(flatten)]
    pub(crate) on: On,
}

#[derive(Args, Debug)]
pub(crate) struct Fit {
    /// A table with the points in column 1 and the values in column 2
    pub(crate) file: PathBuf,
    /// Where to evaluate the polynomial [default: print its coefficients]
    #[arg(long, value_name = "X,X,...", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) at: Vec<f64>,
    #[command(flatten)]
    pub(crate) on: On,
}

pub(super) const TEXT_EXAMPLES: &str = "\
lex and grep skip the mark of UTF-8 (BOM) before a text, and places count it. A text with the mark of UTF-16 is turned into UTF-8, and
places are in that. compare has marks as any bytes.

Examples:
  upsweep text lex src/main.rs --grammar rust --count
  upsweep text grep '[A-Z][a-z]+ [0-9]{2,4}(st|nd|th)?' big.txt
  upsweep text compare before.npy after.npy --tolerance 1e-6";

pub(super) const TREE_EXAMPLES: &str = "\
Examples:
  find . -printf '%p,%s\\n' | upsweep tree sum - --path --svg folders.svg
  upsweep tree depth parents.npy -o depths.npy
  upsweep tree sum parents.npy --values bytes.npy";

pub(super) const GRAPH_EXAMPLES: &str = "\
Examples:
  upsweep graph csr matrix.mtx --offsets offsets.npy --columns columns.npy
  upsweep graph spmv matrix.mtx x.npy -o y.npy
  upsweep graph pagerank links.csv --top 10

The ends of edges in a table are any names for pagerank, and numbers from 0 on for csr and spmv, or names with --names. A vertex is what
an edge names; those of a .mtx are as many as it has rows, and numbered from 1.";

pub(super) const POLY_EXAMPLES: &str = "\
Examples:
  echo 2 3 1 | upsweep poly eval - --at 0,0.5,2
  upsweep poly fit points.csv --at 0.25,0.75";
