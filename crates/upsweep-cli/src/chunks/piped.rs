//! Inputs that are read as a whole, but for a long array on standard input: that is kept in a file without a name, of which
//! chunks are read.

use super::ArrayFile;
use crate::args::Common;
use crate::binary::truncated;
use crate::element::Type;
use crate::failure::{Failure, Result};
use crate::input::{self, Form, Input, Opened};
use crate::npy;
use crate::output::Scratch;
use crate::source::STANDARD_INPUT;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Bytes of values that stay in memory.
pub(crate) const FEW: usize = 1 << 22;
/// Bytes that are copied at a time.
const PIECE: usize = 1 << 20;

/// Input that was read.
pub(crate) enum Loaded {
    Whole(Box<Input>),
    File(Box<ArrayFile>),
}

/// Reads the input that the command line names. A long array on standard input goes to a file in the folder that `in_file` names, or
/// in that for temporary files, if the command can read it in chunks.
pub(crate) fn load(common: &Common, in_file: Option<Option<&Path>>) -> Result<Loaded> {
    let is_table = common.table.is_table() || common.column.is_some();
    let Some(folder) = in_file.filter(|_| !is_table && input::is_one_array(common)) else {
        return input::load(common).map(Box::new).map(Loaded::Whole);
    };
    match input::open_standard_input(common.table.text(b' '))? {
        Opened::Npy(reader) => load_npy(reader, common.element, Some(folder)),
        Opened::Numbers(text) => input::load_numbers(text, common).map(Box::new).map(Loaded::Whole),
    }
}

/// Opens the input of a command that reads arrays in chunks, if `in_file`, and any other input as a whole: as [`load`] does, but for
/// files, of which an array in a plain one is left there.
pub(crate) fn of_array(common: &Common, in_file: Option<Option<&Path>>) -> Result<Loaded> {
    match ArrayFile::open(common)?.filter(|_| in_file.is_some()) {
        Some(file) => Ok(Loaded::File(Box::new(file))),
        None => load(common, in_file),
    }
}

/// Reads the array that `reader` has from its first byte on, as [`load`] does.
pub(crate) fn load_npy(
    mut reader: Box<dyn Read>,
    target: Option<Type>,
    in_file: Option<Option<&Path>>,
) -> Result<Loaded> {
    let name = STANDARD_INPUT.to_owned();
    let header = input::read_header(&mut reader, &name)?;
    let bytes = header.len.saturating_mul(header.element.size());
    let converted = target.is_some_and(|target| target != header.element);
    let Some(folder) = in_file.filter(|_| bytes > FEW && !converted && !header.fortran) else {
        let input = input::load_array(header, &mut reader, target, name)?;
        return Ok(Loaded::Whole(Box::new(input)));
    };
    let scratch = Scratch::new(folder, "an array")?;
    let (mut buffer, mut copied) = (vec![0; PIECE], 0);
    while copied < bytes {
        let most = PIECE.min(bytes - copied);
        match reader.read(&mut buffer[..most]) {
            Ok(0) => return Err(truncated(&name, bytes, copied)),
            Ok(read) => {
                scratch.push(&buffer[..read])?;
                copied += read;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(Failure::reading(&name, &e)),
        }
    }
    input::check_end(&mut reader, &name, || "more".to_owned())?;
    let npy::Header { element, swapped, len, shape, .. } = header;
    let mut file = ArrayFile::of_scratch(scratch, (element, swapped, len), name)?;
    (file.shape, file.form) = (shape, Form::Npy);
    Ok(Loaded::File(Box::new(file)))
}
