//! Chores of the workspace, run as `cargo xtask COMMAND`.

mod bench;
mod kernels;
mod report;
mod svg;
mod tidy;

use std::error::Error;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// What every chore returns; a chore that fails says why in one sentence.
type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  tidy                          checks of the text of every file: seconds, needs nothing
  kernels [--arch sm_90]...     compiles every kernel variant with NVRTC, without a GPU; NVRTC comes from PyPI
  bench [--smoke]               measures what this machine has (CPU, GPU) into benches/record/
        [--cpu] [--gpu]         only that
        [--peers]               the other libraries in benches/peers too, as far as this machine can build them
        [--build]               builds all that and does not run it
        [-- ARGS]               passed on to the benches: --only PATTERN, --sizes 10,20, --quick
  bench --keep FILE...          makes a record of what the programs printed on another machine
  bench --report [RECORD.csv]   the record's table (Markdown) and plot (SVG); the newest record by default";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["tidy"] => tidy::run(&root()),
        ["kernels", rest @ ..] => kernels::run(&root(), rest),
        ["bench", "--report", rest @ ..] => report::run(&root(), rest),
        ["bench", rest @ ..] => bench::run(&root(), rest),
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => Err(format!("no such command: {}\n\n{HELP}", args.join(" ")).into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's root: the folder above this crate's.
fn root() -> PathBuf {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.pop();
    path
}

/// Where cargo builds, and where downloads go.
fn target(root: &std::path::Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

/// Runs `command` to its end.
fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| format!("{}: {error}", words(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", words(command)).into()) }
}

/// The program and its arguments, without the environment, which is long.
fn words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// The first line that `command` prints, or `fallback` when it cannot be run.
fn first_line(command: &mut Command, fallback: &str) -> String {
    let output = command.output().ok().filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(fallback).to_owned()
}
