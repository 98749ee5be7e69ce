//! Commands of a document, in blocks of the kind `console`:
//!
//! ```text
//! $ COMMAND          a command, as in a shell
//! > MORE             the next line of it
//! LINES              what it prints, on standard output and standard error, as a terminal shows it
//! ...                any lines that are left out
//! ```

use super::support::Folder;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

/// Command, and the output that the document shows.
pub(crate) struct Call {
    /// Line number, from 1.
    pub(crate) line: usize,
    pub(crate) command: String,
    pub(crate) shown: Vec<String>,
    /// Indices of the lines that show the output.
    pub(crate) lines: Range<usize>,
}

/// Finds the commands of a document.
pub(crate) fn calls(text: &str) -> Vec<Call> {
    let mut calls: Vec<Call> = vec![];
    let mut fence = None;
    for (index, line) in text.lines().enumerate() {
        if let Some(kind) = line.strip_prefix("```") {
            fence = if fence.is_none() { Some(kind) } else { None };
        } else if fence == Some("console") {
            if let Some(command) = line.strip_prefix("$ ") {
                let lines = index + 1..index + 1;
                calls.push(Call { line: index + 1, command: command.to_owned(), shown: vec![], lines });
                continue;
            }
            let call = calls.last_mut().unwrap_or_else(|| panic!("line {}: no command", index + 1));
            match line.strip_prefix("> ").filter(|_| call.shown.is_empty()) {
                Some(more) => {
                    call.command.extend(["\n", more]);
                    call.lines = index + 1..index + 1;
                }
                None => {
                    call.shown.push(line.to_owned());
                    call.lines.end = index + 1;
                }
            }
        }
    }
    calls
}

/// Whether the output has these lines, where `...` stands for any.
pub(crate) fn agree(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "..." => (0..=printed.len()).any(|at| agree(rest, &printed[at..])),
        Some((first, rest)) => printed.first() == Some(first) && agree(rest, &printed[1..]),
    }
}

/// Lines of a text as a terminal shows them: tabs become blanks, and lines end without any.
fn on_terminal(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let mut shown = String::new();
        let mut width = 0;
        for c in line.chars() {
            let (columns, c) = if c == '\t' { (8 - width % 8, ' ') } else { (1, c) };
            shown.extend(std::iter::repeat_n(c, columns));
            width += columns;
        }
        shown.trim_end().to_owned()
    };
    text.lines().map(line).collect()
}

/// Runs a command of a shell in a folder, and returns the printed lines and whether it succeeded. In the shell the
/// program is `upsweep`, and programs in the folder `bin` are found first.
pub(crate) fn run(f: &Folder, command: &str) -> (Vec<String>, bool) {
    let programs = Path::new(env!("CARGO_BIN_EXE_upsweep")).parent().unwrap();
    let path = format!("{}:{}:{}", f.path("bin").display(), programs.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n{command}")]).env("PATH", path).current_dir(f.path(""));
    let done = shell.stdin(Stdio::null()).output().unwrap();
    (on_terminal(&String::from_utf8_lossy(&done.stdout)), done.status.success())
}
