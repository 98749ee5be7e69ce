//! Descriptors that were open when the program started: `/dev/fd/3`, `/dev/stderr`.

use crate::closed::was_closed;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Whose open files a folder lists.
pub(super) enum Whose {
    Own,
    Foreign,
}

/// Whose open files the folder lists, if it does that: `/dev/fd`, or `/proc/PID/fd`. `folder` is canonical.
pub(super) fn holds_descriptors(folder: &Path) -> Option<Whose> {
    if folder == Path::new("/dev/fd") {
        return Some(Whose::Own);
    }
    if !folder.starts_with("/proc") || !folder.ends_with("fd") {
        return None;
    }
    // A thread's folder lies in its process's.
    match fs::canonicalize("/proc/self") {
        Ok(own) if folder.starts_with(&own) => Some(Whose::Own),
        _ => Some(Whose::Foreign),
    }
}

/// A descriptor that was open before the program opened anything, and so belongs to no value of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Inherited(i32);

impl Inherited {
    /// Descriptor `number`, if `listed`, its name in a folder of this process's open files, is there. It must be called
    /// before the program opens anything.
    pub(super) fn find(number: i32, listed: &Path) -> Option<Self> {
        let was_open = usize::try_from(number).is_ok_and(|number| !was_closed(number));
        (was_open && fs::metadata(listed).is_ok()).then_some(Self(number))
    }

    pub(super) fn is_standard_output(&self) -> bool {
        self.0 == 1
    }

    /// The open file: it goes on at its position, which whoever opened it shares. Its name, opened, would begin at the
    /// file's start.
    #[cfg(unix)]
    #[allow(unsafe_code, reason = "std has no other way to a descriptor by its number")]
    pub(super) fn open(&self) -> io::Result<File> {
        use std::os::fd::BorrowedFd;
        // SAFETY: `find` saw that it is not -1 and that it was open. The program did not open it, so nothing in the program
        // closes it.
        let inherited = unsafe { BorrowedFd::borrow_raw(self.0) };
        inherited.try_clone_to_owned().map(File::from)
    }

    #[cfg(not(unix))]
    pub(super) fn open(&self) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
