//! Descriptors that were open when the program started: `/dev/fd/3`, `/dev/stderr`.

use crate::closed::was_closed;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Process whose open files a folder lists: this one or another.
pub(super) enum Whose {
    Own,
    Foreign,
}

/// Returns whose open files the folder lists, if it is `/dev/fd` or `/proc/PID/fd`. `folder` is a canonical path.
pub(super) fn holds_descriptors(folder: &Path) -> Option<Whose> {
    if folder == Path::new("/dev/fd") {
        return Some(Whose::Own);
    }
    if !folder.starts_with("/proc") || !folder.ends_with("fd") {
        return None;
    }
    // The folder of a thread lies in the folder of its process, so its descriptors are this process's, too.
    match fs::canonicalize("/proc/self") {
        Ok(own) if folder.starts_with(&own) => Some(Whose::Own),
        _ => Some(Whose::Foreign),
    }
}

/// Descriptor that was open before the program opened anything, so that no value of the program owns it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Inherited(i32);

impl Inherited {
    /// Returns descriptor `number` if it was open when the program started. `listed` is its path in a folder of this
    /// process's open files. It must be called before the program opens anything.
    pub(super) fn find(number: i32, listed: &Path) -> Option<Self> {
        let was_open = usize::try_from(number).is_ok_and(|number| !was_closed(number));
        (was_open && fs::metadata(listed).is_ok()).then_some(Self(number))
    }

    pub(super) fn is_standard_output(&self) -> bool {
        self.0 == 1
    }

    /// Opens the descriptor's file at its position, which the process that opened the file shares. Opened by its name,
    /// the file would begin at its start.
    #[cfg(unix)]
    #[allow(unsafe_code, reason = "std has no other way to a descriptor by its number")]
    pub(super) fn open(&self) -> io::Result<File> {
        use std::os::fd::BorrowedFd;
        // SAFETY: `find` has checked that the number is not -1 and that the descriptor was open. The program did not
        // open it, so nothing in the program closes it.
        let inherited = unsafe { BorrowedFd::borrow_raw(self.0) };
        inherited.try_clone_to_owned().map(File::from)
    }

    #[cfg(not(unix))]
    pub(super) fn open(&self) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
