//! Test of the guide as a book: mdBook builds it, and its links hold.

use crate::{Chapter, chapters, code, file, files, read};
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

/// Maximum line length of prose.
const COLUMNS: usize = 120;

/// Folder of the pictures, each of which some chapter shows.
const PICTURES: &str = "pictures/";

/// Kinds of fenced blocks: programs, commands that run, and other text.
const KINDS: [&str; 3] = ["rust", "console", "text"];

/// Links of some lines outside of code: line number, words, target.
fn links<'a>(lines: &[(usize, Option<&str>, &'a str)]) -> Vec<(usize, &'a str, &'a str)> {
    let mut found = vec![];
    for &(number, fence, line) in lines.iter().filter(|line| line.1.is_none()) {
        assert_eq!(fence, None);
        for (at, _) in line.match_indices("](") {
            let words = line[..at].rsplit('[').next().unwrap_or_default();
            let in_code = line[..at].matches('`').count() % 2 == 1;
            if let Some((target, _)) = line[at + 2..].split_once(')').filter(|_| !in_code) {
                found.push((number, words, target));
            }
        }
    }
    found
}

/// Anchors of headings, as mdBook makes them.
fn anchors(chapter: &Chapter) -> Vec<String> {
    let mut times: HashMap<String, usize> = HashMap::new();
    let headings = chapter.lines().into_iter().filter(|line| line.1.is_none() && line.2.starts_with('#'));
    let name = |line: &str| -> String {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    let mut numbered = |name: String| {
        let before = times.entry(name.clone()).and_modify(|times| *times += 1).or_insert(0);
        if *before == 0 { name } else { format!("{name}-{before}") }
    };
    headings.map(|line| numbered(name(line.2))).collect()
}

/// `target` as seen from the folder of `from`, without `..`.
fn resolved(from: &str, target: &str) -> String {
    let mut path = PathBuf::from(from);
    path.pop();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{from}: {target} leads out of the book"),
            part => path.push(part),
        }
    }
    path.to_str().unwrap().to_owned()
}

#[test]
fn every_chapter_is_in_the_summary_once_under_its_title() {
    let summary = read("docs/guide/src/SUMMARY.md");
    let mut listed = vec![];
    let mut depth = 0;
    for (number, line) in (1..).zip(summary.lines()).skip(1).filter(|(_, line)| !line.is_empty()) {
        let entry = line.trim_start();
        let indent = line.len() - entry.len();
        let link = entry.strip_prefix("- ").unwrap_or(entry);
        let parts =
            link.strip_prefix('[').and_then(|link| link.strip_suffix(')')).and_then(|link| link.split_once("]("));
        let (title, path) = parts.unwrap_or_else(|| panic!("SUMMARY.md:{number}: mdBook wants `- [Title](path.md)`"));
        // A chapter is at most one level below the one before it.
        assert!(indent % 4 == 0 && indent / 4 <= depth + 1, "SUMMARY.md:{number}: indented by {indent}");
        depth = if entry.starts_with("- ") { indent / 4 } else { 0 };
        let text = read(&format!("docs/guide/src/{path}"));
        let heading = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
        assert!(heading == title || heading.ends_with(title), "{path} is {heading:?}, and {title:?} in SUMMARY.md");
        listed.push(path.to_owned());
    }
    assert!(summary.starts_with("# Summary\n"));
    listed.push("SUMMARY.md".to_owned());
    listed.sort();
    let mut pages = files("");
    pages.retain(|path| !path.starts_with(PICTURES));
    assert_eq!(listed, pages, "the chapters of SUMMARY.md, and the files");
}

#[test]
fn the_book_is_configured() {
    let config = read("docs/guide/book.toml");
    for line in ["[book]", "src = \"src\"", "create-missing = false"] {
        assert!(config.lines().any(|found| found == line), "book.toml has no {line}");
    }
}

#[test]
fn links_hold() {
    let chapters = chapters();
    let pictures = files(PICTURES.trim_end_matches('/'));
    let mut shown = HashSet::new();
    let mut wrong = vec![];
    let mut seen = 0;
    for chapter in &chapters {
        for (line, _, target) in links(&chapter.lines()) {
            seen += 1;
            let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
            let path = if path.is_empty() { chapter.path.clone() } else { resolved(&chapter.path, path) };
            if pictures.contains(&path) && anchor.is_none() {
                shown.insert(path);
                continue;
            }
            let found = chapters.iter().find(|other| other.path == path);
            let holds = found.is_some_and(|other| anchor.is_none_or(|name| anchors(other).iter().any(|a| a == name)));
            if !holds {
                wrong.push(format!("{}:{line}: {target}", chapter.path));
            }
        }
    }
    assert!(wrong.is_empty(), "links to nowhere\n{}", wrong.join("\n"));
    assert!(seen > 40, "only {seen} links");
    let unseen: Vec<&String> = pictures.iter().filter(|path| !shown.contains(*path)).collect();
    assert!(unseen.is_empty(), "pictures that no chapter shows: {unseen:?}");
}

#[test]
fn every_program_is_a_doctest_and_every_block_has_a_kind() {
    let doctests = read("crates/upsweep-apps/src/guide.rs");
    for chapter in chapters() {
        let fences = chapter.text.lines().filter_map(|line| line.strip_prefix("```")).step_by(2).collect::<Vec<_>>();
        for kind in &fences {
            assert!(KINDS.contains(kind), "{}: a block of the kind {kind:?}", chapter.path);
        }
        let listed = doctests.contains(&format!("\"{}\"", chapter.path));
        assert_eq!(listed, fences.contains(&"rust"), "{} in crates/upsweep-apps/src/guide.rs", chapter.path);
    }
}

#[test]
fn prose_is_wrapped_and_every_page_has_one_title() {
    for chapter in chapters() {
        let mut titles = 0;
        for (line, fence, text) in chapter.lines() {
            let prose = fence.is_none() && !text.starts_with('|');
            let long = prose && text.chars().count() > COLUMNS;
            assert!(!long, "{}:{line}: {} columns", chapter.path, text.chars().count());
            titles += usize::from(fence.is_none() && text.starts_with("# "));
            assert!(!prose || code(text).all(|span| !span.is_empty()), "{}:{line}: empty code", chapter.path);
        }
        assert_eq!(titles, 1, "{}", chapter.path);
    }
}

/// Text of all Rust files in a folder of the repository and below it.
fn sources(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text += &sources(&path);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            text += &std::fs::read_to_string(&path).unwrap();
        }
    }
    text
}

/// Names of Rust in the chapters exist in the sources: types and their functions, `Scan::axes`, and methods,
/// `exclusive()`. (The names in the tables of tasks are compiled: see `tables.rs`.)
#[test]
fn names_of_rust_are_in_the_sources() {
    let text: String = ["upsweep", "upsweep-core", "upsweep-cuda", "upsweep-apps", "upsweep-macros"]
        .map(|name| sources(&file(&format!("crates/{name}/src"))))
        .concat();
    let known: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut unknown = vec![];
    let mut seen = 0;
    for chapter in chapters().iter().filter(|chapter| !chapter.path.starts_with("tasks")) {
        for (line, _, text) in chapter.lines().iter().filter(|line| line.1.is_none()) {
            for span in code(text) {
                let name = span.split(['(', '<', ' ', '{']).next().unwrap_or_default();
                let is_path = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
                let is_type =
                    name.len() > 1 && name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
                let is_method = span[name.len()..].starts_with('(') && name.starts_with(char::is_lowercase);
                if is_path && (is_type || is_method) {
                    let parts = name.split("::").filter(|part| !part.is_empty());
                    seen += 1;
                    unknown.extend(
                        parts
                            .filter(|part| !known.contains(part))
                            .map(|part| format!("{}:{line}: {part}", chapter.path)),
                    );
                }
            }
        }
    }
    assert!(unknown.is_empty(), "names that no source has\n{}", unknown.join("\n"));
    assert!(seen > 150, "only {seen} names");
}
