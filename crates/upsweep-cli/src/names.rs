//! Names of files, and what their endings say of the content.

use crate::element::Type;
use crate::packed::Packing;
use std::ffi::OsStr;
use std::path::Path;

/// Returns the ending that says what is in the file: that before .gz or .zst, if the name ends in one.
pub(crate) fn ending(path: &Path) -> Option<&OsStr> {
    match Packing::of_name(path) {
        Some(_) => Path::new(path.file_stem()?).extension(),
        None => path.extension(),
    }
}

/// Whether the name says with this ending what is in the file.
pub(crate) fn ends_in(path: &Path, wanted: &str) -> bool {
    ending(path).is_some_and(|ending| ending.eq_ignore_ascii_case(wanted))
}

/// Returns the delimiter that a file's name implies: comma for .csv, tab for .tsv; `None` for other names.
pub(crate) fn delimiter(path: &Path) -> Option<u8> {
    [("csv", b','), ("tsv", b'\t')]
        .into_iter()
        .find(|(wanted, _)| ends_in(path, wanted))
        .map(|(_, delimiter)| delimiter)
}

/// Whether the name is that of a NumPy array: it ends in .npy.
pub(crate) fn is_npy(path: &Path) -> bool {
    ends_in(path, "npy")
}

/// Whether the name is that of an archive of NumPy arrays: it ends in .npz.
pub(crate) fn is_npz(path: &Path) -> bool {
    ends_in(path, "npz")
}

/// Format of a file of columns.
#[cfg(feature = "parquet")]
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columnar {
    Parquet,
    Arrow,
}

#[cfg(feature = "parquet")]
impl Columnar {
    /// Format that a file's name says.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        let ends = |ending: &&str| ends_in(path, ending);
        if ["parquet", "pq"].iter().any(ends) {
            return Some(Self::Parquet);
        }
        ["arrow", "feather", "ipc"].iter().any(ends).then_some(Self::Arrow)
    }

    /// Name of the format in messages.
    pub(crate) fn name(self) -> &'static str {
        if self == Self::Parquet { "Parquet" } else { "Arrow" }
    }
}

/// Returns the element type of a raw file that the ending of its name says, such as .f32.
pub(crate) fn raw_type(path: &Path) -> Option<Type> {
    Type::ALL.iter().copied().find(|element| ends_in(path, element.name()))
}
