//! Where results go: a file that appears whole or not at all, a device file, standard output.

use crate::failure::{Failure, Result, quoted, words};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};

/// Where a result goes.
#[derive(Debug)]
pub(crate) enum Destination {
    StandardOutput,
    /// A file that is there and is no plain one, such as a device: written as it is.
    Special(PathBuf),
    /// A file that is made in this folder and then takes its name.
    File {
        path: PathBuf,
        folder: PathBuf,
    },
}

impl Destination {
    /// Where `-o path` goes, if something can be written there.
    pub(crate) fn new(path: Option<&Path>) -> Result<Self> {
        path.map_or(Ok(Self::StandardOutput), |path| Self::of("-o", path))
    }

    /// Where `option path` goes, if something can be written there.
    pub(crate) fn of(option: &str, path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::StandardOutput);
        }
        let wrong = |reason: &str| Err(Failure::Input(format!("{option} {}: {reason}", path.display())));
        // A link keeps pointing where it does: the file behind it is what gets replaced.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return wrong("is a directory: name a file in it"),
            Ok(found) if !found.is_file() => return Ok(Self::Special(path.clone())),
            Ok(found) if found.permissions().readonly() => return wrong("is read-only"),
            _ => {}
        }
        if path.file_name().is_none() {
            return wrong("names no file");
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        match fs::metadata(folder) {
            Ok(found) if found.is_dir() => Ok(Self::File { path: path.clone(), folder: folder.to_owned() }),
            Ok(_) => wrong(&format!("{} is no folder", folder.display())),
            Err(_) => wrong(&format!("there is no folder {}: make it first", folder.display())),
        }
    }

    /// How messages call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::StandardOutput => "standard output".to_owned(),
            Self::Special(path) | Self::File { path, .. } => path.display().to_string(),
        }
    }

    /// Lets `write` write the whole result. If it fails, nothing is left of a file.
    pub(crate) fn write(&self, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        let name = self.name();
        let failed = |e: &std::io::Error| Failure::writing(&name, e);
        match self {
            Self::StandardOutput => buffered(std::io::stdout().lock(), write, failed),
            Self::Special(path) => {
                let file = OpenOptions::new().write(true).open(path).map_err(|e| Failure::input(&name, words(&e)))?;
                buffered(file, write, failed)
            }
            Self::File { path, folder } => {
                let mut builder = tempfile::Builder::new();
                builder.prefix(".upsweep-").suffix(".part");
                if let Some(permissions) = permissions(path) {
                    builder.permissions(permissions);
                }
                let file = builder.tempfile_in(folder).map_err(|e| match e.kind() {
                    std::io::ErrorKind::PermissionDenied => Failure::input(&name, words(&e)),
                    _ => failed(&e),
                })?;
                remove_when_interrupted(file.path());
                let done = buffered(file.as_file(), write, failed)
                    .and_then(|()| file.persist(path).map(|_: File| ()).map_err(|e| failed(&e.error)));
                forget();
                done
            }
        }
    }
}

/// Makes the folder `path` of `files`, all of them or none. What is there already must be empty, or hold nothing but files
/// of these names.
pub(crate) fn write_folder(option: &str, path: &Path, files: &[(String, String)]) -> Result<()> {
    let name = path.display().to_string();
    let wrong = |reason: &str| Failure::Input(format!("{option} {name}: {reason}"));
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let exists = fs::symlink_metadata(path).is_ok();
    if exists {
        let entries = fs::read_dir(path).map_err(|e| wrong(&words(&e)))?;
        for entry in entries {
            let found = entry.map_err(|e| Failure::reading(&name, &e))?.file_name();
            if !files.iter().any(|(file, _)| found == **file) {
                return Err(wrong(&format!(
                    "holds {}, which is no page: name a new folder",
                    quoted(&found.to_string_lossy())
                )));
            }
        }
    }
    if path.file_name().is_none() {
        return Err(wrong("names no folder"));
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !parent.is_dir() {
        return Err(wrong(&format!("there is no folder {}: make it first", parent.display())));
    }
    let failed = |e: &std::io::Error| Failure::writing(&name, e);
    let folder = || {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".upsweep-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o777));
        }
        builder.tempdir_in(parent).map_err(|e| match e.kind() {
            std::io::ErrorKind::PermissionDenied => wrong(&words(&e)),
            _ => failed(&e),
        })
    };
    let made = folder()?;
    remove_when_interrupted(made.path());
    let done =
        files.iter().try_for_each(|(file, text)| fs::write(made.path().join(file), text)).map_err(|e| failed(&e));
    forget();
    done?;
    if exists {
        // The old pages go when the new ones are in their place, and come back if these do not get there.
        let old = folder()?;
        let kept = old.path().join("old");
        fs::rename(path, &kept).map_err(|e| failed(&e))?;
        if let Err(e) = fs::rename(made.path(), path) {
            let _ = fs::rename(&kept, path);
            return Err(failed(&e));
        }
    } else {
        fs::rename(made.path(), path).map_err(|e| failed(&e))?;
    }
    Ok(())
}

fn buffered<W: Write>(
    out: W,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
    failed: impl Fn(&std::io::Error) -> Failure,
) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, out);
    match write(&mut out).and_then(|()| out.flush().map_err(|e| failed(&e))) {
        Ok(()) => Ok(()),
        Err(failure) => {
            // What is still in the buffer belongs to a result that is not wanted any more.
            let _ = out.into_parts();
            Err(failure)
        }
    }
}

/// The permissions of the file that `path` replaces, or those of any new file.
fn permissions(path: &Path) -> Option<fs::Permissions> {
    if let Ok(found) = fs::metadata(path) {
        return Some(found.permissions());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The process's mask takes away from it.
        Some(fs::Permissions::from_mode(0o666))
    }
    #[cfg(not(unix))]
    None
}

/// The unfinished file or folder, for the handler of Ctrl-C.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn set_unfinished(path: Option<PathBuf>) {
    *UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = path;
}

fn remove_when_interrupted(path: &Path) {
    static HANDLER: Once = Once::new();
    set_unfinished(Some(path.to_owned()));
    HANDLER.call_once(|| {
        // Without a handler Ctrl-C still ends the program, and only leaves the unfinished file.
        let _ = ctrlc::set_handler(|| {
            let unfinished = UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Some(path) = &*unfinished {
                let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
            }
            // What a shell expects of a program that an interrupt ended.
            std::process::exit(130);
        });
    });
}

fn forget() {
    set_unfinished(None);
}
