//! Places in an unfinished file, which several threads write.

use super::interrupt;
use crate::failure::{Failure, Result};
use std::fs::File;
use std::io;

/// Unfinished file whose parts are written in any order.
pub(crate) struct Places<'a> {
    pub(super) file: &'a File,
    /// Name of the destination in messages.
    pub(super) name: &'a str,
}

impl Places<'_> {
    /// Writes `bytes` at `offset`. Fails if a signal was held, which ends the program in the end.
    pub(crate) fn write(&self, bytes: &[u8], offset: u64) -> Result<()> {
        interrupt::check()?;
        write_all_at(self.file, bytes, offset).map_err(|e| Failure::writing(self.name, &e))
    }
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn write_all_at(_: &File, _: &[u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
