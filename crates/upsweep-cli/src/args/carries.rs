//! Options of carries, which parts of a series hand on.

use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct Carries {
    /// Go on after the values before, of which the same command wrote FILE with --carry-out
    #[arg(long, value_name = "FILE")]
    pub(crate) carry_in: Option<PathBuf>,
    /// Write the state after the last value to FILE, for --carry-in with the values that follow
    #[arg(long, value_name = "FILE")]
    pub(crate) carry_out: Option<PathBuf>,
}
