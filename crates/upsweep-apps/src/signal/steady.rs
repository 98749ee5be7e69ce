//! Steady states of a filter: its states after infinitely many elements of 1, in which it begins when its past is
//! unknown.
//!
//! In the transposed direct form II the states z are constant when `z[j] = b[j+1] - a[j+1] y + z[j+1]`, where y, the
//! result, is `sum b / sum a`. So a state is the sum of its own term and of the terms of the states after it. These
//! terms cancel, so they are computed in twice the digits; the quotients by `a[0]` are rounded, as the filter's are.

use crate::twofold::{plus, times};
use upsweep::{Error, Result};

/// Number in twice the digits of f64: the sum of two floats.
type Exact = (f64, f64);

fn sum(a: Exact, b: Exact) -> Exact {
    plus(a.0, a.1, b.0, b.1)
}

fn product(a: f64, b: Exact) -> Exact {
    times(a, 0.0, b.0, b.1)
}

fn quotient(a: Exact, b: Exact) -> Exact {
    let first = a.0 / b.0;
    let left = sum(a, product(-first, b));
    plus(first, 0.0, left.0 / b.0, 0.0)
}

/// Returns the steady states of a filter for elements that are all `level`, and the filter's result for them.
fn of_direct(b: &[f64], a: &[f64], level: Exact, states: usize) -> Result<(Vec<f64>, Exact)> {
    let first = a.first().copied().unwrap_or(1.0);
    let at = |list: &[f64], j: usize| list.get(j).copied().unwrap_or(0.0) / first;
    let total = |list: &[f64]| (0..list.len()).fold((0.0, 0.0), |all, j| sum(all, (at(list, j), 0.0)));
    let (of_b, of_a) = (total(b), total(a));
    if of_a.0 == 0.0 {
        return Err(Error::Coefficients {
            what: "the sum of the coefficients a".to_owned(),
            value: "0".to_owned(),
            rule: "a filter that never forgets has no steady state to begin with: run it in one direction",
        });
    }
    let gain = quotient(of_b, of_a);
    let y = times(gain.0, gain.1, level.0, level.1);
    let mut zi = vec![0.0; states];
    let mut behind = (0.0, 0.0);
    for (j, z) in zi.iter_mut().enumerate().rev() {
        behind = sum(behind, sum(product(at(b, j + 1), level), product(-at(a, j + 1), y)));
        *z = behind.0;
    }
    Ok((zi, y))
}

/// Returns the steady states of a filter with coefficients `b` and `a`: `scipy.signal.lfilter_zi`.
pub(super) fn direct(b: &[f64], a: &[f64]) -> Result<Vec<f64>> {
    let states = b.len().max(a.len()).saturating_sub(1);
    Ok(of_direct(b, a, (1.0, 0.0), states)?.0)
}

/// Returns the steady states of a cascade of sections, section by section: `scipy.signal.sosfilt_zi`.
pub(super) fn cascade(sections: &[[f64; 6]]) -> Result<Vec<f64>> {
    let (mut all, mut level) = (Vec::with_capacity(2 * sections.len()), (1.0, 0.0));
    for &[b0, b1, b2, a0, a1, a2] in sections {
        let (zi, y) = of_direct(&[b0, b1, b2], &[a0, a1, a2], level, 2)?;
        all.extend(zi);
        level = y;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state is steady if an element of 1 leaves it as it is.
    #[test]
    fn an_element_of_one_changes_nothing() {
        for (b, a) in
            [(&[0.2, 0.3, -0.1][..], &[2.0, -1.1, 0.4, 0.3][..]), (&[3.0], &[1.0, -0.5]), (&[1.0, 2.0, 3.0], &[4.0])]
        {
            let zi = direct(b, a).unwrap();
            let at = |list: &[f64], j: usize| list.get(j).copied().unwrap_or(0.0);
            let y = at(b, 0) / a[0] + at(&zi, 0);
            for j in 0..zi.len() {
                let next = (at(b, j + 1) - at(a, j + 1) * y) / a[0] + at(&zi, j + 1);
                assert!((next - zi[j]).abs() < 1e-14, "{b:?} {a:?}: state {j} goes from {} to {next}", zi[j]);
            }
        }
        // The coefficients b sum up to 2^-60, which is not lost beside 1 and -1.
        let small = (-60f64).exp2();
        assert_eq!(direct(&[1.0, -1.0, small], &[1.0, -0.5]).unwrap(), [2.0 * small - 1.0, small]);
        assert!(direct(&[1.0], &[1.0, -1.0]).is_err());
        assert_eq!(direct(&[1.0], &[1.0]).unwrap(), []);
    }
}
