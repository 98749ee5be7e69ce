//! Errors of compressed files, in words for the user.

use std::fmt::Display;
use std::io::{self, ErrorKind, Read};

/// Error of a compressed file whose end is missing.
pub(super) fn cut_short() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "is a compressed file that was cut short: its end is missing")
}

/// Error of a compressed file that is wrong for this reason.
pub(super) fn damaged(reason: impl Display) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("is a damaged compressed file: {reason}"))
}

/// Reader of a compressed file that tells apart what is wrong with the file, and what with reading it.
pub(crate) struct Told<R>(pub(crate) R);

impl<R: Read> Read for Told<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes).map_err(|e| match e.kind() {
            _ if e.raw_os_error().is_some() => e,
            ErrorKind::Interrupted => e,
            ErrorKind::UnexpectedEof => cut_short(),
            _ => damaged(e),
        })
    }
}
