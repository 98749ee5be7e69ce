//! Operations that backends know.

/// An operation of the two arguments of an operator, in their order, as [`arith`](super::arith) defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Any other.
    Other,
    /// `a + b`
    Sum,
    /// `a * b`
    Product,
    /// `a.minimum(b)`
    Minimum,
    /// `a.maximum(b)`
    Maximum,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
}

impl Form {
    /// Those that kernels know, with their names there: of products they know no more than of [`Other`](Form::Other).
    #[cfg(feature = "cuda")]
    pub(crate) const ALL: [(Self, &'static str); 7] = [
        (Self::Other, "OTHER"),
        (Self::Sum, "SUM"),
        (Self::Minimum, "MINIMUM"),
        (Self::Maximum, "MAXIMUM"),
        (Self::And, "AND"),
        (Self::Or, "OR"),
        (Self::Xor, "XOR"),
    ];
}
