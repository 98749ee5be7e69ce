//! Input files: recognises the format by the name, and reads the values.

use crate::args::Common;
use crate::binary::Stored;
use crate::collect::{append, collector};
#[cfg(feature = "parquet")]
use crate::columnar;
use crate::element::{Type, Values};
use crate::failure::{Failure, Result, called};
use crate::fortran::to_c_order;
use crate::names;
use crate::npy::Header;
use crate::progress::Progress;
use crate::source::{STANDARD_INPUT, Source, standard_input};
use crate::start::{may_become, start};
use crate::table::{self, Keys, Layout};
use crate::text::{self, TextForm};
use crate::words::Each;
use crate::{mtx, npy, npz, words as numbers};
use std::io::{Cursor, Read};
use std::path::Path;

/// Array read from an input, with the format of the input.
#[derive(Debug)]
pub(crate) struct Input {
    /// Name of the input in messages.
    pub(crate) name: String,
    pub(crate) values: Values,
    pub(crate) shape: Vec<usize>,
    pub(crate) form: Form,
    /// Segments of rows with equal keys in the key column, with `--by-key`.
    pub(crate) keys: Option<Keys>,
    /// Number of cells of a table without a value.
    pub(crate) missing: usize,
}

impl Input {
    /// Indices of the values of a table that were left out, as they are missing.
    pub(crate) fn left_out(&self) -> &[usize] {
        if let Form::Table { layout, .. } = &self.form { layout.left_out() } else { &[] }
    }
}

/// Format of an input.
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

/// Returns the element type of the raw file `path`: the one that its name says, else `asked`. `None` also for endings of
/// formats that are not read.
pub(crate) fn raw_stored(path: &Path, asked: Option<Type>) -> Option<Type> {
    names::raw_type(path).or(asked).filter(|_| other_format(path).is_none() && !mtx::is_mtx(path))
}

/// Returns advice for a file whose ending names a format that is not read.
fn other_format(path: &Path) -> Option<String> {
    let ending = names::ending(path)?.to_string_lossy().to_lowercase();
    let name = called(path);
    let advice = match &*ending {
        "bz2" | "xz" | "lz4" | "lzma" | "br" | "z" | "zip" | "7z" | "tar" | "tgz" => {
            "is compressed or an archive: unpack it first".to_owned()
        }
        "txt" | "text" | "log" | "lst" | "md" => {
            format!("is text: give numbers on standard input (`-` with `< {name}`), or name a table .csv or .tsv")
        }
        "json" | "jsonl" | "ndjson" | "xml" | "yaml" | "yml" | "toml" | "html" | "parquet" | "orc" | "avro"
        | "arrow" | "feather" | "ipc" | "xlsx" | "xls" | "ods" | "h5" | "hdf5" | "nc" | "mat" | "zarr" | "pkl"
        | "pickle" | "pt" | "pth" | "safetensors" | "db" | "sqlite" | "png" | "jpg" | "jpeg" | "gif" | "tif"
        | "tiff" | "bmp" | "pdf" | "mp3" | "flac" => {
            format!("is a format that is not read (.{ending}): turn it into .npy or .csv, or name raw binary .bin")
        }
        "wav" => "is sound, which `upsweep signal` reads: turn it into .npy for others".to_owned(),
        _ => return None,
    };
    Some(advice)
}

/// Reads the input that the command line names. Several files become one array, in the order in which they are named.
pub(crate) fn load(args: &Common) -> Result<Input> {
    let mut all = load_file(args, &args.file)?;
    for path in &args.more {
        let Input { name, mut values, shape, form, missing, .. } = load_file(args, path)?;
        if !is_joined(&mut all.shape, &shape) {
            let reason =
                format!("has the shape {shape:?}, which does not go with {:?} along the first axis", all.shape);
            return Err(Failure::input(&name, reason));
        }
        // Columns of numbers as text are one, whose type is that of all.
        if let (Form::Table { .. }, Form::Table { .. }) = (&all.form, &form) {
            let in_floats = |x: &Values| x.view().to_type(Type::F64).map_err(|e| Failure::computing(&name, &e));
            match (all.values.element(), values.element()) {
                (Type::I64, Type::F64) => all.values = in_floats(&all.values)?,
                (Type::F64, Type::I64) => values = in_floats(&values)?,
                _ => {}
            }
        }
        append(&mut all.values, &values, &name)?;
        all.missing += missing;
    }
    all.name = called_all(args);
    Ok(all)
}

/// Name in messages of all files that the command line names.
pub(crate) fn called_all(args: &Common) -> String {
    let first = if args.file.as_os_str() == "-" { STANDARD_INPUT.to_owned() } else { called(&args.file) };
    match args.more.len() {
        0 => first,
        1 => format!("{first} and 1 more file"),
        more => format!("{first} and {more} more files"),
    }
}

/// Whether an array of shape `next` goes behind one of this `shape`, along the first axis. If so, `shape` becomes that of
/// both.
pub(crate) fn is_joined(shape: &mut [usize], next: &[usize]) -> bool {
    match (shape, next) {
        ([first, rest @ ..], [more, others @ ..]) if rest == others => {
            *first += more;
            true
        }
        _ => false,
    }
}

/// Reads one of the files that the command line names.
fn load_file(args: &Common, path: &Path) -> Result<Input> {
    check_array(args.array.as_deref(), path)?;
    let target = args.target.or(args.element);
    // If the command determines the type, errors must not name the option for the type.
    let typed = args.options && args.target.is_none();
    if let Some(delimiter) = args.table.delimiter(names::delimiter(path)) {
        let (source, name) = open_table(path, args.table.text(delimiter))?;
        let progress = Progress::new("reading", source.size());
        let wanted = table::Wanted {
            column: args.column.as_deref(),
            by_key: args.by_key.as_deref(),
            element: target,
            header: args.header,
            options: args.options,
            typed,
            delimiter,
            keep_keys: false,
            missing: args.options.then_some(&args.missing),
        };
        let (values, layout, keys) = table::read(source, &name, &wanted, &progress)?;
        let missing = layout.missing();
        let keys = args.by_key.is_some().then_some(keys);
        let shape = vec![values.len()];
        return Ok(Input { name, values, shape, form: Form::Table { delimiter, layout }, keys, missing });
    }
    #[cfg(feature = "parquet")]
    if let Some(kind) = args.table.columnar(path) {
        let (name, values, missing) = columnar::load::load(args, (path, kind), target)?;
        let shape = vec![values.len()];
        return Ok(Input { name, values, shape, form: Form::Words, keys: None, missing });
    }
    if path.as_os_str() == "-" {
        no_table_options(args, STANDARD_INPUT)?;
        return match open_standard_input(args.table.text(b' '))? {
            Opened::Npy(mut reader) => {
                let header = read_header(&mut reader, STANDARD_INPUT)?;
                load_array(header, &mut reader, target, STANDARD_INPUT.to_owned())
            }
            Opened::Numbers(text) => load_numbers(text, args),
        };
    }
    let name = called(path);
    if mtx::is_mtx(path) {
        no_table_options(args, &name)?;
        return load_matrix(path, target, typed, name);
    }
    let stored = raw_stored(path, args.element).filter(|_| !names::is_npy(path) && !names::is_npz(path));
    let source = if stored.is_some() { Source::open_raw(path, &name)? } else { Source::open(path, &name)? };
    let progress = Progress::new("reading", source.size());
    no_table_options(args, &name)?;
    if let Some(option) = args.table.of_text() {
        return Err(Failure::input(&name, format!("is no text, and {option} is for tables and text")));
    }
    if names::is_npy(path) {
        return load_npy(&mut source.reader(), Some(&source), target, name, &progress);
    }
    if names::is_npz(path) {
        return npz::read(&source, (args.array.as_deref(), args.options), &name, |reader, name| {
            load_npy(reader, None, target, name, &progress)
        });
    }
    if let Some(reason) = other_format(path) {
        return Err(Failure::input(&name, reason));
    }
    let Some(stored) = stored else {
        let typed = if args.options { "give --type for raw binary, or name it" } else { "name raw binary" };
        let advice = format!("{typed} by its type (.f32), or give `-` with < for numbers as text");
        return Err(Failure::input(
            &name,
            format!("what is in it? .npy, .csv and .tsv files are known by their names; {advice}"),
        ));
    };
    load_raw(&source, stored, target.unwrap_or(stored), name, &progress)
}

/// Fails if the option `--array` has a value and the file is no archive of arrays.
pub(crate) fn check_array(array: Option<&str>, path: &Path) -> Result<()> {
    match array {
        Some(_) if !names::is_npz(path) => Err(Failure::input(&called(path), "is no .npz, and --array is for these")),
        _ => Ok(()),
    }
}

/// Opens the table in a file, or on standard input, and returns its name in messages.
pub(crate) fn open_table(path: &Path, form: TextForm) -> Result<(Source, String)> {
    if path.as_os_str() == "-" {
        let name = STANDARD_INPUT.to_owned();
        return Ok((Source::keep(&mut standard_input()?, &name)?.with_form(form), name));
    }
    let name = called(path);
    let source = Source::open(path, &name)?;
    if !source.is_plain() {
        return Err(Failure::input(&name, "is no plain file, and a table is read twice: save it first"));
    }
    Ok((source.with_form(form), name))
}

/// Failure because `option`, which is for tables, was given, and `name` is no table.
pub(crate) fn no_table(name: &str, option: &str) -> Failure {
    let advice = "a table's name ends in .csv (commas) or .tsv (tabs), or --format or --delimiter says that it is one";
    Failure::input(name, format!("is no table, and {option} is for tables: {advice}"))
}

fn no_table_options(args: &Common, name: &str) -> Result<()> {
    let given = [
        ("--column", args.column.is_some()),
        ("--by-key", args.by_key.is_some()),
        ("--missing", args.missing.is_asked()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(no_table(name, option)),
        None => Ok(()),
    }
}

/// Reads a .npy array from `reader`. If that reads a file, `source` is the file.
pub(crate) fn load_npy(
    reader: &mut dyn Read,
    source: Option<&Source>,
    target: Option<Type>,
    name: String,
    progress: &Progress,
) -> Result<Input> {
    let header = read_header(reader, &name)?;
    load_values(header, (reader, source), target, name, progress)
}

/// Reads the header of a .npy array.
pub(crate) fn read_header(reader: &mut dyn Read, name: &str) -> Result<Header> {
    npy::read_header(reader).map_err(|e| match e {
        npy::NoHeader::Io(e) => Failure::reading(name, &e),
        npy::NoHeader::Wrong(reason) => Failure::input(name, reason),
    })
}

/// Reads the values of an array whose header was read from `reader`, which is no file.
pub(crate) fn load_array(header: Header, reader: &mut dyn Read, target: Option<Type>, name: String) -> Result<Input> {
    load_values(header, (reader, None), target, name, &Progress::new("reading", None))
}

fn load_values(
    header: Header,
    (reader, source): (&mut dyn Read, Option<&Source>),
    target: Option<Type>,
    name: String,
    progress: &Progress,
) -> Result<Input> {
    let bytes = header.len as u64 * header.element.size() as u64;
    let size = source.and_then(Source::size);
    let found = size.map_or(bytes, |size| size.saturating_sub(header.offset as u64));
    if found < bytes {
        let reason = format!("is truncated: its header promises {bytes} bytes of data and {found} follow");
        return Err(Failure::input(&name, reason));
    }
    let Header { element, swapped, fortran, len, ref shape, .. } = header;
    let stored = Stored { element, swapped, len, shape, certain: size.is_some() };
    let mut values = stored.read(reader, target.unwrap_or(header.element), &name, progress)?;
    let more = || if size.is_some() { (found - bytes).to_string() } else { "more".to_owned() };
    let ended = check_end(reader, &name, more);
    if let Some(source) = source {
        source.check_unchanged(&name)?;
    }
    ended?;
    if fortran {
        values = to_c_order(&values, shape, &name)?;
    }
    Ok(Input { name, values, shape: header.shape, form: Form::Npy, keys: None, missing: 0 })
}

/// Fails if there is something behind the array that `reader` has read: `more` says how many bytes.
pub(crate) fn check_end(reader: &mut dyn Read, name: &str, more: impl FnOnce() -> String) -> Result<()> {
    let mut rest = Vec::new();
    reader.take(npy::MAGIC.len() as u64).read_to_end(&mut rest).map_err(|e| Failure::reading(name, &e))?;
    if rest == npy::MAGIC {
        return Err(Failure::input(name, "holds several arrays: save each to a file of its own"));
    }
    if !rest.is_empty() {
        let more = more();
        return Err(Failure::input(name, format!("has {more} bytes after its array: its header has another shape")));
    }
    Ok(())
}

/// Reads a dense matrix as text.
fn load_matrix(path: &Path, target: Option<Type>, typed: bool, name: String) -> Result<Input> {
    let source = Source::open(path, &name)?;
    let mut text = Vec::new();
    source.reader().read_to_end(&mut text).map_err(|e| Failure::reading(&name, &e))?;
    source.check_unchanged(&name)?;
    let (values, shape) = mtx::parse(&text, (target, typed), &name)?;
    Ok(Input { name, values, shape: shape.into(), form: Form::Npy, keys: None, missing: 0 })
}

/// Reads a file of raw values of type `element`, and converts them to type `target`.
pub(crate) fn load_raw(
    source: &Source,
    element: Type,
    target: Type,
    name: String,
    progress: &Progress,
) -> Result<Input> {
    let mut reader = source.reader();
    let mut collected = Vec::new();
    let size = match source.size() {
        Some(size) => usize::try_from(size).map_err(|_| Failure::memory(&name, usize::MAX))?,
        // The size of a pipe, and of a file that the system makes up, is known only when its end is read.
        None => reader.read_to_end(&mut collected).map_err(|e| Failure::reading(&name, &e))?,
    };
    if size % element.size() != 0 {
        let reason = format!("has {size} bytes, no multiple of the {} of {}", element.size(), element.name());
        return Err(Failure::input(&name, reason));
    }
    let len = size / element.size();
    let stored = Stored { element, swapped: cfg!(target_endian = "big"), len, shape: &[len], certain: true };
    let values = if collected.is_empty() {
        stored.read(&mut reader, target, &name, progress)?
    } else {
        stored.read(&mut &collected[..], target, &name, progress)?
    };
    source.check_unchanged(&name)?;
    Ok(Input { name, values, shape: vec![len], form: Form::Raw, keys: None, missing: 0 })
}

/// Standard input that is open.
pub(crate) enum Opened {
    Npy(Box<dyn Read>),
    /// Numbers as text, in UTF-8.
    Numbers(Box<dyn Read>),
}

/// Opens standard input. The first bytes tell numbers as text and a .npy array apart: those of the array begin no text.
pub(crate) fn open_standard_input(form: TextForm) -> Result<Opened> {
    let mut stdin = standard_input()?;
    let is_open = |start: &[u8]| may_become(npy::MAGIC, start);
    let start = start(&mut stdin, npy::MAGIC.len(), is_open).map_err(|e| Failure::reading(STANDARD_INPUT, &e))?;
    let is_npy = start == npy::MAGIC;
    let reader: Box<dyn Read> = Box::new(Cursor::new(start).chain(stdin));
    if is_npy {
        return Ok(Opened::Npy(reader));
    }
    Ok(Opened::Numbers(text::open(reader, form, STANDARD_INPUT)?.reader))
}

/// Reads all numbers of standard input.
pub(crate) fn load_numbers(mut text: Box<dyn Read>, args: &Common) -> Result<Input> {
    let (name, typed) = (STANDARD_INPUT.to_owned(), args.options && args.target.is_none());
    let mut values = collector(args.target.or(args.element), typed);
    let progress = Progress::new("reading", None);
    numbers::read(&mut text, &name, &progress, &mut Each(|text: &str| values.push(text)))?;
    let values = values.finish();
    Ok(Input { name, shape: vec![values.len()], values, form: Form::Words, keys: None, missing: 0 })
}

/// Whether all that is asked of standard input, which is no table, can be done as it comes.
pub(crate) fn is_simple(common: &Common) -> bool {
    is_one_array(common) && common.axis.is_none()
}

/// Whether standard input, which is no table, is all that is read, as one array.
pub(crate) fn is_one_array(common: &Common) -> bool {
    let is_only = common.file == Path::new("-") && common.more.is_empty() && common.array.is_none();
    is_only && common.by_key.is_none() && common.segments.is_none() && !common.missing.is_asked()
}
