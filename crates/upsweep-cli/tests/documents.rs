//! Every command of the documents runs, and prints what the document says.
//!
//! A command stands in a block of three back quotes and the word `console`. It begins with `$ `, and goes on as long as its lines end in
//! `\`. The lines below it are all that it prints, on standard output and standard error, as a terminal shows them: with blanks in place
//! of tabs, and without blanks at the ends of lines. The commands of a document run one after the other, in a folder that has a copy of
//! examples/; so files that one makes are there for the next.
//!
//! With `UPSWEEP_TEST_WRITE=1` the documents are written anew, with what their commands print.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![cfg(unix)]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::Folder;

/// The documents with commands.
const DOCUMENTS: &[&str] = &["docs/seeds.md", "examples/README.md"];

/// Commands in a table, each of which makes the picture that its option -o, or its last word, names.
const GALLERY: &str = "examples/gallery/README.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if from.is_dir() { copy(&from, &to) } else { _ = std::fs::copy(from, to).unwrap() }
    }
}

/// A folder as the clone is to its reader: with examples/, and with a `cargo` that runs the examples that are built.
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

/// A text as a terminal shows it.
fn shown(text: &str) -> String {
    let mut all = String::new();
    for line in text.lines() {
        let (mut shown, mut width) = (String::new(), 0);
        for c in line.chars() {
            let columns = if c == '\t' { 8 - width % 8 } else { 1 };
            (0..columns).for_each(|_| shown.push(if c == '\t' { ' ' } else { c }));
            width += columns;
        }
        all.extend([shown.trim_end(), "\n"]);
    }
    all
}

/// What a command of a shell prints on both streams, and whether it succeeded.
fn shell(f: &Folder, line: &str) -> (String, bool) {
    let program = Path::new(env!("CARGO_BIN_EXE_upsweep")).parent().unwrap();
    let path = format!("{}:{}:{}", f.path("bin").display(), program.display(), std::env::var("PATH").unwrap());
    let line = format!("exec 2>&1\n{line}");
    let output = Command::new("sh").args(["-c", &line]).env("PATH", path).current_dir(f.path("")).output().unwrap();
    (shown(&String::from_utf8(output.stdout).unwrap()), output.status.success())
}

fn is_of_example(command: &str) -> bool {
    command.contains("cargo run")
}

/// The document with what its commands print now, and what is wrong with it. Commands that are not asked for stay as they stand.
fn renewed(name: &str, text: &str, asked: fn(&str) -> bool) -> (String, Vec<String>) {
    let f = clone();
    let (mut new, mut wrong) = (String::new(), vec![]);
    let mut add = |line: &str| new.extend([line, "\n"]);
    let mut lines = text.lines().enumerate().peekable();
    let mut in_block = false;
    while let Some((number, line)) = lines.next() {
        add(line);
        if line.starts_with("```") {
            in_block = line == "```console";
        }
        let Some(first) = line.strip_prefix("$ ").filter(|_| in_block) else { continue };
        let mut command = first.to_owned();
        while command.ends_with('\\') {
            let (_, more) = lines.next().unwrap();
            add(more);
            command.extend(["\n", more]);
        }
        let mut says = String::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with("$ ") && !line.starts_with("```")) {
            says.extend([line, "\n"]);
        }
        let prints = if asked(&command) {
            let (prints, succeeded) = shell(&f, &command);
            if !succeeded || prints != says {
                wrong.push(format!(
                    "{name}:{}: {command}\n-- says\n{says}-- prints{}\n{prints}",
                    number + 1,
                    if succeeded { "" } else { ", and fails" }
                ));
            }
            prints
        } else {
            says
        };
        prints.lines().for_each(&mut add);
    }
    (new, wrong)
}

fn check(asked: fn(&str) -> bool) {
    let mut all = vec![];
    for name in DOCUMENTS {
        let path = root().join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let (new, wrong) = renewed(name, &text, asked);
        if std::env::var("UPSWEEP_TEST_WRITE").is_ok_and(|write| write == "1") {
            std::fs::write(path, new).unwrap();
        }
        all.extend(wrong);
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
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

/// The commands in blocks of a document.
fn commands(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("$ ")).collect()
}

/// The texts in single back quotes.
fn quoted(text: &str) -> Vec<String> {
    let outside: Vec<&str> = text.split("\n```").step_by(2).collect();
    outside.join("\n").split('`').skip(1).step_by(2).map(|quoted| quoted.replace('\n', " ")).collect()
}

/// A command within a sentence is the beginning of one in a block, so it runs, too.
#[test]
fn no_command_of_a_document_is_left_out() {
    for name in DOCUMENTS {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        let run = commands(&text);
        assert!(run.len() > 20, "{name}: {}", run.len());
        for quoted in quoted(&text) {
            let is_command = quoted.starts_with("upsweep ") || quoted.starts_with("cargo run ");
            // A word in capitals stands for any.
            let is_form = quoted.split(' ').any(|word| word.len() > 1 && word.bytes().all(|c| c.is_ascii_uppercase()));
            assert!(!is_command || is_form || run.iter().any(|run| run.contains(&quoted)), "{name}: {quoted}");
        }
    }
}

#[test]
fn every_example_is_in_the_index() {
    let mut files: Vec<String> = std::fs::read_dir(root().join("examples"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().unwrap().strip_suffix(".rs").map(str::to_owned))
        .collect();
    files.sort();
    let index = std::fs::read_to_string(root().join("examples/README.md")).unwrap();
    for (k, name) in files.iter().enumerate() {
        assert!(name.starts_with(&format!("{:02}_", k + 1)), "{name}, which is number {}", k + 1);
        let (link, run) = (format!("[{name}]({name}.rs)"), format!("--example {name}"));
        assert!(index.contains(&link) && index.contains(&run), "{name} is not in the index");
        let source = std::fs::read_to_string(root().join(format!("examples/{name}.rs"))).unwrap();
        assert!(source.starts_with(&format!("//! {}: ", k + 1)), "{name}");
        assert!(source.contains(&format!("--example {name}")), "{name} does not say how it is run");
    }
}

/// Makes pictures of the gallery anew, over the copies of those that are there.
fn makes_the_pictures(asked: fn(&str) -> bool) {
    let f = clone();
    let text = std::fs::read_to_string(root().join(GALLERY)).unwrap();
    let mut count = 0;
    for command in quoted(&text) {
        if !asked(&command) {
            continue;
        }
        let picture = command.split(' ').next_back().unwrap();
        std::fs::remove_file(f.path(picture)).unwrap();
        let (prints, succeeded) = shell(&f, &command);
        assert!(succeeded, "{command}: {prints}");
        assert!(f.read(picture) == std::fs::read(root().join(picture)).unwrap(), "{command} makes another picture");
        count += 1;
    }
    assert!(count > 1, "{count}");
}

#[test]
fn commands_make_the_pictures_of_the_gallery() {
    makes_the_pictures(|command| command.starts_with("upsweep "));
}

#[test]
#[ignore = "needs the examples: cargo build --workspace --examples"]
fn examples_make_the_pictures_of_the_gallery() {
    makes_the_pictures(is_of_example);
}
