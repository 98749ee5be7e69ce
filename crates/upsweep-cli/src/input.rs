//! What FILE is, and its values.

use crate::args::Common;
use crate::binary::Stored;
use crate::collect::collector;
use crate::element::{Type, Values};
use crate::failure::{Failure, Result, words};
use crate::npy::Header;
use crate::progress::Progress;
use crate::table::{self, Keys, Layout};
use crate::{npy, words as numbers};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// An array and where it comes from.
#[derive(Debug)]
pub(crate) struct Input {
    /// How messages call it.
    pub(crate) name: String,
    pub(crate) values: Values,
    pub(crate) shape: Vec<usize>,
    pub(crate) form: Form,
    /// With --by-key, where the keys change.
    pub(crate) keys: Option<Keys>,
}

/// The form that an array has in a file.
#[derive(Debug)]
pub(crate) enum Form {
    Npy,
    Table {
        delimiter: u8,
        layout: Layout,
    },
    Raw,
    /// Numbers separated by white space.
    Words,
}

/// The delimiter of a table with this name; `None` for the name of something else.
pub(crate) fn delimiter(path: &Path) -> Option<u8> {
    let ending = path.extension()?;
    if ending.eq_ignore_ascii_case("csv") {
        Some(b',')
    } else if ending.eq_ignore_ascii_case("tsv") {
        Some(b'\t')
    } else {
        None
    }
}

/// Whether `path` has the name of a NumPy array.
pub(crate) fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"))
}

/// Opens a file to read it.
pub(crate) fn open(path: &Path, name: &str) -> Result<(File, Metadata)> {
    let file = File::open(path).map_err(|e| Failure::input(name, words(&e)))?;
    let metadata = file.metadata().map_err(|e| Failure::input(name, words(&e)))?;
    if metadata.is_dir() {
        return Err(Failure::input(name, "is a directory: name a file in it"));
    }
    Ok((file, metadata))
}

/// Reads what the command line names.
pub(crate) fn load(args: &Common, keep_keys: bool) -> Result<Input> {
    let path = args.file.as_path();
    if path.as_os_str() == "-" {
        no_table_options(args, "standard input")?;
        return load_standard_input(args.element);
    }
    let name = path.display().to_string();
    let (mut file, metadata) = open(path, &name)?;
    let size = metadata.is_file().then_some(metadata.len());
    let progress = Progress::new("reading", size);
    if let Some(delimiter) = delimiter(path) {
        if size.is_none() {
            return Err(Failure::input(&name, "is no plain file, and a table is read twice: save it first"));
        }
        let wanted = table::Wanted {
            column: args.column.as_deref(),
            by_key: args.by_key.as_deref(),
            element: args.element,
            header: args.header,
            delimiter,
            keep_keys,
        };
        let (values, layout, keys) = table::read(path, &name, &wanted, &progress)?;
        let keys = args.by_key.is_some().then_some(keys);
        let shape = vec![values.len()];
        return Ok(Input { name, values, shape, form: Form::Table { delimiter, layout }, keys });
    }
    no_table_options(args, &name)?;
    if is_npy(path) {
        return load_npy(&mut file, size, args.element, name, &progress);
    }
    let Some(element) = args.element else {
        let advice = ".npy, .csv and .tsv files are known by their names; give --type for raw binary";
        return Err(Failure::input(&name, format!("what is in it? {advice}, or `-` with < for numbers as text")));
    };
    load_raw(&mut file, size, element, name, &progress)
}

fn no_table_options(args: &Common, name: &str) -> Result<()> {
    let given = [("--column", args.column.is_some()), ("--by-key", args.by_key.is_some())];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::input(name, format!("is no table: {option} is for .csv and .tsv files"))),
        None => Ok(()),
    }
}

/// Reads a .npy array from `reader`, which has `size` bytes if that is known.
pub(crate) fn load_npy(
    reader: &mut dyn Read,
    size: Option<u64>,
    target: Option<Type>,
    name: String,
    progress: &Progress,
) -> Result<Input> {
    let header = npy::read_header(reader).map_err(|e| match e {
        npy::NoHeader::Io(e) => Failure::reading(&name, &e),
        npy::NoHeader::Wrong(reason) => Failure::input(&name, reason),
    })?;
    let bytes = header.len as u64 * header.element.size() as u64;
    if let Some(size) = size {
        let found = size.saturating_sub(header.offset as u64);
        if found < bytes {
            let reason = format!("is truncated: its header promises {bytes} bytes of data and {found} follow");
            return Err(Failure::input(&name, reason));
        }
        if found > bytes {
            let reason = format!("has {} bytes after its array: write one array to a file", found - bytes);
            return Err(Failure::input(&name, reason));
        }
    }
    let Header { element, swapped, len, ref shape, .. } = header;
    let stored = Stored { element, swapped, len, shape, certain: size.is_some() };
    let values = stored.read(reader, target.unwrap_or(header.element), &name, progress)?;
    Ok(Input { name, values, shape: header.shape, form: Form::Npy, keys: None })
}

fn load_raw(
    reader: &mut dyn Read,
    size: Option<u64>,
    element: Type,
    name: String,
    progress: &Progress,
) -> Result<Input> {
    let mut collected = Vec::new();
    let size = match size {
        Some(size) => usize::try_from(size).map_err(|_| Failure::memory(&name, usize::MAX))?,
        // A pipe says its size at its end.
        None => reader.read_to_end(&mut collected).map_err(|e| Failure::reading(&name, &e))?,
    };
    if size % element.size() != 0 {
        let reason = format!("has {size} bytes, no multiple of the {} of {}", element.size(), element.name());
        return Err(Failure::input(&name, reason));
    }
    let len = size / element.size();
    let stored = Stored { element, swapped: cfg!(target_endian = "big"), len, shape: &[len], certain: true };
    let values = if collected.is_empty() {
        stored.read(reader, element, &name, progress)?
    } else {
        stored.read(&mut &collected[..], element, &name, progress)?
    };
    Ok(Input { name, values, shape: vec![len], form: Form::Raw, keys: None })
}

/// Numbers as text, or a .npy array: its first byte begins no text.
fn load_standard_input(element: Option<Type>) -> Result<Input> {
    let name = "standard input".to_owned();
    let mut stdin = io::stdin().lock();
    let mut start: Vec<u8> = Vec::new();
    let limit = npy::MAGIC.len() as u64;
    (&mut stdin).take(limit).read_to_end(&mut start).map_err(|e| Failure::reading(&name, &e))?;
    let is_npy = start == npy::MAGIC;
    let mut reader = (&start[..]).chain(stdin);
    let progress = Progress::new("reading", None);
    if is_npy {
        return load_npy(&mut reader, None, element, name, &progress);
    }
    let mut values = collector(element);
    numbers::read(&mut reader, &name, &progress, |text| values.push(text))?;
    let values = values.finish();
    Ok(Input { name, shape: vec![values.len()], values, form: Form::Words, keys: None })
}
