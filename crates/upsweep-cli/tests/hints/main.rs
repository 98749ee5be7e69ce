//! Tests of hints: the advice of every error, note and help text works.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
#![cfg(unix)]

mod files;
mod rows;
#[path = "../support/mod.rs"]
mod support;

use files::{example_files, with_files};
use rows::HINTS;
use std::path::Path;
use std::process::Command;
use support::{Done, Folder};

/// Runs a line of a shell, in which the program is `upsweep`.
fn shell(f: &Folder, line: &str) -> Done {
    let program = Path::new(env!("CARGO_BIN_EXE_upsweep"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh").args(["-c", line]).env("PATH", path).current_dir(f.path("")).output().unwrap();
    Done { code: output.status.code(), stdout: output.stdout, stderr: String::from_utf8(output.stderr).unwrap() }
}

#[test]
fn every_hint_leads_on() {
    let segmented =
        upsweep_lab::algorithms::ALGORITHMS.iter().find(|algorithm| algorithm.name.starts_with("segmented"));
    let segmented = segmented.unwrap().name;
    let mut wrong = vec![];
    for (hint, says, call, mended) in HINTS {
        let f = with_files();
        let says = if says.is_empty() { hint } else { says };
        let [call, mended] = [call, mended].map(|line| line.replace("SEGMENTED", segmented));
        let done = shell(&f, &call);
        let code = match done.stderr.starts_with("upsweep: note: ") {
            true => 0,
            // The input is right, and its result has nowhere to go.
            false if says.contains("is closed") => 1,
            false => 2,
        };
        if !done.stderr.contains(says) || done.code != Some(code) {
            wrong.push(format!("{call}: {:?}, no {says:?} in {}", done.code, done.stderr));
        }
        let done = shell(&f, &mended);
        if done.code != Some(0) || !done.stderr.is_empty() {
            wrong.push(format!("{mended}: {:?} {}", done.code, done.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Calls whose errors would name an option that the command lacks, or that does not concern the file or the number; and
/// that option.
const DEAD_ENDS: &[(&str, &str)] = &[
    ("upsweep graph spmv one.mtx large.csv", "--type"),
    ("upsweep graph spmv one.mtx t.csv", "--column"),
    ("upsweep graph spmv one.mtx names.csv", "--column"),
    ("upsweep graph spmv one.mtx semicolons.csv", "--delimiter"),
    ("upsweep graph pagerank pairs.csv --header no --unweighted --type f64", "--type f64 takes it"),
    ("upsweep text compare t.csv t.csv", "--column"),
    ("upsweep text compare large.csv large.csv", "--type"),
    ("upsweep text compare several.npz one.npy", "--array"),
    ("upsweep tree sum parents.npy --values large.csv", "--type"),
    ("upsweep tree sum parents.npy --values t.csv", "--column"),
    ("echo 1.5 | upsweep tree depth -", "--type"),
    ("echo 9007199254740993 | upsweep poly eval - --at 1", "--type"),
    ("printf '0,9007199254740993\\n1,2\\n' > p.csv; upsweep poly fit p.csv", "--type"),
    ("upsweep expand two.npy --values large.csv", "--type"),
    ("printf '0.5 9007199254740993' | upsweep scan -", "--type"),
    ("printf '9007199254740993 0.5' | upsweep scan -", "--type"),
    ("upsweep sort two.npy --argsort -o out.f32", "--type"),
    ("upsweep select two.npy --where 'x > 1' --indices -o out.f32", "--type"),
    ("upsweep unique two.npy --counts out.f32", "--type"),
    ("upsweep quantile two.npy -o out.i64", "--type"),
    ("upsweep signal filter two.npy --b 1 -o out.i32", "--type"),
];

#[test]
fn no_option_is_named_that_does_not_help() {
    let f = with_files();
    for (call, option) in DEAD_ENDS {
        let done = shell(&f, call);
        assert!(done.code == Some(2) && !done.stderr.contains(&format!(" {option}")), "{call}: {done:?}");
    }
    // Years in the first row are no names for a command without --header.
    let done = shell(&f, "printf '2019,2020\\n1,2\\n' > years.csv; upsweep poly fit years.csv");
    assert!(done.code == Some(0) && done.stderr.is_empty(), "{done:?}");
}

/// Texts that name an option and are no hint: they name the option that was given, before the reason, or no test can
/// follow them.
const NO_HINTS: &[&str] = &[
    "-o {}: {reason}",
    "-o {name}: {reason}",
    "--where {}",
    "--sos {}",
    "--b, --a",
    "--init: {reason} (the results of {} are {element})",
    "--init: {reason}",
    "--carry-out {}: {reason}",
    "--wrap: {reason}",
    "--values: {} {wrong}",
    "--device {}: {}",
    "{option}: {reason}",
    // These need a program without CUDA, a GPU for a race, or a file of 4 GiB.
    "--device cuda: this upsweep was built without CUDA",
    "--device cpu: the race is one of CUDA kernels",
    "-o {name}: a .wav holds less than 4 GiB, not {len} bytes: write .npy",
];

/// String literals of a Rust source, outside of comments and of its tests.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let (mut found, mut rest) = (vec![], source);
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (next, after) = (&rest[at..], &rest[at + 1..]);
        if next.starts_with("//") {
            rest = next.split_once('\n').map_or("", |(_, after)| after);
        } else if next.starts_with('\'') {
            // A character literal, or a lifetime.
            let end = if after.starts_with('\\') { after[2..].find('\'').map(|end| end + 2) } else { None };
            let end = end.or_else(|| after.char_indices().nth(1).filter(|(_, c)| *c == '\'').map(|(at, _)| at));
            rest = end.map_or(after, |end| &after[end + 1..]);
        } else if next.starts_with('"') {
            let mut text = String::new();
            let mut letters = after.char_indices();
            let mut end = after.len();
            while let Some((at, c)) = letters.next() {
                match c {
                    '"' => {
                        end = at;
                        break;
                    }
                    '\\' => match letters.next().unwrap().1 {
                        '\n' => {
                            let blank = after[at + 2..].find(|c: char| !c.is_whitespace()).unwrap_or(0);
                            (0..blank).for_each(|_| _ = letters.next());
                        }
                        c => text.extend(['\\', c]),
                    },
                    c => text.push(c),
                }
            }
            found.push(text);
            rest = after.get(end + 1..).unwrap_or("");
        } else {
            rest = after;
        }
    }
    found
}

fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { sources(&path, found) } else { found.push(path) }
    }
}

/// Every hint in the sources has a row in the table.
#[test]
fn every_hint_has_a_row() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![];
    sources(&root, &mut files);
    // The help texts have their own test.
    files.retain(|file| !file.starts_with(root.join("args")) && *file != root.join("args.rs"));
    let all: Vec<(String, String)> = files
        .iter()
        .flat_map(|file| {
            let name = file.strip_prefix(&root).unwrap().display().to_string();
            literals(&std::fs::read_to_string(file).unwrap()).into_iter().map(move |text| (name.clone(), text))
        })
        .collect();
    assert!(all.len() > 1000, "{}", all.len());
    let is_option =
        |text: &str| text.starts_with("--") && text[2..].bytes().all(|c| c.is_ascii_lowercase() || c == b'-');
    let names_option = |text: &str| {
        let behind = text.match_indices("--").map(|(at, _)| text[at + 2..].chars().next());
        behind.flatten().any(|c| c.is_ascii_lowercase())
    };
    let is_hint = |text: &str| {
        !is_option(text)
            && (names_option(text) || ["give ", "`upsweep ", "-o ", "-k {"].iter().any(|word| text.contains(word)))
    };
    let hints: Vec<&(String, String)> = all.iter().filter(|(_, text)| is_hint(text)).collect();
    let known = |text: &str| NO_HINTS.contains(&text) || HINTS.iter().any(|(hint, ..)| text.contains(hint));
    let unknown: Vec<_> = hints.iter().filter(|(_, text)| !known(text)).collect();
    assert!(unknown.is_empty(), "hints without a row: {unknown:#?}");
    let gone = |hint: &str| !all.iter().any(|(_, text)| text.contains(hint));
    let gone: Vec<_> =
        HINTS.iter().map(|(hint, ..)| *hint).chain(NO_HINTS.iter().copied()).filter(|hint| gone(hint)).collect();
    assert!(gone.is_empty(), "rows without a hint: {gone:#?}");
}

/// Collects every command with a help of its own.
fn commands(f: &Folder, path: &str, found: &mut Vec<(String, String)>) {
    let help = shell(f, &format!("{path} --help"));
    let help = String::from_utf8(help.stdout).unwrap();
    let inner = help.split_once("\nCommands:\n").map_or("", |(_, after)| after.split("\n\n").next().unwrap());
    for line in inner.lines() {
        let name = line.split_whitespace().next().unwrap();
        if line.starts_with("  ") && !line.starts_with("   ") && name != "help" {
            commands(f, &format!("{path} {name}"), found);
        }
    }
    found.push((path.to_owned(), help));
}

#[test]
fn every_example_of_the_help_works() {
    let f = with_files();
    let mut all = vec![];
    commands(&f, "upsweep", &mut all);
    assert!(all.len() > 40, "{}", all.len());
    example_files(&f);
    let mut wrong = vec![];
    let mut seen = std::collections::BTreeSet::new();
    for (command, help) in &all {
        let Some((_, examples)) = help.split_once("Examples:\n") else { continue };
        for line in examples.lines().take_while(|line| line.starts_with("  ")) {
            // The comment after several blanks describes the result.
            let line = line.trim().split("   ").next().unwrap();
            assert!(line.contains("upsweep "), "{command}: {line}");
            if !seen.insert(line.to_owned()) {
                continue;
            }
            // These need a GPU, or minutes.
            if line.contains("lab race") || line.contains("--device cuda") || line == "upsweep bench" {
                continue;
            }
            let done = shell(&f, line);
            let no_note = done.stderr.lines().all(|line| line.starts_with("upsweep: note: "));
            if done.code != Some(0) || !no_note {
                wrong.push(format!("{command}: {line}: {:?} {}", done.code, done.stderr));
            }
        }
    }
    assert!(wrong.is_empty() && seen.len() > 60, "{} examples: {}", seen.len(), wrong.join("\n"));
}
