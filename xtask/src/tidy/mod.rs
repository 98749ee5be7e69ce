//! Checks that need only the text of the files: what fmt, clippy and rustdoc do not look at. (That every kernel file
//! is embedded and finds what it includes is a test of the library.)
//!
//! A rule is a function from the [`Tree`] to its findings. To add one, write it in the file of its kind and name it in
//! [`RULES`]; its test seeds a violation in a tree of its own and expects to see it found.

mod links;
mod records;
mod source;
mod text;

use crate::Outcome;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::process::Command;

/// The tracked files by their path from the root, with their text; `None` for a file that is not text.
#[derive(Default)]
struct Tree(BTreeMap<String, Option<String>>);

/// A place that breaks a rule.
struct Finding {
    path: String,
    /// From 1; 0 is the file as a whole.
    line: usize,
    message: String,
}

type Rule = fn(&Tree) -> Vec<Finding>;

const RULES: [(&str, Rule); 9] = [
    ("whitespace", text::whitespace),
    ("leftover", text::leftovers),
    ("foreign-name", text::foreign_names),
    ("long-file", source::long_files),
    ("allow-without-reason", source::bare_allows),
    ("lints-table", source::lints_tables),
    ("kernel-comment", source::kernel_comments),
    ("broken-link", links::broken),
    ("record", records::headers),
];

/// Runs every rule on the workspace at `root`.
pub(crate) fn run(root: &Path) -> Outcome {
    let tree = Tree::read(root)?;
    let mut count = 0;
    for (name, rule) in RULES {
        for finding in rule(&tree) {
            println!("{finding} [{name}]");
            count += 1;
        }
    }
    let files = tree.0.len();
    match count {
        0 => {
            println!("tidy: {files} files keep all {} rules", RULES.len());
            Ok(())
        }
        _ => Err(format!("tidy: {count} findings in {files} files").into()),
    }
}

impl Tree {
    /// The files that git tracks or would track.
    fn read(root: &Path) -> Outcome<Self> {
        let list = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()?;
        if !list.status.success() {
            return Err(format!("git ls-files: {}", String::from_utf8_lossy(&list.stderr)).into());
        }
        let mut files = BTreeMap::new();
        for path in String::from_utf8(list.stdout)?.split('\0').filter(|path| !path.is_empty()) {
            // A file that is deleted and not yet committed is still listed.
            if let Ok(bytes) = std::fs::read(root.join(path)) {
                files.insert(path.to_owned(), String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')));
            }
        }
        Ok(Self(files))
    }

    /// The text files whose name ends in one of `endings`.
    fn texts<'a>(&'a self, endings: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let ends = |path: &str| endings.iter().any(|ending| path.ends_with(ending));
        self.0
            .iter()
            .filter(move |(path, _)| ends(path))
            .filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    /// Whether `path` is a file, or a folder with files in it.
    fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        path.is_empty() || self.0.contains_key(path) || self.0.keys().any(|file| file.starts_with(&folder))
    }
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where `rule` finds something in a tree of these files.
    pub(super) fn places(rule: Rule, files: &[(&str, &str)]) -> Vec<(String, usize)> {
        let tree = Tree(files.iter().map(|&(path, text)| (path.to_owned(), Some(text.to_owned()))).collect());
        rule(&tree).into_iter().map(|finding| (finding.path, finding.line)).collect()
    }

    #[test]
    fn tree_has_files_and_folders() {
        let tree = Tree([("a/b.txt".to_owned(), None)].into());
        assert!(tree.has("a/b.txt") && tree.has("a") && tree.has("a/") && tree.has(""));
        assert!(!tree.has("a/b") && !tree.has("b.txt"));
    }

    #[test]
    fn workspace_is_readable() {
        let tree = Tree::read(&crate::root()).unwrap();
        assert!(tree.has("xtask/src/tidy/mod.rs") && tree.has("Cargo.lock"));
    }
}
