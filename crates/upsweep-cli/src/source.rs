//! Input files, and standard input, unpacked where they are compressed.

use crate::closed::was_closed;
use crate::failure::{Failure, Result, called, words};
use crate::names;
use crate::packed::{self, Packing};
use crate::start;
use crate::text::{self, Text, TextForm};
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::SystemTime;

/// Name of standard input in messages.
pub(crate) const STANDARD_INPUT: &str = "standard input";

/// Whether `path` is standard input: `-`, or a name that the system has for it.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|name| path.as_os_str() == *name)
}

/// Returns a reader of standard input, unpacked if it is compressed. Fails if it was closed when the program started.
pub(crate) fn standard_input() -> Result<Box<dyn Read>> {
    check_open(STANDARD_INPUT)?;
    let mut stdin = io::stdin().lock();
    let start = start::start(&mut stdin, packed::MARK, Packing::may_become);
    let start = start.map_err(|e| Failure::reading(STANDARD_INPUT, &e))?;
    Ok(unpacked(Packing::of_start(&start), io::Cursor::new(start).chain(stdin)))
}

/// Whether a read of standard input would wait for what is still to come. On systems that do not tell: always.
pub(crate) fn would_wait() -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdin = io::stdin();
        poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) == Ok(0)
    }
    #[cfg(not(target_os = "linux"))]
    true
}

/// Reader of standard input that calls `before` whenever it would wait.
pub(crate) struct Waiting<F> {
    stdin: Box<dyn Read>,
    before: F,
}

impl<F: FnMut() -> io::Result<()>> Waiting<F> {
    pub(crate) fn new(before: F) -> Result<Self> {
        Ok(Self { stdin: standard_input()?, before })
    }
}

impl<F: FnMut() -> io::Result<()>> Read for Waiting<F> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if would_wait() {
            (self.before)()?;
        }
        self.stdin.read(bytes)
    }
}

/// Reads as many bytes as show whether a file is compressed, fewer if it ends before.
fn start(reader: &mut dyn Read, name: &str) -> Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(packed::MARK as u64).read_to_end(&mut start).map_err(|e| Failure::reading(name, &e))?;
    Ok(start)
}

fn unpacked<'a>(packing: Option<Packing>, reader: impl Read + 'a) -> Box<dyn Read + 'a> {
    match packing {
        Some(packing) => packing.reader(reader),
        None => Box::new(reader),
    }
}

/// Fails if standard input, which messages call `name`, was closed when the program started.
fn check_open(name: &str) -> Result<()> {
    match was_closed(0) {
        true => Err(Failure::Run(format!("{name}: is closed, so there is nothing to read"))),
        false => Ok(()),
    }
}

/// Input file that is open.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) file: File,
    is_plain: bool,
    /// How the file is compressed, if it is.
    packing: Option<Packing>,
    /// First bytes of a file that can be read once.
    start: Vec<u8>,
    /// How the text in the file comes, if it is one.
    form: TextForm,
    /// Size in bytes, and time of the last write, when the file was opened.
    stamp: (u64, Option<SystemTime>),
}

impl Source {
    /// Opens the file `path`, which messages call `name`, for reading. Its first bytes tell whether it is compressed.
    pub(crate) fn open(path: &Path, name: &str) -> Result<Self> {
        Self::open_as(path, name, true)
    }

    /// Opens a file of raw values. They may begin with any bytes, so it is compressed only if its name says so, too.
    pub(crate) fn open_raw(path: &Path, name: &str) -> Result<Self> {
        Self::open_as(path, name, false)
    }

    fn open_as(path: &Path, name: &str, has_mark: bool) -> Result<Self> {
        if is_standard_input(path) {
            check_open(name)?;
        }
        let wrong = |e: io::Error| Failure::input(name, words(&e));
        let file = File::open(path).map_err(wrong)?;
        let metadata = file.metadata().map_err(wrong)?;
        if metadata.is_dir() {
            return Err(Failure::input(name, "is a directory: name a file in it"));
        }
        let is_named = Packing::of_name(path).is_some();
        let is_looked_at = has_mark && names::raw_type(path).is_none() || is_named;
        let start = if is_looked_at { start(&mut &file, name)? } else { Vec::new() };
        let packing = Packing::of_start(&start);
        if is_named && packing.is_none() && start.len() < packed::MARK {
            return Err(Failure::input(name, "is named like a compressed file, and is empty or was cut short"));
        }
        Ok(Self {
            file,
            is_plain: metadata.is_file(),
            packing,
            start,
            form: TextForm::default(),
            stamp: stamp(&metadata),
        })
    }

    /// Standard input, whose text another reader reads.
    #[cfg(unix)]
    pub(crate) fn of_standard_input(form: TextForm) -> Result<Self> {
        use std::os::fd::AsFd;
        let wrong = |e: io::Error| Failure::reading(STANDARD_INPUT, &e);
        let file = File::from(io::stdin().as_fd().try_clone_to_owned().map_err(wrong)?);
        let stamp = stamp(&file.metadata().map_err(wrong)?);
        Ok(Self { file, is_plain: false, packing: None, start: Vec::new(), form, stamp })
    }

    /// Returns a reader of the file, unpacked if it is compressed. It may be called once.
    pub(crate) fn reader(&self) -> Box<dyn Read + '_> {
        unpacked(self.packing, self.start.chain(&self.file))
    }

    /// Turns the file into a reader of it, as [`reader`](Self::reader) does.
    pub(crate) fn into_reader(self) -> Box<dyn Read> {
        unpacked(self.packing, io::Cursor::new(self.start).chain(self.file))
    }

    /// Returns the same open file, to read its [text](Self::text) once more.
    pub(crate) fn again(&self, name: &str) -> Result<Self> {
        let file = self.file.try_clone().map_err(|e| Failure::reading(name, &e))?;
        Ok(Self { file, start: Vec::new(), ..*self })
    }

    /// Sets how the text in the file comes.
    pub(crate) fn with_form(self, form: TextForm) -> Self {
        Self { form, ..self }
    }

    /// Whether rows of a table in the file may have fewer cells than the first one.
    pub(crate) fn is_ragged(&self) -> bool {
        self.form.ragged
    }

    /// Opens the text in a [plain](Self::is_plain) file from its begin, whatever was read before.
    pub(crate) fn text(&self, name: &str) -> Result<Text<'_>> {
        (&self.file).rewind().map_err(|e| Failure::reading(name, &e))?;
        text::open(unpacked(self.packing, &self.file), self.form, name)
    }

    /// Copies all of `reader`, which messages call `name`, into a temporary file without a name, because a table is
    /// read more than once.
    pub(crate) fn keep(reader: &mut dyn Read, name: &str) -> Result<Self> {
        Self::kept(name, |file, failed| {
            let mut buffer = vec![0; 1 << 18];
            loop {
                let read = match reader.read(&mut buffer) {
                    Ok(0) => return Ok(()),
                    Ok(read) => read,
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                    Err(e) => return Err(Failure::reading(name, &e)),
                };
                file.write_all(&buffer[..read]).map_err(failed)?;
            }
        })
    }

    /// Lets `write` write what has the name `name` in messages to a temporary file without a name. An error of the file is given to
    /// the second argument, which says that.
    pub(crate) fn kept(
        name: &str,
        write: impl FnOnce(&mut File, &dyn Fn(io::Error) -> Failure) -> Result<()>,
    ) -> Result<Self> {
        let failed = |e: io::Error| {
            Failure::Run(format!("{name}: keeping it in {}: {}", called(&std::env::temp_dir()), words(&e)))
        };
        let mut file = tempfile::tempfile().map_err(failed)?;
        write(&mut file, &failed)?;
        file.rewind().map_err(failed)?;
        Self::of_file(file).map_err(failed)
    }

    /// Makes a source of a file without a name, which was written.
    pub(crate) fn of_file(file: File) -> io::Result<Self> {
        let stamp = stamp(&file.metadata()?);
        Ok(Self { file, is_plain: true, packing: None, start: Vec::new(), form: TextForm::default(), stamp })
    }

    /// Whether the file is a plain one, which can be read twice.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The file itself, if its content can be read at any place: it is a plain file, and not compressed.
    pub(crate) fn plain_file(&self) -> Option<&File> {
        Some(&self.file).filter(|_| self.is_plain && self.packing.is_none())
    }

    /// Size in bytes of the content, if known. It is not for compressed files, nor for files with 0 bytes, as the system
    /// reports those that it makes up while they are read.
    pub(crate) fn size(&self) -> Option<u64> {
        Some(self.stamp.0).filter(|&size| self.plain_file().is_some() && size > 0)
    }

    /// Fails if the file is a plain one and was written, cut or appended to since it was opened.
    pub(crate) fn check_unchanged(&self, name: &str) -> Result<()> {
        let metadata = self.file.metadata().map_err(|e| Failure::reading(name, &e))?;
        match self.is_plain && stamp(&metadata) != self.stamp {
            true => Err(Failure::changed(name)),
            false => Ok(()),
        }
    }
}

/// Reads some bytes at an offset of a file, and leaves its position alone.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

/// Fails: the system has no such call.
#[cfg(not(unix))]
pub(crate) fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

fn stamp(metadata: &Metadata) -> (u64, Option<SystemTime>) {
    (metadata.len(), metadata.modified().ok())
}
