//! Rule against dependency cycles: files of a cycle cannot be read, tested or moved alone.

use super::finding::Finding;
use super::listed::entries;
use crate::code::arrows::{Arrows, arrows};
use crate::tree::Tree;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// List of the cycles that stay: the files in alphabetical order and the reason, one a line.
const CIRCLES: &str = "xtask/circles.txt";

/// No file reaches itself by arrows, unless [`CIRCLES`] has the reason. The findings are the shortest cycles of each
/// file.
pub(super) fn circles(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut allowed = entries(tree, CIRCLES, &mut findings);
    let arrows = arrows(tree);
    for knot in knots(&arrows) {
        let names = knot.iter().copied().collect::<Vec<_>>().join(" ");
        if let Some(at) = allowed.iter().position(|entry| entry.what == names) {
            allowed.remove(at);
            continue;
        }
        // Takes a shortest cycle of each file. Each is rotated so that it begins with its first file, and so is
        // reported once.
        let of_each = knot.iter().filter_map(|file| circle(&arrows, file));
        let told: BTreeSet<Vec<(&str, usize)>> = of_each
            .map(|mut circle| {
                let first = (0..circle.len()).min_by_key(|&at| circle[at]).unwrap_or(0);
                circle.rotate_left(first);
                circle
            })
            .collect();
        for circle in told {
            let words: Vec<String> = circle.iter().map(|(file, line)| format!("{file}:{line} -> ")).collect();
            let (first, line) = circle[0];
            findings.push(Finding::new(first, line, format!("a circle: {}{first}", words.concat())));
        }
    }
    let stale = |entry: &super::listed::Entry<'_>| {
        Finding::new(CIRCLES, entry.line, format!("there is no circle {}: drop this line", entry.what))
    };
    findings.extend(allowed.iter().map(stale));
    findings
}

/// Sets of files, each of which reaches all others of its set by arrows.
fn knots<'a>(arrows: &Arrows<'a>) -> Vec<BTreeSet<&'a str>> {
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for &(from, _) in arrows.keys() {
        if !reached.contains_key(from) {
            let mut all = BTreeSet::new();
            let mut open = vec![from];
            while let Some(file) = open.pop() {
                open.extend(next(arrows, file).map(|(to, _)| to).filter(|to| all.insert(*to)));
            }
            reached.insert(from, all);
        }
    }
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|all| all.contains(to));
    let mut knots: Vec<BTreeSet<&str>> = Vec::new();
    for (&file, all) in &reached {
        if reaches(file, file) && !knots.iter().any(|knot| knot.contains(file)) {
            knots.push(all.iter().copied().filter(|other| reaches(other, file)).collect());
        }
    }
    knots
}

/// Shortest cycle from the file `start` back to it: its files, each with the line of the arrow to the next one.
fn circle<'a>(arrows: &Arrows<'a>, start: &'a str) -> Option<Vec<(&'a str, usize)>> {
    let mut before: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(file) = open.pop_front() {
        for (to, line) in next(arrows, file) {
            if before.contains_key(to) {
                continue;
            }
            before.insert(to, (file, line));
            open.push_back(to);
        }
    }
    let mut way = vec![*before.get(start)?];
    while let Some(&(file, _)) = way.last().filter(|(file, _)| *file != start) {
        way.push(*before.get(file)?);
    }
    way.reverse();
    Some(way)
}

/// Files that `file` has an arrow to, each with the line of the arrow.
fn next<'m, 'a>(arrows: &'m Arrows<'a>, file: &'m str) -> impl Iterator<Item = (&'a str, usize)> + 'm {
    arrows.range((file, "")..).take_while(move |((from, _), _)| *from == file).map(|((_, to), line)| (*to, *line))
}

#[cfg(test)]
mod tests {
    use super::super::finding::tests::words;
    use super::*;

    const MANIFEST: (&str, &str) = ("a/Cargo.toml", "[package]\nname = \"a\"\n");
    const LIB: (&str, &str) = ("a/src/lib.rs", "mod b;\nmod c;\nmod d;\npub use b::B;\n");

    /// Findings in a tree of three files: `b` needs `c`, `c` needs `d`, and `d` has the given text. `list` is the list
    /// of cycles.
    fn planted(d: &str, list: &str) -> Vec<String> {
        let b = "\nuse crate::c::C;\npub struct B(C);\n";
        let c = "pub struct C;\nfn f() {\n    crate::d::g()\n}\n";
        let files = [MANIFEST, LIB, ("a/src/b.rs", b), ("a/src/c.rs", c), ("a/src/d.rs", d), (CIRCLES, list)];
        words(circles, &files)
    }

    #[test]
    fn a_planted_circle_is_printed_with_its_lines() {
        let found = planted("use crate::B;\npub fn g() {}\n", "");
        let circle = "a/src/b.rs:2 -> a/src/c.rs:3 -> a/src/d.rs:1 -> a/src/b.rs";
        assert_eq!(found, [format!("a/src/b.rs:2: a circle: {circle}")]);
        assert_eq!(planted("pub fn g() {}\n", ""), [""; 0]);
        assert_eq!(planted("pub fn g() {}\n#[cfg(test)]\nmod tests {\n    use crate::B;\n}\n", ""), [""; 0]);
    }

    #[test]
    fn the_shortest_circle_of_each_file_is_told() {
        let found = planted("use crate::{B, c::C};\npub fn g() {}\n", "");
        let long = "a/src/b.rs:2 -> a/src/c.rs:3 -> a/src/d.rs:1 -> a/src/b.rs";
        let short = "a/src/c.rs:3 -> a/src/d.rs:1 -> a/src/c.rs";
        assert_eq!(found, [format!("a/src/b.rs:2: a circle: {long}"), format!("a/src/c.rs:3: a circle: {short}")]);
    }

    #[test]
    fn a_circle_with_a_reason_may_stay_and_an_old_reason_may_not() {
        let list = "# why\na/src/b.rs a/src/c.rs a/src/d.rs: a recursion\n";
        assert_eq!(planted("use crate::B;\npub fn g() {}\n", list), [""; 0]);
        let stale = planted("pub fn g() {}\n", list);
        assert_eq!(
            stale,
            [format!("{CIRCLES}:2: there is no circle a/src/b.rs a/src/c.rs a/src/d.rs: drop this line")]
        );
        assert_eq!(planted("use crate::B;\npub fn g() {}\n", "a/src/b.rs a/src/c.rs a/src/d.rs\n").len(), 1);
    }

    #[test]
    fn includes_go_in_no_circle() {
        let files = [("k/kernels/a.cuh", "#include \"b.cuh\"\n"), ("k/kernels/b.cuh", "//\n#include \"a.cuh\"\n")];
        let circle = "k/kernels/a.cuh:1 -> k/kernels/b.cuh:2 -> k/kernels/a.cuh";
        assert_eq!(words(circles, &files), [format!("k/kernels/a.cuh:1: a circle: {circle}")]);
    }
}
