//! A run that was recorded, with what it was made of, as text.

use crate::algorithm::{Algorithm, Computes, Element, Error, Input, Setup};
use crate::machine::{Fault, Order, Run, Shape, WARP};
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
    /// The machine.
    pub shape: Shape,
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

    /// A value as it is shown: an identity that is long to write is called `id`.
    #[must_use]
    pub fn shown<'a>(&self, value: &'a str) -> &'a str {
        if value.len() > 8 && value == self.identity { "id" } else { value }
    }

    /// What was run, in a line.
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

    /// Elements of a tile, where a small machine has several.
    #[must_use]
    pub fn tile(&self) -> Option<usize> {
        self.shape.own_tile().filter(|&tile| self.algorithm.has_tiles() && tile < self.input.len())
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
