//! The conditions of `--where`: a small language over the columns of a table, or over `x` for an array.
//!
//! ```text
//! condition   = all ("or" all)*
//! all         = one ("and" one)*
//! one         = "not" one | value (("==" | "!=" | "<" | "<=" | ">" | ">=") value)?
//! value       = product (("+" | "-") product)*
//! product     = factor (("*" | "/" | "%") factor)*
//! factor      = "-" factor | "abs" "(" value ")" | "(" condition ")" | number | "text" | 'text' | true | false
//!             | column | `column with any name` | $3
//! ```
//!
//! [`parse`] reads a text to a tree and finds the kind of everything in it, so that nothing is left to be wrong but the cells of a
//! table; [`value`] computes.

mod lexer;
mod parser;
pub(crate) mod value;

pub(crate) use parser::parse;
use upsweep_dynamic::Number;

/// A part of a row, or what is wrong with it.
pub(crate) type Found<T> = Result<T, String>;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Text,
    Bool,
    /// A column of which nothing says yet what its cells are.
    Open,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Number | Self::Open => "a number",
            Self::Text => "a text",
            Self::Bool => "a condition",
        }
    }
}

/// What there is to compute with: what a column is called, and which kind its values are.
pub(crate) trait Columns {
    /// The place and the kind of the column of this name, or of this number from 1 on; or why there is none.
    fn find(&self, column: &Name) -> Found<(usize, Kind)>;
}

/// How a condition calls a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Called(String),
    Numbered(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sum {
    Plus,
    Minus,
    Times,
    Over,
    Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Equal,
    Differs,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A value, or a condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Number(Number),
    Text(String),
    Bool(bool),
    Column(usize, Kind),
    Negative(Box<Self>),
    Absolute(Box<Self>),
    Not(Box<Self>),
    And(Box<[Self; 2]>),
    Or(Box<[Self; 2]>),
    Computed(Sum, Box<[Self; 2]>),
    /// Both are of one kind.
    Compared(Order, Kind, Box<[Self; 2]>),
}
