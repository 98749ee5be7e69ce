//! Errors of compressed files, in words for the user.

use std::fmt::Display;
use std::io::{self, ErrorKind};

/// Error of a compressed file whose end is missing.
pub(super) fn cut_short() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "is a compressed file that was cut short: its end is missing")
}

/// Error of a compressed file that is wrong for this reason.
pub(super) fn damaged(reason: impl Display) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("is a damaged compressed file: {reason}"))
}
