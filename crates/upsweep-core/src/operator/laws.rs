//! Tests of an operator on samples for the laws that a parallel scan relies on.

use super::{Element, Operator};
use std::fmt::{self, Debug};

/// Largest number of tested triples.
const TRIPLES: usize = 100_000;

/// Laws that hold for every tested sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Laws<T> {
    /// Number of triples `(a, b, c)` that are associative.
    pub triples: usize,
    /// Whether the operator has an identity. If so, it is neutral for every sample.
    pub identity: bool,
    /// Two samples with `combine(a, b) != combine(b, a)`, or `None` if every pair commutes. A scan does not need
    /// commutativity.
    pub not_commutative: Option<(T, T)>,
}

/// A law that does not hold, and the values that show it.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation<T> {
    /// `combine(combine(a, b), c) != combine(a, combine(b, c))`
    NotAssociative {
        /// The values `a`, `b` and `c`.
        operands: (T, T, T),
        /// `combine(combine(a, b), c)`
        left: T,
        /// `combine(a, combine(b, c))`
        right: T,
    },
    /// `combine(e, x) != x` or `combine(x, e) != x`
    NoIdentity {
        /// The operator's identity `e`.
        identity: T,
        /// The value `x`.
        operand: T,
        /// `combine(e, x)`
        left: T,
        /// `combine(x, e)`
        right: T,
    },
}

impl<T: Debug> fmt::Display for Violation<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAssociative { operands: (a, b, c), left, right } => write!(
                f,
                "the operator is not associative: with a = {a:?}, b = {b:?} and c = {c:?}, combine(combine(a, b), c) is \
                 {left:?} and combine(a, combine(b, c)) is {right:?}"
            ),
            Self::NoIdentity { identity, operand, left, right } => write!(
                f,
                "{identity:?} is not the operator's identity: combine({identity:?}, {operand:?}) is {left:?} and \
                 combine({operand:?}, {identity:?}) is {right:?}"
            ),
        }
    }
}

impl<T: Debug> std::error::Error for Violation<T> {}

/// Tests on `samples` whether `operator` is associative and its identity is one, and whether it commutes.
///
/// Results are compared with [`Element::equals`] after [`Element::canonical`]; NaN counts as equal to NaN where the
/// whole value differs from itself on both sides. Float arithmetic is associative only up to rounding: use
/// [`check_laws_within`] for it.
///
/// For up to 46 samples every triple is tested, for more 100 000 random triples, the same in every run. Samples that
/// pass are evidence, no proof: include awkward values, such as 0, the extremes, NaN and empty cases.
///
/// ```
/// use upsweep::operator::{Violation, builtin::Max, check_laws, operator};
///
/// let laws = check_laws(&Max, &[3, -7, i32::MIN, i32::MAX])?;
/// assert_eq!(laws.not_commutative, None);
///
/// #[operator]
/// fn difference(a: i32, b: i32) -> i32 {
///     a - b
/// }
/// let Err(Violation::NotAssociative { operands, left, right }) = check_laws(&Difference, &[1, 2, 3]) else {
///     unreachable!()
/// };
/// assert_eq!((operands, left, right), ((1, 1, 1), -1, 1));
/// # Ok::<(), Violation<i32>>(())
/// ```
///
/// # Errors
/// The first law that does not hold, with the values that show it.
pub fn check_laws<T: Element, Op: Operator<T>>(operator: &Op, samples: &[T]) -> Result<Laws<T>, Violation<T>> {
    check_laws_within(operator, samples, |a, b| {
        let (a, b) = (a.canonical(), b.canonical());
        a.equals(b) || (!a.equals(a) && !b.equals(b))
    })
}

/// Tests as [`check_laws`] does, with `close` to decide which results count as equal.
///
/// ```
/// use upsweep::operator::{builtin::Sum, check_laws_within};
///
/// let samples = [0.1f32, -3.5, 1e6, 0.0];
/// let laws = check_laws_within(&Sum, &samples, |a, b| (a - b).abs() <= 1e-6 * a.abs().max(1e6))?;
/// assert!(laws.identity);
/// # Ok::<(), upsweep::operator::Violation<f32>>(())
/// ```
///
/// # Errors
/// The first law that does not hold, with the values that show it.
pub fn check_laws_within<T: Element, Op: Operator<T>>(
    operator: &Op,
    samples: &[T],
    close: impl Fn(T, T) -> bool,
) -> Result<Laws<T>, Violation<T>> {
    let identity = operator.identity();
    if let Some(identity) = identity {
        for &operand in samples {
            let (left, right) = (operator.combine(identity, operand), operator.combine(operand, identity));
            if !close(left, operand) || !close(right, operand) {
                return Err(Violation::NoIdentity { identity, operand, left, right });
            }
        }
    }

    let mut tested = 0;
    for (i, j, k) in triples(samples.len()) {
        let (a, b, c) = (samples[i], samples[j], samples[k]);
        let left = operator.combine(operator.combine(a, b), c);
        let right = operator.combine(a, operator.combine(b, c));
        if !close(left, right) {
            return Err(Violation::NotAssociative { operands: (a, b, c), left, right });
        }
        tested += 1;
    }

    let not_commutative = triples(samples.len())
        .map(|(i, j, _)| (samples[i], samples[j]))
        .find(|&(a, b)| !close(operator.combine(a, b), operator.combine(b, a)));
    Ok(Laws { triples: tested, identity: identity.is_some(), not_commutative })
}

/// Returns every triple of positions below `n` in order, or, if there are more than [`TRIPLES`], as many pseudo-random
/// ones, the same in every run.
fn triples(n: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let all = n.checked_mul(n).and_then(|square| square.checked_mul(n)).filter(|&all| all <= TRIPLES);
    (0..all.unwrap_or(TRIPLES)).map(move |t| match all {
        Some(_) => (t / n / n, t / n % n, t % n),
        None => (drawn(3 * t, n), drawn(3 * t + 1, n), drawn(3 * t + 2, n)),
    })
}

/// Returns the `t`-th pseudo-random position below `n` (SplitMix64).
fn drawn(t: usize, n: usize) -> usize {
    let mut bits = (t as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ bits >> 31) % n as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::super::builtin::{First, Min, Sum};
    use super::*;

    #[test]
    fn facts() {
        let laws = check_laws(&First, &[1u8, 2]).expect("First is associative");
        assert_eq!(laws, Laws { triples: 8, identity: false, not_commutative: Some((1, 2)) });
        let laws = check_laws(&Min, &[f32::NAN, 1.0, -0.0, 0.0, f32::INFINITY]).expect("Min keeps the laws");
        assert_eq!(laws.triples, 125);
        assert_eq!(laws.not_commutative, None);
        assert!(laws.identity);
    }

    #[test]
    fn violations() {
        let violation = check_laws(&Sum, &[1e10f32, 1.0, -1e10]).expect_err("float sums round");
        assert!(matches!(violation, Violation::NotAssociative { .. }));
        assert!(violation.to_string().starts_with("the operator is not associative: with a = 1"), "{violation}");
    }

    #[test]
    fn many_samples_are_drawn() {
        let samples: Vec<u64> = (0..1000).collect();
        assert_eq!(check_laws(&Sum, &samples).expect("sums wrap").triples, TRIPLES);
        assert!(triples(1000).any(|(i, j, k)| i > 990 && j < 10 && k > 500));
        assert_eq!(check_laws(&Sum, &[] as &[u64]).expect("nothing to test").triples, 0);
    }
}
