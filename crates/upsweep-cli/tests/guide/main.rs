//! Tests of the guide: its commands run and print what it shows, its figures are those of the records that it names,
//! the calls of its tables stand in programs and commands that run, and its files are what mdBook builds. Its Rust
//! programs are doctests of `upsweep-apps`.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
#![cfg(unix)]

mod book;
mod commands;
#[path = "../support/console.rs"]
mod console;
mod figures;
#[path = "../support/mod.rs"]
mod support;
mod tables;

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Path of a file of the repository.
pub(crate) fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

pub(crate) fn read(path: &str) -> String {
    let path = file(path);
    read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Chapter of the guide.
pub(crate) struct Chapter {
    /// Path of its file, from `docs/guide/src` on.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Chapter {
    /// Lines with their numbers. A line in a fenced block has the text after the opening fence (`rust`, `console`).
    /// Fences themselves are left out.
    pub(crate) fn lines(&self) -> Vec<(usize, Option<&str>, &str)> {
        let mut fence = None;
        let mut lines = vec![];
        for (number, line) in (1..).zip(self.text.lines()) {
            match (line.strip_prefix("```"), fence) {
                (Some(kind), None) => fence = Some(kind),
                (Some(_), Some(_)) => fence = None,
                (None, _) => lines.push((number, fence, line)),
            }
        }
        lines
    }

    /// Rows of the tables: line number, the cells of the table's first row, and the row's own cells.
    pub(crate) fn rows(&self) -> Vec<(usize, Vec<String>, Vec<String>)> {
        let mut rows = vec![];
        let mut header: Option<Vec<String>> = None;
        for (number, fence, line) in self.lines() {
            if fence.is_some() || !line.starts_with('|') {
                header = None;
            } else if header.is_none() {
                header = Some(cells(line));
            } else if let Some(header) = header.as_ref().filter(|_| !line.starts_with("|---")) {
                rows.push((number, header.clone(), cells(line)));
            }
        }
        rows
    }
}

/// Cells of a row of a table, in which `\|` is no border.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().replace("\\|", "\0");
    let inner = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')).unwrap_or(&line);
    inner.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// Texts in back quotes.
pub(crate) fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// All chapters, in the order of their files' names.
pub(crate) fn chapters() -> Vec<Chapter> {
    let mut paths = files("");
    paths.retain(|path| path.ends_with(".md") && path != "SUMMARY.md");
    let chapter = |path: String| Chapter { text: read(&format!("docs/guide/src/{path}")), path };
    paths.into_iter().map(chapter).collect()
}

/// Files in a folder of the guide and below it, from `docs/guide/src` on.
pub(crate) fn files(folder: &str) -> Vec<String> {
    let mut found = vec![];
    for entry in std::fs::read_dir(file("docs/guide/src").join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = Path::new(folder).join(entry.file_name()).to_str().unwrap().to_owned();
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}
