//! Files of the workspace.

use crate::command::Outcome;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Tracked files: their text by their path from the workspace's root; `None` for a file that is not text.
#[derive(Default)]
pub(crate) struct Tree(pub(crate) BTreeMap<String, Option<String>>);

impl Tree {
    /// Reads the files that git tracks or would track.
    pub(crate) fn read(root: &Path) -> Outcome<Self> {
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

    /// Text files whose name ends in one of `endings`.
    pub(crate) fn texts<'a>(&'a self, endings: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let ends = |path: &str| endings.iter().any(|ending| path.ends_with(ending));
        self.0
            .iter()
            .filter(move |(path, _)| ends(path))
            .filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    /// Whether `path` is a file, or a folder with files in it.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        path.is_empty() || self.0.contains_key(path) || self.0.keys().any(|file| file.starts_with(&folder))
    }
}

/// Path from the workspace's root of `target`, a path that is relative to the folder of the file `from`. `None` if it
/// leaves the workspace.
pub(crate) fn relative(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Tree of the files `files`: paths and texts.
    pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
        Tree(files.iter().map(|&(path, text)| (path.to_owned(), Some(text.to_owned()))).collect())
    }

    #[test]
    fn tree_has_files_and_folders() {
        let tree = Tree([("a/b.txt".to_owned(), None)].into());
        assert!(tree.has("a/b.txt") && tree.has("a") && tree.has("a/") && tree.has(""));
        assert!(!tree.has("a/b") && !tree.has("b.txt"));
    }

    #[test]
    fn workspace_is_readable() {
        let tree = Tree::read(&crate::command::root()).unwrap();
        assert!(tree.has("xtask/src/tidy/mod.rs") && tree.has("Cargo.lock"));
    }

    #[test]
    fn targets_are_relative_to_the_folder_of_the_file() {
        assert_eq!(relative("a/b/c.rs", "../d.rs").as_deref(), Some("a/d.rs"));
        assert_eq!(relative("a/b/c.rs", "./d.rs").as_deref(), Some("a/b/d.rs"));
        assert_eq!(relative("c.rs", "../d.rs"), None);
    }
}
