//! Rules for source code and manifests.

use super::finding::Finding;
use super::listed::entries;
use crate::tree::Tree;

/// Largest number of lines of a file, which should be one sitting of reading.
const MAX_LINES: usize = 450;
/// List of the files that may be longer: `path: reason`, one a line.
const LONG_FILES: &str = "xtask/long-files.txt";

/// Source files have at most [`MAX_LINES`] lines, or a reason in [`LONG_FILES`].
pub(super) fn long_files(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut excused = Vec::new();
    for entry in entries(tree, LONG_FILES, &mut findings) {
        let problem = match tree.0.get(entry.what) {
            Some(Some(text)) if text.lines().count() > MAX_LINES => {
                excused.push(entry.what);
                continue;
            }
            Some(_) => format!("{} is short: drop this line", entry.what),
            None => format!("there is no {}: drop this line", entry.what),
        };
        findings.push(Finding::new(LONG_FILES, entry.line, problem));
    }
    for (path, text) in tree.texts(&[".rs", ".cuh", ".cu", ".cpp", ".py", ".sh"]) {
        let lines = text.lines().count();
        if lines > MAX_LINES && !excused.contains(&path) {
            let message = format!("{lines} lines, more than {MAX_LINES}: split it, or give the reason in {LONG_FILES}");
            findings.push(Finding::new(path, 0, message));
        }
    }
    findings
}

/// Every `allow` and `expect` of a lint has a reason.
pub(super) fn bare_allows(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts(&[".rs"]) {
        for (at, attribute) in attributes(text) {
            let lint = attribute.contains("allow(") || attribute.contains("expect(");
            // Attributes such as `#[should_panic(expected = ...)]` have no `expect(`, so they are not lints.
            if lint && !attribute.contains("reason") {
                let line = text[..at].matches('\n').count() + 1;
                findings.push(Finding::new(path, line, "a lint is allowed without a reason: add `reason = \"...\"`"));
            }
        }
    }
    findings
}

/// Attributes in `text`, from `#[` or `#![` to the matching bracket, each with its index. Those in comments are left
/// out.
fn attributes(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('#').filter_map(|(at, _)| {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let rest = &text[at + 1..];
        let open = rest.strip_prefix('!').unwrap_or(rest).starts_with('[');
        if !open || text[line..at].contains("//") {
            return None;
        }
        let mut depth = 0usize;
        for (offset, c) in rest.char_indices() {
            match c {
                '[' => depth += 1,
                ']' if depth == 1 => return Some((at, &rest[..offset])),
                ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    })
}

/// Every package takes the workspace's lints.
pub(super) fn lints_tables(tree: &Tree) -> Vec<Finding> {
    let inherits = |text: &str| {
        let mut lines = text.lines().map(str::trim).skip_while(|line| *line != "[lints]").skip(1);
        lines.by_ref().take_while(|line| !line.starts_with('[')).any(|line| line == "workspace = true")
    };
    tree.texts(&["Cargo.toml"])
        .filter(|(_, text)| text.lines().any(|line| line.trim() == "[package]") && !inherits(text))
        .map(|(path, _)| Finding::new(path, 0, "the package needs `[lints]` with `workspace = true`"))
        .collect()
}

/// Tests inside a library that is not compiled for its tests are in a file that one of its test programs compiles.
pub(super) fn unrun_tests(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (manifest, text) in tree.texts(&["Cargo.toml"]) {
        let lib = text.lines().skip_while(|line| *line != "[lib]").skip(1).take_while(|line| !line.starts_with('['));
        if !lib.into_iter().any(|line| line == "test = false") {
            continue;
        }
        let folder = manifest.trim_end_matches("Cargo.toml");
        let within = |part: &str| {
            let folder = format!("{folder}{part}/");
            tree.texts(&[".rs"]).filter(move |(path, _)| path.starts_with(&folder))
        };
        for (path, text) in within("src").filter(|(_, text)| text.contains("#[cfg(test)]")) {
            let named = format!("/{}\"]", &path[folder.len()..]);
            if !within("tests").any(|(_, text)| text.contains(&named)) {
                let line = text.lines().take_while(|line| !line.contains("#[cfg(test)]")).count() + 1;
                let message =
                    format!("no test program runs this: name the file in one under {folder}tests by `#[path]`");
                findings.push(Finding::new(path, line, message));
            }
        }
    }
    findings
}

/// Every kernel file begins with a comment.
pub(super) fn kernel_comments(tree: &Tree) -> Vec<Finding> {
    tree.texts(&[".cuh", ".cu"])
        .filter(|(_, text)| !text.starts_with("//") && !text.starts_with("/*"))
        .map(|(path, _)| Finding::new(path, 1, "begin with a comment that says what the file does and how"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::finding::tests::places;
    use super::*;

    #[test]
    fn long_files_need_a_reason() {
        let (long, short) = ("x\n".repeat(MAX_LINES + 1), "x\n".repeat(MAX_LINES));
        assert_eq!(places(long_files, &[("a.rs", &long), ("b.rs", &short)]), [("a.rs".to_owned(), 0)]);
        let excuse = "# comment\na.rs: one table\n";
        assert_eq!(places(long_files, &[("a.rs", &long), (LONG_FILES, excuse)]), []);
        let stale = "a.rs:\nb.rs: short\nc.rs: gone\n";
        let found = places(long_files, &[("a.rs", &long), ("b.rs", &short), (LONG_FILES, stale)]);
        assert_eq!(found, [1, 2, 3].map(|line| (LONG_FILES.to_owned(), line)));
    }

    #[test]
    fn allows_need_a_reason() {
        let bare = format!("fn f() {{}}\n#[{}(dead_code)]\nfn g() {{}}\n", "allow");
        let given = format!("#![{}(\n    dead_code,\n    reason = \"[a] list\"\n)]\n// #[{}(x)]\n", "allow", "allow");
        let nested = format!("#[cfg_attr(not(feature = \"cuda\"), {}(unused))]\n", "allow");
        let found = places(bare_allows, &[("a.rs", &bare), ("b.rs", &given), ("c.rs", &nested)]);
        assert_eq!(found, [("a.rs".to_owned(), 2), ("c.rs".to_owned(), 1)]);
    }

    #[test]
    fn packages_take_the_lints() {
        let bad = "[package]\nname = \"a\"\n[lints]\n[features]\nworkspace = true\n";
        let good = "[package]\nname = \"b\"\n\n[lints]\nworkspace = true\n";
        let files = [("a/Cargo.toml", bad), ("b/Cargo.toml", good), ("Cargo.toml", "[workspace]\n")];
        assert_eq!(places(lints_tables, &files), [("a/Cargo.toml".to_owned(), 0)]);
    }

    #[test]
    fn tests_that_nothing_runs_are_found() {
        let (manifest, tests) =
            ("[package]\n\n[lib]\n# A reason.\ntest = false\n\n[lints]\n", "use x;\n#[cfg(test)]\nmod tests {}\n");
        let program = "mod inside {\n    #[path = \"../../src/a/b.rs\"]\n    mod b;\n}\n";
        let files = [
            ("x/Cargo.toml", manifest),
            ("x/src/a/b.rs", tests),
            ("x/src/b.rs", tests),
            ("x/tests/inside.rs", program),
            ("y/Cargo.toml", "[lib]\nname = \"y\"\n[[bin]]\ntest = false\n"),
            ("y/src/b.rs", tests),
        ];
        assert_eq!(places(unrun_tests, &files), [("x/src/b.rs".to_owned(), 2)]);
    }

    #[test]
    fn kernels_begin_with_a_comment() {
        let files = [("a.cuh", "#pragma once\n"), ("b.cuh", "// Scan.\n"), ("c.cuh", "/* Scan. */\n")];
        assert_eq!(places(kernel_comments, &files), [("a.cuh".to_owned(), 1)]);
    }
}
