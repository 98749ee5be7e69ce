//! What lectures and papers say about these algorithms, beside what the model counts.

mod banks;
mod divergence;
mod machine;
mod work;

use crate::algorithm::{Element, Input, Outcome, Setup};
use crate::algorithms::by_name;
use crate::machine::{Banks, Counts, Run, Step};
use crate::operator::Operator;

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

/// A claim that was not put to the test yet.
struct Open {
    name: &'static str,
    source: &'static str,
    statement: &'static str,
    remark: &'static str,
    measure: fn() -> Result<Measured, String>,
}

/// What was claimed and found, in words, and whether they agree.
struct Measured {
    claimed: String,
    found: String,
    holds: bool,
}

impl Measured {
    fn new(claimed: impl ToString, found: impl ToString, holds: bool) -> Self {
        Self { claimed: claimed.to_string(), found: found.to_string(), holds }
    }

    /// Numbers that should be the same.
    fn same<T: PartialEq + ToString>(claimed: &[T], found: &[T]) -> Self {
        Self::new(list(claimed), list(found), claimed == found)
    }
}

/// Numbers in a row.
fn list<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Puts all claims to the test: every number that is found was counted in this call, on the model. A claim whose run fails
/// does not hold, and what was found is the failure.
#[must_use]
pub fn claims() -> Vec<Claim> {
    let open = [work::CLAIMS, divergence::CLAIMS, banks::CLAIMS, machine::CLAIMS];
    open.into_iter().flatten().map(settle).collect()
}

fn settle(open: &Open) -> Claim {
    let &Open { name, source, statement, remark, measure } = open;
    let failed = |error| Measured::new("", error, false);
    let Measured { claimed, found, holds } = measure().unwrap_or_else(failed);
    Claim { name, source, statement, claimed, found, holds, remark }
}

/// Runs an algorithm on elements that are numbers.
fn outcome<T: Element>(name: &str, operator: Operator<T>, values: &[T], banks: Banks) -> Result<Outcome<T>, String> {
    let algorithm = by_name(name).ok_or_else(|| format!("there is no algorithm {name}"))?;
    let input = Input { values, heads: &vec![false; values.len()] };
    let setup = Setup { operator, banks, records: false };
    algorithm.run(setup, &input).map_err(|error| error.to_string())
}

/// What an algorithm does to `n` ones.
fn run(name: &str, n: usize, banks: Banks) -> Result<Run, String> {
    Ok(outcome(name, Operator::<i64>::sum(), &vec![1; n], banks)?.run)
}

/// The counts of a run's steps of these names.
fn counts(run: &Run, labels: &[&str]) -> Vec<Counts> {
    let of_label = |step: &&Step| labels.contains(&step.label);
    run.steps.iter().filter(of_label).map(|step| step.counts).collect()
}

/// How often an algorithm combines, for each number of elements.
fn operations(name: &str, lengths: &[u64]) -> Result<Vec<u64>, String> {
    lengths.iter().map(|&n| Ok(run(name, n as usize, Banks::ThirtyTwo)?.total().operations)).collect()
}

/// log₂ of a power of two.
fn log(n: u64) -> u64 {
    u64::from(n.ilog2())
}
