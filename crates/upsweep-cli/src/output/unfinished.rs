//! Output file that is being written and has not replaced its target yet.

use super::interrupt;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek};
use std::path::Path;
use tempfile::TempPath;

/// Unfinished file. On Linux it has no name where the file system can do that: nothing is left of it when the process
/// ends, however it ends.
#[derive(Debug)]
pub(super) struct Unfinished {
    file: File,
    name: Option<TempPath>,
}

impl Unfinished {
    /// Creates a file in `folder` that can become `target`.
    pub(super) fn new(target: &Path, folder: &Path) -> io::Result<Self> {
        let unfinished = match nameless(folder) {
            Some(file) => Self { file, name: None },
            None => Self::named(target, folder)?,
        };
        if let Ok(found) = fs::metadata(target) {
            take_over(&unfinished.file, &found)?;
        }
        Ok(unfinished)
    }

    fn named(target: &Path, folder: &Path) -> io::Result<Self> {
        interrupt::hold();
        let prefix = prefix(target);
        let mut builder = builder(&prefix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Permissions of any new file, from which the process's umask takes some away.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let (file, name) = builder.tempfile_in(folder)?.into_parts();
        Ok(Self { file, name: Some(name) })
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Gives the finished file the name `target`, in `folder`. If the system refuses to replace an existing file, the
    /// content of that is overwritten instead.
    pub(super) fn place(self, target: &Path, folder: &Path) -> io::Result<()> {
        let Self { file, name } = self;
        let placed = match name {
            Some(name) => name.persist(target).map_err(|e| e.error),
            None => match link(&file, target) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists => builder(&prefix(target))
                    .make_in(folder, |path| link(&file, path))
                    .and_then(|named| named.into_temp_path().persist(target).map_err(|e| e.error)),
                linked => linked,
            },
        };
        match placed {
            Err(e) if is_refusal(&e) && target.exists() => overwrite(&file, target),
            placed => placed,
        }
    }
}

/// Gives a file the owner, the group and the permissions of the one that it replaces, `old`, as far as the system lets
/// this process. A set-user-ID or set-group-ID bit is not taken over, as it was given to another content. If the group
/// cannot be kept, the new group gets no more rights than everybody has.
#[cfg(unix)]
fn take_over(file: &File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    // Most processes may not give a file to another user; the owner may give it to another of their groups.
    let _ = fchown(file, Some(old.uid()), None);
    let _ = fchown(file, None, Some(old.gid()));
    let mode = old.mode() & 0o777;
    let same_group = file.metadata()?.gid() == old.gid();
    let mode = if same_group { mode } else { mode & (0o707 | (mode & 0o007) << 3) };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn take_over(file: &File, old: &fs::Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// Whether the error refuses to create or replace a file whose content may still be writable.
pub(super) fn is_refusal(error: &io::Error) -> bool {
    use ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(error.kind(), CrossesDevices | PermissionDenied | ReadOnlyFilesystem | ResourceBusy)
}

fn overwrite(mut file: &File, target: &Path) -> io::Result<()> {
    let mut out = OpenOptions::new().write(true).open(target)?;
    file.rewind()?;
    let len = io::copy(&mut file, &mut out)?;
    out.set_len(len)
}

/// Beginning of a temporary file's name. It has the target's name, for the case that the file stays.
fn prefix(target: &Path) -> OsString {
    // Maximum number of characters from the target's name. A name has at most 255 bytes, and a character at most four.
    const LONGEST: usize = 50;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    format!(".{}.upsweep-", name.chars().take(LONGEST).collect::<String>()).into()
}

fn builder(prefix: &OsString) -> tempfile::Builder<'_, '_> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(".part");
    builder
}

#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> Option<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    // Without /proc, a file without a name cannot get one later.
    if !Path::new(DESCRIPTORS).exists() {
        return None;
    }
    openat(CWD, folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, Mode::from_raw_mode(0o666))
        .map(File::from)
        .ok()
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> Option<File> {
    None
}

#[cfg(target_os = "linux")]
const DESCRIPTORS: &str = "/proc/self/fd";

/// Gives the name `path` to a file without a name.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let unnamed = Path::new(DESCRIPTORS).join(file.as_raw_fd().to_string());
    Ok(linkat(CWD, unnamed, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::io::Write;

    /// Tests files with a name and without, where the target does not exist, where it is replaced, and where it can
    /// only be overwritten.
    #[test]
    fn every_way_to_take_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect::<Vec<_>>();
        let target = folder.path().join("out.npy");
        for make in [Unfinished::new, Unfinished::named] {
            for old in [None, Some("an old and longer content")] {
                for in_place in [false, true] {
                    if let Some(old) = old {
                        fs::write(&target, old).unwrap();
                    }
                    let unfinished = make(&target, folder.path()).unwrap();
                    for name in names().iter().filter(|&name| *name != "out.npy") {
                        let name = name.to_string_lossy();
                        assert!(name.starts_with(".out.npy.upsweep-") && name.ends_with(".part"), "{name}");
                    }
                    unfinished.file().write_all(b"new").unwrap();
                    if in_place && old.is_some() {
                        overwrite(&unfinished.file, &target).unwrap();
                        drop(unfinished);
                    } else {
                        unfinished.place(&target, folder.path()).unwrap();
                    }
                    assert_eq!((fs::read(&target).unwrap(), names()), (b"new".to_vec(), vec!["out.npy".into()]));
                    fs::remove_file(&target).unwrap();
                }
            }
        }
        // The longest name that a file can have.
        let target = folder.path().join("é".repeat(127));
        for make in [Unfinished::new, Unfinished::named] {
            fs::write(&target, "old").unwrap();
            make(&target, folder.path()).unwrap().place(&target, folder.path()).unwrap();
            assert_eq!(names().len(), 1);
        }
    }
}
