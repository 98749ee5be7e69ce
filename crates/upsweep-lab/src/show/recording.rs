//! Recorded run with its circumstances, as text.

use crate::algorithm::{Algorithm, Computes, Element, Error, Input, Setup};
use crate::machine::{Fault, Order, Run, Shape, WARP};
use crate::operator::Operator;

/// Recorded run and its circumstances: the source of every picture.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Algorithm that was run.
    pub algorithm: &'static Algorithm,
    /// Name of the operator.
    pub operator: &'static str,
    /// Identity of the operator.
    pub identity: String,
    /// Machine on which it was run.
    pub shape: Shape,
    /// Elements of the input.
    pub input: Vec<String>,
    /// Head flags of the segments; read by segmented scans only.
    pub heads: Vec<bool>,
    /// Results of the run.
    pub results: Vec<String>,
    /// Results by a plain loop.
    pub expected: Vec<String>,
    /// Steps of the run; if there is a fault, its step is the last one.
    pub run: Run,
    /// Fault that the model found.
    pub fault: Option<Fault>,
}

impl Recording {
    /// Runs the algorithm and records everything, also if the model finds a fault.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Heads`] for an input that the algorithm does not take.
    pub fn of<T: Element>(
        algorithm: &'static Algorithm,
        operator: Operator<T>,
        shape: impl Into<Shape>,
        input: &Input<'_, T>,
    ) -> Result<Self, Error> {
        let shape = shape.into();
        let (results, run, fault) = algorithm.run_to_fault(Setup { operator, shape, records: true }, input)?;
        let text = |values: &[T]| values.iter().map(ToString::to_string).collect();
        Ok(Self {
            algorithm,
            operator: operator.name,
            identity: operator.identity.to_string(),
            shape,
            input: text(input.values),
            heads: input.heads.to_vec(),
            results: text(&results),
            expected: text(&algorithm.computes.oracle(&operator, input)),
            run,
            fault,
        })
    }

    /// Returns a value as it is shown: an identity that is long to write is called `id`.
    #[must_use]
    pub fn shown<'a>(&self, value: &'a str) -> &'a str {
        if value.len() > 8 && value == self.identity { "id" } else { value }
    }

    /// Describes the run in a line.
    #[must_use]
    pub fn summary(&self) -> String {
        let (n, Shape { warp, banks, order, .. }) = (self.input.len(), self.shape);
        let elements = if n == 1 { "element" } else { "elements" };
        let kind = self.algorithm.computes.name();
        let operator = match self.algorithm.computes {
            Computes::Sort => String::new(),
            _ => format!(", operator {}", self.operator),
        };
        let mut summary = format!("{kind} of {n} {elements}{operator}, {} banks", banks.number());
        let mut add = |words: String| summary.push_str(&words);
        if warp != WARP {
            add(format!(", warps of {warp}"));
        }
        if let Some(tile) = self.shape.own_tile().filter(|_| self.algorithm.has_tiles()) {
            add(format!(", {tile} elements a block"));
        }
        if let Order::Chance(seed) = order {
            add(format!(", blocks in the order of seed {seed}"));
        }
        summary
    }

    /// Number of elements of a tile, if a small machine has several tiles.
    #[must_use]
    pub fn tile(&self) -> Option<usize> {
        self.shape.own_tile().filter(|&tile| self.algorithm.has_tiles() && tile < self.input.len())
    }

    /// Whether the results are the expected ones; [`None`] after a fault.
    #[must_use]
    pub fn is_right(&self) -> Option<bool> {
        self.fault.is_none().then(|| self.results == self.expected)
    }

    /// Indices of the elements at which segments begin, for segmented scans.
    #[must_use]
    pub fn segments(&self) -> Option<Vec<usize>> {
        let heads = || (0..self.heads.len()).filter(|&index| index == 0 || self.heads[index]).collect();
        (self.algorithm.computes == Computes::SegmentedScan).then(heads)
    }
}
