//! Command line program `upsweep`: scan (prefix sums) and reduce big arrays in files from a shell. The library serves
//! the program alone and is no public interface.
//!
//! From the command line to the result:
//! * [`args`] defines the options.
//! * [`run`] takes the steps of a scan or a reduction; [`windows`] those of a scan over windows.
//! * [`input`] reads the file ([`npy`], [`npz`], [`fortran`], [`mtx`], [`binary`], [`table`], [`words`]).
//! * [`segments`] finds the segment boundaries.
//! * [`chunks`] reads, computes and writes big files at the same time; [`carried`] has the carries of `--carry-in` and
//!   `--carry-out`. [`column`] scans and reduces columns of tables, and [`stream`] goes through compressed arrays; [`parts`]
//!   computes what comes part by part, and [`live`] answers numbers on standard input as they come. [`grown`] writes
//!   results whose number is not known before.
//! * [`upsweep_dynamic`] computes.
//! * [`mod@write`] writes the result to the destination ([`output`]), or [`show`] prints it on a terminal.
//! * [`element`] parses and formats the element types as text and bytes.
//!
//! [`histogram`], [`quantile`], [`selecting`], [`mod@equal`], [`sorting`] and [`signal`] read and write in the same way.
//! [`plot`] draws the values of a file. [`expression`] is the language of `select --where`, [`elements`] its conditions on
//! arrays. [`apps`] are the applications.
//!
//! `columnar`, with the feature `parquet`, has the files of Parquet and Arrow.
//!
//! [`names`] knows what the names of files say, [`packed`] compressed files, [`mod@text`] encodings. [`source`] is
//! a file that is open, or standard input; [`start`] its first bytes. [`closed`] reports standard streams that
//! were closed at the start.
//!
//! [`manual`] prints completions and manual pages.
//!
//! [`lab`] is the laboratory: its algorithms run on a machine model, which needs no device; their race needs a GPU.

#![deny(unsafe_code)]

mod apps;
mod args;
mod asked;
mod bench;
mod binary;
mod carried;
mod categories;
mod chunks;
mod closed;
mod collect;
mod column;
#[cfg(feature = "parquet")]
mod columnar;
mod count;
mod device;
mod distinct;
mod element;
mod elements;
mod equal;
mod explain;
mod expression;
mod failure;
mod fortran;
mod groups;
mod grown;
mod histogram;
mod in_chunks;
mod input;
mod lab;
mod live;
mod manual;
mod means;
mod missing;
mod modes;
mod mtx;
mod names;
mod npy;
mod npz;
mod number;
mod output;
mod packed;
mod parts;
mod plot;
mod print;
mod progress;
mod quantile;
mod run;
mod segments;
mod selecting;
mod show;
mod signal;
mod sorting;
mod source;
mod start;
mod stream;
mod sums;
mod table;
mod text;
mod threads;
mod wav;
mod windows;
mod words;
mod write;

use args::{Cli, Command, Running, Signal};
use clap::{CommandFactory, Parser};
use failure::{Failure, Result, cut};
use output::Destination;
use print::{print, print_lines};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

pub use threads::addresses_left;

/// Runs the program with the given arguments, the first of which is its name. Fuzz targets call it many times in one
/// process.
#[doc(hidden)]
pub fn run_program(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let done = match Cli::try_parse_from(&arguments) {
        Ok(cli) => run_command(&cli.command),
        Err(e) => usage(&e, &arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if failure.speaks() {
                // If standard error is closed too, the exit code is the only report left.
                let _ = writeln!(std::io::stderr(), "upsweep: {failure}");
            }
            exit_code(&failure)
        }
    }
}

/// Returns the exit code of the process for a failure. For an interrupt it ends the process by the signal.
fn exit_code(failure: &Failure) -> ExitCode {
    match failure {
        Failure::Input(_) | Failure::Usage => ExitCode::from(2),
        Failure::Run(_) | Failure::No => ExitCode::from(1),
        Failure::ClosedPipe => ExitCode::SUCCESS,
        &Failure::Interrupted(signal) => output::end_by(signal),
    }
}

fn run_command(command: &Command) -> Result<()> {
    command.check_standard_input()?;
    #[cfg(feature = "parquet")]
    if let Some(done) = run_columnar(command) {
        return done;
    }
    match command {
        Command::Scan(args) => match (args.op, args.window) {
            (Running::Of(op), None) => stream::scan((args, op))?.map_or_else(|| run::scan((args, op)), Ok),
            (op, window) => windows::scan(args, op, window),
        },
        Command::Reduce(args) if groups::is_for(args) => groups::reduce(args),
        Command::Reduce(args) => stream::reduce(args)?.map_or_else(|| run::reduce(args), Ok),
        Command::Histogram(args) => histogram::histogram(args),
        Command::Quantile(args) => quantile::quantile(args),
        Command::Select(args) => selecting::select(args),
        Command::Sort(args) => sorting::sort(args),
        Command::Top(args) => sorting::top(args),
        Command::Median(args) => sorting::median(args.clone()),
        Command::Unique(args) => equal::unique(args),
        Command::Runs(args) => equal::runs(args),
        Command::Expand(args) => selecting::expand(args),
        Command::Sample(args) => apps::sample::run(args),
        Command::Text(text) => apps::text::run(text),
        Command::Tree(tree) => apps::tree::run(tree),
        Command::Graph(graph) => apps::graph::run(graph),
        Command::Poly(poly) => apps::poly::run(poly),
        Command::Signal(Signal::Filter(args)) => signal::filter(args),
        Command::Signal(Signal::Smooth(args)) => signal::smooth(args),
        Command::Image(image) => apps::image::run(image),
        Command::Terrain(terrain) => apps::terrain::run(terrain),
        Command::Plot(args) => plot::plot(args),
        Command::Devices => print(&Destination::standard_output(), device::list),
        Command::Explain(args) => print_lines(&explain::lines(args)?),
        Command::Completions(args) => manual::completions(args),
        Command::Man(args) => manual::man(args),
        Command::Lab(lab) => lab::run(lab),
        Command::Bench(args) => print_lines(&bench::lines(args)?),
    }
}

/// Runs a command that has a way of its own for the columns of Parquet and Arrow, if its input is such a table.
#[cfg(feature = "parquet")]
fn run_columnar(command: &Command) -> Option<Result<()>> {
    match command {
        Command::Scan(args) => match (args.op, args.window) {
            (Running::Of(op), None) => Some(columnar::scan((args, op), columnar::has_rows(args)?)),
            _ => None,
        },
        Command::Reduce(args) if groups::is_for(args) => None,
        Command::Reduce(args) => columnar::reduce(args, args.common.table.columnar(&args.common.file)?).transpose(),
        Command::Select(args) => Some(columnar::select(args, args.table.columnar(&args.file)?)),
        Command::Sort(args) => Some(columnar::sort(args, args.table.columnar(&args.file)?)),
        _ => None,
    }
}

/// Prints the help that was asked for, or fails with clap's paragraph about a usage error, joined into one line.
fn usage(error: &clap::Error, arguments: &[OsString]) -> Result<()> {
    if !error.use_stderr() {
        return print(&Destination::standard_output(), |out| write!(out, "{}", error.render()));
    }
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
        return Err(Failure::Usage);
    }
    // clap repeats arguments in full, however long they are, so its message is cut at them.
    let values = arguments
        .iter()
        .filter_map(|argument| argument.to_str())
        .flat_map(|argument| [Some(argument), argument.split_once('=').map(|(_, value)| value)].into_iter().flatten());
    let text = values.fold(error.render().to_string(), |text, value| match cut(value) {
        short if short.len() < value.len() => text.replace(value, &short),
        _ => text,
    });
    let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    // Lines of clap's message that are kept. Its tip for values that begin with a hyphen is left out: nobody who
    // misspells an option means that.
    let tells = |line: &&str| {
        !line.is_empty() && !line.starts_with("For more information") && !line.starts_with("tip: to pass")
    };
    let text = lines.filter(tells).collect::<Vec<_>>().join(" ");
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let missing = error.kind() == clap::error::ErrorKind::MissingRequiredArgument;
    let piped = if missing && text.contains("<FILE>") { "; - is standard input" } else { "" };
    Err(Failure::Input(format!("{text}{piped} (see {} --help)", subcommand(arguments))))
}

/// Returns the names of the program and of the subcommands on the command line, for the hint at `--help`.
fn subcommand(arguments: &[OsString]) -> String {
    let mut command = &Cli::command();
    let mut path = "upsweep".to_owned();
    for argument in arguments.iter().skip(1) {
        let Some(next) = argument.to_str().and_then(|name| command.find_subcommand(name)) else { break };
        path = format!("{path} {}", next.get_name());
        command = next;
    }
    path
}
