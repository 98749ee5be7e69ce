//! Powers of the transition matrix, and weights, by which the parts of a line are joined.

use crate::tile::remains::States;
use upsweep_core::call::recurrence::{Coefficient, MOST_ORDER, System, Transition};
use upsweep_plan::recurrence::PART;

/// Transition of the states over a part (`PART` elements of a line) and over a share (the parts that a thread takes at
/// once), in the transformed basis.
pub(super) struct Parts<C> {
    /// Contribution of each element of a part to each state: see [`Remains`](crate::tile::remains::Remains).
    pub(super) weights: Vec<C>,
    /// Power of the transition matrix whose exponent is the length of a part. Empty without feedback,
    /// because a part is longer than the filter's memory.
    pub(super) part: Power<C>,
    /// Power of the transition matrix whose exponent is the length of a share. Empty without feedback.
    pub(super) share: Power<C>,
    basis: Option<[Vec<C>; 2]>,
    order: usize,
}

impl<C: Coefficient> Parts<C> {
    pub(super) fn of(system: &System<C>, share: usize, reverse: bool) -> Self {
        let (order, transition) = (system.order, Transition::of(system));
        if !system.feedback {
            return Self { weights: Vec::new(), part: Vec::new(), share: Vec::new(), basis: None, order };
        }
        let mut weights = transition.weights(PART);
        if reverse {
            weights.chunks_mut(PART).for_each(<[C]>::reverse);
        }
        // Weights of one state at a time: the sections of a cascade may differ much in size.
        for weights in weights.chunks_mut(PART) {
            let largest = weights.iter().copied().fold(C::ZERO, C::larger);
            weights.iter_mut().for_each(|weight| *weight = weight.unless_negligible(largest));
        }
        let [part, share] = [PART, share].map(|items| columns(order, &transition.power(items)));
        Self { weights, part, share, basis: transition.basis, order }
    }

    /// Transforms states to the basis of the transition.
    pub(super) fn in_basis(&self, states: &States<C>) -> States<C> {
        self.basis.as_ref().map_or(*states, |[into, _]| product(self.order, into, states))
    }

    /// Transforms states from the basis of the transition back.
    pub(super) fn back(&self, states: &States<C>) -> States<C> {
        self.basis.as_ref().map_or(*states, |[_, back]| product(self.order, back, states))
    }

    /// Whether all weights and powers are finite: an unstable recurrence may overflow within a part.
    pub(super) fn are_finite(&self) -> bool {
        let powers = self.part.iter().chain(&self.share).flatten().flatten();
        self.weights.iter().chain(powers).all(|x| x.finite())
    }
}

/// Columns of a power of the transition matrix, each with its rounding error.
pub(super) type Power<C> = Vec<[States<C>; 2]>;

fn columns<C: Coefficient>(order: usize, power: &[Vec<C>; 2]) -> Power<C> {
    let column = |matrix: &Vec<C>, j: usize| {
        let mut column = [C::ZERO; MOST_ORDER];
        let of_matrix = matrix.iter().skip(j).step_by(order).map(|x| x.unless_negligible(C::ONE));
        column.iter_mut().zip(of_matrix).for_each(|(to, from)| *to = from);
        column
    };
    (0..order).map(|j| power.each_ref().map(|matrix| column(matrix, j))).collect()
}

/// Returns the product of a matrix, given row by row, and states.
fn product<C: Coefficient>(order: usize, matrix: &[C], states: &States<C>) -> States<C> {
    let mut product = [C::ZERO; MOST_ORDER];
    for (to, row) in product.iter_mut().zip(matrix.chunks_exact(order)) {
        *to = row.iter().zip(states).fold(C::ZERO, |sum, (a, z)| sum.plus(a.times(*z)));
    }
    product
}
