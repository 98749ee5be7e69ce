//! The same stem at every level: who knows one file of a family guesses the others.

use super::finding::Finding;
use super::listed::entries;
use crate::tree::Tree;

/// The library, and where the files of a family are in it, beside the builder in `src/NAME.rs`.
const LIBRARY: &str = "crates/upsweep/";
const PLACES: [&str; 4] = ["src/plan/NAME.rs", "src/cpu/NAME.rs", "src/cuda/NAME.rs", "kernels/device/NAME.cuh"];
/// What a file has that defines a builder.
const BUILDER: &str = "    pub fn run<";
/// The files that a family does without, and the reason, one a line.
const STEMS: &str = "xtask/stems.txt";

/// Every family has a file of its name at each level, unless [`STEMS`] has the reason.
pub(super) fn stems(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut excused = entries(tree, STEMS, &mut findings);
    for (path, text) in tree.texts(&[".rs"]) {
        let name = path.strip_prefix(LIBRARY).and_then(|path| path.strip_prefix("src/")?.strip_suffix(".rs"));
        let Some(name) = name.filter(|name| !name.contains('/') && text.contains(BUILDER)) else { continue };
        for place in PLACES {
            let place = format!("{LIBRARY}{}", place.replace("NAME", name));
            if tree.has(&place) {
                continue;
            }
            match excused.iter().position(|entry| entry.what == place) {
                Some(at) => drop(excused.remove(at)),
                None => {
                    let message = format!("its family has no {place}: add it, or give the reason in {STEMS}");
                    findings.push(Finding::new(path, 0, message));
                }
            }
        }
    }
    for entry in excused {
        findings.push(Finding::new(STEMS, entry.line, format!("nothing lacks {}: drop this line", entry.what)));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::finding::tests::words;
    use super::*;

    const BUILDERS: [(&str, &str); 3] = [
        ("crates/upsweep/src/sort.rs", "impl Sort {\n    pub fn run<I>(&self) {}\n}\n"),
        ("crates/upsweep/src/job.rs", "pub(crate) struct Job;\n"),
        ("crates/upsweep/src/cpu/steps.rs", "impl Steps {\n    pub fn run<I>(&self) {}\n}\n"),
    ];

    fn planted(places: &[&str], list: &str) -> Vec<String> {
        let files = places.iter().map(|&path| (path, "\n")).chain(BUILDERS).chain([(STEMS, list)]);
        words(stems, &files.collect::<Vec<_>>())
    }

    #[test]
    fn a_planted_missing_stem_is_found() {
        let all = ["src/plan/sort.rs", "src/cpu/sort.rs", "src/cuda/sort.rs", "kernels/device/sort.cuh"]
            .map(|path| format!("{LIBRARY}{path}"));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(planted(&all, ""), [""; 0]);
        for missing in 0..all.len() {
            let mut places = all.clone();
            let lacks = places.remove(missing);
            let message = format!("its family has no {lacks}: add it, or give the reason in xtask/stems.txt");
            assert_eq!(planted(&places, ""), [format!("crates/upsweep/src/sort.rs: {message}")]);
            assert_eq!(planted(&places, &format!("{lacks}: it sorts nothing\n")), [""; 0]);
            assert_eq!(planted(&places, &format!("{lacks}:\n")).len(), 1);
        }
        let stale = format!("# why\n{}: it sorts nothing\n", all[0]);
        assert_eq!(planted(&all, &stale), [format!("xtask/stems.txt:2: nothing lacks {}: drop this line", all[0])]);
    }
}
