//! Statistics of values and groups.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use upsweep_dynamic::Op;

/// Statistic that `--op` names: a reduction, the count, or another, of all values or of each group of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statistic {
    Of(Op),
    Mean,
    /// Standard deviation of a sample.
    Std,
    /// Variance of a sample.
    Var,
    Median,
    Count,
    First,
    Last,
    /// Value that is there most often; of several the least.
    Mode,
}

impl Statistic {
    /// Whether the statistic compares values, and computes nothing with them: then they may be texts.
    pub(crate) fn compares(self) -> bool {
        matches!(self, Self::Of(Op::Min | Op::Max) | Self::Count | Self::First | Self::Last | Self::Mode)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Of(op) => op.name(),
            Self::Mean => "mean",
            Self::Std => "std",
            Self::Var => "var",
            Self::Median => "median",
            Self::Count => "count",
            Self::First => "first",
            Self::Last => "last",
            Self::Mode => "mode",
        }
    }
}

pub(super) fn statistics() -> impl TypedValueParser<Value = Statistic> {
    let names =
        Op::ALL.iter().map(|op| op.name()).chain(["mean", "std", "var", "median", "count", "first", "last", "mode"]);
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "mean" => Ok(Statistic::Mean),
        "std" => Ok(Statistic::Std),
        "var" => Ok(Statistic::Var),
        "median" => Ok(Statistic::Median),
        "count" => Ok(Statistic::Count),
        "first" => Ok(Statistic::First),
        "last" => Ok(Statistic::Last),
        "mode" => Ok(Statistic::Mode),
        name => name.parse().map(Statistic::Of),
    })
}

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
