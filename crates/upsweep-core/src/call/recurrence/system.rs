//! Coefficients of a recurrence, checked and divided by `a[0]`, and its sequential step.

use super::Coefficient;
use crate::error::{Error, Result};

/// Highest order, and largest number of states of a cascade.
pub const MOST_ORDER: usize = 16;

/// A recurrence as coefficients and states.
#[derive(Clone, Debug, PartialEq)]
pub struct System<C> {
    /// Number of states that a caller passes and gets for each line: the order, or twice the number of sections.
    pub states: usize,
    /// Number of states that the computation has: `states`, but at least one.
    pub order: usize,
    /// Number of sections of a cascade, or 0.
    pub sections: usize,
    /// Whether results depend on earlier results.
    pub feedback: bool,
    /// Coefficients divided by `a[0]`: `b[0]` to `b[order]`, then `-a[1]` to `-a[order]`; for a cascade `b[0]` to
    /// `b[2]`, `-a[1]` and `-a[2]` of each section.
    pub coefficients: Vec<C>,
}

impl<C: Coefficient> System<C> {
    /// Creates the recurrence with the coefficients `b` and `a`.
    ///
    /// # Errors
    /// [`Error::Coefficients`] when there are none, too many, or one is not finite, also divided by `a[0]`; or when
    /// `a[0]` is 0 or, for integers, not 1.
    pub fn new(b: &[C], a: &[C]) -> Result<Self> {
        for (name, list) in [("b", b), ("a", a)] {
            let wrong = |rule| {
                let (what, value) = (format!("the number of coefficients {name}"), list.len().to_string());
                Err(Error::Coefficients { what, value, rule })
            };
            if list.is_empty() {
                return wrong("a recurrence has at least b[0] and a[0]");
            }
            if list.len() > MOST_ORDER + 1 {
                return wrong("the order is at most 16: cut a filter of a higher one into a cascade of sections");
            }
        }
        let states = b.len().max(a.len()) - 1;
        let order = states.max(1);
        let first = a.first().copied().unwrap_or(C::ZERO);
        let of = |name: &str, list: &[C], i: usize| normalised(&format!("{name}[{i}]"), list.get(i).copied(), first);
        check_first("a[0]", first)?;
        let mut coefficients = Vec::with_capacity(2 * order + 1);
        for i in 0..=order {
            coefficients.push(of("b", b, i)?);
        }
        for i in 1..=order {
            coefficients.push(of("a", a, i)?.negated());
        }
        let feedback = coefficients.iter().skip(order + 1).any(|&a| a != C::ZERO);
        Ok(Self { states, order, sections: 0, feedback, coefficients })
    }

    /// Creates the cascade of `sections`: each has `b[0]` to `b[2]` and `a[0]` to `a[2]`.
    ///
    /// # Errors
    /// [`Error::Coefficients`] when there are no sections or more than 8, or a coefficient is not finite, also divided
    /// by `a[0]`; or when an `a[0]` is 0 or, for integers, not 1.
    pub fn cascade(sections: &[[C; 6]]) -> Result<Self> {
        if sections.is_empty() || sections.len() > MOST_ORDER / 2 {
            let rule = "a cascade has 1 to 8 sections: run a longer one in several calls";
            let (what, value) = ("the number of sections".to_owned(), sections.len().to_string());
            return Err(Error::Coefficients { what, value, rule });
        }
        let mut coefficients = Vec::with_capacity(5 * sections.len());
        for (s, section) in sections.iter().enumerate() {
            let [.., first, _, _] = *section;
            check_first(&format!("a[0] of section {s}"), first)?;
            for (i, &coefficient) in section.iter().enumerate().filter(|(i, _)| *i != 3) {
                let (name, at) = if i < 3 { ("b", i) } else { ("a", i - 3) };
                let value = normalised(&format!("{name}[{at}] of section {s}"), Some(coefficient), first)?;
                coefficients.push(if i < 3 { value } else { value.negated() });
            }
        }
        let feedback = coefficients.chunks(5).any(|section| section.iter().skip(3).any(|&a| a != C::ZERO));
        let states = 2 * sections.len();
        Ok(Self { states, order: states, sections: sections.len(), feedback, coefficients })
    }

    /// Computes the result of the element `x` and updates the states: one iteration of the sequential loop.
    #[inline(always)]
    pub fn step(&self, states: &mut [C], x: C) -> C {
        let coefficients = &self.coefficients;
        if self.sections == 0 {
            let (b, a) = coefficients.split_at(self.order + 1);
            return direct(b, a, self.feedback, states, x);
        }
        coefficients.chunks_exact(5).zip(states.chunks_exact_mut(2)).fold(x, |x, (section, states)| {
            let (b, a) = section.split_at(3);
            direct(b, a, true, states, x)
        })
    }
}

/// Computes the result of the element `x` by a filter in transposed direct form II, and updates its states.
#[inline(always)]
fn direct<C: Coefficient>(b: &[C], a: &[C], feedback: bool, states: &mut [C], x: C) -> C {
    let (order, first) = (states.len(), |list: &[C]| list.first().copied().unwrap_or(C::ZERO));
    let y = first(b).times(x).plus(first(states));
    for j in 0..order {
        let above = states.get(j + 1).copied();
        let mut z = b.get(j + 1).copied().unwrap_or(C::ZERO).times(x);
        if let Some(above) = above {
            z = z.plus(above);
        }
        if feedback {
            z = z.plus(a.get(j).copied().unwrap_or(C::ZERO).times(y));
        }
        if let Some(place) = states.get_mut(j) {
            *place = z;
        }
    }
    y
}

fn check_first<C: Coefficient>(what: &str, first: C) -> Result<()> {
    let wrong = |rule| Err(Error::Coefficients { what: what.to_owned(), value: first.to_string(), rule });
    if first == C::ZERO {
        return wrong("all coefficients are divided by it, so it must be another number than 0");
    }
    if !C::DIVIDES && first != C::ONE {
        return wrong("all coefficients are divided by it, and integers have no quotients: it must be 1");
    }
    if first.finite() { Ok(()) } else { wrong("coefficients are finite numbers") }
}

/// Returns a coefficient divided by `first`, which is `a[0]`; a missing coefficient is 0. `what` names the coefficient.
fn normalised<C: Coefficient>(what: &str, coefficient: Option<C>, first: C) -> Result<C> {
    let Some(coefficient) = coefficient else { return Ok(C::ZERO) };
    let wrong = |value: C, rule| Err(Error::Coefficients { what: what.to_owned(), value: value.to_string(), rule });
    if !coefficient.finite() {
        return wrong(coefficient, "coefficients are finite numbers");
    }
    let value = coefficient.over(first);
    if value.finite() { Ok(value) } else { wrong(coefficient, "divided by a[0] it is no finite number") }
}
