//! Options of `sample`.

use super::reading::Reading;
use crate::count::parse_count;
use crate::device::{DeviceChoice, parse_device};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// How many indices are drawn, with replacement
    #[arg(short = 'n', long, value_name = "N", value_parser = parse_count, default_value = "1")]
    pub(crate) count: usize,
    /// Number from 0 on that the draws follow from: the same seed gives the same draws
    #[arg(long, value_name = "S", allow_hyphen_values = true, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Draw by points at equal distances: each index comes as often as its share of the draws, rounded down or up, and they ascend
    #[arg(long)]
    pub(crate) systematic: bool,
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// Write the indices to FILE: .npy, .csv, .tsv, or raw in .bin, .raw or .u64; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

pub(super) const SAMPLE_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep sample rain.csv --column mm                                a row, by how much it rained
  upsweep sample counts.npy -n 1000 --seed 7 -o drawn.npy
  upsweep sample counts.npy -n 1000 --systematic -o drawn.npy        resamples the particles of a filter
  echo 1 0 3 | upsweep sample - -n 8 --systematic                    0 0 2 2 2 2 2 2

Weights are finite numbers from 0 on, and need not add up to 1. Index i, counted from 0, is drawn with the probability of its weight
divided by the sum of all; 0 is never drawn. An array counts in row-major order. The draws of a seed stay the same from run to run;
the first ones do, too, where more are asked for (without --systematic). Files are read as `upsweep scan --help` says.

",
    exit_codes!()
);
