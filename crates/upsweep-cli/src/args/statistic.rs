//! What is computed of groups.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use upsweep_dynamic::Op;

/// What is computed of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statistic {
    Of(Op),
    Mean,
    Count,
}

impl Statistic {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Of(op) => op.name(),
            Self::Mean => "mean",
            Self::Count => "count",
        }
    }
}

pub(super) fn statistics() -> impl TypedValueParser<Value = Statistic> {
    let names = Op::ALL.iter().map(|op| op.name()).chain(["mean", "count"]);
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "mean" => Ok(Statistic::Mean),
        "count" => Ok(Statistic::Count),
        name => name.parse().map(Statistic::Of),
    })
}

pub(super) const QUANTILE_EXAMPLES: &str = concat!(
    "\
Examples:
  upsweep quantile latencies.csv --column ms --q 0.5,0.99
  upsweep quantile samples.npy --q 0.5

One result to a line, those of numpy.quantile: exact, in linear interpolation between neighbours. NaN among the values makes
every result NaN. Files are read as `upsweep scan --help` says.

",
    exit_codes!()
);
