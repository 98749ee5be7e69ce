//! A folder of files that belong together, and may be written again.

use super::Destination;
use crate::failure::{Failure, Result, words};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Every file says early on that it was made here.
const BEGINNING: u64 = 4096;

/// Writes `files` into the folder `path`, which is made if it is not there. Each appears whole or not at all, in this
/// order. A file of the same name is replaced if `mark` is among its first bytes; any other makes the whole call fail
/// before anything is written.
pub(crate) fn write_folder(option: &str, path: &Path, files: &[(String, String)], mark: &str) -> Result<()> {
    let name = path.display().to_string();
    let wrong = |reason: &str| Failure::Input(format!("{option} {name}: {reason}"));
    match fs::metadata(path) {
        Ok(found) if !found.is_dir() => return Err(wrong("is no folder")),
        Ok(_) => {}
        Err(e) if e.kind() == ErrorKind::NotFound => fs::create_dir(path).map_err(|e| match e.kind() {
            ErrorKind::NotFound => wrong("the folder that it would be in is not there: make it first"),
            ErrorKind::AlreadyExists => wrong("is a link to nothing: make the folder that it names"),
            _ => wrong(&words(&e)),
        })?,
        Err(e) => return Err(wrong(&words(&e))),
    }
    let files: Vec<_> = files.iter().map(|(file, text)| (path.join(file), text)).collect();
    for (file, _) in &files {
        match begins_with_mark(file, mark) {
            Ok(true) => {}
            Ok(false) => {
                let file = file.display();
                return Err(wrong(&format!("{file} was not made by upsweep: move it away, or name another folder")));
            }
            Err(e) => return Err(wrong(&format!("{}: {}", file.display(), words(&e)))),
        }
    }
    for (file, text) in &files {
        let to = Destination::of(option, file)?;
        to.write(|out| out.write_all(text.as_bytes()).map_err(|e| Failure::writing(to.name(), &e)))?;
    }
    Ok(())
}

/// Whether nothing is lost when `path` is replaced.
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
