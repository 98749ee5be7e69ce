//! Options of `completions` and `man`.

use clap::Args;
use clap_complete::Shell;

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The command that the page is about [default: all of upsweep]
    pub(crate) command: Vec<String>,
}

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  upsweep completions bash > upsweep.bash
  upsweep completions fish > upsweep.fish

bash reads such a file with `source`, or finds it in ~/.local/share/bash-completion/completions under the name upsweep; fish finds it
in ~/.config/fish/completions, zsh as _upsweep in a folder of its fpath.";

pub(super) const MAN_EXAMPLES: &str = "\
Examples:
  upsweep man > upsweep.1
  upsweep man text grep > upsweep-text-grep.1

`man ./upsweep.1` shows a page.";
