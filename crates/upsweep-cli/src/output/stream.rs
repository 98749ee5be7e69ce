//! Descriptors that were open when the program started: `/dev/fd/3`, `/dev/stderr`.

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

/// Whether the descriptor is open.
pub(super) fn is_open(number: i32) -> bool {
    fs::metadata(Path::new("/dev/fd").join(number.to_string())).is_ok()
}

/// The open file behind descriptor `number`, which was open before the program opened anything: it goes on at its position,
/// which whoever opened it shares. `/dev/fd/N` opened by name would begin at the file's start.
#[cfg(unix)]
#[allow(unsafe_code, reason = "std has no other way to a descriptor by its number")]
pub(super) fn open(number: i32) -> io::Result<File> {
    use std::os::fd::BorrowedFd;
    // SAFETY: the number is not -1 because a name in /dev/fd says it, and `is_open` saw it open before the program
    // opened anything. So it belongs to no value of this program, and nothing here closes it.
    let inherited = unsafe { BorrowedFd::borrow_raw(number) };
    inherited.try_clone_to_owned().map(File::from)
}

#[cfg(not(unix))]
pub(super) fn open(_: i32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
