//! Test of the tables of "Which builder for which task": their calls occur in a program of the same page, their
//! commands in a block of it. The table of endings matches the sources.

use crate::commands::commands;
use crate::{chapters, code, read};
use std::collections::{BTreeMap, BTreeSet};

/// Removes white space, which a formatter may put anywhere.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Whether a part of a call is a name on its own: names of methods and builders in the words between calls.
fn is_a_name(span: &str) -> bool {
    span.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[test]
fn calls_and_commands_of_tables_run_on_the_same_page() {
    let mut wrong = vec![];
    let mut seen = 0;
    for chapter in chapters().iter().filter(|chapter| chapter.path.starts_with("tasks/")) {
        let program: String =
            chapter.lines().iter().filter(|line| line.1 == Some("rust")).map(|line| dense(line.2)).collect();
        let commands = commands(chapter);
        for (line, header, row) in chapter.rows() {
            for (name, cell) in header.iter().zip(&row) {
                let missing: Vec<&str> = match &**name {
                    "Rust" | "upsweep" => {
                        let spans = code(cell).filter(|span| !is_a_name(span));
                        spans.filter(|span| !program.contains(&dense(span))).collect()
                    }
                    "shell" => {
                        code(cell).filter(|span| !commands.iter().any(|command| command.contains(span))).collect()
                    }
                    _ => continue,
                };
                seen += code(cell).count();
                wrong.extend(missing.into_iter().map(|span| format!("{}:{line}: {span}", chapter.path)));
            }
        }
    }
    assert!(wrong.is_empty(), "named in a table, and run nowhere on its page:\n{}", wrong.join("\n"));
    assert!(seen > 200, "only {seen} calls");
}

/// Source files of the builders that a name of the first column of "Inputs and endings of each builder" stands for.
const SOURCES: &[(&str, &str)] = &[
    ("Scan", "scan"),
    ("Carry", "carry/scan"),
    ("Scan::axes", "scan_axes"),
    ("Scan::along", "list_scan"),
    ("Reduce", "reduce"),
    ("Segments::Keys", "reduce_by_key"),
    ("Reduce::by_code", "reduce_by_code"),
    ("views", "views"),
    ("Scan::pitch", "pitch"),
    ("Transform", "transform"),
    ("UpSweep", "up_sweep"),
    ("MovingSum", "moving_sum"),
    ("Pyramid", "pyramid"),
    ("Select", "compaction"),
    ("Partition", "partition"),
    ("Partition::ways", "multisplit"),
    ("Runs", "runs"),
    ("Expand", "expand"),
    ("Automaton", "automaton"),
    ("Sort", "sort"),
    ("Sort::pairs", "sort"),
    ("Sort::indices", "sort"),
    ("Sort::by", "sort_by"),
    ("Sort::by_key", "sort_by_key"),
    ("Sort::by_fields", "sort_by_fields"),
    ("TopK", "topk"),
    ("Nth", "nth"),
    ("Nth::interpolated", "nth"),
    ("Merge", "merge"),
    ("Search", "search"),
    ("Unique", "unique"),
    ("Sets", "sets"),
    ("Histogram", "histogram"),
    ("RangeHistogram::build", "range_histogram"),
    ("Recurrence", "recurrence"),
    ("Tridiagonal", "tridiagonal"),
];

/// Public functions of a file of the library whose names begin with `run`.
fn endings_of(source: &str) -> BTreeSet<String> {
    let name = |line: &str| line.trim().strip_prefix("pub fn ")?.split(['<', '(']).next().map(str::to_owned);
    source.lines().filter_map(name).filter(|name| name.starts_with("run")).collect()
}

#[test]
fn the_table_of_endings_has_those_of_the_sources() {
    let builders = chapters().into_iter().find(|chapter| chapter.path == "builders.md").unwrap();
    let mut told: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (line, header, row) in builders.rows().iter().filter(|(_, header, _)| header[0] == "builder") {
        let builder =
            code(&row[0]).last().filter(|name| name.contains("Keys")).or_else(|| code(&row[0]).next()).unwrap();
        let at = header.iter().position(|name| name == "endings").unwrap();
        let source = SOURCES.iter().find(|(name, _)| *name == builder);
        let (_, source) = *source.unwrap_or_else(|| panic!("builders.md:{line}: which file is {builder}?"));
        let endings = code(&row[at]).filter(|name| name.starts_with("run")).map(str::to_owned);
        told.entry(source).or_default().extend(endings);
    }
    for (_, source) in SOURCES {
        let found = endings_of(&read(&format!("crates/upsweep/src/{source}.rs")));
        assert_eq!(told.get(source), Some(&found), "{source}.rs, and its row of builders.md");
    }
}
