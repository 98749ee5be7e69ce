//! Options of `signal filter` and `signal smooth`.

use super::carries::Carries;
use super::reading::Reading;
use crate::count::parse_count;
use crate::device::{DeviceChoice, parse_device};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand, Debug)]
pub(crate) enum Signal {
    /// The values of FILE through a linear filter, given by its coefficients
    #[command(after_help = FILTER_EXAMPLES)]
    Filter(FilterArgs),
    /// The exponential average of the values of FILE
    #[command(after_help = SMOOTH_EXAMPLES)]
    Smooth(SmoothArgs),
}

/// What is a signal, and where it goes.
#[derive(Args, Debug)]
pub(crate) struct Of {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Work along this axis of a .npy array, counted from 0 (-1 is the last): each line is a signal of its own
    /// [default: all values in row-major order; of a .wav each channel]
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub(crate) axis: Option<i64>,
    /// Where to compute: auto (the CPU; for a sort and other long work a CUDA GPU, if one answers), cpu, cuda or cuda:N
    #[arg(long, default_value = "auto", value_parser = parse_device, value_name = "DEVICE")]
    pub(crate) device: DeviceChoice,
    /// Write the result to FILE: .npy, .csv, .tsv, raw in .bin, .raw or the type (.f64), or of a .wav also .wav; `-` is standard
    /// output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) carries: Carries,
}

#[derive(Args, Debug)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(crate) of: Of,
    /// The coefficients of values, those of scipy.signal.lfilter
    #[arg(
        long,
        value_name = "B,B,...",
        value_delimiter = ',',
        allow_hyphen_values = true,
        required_unless_present = "sos"
    )]
    pub(crate) b: Vec<f64>,
    /// The coefficients of results
    #[arg(long, value_name = "A,A,...", value_delimiter = ',', allow_hyphen_values = true, default_value = "1")]
    pub(crate) a: Vec<f64>,
    /// A cascade of sections of order 2, instead of --b and --a: a file with `b0 b1 b2 a0 a1 a2` in each row (.npy, .csv or .tsv
    /// without names)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["b", "a"])]
    pub(crate) sos: Option<PathBuf>,
    /// Forward and then backward, so that nothing is delayed: scipy.signal.filtfilt, or with --sos sosfiltfilt
    #[arg(long, conflicts_with_all = ["carry_in", "carry_out"])]
    pub(crate) both_ways: bool,
    /// With --both-ways, what stands before the first value and after the last one
    #[arg(long, value_enum, default_value_t = Pad::Odd, requires = "both_ways")]
    pub(crate) pad: Pad,
    /// With --both-ways, how many of these there are at each end [default: three times as many as coefficients]
    #[arg(long, value_name = "N", value_parser = parse_count, requires = "both_ways")]
    pub(crate) pad_length: Option<usize>,
}

/// What `scipy.signal.filtfilt` calls padtype.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pad {
    Odd,
    Even,
    Constant,
    None,
}

#[derive(Args, Debug)]
pub(crate) struct SmoothArgs {
    #[command(flatten)]
    pub(crate) of: Of,
    /// How many values older a value is that weighs half as much
    #[arg(
        long,
        value_name = "N",
        allow_hyphen_values = true,
        required_unless_present = "span",
        conflicts_with = "span"
    )]
    pub(crate) half_life: Option<f64>,
    /// About how many values are averaged: as old in the mean as those of a moving average of this length
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) span: Option<f64>,
}

const FILTER_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep signal filter samples.npy --b 0.1 --a 1,-0.9 -o slow.npy
  upsweep signal filter speech.wav --sos lowpass.csv --both-ways -o muffled.wav
  upsweep signal filter weather.csv --column temp_max --b 0.5,0.5
  upsweep signal filter samples.npy --b 0.1 --a 1,-0.9 --carry-out state -o slow.npy

Each result is a[0] y[i] = b[0] x[i] + b[1] x[i-1] + ... - a[1] y[i-1] - ...; what lies before the first value is 0. There are up to
17 coefficients, and 8 sections. Designing a filter is another program's work: scipy.signal.butter(..., output=\"sos\") and
numpy.savetxt(\"lowpass.csv\", sos, delimiter=\",\") give a file for --sos.

A .npy or raw file is read, filtered and written at the same time, in bounded memory, unless it is filtered --both-ways, along an
axis or on a GPU. All is computed in f64. Results are f32 of f16 and f32, and else f64. Of a table the result is one more column, COLUMN_filter. Of a
.wav values are from -1 to 1; as .wav they are rounded to its form, and those that are louder are cut. Other files are read and
written as `upsweep scan --help` says.

",
    exit_codes!()
);

const SMOOTH_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep signal smooth weather.csv --column temp_max --half-life 14
  upsweep signal smooth prices.npy --axis 1 --span 20 -o averages.npy

The first result is the first value; each other one is y[i] = y[i-1] + w (x[i] - y[i-1]), where w is 1 - 2^(-1 / half-life) or
2 / (span + 1): pandas' ewm(..., adjust=False).mean(). A NaN makes all later results NaN. Files are read and written as
`upsweep signal filter --help` says.

",
    exit_codes!()
);
