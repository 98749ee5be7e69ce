//! Tests of the documents: every command runs and prints what the document says; every example is in its index;
//! pictures are made anew.
//!
//! The commands of a document run one after the other, in a folder that has a copy of `examples`: so a command finds
//! the files of those before it. With `UPSWEEP_TEST_WRITE=1` the documents are rewritten with the output of their
//! commands.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
#![cfg(unix)]

#[path = "support/console.rs"]
mod console;
mod support;

use console::{agree, calls, run};
use std::fs::read_to_string;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use support::Folder;

/// Documents with commands.
const DOCUMENTS: &[&str] = &[README, "docs/seeds.md", "examples/README.md"];

/// First document of a reader: it has a few commands, and fits a few screens.
const README: &str = "README.md";

/// Table of pictures with the commands that make them; a command's last word is the picture.
const GALLERY: &str = "examples/gallery/README.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() { copy(&from, &to) } else { _ = std::fs::copy(from, to).unwrap() }
    }
}

/// Creates a folder like a reader's clone: with `examples`, and with a `cargo` that runs the examples that are built.
fn clone() -> Folder {
    let f = Folder::new();
    copy(&root().join("examples"), &f.path("examples"));
    std::fs::create_dir(f.path("bin")).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_upsweep")).parent().unwrap().join("examples");
    let script = format!(
        "#!/bin/sh\nwhile [ $# -gt 0 ] && [ \"$1\" != --example ]; do shift; done\nname=$2\nshift 2\n\
         if [ \"$1\" = -- ]; then shift; fi\nexec '{}'/\"$name\" \"$@\"\n",
        programs.display()
    );
    f.file("bin/cargo", script);
    std::fs::set_permissions(f.path("bin/cargo"), std::fs::Permissions::from_mode(0o755)).unwrap();
    f
}

fn is_of_example(command: &str) -> bool {
    command.contains("cargo run")
}

/// Runs the commands of all documents that `asked` selects, and compares the output.
fn check(asked: fn(&str) -> bool) {
    let mut wrong = vec![];
    for name in DOCUMENTS {
        let path = root().join(name);
        let text = read_to_string(&path).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut differing = vec![];
        let f = clone();
        for call in calls(&text) {
            if !asked(&call.command) {
                continue;
            }
            let (printed, succeeded) = run(&f, &call.command);
            if !succeeded || !agree(&call.shown, &printed) {
                let (shown, fails) = (call.shown.join("\n"), if succeeded { "" } else { ", and fails" });
                let at = format!("{name}:{}: {}", call.line, call.command);
                wrong.push(format!("{at}\n-- the document\n{shown}\n-- it prints{fails}\n{}", printed.join("\n")));
                differing.push((call.lines, printed));
            }
        }
        if std::env::var("UPSWEEP_TEST_WRITE").is_ok_and(|write| write == "1") {
            for (range, printed) in differing.into_iter().rev() {
                lines.splice(range, printed);
            }
            std::fs::write(path, lines.join("\n") + "\n").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn commands_print_what_documents_say() {
    check(|command| !is_of_example(command));
}

#[test]
#[ignore = "needs the examples: cargo build --workspace --examples"]
fn examples_print_what_documents_say() {
    check(is_of_example);
}

#[test]
fn lines_that_are_left_out_may_be_any() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert!(agree(&lines("a ... c"), &lines("a b b c")) && agree(&lines("a ..."), &lines("a")));
    assert!(!agree(&lines("a ... c"), &lines("a b")) && !agree(&lines("a b"), &lines("a b c")));
}

/// Texts in single back quotes.
fn quoted(text: &str) -> Vec<String> {
    let outside: Vec<&str> = text.split("\n```").step_by(2).collect();
    outside.join("\n").split('`').skip(1).step_by(2).map(|quoted| quoted.replace('\n', " ")).collect()
}

/// A command within a sentence is a part of one in a block, so that it runs, too.
#[test]
fn no_command_of_a_document_is_left_out() {
    for name in DOCUMENTS {
        let text = read_to_string(root().join(name)).unwrap();
        let calls = calls(&text);
        let least = if *name == README { 6 } else { 20 };
        assert!(calls.len() > least, "{name}: {}", calls.len());
        for quoted in quoted(&text) {
            let is_command = quoted.starts_with("upsweep ") || quoted.starts_with("cargo run ");
            // A word in capitals stands for any.
            let is_form = quoted.split(' ').any(|word| word.len() > 1 && word.bytes().all(|c| c.is_ascii_uppercase()));
            let runs = || calls.iter().any(|call| call.command.contains(&quoted));
            assert!(!is_command || is_form || runs(), "{name}: no block has the command {quoted}");
        }
    }
}

/// Tables and code may have longer lines than prose.
#[test]
fn the_readme_is_short() {
    let text = read_to_string(root().join(README)).unwrap();
    assert!(text.lines().count() <= 120, "{} lines", text.lines().count());
    let prose: String = text.split("\n```").step_by(2).collect();
    let long = prose.lines().find(|line| !line.starts_with('|') && line.chars().count() > 120);
    assert_eq!(long, None, "a line of more than 120 columns");
}

#[test]
fn every_example_is_in_the_index() {
    let names = std::fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(".rs").map(str::to_owned)).collect();
    names.sort();
    let index = read_to_string(root().join("examples/README.md")).unwrap();
    for (number, name) in (1..).zip(&names) {
        assert!(name.starts_with(&format!("{number:02}_")), "{name} is number {number}");
        let (link, run) = (format!("[{name}]({name}.rs)"), format!("--example {name}"));
        assert!(index.contains(&link) && index.contains(&run), "{name} is not in the index");
        let source = read_to_string(root().join(format!("examples/{name}.rs"))).unwrap();
        assert!(source.starts_with(&format!("//! {number}: ")), "{name}: its first line begins with its number");
        assert!(source.contains(&run), "{name} does not say how it is run");
    }
}

/// Makes pictures of the gallery, and compares them with the stored ones.
fn make_pictures(asked: fn(&str) -> bool) {
    let f = clone();
    let text = read_to_string(root().join(GALLERY)).unwrap();
    let commands: Vec<String> = quoted(&text).into_iter().filter(|command| asked(command)).collect();
    assert!(commands.len() > 1, "{commands:?}");
    for command in commands {
        let picture = command.split(' ').next_back().unwrap();
        std::fs::remove_file(f.path(picture)).unwrap();
        let (printed, succeeded) = run(&f, &command);
        assert!(succeeded, "{command}: {printed:?}");
        assert!(f.read(picture) == std::fs::read(root().join(picture)).unwrap(), "{command} makes another picture");
    }
}

#[test]
fn commands_make_the_pictures_of_the_gallery() {
    make_pictures(|command| command.starts_with("upsweep "));
}

#[test]
#[ignore = "needs the examples: cargo build --workspace --examples"]
fn examples_make_the_pictures_of_the_gallery() {
    make_pictures(is_of_example);
}
