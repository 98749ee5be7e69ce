//! Chores of the workspace, run as `cargo xtask COMMAND`.

mod bench;
mod code;
mod command;
mod kernels;
mod report;
mod svg;
mod tidy;
mod torture;
mod tree;
mod wasm;

use command::root;
use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  tidy                          checks of the text of every file: a second, needs nothing
  kernels [--arch sm_90]...     compiles every kernel variant with NVRTC, without a GPU; NVRTC comes from PyPI
        [--sample]              of kernels with many variants a third
  wasm [--check]                compiles the laboratory's model for its pages; or says whether the one that is kept is of these sources
  torture [--minutes 1]         runs the command line on files that are almost right and with little memory: no crash, no hang, no half output
        [--seed 1] [--run K]    the same runs again, or one of them
        [--binary PATH]         of this program: target/release/upsweep by default, else target/debug/upsweep
  bench [--smoke]               measures what this machine has (CPU, GPU) into benches/record/
        [--cpu] [--gpu]         only that
        [--peers]               the other libraries in benches/peers too, as far as this machine can build them
        [--build]               builds all that and does not run it
        [-- ARGS]               passed on to the benches: --only PATTERN, --sizes 10,20, --quick
  bench --keep FILE...          makes a record of what the programs printed on another machine
  bench --report [RECORD.csv]   the record's table (Markdown) and plot (SVG); the newest record by default
  bench --beside LIBRARY RECORD.csv
                                upsweep's times beside those of LIBRARY (cub-3.5, torch, ...) on the same work, and where it is slower";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["tidy"] => tidy::run(&root()),
        ["kernels", rest @ ..] => kernels::run(&root(), rest),
        ["wasm", rest @ ..] => wasm::run(&root(), rest),
        ["torture", rest @ ..] => torture::run(&root(), rest),
        ["bench", "--report", rest @ ..] => report::run(&root(), rest),
        ["bench", "--beside", lib, record] => report::beside(lib, record),
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
