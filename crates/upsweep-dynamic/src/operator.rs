//! Built-in operators.

use std::fmt;

/// Built-in operator: see [`upsweep::operator::builtin`] for the definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `a + b`; integers wrap around in their type, or in the wider one of `accumulate`
    Sum,
    /// `a * b`; integers wrap as in a sum
    Product,
    /// Smaller value; for floats NaN if there is one
    Min,
    /// Larger value; for floats NaN if there is one
    Max,
    /// `a & b`, of integers and `bool`
    And,
    /// `a | b`, of integers and `bool`
    Or,
    /// `a ^ b`, of integers and `bool`
    Xor,
}

impl Op {
    /// Every operator.
    pub const ALL: &'static [Self] = &[Self::Sum, Self::Product, Self::Min, Self::Max, Self::And, Self::Or, Self::Xor];

    /// Returns the operator's name, such as `sum`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Min => "min",
            Self::Max => "max",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
        }
    }

    /// Whether the operator computes the same bits from signed integers as from unsigned ones.
    pub(crate) fn keeps_bits(self) -> bool {
        !matches!(self, Self::Min | Self::Max)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
