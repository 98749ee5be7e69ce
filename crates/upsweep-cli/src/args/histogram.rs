//! Options of `histogram` and `quantile`.

use super::{Carries, Reading};
use crate::count::parse_count;
use crate::device::{DeviceChoice, parse_device};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct HistogramArgs {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// The number of bins, all of the same width
    #[arg(long, value_name = "N", value_parser = parse_count, default_value = "10")]
    pub(crate) bins: usize,
    /// Where the first bin begins and the last one ends, both included [default: the least and the largest value]
    #[arg(long, num_args = 2, value_names = ["LOW", "HIGH"], allow_hyphen_values = true)]
    pub(crate) range: Option<Vec<f64>>,
    /// The edges of the bins, instead of --bins and --range: a bin has its lower edge, the last one its upper edge, too
    #[arg(long, value_name = "E,E,...", value_delimiter = ',', allow_hyphen_values = true, conflicts_with_all = ["bins", "range"])]
    pub(crate) edges: Option<Vec<f64>>,
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// Write the bins to FILE: .csv or .tsv with low, high and count; the counts alone as .npy or raw (.u64); `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Draw the bins in FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) carries: Carries,
}

#[derive(Args, Debug)]
pub(crate) struct QuantileArgs {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// The shares, from 0 (the least value) to 1 (the largest)
    #[arg(
        long,
        value_name = "Q,Q,...",
        value_delimiter = ',',
        allow_hyphen_values = true,
        default_value = "0,0.25,0.5,0.75,1"
    )]
    pub(crate) q: Vec<f64>,
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// Write the results to FILE: .npy, .csv, .tsv, or raw in .bin, .raw or .f64; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

pub(super) const HISTOGRAM_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep histogram latencies.csv --column ms --bins 64
  upsweep histogram samples.npy --bins 256 --range -1 1 --svg samples.svg
  upsweep histogram image.u8 --bins 256 --range 0 256 -o counts.npy
  upsweep histogram rain.csv --column mm --edges 0,0.1,1,10,100

Bins are those of numpy.histogram, value by value. What lies outside of the range is in no bin, nor is NaN. A line has a bin's two
edges and its count, in tabs; on a terminal bars are drawn. Files are read as `upsweep scan --help` says. With --carry-out and
--carry-in the values of several calls are counted in the same bins: --range or --edges says which.

",
    exit_codes!()
);

pub(super) const QUANTILE_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep quantile latencies.csv --column ms --q 0.5,0.99
  upsweep quantile samples.npy --q 0.5

One result to a line. Of n values in order, that of a share Q is at the place Q * (n - 1), counted from 0, and between two values in
linear interpolation, as in numpy.quantile; but exact, and rounded once. So it is never outside of the two, never less for a larger
share, and NaN only where a value is NaN (then all results are) or between -inf and inf. Integers of 64 bits lose nothing in
text: from 2^52 on all their digits are printed. In .npy or raw files results are the nearest f64, and a note says if one
is rounded.
Files are read as `upsweep scan --help` says.

",
    exit_codes!()
);
