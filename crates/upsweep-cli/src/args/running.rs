//! What a scan computes.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use upsweep_dynamic::Op;

/// What `--op` of a scan names: an operator, or what is computed of the last few values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Running {
    Of(Op),
    /// Mean of a window.
    Mean,
    /// Value before.
    Lag,
    /// Difference from the value before.
    Diff,
}

impl Running {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Of(op) => op.name(),
            Self::Mean => "mean",
            Self::Lag => "lag",
            Self::Diff => "diff",
        }
    }
}

pub(super) fn running() -> impl TypedValueParser<Value = Running> {
    let names = Op::ALL.iter().map(|op| op.name()).chain(["mean", "lag", "diff"]);
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "mean" => Ok(Running::Mean),
        "lag" => Ok(Running::Lag),
        "diff" => Ok(Running::Diff),
        name => name.parse().map(Running::Of),
    })
}
