//! Statistics of values and groups.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;
use std::str::FromStr;
use upsweep_dynamic::Op;

/// Statistic that `--op` names: a reduction, the count, or another, of all values or of each group of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Statistic {
    Of(Op),
    Mean,
    /// Standard deviation of a sample.
    Std,
    /// Variance of a sample.
    Var,
    Median,
    /// Quantile of this share, from 0 to 1.
    Quantile(f64),
    Count,
    /// Number of distinct values.
    Distinct,
    First,
    Last,
    /// Value that is there most often; of several the least.
    Mode,
}

impl Statistic {
    /// Whether the statistic compares values, and computes nothing with them: then they may be texts.
    pub(crate) fn compares(self) -> bool {
        matches!(self, Self::Of(Op::Min | Op::Max) | Self::First | Self::Last | Self::Mode) || self.counts()
    }

    /// Whether the statistic is a number of values, which is 0 where there are none.
    pub(crate) fn counts(self) -> bool {
        matches!(self, Self::Count | Self::Distinct)
    }

    pub(crate) fn name(self) -> String {
        let name = match self {
            Self::Quantile(share) => return format!("q{share}"),
            Self::Of(op) => op.name(),
            Self::Mean => "mean",
            Self::Std => "std",
            Self::Var => "var",
            Self::Median => "median",
            Self::Count => "count",
            Self::Distinct => "distinct",
            Self::First => "first",
            Self::Last => "last",
            Self::Mode => "mode",
        };
        name.to_owned()
    }
}

/// Parser of the name of a statistic.
#[derive(Clone)]
struct Statistics(PossibleValuesParser);

impl TypedValueParser for Statistics {
    type Value = Statistic;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Statistic, clap::Error> {
        let share = value.to_str().and_then(|name| name.strip_prefix('q')).and_then(|share| share.parse().ok());
        if let Some(share) = share.filter(|share| (0.0..=1.0).contains(share)) {
            return Ok(Statistic::Quantile(share));
        }
        self.0.clone().try_map(of_name).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

fn of_name(name: String) -> Result<Statistic, <Op as FromStr>::Err> {
    match name.as_str() {
        "mean" => Ok(Statistic::Mean),
        "std" => Ok(Statistic::Std),
        "var" => Ok(Statistic::Var),
        "median" => Ok(Statistic::Median),
        "count" => Ok(Statistic::Count),
        "distinct" => Ok(Statistic::Distinct),
        "first" => Ok(Statistic::First),
        "last" => Ok(Statistic::Last),
        "mode" => Ok(Statistic::Mode),
        name => name.parse().map(Statistic::Of),
    }
}

pub(super) fn statistics() -> impl TypedValueParser<Value = Statistic> {
    let names = ["mean", "std", "var", "median", "q0.9", "count", "distinct", "first", "last", "mode"];
    Statistics(PossibleValuesParser::new(Op::ALL.iter().map(|op| op.name()).chain(names)))
}
