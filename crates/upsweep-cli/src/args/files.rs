//! Input files of a command.

use super::apps::{Text, Tree};
use super::{Carries, Command, Common, Signal, apps};
use crate::failure::{Failure, Result};
use crate::source::is_standard_input;
use std::path::{Path, PathBuf};

/// Name of a file argument on the command line, and the path.
type Named<'a> = (&'static str, &'a Path);

impl Command {
    /// Fails if two files are standard input: the second reader would find nothing.
    pub(crate) fn check_standard_input(&self) -> Result<()> {
        let named = self.files().into_iter().filter(|(_, path)| is_standard_input(path));
        match named.map(|(name, _)| name).collect::<Vec<_>>()[..] {
            [first, second, ..] => Err(Failure::Input(format!(
                "{first} and {second} are both standard input, which is read once: save one of them in a file"
            ))),
            _ => Ok(()),
        }
    }

    /// Input files of the commands that read several.
    fn files(&self) -> Vec<Named<'_>> {
        match self {
            Self::Scan(args) => with_carry(&args.common, &args.carries),
            Self::Reduce(args) => with_carry(&args.common, &args.carries),
            Self::Select(args) => one_with_carry(&args.file, &args.carries),
            Self::Runs(args) => one_with_carry(args.reading.path(), &args.carries),
            Self::Histogram(args) => one_with_carry(args.reading.path(), &args.carries),
            Self::Expand(args) => with("--values", args.reading.path(), &args.values),
            Self::Text(Text::Lex(args)) => with("--rules", &args.file, &args.rules),
            Self::Text(Text::Grep(args)) => args.files.iter().map(|path| ("FILE", path.as_path())).collect(),
            Self::Text(Text::Compare(args)) => vec![("A", &args.a), ("B", &args.b)],
            Self::Tree(Tree::Depth(args) | Tree::Size(args) | Tree::Sum(args)) => {
                with("--values", args.reading.path(), &args.values)
            }
            Self::Graph(apps::Graph::Spmv(args)) => {
                vec![("FILE", &args.of.file), ("VECTOR", &args.vector)]
            }
            Self::Signal(Signal::Filter(args)) => {
                let mut all = with("--sos", args.of.reading.path(), &args.sos);
                all.extend(carry_in(&args.of.carries));
                all
            }
            Self::Signal(Signal::Smooth(args)) => one_with_carry(args.of.reading.path(), &args.of.carries),
            _ => Vec::new(),
        }
    }
}

/// Files of a scan or reduction.
fn with_carry<'a>(common: &'a Common, carries: &'a Carries) -> Vec<Named<'a>> {
    let mut all = with("--segments", &common.file, &common.segments);
    all.extend(common.more.iter().map(|path| ("FILE", path.as_path())));
    all.extend(carry_in(carries));
    all
}

/// FILE, and the carry of the values before it.
fn one_with_carry<'a>(file: &'a Path, carries: &'a Carries) -> Vec<Named<'a>> {
    [Some(("FILE", file)), carry_in(carries)].into_iter().flatten().collect()
}

fn carry_in(carries: &Carries) -> Option<Named<'_>> {
    carries.carry_in.as_deref().map(|path| ("--carry-in", path))
}

/// FILE, and the file of an option.
fn with<'a>(option: &'static str, file: &'a Path, other: &'a Option<PathBuf>) -> Vec<Named<'a>> {
    [("FILE", file)].into_iter().chain(other.as_deref().map(|path| (option, path))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use clap::{CommandFactory, value_parser};
    use std::path::PathBuf;

    /// Arguments of a command that are input files: the help of output files says that they are written.
    fn read(command: &clap::Command) -> Vec<String> {
        let path = value_parser!(PathBuf).type_id();
        let is_path = |arg: &&clap::Arg| arg.get_value_parser().type_id() == path;
        let help = |arg: &clap::Arg| arg.get_help().map(ToString::to_string).unwrap_or_default();
        let is_output = |arg: &clap::Arg| {
            ["Write ", "write them ", "Draw ", "page in FILE"].iter().any(|words| help(arg).contains(words))
        };
        command
            .get_arguments()
            .filter(is_path)
            .filter(|arg| !is_output(arg))
            .map(|arg| arg.get_id().to_string())
            .collect()
    }

    fn all(command: &clap::Command, name: &str, found: &mut Vec<String>) {
        let files = read(command);
        if files.len() > 1 {
            found.push(format!("{name}: {}", files.join(" ")));
        }
        command.get_subcommands().for_each(|inner| all(inner, &format!("{name} {}", inner.get_name()), found));
    }

    #[test]
    fn commands_that_read_several_files_are_known() {
        let mut found = Vec::new();
        all(&Cli::command(), "upsweep", &mut found);
        // A command added here belongs into `files`, too.
        let known = [
            "upsweep scan: file more segments carry_in",
            "upsweep reduce: file more segments carry_in",
            "upsweep histogram: file carry_in",
            "upsweep select: file carry_in",
            "upsweep runs: file carry_in",
            "upsweep expand: file values",
            "upsweep text lex: file rules",
            "upsweep text compare: a b",
            "upsweep tree depth: file values",
            "upsweep tree size: file values",
            "upsweep tree sum: file values",
            "upsweep graph spmv: file vector",
            "upsweep signal filter: file carry_in sos",
            "upsweep signal smooth: file carry_in",
        ];
        assert_eq!(found, known);
    }
}
