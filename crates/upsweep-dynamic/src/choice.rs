//! Parsing of types and operators from their names, and the valid pairs of an operator and a type.

use crate::{Error, Op, Type};
use std::str::FromStr;

impl Op {
    /// Checks that the operator is defined for values of type `element`.
    ///
    /// # Errors
    /// [`Error::Operator`] if it is not.
    pub fn check(self, element: Type) -> Result<(), Error> {
        let bits = matches!(self, Self::And | Self::Or | Self::Xor);
        let has = match element {
            Type::Bool => bits,
            Type::F16 | Type::F32 | Type::F64 => !bits,
            _ => true,
        };
        if has { Ok(()) } else { Err(Error::Operator { op: self, element }) }
    }

    /// Whether an array of type `element` may be computed in parts, by [`Scan::run_part`](crate::Scan::run_part) or
    /// [`Reduce::total`](crate::Reduce::total), with the bits of one call: all operators but the product of f16, whose
    /// grouping depends on where the array begins.
    #[must_use]
    pub fn keeps_bits_in_parts(self, element: Type) -> bool {
        (self, element) != (Self::Product, Type::F16)
    }
}

impl FromStr for Type {
    type Err = Error;

    /// Returns the type whose [`name`](Type::name) is `name`.
    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.iter().copied().find(|element| element.name() == name);
        found.ok_or_else(|| Error::Name { what: "type", found: name.to_owned(), known: Self::names() })
    }
}

impl FromStr for Op {
    type Err = Error;

    /// Returns the operator whose [`name`](Op::name) is `name`.
    fn from_str(name: &str) -> Result<Self, Error> {
        let names = || Self::ALL.iter().map(|op| op.name()).collect::<Vec<_>>().join(" ");
        let found = Self::ALL.iter().copied().find(|op| op.name() == name);
        found.ok_or_else(|| Error::Name { what: "operator", found: name.to_owned(), known: names() })
    }
}
