//! Checks on the text of the files, beyond fmt, clippy and rustdoc. (A test of the library checks that every kernel
//! file is embedded and finds its includes.)
//!
//! A rule is a function from the [`Tree`] to its [findings](finding::Finding). To add one, write it in the file of its
//! kind and name it in [`RULES`]; its test seeds a violation in a tree of its own and expects to see it found.

mod circles;
mod commands;
mod finding;
mod layers;
mod links;
mod listed;
mod records;
mod source;
mod stems;
mod text;

use crate::command::Outcome;
use crate::tree::Tree;
use finding::Rule;
use std::path::Path;

const RULES: [(&str, Rule); 14] = [
    ("whitespace", text::whitespace),
    ("leftover", text::leftovers),
    ("foreign-name", text::foreign_names),
    ("long-file", source::long_files),
    ("allow-without-reason", source::bare_allows),
    ("lints-table", source::lints_tables),
    ("unrun-test", source::unrun_tests),
    ("kernel-comment", source::kernel_comments),
    ("broken-link", links::broken),
    ("unknown-example", commands::examples),
    ("record", records::headers),
    ("circle", circles::circles),
    ("level", layers::levels),
    ("stem", stems::stems),
];

/// Runs every rule on the workspace at `root`.
pub(crate) fn run(root: &Path) -> Outcome {
    let tree = Tree::read(root)?;
    let mut count = 0;
    for (name, rule) in RULES {
        for finding in rule(&tree) {
            println!("{finding} [{name}]");
            count += 1;
        }
    }
    let files = tree.0.len();
    match count {
        0 => {
            println!("tidy: {files} files keep all {} rules", RULES.len());
            Ok(())
        }
        _ => Err(format!("tidy: {count} findings in {files} files").into()),
    }
}
