//! Parquet and Arrow that can be read only once, from a pipe or packed: they are kept in a file without a name.
//!
//! A stream of Arrow becomes a file of Arrow there, batch by batch. It has other dictionaries than a file may have, one after
//! the other, so that columns with dictionaries are turned into columns without.

use super::damage::{damaged, guarded};
use super::values::{flat_schema, with_schema};
use crate::failure::{Failure, Result, called};
use crate::names::Columnar;
use crate::source::{STANDARD_INPUT, Source, read_at, standard_input};
use crate::start::{may_become, start};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use std::io::{self, BufReader, BufWriter, Cursor, Read};
use std::path::Path;

/// First bytes of a file of Arrow. A stream has none of its own.
const FILE: &[u8] = b"ARROW1";

/// Opens a file of this kind, or standard input, as a plain file. Returns its name in messages, too.
pub(super) fn open(path: &Path, kind: Columnar) -> Result<(Source, String)> {
    if path.as_os_str() == "-" {
        let name = STANDARD_INPUT.to_owned();
        return Ok((kept(&mut standard_input()?, kind, &name)?, name));
    }
    let name = called(path);
    let source = Source::open(path, &name)?;
    let is_file = |source: &Source| {
        let mut begin = [0; FILE.len()];
        let read = read_at(&source.file, &mut begin, 0);
        kind == Columnar::Parquet || read.is_ok_and(|read| read < begin.len() || begin == FILE)
    };
    if source.size().is_some() && is_file(&source) {
        return Ok((source, name));
    }
    // What was read so far are bytes before the reader.
    let kept = kept(&mut source.reader(), kind, &name)?;
    source.check_unchanged(&name)?;
    Ok((kept, name))
}

fn kept(reader: &mut dyn Read, kind: Columnar, name: &str) -> Result<Source> {
    let begin = start(reader, FILE.len(), |begin| begin.is_empty() || may_become(FILE, begin));
    let begin = begin.map_err(|e| Failure::reading(name, &e))?;
    if begin.is_empty() {
        return Err(Failure::input(name, format!("is empty, as no file of {} is", kind.name())));
    }
    let is_file = kind == Columnar::Parquet || begin == FILE;
    let mut reader = Cursor::new(begin).chain(reader);
    if is_file { Source::keep(&mut reader, name) } else { file_of(&mut reader, name) }
}

/// Makes a file of a stream.
fn file_of(reader: &mut dyn Read, name: &str) -> Result<Source> {
    let reader = Marked { reader: BufReader::new(reader), met_end: false };
    let mut stream = read(name, || StreamReader::try_new(reader, None))?;
    let schema = flat_schema(&stream.schema());
    let kept = Source::kept(name, |file, failed| {
        let failed = |e: ArrowError| match e {
            ArrowError::IoError(_, e) => failed(e),
            e => Failure::Run(format!("{name}: {e}")),
        };
        let mut file = FileWriter::try_new(BufWriter::new(file), &schema).map_err(failed)?;
        while let Some(batch) = read(name, || stream.next().transpose())? {
            file.write(&with_schema(&batch, &schema)?).map_err(failed)?;
        }
        file.finish().map_err(failed)
    })?;
    let reader = stream.get_mut();
    let wrong = |reason| Err(damaged(Columnar::Arrow, name, reason));
    if reader.met_end {
        return wrong("its stream has no end: it was cut short, or its writer was not closed");
    }
    match reader.read(&mut [0]) {
        Ok(0) => Ok(kept),
        Ok(_) => wrong("there is something behind the end of its stream"),
        Err(e) => Err(Failure::reading(name, &e)),
    }
}

/// Lets `read` read what may be damaged.
fn read<T>(name: &str, read: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    let damaged = |reason: &str| damaged(Columnar::Arrow, name, reason);
    guarded(|| Ok(read())).map_err(|panicked| damaged(&panicked))?.map_err(|e| match e {
        ArrowError::IoError(_, e) if e.kind() != io::ErrorKind::UnexpectedEof => Failure::reading(name, &e),
        e => damaged(&e.to_string()),
    })
}

/// Reader that notes whether a read met the end. A stream that has a mark at its end is read no further than that; to the reader of
/// streams, one that has none is whole, too.
struct Marked<R> {
    reader: R,
    met_end: bool,
}

impl<R: Read> Read for Marked<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(bytes)?;
        self.met_end |= read == 0 && !bytes.is_empty();
        Ok(read)
    }
}
