//! Operations that backends know.

/// An operation of the two arguments of an operator, in their order, as [`arith`](super::arith) defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Any other.
    Other,
    /// `a + b`
    Sum,
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
    /// All of them, with their names in kernels.
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
