//! Folder of files that belong together, and may be written again.

use super::{Destination, Place, interrupt, written};
use crate::failure::{Failure, Result, called, words};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Number of bytes at the beginning of a file that are searched for the mark of a file made by the program.
const BEGINNING: u64 = 4096;

/// Folder and files that a call has made. They are removed on drop unless the call has succeeded.
#[derive(Default)]
struct Made {
    folder: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Drop for Made {
    fn drop(&mut self) {
        // If a file cannot be removed, it stays: the failure that is already reported probably has the same reason.
        self.files.iter().for_each(|file| _ = fs::remove_file(file));
        if let Some(folder) = &self.folder {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Writes `files`, pairs of a name and a text, into the folder `path`, which is made if it is not there. All are
/// written before the first takes its place: if one cannot be written, none is left and no file is replaced. A file of
/// the same name is replaced if `mark` is among its first bytes; any other makes the whole call fail before anything is
/// written.
pub(crate) fn write_folder(option: &str, path: &Path, files: &[(String, String)], mark: &str) -> Result<()> {
    let name = called(path);
    let wrong = |reason: &str| Failure::Input(format!("{option} {name}: {reason}"));
    let mut made = Made::default();
    interrupt::hold();
    match fs::metadata(path) {
        Ok(found) if !found.is_dir() => return Err(wrong("is no folder")),
        Ok(_) => {}
        Err(e) if e.kind() == ErrorKind::NotFound => {
            fs::create_dir(path).map_err(|e| match e.kind() {
                ErrorKind::NotFound => wrong("the folder that it would be in is not there: make it first"),
                ErrorKind::AlreadyExists => wrong("is a link to nothing: make the folder that it names"),
                _ => wrong(&words(&e)),
            })?;
            made.folder = Some(path.to_owned());
        }
        Err(e) => return Err(wrong(&words(&e))),
    }
    let files: Vec<_> = files.iter().map(|(file, text)| (path.join(file), text)).collect();
    for (file, _) in &files {
        match begins_with_mark(file, mark) {
            Ok(true) => {}
            Ok(false) => {
                let file = called(file);
                return Err(wrong(&format!("{file} was not made by upsweep: move it away, or name another folder")));
            }
            Err(e) => return Err(wrong(&format!("{}: {}", called(file), words(&e)))),
        }
    }
    let to = files.iter().map(|(file, _)| Destination::of(option, file)).collect::<Result<Vec<_>>>()?;
    let mut finished = Vec::with_capacity(files.len());
    for (to, (_, text)) in to.iter().zip(&files) {
        // The destination is a plain file, as it is new or has the mark, which only plain files have.
        let Place::File { path, folder } = &to.place else { continue };
        let failed = |e: &std::io::Error| Failure::writing(to.name(), e);
        let whole =
            written(path, folder, to.name(), &mut |out| out.write_all(text.as_bytes()).map_err(|e| failed(&e)))?;
        finished.push((whole, to.name(), path, folder));
    }
    for (whole, name, path, folder) in finished {
        let is_new = !path.exists();
        whole.place(path, folder).map_err(|e| Failure::writing(name, &e))?;
        made.files.extend(is_new.then(|| path.clone()));
    }
    // All files are in their places, so none is removed on drop.
    made.files.clear();
    made.folder = None;
    Ok(())
}

/// Whether nothing is lost if `path` is replaced: it does not exist, or it is a plain file with
/// `mark` among its first bytes.
fn begins_with_mark(path: &Path, mark: &str) -> std::io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => return Ok(false),
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(true),
        found => found?,
    };
    let mut start = Vec::new();
    File::open(path)?.take(BEGINNING).read_to_end(&mut start)?;
    Ok(String::from_utf8_lossy(&start).contains(mark))
}
