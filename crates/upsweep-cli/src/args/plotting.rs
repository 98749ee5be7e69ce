//! Options of `upsweep plot`.

use super::Reading;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct PlotArgs {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Where the values of a table stand along the picture: the numbers in this column, or its texts, one beside the other
    /// [default: the rows, from 0]
    #[arg(long, value_name = "NAME|N")]
    pub(crate) x: Option<String>,
    /// A line, or bars, for each value of this column
    #[arg(long, value_name = "NAME|N")]
    pub(crate) by: Option<String>,
    /// How the values are drawn [default: heat for images, terrain and arrays of two axes, else line]
    #[arg(long = "as", value_enum, value_name = "KIND")]
    pub(crate) kind: Option<Kind>,
    /// Draw in FILE: .svg or .png [default: characters on standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// How values are drawn.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// From value to value
    Line,
    /// Each value up to the next one
    Steps,
    /// Each value as high as it is, from 0
    Bars,
    /// Rows and columns of an array, dark where values are large
    Heat,
}

pub(crate) const PLOT_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep plot rain.csv --column wind
  upsweep scan rain.csv --column precipitation | upsweep plot - --format csv --column precipitation_sum -o total.svg
  upsweep plot rain.csv --column wind --by month -o wind.png
  upsweep histogram samples.npy --bins 64 -o bins.csv; upsweep plot bins.csv --x low --column count --as bars
  upsweep quantile samples.npy --q 0,0.1,0.5,0.9,1 | upsweep plot - --as steps -o quantiles.svg
  upsweep terrain viewshed dem.asc --from 120,80 --height 1.7 -o seen.npy; upsweep plot seen.npy -o seen.png

Several columns (--column a,b) have a line each, and so have the channels of a .wav, whose values stand at their seconds. With --as
the columns of an array of two axes have, too. Up to 12 lines are drawn. Bars stand on rows and texts, or reach from their --x to the
next one. What has more points than the picture is wide is drawn by the first, the least, the largest and the last of each column
of pixels; a .npy or raw file is read for that once, in chunks. A heat map has the means of what falls on a pixel. What is no finite
number is not drawn, and leaves a gap.

Files are read as `upsweep scan --help` says; and .wav, .png and .pgm of one channel, and .asc grids.

",
    exit_codes!()
);
