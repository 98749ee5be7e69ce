//! Commands `upsweep completions` and `man`, from the definitions of the options.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::{Failure, Result, quoted};
use crate::output::Destination;
use crate::print::print;
use clap::CommandFactory;
use clap_mangen::Man;

/// Prints the completions of a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "upsweep", &mut text);
    print(&Destination::standard_output(), |out| out.write_all(&text))
}

/// Prints the manual page of a command, as roff.
pub(crate) fn man(args: &ManArgs) -> Result<()> {
    let mut all = Cli::command();
    all.build();
    let mut command = &all;
    for name in &args.command {
        let unknown = || Failure::Input(format!("{}: there is no such command", quoted(name)));
        command = command.find_subcommand(name).ok_or_else(unknown)?;
    }
    let page = Man::new(command.clone());
    print(&Destination::standard_output(), |out| page.render(out))
}
