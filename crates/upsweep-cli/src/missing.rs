//! Values that are missing from a table: what means it, and what becomes of them.

use clap::{Args, ValueEnum};

/// What means that a cell has no value, and what becomes of it.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Missing {
    /// Texts that mean in a column of numbers that there is no value, as an empty cell does: NA,N/A,\N,null,-
    #[arg(long, value_name = "TEXT,...", value_delimiter = ',', allow_hyphen_values = true)]
    na: Vec<String>,
    /// What becomes of a cell of a table that has no value: it is an error, its row is left out, it is 0, or NaN
    #[arg(long = "missing", value_name = "HOW", value_enum, default_value_t = How::Error)]
    how: How,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum How {
    #[default]
    Error,
    Skip,
    Zero,
    Propagate,
}

impl Missing {
    /// Whether an option was given.
    pub(crate) fn is_asked(&self) -> bool {
        !self.na.is_empty() || self.how != How::Error
    }

    /// Whether a number may mean that there is no value.
    pub(crate) fn has_texts(&self) -> bool {
        !self.na.is_empty()
    }

    /// Whether this text of a cell, without white space around it, means that there is no value.
    pub(crate) fn means(&self, text: &str) -> bool {
        text.is_empty() || self.na.iter().any(|na| na == text)
    }

    /// Whether the row of a cell with this text is left out.
    pub(crate) fn leaves_out(&self, text: &str) -> bool {
        self.how == How::Skip && self.means(text)
    }

    /// Returns the text to read in place of that of a cell, and whether it stands for a missing value. The error is the
    /// reason why a missing value is none.
    pub(crate) fn read<'a>(&self, text: &'a str) -> Result<(&'a str, bool), String> {
        match self.how {
            _ if !self.means(text) => Ok((text, false)),
            How::Zero => Ok(("0", true)),
            How::Propagate => Ok(("nan", true)),
            How::Error | How::Skip if text.is_empty() => {
                Err("the cell is empty: fill it or remove the row, or give --missing skip".to_owned())
            }
            How::Error | How::Skip => {
                Err("the cell has no value, as --na says: give --missing skip, zero or propagate".to_owned())
            }
        }
    }

    /// What became of missing values, for a summary.
    pub(crate) fn told(&self) -> &'static str {
        match self.how {
            How::Zero => "taken as 0",
            How::Propagate => "taken as NaN",
            How::Skip | How::Error => "left out",
        }
    }
}
