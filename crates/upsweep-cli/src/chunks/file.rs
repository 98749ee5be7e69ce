//! Array in a plain file, or in several, of which threads read any part.

use crate::args::Common;
use crate::element::{Type, Value, Values, with_values};
use crate::failure::{Failure, Result, called};
use crate::input::{self, Form, Input};
use crate::names;
use crate::npy;
use crate::output::Scratch;
use crate::source::{Source, is_standard_input, read_at};
use crate::threads;
use std::convert::Infallible;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read};
use std::ops::Range;
use std::path::Path;

/// Array in a plain file, row-major; or in several, one after the other.
#[derive(Debug)]
pub(crate) struct ArrayFile {
    pieces: Vec<Piece>,
    /// Name of the files in messages.
    pub(crate) name: String,
    pub(crate) element: Type,
    pub(crate) shape: Vec<usize>,
    pub(crate) len: usize,
    pub(crate) form: Form,
}

/// Part of the array that is in one file.
#[derive(Debug)]
struct Piece {
    source: Source,
    /// Name of the file in messages.
    name: String,
    /// Indices in the array of the file's values.
    range: Range<usize>,
    /// Offset in bytes of the first value.
    begin: u64,
    /// Whether the byte order of the values is the reverse of this machine's.
    swapped: bool,
}

impl ArrayFile {
    /// Opens the files that the command line names, if each is a whole array that needs no conversion of its file. `None`:
    /// [`input::load`] reads them, or says what is wrong with them.
    pub(crate) fn open(args: &Common) -> Result<Option<Self>> {
        let of_table =
            args.column.is_some() || args.by_key.is_some() || args.array.is_some() || args.missing.is_asked();
        if !cfg!(unix) || of_table || args.table.of_text().is_some() || args.segments.is_some() {
            return Ok(None);
        }
        let Some(mut all) = Self::open_one(args, &args.file)? else { return Ok(None) };
        for path in &args.more {
            let Some(Self { pieces, element, shape, len, .. }) = Self::open_one(args, path)? else { return Ok(None) };
            if element != all.element || !input::is_joined(&mut all.shape, &shape) {
                return Ok(None);
            }
            let shifted = |piece: Piece| Piece { range: all.len..all.len + len, ..piece };
            all.pieces.extend(pieces.into_iter().map(shifted));
            all.len += len;
        }
        all.name = input::called_all(args);
        Ok(Some(all))
    }

    /// Makes an array of the values that a file without a name has; `swapped`: in the other byte order than that of this machine.
    pub(crate) fn of_scratch(
        scratch: Scratch,
        (element, swapped, len): (Type, bool, usize),
        name: String,
    ) -> Result<Self> {
        let source = Source::of_file(scratch.file).map_err(|e| Failure::reading(&scratch.name, &e))?;
        let piece = Piece { source, name: scratch.name, range: 0..len, begin: 0, swapped };
        Ok(Self { pieces: vec![piece], name, element, shape: vec![len], len, form: Form::Raw })
    }

    /// Reads the array as a whole.
    pub(crate) fn into_input(self) -> Result<Input> {
        let mut values = Values::zeroed(self.element, self.len).map_err(|e| Failure::computing(&self.name, &e))?;
        self.read(&(0..self.len), &mut values)?;
        let Self { name, shape, form, .. } = self;
        Ok(Input { name, values, shape, form, keys: None, missing: 0 })
    }

    fn open_one(args: &Common, path: &Path) -> Result<Option<Self>> {
        let table = args.table.is_table() || names::delimiter(path).is_some();
        // A pipe must be opened once: its writer would see it closed.
        let plain = !is_standard_input(path) && fs::metadata(path).is_ok_and(|found| found.is_file());
        if table || !plain {
            return Ok(None);
        }
        let name = called(path);
        let stored = input::raw_stored(path, args.element).filter(|_| !names::is_npy(path) && !names::is_npz(path));
        let source = if stored.is_some() { Source::open_raw(path, &name)? } else { Source::open(path, &name)? };
        let Some(size) = source.size() else { return Ok(None) };
        let (element, swapped, shape, begin, form) = if names::is_npy(path) {
            let Ok(header) = npy::read_header(&mut From { file: &source.file, offset: 0 }) else { return Ok(None) };
            if header.fortran {
                return Ok(None);
            }
            (header.element, header.swapped, header.shape, header.offset as u64, Form::Npy)
        } else {
            let Some(element) = stored else { return Ok(None) };
            let Ok(len) = usize::try_from(size / element.size() as u64) else { return Ok(None) };
            (element, cfg!(target_endian = "big"), vec![len], 0, Form::Raw)
        };
        let len: usize = shape.iter().product();
        let whole = size.checked_sub(begin) == Some(len as u64 * element.size() as u64);
        let converted = args.target.or(args.element).is_some_and(|target| target != element);
        if converted || !whole {
            return Ok(None);
        }
        let piece = Piece { source, name: name.clone(), range: 0..len, begin, swapped };
        Ok(Some(Self { pieces: vec![piece], name, element, shape, len, form }))
    }

    /// Reads the values in `range` to `values`, which are as many.
    pub(crate) fn read(&self, range: &Range<usize>, values: &mut Values) -> Result<()> {
        with_values!(values, x => self.read_parts(range, x, &|file, offset, x| read(file, offset, x)))
    }

    /// Reads rows of `width` values, which are `stride` values from each other, from index `start` on, until `values` are full.
    pub(super) fn read_rows(&self, start: usize, (width, stride): (usize, usize), values: &mut Values) -> Result<()> {
        if width == stride {
            return self.read(&(start..start + values.len()), values);
        }
        with_values!(values, x => x.chunks_mut(width.max(1)).enumerate().try_for_each(|(row, x)| {
            let start = start + row * stride;
            self.read_parts(&(start..start + x.len()), x, &|file, offset, x| read(file, offset, x))
        }))
    }

    /// Reads the values in `range` to `values`, which are as many, by all threads. `done` is told the bytes of each part.
    pub(super) fn read_at_once(
        &self,
        range: &Range<usize>,
        values: &mut Values,
        done: &(dyn Fn(usize) + Sync),
    ) -> Result<()> {
        with_values!(values, x => self.read_parts(range, x, &|file, offset, x| {
            let whole = 0..x.len();
            read_slices(file, offset, &[whole], x, done)
        }))
    }

    /// Lets `read` read the part of `range` that each file has, at an offset in bytes, to its place in `values`.
    fn read_parts<T: Value>(
        &self,
        range: &Range<usize>,
        values: &mut [T],
        read: &dyn Fn(&File, u64, &mut [T]) -> io::Result<()>,
    ) -> Result<()> {
        let first = self.pieces.partition_point(|piece| piece.range.end <= range.start);
        for piece in self.pieces.iter().skip(first).take_while(|piece| piece.range.start < range.end) {
            let part = range.start.max(piece.range.start)..range.end.min(piece.range.end);
            let place = part.start - range.start..part.end - range.start;
            let Some(values) = values.get_mut(place).filter(|values| !values.is_empty()) else { continue };
            let offset = piece.begin + (part.start - piece.range.start) as u64 * size_of::<T>() as u64;
            read(&piece.source.file, offset, values).map_err(|e| piece.failed(&e))?;
            if piece.swapped {
                let Ok(()) = threads::each::<_, Infallible>(values.chunks_mut(PIECE), &|_, values| {
                    values.iter_mut().for_each(|value| *value = value.swap());
                    Ok(())
                });
            }
        }
        Ok(())
    }

    /// Fails if a file was written, cut or appended to since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        self.pieces.iter().try_for_each(|piece| piece.source.check_unchanged(&piece.name))
    }
}

impl Piece {
    fn failed(&self, error: &io::Error) -> Failure {
        match error.kind() {
            ErrorKind::UnexpectedEof => Failure::changed(&self.name),
            _ => Failure::reading(&self.name, error),
        }
    }
}

/// Bytes that a thread reads at once, where several read one array.
const PIECE: usize = 1 << 20;

/// Reads the values in `ranges` of the array that begins at offset `begin` of a file, one after the other, to `values`, which
/// are as many. All threads of the pool read, and `done` is told the bytes of each part.
pub(super) fn read_ranges(
    file: &File,
    begin: u64,
    ranges: &[Range<usize>],
    values: &mut Values,
    done: &(dyn Fn(usize) + Sync),
) -> io::Result<()> {
    with_values!(values, x => read_slices(file, begin, ranges, x, done))
}

fn read_slices<T: Value>(
    file: &File,
    begin: u64,
    ranges: &[Range<usize>],
    values: &mut [T],
    done: &(dyn Fn(usize) + Sync),
) -> io::Result<()> {
    let size = size_of::<T>();
    let most = PIECE / size;
    let (mut rest, mut pieces) = (values, Vec::new());
    for range in ranges {
        for start in range.clone().step_by(most) {
            let wanted = most.min(range.end - start);
            let (piece, after) = rest.split_at_mut_checked(wanted).ok_or(ErrorKind::InvalidInput)?;
            pieces.push((start, piece));
            rest = after;
        }
    }
    threads::each(pieces, &|_, (start, piece)| {
        read(file, begin + start as u64 * size as u64, piece)?;
        done(size_of_val(piece));
        Ok(())
    })
}

/// Reads `values` at `offset` of a file, by this thread.
pub(super) fn read_values(file: &File, offset: u64, values: &mut Values) -> io::Result<()> {
    with_values!(values, x => read(file, offset, x))
}

fn read<T: Value>(file: &File, offset: u64, values: &mut [T]) -> io::Result<()> {
    let mut from = From { file, offset };
    match T::TYPE {
        // Bytes are turned into bool few at a time.
        Type::Bool => T::read(values, &mut BufReader::with_capacity(1 << 16, from)),
        _ => T::read(values, &mut from),
    }
}

/// Reader of a file from an offset on. It has a position of its own, and leaves that of the file alone.
struct From<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for From<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = read_at(self.file, bytes, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}
