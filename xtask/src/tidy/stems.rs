//! Rule for file names: a family has the same name at every level, so that one of its files leads to the others.

use super::finding::Finding;
use super::listed::entries;
use crate::tree::Tree;

/// Folder of the builders.
const BUILDERS: &str = "crates/upsweep/src/";
/// Files that a family has besides its builder; NAME is the name of the builder's file.
const PLACES: [&str; 3] =
    ["crates/upsweep-plan/src/NAME.rs", "crates/upsweep-cpu/src/NAME.rs", "crates/upsweep-cuda/src/NAME/mod.rs"];
/// Text that marks a file with a builder.
const BUILDER: &str = "    pub fn run<";
/// List of the builders whose families lack one of these files, with the reasons, one a line.
const STEMS: &str = "xtask/stems.txt";

/// Every family has a file of its name at each level, unless [`STEMS`] has the reason.
pub(super) fn stems(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut excused = entries(tree, STEMS, &mut findings);
    for (path, text) in tree.texts(&[".rs"]) {
        let name = path.strip_prefix(BUILDERS).and_then(|path| path.strip_suffix(".rs"));
        let Some(name) = name.filter(|name| !name.contains('/') && text.contains(BUILDER)) else { continue };
        let places = PLACES.map(|place| place.replace("NAME", name));
        let lacking: Vec<&String> = places.iter().filter(|place| !tree.has(place)).collect();
        if lacking.is_empty() {
            continue;
        }
        match excused.iter().position(|entry| entry.what == path) {
            Some(at) => drop(excused.remove(at)),
            None => findings.extend(lacking.into_iter().map(|place| {
                let message = format!("its family has no {place}: add it, or give the reason in {STEMS}");
                Finding::new(path, 0, message)
            })),
        }
    }
    for entry in excused {
        findings.push(Finding::new(STEMS, entry.line, format!("{} lacks nothing: drop this line", entry.what)));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::finding::tests::words;
    use super::*;

    const SOURCES: [(&str, &str); 3] = [
        ("crates/upsweep/src/sort.rs", "impl Sort {\n    pub fn run<I>(&self) {}\n}\n"),
        ("crates/upsweep/src/options.rs", "pub(crate) struct Options;\n"),
        ("crates/upsweep-cpu/src/steps.rs", "impl Steps {\n    pub fn run<I>(&self) {}\n}\n"),
    ];

    fn planted(places: &[&str], list: &str) -> Vec<String> {
        let files = places.iter().map(|&path| (path, "\n")).chain(SOURCES).chain([(STEMS, list)]);
        words(stems, &files.collect::<Vec<_>>())
    }

    #[test]
    fn a_planted_missing_stem_is_found() {
        let sort = SOURCES[0].0;
        let all = PLACES.map(|place| place.replace("NAME", "sort"));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(planted(&all, ""), [""; 0]);
        for missing in 0..all.len() {
            let mut places = all.clone();
            let lacks = places.remove(missing);
            let message = format!("its family has no {lacks}: add it, or give the reason in xtask/stems.txt");
            assert_eq!(planted(&places, ""), [format!("{sort}: {message}")]);
            assert_eq!(planted(&places, &format!("{sort}: it sorts nothing\n")), [""; 0]);
            assert_eq!(planted(&places, &format!("{sort}:\n")).len(), 1);
        }
        let stale = format!("# why\n{sort}: it sorts nothing\n");
        assert_eq!(planted(&all, &stale), [format!("xtask/stems.txt:2: {sort} lacks nothing: drop this line")]);
    }
}
