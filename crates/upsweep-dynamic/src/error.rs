//! Error type of the crate: a variant for each broken precondition, with its values.

use crate::{Number, Op, Type};
use std::fmt;

/// Result of every call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error of a call, with the values that show its cause.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// Name that no type or operator has.
    Name {
        /// `"type"` or `"operator"`.
        what: &'static str,
        /// Name that was given.
        found: String,
        /// Names that exist, separated by spaces.
        known: String,
    },
    /// Operator that is not defined for the type of the values.
    Operator {
        /// Operator that was requested.
        op: Op,
        /// Type of the values, for which the operator is not defined.
        element: Type,
    },
    /// Bytes that do not form an array of the type.
    Bytes {
        /// Type that the elements of the array would have.
        element: Type,
        /// Number of bytes given.
        len: usize,
        /// Condition that the bytes break.
        reason: &'static str,
    },
    /// Value that cannot be converted to a type, because the type does not have it.
    Inexact {
        /// Kind of the value: `"element"`, `"count"`, `"the initial value"`.
        what: &'static str,
        /// Index of the value in the array, if it is an element of one.
        index: Option<usize>,
        /// Value to convert.
        number: Number,
        /// Type to convert to.
        element: Type,
    },
    /// Result that does not fit the type of the results.
    Overflow {
        /// Operator of the scan or reduction.
        op: Op,
        /// Type of the results.
        element: Type,
        /// Index of the result; for a reduction, the index of the element from which on the total does not fit.
        index: usize,
        /// The result, if an `i128` holds it.
        value: Option<i128>,
    },
    /// Segment offsets that do not ascend from 0 to the number of elements.
    Offsets {
        /// Number of elements, to which the last offset must be equal.
        len: usize,
        /// Offset that is wrong, and why.
        reason: String,
    },
    /// Options that exclude each other.
    Options {
        /// Names of the options.
        options: &'static str,
        /// Reason why the options exclude each other, and what to do instead.
        reason: &'static str,
    },
    /// Carry that is damaged, or that calls of another kind, operator or type have used.
    Carry {
        /// What is wrong with it.
        reason: String,
    },
    /// Shortage of memory on the host.
    OutOfMemory {
        /// Number of bytes requested.
        bytes: usize,
    },
    /// Error of [`upsweep`] itself.
    Upsweep(upsweep::Error),
}

impl From<upsweep::Error> for Error {
    fn from(error: upsweep::Error) -> Self {
        Self::Upsweep(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { what, found, known } => write!(f, "there is no {what} {found:?}: there are {known}"),
            Self::Operator { op, element: Type::Bool } => {
                write!(f, "bool values have no {op}: bool has and, or and xor; u64 counts")
            }
            Self::Operator { op, element } => {
                write!(f, "{element} values have no {op}: and, or and xor work on the bits of integers and bool")
            }
            Self::Bytes { element, len, reason } => write!(f, "{len} bytes are no values of {element}: {reason}"),
            Self::Inexact { what, index, number, element } => {
                write!(f, "{what}")?;
                if let Some(index) = index {
                    write!(f, " {index}")?;
                }
                write!(f, " is {number}, which is not exactly a value of type {element}")
            }
            Self::Overflow { op, element, index, value } => {
                write!(f, "the {op} at element {index} ")?;
                match value {
                    Some(value) => write!(f, "is {value}, which does not fit {element}"),
                    None => write!(f, "does not fit {element}"),
                }
            }
            Self::Offsets { len, reason } => write!(f, "{reason}: offsets ascend from 0 to {len}"),
            Self::Options { options, reason } => write!(f, "{options}: {reason}"),
            Self::Carry { reason } => write!(f, "the carry {reason}"),
            Self::OutOfMemory { bytes } => write!(f, "not enough memory for {bytes} bytes"),
            Self::Upsweep(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Upsweep(error) => Some(error),
            _ => None,
        }
    }
}
