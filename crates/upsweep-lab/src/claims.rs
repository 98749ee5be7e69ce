//! What lectures and papers say about these algorithms, beside what the model counts.

mod banks;
mod divergence;
mod errata;
mod machine;
mod measure;
mod plays;
mod tables;
mod trees;
mod work;

use measure::{Measured, Open};
pub use plays::{Play, play};

/// What a source says, and what is so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// A name to find it by.
    pub name: &'static str,
    /// Who says it, and where.
    pub source: &'static str,
    /// What is said.
    pub statement: &'static str,
    /// It in numbers.
    pub claimed: String,
    /// What was counted.
    pub found: String,
    /// Whether the two agree.
    pub holds: bool,
    /// What there is to say about it.
    pub remark: &'static str,
}

/// Puts all claims to the test: every number that is found was counted in this call, on the model. A claim whose run fails
/// does not hold, and what was found is the failure.
#[must_use]
pub fn claims() -> Vec<Claim> {
    let open = [
        work::CLAIMS,
        trees::CLAIMS,
        errata::CLAIMS,
        divergence::CLAIMS,
        banks::CLAIMS,
        tables::CLAIMS,
        machine::CLAIMS,
    ];
    open.into_iter().flatten().map(settle).collect()
}

fn settle(open: &Open) -> Claim {
    let &Open { name, source, statement, remark, measure } = open;
    let failed = |error| Measured::new("", error, false);
    let Measured { claimed, found, holds } = measure().unwrap_or_else(failed);
    Claim { name, source, statement, claimed, found, holds, remark }
}
