//! Options of the laboratory's commands.

use crate::count::parse_count;
use crate::device::{DeviceChoice, parse_device};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use upsweep_lab::algorithm::Algorithm;
use upsweep_lab::algorithms;
use upsweep_lab::machine::{Banks, Order, Shape};

#[derive(Subcommand, Debug)]
pub(crate) enum Lab {
    /// The algorithms: name, what each computes, the most elements it takes, title
    List,
    /// A run of an algorithm, step by step
    Show(ShowArgs),
    /// What lectures and papers say of the algorithms, beside what the model counts
    Claims,
    /// What algorithms cost, over the number of elements
    Count(CountArgs),
    /// The algorithms' CUDA kernels on a GPU, beside a copy and the library's own scan
    Race(RaceArgs),
    /// A folder of pages: every algorithm, step by step, and an overview
    Page(PageArgs),
    /// The same, with chapters that ask, answer and compare, exercises, and a calculator
    Book(PageArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// An algorithm; `upsweep lab list` names them
    #[arg(value_parser = parse_algorithm)]
    pub(crate) algorithm: &'static Algorithm,
    /// The number of elements
    #[arg(long, value_name = "N", value_parser = parse_count, default_value = "16", conflicts_with = "values")]
    pub(crate) n: usize,
    /// The elements [default: small random ones]
    #[arg(long, value_name = "V,V,...", allow_hyphen_values = true)]
    pub(crate) values: Option<String>,
    /// The elements at which segments begin, for segmented scans [default: random ones]
    #[arg(long, value_name = "I,I,...", value_delimiter = ',')]
    pub(crate) heads: Option<Vec<usize>>,
    /// The operator; affine is the composition of functions like 2x+3, which does not commute, and makes a scan of the loop
    /// y = m y + c; ranges shows which elements every word combines, as x8..11
    #[arg(long, value_enum, default_value_t = Op::Sum)]
    pub(crate) op: Op,
    #[command(flatten)]
    pub(crate) machine: Machine,
    /// What the random elements, and the segments of segmented scans, depend on
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Draw the run to FILE, instead of the text (`-`: to standard output)
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Make a page on which the run plays, instead of the text (`-`: to standard output)
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Let another algorithm play in step on the page, with the same elements
    #[arg(long, value_name = "ALGORITHM", value_parser = parse_algorithm, requires = "html", conflicts_with = "svg")]
    pub(crate) beside: Option<&'static Algorithm>,
}

#[derive(Args, Debug)]
pub(crate) struct CountArgs {
    /// Algorithms; `upsweep lab list` names them
    #[arg(value_parser = parse_algorithm, required = true, value_name = "ALGORITHM")]
    pub(crate) algorithms: Vec<&'static Algorithm>,
    /// The numbers of elements: the powers of two of a range, or one number
    #[arg(long, value_name = "A..B", value_parser = parse_range, default_value = "16..1024")]
    pub(crate) n: Lengths,
    #[command(flatten)]
    pub(crate) machine: Machine,
    /// Write the table to FILE (`-`: to standard output, instead of the aligned one)
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Draw work, depth and cycles over the number of elements to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct RaceArgs {
    /// Algorithms; `upsweep lab list` names them [default: all]
    #[arg(value_parser = parse_algorithm, value_name = "ALGORITHM")]
    pub(crate) algorithms: Vec<&'static Algorithm>,
    /// The numbers of elements: the powers of two of a range, or one number
    #[arg(long, value_name = "A..B", value_parser = parse_range, default_value = "2^10..2^28")]
    pub(crate) n: Lengths,
    /// The GPU: auto, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// Write the times to FILE (`-`: to standard output, instead of the table)
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Draw the speeds, as shares of a copy's, over the number of elements to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct PageArgs {
    /// The folder, which is made if it is not there; only pages that upsweep made are replaced
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// The banks of shared memory: 2, 4, 8, 16 or 32 [default: what shows most]
    #[arg(long, value_name = "B", value_parser = parse_banks)]
    pub(crate) banks: Option<Banks>,
    /// What the random elements depend on
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// The machine model.
#[derive(Args, Debug)]
pub(crate) struct Machine {
    /// The banks of shared memory: 16 as in 2007, 32 as since 2010, or 2, 4 or 8, to see more of them
    #[arg(long, value_name = "B", value_parser = parse_banks, default_value = "32")]
    pub(crate) banks: Banks,
    /// Threads of a warp: 32 as on every GPU, or 2, 4, 8 or 16; a block has at most the square of it
    #[arg(long, value_name = "W", value_parser = parse_count, default_value = "32")]
    pub(crate) warp: usize,
    /// Elements of a block, for algorithms of many blocks: a power of two [default: as many as on a GPU]
    #[arg(long, value_name = "T", value_parser = parse_count)]
    pub(crate) tile: Option<usize>,
    /// Let blocks that run at the same time go on in an order that depends on this number
    #[arg(long, value_name = "S")]
    pub(crate) order: Option<u64>,
}

impl Machine {
    /// Sizes of the machine model that the options describe, and the order of its blocks.
    pub(crate) fn shape(&self) -> Shape {
        let order = self.order.map_or(Order::Phases, Order::Chance);
        Shape { warp: self.warp, banks: self.banks, tile: self.tile, order }
    }
}

/// The operators of the laboratory.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Sum,
    Max,
    Affine,
    Ranges,
}

/// Numbers of elements of the runs: one number, or the powers of two in a range.
#[derive(Clone, Debug)]
pub(crate) struct Lengths(pub(crate) Vec<usize>);

fn parse_algorithm(text: &str) -> Result<&'static Algorithm, String> {
    let near = || {
        let likeness = |algorithm: &&Algorithm| strsim::jaro_winkler(text, algorithm.name);
        let near = algorithms::ALGORITHMS.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let near = near.filter(|algorithm| likeness(algorithm) > 0.7);
        let hint = near.map_or_else(String::new, |algorithm| format!("did you mean `{}`? ", algorithm.name));
        format!("no such algorithm; {hint}`upsweep lab list` names them all")
    };
    algorithms::by_name(text).ok_or_else(near)
}

fn parse_banks(text: &str) -> Result<Banks, String> {
    text.parse().ok().and_then(Banks::of).ok_or_else(|| "there are 2, 4, 8, 16 or 32 banks".to_owned())
}

fn parse_range(text: &str) -> Result<Lengths, String> {
    let Some((low, high)) = text.split_once("..") else {
        return parse_count(text).map(|n| Lengths(vec![n]));
    };
    if low.is_empty() || high.is_empty() {
        return Err("a range looks like 16..1024".to_owned());
    }
    let (low, high) = (parse_count(low)?, parse_count(high)?);
    if low > high {
        return Err(format!("the range ends before it begins: {high}..{low}?"));
    }
    if low == 0 {
        return Err("a run has one element or more".to_owned());
    }
    let powers: Vec<usize> = (0..usize::BITS).map(|log| 1 << log).filter(|n| (low..=high).contains(n)).collect();
    match powers.is_empty() {
        true => Err("there is no power of two in this range".to_owned()),
        false => Ok(Lengths(powers)),
    }
}
