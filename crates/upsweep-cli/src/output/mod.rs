//! Destinations of results: a file that appears whole or not at all, an open stream, a device.

mod folder;
mod interrupt;
mod places;
mod stream;
mod terminal;
mod unfinished;

pub(crate) use folder::write_folder;
pub(crate) use interrupt::end_by;
pub(crate) use places::{Places, Scratch};

use crate::closed::was_closed;
use crate::failure::{Failure, Result, called, words};
use crate::packed::Packing;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use stream::{Inherited, Whose, holds_descriptors};
use terminal::Escaping;
use unfinished::Unfinished;

/// Destination of a result.
#[derive(Debug)]
pub(crate) struct Destination {
    /// Name of the destination in messages.
    name: String,
    place: Place,
    /// How the result is compressed, which the name of its file says.
    packing: Option<Packing>,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    StandardOutput,
    Descriptor(Inherited),
    /// Existing file that is not a plain one, such as a device. It is written in place.
    Special {
        path: PathBuf,
        append: bool,
    },
    /// Plain file in this existing folder. An old file of its name is replaced when the new one is finished.
    File {
        path: PathBuf,
        folder: PathBuf,
    },
}

impl Destination {
    pub(crate) fn standard_output() -> Self {
        Self { name: "standard output".to_owned(), place: Place::StandardOutput, packing: None }
    }

    /// Resolves the destination `path` of an option, and checks that it can be written. It must be called before the
    /// program opens anything: a descriptor's number then means what it means to the caller.
    pub(crate) fn of(option: &str, path: &Path) -> Result<Self> {
        let name = called(path);
        let wrong = |reason: &str| Err(Failure::Input(format!("{option} {name}: {reason}")));
        if path.as_os_str() == "-" {
            return Ok(Self::standard_output());
        }
        if fs::metadata(path).is_ok_and(|found| found.is_dir()) {
            return wrong("is a directory: name a file in it");
        }
        let packing = Packing::of_name(path);
        let (folder, path) = match resolve(path) {
            Ok(Resolved::File { folder, path }) => (folder, path),
            Ok(Resolved::Descriptor(found)) if found.is_standard_output() => return Ok(Self::standard_output()),
            Ok(Resolved::Descriptor(found)) => {
                return Ok(Self { name, place: Place::Descriptor(found), packing: None });
            }
            Ok(Resolved::ForeignDescriptor(path)) => {
                return Ok(Self { name, place: Place::Special { path, append: true }, packing });
            }
            Err(reason) => return wrong(&reason),
        };
        match fs::metadata(&path) {
            Ok(found) if !found.is_file() => {
                return Ok(Self { name, place: Place::Special { path, append: false }, packing });
            }
            Ok(found) if found.permissions().readonly() => return wrong("is read-only"),
            Ok(_) => {
                // A file that the user may not write is not replaced either, although its folder may allow it.
                if let Err(e) = OpenOptions::new().write(true).open(&path) {
                    return wrong(&words(&e));
                }
            }
            Err(_) => {}
        }
        Ok(Self { name, place: Place::File { path, folder }, packing })
    }

    /// Resolves the destinations of the options that were given, and fails if two of them are the same.
    pub(crate) fn several<const N: usize>(options: [(&str, &Option<PathBuf>); N]) -> Result<[Option<Self>; N]> {
        let mut found = [const { None }; N];
        for (k, (option, path)) in options.iter().enumerate() {
            let Some(path) = path else { continue };
            let one = Self::of(option, path)?;
            let same = found[..k].iter().position(|other: &Option<Self>| other.as_ref().is_some_and(|o| o.is(&one)));
            if let Some(other) = same {
                let other = options[other].0;
                return Err(Failure::Input(format!("{other} and {option} cannot both go to {}", one.name)));
            }
            found[k] = Some(one);
        }
        Ok(found)
    }

    /// Whether both destinations are one file or stream. Devices never are: a device takes the results of several
    /// options.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (&self.place, &other.place) {
            (Place::Special { .. }, _) => false,
            (Place::File { path, .. }, Place::File { path: other, .. }) => path == other || is_same_file(path, other),
            (one, other) => one == other,
        }
    }

    pub(crate) fn is_standard_output(&self) -> bool {
        self.place == Place::StandardOutput
    }

    pub(crate) fn is_plain_file(&self) -> bool {
        matches!(self.place, Place::File { .. })
    }

    /// Whether parts of the result can be written in any order: to a plain file that is not compressed.
    pub(crate) fn has_places(&self) -> bool {
        self.is_plain_file() && self.packing.is_none()
    }

    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.place, Place::StandardOutput | Place::Descriptor(_))
    }

    /// Folder of the result, if that becomes a file.
    pub(crate) fn folder(&self) -> Option<&Path> {
        if let Place::File { folder, .. } = &self.place { Some(folder) } else { None }
    }

    /// Name of the destination in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Lets `draw` write to standard output unchanged, with the colours of a terminal: data in it is escaped already.
    pub(crate) fn draw(draw: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        let to = Self::standard_output();
        to.open()?;
        let mut draw = Some(draw);
        let mut draw = |out: &mut (dyn Write + Send)| draw.take().map_or(Ok(()), |draw| draw(out));
        buffered(io::stdout(), &mut draw, |e| Failure::writing(to.name(), e))
    }

    /// Lets `write` write the whole result. If it fails, no new file is left and an old one is unchanged. On a
    /// terminal, control characters are escaped.
    pub(crate) fn write(&self, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        self.write_by_threads(|out| write(out))
    }

    /// Lets `write` write the whole result as [`write`](Self::write) does, its parts by any threads.
    pub(crate) fn write_by_threads(&self, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
        // `write_by` is compiled once for all results: it takes a closure that can be called again, and this one calls
        // the `FnOnce`.
        let mut write = Some(write);
        self.write_by(&mut |out| write.take().map_or(Ok(()), |write| write(out)))
    }

    /// Lets `write` write the whole result of a destination that [has places](Self::has_places), its parts in any order and
    /// by any threads. If it fails, no new file is left and an old one is unchanged. Fails for other destinations.
    pub(crate) fn write_places(&self, write: impl FnOnce(&Places<'_>) -> Result<()>) -> Result<()> {
        let name = &*self.name;
        let (Place::File { path, folder }, None) = (&self.place, self.packing) else {
            return Err(Failure::Run(format!("{name}: is no plain file")));
        };
        interrupt::release()?;
        let mut write = Some(write);
        let mut write = |file: &File| write.take().map_or(Ok(()), |write| write(&Places { file, name }));
        let unfinished = written_file(path, folder, name, &mut write)?;
        unfinished.place(path, folder).map_err(|e| Failure::writing(name, &e))
    }

    /// Fails if standard output was closed when the program started.
    fn open(&self) -> Result<()> {
        match was_closed(1) {
            false => Ok(()),
            true => Err(Failure::Run(format!("{}: is closed, and the result is lost: give -o FILE", self.name))),
        }
    }

    fn write_by(&self, write: &mut dyn FnMut(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
        interrupt::release()?;
        let name = &*self.name;
        let failed = |e: &io::Error| Failure::writing(name, e);
        let opened = |e: io::Error| Failure::input(name, words(&e));
        let mut packed = |out: &mut (dyn Write + Send)| match self.packing {
            Some(packing) => packing.write((out, name), write),
            None => write(out),
        };
        let write = &mut packed;
        match &self.place {
            Place::StandardOutput => {
                self.open()?;
                streamed(io::stdout(), write, failed)
            }
            Place::Descriptor(inherited) => streamed(inherited.open().map_err(opened)?, write, failed),
            Place::Special { path, append } => {
                let file = OpenOptions::new().write(true).append(*append).open(path).map_err(opened)?;
                streamed(file, write, failed)
            }
            Place::File { path, folder } => {
                let unfinished = written(path, folder, name, write)?;
                unfinished.place(path, folder).map_err(|e| failed(&e))
            }
        }
    }
}

/// Creates a file with the output of `write`, which can then become `path`. After the writing, signals are held.
fn written(
    path: &Path,
    folder: &Path,
    name: &str,
    write: &mut dyn FnMut(&mut (dyn Write + Send)) -> Result<()>,
) -> Result<Unfinished> {
    written_file(path, folder, name, &mut |file| {
        buffered(interrupt::Watched(file), write, |e| Failure::writing(name, e))
    })
}

/// Creates a file that `write` writes, and that can then become `path`. After the writing, signals are held.
fn written_file(
    path: &Path,
    folder: &Path,
    name: &str,
    write: &mut dyn FnMut(&File) -> Result<()>,
) -> Result<Unfinished> {
    let unfinished = begin(path, folder, name)?;
    let written = write(unfinished.file());
    interrupt::hold();
    interrupt::check()?;
    written.map(|()| unfinished)
}

/// Creates a file that can become `path`. If its folder takes no new file and `path` exists, the file is created in the
/// folder for temporary files, and its content is copied to `path` in the end.
fn begin(path: &Path, folder: &Path, name: &str) -> Result<Unfinished> {
    let refused = match Unfinished::new(path, folder) {
        Ok(unfinished) => return Ok(unfinished),
        Err(e) if !unfinished::is_refusal(&e) => return Err(Failure::writing(name, &e)),
        Err(e) => words(&e),
    };
    if !path.exists() {
        return Err(Failure::input(name, format!("the folder {} takes no new file: {refused}", called(folder))));
    }
    let elsewhere = std::env::temp_dir();
    Unfinished::new(path, &elsewhere).map_err(|e| {
        let (folder, elsewhere) = (called(folder), called(&elsewhere));
        let reason = format!("the folder {folder} takes no new file ({refused}), nor does {elsewhere}: {}", words(&e));
        Failure::input(name, reason)
    })
}

/// Kind of file to which a path leads.
enum Resolved {
    File {
        folder: PathBuf,
        path: PathBuf,
    },
    Descriptor(Inherited),
    /// Open file of another process, by its path in `/proc`.
    ForeignDescriptor(PathBuf),
}

/// Follows links, including those to files that do not exist yet. Descriptors look like links to files, but stay
/// descriptors: their file was opened for appending, is at some position, or has no name.
fn resolve(path: &Path) -> std::result::Result<Resolved, String> {
    // Maximum number of links in a row, as many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..=MOST_LINKS {
        let name = path.file_name().ok_or("names no file")?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let real = match fs::canonicalize(folder) {
            Ok(real) if real.is_dir() => real,
            Err(e) if e.kind() == ErrorKind::NotFound => {
                return Err(format!("there is no folder {}: make it first", called(folder)));
            }
            Err(e) if e.kind() != ErrorKind::NotADirectory => {
                return Err(format!("{}: {}", called(folder), words(&e)));
            }
            _ => return Err(format!("{} is no folder", called(folder))),
        };
        let here = real.join(name);
        if let Some(number) = name.to_str().and_then(|name| name.parse().ok()) {
            match holds_descriptors(&real) {
                Some(Whose::Own) => {
                    let found = Inherited::find(number, &here);
                    return found.map(Resolved::Descriptor).ok_or_else(|| format!("descriptor {number} is not open"));
                }
                Some(Whose::Foreign) => return Ok(Resolved::ForeignDescriptor(here)),
                None => {}
            }
        }
        match fs::read_link(&here) {
            Ok(target) => path = real.join(target),
            Err(_) => return Ok(Resolved::File { folder: real, path: here }),
        }
    }
    Err(format!("is a link that leads back to itself, or through more than {MOST_LINKS} others"))
}

#[cfg(unix)]
fn is_same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    matches!((id(a), id(b)), (Ok(a), Ok(b)) if a == b)
}

#[cfg(not(unix))]
fn is_same_file(_: &Path, _: &Path) -> bool {
    // The same file has the same path, as both paths are canonical.
    false
}

/// Lets `write` write to the stream `out`. Control characters are escaped if it is a terminal.
fn streamed<W: Write + IsTerminal + Send>(
    out: W,
    write: &mut dyn FnMut(&mut (dyn Write + Send)) -> Result<()>,
    failed: impl Fn(&io::Error) -> Failure,
) -> Result<()> {
    if out.is_terminal() { buffered(Escaping::new(out), write, failed) } else { buffered(out, write, failed) }
}

fn buffered<W: Write + Send>(
    out: W,
    write: &mut dyn FnMut(&mut (dyn Write + Send)) -> Result<()>,
    failed: impl Fn(&io::Error) -> Failure,
) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, out);
    match write(&mut out).and_then(|()| out.flush().map_err(|e| failed(&e))) {
        Ok(()) => Ok(()),
        Err(failure) => {
            // The rest of the buffer belongs to a result that failed, so it is dropped without being written.
            let _ = out.into_parts();
            Err(failure)
        }
    }
}
