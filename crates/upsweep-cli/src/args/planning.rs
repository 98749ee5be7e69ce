//! Options of `explain` and `bench`.

use super::reading::{operators, types};
use crate::count::parse_count;
use crate::device::{DeviceChoice, parse_device};
use clap::{Args, ValueEnum};
use upsweep_dynamic::{Op, Type};

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// What to explain
    #[arg(value_enum)]
    pub(crate) what: Explained,
    /// The number of elements: 1000000, 1_000_000, 1e6 or 2^20
    #[arg(long, value_name = "N", value_parser = parse_count, required_unless_present = "shape")]
    pub(crate) n: Option<usize>,
    /// The lengths of a row-major array's axes, instead of --n
    #[arg(long, value_name = "N,N,...", value_parser = parse_count, value_delimiter = ',', conflicts_with = "n")]
    pub(crate) shape: Option<Vec<usize>>,
    /// The axis to work along, counted from 0 (-1 is the last) [default: all values in row-major order]
    #[arg(long, value_name = "K", allow_hyphen_values = true, conflicts_with_all = ["by_key", "segments"])]
    pub(crate) axis: Option<i64>,
    /// As with a key for each element
    #[arg(long, conflicts_with = "segments")]
    pub(crate) by_key: bool,
    /// As with segments, by offsets or by a flag for each element
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) segments: Option<How>,
    /// The element type
    #[arg(long = "type", value_name = "T", value_parser = types(), default_value_t = Type::F32)]
    pub(crate) element: Type,
    /// The operator of a scan or a reduction [default: sum]
    #[arg(long, value_parser = operators())]
    pub(crate) op: Option<Op>,
    /// The type of values beside the keys of a sort or a merge
    #[arg(long, value_name = "T", value_parser = types())]
    pub(crate) values: Option<Type>,
    /// How many values of a top [default: 10]
    #[arg(short, value_parser = parse_count)]
    pub(crate) k: Option<usize>,
    /// The bins of a histogram [default: 256]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub(crate) bins: Option<usize>,
    /// The order of a filter [default: 2]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub(crate) order: Option<usize>,
    /// Where it would run: auto, cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
}

#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// What to measure
    #[arg(value_enum, default_value_t = What::Scan)]
    pub(crate) what: What,
    /// The largest number of elements: 1000000, 1_000_000, 1e6 or 2^20; the smallest is 2^10
    #[arg(long, value_name = "N", value_parser = parse_count, default_value = "2^26")]
    pub(crate) n: usize,
    /// The element type
    #[arg(long = "type", value_name = "T", value_parser = types(), default_value_t = Type::F32)]
    pub(crate) element: Type,
    /// The operator
    #[arg(long, value_parser = operators(), default_value_t = Op::Sum)]
    pub(crate) op: Op,
    /// Where to compute: auto, cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
}

/// How segments are given.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Offsets,
    Flags,
}

/// What `explain` knows.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Explained {
    Scan,
    Reduce,
    /// Scans along both axes of images
    Integral,
    Select,
    Partition,
    Sort,
    Merge,
    Top,
    Histogram,
    Expand,
    /// A linear recurrence
    Filter,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Scan,
    Reduce,
}

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  upsweep explain scan --n 1e9
  upsweep explain reduce --n 2^30 --type u8 --op max --device cpu
  upsweep explain scan --shape 4096,4096 --axis 0
  upsweep explain reduce --n 1e8 --segments offsets
  upsweep explain sort --n 1e8 --type u32 --values u64";

pub(super) const BENCH_EXAMPLES: &str = "\
Examples:
  upsweep bench
  upsweep bench reduce --type u8 --op max --n 2^30 --device cuda

Each time is that of one call on data in memory, or on a GPU on data in the GPU's memory; no file is read. A scan reads
and writes every element, as the copy does; a reduction only reads, so it may be faster.";
