//! The commands of `console` blocks. A line `$ ..` is a command, lines `> ..` behind it go on with it, and what follows is what it prints, on
//! standard output and error. White space counts as one space. A line `...` stands for lines that are left out. Commands of a chapter run in
//! one folder, one after the other; the repository's `examples` are there.

use crate::support::Folder;
use crate::{Chapter, chapters, file};
use std::path::Path;
use std::process::{Command, Stdio};

/// A command and what the chapter says it prints.
struct Call {
    line: usize,
    command: String,
    shown: Vec<String>,
}

pub(crate) fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn calls(chapter: &Chapter) -> Vec<Call> {
    let mut calls: Vec<Call> = vec![];
    for (line, fence, text) in chapter.lines() {
        if fence != Some("console") {
            continue;
        }
        if let Some(command) = text.strip_prefix("$ ") {
            calls.push(Call { line, command: command.to_owned(), shown: vec![] });
            continue;
        }
        let call = calls.last_mut().unwrap_or_else(|| panic!("{}:{line}: no command", chapter.path));
        match text.strip_prefix("> ") {
            Some(more) => call.command = format!("{}\n{more}", call.command),
            None => call.shown.push(words(text)),
        }
    }
    calls
}

/// All commands of a chapter, for what tables say.
pub(crate) fn commands(chapter: &Chapter) -> Vec<String> {
    calls(chapter).into_iter().map(|call| call.command).collect()
}

/// Whether these lines were printed, where `...` stands for any.
fn agree(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "..." => (0..=printed.len()).any(|at| agree(rest, &printed[at..])),
        Some((first, rest)) => printed.first() == Some(first) && agree(rest, &printed[1..]),
    }
}

/// Runs a chapter's commands, and says what differs.
fn run(chapter: &Chapter) -> Vec<String> {
    let f = Folder::new();
    std::os::unix::fs::symlink(file("examples").canonicalize().unwrap(), f.path("examples")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_upsweep"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut wrong = vec![];
    for call in calls(chapter) {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec 2>&1\n{}", call.command)]).env("PATH", &path);
        let done = shell.current_dir(f.path("")).stdin(Stdio::null()).output().unwrap();
        let printed = String::from_utf8_lossy(&done.stdout).into_owned();
        let lines: Vec<String> = printed.lines().map(words).collect();
        if done.status.code() != Some(0) || !agree(&call.shown, &lines) {
            let at = format!("{}:{}", chapter.path, call.line);
            wrong.push(format!("{at}: {}\nexit code {:?}\n{printed}", call.command, done.status.code()));
        }
    }
    wrong
}

#[test]
fn commands_print_what_the_guide_shows() {
    let chapters = chapters();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = chapters.iter().map(|chapter| scope.spawn(|| run(chapter))).collect();
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn lines_that_are_left_out_may_be_any() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert!(agree(&lines("a ... c"), &lines("a b b c")) && agree(&lines("a ..."), &lines("a")));
    assert!(!agree(&lines("a ... c"), &lines("a b")) && !agree(&lines("a b"), &lines("a b c")));
}
