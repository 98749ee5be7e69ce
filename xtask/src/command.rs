//! Helpers of the chores: their outcome, the workspace's folders, and the running of programs.

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

/// Result of every chore; a chore that fails gives the reason in one sentence.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Root of the workspace: the folder above this crate's.
pub(crate) fn root() -> PathBuf {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.pop();
    path
}

/// Folder that cargo builds into, in which downloads are kept, too.
pub(crate) fn target(root: &std::path::Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// Runs `command`, and waits for its end.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| format!("{}: {error}", words(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", words(command)).into()) }
}

/// Program and arguments of `command` as text, without the environment, which is long.
pub(crate) fn words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// First line that `command` prints, or `fallback` if it cannot be run.
pub(crate) fn first_line(command: &mut Command, fallback: &str) -> String {
    let output = command.output().ok().filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(fallback).to_owned()
}
