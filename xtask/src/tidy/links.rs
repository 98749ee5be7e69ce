//! Rule for links between files, in Markdown and in the documentation comments of Rust.

use super::finding::Finding;
use crate::tree::{Tree, relative};

/// Every link to a file of the project finds it, and every link to a heading of a Markdown file finds the heading.
/// Rustdoc checks links to items of the code; nothing checks links to the web.
pub(super) fn broken(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts(&[".md", ".rs"]) {
        for (line, target) in links(text, path.ends_with(".rs")) {
            if let Some(message) = problem(tree, path, target) {
                findings.push(Finding::new(path, line, format!("the link to {target}: {message}")));
            }
        }
    }
    findings
}

fn problem(tree: &Tree, from: &str, target: &str) -> Option<&'static str> {
    let (file, heading) = target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
    let file = if file.is_empty() { from.to_owned() } else { relative(from, file)? };
    if !tree.has(&file) {
        return Some("there is no such file");
    }
    let Some(Some(text)) = tree.0.get(&file).filter(|_| file.ends_with(".md")) else { return None };
    match heading {
        Some(heading) if !headings(text).any(|found| found == heading) => Some("there is no such heading"),
        _ => None,
    }
}

/// Links to files in `text` with their lines: `[words](target)` and `[words]: target`, outside code.
fn links(text: &str, rust: bool) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let line = match (rust, line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))) {
            (true, Some(doc)) => doc.trim_start(),
            (true, None) => continue,
            (false, _) => line,
        };
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let reference = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
        let inline = line.match_indices("](").filter_map(|(at, _)| {
            let in_code = line[..at].matches('`').count() % 2 == 1;
            line[at + 2..].split_once(')').map(|(target, _)| target).filter(|_| !in_code)
        });
        let targets = inline.chain(reference).map(|target| target.split(' ').next().unwrap_or(target));
        found.extend(targets.filter(|target| is_file(target, rust)).map(|target| (index + 1, target)));
    }
    found
}

/// Whether `target` names a file or a heading, not the web and not an item of the code.
fn is_file(target: &str, rust: bool) -> bool {
    let elsewhere = target.contains("://") || target.starts_with("mailto:");
    let item = rust && (target.contains("::") || !target.contains(['.', '/']));
    !target.is_empty() && !elsewhere && !item
}

/// Headings of a Markdown text, in the form in which links name them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::super::finding::tests::places;
    use super::*;

    #[test]
    fn links_to_missing_files_and_headings_are_found() {
        let readme = "[a](docs/a.md) [b](docs/b.md)\n[c](docs/a.md#two-words) [d](docs/a.md#none) [e](#here)\n# Here\n\
                      `[f](g.md)` [h](https://example.com/i.md)\n```\n[j](k.md)\n```\n[l]: docs/\n[m]: n.md\n";
        let files = [("README.md", readme), ("docs/a.md", "# Two words!\n[up](../README.md) [out](../no.md)\n")];
        let expected = [("README.md", 1), ("README.md", 2), ("README.md", 9), ("docs/a.md", 2)];
        assert_eq!(places(broken, &files), expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn links_in_rust_comments_are_found() {
        let code = "//! [a](../../README.md) [b](gone.md) [`c`](crate::c) [d](Self::d) [e](scan)\nlet x = y[0](1.0);\n";
        let files = [("a/src/lib.rs", code), ("README.md", "")];
        assert_eq!(places(broken, &files), [("a/src/lib.rs".to_owned(), 1)]);
    }
}
