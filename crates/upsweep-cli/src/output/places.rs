//! Places in an unfinished file, which several threads write.

use super::interrupt;
use crate::failure::{Failure, Result, called, words};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Unfinished file whose parts are written in any order.
pub(crate) struct Places<'a> {
    pub(super) file: &'a File,
    /// Name of the destination in messages.
    pub(super) name: &'a str,
}

/// File without a name, for what is kept while a result is computed: nothing is left of it when the process ends, however it
/// ends.
pub(crate) struct Scratch {
    pub(crate) file: File,
    /// Name of the file in messages.
    pub(crate) name: String,
}

/// Bytes that a thread writes at once, where several write one array.
const PIECE: usize = 1 << 20;

impl Places<'_> {
    /// Writes `bytes` at `offset`. Fails if a signal was held, which ends the program in the end.
    pub(crate) fn write(&self, bytes: &[u8], offset: u64) -> Result<()> {
        interrupt::check()?;
        write_all_at(self.file, bytes, offset).map_err(|e| Failure::writing(self.name, &e))
    }

    /// Writes `bytes` at `offset` by all threads of the pool. `done` is told the bytes of each part.
    pub(crate) fn write_at_once(&self, bytes: &[u8], offset: u64, done: &(dyn Fn(usize) + Sync)) -> Result<()> {
        bytes.par_chunks(PIECE).enumerate().try_for_each(|(at, piece)| {
            self.write(piece, offset + (at * PIECE) as u64)?;
            done(piece.len());
            Ok(())
        })
    }

    /// Gives the file `bytes` bytes of room on the disk. Where the system cannot, writing does.
    #[cfg(target_os = "linux")]
    pub(crate) fn reserve(&self, bytes: u64) -> Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        match fallocate(self.file, FallocateFlags::empty(), 0, bytes.max(1)) {
            Err(e) if e == Errno::NOSPC || e == Errno::FBIG => Err(Failure::writing(self.name, &e.into())),
            _ => Ok(()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn reserve(&self, _: u64) -> Result<()> {
        Ok(())
    }
}

impl Scratch {
    /// Creates a file for `what`, which messages name: in `folder`, that of the result, as it takes as much room, and the folder
    /// for temporary files is often small, or in memory. It is there if the other takes no new file, or there is none.
    pub(crate) fn new(folder: Option<&Path>, what: &str) -> Result<Self> {
        let beside = folder.and_then(|folder| Some((tempfile::tempfile_in(folder).ok()?, called(folder))));
        let elsewhere = || (tempfile::tempfile(), called(&std::env::temp_dir()));
        let (created, folder) = beside.map_or_else(elsewhere, |(file, folder)| (Ok(file), folder));
        let name = format!("{what} in {folder}");
        let file = created.map_err(|e| Failure::Run(format!("{name}: {}", words(&e))))?;
        Ok(Self { file, name })
    }

    /// Appends bytes.
    pub(crate) fn push(&self, bytes: &[u8]) -> Result<()> {
        interrupt::check()?;
        (&self.file).write_all(bytes).map_err(|e| Failure::writing(&self.name, &e))
    }

    /// Places of the file.
    pub(crate) fn places(&self) -> Places<'_> {
        Places { file: &self.file, name: &self.name }
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
