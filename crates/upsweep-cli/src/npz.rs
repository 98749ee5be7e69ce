//! Archives of arrays, .npz: a zip of .npy files, stored or deflated.

use crate::failure::{Failure, Result, shown};
use crate::packed::Told;
use crate::source::Source;
use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, ErrorKind, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder};
use std::io::{BufReader, Read};

/// Array in an archive, before it is read.
struct Entry {
    name: String,
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
}

/// Lets `load` read the .npy of the array `wanted` of the archive in `source`, which messages call `name`; `load` has the
/// name of the array in messages, too. An archive of one array needs no name. Errors name the option for it if it
/// `is_asked`, that is, if the command has one for this file.
pub(crate) fn read<T>(
    source: &Source,
    (wanted, is_asked): (Option<&str>, bool),
    name: &str,
    load: impl FnOnce(&mut dyn Read, String) -> Result<T>,
) -> Result<T> {
    let Some(file) = source.plain_file() else {
        return Err(Failure::input(
            name,
            "is no plain file, and an archive is read from its end: save it first, unpacked",
        ));
    };
    let file = file.try_clone().map_err(|e| Failure::reading(name, &e))?;
    let wrong = |e: rawzip::Error| match e.kind() {
        ErrorKind::IO(e) if e.raw_os_error().is_some() => Failure::reading(name, e),
        _ => Failure::input(name, format!("is no .npz that can be read: {e}")),
    };
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(file, &mut buffer).map_err(wrong)?;
    let mut entries = archive.entries(&mut buffer);
    let mut arrays = Vec::new();
    while let Some(entry) = entries.next_entry().map_err(wrong)? {
        let path = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        if let Some(array) = path.strip_suffix(".npy") {
            arrays.push(Entry {
                name: array.to_owned(),
                place: entry.wayfinder(),
                method: entry.compression_method(),
                is_encrypted: entry.flags().is_encrypted(),
            });
        }
    }
    let advice = if is_asked { "choose one with --array" } else { "save the one that is meant as a .npy" };
    let entry = choose(&arrays, wanted, advice, name)?;
    let name = format!("{name}: {}", shown(&entry.name));
    if entry.is_encrypted {
        return Err(Failure::input(&name, "is encrypted"));
    }
    let data = archive.get_entry(entry.place).map_err(wrong)?;
    let bytes = BufReader::with_capacity(1 << 17, data.reader());
    let unpacked: Box<dyn Read + '_> = match entry.method {
        CompressionMethod::STORE => Box::new(bytes),
        CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(bytes)),
        other => return Err(Failure::input(&name, format!("is compressed by {other}, which no NumPy writes"))),
    };
    let read = load(&mut Told(data.verifying_reader(unpacked)), name.clone())?;
    source.check_unchanged(&name)?;
    Ok(read)
}

/// Finds the array that is wanted. Of several entries of one name the last counts, as for NumPy.
fn choose<'a>(arrays: &'a [Entry], wanted: Option<&str>, advice: &str, name: &str) -> Result<&'a Entry> {
    let names = || arrays.iter().map(|entry| shown(&entry.name)).collect::<Vec<_>>().join(", ");
    match (wanted, arrays) {
        (_, []) => Err(Failure::input(name, "is an archive without a .npy")),
        (None, [only]) => Ok(only),
        (None, _) => Err(Failure::input(name, format!("holds several arrays: {advice}: {}", names()))),
        (Some(wanted), _) => {
            let is_wanted = |entry: &&Entry| entry.name == wanted.strip_suffix(".npy").unwrap_or(wanted);
            let missing = || Failure::input(name, format!("has no array {}: there are {}", shown(wanted), names()));
            arrays.iter().rev().find(is_wanted).ok_or_else(missing)
        }
    }
}
