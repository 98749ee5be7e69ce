//! A run that was recorded, with what it was made of, as text.

use crate::algorithm::{Algorithm, Computes, Element, Error, Input, Setup};
use crate::machine::{Banks, Fault, Run};
use crate::operator::Operator;

/// A recorded run and its circumstances: what every picture is made of.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The operator's name.
    pub operator: &'static str,
    /// The operator's identity.
    pub identity: String,
    /// The banks of shared memory.
    pub banks: Banks,
    /// The elements.
    pub input: Vec<String>,
    /// Where segments begin; looked at by segmented scans only.
    pub heads: Vec<bool>,
    /// What was found.
    pub results: Vec<String>,
    /// What should be found.
    pub expected: Vec<String>,
    /// The steps; up to that of the fault, if there is one.
    pub run: Run,
    /// What the model finds wrong.
    pub fault: Option<Fault>,
}

impl Recording {
    /// Runs the algorithm and keeps everything, also where the model finds a fault.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Heads`] for an input that the algorithm does not take.
    pub fn of<T: Element>(
        algorithm: &'static Algorithm,
        operator: Operator<T>,
        banks: Banks,
        input: &Input<'_, T>,
    ) -> Result<Self, Error> {
        let (results, run, fault) = algorithm.run_to_fault(Setup { operator, banks, records: true }, input)?;
        let text = |values: &[T]| values.iter().map(ToString::to_string).collect();
        Ok(Self {
            algorithm,
            operator: operator.name,
            identity: operator.identity.to_string(),
            banks,
            input: text(input.values),
            heads: input.heads.to_vec(),
            results: text(&results),
            expected: text(&algorithm.computes.oracle(&operator, input)),
            run,
            fault,
        })
    }

    /// A value as it is shown: an identity that is long to write is called `id`.
    #[must_use]
    pub fn shown<'a>(&self, value: &'a str) -> &'a str {
        if value.len() > 8 && value == self.identity { "id" } else { value }
    }

    /// What was run, in a line.
    #[must_use]
    pub fn summary(&self) -> String {
        let (n, banks) = (self.input.len(), self.banks.number());
        let elements = if n == 1 { "element" } else { "elements" };
        format!("{} of {n} {elements}, operator {}, {banks} banks", self.algorithm.computes.name(), self.operator)
    }

    /// Whether the results are what they should be; [`None`] after a fault.
    #[must_use]
    pub fn is_right(&self) -> Option<bool> {
        self.fault.is_none().then(|| self.results == self.expected)
    }

    /// The elements at which a segment begins, where that matters.
    #[must_use]
    pub fn segments(&self) -> Option<Vec<usize>> {
        let heads = || (0..self.heads.len()).filter(|&index| index == 0 || self.heads[index]).collect();
        (self.algorithm.computes == Computes::SegmentedScan).then(heads)
    }
}
