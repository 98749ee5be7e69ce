//! Rule for layers: arrows point down, so that a file depends on nothing above it.

use super::finding::Finding;
use crate::code::arrows::{arrows, files};
use crate::tree::Tree;

/// List of the levels: its first lines explain its form.
const LAYERS: &str = "xtask/layers.txt";

/// Entry of the list of levels: a file or a folder. Entries on the same line have the same level.
struct Entry<'a> {
    folder: &'a str,
    name: &'a str,
    line: usize,
}

impl Entry<'_> {
    fn has(&self, path: &str) -> bool {
        let rest = path.strip_prefix(self.folder).and_then(|rest| rest.strip_prefix('/'));
        let rest = rest.and_then(|rest| rest.strip_prefix(self.name));
        rest.is_some_and(|rest| rest.starts_with('/') || matches!(rest, ".rs" | ".cuh"))
    }
}

/// Every file of a folder in [`LAYERS`] has a level there, and its arrows lead to lower levels or to its own entry.
pub(super) fn levels(tree: &Tree) -> Vec<Finding> {
    let text = tree.0.get(LAYERS).and_then(|text| text.as_deref()).unwrap_or_default();
    let (mut folders, mut entries) = (Vec::new(), Vec::new());
    for (index, words) in text.lines().enumerate().filter(|(_, words)| !words.starts_with('#')) {
        if let Some(folder) = words.strip_prefix('[').and_then(|words| words.strip_suffix(']')) {
            folders.push(folder);
        } else if let Some(folder) = folders.last() {
            entries.extend(words.split_whitespace().map(|name| Entry { folder, name, line: index + 1 }));
        }
    }
    // The entry of a path is the longest name that fits, so that a folder in a folder can have a level of its own.
    let entry_of = |path: &str| {
        let fitting = entries.iter().enumerate().filter(|(_, entry)| entry.has(path));
        fitting.max_by_key(|(_, entry)| entry.name.len())
    };
    let mut findings = Vec::new();
    let files = files(tree);
    for &path in &files {
        let inside = folders.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
        if inside && entry_of(path).is_none() {
            findings.push(Finding::new(path, 0, format!("it has no level: give it one in {LAYERS}")));
        }
    }
    for (at, entry) in entries.iter().enumerate() {
        if !files.iter().any(|path| entry_of(path).is_some_and(|(other, _)| other == at)) {
            let message = format!("there is no {}/{}: drop it here", entry.folder, entry.name);
            findings.push(Finding::new(LAYERS, entry.line, message));
        }
    }
    for ((from, to), line) in arrows(tree) {
        let (Some((above, upper)), Some((below, lower))) = (entry_of(from), entry_of(to)) else { continue };
        if above == below || upper.folder != lower.folder || upper.line < lower.line {
            continue;
        }
        let how = if upper.line == lower.line { "across" } else { "up" };
        let (upper, lower) = (upper.name, lower.name);
        let message = format!("an arrow {how} to {to}: {upper} may not know {lower}, by the levels in {LAYERS}");
        findings.push(Finding::new(from, line, message));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::finding::tests::words;
    use super::*;

    const MANIFEST: (&str, &str) = ("a/Cargo.toml", "[package]\nname = \"a\"\n");
    const TABLE: &str = "# how\n[a/src]\nlib\ntop\nleft right\nleft/ground\n[a/kernels]\ndevice\nwarp\n";

    /// Findings in a valid tree in which the files `changed` are replaced.
    fn planted(changed: &[(&str, &str)]) -> Vec<String> {
        let mut files = vec![
            MANIFEST,
            (LAYERS, TABLE),
            ("a/src/lib.rs", "mod left;\nmod right;\npub mod top;\n"),
            ("a/src/top.rs", "use crate::left::L;\nuse crate::right::R;\npub struct T(L, R);\n"),
            ("a/src/left/mod.rs", "mod ground;\nmod other;\nuse other::O;\npub struct L(O);\n"),
            ("a/src/left/other.rs", "use super::ground::G;\npub struct O(G);\n"),
            ("a/src/left/ground.rs", "pub struct G;\n"),
            ("a/src/right.rs", "pub struct R;\n#[cfg(test)]\nmod tests {\n    use crate::top::T;\n}\n"),
            ("a/kernels/device/s.cuh", "#include \"warp/s.cuh\"\n"),
            ("a/kernels/warp/s.cuh", "// S.\n"),
        ];
        for &(path, text) in changed {
            files.retain(|&(other, _)| other != path);
            files.push((path, text));
        }
        words(levels, &files)
    }

    #[test]
    fn planted_arrows_up_and_across_are_found() {
        assert_eq!(planted(&[]), [""; 0]);
        let up = "an arrow up to a/src/top.rs: right may not know top, by the levels in xtask/layers.txt";
        let right = "pub struct R;\nfn f() {\n    crate::top::T\n}\n";
        assert_eq!(planted(&[("a/src/right.rs", right)]), [format!("a/src/right.rs:3: {up}")]);
        let across = "an arrow across to a/src/left/mod.rs: right may not know left, by the levels in xtask/layers.txt";
        let right = "use crate::left::L;\npub struct R(L);\n";
        assert_eq!(planted(&[("a/src/right.rs", right)]), [format!("a/src/right.rs:1: {across}")]);
        let up = "an arrow up to a/src/left/other.rs: left/ground may not know left, by the levels in xtask/layers.txt";
        let ground = "use super::other::O;\npub struct G;\n";
        assert_eq!(planted(&[("a/src/left/ground.rs", ground)]), [format!("a/src/left/ground.rs:1: {up}")]);
    }

    #[test]
    fn planted_includes_up_are_found() {
        let up = "an arrow up to a/kernels/device/s.cuh: warp may not know device, by the levels in xtask/layers.txt";
        let found = planted(&[("a/kernels/warp/s.cuh", "// S.\n#include \"device/s.cuh\"\n")]);
        assert_eq!(found, [format!("a/kernels/warp/s.cuh:2: {up}")]);
    }

    #[test]
    fn files_without_a_level_and_levels_without_a_file_are_found() {
        let lib = "mod left;\nmod right;\npub mod top;\nmod new;\n";
        let found = planted(&[("a/src/lib.rs", lib), ("a/src/new.rs", "\n")]);
        assert_eq!(found, ["a/src/new.rs: it has no level: give it one in xtask/layers.txt"]);
        let table = TABLE.replace("lib\n", "lib gone\n");
        assert_eq!(planted(&[(LAYERS, &table)]), ["xtask/layers.txt:3: there is no a/src/gone: drop it here"]);
    }
}
