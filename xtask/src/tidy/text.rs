//! Rules for every text file.

use super::finding::Finding;
use crate::tree::Tree;

const CODE: [&str; 10] = [".rs", ".cuh", ".cu", ".cpp", ".py", ".toml", ".md", ".yml", ".ci/run", ".sh"];

/// No tabs, no spaces at the end of a line, lines end as on Unix, and the file ends with a line end.
pub(super) fn whitespace(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts(&CODE) {
        for (line, content) in numbered(text) {
            if content.contains('\t') {
                findings.push(Finding::new(path, line, "a tab: use spaces"));
            }
            if content.ends_with([' ', '\t', '\r']) {
                findings.push(Finding::new(path, line, "white space at the end of the line"));
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            findings.push(Finding::new(path, 0, "no line end at the end of the file"));
        }
    }
    findings
}

// The words that the next two rules look for are written in two parts, so that the rules do not find themselves.

/// No marks of work not yet done, and no debugging aids.
pub(super) fn leftovers(tree: &Tree) -> Vec<Finding> {
    let words = [("TO", "DO"), ("FIX", "ME"), ("XX", "X"), ("db", "g!("), ("to", "do!("), ("unimpl", "emented!(")];
    find_words(tree, &words, "is left over: do it, or file an issue")
}

/// No names that a reader cannot follow: paths of the machine where a line was written, occasions on which somebody
/// worked, and addresses of package indexes, where a package's name is enough and a mirror may be set.
pub(super) fn foreign_names(tree: &Tree) -> Vec<Finding> {
    let paths = [("../sha", "red"), ("/wo", "rk/"), ("/op", "t/"), ("/tm", "p/bash")];
    let occasions = [("sess", "ion"), ("sess", "ions"), ("sub", "agent")];
    let indexes = [("pypi", ".org"), ("python", "hosted.org")];
    let mut findings = find_words(tree, &paths, "is a path of one machine: write it from the project's root");
    findings.extend(find_words(
        tree,
        &occasions,
        "is an occasion that readers know nothing of: say what is so, and why",
    ));
    findings.extend(find_words(tree, &indexes, "is the address of a package index: name the package alone"));
    findings
}

fn find_words(tree: &Tree, words: &[(&str, &str)], message: &str) -> Vec<Finding> {
    let words: Vec<String> = words.iter().map(|(head, tail)| format!("{head}{tail}")).collect();
    let mut findings = Vec::new();
    for (path, text) in tree.texts(&[""]).filter(|(path, _)| *path != "Cargo.lock") {
        for (line, content) in numbered(text) {
            for word in words.iter().filter(|word| has_word(content, word)) {
                findings.push(Finding::new(path, line, format!("\"{word}\" {message}")));
            }
        }
    }
    findings
}

/// Whether `line` has `word`, not as a part of a longer word.
fn has_word(line: &str, word: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (first, last) = (word.chars().next(), word.chars().next_back());
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let continued = is_letter(first) && is_letter(before) || is_letter(last) && is_letter(after);
        !continued
    })
}

/// Lines of `text` with their numbers, from 1, and without their `\n` alone.
fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split('\n').enumerate().map(|(index, line)| (index + 1, line))
}

#[cfg(test)]
mod tests {
    use super::super::finding::tests::places;
    use super::*;

    #[test]
    fn whitespace_is_found() {
        let files = [("a.rs", "fn a() {\n\tb\n} \n"), ("b.md", "text\r\n"), ("c.cuh", "// c"), ("d.csv", "1,\t\n")];
        let expected = [("a.rs", 2), ("a.rs", 3), ("b.md", 1), ("c.cuh", 0)];
        assert_eq!(places(whitespace, &files), expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn leftovers_are_found_as_words() {
        let note = format!("// {}{}: later\n", "TO", "DO");
        let debug = format!("x\n{}{}x);\n", "db", "g!(");
        let whole = "let mastodon = 1;\n";
        let found = places(leftovers, &[("a.rs", &note), ("b.rs", &debug), ("c.rs", whole)]);
        assert_eq!(found, [("a.rs".to_owned(), 1), ("b.rs".to_owned(), 2)]);
    }

    #[test]
    fn foreign_names_are_found_and_lookalikes_are_not() {
        let path = format!("see {}{}notes.md\n", "/wo", "rk/");
        let word = format!("in this {}{}\n", "sess", "ion");
        let longer = format!("ob{}{} with home{}{}\n", "sess", "ion", "/wo", "rkers");
        let found = places(foreign_names, &[("a.md", &path), ("b.toml", &word), ("c.rs", &longer)]);
        assert_eq!(found, [("a.md".to_owned(), 1), ("b.toml".to_owned(), 1)]);
    }
}
