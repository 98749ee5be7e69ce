//! What the fuzz targets do: the commands of `calls.txt` on one file, within this process. What panics, overflows or touches foreign memory
//! is found; what they print is of no interest.

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs};

const CALLS: &str = include_str!("../calls.txt");
/// What commands read beside the file.
const FILES: [(&str, &[u8]); 3] = [
    ("t.csv", include_bytes!("../corpus/table/a-plain")),
    ("x.npy", include_bytes!("../corpus/npy/a-three")),
    ("text.txt", include_bytes!("../corpus/grammar/strings")),
];

/// Calls all commands of this kind on `bytes`.
pub fn all(kind: &str, bytes: &[u8]) {
    let folder = folder();
    let text = String::from_utf8_lossy(bytes).replace('\0', "");
    for line in CALLS.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        // Standard input is the fuzzer's.
        let [of, file, command @ ..] = &words[..] else { continue };
        if *of != kind || command.contains(&"-") {
            continue;
        }
        fs::write(folder.join(file), bytes).expect("the file is written");
        let word = |word: &&str| OsString::from(if *word == "@" { &text } else { *word });
        upsweep_cli::run_program([OsString::from("upsweep")].into_iter().chain(command.iter().map(word)));
    }
}

/// The folder that commands run in.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().expect("there is a folder for files");
        FILES.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).expect("the file is written"));
        env::set_current_dir(folder.path()).expect("the folder is there");
        folder
    };
    FOLDER.get_or_init(make).path()
}
