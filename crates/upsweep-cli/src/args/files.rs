//! The files that a command reads.

use super::apps::{Text, Tree};
use super::{Command, Signal, apps};
use crate::failure::{Failure, Result};
use crate::source::is_standard_input;
use std::path::{Path, PathBuf};

/// What names a file on the command line, and the file.
type Named<'a> = (&'static str, &'a Path);

impl Command {
    /// Fails if two files are standard input: who reads it second would find nothing.
    pub(crate) fn check_standard_input(&self) -> Result<()> {
        let named = self.files().into_iter().flatten().filter(|(_, path)| is_standard_input(path));
        match named.map(|(name, _)| name).collect::<Vec<_>>()[..] {
            [first, second] => Err(Failure::Input(format!(
                "{first} and {second} are both standard input, which is read once: save one of them in a file"
            ))),
            _ => Ok(()),
        }
    }

    /// The files of the commands that read two.
    fn files(&self) -> [Option<Named<'_>>; 2] {
        match self {
            Self::Scan(args) => with("--segments", &args.common.file, &args.common.segments),
            Self::Reduce(args) => with("--segments", &args.common.file, &args.common.segments),
            Self::Expand(args) => with("--values", args.reading.path(), &args.values),
            Self::Text(Text::Lex(args)) => with("--rules", &args.file, &args.rules),
            Self::Text(Text::Compare(args)) => [Some(("A", &args.a)), Some(("B", &args.b))],
            Self::Tree(Tree::Depth(args) | Tree::Size(args) | Tree::Sum(args)) => {
                with("--values", args.reading.path(), &args.values)
            }
            Self::Graph(apps::Graph::Spmv(args)) => [Some(("FILE", &args.of.file)), Some(("VECTOR", &args.vector))],
            Self::Signal(Signal::Filter(args)) => with("--sos", args.of.reading.path(), &args.sos),
            _ => [None, None],
        }
    }
}

/// FILE, and the file of an option.
fn with<'a>(option: &'static str, file: &'a Path, other: &'a Option<PathBuf>) -> [Option<Named<'a>>; 2] {
    [Some(("FILE", file)), other.as_deref().map(|path| (option, path))]
}
