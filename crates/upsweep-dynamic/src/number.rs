//! Numbers that convert between element types.

use std::fmt;

/// Number that holds the values of every element type without loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer, or a `bool` as 0 or 1.
    Integer(i128),
    /// A float.
    Float(f64),
}

impl Number {
    /// Returns the number if it is whole and certain to fit an `i128`.
    #[must_use]
    pub fn integer(self) -> Option<i128> {
        // Every whole `f64` with an absolute value of at most 1e38 fits an `i128`.
        const LIMIT: f64 = 1e38;
        match self {
            Self::Integer(n) => Some(n),
            Self::Float(x) if x.fract() == 0.0 && x.abs() <= LIMIT => Some(x as i128),
            Self::Float(_) => None,
        }
    }

    /// Returns the `f64` nearest to the number.
    pub(crate) fn nearest(self) -> f64 {
        match self {
            Self::Integer(n) => n as f64,
            Self::Float(x) => x,
        }
    }

    /// Returns the `f32` nearest to the number, rounded once.
    pub(crate) fn nearest_f32(self) -> f32 {
        match self {
            Self::Integer(n) => n as f32,
            Self::Float(x) => x as f32,
        }
    }

    /// Returns the number as a float, unless `round` changes it: the rounding to the float type that it is converted
    /// to.
    pub(crate) fn float(self, round: impl Fn(f64) -> f64) -> Option<f64> {
        let (x, whole) = match self {
            Self::Integer(n) => (n as f64, Some(n)),
            Self::Float(x) => (x, None),
        };
        let rounded = round(x);
        let same = match whole {
            Some(n) => rounded.is_finite() && rounded as i128 == n,
            None => rounded == x || x.is_nan(),
        };
        same.then_some(rounded)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(n) => write!(f, "{n}"),
            Self::Float(x) => write!(f, "{x:?}"),
        }
    }
}
