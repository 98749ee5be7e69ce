//! Forms of operators: operations that backends recognise.
//!
//! An operator is only applied to elements and to combinations of neighbours, in order. An operator whose body is one
//! known operation of its two arguments is the exception. Backends take these liberties with it:
//!
//! - On CUDA, a reduction by an operator that commutes strides along the array.
//! - On CUDA, small integers are combined several in a word, from the identity on
//!   (`upsweep-cuda/kernels/word/lanes.cuh`).
//! - On CUDA, extremes of f64 are those of integers in the same order (`upsweep-cuda/kernels/word/value.cuh`).
//! - On CUDA, scans of partial tiles also compute on the undefined values in the registers of elements past the end of
//!   the array, and store none of their results (`ALL_FULL` in `upsweep-cuda/kernels/tile/scan.cuh`).
//! - On the CPU, integers and all extremes are reduced in any order, sums and exclusive ors from zero bits on, products
//!   from one on (`upsweep-cpu/src/tile/reduce.rs`).
//!
//! The bits of integers and extremes do not depend on any of these. The bits of float sums are the same in every run.

/// Operation of an operator on its two arguments, in their order, as [`arith`](super::arith) defines it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// An operation that is none of the other forms.
    #[default]
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
    /// Forms that kernels distinguish, with their names there. Kernels treat products as [`Other`](Form::Other).
    #[cfg(feature = "cuda")]
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Other, "OTHER"),
        (Self::Sum, "SUM"),
        (Self::Minimum, "MINIMUM"),
        (Self::Maximum, "MAXIMUM"),
        (Self::And, "AND"),
        (Self::Or, "OR"),
        (Self::Xor, "XOR"),
    ];
}
