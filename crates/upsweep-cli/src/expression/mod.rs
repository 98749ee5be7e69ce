//! Conditions of `--where`, and values of `--set`: a small language over the columns of a table, or over `x` for an array.
//!
//! ```text
//! condition   = all ("or" all)*
//! all         = one ("and" one)*
//! one         = "not" one | value (("==" | "!=" | "<" | "<=" | ">" | ">=") value | "not"? test | "is" "not"? "null")?
//! test        = "in" "(" value ("," value)* ")" | "between" value "and" value | "contains" value | "matches" "regex"
//! value       = product (("+" | "-") product)*
//! product     = factor (("*" | "/" | "%") factor)*
//! factor      = "-" factor | "abs" "(" value ")" | "(" condition ")" | number | "text" | 'text' | true | false
//!             | column | `column with any name` | $3
//! ```
//!
//! [`parse`] and [`parse_value`] turn a text into a tree and check the kinds of all its parts, so that only the cells of a table can
//! still be wrong. [`value`] evaluates it.

mod lexer;
mod parser;
pub(crate) mod value;

pub(crate) use parser::{parse, parse_value};
use regex::bytes::Regex;
use upsweep_dynamic::Number;

/// Result of an evaluation or of a search for a column. The error is the reason in words.
pub(crate) type Found<T> = Result<T, String>;

/// Kind of the value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Text,
    Bool,
    /// Kind of a column whose use in the condition has not determined it yet.
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

/// Columns that a condition may use: their names, and the kinds of their values.
pub(crate) trait Columns {
    /// Returns index and kind of the column with this name, or with this number from 1 on; or the reason why there is
    /// none.
    fn find(&self, column: &Name) -> Found<(usize, Kind)>;
}

/// Reference to a column in a condition.
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

/// Tree of an expression, whose value is a number, a text or a truth value.
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
    /// Comparison of two expressions, both of the given kind.
    Compared(Order, Kind, Box<[Self; 2]>),
    /// Whether the first text has the second one in it.
    Contains(Box<[Self; 2]>),
    /// Whether the regular expression matches somewhere in the text.
    Matches(Box<Self>, Pattern),
    /// Whether the column has no value.
    Null(usize),
}

/// Regular expression, compiled. Two are equal if their texts are.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}
