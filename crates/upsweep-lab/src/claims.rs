//! Claims of lectures and papers about these algorithms, tested against the model's counts.

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

/// Claim of a lecture or paper, and the result of its test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Name of the claim.
    pub name: &'static str,
    /// Author of the source, and the place in it.
    pub source: &'static str,
    /// Statement of the source.
    pub statement: &'static str,
    /// Numbers that the source claims, as text.
    pub claimed: String,
    /// Numbers that were counted, as text.
    pub found: String,
    /// Whether the claimed numbers agree with the counted ones.
    pub holds: bool,
    /// Remark on the result.
    pub remark: &'static str,
}

/// Tests all claims: every number that is found was counted in this call, on the model. A claim whose run fails does
/// not hold, and `found` is the failure.
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
