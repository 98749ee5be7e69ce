//! Tests of claims.

use crate::algorithm::{Element, Input, Outcome, Setup};
use crate::algorithms::by_name;
use crate::machine::{Array, Banks, Block, Counts, Machine, Run, Step};
use crate::operator::Operator;

/// Claim of a lecture or paper that is not tested yet, with the function that tests it.
pub(super) struct Open {
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    pub(super) statement: &'static str,
    pub(super) remark: &'static str,
    pub(super) measure: fn() -> Result<Measured, String>,
}

/// Result of a test: the claimed and the found numbers, in words, and whether they agree.
pub(super) struct Measured {
    pub(super) claimed: String,
    pub(super) found: String,
    pub(super) holds: bool,
}

impl Measured {
    pub(super) fn new(claimed: impl ToString, found: impl ToString, holds: bool) -> Self {
        Self { claimed: claimed.to_string(), found: found.to_string(), holds }
    }

    /// Compares claimed numbers with those found, which should be equal.
    pub(super) fn same<T: PartialEq + ToString>(claimed: &[T], found: &[T]) -> Self {
        Self::new(list(claimed), list(found), claimed == found)
    }
}

/// Formats numbers with blanks between them.
pub(super) fn list<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Runs an algorithm on elements that are numbers.
pub(super) fn outcome<T: Element>(
    name: &str,
    operator: Operator<T>,
    values: &[T],
    banks: Banks,
) -> Result<Outcome<T>, String> {
    let algorithm = by_name(name).ok_or_else(|| format!("there is no algorithm {name}"))?;
    let input = Input { values, heads: &vec![false; values.len()] };
    let setup = Setup { operator, shape: banks.into(), records: false };
    algorithm.run(setup, &input).map_err(|error| error.to_string())
}

/// Runs an algorithm on `n` ones.
pub(super) fn run(name: &str, n: usize, banks: Banks) -> Result<Run, String> {
    Ok(outcome(name, Operator::<i64>::sum(), &vec![1; n], banks)?.run)
}

/// Returns the counts of those steps of a run that have one of these labels.
pub(super) fn counts(run: &Run, labels: &[&str]) -> Vec<Counts> {
    let of_label = |step: &&Step| labels.contains(&step.label);
    run.steps.iter().filter(of_label).map(|step| step.counts).collect()
}

/// Counts the operations of an algorithm, for each of these numbers of elements.
pub(super) fn operations(name: &str, lengths: &[u64]) -> Result<Vec<u64>, String> {
    lengths.iter().map(|&n| Ok(run(name, n as usize, Banks::ThirtyTwo)?.total().operations)).collect()
}

/// Compares an algorithm's operations, for each of these numbers of elements, with a formula.
pub(super) fn formula(name: &str, lengths: &[u64], formula: fn(u64) -> u64) -> Result<Measured, String> {
    let claimed: Vec<_> = lengths.iter().map(|&n| formula(n)).collect();
    Ok(Measured::same(&claimed, &operations(name, lengths)?))
}

/// Counts the steps of a run of `n` elements that combine: those with the labels "add", "up" and "down".
pub(super) fn steps(name: &str, n: u64) -> Result<u64, String> {
    let run = run(name, n as usize, Banks::ThirtyTwo)?;
    Ok(counts(&run, &["add", "up", "down"]).len() as u64)
}

/// Logarithm log₂ of a power of two.
pub(super) fn log(n: u64) -> u64 {
    u64::from(n.ilog2())
}

/// Runs a block of threads on `values` in shared memory: word i is in bank i % 16, as nothing lies before them.
pub(super) fn block(
    values: &[i64],
    threads: usize,
    mut body: impl FnMut(&mut Block<'_, i64>, Array),
) -> Result<(Vec<i64>, Run), String> {
    let n = values.len();
    let mut machine = Machine::new(Operator::<i64>::sum(), Banks::Sixteen);
    let (x, y) = (machine.array("x", values), machine.empty("y", n));
    machine.launch("printed", 1, threads, |block| {
        let s = block.shared("s", n);
        let copy = |block: &mut Block<'_, i64>, label, from, to| {
            block.step(label, |t| (t.index..n).step_by(threads).for_each(|index| t.copy(from, index, to, index)));
        };
        copy(block, "load", x, s);
        block.barrier();
        body(block, s);
        block.barrier();
        copy(block, "store", s, y);
    });
    let results = machine.read(y);
    Ok((results, machine.finish().map_err(|fault| fault.to_string())?))
}
